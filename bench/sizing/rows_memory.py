"""Rows in a memory cgroup: many readers at once, where what is fetched ahead drives out what was fetched ahead."""
import bench as b
import cgroup
import events
import loop
import models
import verdict

KIB, MIB = 1 << 10, 1 << 20
LIMIT_MIB = 64
MODEL = models.Net(2, 500)
BLOCK = 64 * KIB
# The sweep in which the best fixed window is found.
FIXED = ("128KiB", "256KiB", "512KiB", "1MiB", "2MiB", "4MiB", "8MiB")
# "Never below" is judged to the second decimal: equal arms are below 1 half of the time.
NOT_BELOW = 0.995


def skipped(row, case):
    """Returns the line that says why there is no cgroup, or None."""
    why = cgroup.missing()
    return verdict.Line(row, case, skipped=why) if why else None


def speed(run):
    return events.rate_after(run.reads, 0)


def at_once(bench, arms, shape, readers, seconds):
    """Runs `readers` readers at full speed in the cgroup under each of `arms`, as threads or in turn in one."""
    files = bench.names({f"file-{number:03}": 1024 * MIB // readers for number in range(readers)})
    rounds = ["--rounds", 1024 * MIB // readers // BLOCK] if shape == "turns" else []
    words = bench.load(shape, *files, "--block", BLOCK, "--seconds", seconds, *rounds)
    with cgroup.limited(LIMIT_MIB) as before:
        runs = {arm: lambda arm=arm: bench.on_disk(MODEL, words, arm.removesuffix("-again"), before) for arm in arms}
        once = [arm for arm in arms if arm.startswith("fixed-")] + ["tuned"]
        return bench.rounds(runs | bench.tuned_arm(MODEL, words, before), once)


def repeated(run):
    """Returns the share of bytes that the disk served before."""
    return run.disk["bytes_repeated"] / run.disk["bytes"]


def crowd(bench):
    """64 readers at full speed, in turn in one thread: beside bare and beside the best fixed window."""
    case = f"64 readers in turn, {LIMIT_MIB} MiB, {MODEL}"
    if line := skipped("crowd", case):
        yield line
        return
    kept = at_once(bench, ["bare", "bare-again", "ahead", *(f"fixed-{size}" for size in FIXED)], "turns", 64,
                   1 if bench.is_quick else 2)
    rates = {arm: b.median(kept[arm], speed) / 1e6 for arm in kept}
    best = max((arm for arm in kept if arm.startswith("fixed-")), key=rates.get)
    checks = [verdict.median_at_least("of bare's speed:", b.compare(kept, "ahead", "bare", speed), 2.0),
              verdict.at_least(f"of the best fixed window's ({best.removeprefix('fixed-')}):", rates["ahead"] / rates[best],
                               0.90)]
    notes = [f"{arm} {rate:.0f} MB/s ({b.median(kept[arm], repeated):.0%} twice)" for arm, rate in rates.items()
             if arm != "bare-again"]
    yield verdict.Line("crowd", case, checks, pairs=len(kept["ahead"]), again=b.again(kept, speed), notes=notes,
                       raw=b.raw(kept))


def readers(bench):
    """8 to 512 readers at full speed in the same cgroup, as threads and in turn in one: nowhere slower than bare."""
    for shape, name in (("streams", "threads"), ("turns", "readers in turn")):
        for count in (8, 64, 512):
            case = f"{count} {name}, {LIMIT_MIB} MiB, {MODEL}"
            yield skipped("readers", case) or readers_on(bench, case, shape, count)


def readers_on(bench, case, shape, count):
    kept = at_once(bench, ["bare", "bare-again", "ahead"], shape, count, 1 if bench.is_quick else 1.25)
    notes = [f"{arm} {b.median(kept[arm], speed) / 1e6:.0f} MB/s ({b.median(kept[arm], repeated):.0%} twice)"
             for arm in ("bare", "ahead", "tuned") if arm in kept]
    check = verdict.median_at_least("of bare's speed:", b.compare(kept, "ahead", "bare", speed), NOT_BELOW)
    return verdict.Line("readers", case, [check], pairs=len(kept["ahead"]), again=b.again(kept, speed), notes=notes,
                        raw=b.raw(kept))


STREAMS = 800
SLOW_SPEED = 100
# The record of 2006: 191 thrashings in 128,500 readaheads, with 800 streams of 1 KB/s and 64 MiB.
TWICE_MOST = 0.0015


def slow(bench):
    """800 streams of 1 KB/s in one process, the clock 100 times as fast: nothing is fetched, lost and fetched again."""
    model = models.Net(2, 500, speed=SLOW_SPEED)
    case = f"{STREAMS} streams of 1 KB/s, clock x {SLOW_SPEED}, {LIMIT_MIB} MiB, {model}"
    if line := skipped("slow-streams", case):
        yield line
        return
    rounds = 16 if bench.is_quick else 48
    block = 16 * KIB
    files = bench.names({f"file-{number:03}": block * rounds for number in range(STREAMS)})
    words = bench.load("turns", *files, "--block", block, "--rounds", rounds, "--round-ms", block / SLOW_SPEED)
    with cgroup.limited(LIMIT_MIB) as before:
        kept = bench.rounds({arm: lambda arm=arm: bench.on_disk(model, words, arm, before) for arm in ("bare", "ahead")},
                            once=("bare",), pairs=(bench.pairs + 2) // 3)
    notes = [f"{arm} {b.median(kept[arm], repeated):.2%} twice, "
             f"{b.median(kept[arm], lambda run: run.disk['requests']):.0f} requests" for arm in kept]
    yield verdict.Line("slow-streams", case, [verdict.at_most("bytes served twice, %:",
                                                              100 * b.most(kept["ahead"], repeated), 100 * TWICE_MOST, ".2f")],
                       pairs=len(kept["ahead"]), notes=notes, raw=b.raw(kept))


TURNS_LIMIT_MIB = 128
TURNS = {f"f{number:03}": 16 for number in range(100)}


def turns(bench):
    """100 open files of 16 MiB, 64 KiB of each in turn, 16 times: what is fetched ahead of each must not add up."""
    case = f"100 files in turn, {TURNS_LIMIT_MIB} MiB"
    if line := skipped("turns", case):
        yield line
        return
    with cgroup.limited(TURNS_LIMIT_MIB) as before:
        files = bench.names({name: mib * MIB for name, mib in TURNS.items()})
        yield turns_on(bench, f"{case}, {MODEL}", files, lambda words, arm: bench.on_disk(MODEL, words, arm, before))
        bench.files({})
        if why := loop.missing():
            yield verdict.Line("turns", f"{case}, loop ext4", skipped=why)
            return
        with bench.loop(TURNS) as made:
            files = [str(made.mountpoint / name) for name in TURNS]
            yield turns_on(bench, f"{case}, loop ext4", files,
                           lambda words, arm: bench.on_loop(made, words, arm, before))


def turns_on(bench, case, files, run):
    words = bench.load("turns", *files)
    kept = bench.rounds({arm: lambda arm=arm: run(words, arm) for arm in ("bare", "ahead")})
    size = {arm: b.median(kept[arm], lambda one: one.disk["bytes"]) for arm in kept}
    notes = [f"{arm} {size[arm] / MIB:.0f} MiB, {b.median(kept[arm], lambda one: one.disk['requests']):.0f} requests, "
             f"{b.median(kept[arm], lambda one: one.elapsed_ns) / 1e9:.2f} s" for arm in kept]
    return verdict.Line("turns", case, [verdict.at_most("bytes, of bare's:", size["ahead"] / size["bare"], 1.3)],
                        pairs=len(kept["ahead"]), notes=notes, raw=b.raw(kept))
