#!/usr/bin/env -S python3 -B
"""Measures and prints the table of the sizing engine: does it read the right amount at the right time, and nothing where
that cannot help? Every row has its criterion as code; the verdict stands beside the number that was reached.

Arms are interleaved in random order and each run is cold. Counted figures come from the disk; ratios are paired, with a
95 % bootstrap interval of their median. Each line is printed as it is done.
"""
import argparse
import json
import os
import pathlib
import random
import shutil
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "bench/core"), str(ROOT / "bench/traces")]

import arms  # noqa: E402
import bench as sizing  # noqa: E402
import environment  # noqa: E402
import rows_lab  # noqa: E402
import rows_memory  # noqa: E402
import rows_paced  # noqa: E402
import rows_random  # noqa: E402
import rows_shapes  # noqa: E402
import rows_streams  # noqa: E402
import table  # noqa: E402
import verdict  # noqa: E402
from arguments import names  # noqa: E402

# Name -> what yields its lines, in the order of the table.
ROWS = {
    "sequential": rows_streams.sequential,
    "beside": rows_streams.beside,
    "hdd": rows_streams.hdd,
    "crowd": rows_memory.crowd,
    "slow-streams": rows_memory.slow,
    "readers": rows_memory.readers,
    "phases": rows_shapes.phases,
    "random": rows_random.random,
    "shapes": rows_shapes.shapes,
    "player": rows_paced.player,
    "jumps": rows_paced.jumps,
    "turns": rows_memory.turns,
    "lab": rows_lab.lab,
}

BEGIN, END = "<!-- begin sizing: bench/sizing/run.py -->\n", "<!-- end sizing -->\n"
WORDS = ("NOT MET", "open", "met", "skipped")


def parse_options(argv):
    parser = argparse.ArgumentParser(prog="bench-sizing", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--build", type=pathlib.Path, default=ROOT / "build/release", help="build folder (%(default)s)")
    add("--rows", type=names(ROWS), default=list(ROWS), help=f"of {','.join(ROWS)}")
    add("--pairs", type=int, default=3, help="runs of each arm (%(default)s); times need 15 and more to mean something")
    add("--quick", action="store_true", help="shorter runs, to try the script; counted figures still mean something")
    add("--seed", type=int, default=1, help="of the order of arms (%(default)s)")
    add("--json", type=pathlib.Path, help="keep the figures of all runs in this file")
    add("--markdown", type=pathlib.Path, help="write the table there; between the marks of a page that has them")
    return parser.parse_args(argv)


def measure(options, tools, folder):
    """Yields the Lines of the chosen rows; a row that breaks is a line as well, and the others go on."""
    chance = random.Random(options.seed)
    bench = sizing.Bench(tools, ROOT / "bench/traces", folder, options.pairs, options.quick, chance, tell)
    for name in options.rows:
        try:
            yield from ROWS[name](bench)
        except sizing.Killed as error:
            yield verdict.Line(name, "-", [verdict.Check(str(error), False)])


def tell(text):
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


def write_table(page, facts, lines):
    """Writes the table, worst first, to a file of its own or between the marks of a page that has them."""
    worst_first = sorted(lines, key=lambda line: WORDS.index(line.word))
    made = "; ".join(f"{name}: {value}" for name, value in facts.items())
    made += f"\n\n{table.markdown(verdict.HEAD, [line.cells() for line in worst_first])}\n"
    old = page.read_text(encoding="utf-8") if page.exists() else ""
    if BEGIN in old:
        before, _, after = old.partition(BEGIN)
        made = before + BEGIN + made + END + after.partition(END)[2]
    page.write_text(made, encoding="utf-8")


def main(argv):
    options = parse_options(argv)
    environment.end_cleanly_on_term()
    if os.geteuid() == 0:
        os.nice(-20)
    tools = arms.Tools(options.build)
    facts = environment.describe(ROOT) | {"pairs": f"{options.pairs}{', short runs (--quick)' if options.quick else ''}"}
    print("\n".join(f"{name}: {value}" for name, value in facts.items()) + "\n", flush=True)
    folder = pathlib.Path(tempfile.mkdtemp(prefix="ahead-sizing."))
    begin = time.monotonic()
    lines = []
    try:
        before = begin
        for line in measure(options, tools, folder):
            lines.append(line)
            tell("")
            now = time.monotonic()
            details = [*line.notes, f"pairs {line.pairs or '-'}", f"A/A {line.again}", f"{now - before:.0f} s"]
            print(f"{line.word:8} {line.row}: {line.case}: {line.text()}\n         [{'; '.join(details)}]", flush=True)
            before = now
    finally:
        tell("")
        shutil.rmtree(folder, ignore_errors=True)
    words = [line.word for line in lines]
    counts = ", ".join(f"{words.count(word)} {word}" for word in WORDS)
    print(f"\n{counts}; {options.pairs} pairs; {time.monotonic() - begin:.0f} s")
    if options.markdown:
        write_table(options.markdown, facts, lines)
    if options.json:
        raw = {"environment": facts, "lines": [line.as_json() for line in lines]}
        options.json.write_text(json.dumps(raw, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
