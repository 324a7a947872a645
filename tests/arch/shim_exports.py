"""Checks that libahead.so exports exactly the functions that hooks.def lists: a hook that is listed and not exported
silently does nothing, a name exported and not listed gets into the way of the host's own.

Usage: shim_exports.py LIBRARY.so HOOKS.def
"""
import re
import sys

import binary

ROW = re.compile(r"\bAHEAD_(?:HOOK|ALIAS)\w*\(\s*(\w+)")


def listed(path):
    """Returns the names in the first argument of each AHEAD_HOOK and AHEAD_ALIAS row; comments do not count."""
    with open(path, encoding="utf-8") as lines:
        text = "\n".join(line for line in lines if not line.lstrip().startswith(("//", "#")))
    names = [m.group(1) for m in ROW.finditer(text)]
    return set(names), sorted({name for name in names if names.count(name) > 1})


def problems(library, hooks):
    names, twice = listed(hooks)
    exported = binary.exports(library)
    found = [f"{hooks}: {name} is listed twice" for name in twice]
    found += [f"{name} is in {hooks} and not exported by {library}" for name in sorted(names - exported)]
    found += [f"{name} is exported by {library} and not in {hooks}" for name in sorted(exported - names)]
    return found if names else [f"{hooks}: no row found"]


if __name__ == "__main__":
    binary.finish(problems(*sys.argv[1:]))
