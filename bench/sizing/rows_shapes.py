"""Rows of one program with one way of reading: strides and their like beside the oracle, and phases that change."""
import json
import subprocess

import arms
import bench as b
import events
import models
import ratio
import verdict

KIB, MIB = 1 << 10, 1 << 20
SECOND = events.SECOND

# Name -> how many thousands of reads, words of ahead-patterns.
SHAPES = {
    "stride of 2 pages": (3, "stride", "--step", "8KiB"),
    "stride of 4 pages": (3, "stride", "--step", "16KiB"),
    "stride of 8 pages": (3, "stride", "--step", "32KiB"),
    "stride of 64 pages": (3, "stride", "--step", "256KiB"),
    "columns of rows": (5, "stride-2level"),  # two rows tell that there are rows: 15 ms
    "backward": (24, "backward"),  # 94 MiB: what it costs to start is 10 ms
    "jitter of one page": (3, "stride-jitter"),
}
# What cannot be had: the oracle knows places that nothing tells before they are read. A page that is guessed is one of
# three: 2/3 of a page is wasted for each, and one read in three does not wait. 10 % more bytes pay for 0.15 guesses a
# read, and those spare 0.05 waits: 1.05 times bare's speed at the most. All three pages are 3 times the bytes.
LIMITS = {"jitter of one page": "within 1.1 times the bytes no more than 1.05 times bare's speed can be had"}
# For the recording: what is recorded is the order of reads, not what they waited for.
FAST = models.Net(0.1, 2000, 64)


def shapes(bench):
    """Beside the oracle's time, and beside what was read."""
    known = subprocess.run([bench.tools.patterns, "--help"], check=True, capture_output=True, text=True).stdout.split()
    file, = bench.names({"large": 1024 * MIB})
    model = models.Net(2, 500)
    for name, (thousands, pattern, *words) in SHAPES.items():
        if pattern not in known:
            yield verdict.Line("shapes", f"{name}, {model}", skipped=f"ahead-patterns knows no {pattern}")
            continue
        count = thousands * (300 if bench.is_quick else 1000)
        yield shape_on(bench, model, name, [str(bench.tools.patterns), pattern, file, *words, "--count", str(count)])


def shape_on(bench, model, name, words):
    trace = str(bench.folder / "trace")
    with bench.disk.mounted(FAST):
        arms.record(bench.tools, words, trace)
    oracle = arms.replay_command(bench.tools, trace, model.in_flight)
    kept = bench.rounds({"ahead": lambda: bench.on_disk(model, words, "ahead"),
                         "oracle": lambda: bench.on_disk(model, oracle)})
    if "backward" not in words:  # a minute, for a figure that is known: one latency a read
        kept |= bench.rounds({"bare": lambda: bench.on_disk(model, words)} | bench.tuned_arm(model, words), pairs=1)
    share = b.compare(kept, "oracle", "ahead", lambda run: run.elapsed_ns)
    fetched = b.most(kept["ahead"], lambda run: run.disk["bytes"] / run.said["bytes"])
    notes = [f"{arm} {b.median(kept[arm], lambda run: run.elapsed_ns) / 1e6:.0f} ms, "
             f"{b.median(kept[arm], lambda run: run.disk['requests']):.0f} requests" for arm in kept]
    notes += [LIMITS[name]] if name in LIMITS else []
    return verdict.Line("shapes", f"{name}, {model}", [verdict.median_at_least("of the oracle's speed:", share, 0.90),
                                                      verdict.at_most("bytes, of what was read:", fetched, 1.10)],
                        pairs=len(kept["ahead"]), notes=notes, raw=b.raw(kept))


PHASES = ("sequential", "random", "backward")
SWITCH_NS = SECOND // 2


def phases(bench):
    """One descriptor, phases that change, twice; each beside a run of that phase alone."""
    seconds = 1.5 if bench.is_quick else 2
    model = models.Net(2, 100)
    # Each phase has a third of the file: more than the disk gives in all phases of a kind.
    file, = bench.names({"large": int(3 * 100e6 * 2 * seconds * 1.1)})

    def command(names):
        return bench.load("phases", file, "--seconds", seconds, *(word for name in names for word in ("--phase", name)))

    runs = {name: lambda name=name: bench.on_disk(model, command([name]), "ahead") for name in PHASES}
    runs["all"] = lambda: bench.on_disk(model, command(PHASES * 2), "ahead")
    runs["bare"] = lambda: bench.on_disk(model, command(PHASES * 2))
    kept = bench.rounds(runs, once=("bare",))
    checks, notes = [], []
    for number, name in enumerate(PHASES * 2):
        steady = b.values(kept[name], lambda run: phase_rate(run, 0))
        share = ratio.paired(b.values(kept["all"], lambda run, n=number: phase_rate(run, n)), steady)
        checks.append(verdict.median_at_least(f"{number + 1} {name}, of its steady speed:", share, 0.90))
        bare = b.median(kept["bare"], lambda run, n=number: phase_rate(run, n))
        notes.append(f"{name} {b.median(kept['all'], lambda run, n=number: phase_rate(run, n)) / 1e6:.1f} MB/s, "
                     f"bare {bare / 1e6:.1f}")
        if name == "random":
            extra = b.most(kept["all"], lambda run, n=number: extra_kib(run, n, model))
            checks.append(verdict.at_most("extra KiB beyond 3 % and a window:", extra, 0, ".0f"))
    yield verdict.Line("phases", f"one fd, {seconds:g} s each, {model}", checks, pairs=len(kept["all"]), notes=notes,
                       raw=b.raw(kept))


def phase_rate(run, number):
    """Returns the bytes a second of a phase from half a second after the switch to it."""
    return events.rate_after(events.of_label(run.reads, number), SWITCH_NS)


def extra_kib(run, number, model):
    """Returns what the disk served in a random phase beyond what was read, 3 % of that and one window: as much as a
    stream of this disk has on its way, twice bandwidth x latency."""
    reads = events.of_label(run.reads, number)
    begin, end = reads[0].begin, reads[-1].end
    served = sum(request.length for request in run.requests if begin <= request.time < end)
    return (served - 1.03 * events.read_bytes(reads) - 2 * model.product_bytes()) / KIB
