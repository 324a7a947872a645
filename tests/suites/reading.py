"""Programs that read in all the usual ways, on files that the engine has to fetch: a case is one way, its verdict the
exit status and a digest of what came out."""
import functools
import gzip
import json
import pathlib
import random
import shutil

import command
import unit

NAME = "reading"
SECONDS = 300
FILES = {"large": 3_000_001, "small": 5_000, "page": 4096, "empty": 0}
COMMANDS = [["cat", "large"], ["md5sum", "large", "text", "small", "page", "empty"], ["tac", "text"], ["sort", "text"],
            ["wc", "text", "large"], ["cmp", "large", "twin"], ["cmp", "large", "changed"],
            ["od", "-An", "-tx1", "small"],
            ["dd", "if=large", "bs=7777", "status=none"], ["dd", "if=large", "bs=64k", "skip=20", "status=none"],
            ["dd", "if=large", "bs=4k", "count=3", "skip=100", "status=none"], ["head", "-c", "100000", "large"],
            ["tail", "-c", "100000", "large"], ["tail", "-n", "50", "text"], ["grep", "-c", "7", "text"],
            ["cp", "large", "/dev/stdout"], ["tar", "-cf", "-", "--mtime=@0", "large", "text", "small"],
            ["zcat", "text.gz"], ["split", "--filter=md5sum", "-b", "300k", "large"],
            ["shuf", "--random-source=large", "text"], ["diff", "text", "text2"], ["comm", "text", "text2"],
            ["join", "text", "text2"], ["nosuchprogram-in-suites"],
            ["cat", "nosuchfile"], ["cat", "."], ["sed", "-n", "$p", "text"],
            ["awk", "{n += NF} END {print n}", "text"]]


def missing(_build):
    return None


def units(_build):
    yield unit.Unit("commands", commands, unit.EVERYWHERE, prepare_files, ("disk", "fuse"))
    yield unit.Unit("calls", calls, unit.EVERYWHERE, prepare_files, ("disk", "fuse"))


@functools.cache
def contents():
    """Returns name to bytes of the files, which many units use."""
    chance = random.Random(5)
    files = {name: chance.randbytes(size) for name, size in FILES.items()}
    lines = sorted(f"{chance.random()} {chance.random()}\n" for _ in range(20_000))
    files |= {"text": "".join(lines).encode(), "text2": "".join(lines[::3]).encode(), "twin": files["large"]}
    files["text.gz"] = gzip.compress(files["text"], mtime=0)
    changed = bytearray(files["large"])
    changed[-5] ^= 1
    return files | {"changed": changed}


def prepare_files(folder):
    for name, data in contents().items():
        (folder / name).write_bytes(data)
    with open(folder / "sparse", "wb") as out:
        out.truncate(5_000_000)
        out.seek(2_000_000)
        out.write(b"x" * 10_000)


def commands(work):
    result = {}
    for number, words in enumerate(COMMANDS):
        # By way of a program that is not there under the name of another: the errno of exec is part of the verdict.
        argv = words if shutil.which(words[0]) else ["env", *words]
        outcome = unit.keep(work, f"command-{number}", command.run(argv, work.folder, work.env, SECONDS))
        result[" ".join(words)] = f"{outcome.status} {unit.digest(outcome.out)} {unit.digest(outcome.err)}"
    return result


def calls(work):
    script = pathlib.Path(__file__).with_name("read_calls.py")
    outcome = unit.keep(work, "calls", command.run(["/usr/bin/python3", "-B", script], work.folder, work.env, SECONDS))
    try:
        return {"(exit)": outcome.status} | json.loads(outcome.out)
    except ValueError:
        return {"(exit)": outcome.status}
