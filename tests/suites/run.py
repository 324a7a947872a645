#!/usr/bin/env -S python3 -B
"""Runs other people's test suites bare and under the library, and compares the verdicts case by case.

Each unit is run bare twice; cases that differ from themselves are set aside and listed. All others must have the same
verdict in the preloaded run, and the library's own statistics must show that it was at work there. Exit status: 0 no
difference, 1 differences or a run without the library, 2 bad usage, 77 nothing could be run here.
"""
import argparse
import concurrent.futures
import fnmatch
import pathlib
import signal
import sys
import tempfile

import activity
import chance
import cpython
import examine
import fio
import gitrepo
import places
import reading
import sqlite
import stress
import verdicts

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "bench/core"))  # last: modules of this folder come first

from arguments import names  # noqa: E402

SUITES = {suite.NAME: suite for suite in (cpython, stress, fio, gitrepo, sqlite, reading, chance)}
PLACES = ("local", "fuse", "disk")
SKIPPED = 77
SHOWN = 40


def setting(text):
    name, equals, value = text.partition("=")
    if not equals or not name.startswith("AHEAD_"):
        raise argparse.ArgumentTypeError(f"{text}: not AHEAD_NAME=VALUE")
    return name, value


def parse(argv):
    parser = argparse.ArgumentParser(prog="suites", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--build", type=pathlib.Path, default=ROOT / "build/release", help="build folder (%(default)s)")
    add("--selection", action="store_true", help="only the units of `./quickstart test`")
    add("--suites", type=names(SUITES), default=list(SUITES), help=f"of {','.join(SUITES)}")
    add("--places", type=names(PLACES), default=list(PLACES), help=f"of {','.join(PLACES)}")
    add("--units", default="*", help="only units whose name matches one of these globs")
    add("--jobs", type=int, default=2, help="units at a time (%(default)s)")
    add("--more-bare-runs", type=int, default=4, help="of a unit with differences (%(default)s)")
    add("--keep", type=pathlib.Path, help="leave what all runs printed in this folder")
    add("--set", type=setting, action="append", default=[], metavar="AHEAD_NAME=VALUE", help="for the preloaded runs")
    add("--after", type=pathlib.Path, help="preload this library after ours, to see that the run can fail")
    add("--times", action="store_true", help="print how long the runs of each unit took")
    add("--list", action="store_true", help="print the units and run nothing")
    return parser.parse_args(argv)


def chosen_units(suite, place, options):
    return [unit for unit in suite.units(options.build)
            if place in unit.places and any(fnmatch.fnmatch(unit.name, glob) for glob in options.units.split(","))
            and (not options.selection or place in unit.selected)]


def summary(title, reports, must_ask):
    """Returns the lines about one suite in one place, and whether all is well."""
    compared = [report.comparison for report in reports]
    counts = verdicts.tally(verdict for one in compared for verdict in one.agreed.values())
    found = [f"{report.unit}: {one}" for report in reports for one in report.comparison.differences]
    aside = [f"{report.unit}: {case}: {' | '.join(seen)}"
             for report in reports for case, seen in report.comparison.set_aside.items()]
    active = sum((report.activity for report in reports), activity.Activity())
    troubles = [f"{report.unit}: {report.trouble}" for report in reports if report.trouble]
    troubles += [f"{report.unit}: no process had the library" for report in reports
                 if not report.trouble and report.activity.processes == 0]
    if doubt := activity.doubt(active, must_ask):
        troubles.append(doubt)
    agreed = ", ".join(f"{count} {word}" for word, count in counts.items() if count)
    cases = sum(one.cases() for one in compared)
    lines = [f"{title}: {cases} cases of {len(reports)} units: {agreed or 'none agreed'}; "
             f"{len(aside)} set aside, {len(found)} differences; {active}"]
    lines += listed("set aside", aside) + listed("DIFFERENT", found) + listed("TROUBLE", troubles)
    return lines, not found and not troubles


def listed(word, items):
    rest = [f"  and {len(items) - SHOWN} more {word}"] if len(items) > SHOWN else []
    return [f"  {word}: {item}" for item in items[:SHOWN]] + rest


def run_suite(suite, place, how, options):
    """Returns whether all is well, or None when nothing was run. Prints what was found."""
    title = f"{suite.NAME} on {place.name}"
    if why := suite.missing(options.build) or place.missing():
        print(f"{title}: skipped: {why}", flush=True)
        return None
    units = chosen_units(suite, place.name, options)
    if not units:
        return None
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        reports = list(pool.map(lambda unit: examine.examine(unit, place, how), units))
    lines, is_well = summary(title, reports, place.must_ask)
    if options.times:
        lines += [f"  {report.unit}: {' '.join(f'{second:.1f}' for second in report.seconds)} s" for report in reports]
    print("\n".join(lines), flush=True)
    return is_well


def main(argv):
    options = parse(argv)
    build = options.build = options.build.resolve()
    preload = [build / "shim/libahead.so"] + ([options.after.resolve()] if options.after else [])
    offered = [places.Local(), places.Bound(), places.SlowDisk(build / "bench/disk/ahead-disk")]
    pairs = [(SUITES[name], place) for name in options.suites for place in offered if place.name in options.places]
    if options.list:
        for suite, place in pairs:
            for unit in [] if suite.missing(options.build) else chosen_units(suite, place.name, options):
                print(suite.NAME, place.name, unit.name)
        return 0
    if absent := [str(path) for path in preload if not path.exists()]:
        print(f"suites: {absent[0]} is not built", file=sys.stderr)
        return 2
    # As an exception, like SIGINT, so that mounts and temporary folders go.
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    with tempfile.TemporaryDirectory(prefix="ahead-suites.", ignore_cleanup_errors=True) as folder:
        how = examine.Setting(build / "cli/ahead", preload, dict(options.set), folder, options.more_bare_runs,
                              options.keep)
        results = [run_suite(suite, place, how, options) for suite, place in pairs]
    ran = [result for result in results if result is not None]
    if not ran:
        return SKIPPED
    print("no difference" if all(ran) else "NOT EQUAL", flush=True)
    return 0 if all(ran) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
