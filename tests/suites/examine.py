"""Runs one unit in one place: bare, preloaded, bare; and bare again where the two do not agree, since a case that
changes its mind once in ten runs differs from itself, too. A preloaded run is never repeated: what it did once, counts.
"""
import dataclasses
import shutil
import traceback

import activity
import places
import unit as units
import verdicts


@dataclasses.dataclass
class Setting:
    """`preload`: libraries in the order in which they are loaded; `keep`: folder for what commands wrote, or None."""
    ahead: object
    preload: list
    scratch: object
    more_bare_runs: int
    keep: object = None


@dataclasses.dataclass
class Report:
    """`trouble`: why there is no comparison, or None."""
    unit: str
    comparison: verdicts.Comparison
    activity: activity.Activity
    trouble: str = None


def examine(unit, place, setting):
    try:
        first, _ = once(unit, place, setting, "bare-1", [])
        ours, active = once(unit, place, setting, "preloaded", setting.preload)
        bare = [first, once(unit, place, setting, "bare-2", [])[0]]
        comparison = verdicts.compare(bare, ours)
        while comparison.differences and len(bare) < 2 + setting.more_bare_runs:
            bare.append(once(unit, place, setting, f"bare-{len(bare) + 1}", [])[0])
            comparison = verdicts.compare(bare, ours)
        return Report(unit.name, comparison, active)
    except Exception:  # one unit that cannot be run must not hide what the others find
        return Report(unit.name, verdicts.Comparison({}, {}, []), activity.Activity(), traceback.format_exc())


def once(unit, place, setting, name, preload):
    """Returns the verdicts of one run and what the library did in it."""
    with places.scratch_folder(setting.scratch) as scratch:
        try:
            with place.entered(unit, scratch) as folder:
                temporary = (scratch if place.name == "disk" else folder) / "tmp"
                temporary.mkdir()
                env = units.clean_environment() | {"TMPDIR": str(temporary)}
                if preload:
                    env |= {"LD_PRELOAD": ":".join(map(str, preload)), "AHEAD_STATS": str(scratch / "statistics")}
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
