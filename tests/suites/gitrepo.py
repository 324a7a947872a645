"""git on a generated repository: clone, gc, fsck and what reads packs in other ways. A case is one command, its verdict
the exit status and a digest of what it printed; which is the same from run to run."""
import random
import shutil

import command
import unit

NAME = "git"
PROGRAM = shutil.which("git")
SECONDS = 300
COMMITS = 45
FILES = 40
SETTINGS = {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_AUTHOR_DATE": "1000000000 +0000",
            "GIT_COMMITTER_DATE": "1000000000 +0000", "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@a",
            "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@a", "GIT_OPTIONAL_LOCKS": "0",
            "GIT_CONFIG_COUNT": "2", "GIT_CONFIG_KEY_0": "safe.directory", "GIT_CONFIG_VALUE_0": "*",
            "GIT_CONFIG_KEY_1": "pack.threads", "GIT_CONFIG_VALUE_1": "1"}
READING = [["fsck", "--full", "--strict"], ["rev-list", "--objects", "--all"], ["log", "-p", "--all"],
           ["archive", "HEAD"], ["archive", "HEAD~30"], ["grep", "-c", "e", "HEAD~5"], ["blame", "file-1"],
           ["diff", "HEAD~40", "HEAD"], ["cat-file", "--batch-all-objects", "--batch-check"],
           ["cat-file", "--batch-all-objects", "--batch"], ["count-objects", "-v"],
           ["-c", "core.packedGitWindowSize=4k", "-c", "core.packedGitLimit=64k", "log", "-p"], ["status"],
           ["bundle", "create", "-", "--all"]]
WRITING = [["clone", "-q", "--no-local", "repository", "far"], ["clone", "-q", "repository", "near"],
           ["clone", "-q", "--bare", "--no-local", "repository", "bare.git"], ["-C", "far", "fsck", "--full"],
           ["-C", "far", "repack", "-q", "-a", "-d", "-f"], ["-C", "far", "gc", "-q", "--prune=now"],
           ["-C", "far", "fsck", "--full", "--strict"], ["-C", "far", "checkout", "-q", "HEAD~20"],
           ["-C", "far", "status", "--porcelain"], ["-C", "far", "checkout", "-q", "-b", "side", "HEAD~10"],
           ["-C", "far", "merge", "-q", "origin/main"], ["-C", "far", "log", "-p", "--stat"],
           ["-C", "near", "gc", "-q", "--aggressive"], ["-C", "near", "fsck", "--full"],
           ["-C", "near", "archive", "HEAD"], ["-C", "bare.git", "fsck", "--full"],
           ["-C", "near", "pull", "-q", "../far", "side"], ["-C", "near", "rev-parse", "HEAD", "HEAD^{tree}"]]


def missing(_build):
    return None if PROGRAM else "git is not installed"


def units(_build):
    yield unit.Unit("write", runner(WRITING, "."), unit.WRITABLE, prepare_repository, unit.WRITABLE)
    yield unit.Unit("read", runner(READING, "repository"), unit.EVERYWHERE, prepare_repository, ("disk",))


def stream():
    """Returns what `git fast-import` turns into the repository: text that changes a little, and bytes that do not
    compress, so that packs hold both deltas and whole objects."""
    chance = random.Random(3)
    lines = {number: [f"{chance.random()}\n" for _ in range(400)] for number in range(FILES)}
    for commit in range(COMMITS):
        yield f"commit refs/heads/main\ncommitter a <a@a> {10**9 + commit} +0000\ndata 1\nc\n".encode()
        for number in chance.sample(range(FILES), 8):
            lines[number][chance.randrange(400)] = f"{chance.random()}\n"
            text = "".join(lines[number]).encode()
            yield f"M 100644 inline file-{number}\ndata {len(text)}\n".encode() + text + b"\n"
        blob = chance.randbytes(60_000)
        yield f"M 100644 inline blob-{commit % 10}\ndata {len(blob)}\n".encode() + blob + b"\n"


def prepare_repository(folder):
    unit.prepare([PROGRAM, "init", "-q", "-b", "main", "repository"], folder)
    repository = folder / "repository"
    unit.prepare([PROGRAM, "fast-import", "--quiet"], repository, b"".join(stream()))
    unit.prepare([PROGRAM, "reset", "-q", "--hard"], repository)


def runner(commands, folder):
    def run(work):
        result = {}
        for number, words in enumerate(commands):
            outcome = command.run([PROGRAM, *words], work.folder / folder, work.env | SETTINGS, SECONDS)
            unit.keep(work, f"git-{number}", outcome)
            said = unit.digest(outcome.out)
            result[f"{number:02} {' '.join(words)}"] = f"passed {said}" if outcome.status == "0" else outcome.status
        return result
    return run
