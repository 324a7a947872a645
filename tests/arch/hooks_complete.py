"""Checks that each function of libc through which data of files, positions, descriptors, mappings or advice could move
is either hooked or said in docs/hooks.md not to be.

Usage: hooks_complete.py LIBC.so HOOKS.def HOOKS.md
"""
import fnmatch
import re
import subprocess
import sys

import binary
import shim_exports

MOVES = re.compile(r"read|open|creat$|creat64|seek|close|dup[23]?$|fcntl|mmap|munmap|mremap|advi|stemp|tmpfile|splice|"
                   r"sendfile|copy_file|getdents|scandir|gets|getline|getdelim|getc|getw|flow$|rewind|setpos|scanf|"
                   r"ungetc|^aio|^lio|^fts|ftw|spawn|^exec|[fF]ork|^clone|^syscall$|prctl$|memfd|popen|^system$|wordexp|sendm")
OTHER = re.compile(r"^(_?_?pthread_|xdr|svc|clnt|auth|rpc|__rpc|_thread_db|thrd_)|spawnattr")


def functions(libc):
    """Returns the names that a program linked today can have from `libc`."""
    table = subprocess.run(["nm", "-D", "--defined-only", libc], check=True, capture_output=True, text=True).stdout
    symbols = (line.split()[-2:] for line in table.splitlines())
    return {name.split("@@")[0] for kind, name in symbols if kind in "TWi" and "@@" in name and "PRIVATE" not in name}


def excused(page):
    """Returns the name patterns in the first column of the table "Not seen"."""
    with open(page, encoding="utf-8") as text:
        table = text.read().split("## Not seen")[1].split("\n## ")[0]
    rows = [line.split("|")[1] for line in table.splitlines() if line.startswith("|")]
    return [name for row in rows for name in re.findall(r"`([^`]+)`", row)]


def problems(libc, hooks, page):
    hooked = shim_exports.listed(hooks)[0]
    there = functions(libc)
    moving = {name for name in there if MOVES.search(name) and not OTHER.search(name)}
    patterns = excused(page)
    open_names = [name for name in sorted(moving - hooked) if not any(fnmatch.fnmatchcase(name, p) for p in patterns)]
    found = [f"{name} of libc is neither in {hooks} nor excused in {page}" for name in open_names]
    found += [f"{page} excuses {p}, which is hooked" for p in patterns if p in hooked]
    return found if moving and patterns else [f"{libc}: no function found, or nothing excused in {page}"]


if __name__ == "__main__":
    binary.finish(problems(*sys.argv[1:]))
