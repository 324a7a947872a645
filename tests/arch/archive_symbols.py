"""Checks that a host library needs nothing but the symbols its list allows: what core and stats may not call, they
cannot call unseen. The lists lie beside this file, one name a line, '#' starts a comment.

Usage: archive_symbols.py LIBRARY.a LIST [NAME...]     NAME: allowed besides
"""
import sys

import binary


def allowed(path):
    with open(path, encoding="utf-8") as lines:
        return {name for line in lines if (name := line.partition("#")[0].strip())}


def problems(library, names):
    return [f"{library}: needs {name}, which is not in its list" for name in
            sorted(binary.undefined_of_archive(library) - names)]


if __name__ == "__main__":
    binary.finish(problems(sys.argv[1], allowed(sys.argv[2]) | set(sys.argv[3:])))
