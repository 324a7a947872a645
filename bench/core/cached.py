"""What does ahead cost where it cannot help? Programs on cached files: their CPU time, their system calls, their start,
and the price of one call. Each part returns rows for the table and what it measured, for the JSON file."""
import json
import os
import pathlib
import random
import re
import resource
import subprocess

import arms
import ratio

CPU_LIMIT = 1.03
CALL_LIMITS = {"Pread": 1.05, "Fgets": 1.05, "Getline": 1.05, "PipeRead": 1.06, "Getc": 1.01}
START_LIMIT = 1.09
MIB = 1 << 20
HEAD = ("cached or without a disk", "bare", "ahead / bare", "A/A", "must show", "verdict")


def row(title, bare, value, again, must, is_met):
    word = {True: "met", False: "NOT MET", None: "open" if must != "-" else "-"}[is_met]
    return (title, bare, value, again, must, word)


class Files:
    """Cached files of pseudo-random content below `folder`."""

    def __init__(self, folder, large):
        self.folder = pathlib.Path(folder)
        self.large = large  # {MiB: path}
        self.tree = self.folder / "tree"
        self.tree.mkdir()
        chance = random.Random(2)
        for number in range(1000):
            (self.tree / f"{number:04}").write_bytes(chance.randbytes(chance.randrange(1 << 10, 64 << 10)))

    def commands(self, mib):
        file = str(self.large[mib])
        return {"cat": ["cat", file], "md5sum": ["md5sum", file], "grep -c": ["grep", "-c", "ahead", file],
                "tar": ["tar", "-C", str(self.folder), "-cf", "-", "tree"]}


def run(command, environment):
    """Runs `command` and returns its user and system time in seconds. Its output goes to /dev/zero, since tar and grep
    do less when they recognise /dev/null."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with open("/dev/zero", "wb") as sink:
        subprocess.run(command, env=environment, stdout=sink, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def cpu(tools, files, pairs):
    """Measures user+sys of programs on cached files."""
    chance = random.Random(3)
    environments = {"bare": arms.plain_environment(), "bare-again": arms.plain_environment(),
                    "ahead": arms.environment_of("ahead", tools)}
    rows, raw = [], {}
    for name, command in files.commands(max(files.large)).items():
        times = {arm: {} for arm in environments}
        run(command, environments["bare"])
        for number in range(pairs):
            for arm in chance.sample(list(environments), len(environments)):
                times[arm][number] = run(command, environments[arm])
        raw[name] = {arm: list(by_round.values()) for arm, by_round in times.items()}
        ahead, again = ratio.paired(times["ahead"], times["bare"]), ratio.paired(times["bare-again"], times["bare"])
        rows.append(row(f"{name}, user+sys", f"{ratio.Ratio(raw[name]['bare']).median * 1e3:.1f} ms", f"{ahead:.3f}",
                        f"{again:.3f}", f"upper bound <= {CPU_LIMIT:.2f}x", ahead.high <= CPU_LIMIT))
    return rows, raw


RUNS_TO_COUNT = 7


def count_by_perf(command, environment):
    """Returns how many system calls `command` makes, counted by the kernel; None where perf may not."""
    counter = ["perf", "stat", "-x,", "-e", "raw_syscalls:sys_enter", "env"]
    counter += [f"{name}={environment[name]}" for name in ("LD_PRELOAD",) if name in environment]
    try:
        done = subprocess.run(counter + command, env=arms.plain_environment(), stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, text=True, check=False)
    except FileNotFoundError:
        return None
    m = re.search(r"^(\d+),,raw_syscalls:sys_enter", done.stderr, re.MULTILINE)
    return int(m.group(1)) if m else None


def count_by_strace(command, environment, folder):
    """The same by strace, which makes each read so slow that a cached file may be taken for one that is not."""
    out = os.path.join(folder, "strace")
    extra = [f"-E{name}={environment[name]}" for name in ("LD_PRELOAD",) if name in environment]
    with open("/dev/zero", "wb") as sink:
        subprocess.run(["strace", "-f", "-c", "-o", out, *extra, *command], env=arms.plain_environment(), stdout=sink,
                       check=False)
    text = pathlib.Path(out).read_text(encoding="utf-8")
    return int(re.search(r"(\d+)(?:\s+\d+)?\s+total$", text, re.MULTILINE).group(1))


def syscalls(command, environment, folder):
    """Returns how many system calls `command` makes: the least of several runs, for one in which the machine was busy
    times a cached read as slow and looks again."""
    counts = [count_by_perf(command, environment) for _ in range(RUNS_TO_COUNT)]
    if None in counts:
        counts = [count_by_strace(command, environment, folder) for _ in range(RUNS_TO_COUNT)]
    return min(counts)


def extra_syscalls(tools, files):
    """Counts the system calls of a run under ahead beyond those of the bare run, on a small and on a large cached file:
    what grows with the file is paid per read, the rest once."""
    environment = arms.environment_of("ahead", tools)
    rows, raw = [], {}
    for name in ("cat", "md5sum", "grep -c"):
        extra = {}
        for mib in sorted(files.large):
            command = files.commands(mib)[name]
            run(command, arms.plain_environment())
            bare = syscalls(command, arms.plain_environment(), files.folder)
            ahead = syscalls(command, environment, files.folder)
            extra[mib] = ahead - bare
        raw[name] = extra
        once, last = extra[min(extra)], extra[max(extra)]
        more_mib = max(extra) - min(extra)
        rows.append(row(f"{name}, system calls", "-", f"{once:+} a run, {last - once:+} for {more_mib} MiB more", "-",
                        "none once a file is known to be cached", last <= once))
    return rows, raw


def starts(tools, rounds):
    """Measures the start of programs: bare, under the preload, and within a session of `ahead run`."""
    rows, raw = [], {}
    for command in (["/bin/true"], ["/bin/bash", "-c", "true"]):
        name = " ".join(command)
        more, raw[name] = starts_of(tools, rounds, name, command)
        rows += more
    return rows, raw


def starts_of(tools, rounds, name, words):
    command = [tools.starts, "--library", tools.library, "--rounds", str(rounds), "--", *words]
    if tools.has_subcommand("run"):
        command = [tools.ahead, "run", "--", *command]
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=arms.plain_environment())
    raw = json.loads(done.stdout)
    blocks = {arm: dict(enumerate(times)) for arm, times in raw["block_ns"].items()}
    bare = ratio.Ratio(list(blocks["bare"].values())).median / raw["starts_per_block"] / 1e3
    again = ratio.paired(blocks["bare-again"], blocks["bare"])
    rows = []
    for arm, title in (("preload", f"start of {name}"), ("session", "the same under `ahead run`")):
        if arm not in blocks:
            rows.append(row(title, f"{bare:.0f} us", "not available", "-", f"<= {START_LIMIT:.2f}x", None))
            continue
        ahead = ratio.paired(blocks[arm], blocks["bare"])
        rows.append(row(title, f"{bare:.0f} us", f"{ahead:.3f}", f"{again:.3f}", f"<= {START_LIMIT:.2f}x",
                        ahead.median <= START_LIMIT))
    return rows, raw


def calls(tools):
    """Runs the micro-benchmarks, which compare blocks of calls with their bare twins in one process."""
    done = subprocess.run([tools.micro, "--benchmark_format=json"], check=True, capture_output=True, text=True,
                          env=arms.environment_of("ahead", tools))
    raw = json.loads(done.stdout)
    rows = []
    for found in raw["benchmarks"]:
        if "ratio" not in found:
            continue
        limit = CALL_LIMITS.get(re.match(r"BM_Hook_(\w*)", found["name"]).group(1))
        value = f"{found['ratio']:.3f} [{found['ratio_low']:.3f}, {found['ratio_high']:.3f}]"
        rows.append(row(found["name"].partition("/iterations")[0], f"{found['bare_ns']:.1f} ns", value,
                        f"{found['again']:.3f}", f"<= {limit:.2f}x" if limit else "-",
                        found["ratio"] <= limit if limit else None))
    return rows, raw
