"""Runs one unit in one place: bare, preloaded, bare; and bare again where the two do not agree, since a case that
changes its mind once in ten runs differs from itself, too. A preloaded run is never repeated: what it did once, counts.
"""
import dataclasses
import shutil
import time
import traceback

import activity
import places
import unit as units
import verdicts


@dataclasses.dataclass
class Setting:
    """`preload`: libraries in the order in which they are loaded; `variables`: set in the preloaded runs;
    `keep`: folder for what commands wrote, or None."""
    ahead: object
    preload: list
    variables: dict
    scratch: object
    more_bare_runs: int
    keep: object = None


@dataclasses.dataclass
class Report:
    """`trouble`: why there is no comparison, or None. `seconds`: each run took, in their order."""
    unit: str
    comparison: verdicts.Comparison
    activity: activity.Activity
    trouble: str = None
    seconds: list = dataclasses.field(default_factory=list)


def examine(unit, place, setting):
    report = Report(unit.name, verdicts.Comparison({}, {}, []), activity.Activity())

    def once(name, preload=()):
        begin = time.monotonic()
        result = run(unit, place, setting, name, preload)
        report.seconds.append(time.monotonic() - begin)
        return result

    try:
        first, _ = once("bare-1")
        ours, report.activity = once("preloaded", setting.preload)
        bare = [first, once("bare-2")[0]]
        report.comparison = verdicts.compare(bare, ours)
        while report.comparison.differences and len(bare) < 2 + setting.more_bare_runs:
            bare.append(once(f"bare-{len(bare) + 1}")[0])
            report.comparison = verdicts.compare(bare, ours)
    except Exception:  # one unit that cannot be run must not hide what the others find
        report.trouble = traceback.format_exc()
    return report


def run(unit, place, setting, name, preload):
    """Returns the verdicts of one run and what the library did in it."""
    with places.scratch_folder(setting.scratch) as scratch:
        try:
            with place.entered(unit, scratch) as folder:
                temporary = (scratch if place.name == "disk" else folder) / "tmp"
                temporary.mkdir()
                env = units.clean_environment() | {"TMPDIR": str(temporary)}
                if preload:
                    env |= setting.variables | {"LD_PRELOAD": ":".join(map(str, preload)),
                                                "AHEAD_STATS": str(scratch / "statistics")}
                found = unit.run(places.Work(folder, scratch, env))
        finally:
            if setting.keep:
                keep(scratch, setting.keep / place.name / unit.name / name)
        return found, activity.measure(setting.ahead, scratch / "statistics") if preload else activity.Activity()


def keep(scratch, target):
    target.mkdir(parents=True, exist_ok=True)
    for file in scratch.iterdir():
        if file.is_file():
            shutil.copy(file, target)
