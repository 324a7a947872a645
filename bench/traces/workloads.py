"""What is recorded? One function a workload: fills `place.source` and returns the command, which is run with the disk
as its working directory. The docstring's first line is what README's table says."""
import dataclasses
import pathlib
import random
import shutil
import subprocess
import typing

import content
from content import KIB, MIB


@dataclasses.dataclass(frozen=True)
class Workload:
    """`is_predictable`: an engine that sees the reads can know what comes next, from the file or from the folder; such
    traces are scored by the share of the oracle's gain, all others by what they must not cost. `stretch`: by how much
    recorded times are multiplied, for programs that wait for a clock which ran as much faster in the recording."""
    name: str
    is_predictable: bool
    prepare: typing.Callable
    stretch: int = 1

    @property
    def what(self):
        return " ".join(self.prepare.__doc__.split("\n\n")[0].split())


WORKLOADS = {}
GIT_WINDOWS = ["-c", "core.packedGitWindowSize=128k", "-c", "core.packedGitLimit=4m"]


def workload(name, predictable, stretch=1):
    def add(prepare):
        WORKLOADS[name] = Workload(name, predictable, prepare, stretch)
        return prepare
    return add


def patterns(name, count):
    """Adds a workload of ahead-patterns on one sparse file."""
    def prepare(place):
        content.sparse(place.source / "large", 1024 * MIB)
        return [place.built("bench/ahead-patterns"), name, "large", "--count", str(count)]
    return prepare


def readers(place, *words):
    return [place.built("bench/traces/ahead-readers"), *map(str, words)]


# Whole files and trees.

@workload("cat", True)
def cat(place):
    """cat of one file of 64 MiB"""
    content.noise(place.source / "large", 64 * MIB)
    return [place.program("cat"), "large"]


@workload("cp", True)
def cp(place):
    """cp of 40 files of 64 KiB to 4 MiB"""
    content.tree(place.source / "tree", 40, 64 * KIB, 4 * MIB)
    return [place.program("cp"), "-r", "tree", str(place.scratch / "copy")]


@workload("md5sum-walk", True)
def md5sum_walk(place):
    """find -type f -exec md5sum {} + over 200 files of 1 KiB to 4 MiB"""
    content.tree(place.source / "tree", 200, KIB, 4 * MIB)
    return [place.program("find"), "tree", "-type", "f", "-exec", place.program("md5sum"), "{}", "+"]


@workload("tar", True)
def tar(place):
    """tar -c of 400 files of 1 KiB to 1 MiB"""
    content.tree(place.source / "tree", 400, KIB, MIB)
    return [place.program("tar"), "-cf", "-", "tree"]


@workload("grep", True)
def grep(place):
    """grep -r of rare words in 500 text files of 1 to 256 KiB"""
    content.tree(place.source / "tree", 500, KIB, 256 * KIB, make=content.text)
    return [place.program("grep"), "-rc", "mark mark mark", "tree"]


@workload("mail", True)
def mail(place):
    """a maildir of 800 messages of 2 to 64 KiB, parsed by python's mailbox in the order of the folder"""
    content.mail_folder(place.source / "mail", 800)
    return [*place.script("mail.py"), "mail"]


@workload("images", True)
def images(place):
    """120 frames of about 1 MiB, one file each, read whole at 24 a second"""
    chance = random.Random(1)
    for number in range(120):
        content.sparse(place.source / f"frame{number:04}.dpx", MIB + chance.randrange(-64, 64) * KIB)
    return [*place.script("images.py"), "--rate", "24", "."]


@workload("tac", True)
def tac(place):
    """tac of a log of 32 MiB: 8 KiB at a time, from the end"""
    content.text(place.source / "log", 32 * MIB)
    return [place.program("tac"), "log"]


# Programs that start or build.

@workload("python", False)
def python(place):
    """start of python3 with its library on the disk, importing some thirty modules"""
    interpreter = place.program("python3")
    library = pathlib.Path(subprocess.run([interpreter, "-c", "import os; print(os.path.dirname(os.__file__))"],
                                          check=True, capture_output=True, text=True).stdout.strip())
    leave = shutil.ignore_patterns("test", "dist-packages", "site-packages", "idlelib", "tkinter", "config-*",
                                   "*.opt-?.pyc", "ensurepip", "lib2to3", "pydoc_data")
    shutil.copytree(library, place.source / "lib" / library.name, ignore=leave)
    modules = ("argparse asyncio base64 csv dataclasses datetime decimal difflib email.message enum fractions hashlib "
               "html.parser http.client inspect json logging multiprocessing pathlib pickle random shutil socket "
               "statistics subprocess tarfile tempfile unittest urllib.request uuid xml.dom.minidom zipfile")
    environment = [f"PYTHONHOME={place.mount}", "PYTHONDONTWRITEBYTECODE=1"]
    return [place.program("env"), *environment, interpreter, "-S", "-c", f"import {', '.join(modules.split())}"]


@workload("compile", False)
def compile_(place):
    """gcc -O0 -c of 8 C files that include some 60 of 90 headers each"""
    content.sources(place.source, 8, 90)
    loop = f"for unit in unit*.c; do {place.program('gcc')} -O0 -Iinclude -c $unit -o {place.scratch}/$unit.o; done"
    return [place.program("sh"), "-c", loop]


# git and databases.

@workload("git-log", False)
def git_log(place):
    """git log -p --stat over 200 commits in one pack, mapped in windows of 128 KiB"""
    place.program("git")
    content.repository(place.source / "repository", 200, 60)
    # By default all of a pack is mapped at once, and a mapping does not say what of it is looked at, and when.
    return [place.program("git"), *GIT_WINDOWS, "-C", "repository", "log", "-p", "--stat"]


@workload("git-fsck", False)
def git_fsck(place):
    """git fsck of the same repository, mapped in the same way"""
    git_log(place)
    return [place.program("git"), *GIT_WINDOWS, "-C", "repository", "fsck", "--full", "--strict"]


@workload("sqlite-scan", True)
def sqlite_scan(place):
    """sqlite3 reading a table of 18 MiB from end to end"""
    content.database(place.source / "base", 100_000)
    return [place.program("sqlite3"), "-readonly", "base", "select sum(length(payload)) from item"]


@workload("sqlite-lookup", False)
def sqlite_lookup(place):
    """sqlite3 with 3,000 random look-ups by an index in the same database"""
    content.database(place.source / "base", 100_000)
    chance = random.Random(2)
    queries = place.scratch / "queries"
    queries.write_text("".join(
        f"select payload from item where code >= '{chance.getrandbits(48):012x}' order by code limit 1;\n"
        for _ in range(3000)), encoding="ascii")
    return [place.program("sqlite3"), "-readonly", "base", f".read {queries}"]


@workload("base-mixed", False)
def base_mixed(place):
    """one process, two connections to the same database: a thread scans, another looks up at random"""
    content.database(place.source / "base", 100_000)
    return [*place.script("base_mixed.py"), "base", "--lookups", "3000"]


# Formats with an index.

@workload("zip", False)
def zip_(place):
    """python's zipfile reading 600 members of 1 to 256 KiB: tail, then all in order"""
    content.archive(place.source / "archive.zip", 600, KIB, 256 * KIB)
    return [*place.script("zip_reader.py"), "archive.zip"]


@workload("columns", True)
def columns(place):
    """a parquet-like reader: tail, footer, head, then 5 of 16 columns of each of 12 row groups"""
    content.sparse(place.source / "table", 12 * 16 * 512 * KIB + 256 * KIB)
    return [*place.script("columns.py"), "table", "--groups", "12", "--columns", "16"]


@workload("memmap", True)
def memmap(place):
    """a loader that maps 96 tensors of 256 KiB to 2 MiB one after the other, in the order of the file"""
    content.sparse(place.source / "model", 96 * MIB)
    return [*place.script("memmap.py"), "model"]


@workload("memmap-shuffled", False)
def memmap_shuffled(place):
    """the same in random order"""
    return [*memmap(place), "--shuffled"]


# Players: what is 1 s of video takes 1/20 s while it is recorded.

@workload("player-mp4", True, stretch=20)
def player_mp4(place):
    """a player at 8 Mbit/s for 8 minutes: head, index at the end, then paced reads of 64 KiB with four seeks"""
    content.sparse(place.source / "film.mp4", 1200 * MIB)
    return [*place.script("player.py"), "film.mp4", "--index", "2M", "--seconds", "480", "--seeks", "4", "--scale", "20"]


@workload("player-jumps", True, stretch=20)
def player_jumps(place):
    """a player at 8 Mbit/s that jumps after each 0.5 to 4 MiB, 150 times"""
    content.sparse(place.source / "film.mkv", 1200 * MIB)
    return [*place.script("player.py"), "film.mkv", "--index", "64K", "--seconds", "340", "--seeks", "150", "--scale", "20"]


# Patterns.

@workload("threads-parts", True)
def threads_parts(place):
    """16 threads on one descriptor, pread of 64 KiB, each its own part of 128 MiB"""
    content.sparse(place.source / "large", 128 * MIB)
    return readers(place, "threads-parts", "large")


@workload("threads-interleaved", True)
def threads_interleaved(place):
    """16 threads on one descriptor, pread of 64 KiB, each every sixteenth piece of 128 MiB"""
    content.sparse(place.source / "large", 128 * MIB)
    return readers(place, "threads-interleaved", "large")


@workload("slow-streams", True, stretch=20)
def slow_streams(place):
    """800 files in one process, 12 reads of 32 KiB of each, one of all files every 4 s"""
    (place.source / "streams").mkdir()
    for number in range(800):
        content.sparse(place.source / "streams" / f"{number:03}", 12 * 32 * KIB)
    return readers(place, "slow-streams", "streams", "--count", 12, "--round-ms", 200)


for _name, _predictable, _count, _what in (
        ("random", False, 4000, "4,000 preads of 4 KiB at random in 1 GiB"),
        ("stride", True, 4000, "4,000 preads of 4 KiB, one every 256 KiB"),
        ("backward", True, 8000, "8,000 preads of 4 KiB from the middle of 1 GiB towards the start")):
    _prepare = patterns(_name, _count)
    _prepare.__doc__ = _what
    workload(_name, _predictable)(_prepare)
