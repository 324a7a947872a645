#!/usr/bin/env -S python3 -B
"""Holds simulated times against measured ones: the patterns of ahead-patterns on ahead-disk, and the same patterns in
ahead-sim, for the kernel alone, the engine and, on a link, the oracle. Prints a table with the ratio simulated /
measured; all runs go to --json.

A time is the fastest of its runs: what else the machine does only adds to it. How far their median is above says how
quiet the machine was. Runs are cold by a fresh mount each, arms and patterns in random order, and have the highest
ordinary priority where we may give it. What the program does with its data takes the simulated one as long as it takes
the real one when all is cached.
"""
import argparse
import json
import os
import pathlib
import random
import shutil
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench/core"))

import arms  # noqa: E402
import disk  # noqa: E402
import environment  # noqa: E402
import measure  # noqa: E402
from arguments import names, numbers  # noqa: E402

# ahead-patterns' name -> ahead-sim's.
PATTERNS = {"seq-pread": "seq-64k", "seq-read": "seq-4k", "backward": "backward", "stride": "stride",
            "stride-back": "stride-back", "interleave": "interleave", "head": "head", "random": "random"}
# Arm -> ahead-sim's policy.
POLICIES = {"bare": "kernel", "ahead": "adaptive", "oracle": "oracle"}
# Name -> options of ahead-disk, options of ahead-sim.
DEVICES = {
    "net-2ms": ["--model", "net", "--latency", "2ms", "--metadata-latency", "0"],
    "hdd": ["--model", "hdd"],
    "ssd": ["--model", "ssd"],
}
# Elsewhere the simulated oracle tries more plans than `ahead replay` knows.
ORACLE_ON = ("net-2ms",)
AIM = 0.15


class Model:
    """A device as bench/core/disk.py mounts it."""

    def __init__(self, device, in_flight):
        self.device = device
        self.in_flight = in_flight

    def __str__(self):
        return f"{self.device}, in flight {self.in_flight}"

    def arguments(self):
        return [*DEVICES[self.device], "--in-flight", str(self.in_flight), "--readahead", "128KiB"]


class Cell:
    """One pattern under one arm on one model: measured runs and the simulated one."""

    def __init__(self, pattern, arm, model):
        self.pattern = pattern
        self.arm = arm
        self.model = model
        self.runs = []
        self.simulated = None
        self.missing = None

    def fastest_ms(self):
        return min(run["reading_ns"] for run in self.runs) / 1e6

    def disturbed(self):
        """Returns how far the median is above the fastest run."""
        return statistics.median(run["reading_ns"] for run in self.runs) / 1e6 / self.fastest_ms() - 1

    def ratio(self):
        return self.simulated["elapsed_ns"] / 1e6 / self.fastest_ms()

    def requests(self):
        return statistics.median(run["disk"]["requests"] for run in self.runs)

    def is_near(self):
        return abs(self.ratio() - 1) <= AIM

    def summary(self):
        """Returns the cell of the table: measured and simulated milliseconds and their ratio."""
        if self.missing:
            return self.missing
        text = f"{self.fastest_ms():.1f}, {self.simulated['elapsed_ns'] / 1e6:.1f}: {self.ratio():.2f}"
        return text if self.is_near() else f"**{text}**"

    def details(self):
        """Returns a line with more than the table has room for."""
        return (f"{self.pattern} {self.arm} on {self.model}: {self.summary()}; requests {self.requests():.0f}, "
                f"{self.simulated['requests']}; median of the runs {100 * self.disturbed():.0f} % above the fastest")

    def as_json(self):
        return {"pattern": self.pattern, "arm": self.arm, "device": self.model.device,
                "in_flight": self.model.in_flight, "missing": self.missing, "simulated": self.simulated,
                "runs": self.runs}


def table(cells, wanted_arms):
    """Returns the lines of a Markdown table: a row for each pattern on each model, a column for each arm."""
    rows = {}
    for cell in cells:
        rows.setdefault((cell.pattern, str(cell.model)), {})[cell.arm] = cell.summary()
    lines = ["| pattern | device | " + " | ".join(wanted_arms) + " |", "|---|---" + "|---" * len(wanted_arms) + "|"]
    for (pattern, model), summaries in rows.items():
        lines.append(f"| {pattern} | {model} | " + " | ".join(summaries.get(arm, "") for arm in wanted_arms) + " |")
    return lines


def think_ns(tools, pattern, file):
    """Returns how long the program thinks about a page: a run of cached data, less what the simulator takes for the
    calls and the copying (HostCosts in sim/machine.h)."""
    command = [str(tools.patterns), pattern, str(file)]
    runs = [json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout) for _ in range(7)]
    pages = runs[0]["bytes"] / 4096
    calls = 500 * runs[0]["reads"] + 500 * pages
    return max(0, round((min(run["elapsed_ns"] for run in runs[1:]) - calls) / pages))


def simulate(tools, cells, mib, think):
    """Fills in what ahead-sim says about all cells of one model."""
    model = cells[0].model
    for pattern in {cell.pattern for cell in cells}:
        command = [tools.build / "sim/ahead-sim", "--json", model.device, "--in-flight", str(model.in_flight),
                   "--file", str(mib), "--think", str(think[pattern]), "--", PATTERNS[pattern]]
        said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        rows = {row["policy"]: row for row in map(json.loads, said.splitlines())}
        for cell in cells:
            if cell.pattern == pattern:
                cell.simulated = rows[POLICIES[cell.arm]]


def measure_all(tools, cells, source, mountpoint, runs, chance, tell):
    """Measures all cells of one model, each `runs` times, in random order."""
    slow_disk = disk.SlowDisk(tools.disk, source, mountpoint)
    file = str(mountpoint / "file")
    traces = {}
    for cell in cells:
        if cell.arm == "oracle" and not cell.missing and cell.pattern not in traces:
            traces[cell.pattern] = str(source.parent / f"trace-{cell.pattern}")
            with slow_disk.mounted(cell.model):
                arms.record(tools, [str(tools.patterns), cell.pattern, file], traces[cell.pattern])
    work = [cell for cell in cells if not cell.missing for _ in range(runs)]
    chance.shuffle(work)
    for done, cell in enumerate(work):
        command = [str(tools.patterns), cell.pattern, file]
        if cell.arm == "oracle":
            command = arms.replay_command(tools, traces[cell.pattern], cell.model.in_flight)
        with slow_disk.mounted(cell.model):
            run = measure.start(command, arms.environment_of(cell.arm, tools), file)
            cell.runs.append({**run, "disk": slow_disk.report()})
        tell(f"{cell.model}: {done + 1} of {len(work)}")


def parse_options(argv):
    parser = argparse.ArgumentParser(prog="agree", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--build", type=pathlib.Path, default=ROOT / "build/release", help="build folder (%(default)s)")
    add("--patterns", type=names(PATTERNS), default=list(PATTERNS), help=f"of {','.join(PATTERNS)}")
    add("--arms", type=names(POLICIES), default=list(POLICIES), help=f"of {','.join(POLICIES)}")
    add("--devices", type=names(DEVICES), default=list(DEVICES), help=f"of {','.join(DEVICES)}")
    add("--in-flight", type=numbers, default=[12, 64], help="of net (12,64)")
    add("--runs", type=int, default=5, help="of each cell (%(default)s)")
    add("--file-mib", type=int, default=64, help="of the file (%(default)s)")
    add("--seed", type=int, default=1, help="of the order of runs (%(default)s)")
    add("--json", type=pathlib.Path, help="keep all runs in this file")
    return parser.parse_args(argv)


def tell(text):
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


def main(argv):
    options = parse_options(argv)
    environment.end_cleanly_on_term()
    if os.geteuid() == 0:
        os.nice(-20)
    tools = arms.Tools(options.build)
    facts = environment.describe(ROOT)
    chance = random.Random(options.seed)
    models = [Model(device, in_flight) for device in options.devices
              for in_flight in (options.in_flight if device.startswith("net") else [12])]
    everything = []
    folder = pathlib.Path(tempfile.mkdtemp(prefix="ahead-agree."))
    try:
        source, mountpoint = folder / "source", folder / "mount"
        source.mkdir()
        mountpoint.mkdir()
        with open(source / "file", "wb") as out:
            for _ in range(options.file_mib):
                out.write(chance.randbytes(1 << 20))
        think = {pattern: think_ns(tools, pattern, source / "file") for pattern in options.patterns}
        for model in models:
            cells = [Cell(pattern, arm, model) for pattern in options.patterns for arm in options.arms
                     if arm != "oracle" or model.device in ORACLE_ON]
            for cell in cells:
                cell.missing = tools.missing(cell.arm)
            simulate(tools, cells, options.file_mib, think)
            measure_all(tools, cells, source, mountpoint, options.runs, chance, tell)
            everything += cells
    finally:
        tell("")
        shutil.rmtree(folder, ignore_errors=True)

    print("\n".join(f"{name}: {value}" for name, value in facts.items()))
    print(f"file: {options.file_mib} MiB; runs of each: {options.runs}; think time by the page, ns: "
          + ", ".join(f"{pattern} {think[pattern]}" for pattern in options.patterns) + "\n")
    print("Milliseconds measured, milliseconds simulated: simulated / measured.\n")
    print("\n".join(table(everything, options.arms)))
    known = [cell for cell in everything if not cell.missing]
    far = [cell for cell in known if not cell.is_near()]
    quiet = statistics.median(cell.disturbed() for cell in known)
    print(f"\n{len(known) - len(far)} of {len(known)} within {100 * AIM:.0f} %; half of the medians are less than "
          f"{100 * quiet:.0f} % above the fastest run.")
    print("\n".join(cell.details() for cell in far))
    if options.json:
        raw = {"environment": facts, "think_ns": think, "cells": [cell.as_json() for cell in everything]}
        options.json.write_text(json.dumps(raw, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
