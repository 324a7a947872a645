#!/usr/bin/env -S python3 -B
"""Measures and prints the table of README: what ahead gains on the slow disk, and what it costs where it cannot help.

Arms are interleaved, each run is cold, ratios are paired and have a bootstrap interval, raw figures go to --json. For
the rows and what they must show see rows.py.
"""
import argparse
import json
import pathlib
import random
import shutil
import sys
import tempfile

import arms
import cached
import disk
import environment
import measure
import recording
import rows
import table
from arguments import names, numbers

ROOT = pathlib.Path(__file__).resolve().parents[2]
CACHED = ("cpu", "syscalls", "start", "calls", "recording")


def setting(text):
    name, equals, value = text.partition("=")
    if not equals or not name.startswith("AHEAD_"):
        raise argparse.ArgumentTypeError(f"{text}: not AHEAD_NAME=VALUE")
    return name, value


def parse(argv):
    every_row = [row.name for row in rows.ROWS] + list(CACHED)
    parser = argparse.ArgumentParser(prog="bench-core", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--build", type=pathlib.Path, default=ROOT / "build/release", help="build folder (%(default)s)")
    add("--rows", type=names(every_row), default=every_row, help=f"of {','.join(every_row)}")
    add("--arms", type=names(arms.NAMES), default=["bare", "ahead", "oracle"], help=f"of {','.join(arms.NAMES)}")
    add("--in-flight", type=numbers, default=[12, 64], help="of the disk (12,64)")
    add("--pairs", type=int, default=30, help="pairs a row; half where a run exceeds 2 s (%(default)s)")
    add("--set", type=setting, action="append", default=[], metavar="AHEAD_NAME=VALUE", help="for arm ahead")
    add("--seed", type=int, default=1, help="of the order of arms (%(default)s)")
    add("--file-mib", type=int, help="smaller files, to try the script; the figures then mean little")
    add("--json", type=pathlib.Path, help="keep the raw figures in this file")
    return parser.parse_args(argv)


def make_file(path, mib, seed):
    chance = random.Random(seed)
    with open(path, "wb") as out:
        for _ in range(mib):
            out.write(chance.randbytes(1 << 20))
    return path


def measure_disk_rows(options, tools, folder):
    """Yields the Result of each chosen row."""
    source, mountpoint = folder / "source", folder / "mount"
    source.mkdir()
    mountpoint.mkdir()
    chosen = [row for row in rows.ROWS if row.name in options.rows]
    for mib in {row.file_mib for row in chosen}:
        make_file(source / f"random-{mib}", options.file_mib or mib, mib)
    slow_disk = disk.SlowDisk(tools.disk, source, mountpoint)
    bench = measure.Bench(tools, slow_disk, options.arms, options.pairs, dict(options.set), options.seed)
    for row in chosen:
        for in_flight in options.in_flight:
            yield bench.run(row, disk.DiskModel(in_flight, row.latency_ms), tell)


def measure_cached(options, tools, folder):
    """Returns the lines and the raw figures of the chosen rows without a disk."""
    wanted = [part for part in CACHED if part in options.rows]
    lines, raw = [], {}
    if not wanted:
        return lines, raw
    if why := tools.missing("ahead"):
        return [cached.row(part, "-", why, "-", "-", None) for part in wanted], raw
    files = cached.Files(folder, {mib: make_file(folder / f"cached-{mib}", mib, mib) for mib in (64, 256)})
    pairs = options.pairs * 2  # short runs, and a limit of 3 % to be told from noise
    parts = {"cpu": lambda: cached.cpu(tools, files, pairs), "syscalls": lambda: cached.extra_syscalls(tools, files),
             "start": lambda: cached.starts(tools, pairs), "calls": lambda: cached.calls(tools),
             "recording": lambda: recorded(tools, folder, options.pairs)}
    for part in wanted:
        tell(part)
        more, raw[part] = parts[part]()
        lines += more
    return lines, raw


def recorded(tools, folder, pairs):
    """Returns the lines and the raw figures of what recording costs."""
    calls, prices = recording.calls(tools, folder, (pairs + 1) // 2)
    walk, times = recording.walk(tools, folder, (pairs + 1) // 2, tell)
    return calls + walk, {"calls": prices, "walk": times}


def tell(text):
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


def main(argv):
    options = parse(argv)
    environment.end_cleanly_on_term()
    tools = arms.Tools(options.build)
    settings = " ".join(f"{name}={value}" for name, value in options.set)
    facts = environment.describe(ROOT) | {"settings": settings or "default"}
    folder = pathlib.Path(tempfile.mkdtemp(prefix="ahead-bench."))
    try:
        results = list(measure_disk_rows(options, tools, folder))
        cached_lines, cached_raw = measure_cached(options, tools, folder)
    finally:
        tell("")
        shutil.rmtree(folder, ignore_errors=True)

    print("\n".join(f"{name}: {value}" for name, value in facts.items()))
    if results:
        print(f"disk: {results[0].model} unless the row says otherwise\n")
        print(table.markdown(table.HEAD, [table.line(result) for result in results]))
        print("\n".join(["", *(line for result in results for line in table.other_arms(result))]))
    if cached_lines:
        print(table.markdown(cached.HEAD, cached_lines))
    if options.json:
        raw = {"environment": facts, "rows": [result.as_json() for result in results], "cached": cached_raw}
        options.json.write_text(json.dumps(raw, indent=1), encoding="utf-8")
        print(f"\nraw figures: {options.json}")


if __name__ == "__main__":
    main(sys.argv[1:])
