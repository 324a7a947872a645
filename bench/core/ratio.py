"""Says what a set of runs shows: medians, paired ratios and how sure they are. Standard library only."""
import random
import statistics

RESAMPLES = 2000


def interval(values, seed=1):
    """Returns the 95 % bootstrap interval (low, high) of the median of `values`."""
    if len(values) < 2:
        return (values[0], values[0])
    chance = random.Random(seed)
    medians = sorted(statistics.median(chance.choices(values, k=len(values))) for _ in range(RESAMPLES))
    return (medians[int(0.025 * RESAMPLES)], medians[int(0.975 * RESAMPLES) - 1])


class Ratio:
    """The median of a list of ratios with its interval."""

    def __init__(self, values):
        self.count = len(values)
        self.median = statistics.median(values)
        self.low, self.high = interval(values)

    def as_json(self):
        return {"median": self.median, "low": self.low, "high": self.high, "count": self.count}

    def __format__(self, spec):
        spec = spec or ".2f"
        return f"{self.median:{spec}} [{self.low:{spec}}, {self.high:{spec}}]"


def paired(numerators, denominators):
    """Returns the Ratio over the pairs of each round, or None without one. Takes dictionaries from round to value."""
    rounds = sorted(numerators.keys() & denominators.keys())
    return Ratio([numerators[r] / denominators[r] for r in rounds]) if rounds else None
