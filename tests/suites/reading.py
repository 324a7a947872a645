"""Programs that read in all the usual ways, on files that the engine has to fetch: a case is one way, its verdict the
exit status and a digest of what came out."""
import gzip
import json
import pathlib
import random
import shutil

import command
import unit

NAME = "reading"
SECONDS = 300
FILES = {"large": 3_000_001, "text": 800_000, "small": 5_000, "page": 4096, "empty": 0}
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


def missing():
    return None


def units():
    yield unit.Unit("commands", commands, unit.EVERYWHERE, prepare_files, ("disk", "fuse"))
    yield unit.Unit("calls", calls, unit.EVERYWHERE, prepare_files, ("disk", "fuse"))


def prepare_files(folder):
    chance = random.Random(5)
    for name, size in FILES.items():
        (folder / name).write_bytes(chance.randbytes(size))
    lines = sorted(f"{chance.random()} {chance.random()}\n" for _ in range(20_000))
    (folder / "text").write_text("".join(lines), encoding="ascii")
    (folder / "text2").write_text("".join(lines[::3]), encoding="ascii")
    (folder / "text.gz").write_bytes(gzip.compress((folder / "text").read_bytes(), mtime=0))
    shutil.copyfile(folder / "large", folder / "twin")
    data = bytearray((folder / "large").read_bytes())
    data[-5] ^= 1
    (folder / "changed").write_bytes(data)
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
