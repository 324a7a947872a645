"""What a row must show, as code that can fail, and the line that says whether it did."""
import dataclasses
import typing


class Check(typing.NamedTuple):
    """One number held against its limit. `is_met`: None where there is no number."""
    text: str
    is_met: bool | None


def absent(what):
    return Check(f"{what}: not measured", None)


def at_least(what, value, least, spec=".3f"):
    if value is None:
        return absent(what)
    return Check(f"{what} {value:{spec}} (>= {least:{spec}})", value >= least)


def at_most(what, value, most, spec=".3f"):
    if value is None:
        return absent(what)
    return Check(f"{what} {value:{spec}} (<= {most:{spec}})", value <= most)


def median_at_least(what, ratio, least):
    """Judges the median of a ratio.Ratio."""
    if ratio is None:
        return absent(what)
    return Check(f"{what} {ratio:.3f} (>= {least:.3f})", ratio.median >= least)


def median_at_most(what, ratio, most):
    if ratio is None:
        return absent(what)
    return Check(f"{what} {ratio:.3f} (<= {most:.3f})", ratio.median <= most)


def upper_bound(what, ratio, most):
    """Judges the upper bound of the interval of a ratio.Ratio: "never slower"."""
    if ratio is None:
        return absent(what)
    return Check(f"{what} {ratio:.3f} (upper bound <= {most:.3f})", ratio.high <= most)


@dataclasses.dataclass
class Line:
    """One line of the table: `case` on one disk. `skipped`: why nothing was measured."""
    row: str
    case: str
    checks: list = dataclasses.field(default_factory=list)
    skipped: str = ""
    pairs: int = 0
    again: str = "-"  # the A/A arm
    notes: list = dataclasses.field(default_factory=list)  # figures of other arms
    raw: dict = dataclasses.field(default_factory=dict)

    @property
    def is_met(self):
        if self.skipped:
            return None
        states = [check.is_met for check in self.checks]
        return False if False in states else None if None in states or not states else True

    @property
    def word(self):
        return "skipped" if self.skipped else {True: "met", False: "NOT MET", None: "open"}[self.is_met]

    def text(self):
        return self.skipped or "; ".join(f"{check.text}{'' if check.is_met else ' !'}" for check in self.checks)

    def cells(self):
        return (self.row, self.case, self.word, self.text(), "; ".join(self.notes) or "-", str(self.pairs or "-"),
                self.again)

    def as_json(self):
        return {"row": self.row, "case": self.case, "verdict": self.word, "pairs": self.pairs, "again": self.again,
                "checks": [check._asdict() for check in self.checks], "skipped": self.skipped, "notes": self.notes,
                "runs": self.raw}


HEAD = ("row", "case", "verdict", "reached (must)", "other figures", "pairs", "A/A")
