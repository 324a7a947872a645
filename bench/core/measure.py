"""Runs one row: its arms interleaved in random order, each run cold on a fresh mount, outputs compared."""
import json
import os
import pathlib
import random
import select
import statistics
import subprocess
import tempfile
import time

import arms
import ratio

# Half the pairs are enough where a run is this long; an arm that only shows where one started from is run this rarely.
LONG_RUN_S = 2.0
VERY_LONG_RUN_S = 8.0
VERY_LONG_RUNS = 3


class Result:
    """The runs of one row on one disk model, and what they say."""

    def __init__(self, row, model):
        self.row = row
        self.model = model
        self.runs = []
        self.missing = {}  # arm -> why it was not run

    def of(self, arm):
        return [run for run in self.runs if run["arm"] == arm]

    def times(self, arm, what="elapsed_ns"):
        return {run["round"]: run[what] for run in self.of(arm)}

    def ratio(self, numerator, denominator):
        """Returns the paired ratio of the times of two arms, or None when one was not run. A replay's time does not
        include opening, so against the oracle the other's does not either."""
        what = "reading_ns" if "oracle" in (numerator, denominator) else "elapsed_ns"
        return ratio.paired(self.times(numerator, what), self.times(denominator, what))

    def counted(self, arm, what):
        return statistics.median(run["disk"][what] for run in self.of(arm))

    def seconds(self, arm):
        return statistics.median(self.times(arm).values()) / 1e9

    def limit_share(self, arm):
        limit = self.model.limit_bytes_per_s()
        return ratio.Ratio([run["bytes"] / (run["reading_ns"] / 1e9) / limit for run in self.of(arm)])

    def late_limit_share(self, arm):
        limit = self.model.limit_bytes_per_s()
        rates = [run["late_bytes_per_s"] for run in self.of(arm) if run["late_bytes_per_s"]]
        return ratio.Ratio([rate / limit for rate in rates]) if rates else None

    def as_json(self):
        return {"row": self.row.name, "disk": str(self.model), "limit_bytes_per_s": self.model.limit_bytes_per_s(),
                "missing": self.missing, "runs": self.runs}


def position_in(pid, file):
    """Returns how far process `pid` has read `file`, or None."""
    try:
        for fd in pathlib.Path(f"/proc/{pid}/fd").iterdir():
            if os.readlink(fd) == file:
                text = pathlib.Path(f"/proc/{pid}/fdinfo/{fd.name}").read_text(encoding="ascii")
                return int(text.split()[1])
    except OSError:
        pass  # it ended meanwhile
    return None


def replay_run(said):
    """Returns the run record of what `ahead replay` printed; it keeps no checksum."""
    return {"bytes": said["bytes"], "elapsed_ns": said["elapsed_ns"], "reading_ns": said["elapsed_ns"],
            "late_bytes_per_s": None, "check": None}


def pattern_run(said):
    """Returns the run record of what ahead-patterns printed. Opening counts when arms are compared, since an arm may
    do its work there; it does not against the disk's limit, which knows no metadata."""
    return {"bytes": said["bytes"], "elapsed_ns": said["open_ns"] + said["elapsed_ns"],
            "reading_ns": said["elapsed_ns"], "late_bytes_per_s": said["after_first_second_bytes_per_s"],
            "check": said["checksum"]}


def start(command, environment, file):
    """Runs `command` to its end. Returns its run record: bytes, elapsed_ns, reading_ns (without opening, where that is
    known), late_bytes_per_s (after the first second, or None), check (of the content)."""
    size = os.stat(file).st_size
    begin = time.monotonic_ns()
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as process:
        middle = position = None
        # Not wait(timeout=1): that polls, and would see the end up to 50 ms late.
        if not select.select([process.stdout], [], [], 1.0)[0]:
            position, middle = position_in(process.pid, file), time.monotonic_ns()
        output = process.stdout.read()
        process.wait()
        end = time.monotonic_ns()
    if process.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, command))} ended with {process.returncode}")
    late = (size - position) / ((end - middle) / 1e9) if position is not None else None
    if output.startswith("{"):
        said = json.loads(output)
        return replay_run(said) if "policy" in said else pattern_run(said)
    return {"bytes": size, "elapsed_ns": end - begin, "reading_ns": end - begin, "late_bytes_per_s": late,
            "check": output.split()[0] if output else ""}


class Bench:
    """Runs rows on one slow disk. `wanted` are the arms to run besides those a row's criterion needs."""

    def __init__(self, tools, slow_disk, wanted, pairs, settings=None, seed=1):
        self.tools = tools
        self.disk = slow_disk
        self.wanted = wanted
        self.pairs = pairs
        self.settings = settings or {}
        self.chance = random.Random(seed)

    def run(self, row, model, tell=lambda text: None):
        result = Result(row, model)
        file = str(self.disk.mountpoint / f"random-{row.file_mib}")
        command = row.command(self.tools, file)
        active = [arm for arm in arms.NAMES if arm in self.wanted or arm in row.criterion.needs]
        if "oracle" in active and row.is_mapped:
            result.missing["oracle"] = "the faults of a mapping are not recorded"
            active.remove("oracle")
        for arm in list(active):
            if why := self.tools.missing(arm):
                result.missing[arm] = why
                active.remove(arm)
        with tempfile.TemporaryDirectory(prefix="ahead-bench.") as folder:
            trace = os.path.join(folder, "trace")
            if "oracle" in active:
                with self.disk.mounted(model):
                    arms.record(self.tools, command, trace)
            number = 0
            while number < self.pairs_for(result):
                order = [arm for arm in active if not self.has_enough(result, arm)]
                self.chance.shuffle(order)
                for arm in order:
                    result.runs.append(self.one(arm, number, model, command, file, trace))
                number += 1
                tell(f"{row.name}, in flight {model.in_flight}: {number} of {self.pairs_for(result)}")
        self.compare_outputs(result)
        return result

    def one(self, arm, number, model, command, file, trace):
        if arm == "oracle":
            command = arms.replay_command(self.tools, trace, model.in_flight)
        tuned = arms.TUNED_READ_AHEAD_KB if arm == "kernel-tuned" else None
        with self.disk.mounted(model, tuned):
            run = start(command, arms.environment_of(arm, self.tools, self.settings), file)
            return {"arm": arm, "round": number, **run, "disk": self.disk.report()}

    def pairs_for(self, result):
        is_long = any(run["elapsed_ns"] > LONG_RUN_S * 1e9 for run in result.runs)
        return (self.pairs + 1) // 2 if is_long else self.pairs

    @staticmethod
    def has_enough(result, arm):
        """Says whether `arm` is too slow to be run again; never so for an arm the criterion compares with."""
        runs = result.of(arm)
        return (arm != "ahead" and arm not in result.row.criterion.needs and len(runs) >= VERY_LONG_RUNS
                and runs[0]["elapsed_ns"] > VERY_LONG_RUN_S * 1e9)

    @staticmethod
    def compare_outputs(result):
        checks = {run["check"] for run in result.runs if run["arm"] != "oracle"}
        if len(checks) > 1:
            raise RuntimeError(f"{result.row.name}: the arms read different content: {checks}")
