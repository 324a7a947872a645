"""Reads a file of columns as parquet readers do: the length of the footer at the end, the footer, the magic at the
start, then in each row group the chunks of the chosen columns."""
import argparse
import os

FOOTER = 192 << 10
PIECE = 128 << 10

parser = argparse.ArgumentParser()
parser.add_argument("file")
parser.add_argument("--groups", type=int, default=12)
parser.add_argument("--columns", type=int, default=16)
parser.add_argument("--chosen", default="0,1,5,9,10")
options = parser.parse_args()
chosen = [int(number) for number in options.chosen.split(",")]

fd = os.open(options.file, os.O_RDONLY)
size = os.fstat(fd).st_size
os.pread(fd, 8, size - 8)
os.pread(fd, FOOTER, size - 8 - FOOTER)
os.pread(fd, 4, 0)
chunk = (size - FOOTER - 8) // (options.groups * options.columns) // PIECE * PIECE
for group in range(options.groups):
    for column in chosen:
        begin = 4 + (group * options.columns + column) * chunk
        for at in range(begin, begin + chunk, PIECE):
            sum(os.pread(fd, PIECE, at)[::64])
os.close(fd)
