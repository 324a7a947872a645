"""Loads a model as numpy.memmap(offset=...) does it: maps each tensor for itself, sums it up, and lets it go."""
import argparse
import mmap
import os
import random

parser = argparse.ArgumentParser()
parser.add_argument("file")
parser.add_argument("--tensors", type=int, default=96)
parser.add_argument("--shuffled", action="store_true")
options = parser.parse_args()
chance = random.Random(1)
fd = os.open(options.file, os.O_RDONLY)
size = os.fstat(fd).st_size
tensors, at = [], 4096
while at < size and len(tensors) < options.tensors:
    length = min(chance.choice([256, 512, 1024, 2048]) << 10, size - at)
    tensors.append((at, length))
    at += length
if options.shuffled:
    chance.shuffle(tensors)
total = 0
for at, length in tensors:
    with mmap.mmap(fd, length, access=mmap.ACCESS_READ, offset=at) as tensor:
        total += sum(tensor[::1024])
print(total)
