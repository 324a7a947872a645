#!/usr/bin/env -S python3 -B
"""Writes the tables of docs/performance.md anew: runs `ahead score` over the traces of this folder."""
import argparse
import json
import pathlib
import re
import subprocess

from scores import Scores

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PAGE = ROOT / "docs/performance.md"


def table(head, rows):
    return "".join(f"| {' | '.join(row)} |\n" for row in (head, ["---"] + ["---:"] * (len(head) - 1), *rows))


def shares(scores, key, title):
    """Returns the predictable traces, those with the worst share first."""
    rows = []
    for trace in filter(scores.is_predictable, scores.traces):
        found = [scores.cell(trace, device, "adaptive")[key] for device in scores.devices]
        worst = min((share for share in found if share is not None), default=9.0)
        rows.append((worst, [trace, *("-" if share is None else f"{round(share, 2) + 0:.2f}" for share in found)]))
    return table([title, *scores.devices], [row for _, row in sorted(rows)])


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
    """Returns what the sizing engine is judged by."""
    found = scores.shares()
    worst, where = min(found)
    opened = scores.shares("share_of_open_gain")
    worst_open, where_open = min(opened)
    others = {key: scores.worst_other(key) for key in ("elapsed_ns", "requests", "bytes")}
    return table(["the engine of today", "is", "where"], [
        ["predictable: share of the oracle's gain, mean", f"{sum(share for share, _ in found) / len(found):.3f}",
         f"{len(found)} cells in which there is something to gain"],
        ["predictable: share, worst", f"{worst:.2f}", where],
        ["the same, of an oracle that fetches nothing before it is opened, mean",
         f"{sum(share for share, _ in opened) / len(opened):.3f}", f"{len(opened)} cells"],
        ["the same, worst", f"{worst_open:.2f}", where_open],
        ["predictable: bytes wasted", f"{scores.waste():.1%}", "of all bytes"],
        ["others: time beside the kernel, worst", f"{others['elapsed_ns'][0]:.2f}", others["elapsed_ns"][1]],
        ["others: requests, worst", f"{others['requests'][0]:.2f}", others["requests"][1]],
        ["others: bytes, worst", f"{others['bytes'][0]:.2f}", others["bytes"][1]]])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release", help="default: build/release")
    options = parser.parse_args()

    def score(form):
        command = [str(options.build / "cli/ahead"), "score", "--format", form, str(HERE)]
        return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout

    scores = Scores(json.loads(score("json")))
    tables = {"summary": summary(scores), "shares": shares(scores, "share_of_gain", "share of the oracle's gain"),
              "open-shares": shares(scores, "share_of_open_gain", "share of what can be had of open files"),
              "predictable": costs(scores, scores.is_predictable),
              "others": costs(scores, lambda trace: not scores.is_predictable(trace)), "all": score("markdown")}
    text = PAGE.read_text(encoding="utf-8")
    for name, made in tables.items():
        begin, end = f"<!-- begin {name}: bench/traces/report.py -->\n", f"<!-- end {name} -->\n"
        text = re.sub(f"{begin}.*?{end}", lambda _: begin + made + end, text, flags=re.DOTALL)  # pylint: disable=W0640
    PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
