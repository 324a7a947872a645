"""Looks rows up at random while another thread, with a connection of its own, reads the whole table."""
import argparse
import random
import sqlite3
import threading

parser = argparse.ArgumentParser()
parser.add_argument("base")
parser.add_argument("--lookups", type=int, default=3000)
options = parser.parse_args()


def connect():
    return sqlite3.connect(f"file:{options.base}?mode=ro", uri=True)


def scan():
    for _ in connect().execute("select payload from item"):
        pass


scanner = threading.Thread(target=scan)
scanner.start()
base = connect()
rows = base.execute("select max(id) from item").fetchone()[0]
chance = random.Random(3)
for _ in range(options.lookups):
    base.execute("select payload from item where id = ?", (chance.randrange(rows),)).fetchone()
scanner.join()
