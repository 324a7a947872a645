#!/usr/bin/env -S python3 -B
"""Writes the tables of docs/performance.md anew: runs `ahead score` over the traces of this folder."""
import argparse
import json
import pathlib
import re
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PAGE = ROOT / "docs/performance.md"


class Scores:
    """What `ahead score --format json` says."""

    def __init__(self, said):
        self.rows = {(row["trace"], row["device"]): row for row in said["rows"]}
        self.traces = list(dict.fromkeys(row["trace"] for row in said["rows"]))
        self.devices = list(dict.fromkeys(row["device"] for row in said["rows"]))

    def cell(self, trace, device, policy):
        return next(cell for cell in self.rows[trace, device]["cells"] if cell["policy"] == policy)

    def is_predictable(self, trace):
        return self.rows[trace, self.devices[0]]["is_predictable"]

    def beside_kernel(self, trace, device, key):
        kernel, adaptive = (self.cell(trace, device, policy)[key] for policy in ("kernel", "adaptive"))
        return adaptive / kernel if kernel else 1.0


def table(head, rows):
    return "".join(f"| {' | '.join(row)} |\n" for row in (head, ["---"] + ["---:"] * (len(head) - 1), *rows))


def shares(scores):
    """Returns the predictable traces, those with the worst share first."""
    rows = []
    for trace in filter(scores.is_predictable, scores.traces):
        found = [scores.cell(trace, device, "adaptive")["share_of_gain"] for device in scores.devices]
        worst = min((share for share in found if share is not None), default=9.0)
        rows.append((worst, [trace, *("-" if share is None else f"{round(share, 2) + 0:.2f}" for share in found)]))
    return table(["share of the oracle's gain", *scores.devices], [row for _, row in sorted(rows)])


def costs(scores, is_wanted):
    """Returns time, requests and bytes as ratios to the kernel's, those with the worst time first."""
    rows = []
    for trace in filter(is_wanted, scores.traces):
        found = [[scores.beside_kernel(trace, device, key) for key in ("elapsed_ns", "requests", "bytes")]
                 for device in scores.devices]
        rows.append((-max(ratio[0] for ratio in found), [trace, *(" / ".join(f"{part:.2f}" for part in ratio)
                                                                   for ratio in found)]))
    return table(["time / requests / bytes beside the kernel", *scores.devices], [row for _, row in sorted(rows)])


def summary(scores):
    """Returns what stage 4 will be judged by."""
    found = [(share, f"{trace}, {device}") for trace in filter(scores.is_predictable, scores.traces)
             for device in scores.devices
             if (share := scores.cell(trace, device, "adaptive")["share_of_gain"]) is not None]
    others = [(trace, device) for trace in scores.traces if not scores.is_predictable(trace)
              for device in scores.devices]
    def waste(wanted):
        cells = [scores.cell(trace, device, "adaptive") for trace in filter(wanted, scores.traces)
                 for device in scores.devices]
        return sum(cell["wasted_bytes"] for cell in cells) / sum(cell["bytes"] for cell in cells)

    worst = {key: max((scores.beside_kernel(*row, key), row) for row in others)
             for key in ("elapsed_ns", "requests", "bytes")}
    return table(["the engine of today", "is", "where"], [
        ["predictable: share of the oracle's gain, mean", f"{sum(share for share, _ in found) / len(found):.3f}",
         f"{len(found)} cells in which there is something to gain"],
        ["predictable: share, worst", f"{min(found)[0]:.2f}", min(found)[1]],
        ["predictable: bytes wasted", f"{waste(scores.is_predictable):.1%}", "of all bytes"],
        ["others: time beside the kernel, worst", f"{worst['elapsed_ns'][0]:.2f}", ", ".join(worst["elapsed_ns"][1])],
        ["others: requests, worst", f"{worst['requests'][0]:.2f}", ", ".join(worst["requests"][1])],
        ["others: bytes, worst", f"{worst['bytes'][0]:.2f}", ", ".join(worst["bytes"][1])]])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release", help="default: build/release")
    options = parser.parse_args()

    def score(form):
        command = [str(options.build / "cli/ahead"), "score", "--format", form, str(HERE)]
        return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout

    scores = Scores(json.loads(score("json")))
    tables = {"summary": summary(scores), "shares": shares(scores),
              "predictable": costs(scores, scores.is_predictable),
              "others": costs(scores, lambda trace: not scores.is_predictable(trace)), "all": score("markdown")}
    text = PAGE.read_text(encoding="utf-8")
    for name, made in tables.items():
        begin, end = f"<!-- begin {name}: bench/traces/report.py -->\n", f"<!-- end {name} -->\n"
        text = re.sub(f"{begin}.*?{end}", lambda _: begin + made + end, text, flags=re.DOTALL)  # pylint: disable=W0640
    PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
