#!/usr/bin/env -S python3 -B
"""Writes the table of README.md anew, what each trace is and what it holds, and predictable.txt, which `ahead score`
reads."""
import argparse
import json
import pathlib
import re
import subprocess

from workloads import WORKLOADS

HERE = pathlib.Path(__file__).resolve().parent
BEGIN, END = "<!-- table: describe.py -->\n", "<!-- end of table -->\n"


def amount(size):
    return f"{size / (1 << 20):.1f} MiB" if size >= 1 << 20 else f"{size / 1024:.0f} KiB"


def row(workload, ahead, trace):
    done = subprocess.run([ahead, "trace", "--format", "json", str(trace)], check=True, capture_output=True, text=True)
    said = json.loads(done.stdout)
    stretch = f"; times x {workload.stretch}" if workload.stretch > 1 else ""
    mapped = f" + {said['all']['mappings']} mapped" if said["all"]["mappings"] else ""
    return (f"| {workload.name} | {workload.what}{stretch} | {'yes' if workload.is_predictable else 'no'} "
            f"| {said['all']['reads']}{mapped} | {amount(said['all']['bytes'])} | {said['file_count']} "
            f"| {said['span_ns'] / 1e9:.2f} s | {trace.stat().st_size / 1e3:.0f} kB |\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, default=HERE.parents[1] / "build/release")
    options = parser.parse_args()
    table = ("| trace | what it is | predictable | reads | bytes read | files | lasted | size |\n"
             "|---|---|---|---|---|---|---|---|\n")
    for workload in WORKLOADS.values():
        trace = HERE / f"{workload.name}.trace"
        if trace.exists():
            table += row(workload, options.build / "cli/ahead", trace)
    predictable = [name for name, workload in WORKLOADS.items() if workload.is_predictable]
    (HERE / "predictable.txt").write_text("".join(f"{name}\n" for name in sorted(predictable)), encoding="utf-8")
    readme = HERE / "README.md"
    text = readme.read_text(encoding="utf-8")
    found = re.compile(f"{BEGIN}.*?{END}", re.DOTALL)
    readme.write_text(found.sub(lambda _: BEGIN + table + END, text), encoding="utf-8")


if __name__ == "__main__":
    main()
