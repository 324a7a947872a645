"""What does recording a trace cost, over the same run without one? The price of a cached pread, and the time of the walk
that the project is measured by. Both arms are under `ahead run`'s own conditions and alternate."""
import json
import os
import pathlib
import random
import subprocess
import time

import arms
import cached
import disk
import ratio

CALL_LIMIT = 1.15
WALK_LIMIT = 1.02
CALL = "BM_Hook_Pread/4096"


def price_of_call(tools, wrapper):
    """Returns what a cached pread costs under `wrapper`, as a multiple of a bare one in the same process."""
    command = [*wrapper, "--", str(tools.micro), f"--benchmark_filter={CALL}", "--benchmark_format=json"]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                          env=arms.plain_environment())
    return json.loads(done.stdout)["benchmarks"][0]["ratio"]


def calls(tools, folder, rounds):
    """Measures a cached pread of 4 KiB with and without a trace, in both ways of making one."""
    trace = os.path.join(folder, "calls.trace")
    wrappers = {"ahead": [str(tools.ahead), "run"], "again": [str(tools.ahead), "run"],
                "record": [str(tools.ahead), "record", "-o", trace],
                "trace": [str(tools.ahead), "run", "--trace", trace + ".raw"]}
    chance = random.Random(4)
    prices = {arm: {} for arm in wrappers}
    for number in range(rounds):
        for arm in chance.sample(list(wrappers), len(wrappers)):
            prices[arm][number] = price_of_call(tools, wrappers[arm])
            for made in pathlib.Path(folder).glob("calls.trace*"):
                made.unlink()
    again = ratio.paired(prices["again"], prices["ahead"])
    rows = []
    for arm, title in (("record", "under `ahead record`"), ("trace", "with AHEAD_TRACE")):
        cost = ratio.paired(prices[arm], prices["ahead"])
        rows.append(cached.row(f"cached pread of 4 KiB {title}, of `ahead run`", "-", f"{cost:.3f}", f"{again:.3f}",
                               f"<= {CALL_LIMIT:.2f}x", cost.median <= CALL_LIMIT))
    return rows, prices


def walk_time(command):
    begin = time.monotonic_ns()
    with open("/dev/zero", "wb") as sink:
        subprocess.run(command, check=True, stdout=sink, stderr=subprocess.DEVNULL, env=arms.plain_environment())
    return time.monotonic_ns() - begin


def walk(tools, folder, rounds, tell=lambda text: None):
    """Measures `find -exec md5sum` of 1,000 small files on the slow disk, with and without a trace."""
    source, mountpoint = pathlib.Path(folder) / "walk", pathlib.Path(folder) / "walk-mount"
    source.mkdir()
    mountpoint.mkdir()
    chance = random.Random(5)
    for number in range(1000):
        (source / f"{number:04}").write_bytes(chance.randbytes(chance.randrange(1 << 10, 64 << 10)))
    trace = os.path.join(folder, "walk.trace")
    program = ["find", str(mountpoint), "-type", "f", "-exec", "md5sum", "{}", ";"]
    wrappers = {"ahead": [str(tools.ahead), "run"], "again": [str(tools.ahead), "run"],
                "record": [str(tools.ahead), "record", "-o", trace]}
    slow_disk = disk.SlowDisk(tools.disk, source, mountpoint)
    times = {arm: {} for arm in wrappers}
    for number in range(rounds):
        for arm in chance.sample(list(wrappers), len(wrappers)):
            with slow_disk.mounted(disk.DiskModel(12)):
                times[arm][number] = walk_time([*wrappers[arm], "--", *program])
        tell(f"walk: {number + 1} of {rounds}")
    cost, again = ratio.paired(times["record"], times["ahead"]), ratio.paired(times["again"], times["ahead"])
    seconds = ratio.Ratio(list(times["ahead"].values())).median / 1e9
    return [cached.row("find -exec md5sum of 1,000 files on the slow disk under `ahead record`, of `ahead run`",
                       f"{seconds:.2f} s", f"{cost:.3f}", f"{again:.3f}", f"<= {WALK_LIMIT:.2f}x",
                       cost.median <= WALK_LIMIT)], times
