"""Plays a film of 1 MB a second: reads its head, the index at its end, then what is due, a second ahead of what is
shown, jumping to other places now and then. --scale lets its clock run so much faster."""
import argparse
import os
import random
import time

BLOCK = 64 << 10
RATE = 1_000_000
UNITS = {"K": 1 << 10, "M": 1 << 20}

parser = argparse.ArgumentParser()
parser.add_argument("file")
parser.add_argument("--index", default="2M", help="size of the index at the end")
parser.add_argument("--seconds", type=float, default=480, help="of film that are shown")
parser.add_argument("--seeks", type=int, default=4)
parser.add_argument("--scale", type=float, default=1)
options = parser.parse_args()
index = int(options.index[:-1]) * UNITS[options.index[-1]]
chance = random.Random(1)

with open(options.file, "rb", buffering=0) as film:
    size = os.fstat(film.fileno()).st_size
    film.read(BLOCK)
    film.seek(size - index)
    while film.read(BLOCK):
        pass
    film.seek(BLOCK)
    start = time.monotonic()
    shown = 0.0
    # Runs of unlike length: 0.25 to 1.75 of the mean.
    runs = [options.seconds / (options.seeks + 1) * chance.uniform(0.25, 1.75) for _ in range(options.seeks + 1)]
    for run in runs:
        begin = shown
        while shown < begin + run:
            film.read(BLOCK)
            shown += BLOCK / RATE
            ahead = 1.0 if shown - begin > 1 else shown - begin
            time.sleep(max(0.0, start + (shown - ahead) / options.scale - time.monotonic()))
        film.seek(chance.randrange((size - index) // BLOCK) * BLOCK)
