"""Rows of random reads: an engine that does not help must not cost."""
import statistics

import bench as b
import events
import loop
import models
import ratio
import verdict

MIB = 1 << 20
SHAPES = {"uniform": "random 4 KiB", "zipf": "Zipf", "clustered": "clusters of 16 pages",
          "mixed": "90 % random + 10 % sequential, one fd"}
COUNTED_MOST = 1.02
TIME_MOST = 1.03
# Of the sequential tenth: it got its stream when most of its reads found their data there.
SEQUENTIAL_WAITS_MOST = 0.10
# A file for each arm: they take turns on one disk.
ARMS = ("bare", "bare-again", "advised", "ahead")
SIZES = {f"base-{number}": 384 * MIB for number in range(len(ARMS))}
# Reads a turn. Whole runs one after the other took 0.6 to 2.2 times as long as others of the same arm: on a loop device a
# read takes 11 or 40 us, by where its worker thread runs.
TURN = 50


def random(bench):
    """Requests, bytes and time beside the better of bare and FADV_RANDOM."""
    reads = 1500 if bench.is_quick else 4000
    model = models.Net(0.2, 500)
    files = bench.names(SIZES)
    for window in (128, 8192):
        for shape in SHAPES:
            if window != 128 and loop.missing():
                yield verdict.Line("random", f"{SHAPES[shape]}, FUSE, read_ahead_kb {window}", skipped=loop.missing())
                continue
            on = lambda window=window: bench.disk.mounted(model, window)
            run = lambda words, arm, window=window: bench.on_disk(model, words, arm, read_ahead_kb=window)
            yield measure(bench, files, shape, reads, (run, on),
                          f"FUSE {model.latency_ms:g} ms, read_ahead_kb {window}", model.latency_ns / 2)
    if why := loop.missing():
        yield verdict.Line("random", "loop ext4", skipped=why)
        return
    with bench.loop({name: size // MIB for name, size in SIZES.items()}) as made:
        files = [str(made.mountpoint / name) for name in SIZES]
        for window in (128, 8192):
            for shape in SHAPES:
                on = lambda window=window: made.mounted(window)
                run = lambda words, arm, window=window: bench.on_loop(made, words, arm, read_ahead_kb=window)
                # More of them: here a read takes a tenth of the time.
                yield measure(bench, files, shape, 3 * reads, (run, on), f"loop ext4, read_ahead_kb {window}", None)


def measure(bench, files, shape, reads, ways, place, waits_ns):
    """`waits_ns`: a read that took so long waited; None where the disk has no latency of its own to go by. `ways`: how to
    run an arm alone, for what the disk counts, and what to hold while all of them take turns, for the time."""
    run, on = ways
    reads *= 2 if shape == "mixed" else 1
    load = lambda file, *more: bench.load("pick", file, "--shape", shape, "--reads", reads, *more)
    words = load(files[0])
    kept = bench.rounds({"bare": lambda: run(words, "bare"), "advised": lambda: run([*words, "--advise-random"], "bare"),
                         "ahead": lambda: run(words, "ahead")}, pairs=1)
    checks = [counted(kept, "requests"), counted(kept, "bytes")]
    times = {arm: [] for arm in ARMS}
    for number in range(bench.pairs):
        bench.tell(f"round {number + 1} of {bench.pairs}: in turns")
        # Each reads a file of its own, another one in each round.
        commands = {arm: load(files[(place_of + number) % len(files)], "--turn", TURN,
                              *(["--advise-random"] if arm == "advised" else [])) for place_of, arm in enumerate(ARMS)}
        with on():
            for arm, done in bench.in_turns(commands, reads // TURN // 2).items():
                times[arm] += turn_times(done)
    better = min(("bare", "advised"), key=lambda arm: sum(times[arm]))
    checks.append(verdict.upper_bound(f"time, of {better}'s:", compared(times, "ahead", better), TIME_MOST))
    if shape == "mixed" and waits_ns:
        checks.append(verdict.at_most("sequential reads that waited:",
                                      b.median(kept["ahead"], lambda one: waited(one, waits_ns)), SEQUENTIAL_WAITS_MOST))
    notes = [f"{arm} {b.median(kept[arm], lambda one: one.disk['requests']):.0f} requests, "
             f"{b.median(kept[arm], lambda one: one.disk['bytes']) / 1e6:.2f} MB, "
             f"{statistics.median(times[arm]) / TURN / 1e3:.2f} us a read" for arm in ("bare", "advised", "ahead")]
    return verdict.Line("random", f"{SHAPES[shape]}, {place}", checks, pairs=bench.pairs,
                        again=f"{compared(times, 'bare-again', 'bare'):.3f}", notes=notes, raw=b.raw(kept))


def turn_times(reads):
    """Returns how long each turn took, in ns."""
    return [reads[at + TURN - 1].end - reads[at].begin for at in range(0, len(reads) - TURN + 1, TURN)]


def compared(times, arm, other):
    """Returns the Ratio of two arms' times. The turns of a round and of its way back make one pair: as many of each arm
    come first as last."""
    return ratio.Ratio([one / another for one, another in zip(doubled(times[arm]), doubled(times[other]))])


def doubled(turns):
    return [first + second for first, second in zip(turns[::2], turns[1::2])]


def counted(kept, what):
    """Holds what the disk counted against the better of the two other ways."""
    numbers = {arm: b.median(kept[arm], lambda one: one.disk[what]) for arm in ("bare", "advised", "ahead")}
    best = min(numbers["bare"], numbers["advised"])
    return verdict.at_most(f"{what}:", numbers["ahead"] / best, COUNTED_MOST)


def waited(run, ns):
    """Returns the share of the sequential reads that waited."""
    reads = events.of_label(run.reads, 1)
    return len(events.slow(reads, ns)) / len(reads)
