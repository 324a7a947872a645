#!/usr/bin/env -S python3 -B
"""Records the workloads of workloads.py as traces: NAME.trace each. README.md says what they are."""
import argparse
import json
import pathlib
import subprocess
import sys
import time

import place as places
from workloads import WORKLOADS

ROOT = pathlib.Path(__file__).resolve().parents[2]
LARGEST = 150_000  # bytes of a trace that may be kept
SECONDS = 120


def record_once(workload, place, command, output):
    """Runs the workload on a cold disk under `ahead record`, which only watches. Returns how long it took."""
    words = [place.built("cli/ahead"), "record", "--ratio", "0", "--capacity", "64MiB", "--include", f"{place.mount}/*",
             "-o", str(output), "--", *command]
    with place.mounted(), open("/dev/zero", "wb") as sink:  # tar and grep do less when they recognise /dev/null
        begin = time.monotonic()
        done = subprocess.run(words, cwd=place.mount, env=place.environment, stdin=subprocess.DEVNULL, stdout=sink,
                              stderr=subprocess.PIPE, text=True, timeout=SECONDS, check=False)
        seconds = time.monotonic() - begin
    if done.returncode != 0 or "records in" not in done.stderr or "did not fit" in done.stderr:
        sys.exit(f"{workload.name}: status {done.returncode}: {done.stderr.strip()}")
    return seconds


def reads_of(place, trace):
    done = subprocess.run([place.built("cli/ahead"), "trace", "--format", "json", str(trace)], check=True,
                          capture_output=True, text=True)
    return json.loads(done.stdout)["all"]["reads"]


def record(workload, build, output, runs):
    """Keeps one of `runs` recordings: of those that saw most (threads in each other's way are not waited for) the
    fastest, which other programs disturbed least. Returns what to say."""
    with places.fresh(build) as place:
        try:
            command = workload.prepare(place)
        except places.Skip as reason:
            return f"skipped: {reason}"
        best = (1,)
        for number in range(1 if workload.stretch > 1 else runs):
            file = place.scratch.parent / f"{number}.trace"
            seconds = record_once(workload, place, command, file)
            best = min(best, (-reads_of(place, file), seconds, file))
            subprocess.run(["rm", "-rf", str(place.scratch / "copy")], check=True)
        subprocess.run([place.built("bench/traces/ahead-retell"), str(best[2]), str(output), "--from", str(place.mount),
                        "--stretch", str(workload.stretch)], check=True)
        reads = reads_of(place, output)
    size = output.stat().st_size
    return f"{reads} reads, {best[1]:.2f} s, {size} bytes" + (": too large to keep" if size > LARGEST else "")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="default: all")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release", help="default: build/release")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path(__file__).parent, help="default: this folder")
    parser.add_argument("--runs", type=int, default=3, help="of which the fastest is kept; default: 3")
    parser.add_argument("--list", action="store_true", help="say what there is, and record nothing")
    options = parser.parse_args()
    if unknown := set(options.names) - set(WORKLOADS):
        parser.error(f"no workload {', '.join(sorted(unknown))}; there are {', '.join(WORKLOADS)}")
    options.out.mkdir(exist_ok=True)
    for name in options.names or WORKLOADS:
        workload = WORKLOADS[name]
        if options.list:
            print(f"{name}\t{'predictable' if workload.is_predictable else 'other'}\t{workload.what}")
            continue
        print(f"{name}: {record(workload, options.build, options.out / f'{name}.trace', options.runs)}", flush=True)


if __name__ == "__main__":
    main()
