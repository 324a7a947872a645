"""A unit is what is run, and compared, as a whole: one test file of CPython, one stressor, one engine of fio."""
import dataclasses
import hashlib
import os
import typing

import command

WRITABLE = ("local", "fuse")
EVERYWHERE = ("local", "fuse", "disk")
# What decides about locales, time zones and where temporary files go is ours; the rest is the caller's.
DROPPED = ("LD_PRELOAD", "AHEAD_", "PYTHON", "GIT_", "TMPDIR", "LC_", "LANG", "TZ", "XDG_", "DISPLAY")


@dataclasses.dataclass
class Unit:
    """`run` takes a places.Work and returns case to verdict. `prepare` takes a folder and fills it, never preloaded.
    `selected`: part of the selection that `./quickstart test` runs; a set of places, if not in all of them."""
    name: str
    run: typing.Callable
    places: tuple = WRITABLE
    prepare: typing.Callable = None
    selected: tuple = ()


def clean_environment():
    kept = {name: value for name, value in os.environ.items() if not name.startswith(DROPPED)}
    return kept | {"LC_ALL": "C.UTF-8", "TZ": "UTC"}


def prepare(argv, folder, stdin=b""):
    """Runs a command that has to succeed for the unit to make sense."""
    done = command.run(argv, folder, clean_environment(), 120, stdin)
    if done.status != "0":
        raise RuntimeError(f"{argv}: {done.status}: {done.err.decode(errors='replace')[-500:]}")
    return done.out


def digest(data):
    return hashlib.sha256(data).hexdigest()[:16]


def keep(work, name, outcome):
    """Leaves a command's output in the unit's scratch folder, for --keep."""
    (work.scratch / f"{name}.out").write_bytes(outcome.out)
    (work.scratch / f"{name}.err").write_bytes(outcome.err)
    return outcome
