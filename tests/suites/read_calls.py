"""Reads the files of the current folder by each system call that can, and prints a digest for each as JSON: offsets,
counts, contents and errno are all in it. Run by reading.py, never by hand."""
import errno
import hashlib
import json
import mmap
import os
import random
import socket
import threading

FILES = ("large", "text", "small", "page", "empty", "sparse")


class Trail:
    """Collects what calls return."""

    def __init__(self):
        self.sum = hashlib.sha256()

    def add(self, *values):
        for value in values:
            self.sum.update(bytes(value) if isinstance(value, (bytes, bytearray, memoryview)) else repr(value).encode())
            self.sum.update(b"|")

    def tried(self, call, *arguments):
        """Adds what the call returns, or its errno."""
        try:
            result = call(*arguments)
        except OSError as error:
            result = errno.errorcode[error.errno]
        self.add(result)
        return result


def by_read(trail, fd, size):
    for count in (1, 100, 4096, 5000, 131072):
        os.lseek(fd, 0, os.SEEK_SET)
        for _ in range(40):
            trail.add(os.read(fd, count), os.lseek(fd, 0, os.SEEK_CUR))
    while data := os.read(fd, 65536):
        trail.add(data)


def by_pread(trail, fd, size):
    for offset in range(0, size + 8192, 24_576):
        trail.add(os.pread(fd, 4096, offset))
    for offset in range(size, -1, -8192):
        trail.add(os.pread(fd, 8192, offset))
    trail.tried(os.pread, fd, 10, 2**63 - 1)
    trail.tried(os.pread, fd, 10, 2**62)
    trail.tried(os.pread, fd, 10, -1)
    trail.add(os.lseek(fd, 0, os.SEEK_CUR))


def by_readv(trail, fd, size):
    buffers = [bytearray(10), bytearray(4096), bytearray(70_000)]
    while count := os.readv(fd, buffers):
        trail.add(count, *buffers)
    for flags in (0, os.RWF_HIPRI, 0x40000000):
        trail.tried(os.preadv, fd, buffers, 12_345, flags)
        trail.add(*buffers)


def by_random(trail, fd, size):
    chance = random.Random(1)
    for _ in range(300):
        trail.add(os.pread(fd, chance.choice((1, 512, 4096, 20_000)), chance.randrange(size + 5000)))


def by_mmap(trail, fd, size):
    if size == 0:
        return
    with mmap.mmap(fd, 0, prot=mmap.PROT_READ) as memory:
        trail.add(memory[: size // 2], memory[size - 1 :: -4097], memory.find(b"\0\0\0\0"))
        for advice in (mmap.MADV_RANDOM, mmap.MADV_SEQUENTIAL, mmap.MADV_WILLNEED, mmap.MADV_DONTNEED,
                       mmap.MADV_NORMAL):
            memory.madvise(advice)
            trail.add(memory[::4096])


def by_stdio(trail, fd, size):
    with open(os.dup(fd), "rb") as stream:
        trail.add(stream.read(10), stream.readline(), stream.tell(), stream.read(50_000))
        trail.tried(stream.seek, -5, os.SEEK_END)
        trail.add(stream.read())
        stream.seek(size // 2)
        for line in stream:
            trail.add(line)


def by_sendfile(trail, fd, size):
    ours, theirs = socket.socketpair()
    received = []
    reader = threading.Thread(target=lambda: received.extend(iter(lambda: theirs.recv(1 << 16), b"")))
    reader.start()
    offset = 0
    while count := os.sendfile(ours.fileno(), fd, offset, 100_000):
        offset += count
    ours.close()
    reader.join()
    theirs.close()
    trail.add(offset, b"".join(received), os.lseek(fd, 0, os.SEEK_CUR))


def by_splice(trail, fd, size):
    source, sink = os.pipe()
    while count := os.splice(fd, sink, 4096):
        trail.add(count, os.read(source, count))
    os.close(source)
    os.close(sink)


def by_copy(trail, fd, size):
    target = os.memfd_create("copy")
    trail.tried(os.copy_file_range, fd, target, 50_000, 1000)
    trail.add(os.pread(target, 60_000, 0), os.lseek(fd, 0, os.SEEK_CUR))
    os.close(target)


def by_advice(trail, fd, size):
    for advice in (os.POSIX_FADV_RANDOM, os.POSIX_FADV_SEQUENTIAL, os.POSIX_FADV_NOREUSE, os.POSIX_FADV_WILLNEED,
                   os.POSIX_FADV_DONTNEED, os.POSIX_FADV_NORMAL, 77):
        trail.tried(os.posix_fadvise, fd, 0, 0, advice)
        trail.add(os.pread(fd, 100_000, 0), os.pread(fd, 100_000, 100_000))


def by_shared_description(trail, fd, size):
    again = os.dup(fd)
    trail.add(os.read(fd, 5000), os.read(again, 5000), os.lseek(fd, 0, os.SEEK_CUR))
    if child := os.fork():
        trail.add(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), os.lseek(fd, 0, os.SEEK_CUR), os.read(fd, 5000))
    else:
        os.read(again, 7000)
        os._exit(3)
    os.close(again)
    trail.tried(os.read, again, 10)
    trail.add(os.read(fd, 5000))


def by_threads(trail, fd, size):
    parts = [None] * 4

    def read(number):
        step = size // 4 + 1
        parts[number] = b"".join(os.pread(fd, 3000, offset)
                                 for offset in range(number * step, min((number + 1) * step, size), 3000))

    threads = [threading.Thread(target=read, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    trail.add(*parts)


def by_wrong_arguments(trail, fd, size):
    trail.tried(os.read, -1, 10)
    trail.tried(os.read, 100_000, 10)
    trail.tried(os.read, os.open(".", os.O_RDONLY), 10)
    trail.tried(os.lseek, fd, -1, os.SEEK_SET)
    trail.tried(os.lseek, fd, 0, 99)
    trail.tried(os.pread, fd, 0, 0)
    trail.tried(os.lseek, fd, 0, os.SEEK_DATA)
    trail.tried(os.lseek, fd, 0, os.SEEK_HOLE)
    path = os.open("small", os.O_PATH)
    trail.tried(os.read, path, 10)
    os.close(path)


def main():
    result = {}
    for name, call in list(globals().items()):
        if not name.startswith("by_"):
            continue
        for file in FILES:
            trail = Trail()
            fd = os.open(file, os.O_RDONLY)
            try:
                call(trail, fd, os.fstat(fd).st_size)
                result[f"{name} {file}"] = "passed " + trail.sum.hexdigest()[:16]
            except Exception as error:  # what a method dies of is a verdict like another
                result[f"{name} {file}"] = f"failed {error!r}"
            finally:
                os.close(fd)
    print(json.dumps(result))


if __name__ == "__main__":
    main()
