"""Plays a sequence of images: each file whole, in the order of their names, so many a second."""
import argparse
import os
import time

parser = argparse.ArgumentParser()
parser.add_argument("folder")
parser.add_argument("--rate", type=float, default=24)
options = parser.parse_args()
due = time.monotonic()
for name in sorted(os.listdir(options.folder)):
    with open(os.path.join(options.folder, name), "rb") as frame:
        frame.read()
    due += 1 / options.rate
    time.sleep(max(0.0, due - time.monotonic()))
