#!/usr/bin/env -S python3 -B
"""Runs real programs bare and under the preload, and says where the two differ.

A program that is not installed is listed as not run. Exit status: 0; 1 when a program differs, fails bare, or was not
seen to run under the library; 77 when nothing could be run.
"""
import argparse
import pathlib
import re
import shutil
import signal
import sys
import tempfile

import inputs
import place
import report
import trial
from programs import EVERY_ENTRY

ROOT = pathlib.Path(__file__).resolve().parents[2]
SKIPPED = 77


def parse(argv):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--library", type=pathlib.Path, required=True, help="libahead.so")
    add("--ahead", type=pathlib.Path, help="the ahead command (beside the library, as in a build folder)")
    add("--disk", type=pathlib.Path,
        help="ahead-disk; `none`: local disk only (beside the library, as in a build folder)")
    add("--write", type=pathlib.Path, help="write the table to this file; with --only, replace those rows of it")
    add("--only", default="", help="only entries whose program or description match this expression")
    add("--quick", action="store_true", help="only what needs no more packages than quickstart installs, "
        "in one place")
    options = parser.parse_args(argv)
    build = options.library.resolve().parents[1]
    options.ahead = options.ahead or build / "cli/ahead"
    disk = options.disk or build / "bench/disk/ahead-disk"
    options.disk = disk.resolve() if disk.exists() else None
    return options


def proof_of(entry, outcome):
    """Returns what shows that the library was in the program and, in words, what should have and does not."""
    shown = [f"{name} {outcome.seen.get(name, 0)} reads" for name in entry.reads]
    shown += [f"{name} maps" for name in entry.mapped]
    lacking = [name for name in entry.reads if not outcome.seen.get(name)]
    lacking += [name for name in entry.mapped if not outcome.mapped.get(name)]
    if entry.inactive:
        lacking += [f"no sign of it in {entry.program}"] if outcome.seen.get(entry.program) else []
        return f"no: {entry.inactive}", ", ".join(lacking)
    return ", ".join(shown), ", ".join(lacking)


def judge(bench, entry, where):
    """Returns the report.Verdict on `entry` in `where`."""
    bare, preloaded = bench.run(entry, where, False), bench.run(entry, where, True)
    shown, lacking = proof_of(entry, preloaded)
    if bare.status != 0:
        return report.Verdict(f"FAILS BARE: {bare.status}: {trial.text(bare.stderr)}", shown)
    if difference := bare.difference(preloaded, entry.compare_stderr):
        if entry.known and re.match(entry.known[0], difference):
            return report.Verdict(f"same but for {entry.known[1]}", shown)
        again = bare.difference(bench.run(entry, where, False), entry.compare_stderr)
        return report.Verdict(f"DIFFERS FROM ITSELF: {again}" if again else f"DIFFERENT: {difference}", shown)
    if lacking:
        return report.Verdict(f"NOT SEEN TO BE ACTIVE: {lacking}; seen: {sorted(preloaded.seen)}", shown)
    return report.Verdict("same", shown)


def main(argv):
    options = parse(argv)
    # As an exception, like SIGINT, so that mounts and the temporary folder go.
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    base = pathlib.Path(tempfile.mkdtemp(prefix="ahead-compatibility."))
    base.chmod(0o755)
    rows = []
    try:
        (base / "input").mkdir()
        inputs.make(base / "input")
        bench = trial.Bench(base, options.library, options.ahead)
        places = [place.Local(base)]
        no_disk = place.SlowDisk.why_not(options.disk)
        if not no_disk:
            places.append(place.SlowDisk(base, options.disk))
        for entry in EVERY_ENTRY:
            if options.quick and not entry.quick or not re.search(options.only, f"{entry.program}: {entry.what}"):
                continue
            row = report.Row(entry, entry.missing(base / "input"))
            suitable = [where for where in places if entry.slow_disk or not isinstance(where, place.SlowDisk)]
            for where in () if row.missing else suitable[-1:] if options.quick else suitable:
                row.verdicts[where.name] = verdict = judge(bench, entry, where)
                print(f"{entry.program}, {entry.what}, {where.name}: {verdict.text} ({verdict.active})", flush=True)
            if row.missing:
                print(f"{entry.program}, {entry.what}: not run, no {row.missing}", flush=True)
            rows.append(row)
            if options.write:
                kept = report.lines_of(options.write) if options.only else {}
                page = report.page(EVERY_ENTRY, rows, kept, ROOT, no_disk, place.LATENCY)
                options.write.write_text(page, encoding="utf-8")
    finally:
        shutil.rmtree(base, ignore_errors=True)
    if not any(row.verdicts for row in rows):
        return SKIPPED
    return int(any(not verdict.text.startswith("same") for row in rows for verdict in row.verdicts.values()))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
