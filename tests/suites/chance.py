"""Calls on files at random, by random_calls.c: a unit is a seed, a case a stretch of calls, its verdict a
digest of what they returned. --keep shows the calls themselves, one a line."""
import functools

import command
import reading
import unit

NAME = "random"
SECONDS = 300
SEEDS = range(1, 61)
STEPS = 1000
SELECTED = 3
LINES_PER_CASE = 500


def program(build):
    return build / "tests/suites/random-calls"


def missing(build):
    return None if program(build).exists() else f"{program(build)} is not built"


def units(build):
    for seed in SEEDS:
        selected = seed <= SELECTED
        yield unit.Unit(f"seed-{seed}", functools.partial(run, program(build), seed), unit.EVERYWHERE,
                        reading.prepare_files, unit.EVERYWHERE if selected else ())


def run(calls, seed, work):
    outcome = unit.keep(work, "calls", command.run([calls, seed, STEPS], work.folder, work.env, SECONDS))
    lines = outcome.out.decode().splitlines()
    result = {"(exit)": outcome.status}
    for begin in range(0, len(lines), LINES_PER_CASE):
        part = "\n".join(lines[begin:begin + LINES_PER_CASE])
        result[f"lines {begin}.."] = f"passed {unit.digest(part.encode())}"
    return result
