"""Rows of the laboratory: recorded programs on simulated disks, by `ahead score`."""
import json
import statistics
import subprocess

import scores
import verdict


def lab(bench):
    """Shares of the oracle's gain where the next read can be known; what everything else must not be charged."""
    command = [str(bench.tools.ahead), "score", "--format", "json", str(bench.traces)]
    said = scores.Scores(json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout))
    for key, of, also in (("share_of_gain", "the oracle's gain", [verdict.at_most("waste:", said.waste(), 0.10)]),
                          ("share_of_open_gain", "what can be had of open files", [])):
        found = said.shares(key)
        worst, where = min(found)
        yield verdict.Line("lab", f"predictable traces, {len(found)} cells, beside {of}", [
            verdict.at_least("share, mean:", statistics.mean(share for share, _ in found), 0.85),
            verdict.at_least(f"worst ({where}):", worst, 0.70), *also])
    others = []
    for key, name, most in (("requests", "requests", 1.02), ("bytes", "bytes", 1.02), ("elapsed_ns", "time", 1.01)):
        value, where = said.worst_other(key)
        others.append(verdict.at_most(f"{name}, worst ({where}):", value, most))
    yield verdict.Line("lab", "all other traces, beside KernelLike", others)
