"""When do two runs of one unit agree? The comparison, free of processes and files.

A run is a dict from case to verdict, both text. The bare runs say what a case does by itself: where they differ, the
case is set aside. Every other case must then have the same verdict in the run under the library.
"""
import dataclasses

ABSENT = "absent"


@dataclasses.dataclass
class Difference:
    case: str
    bare: str
    preloaded: str

    def __str__(self):
        return f"{self.case}: bare {self.bare}, preloaded {self.preloaded}"


@dataclasses.dataclass
class Comparison:
    """`agreed`: case to verdict; `set_aside`: case to the verdicts of the bare runs; `differences`: what is wrong."""
    agreed: dict
    set_aside: dict
    differences: list

    def cases(self):
        return len(self.agreed) + len(self.set_aside) + len(self.differences)


def compare(bare_runs, preloaded):
    """Takes at least two bare runs and the preloaded one; returns their Comparison, cases in order of their names."""
    if len(bare_runs) < 2:
        raise ValueError("one bare run cannot show what differs from itself")
    result = Comparison({}, {}, [])
    for case in sorted(set(preloaded).union(*bare_runs)):
        seen = [run.get(case, ABSENT) for run in bare_runs]
        ours = preloaded.get(case, ABSENT)
        if len(set(seen)) > 1:
            result.set_aside[case] = sorted(set(seen))
        elif ours != seen[0]:
            result.differences.append(Difference(case, seen[0], ours))
        else:
            result.agreed[case] = ours
    return result


def tally(verdicts):
    """Returns how many verdicts are passed, failed, skipped, and how many state something else (a count, a digest)."""
    counts = {"passed": 0, "failed": 0, "skipped": 0, "other": 0}
    for verdict in verdicts:
        word = verdict.partition(" ")[0].rstrip(":")
        if word in ("failure", "error", "killed", "timed"):
            word = "failed"
        counts[word if word in counts else "other"] += 1
    return counts
