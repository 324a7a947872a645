"""Rows of random reads: an engine that does not help must not cost."""
import bench as b
import events
import loop
import models
import verdict

MIB = 1 << 20
SHAPES = {"uniform": "random 4 KiB", "zipf": "Zipf", "clustered": "clusters of 16 pages",
          "mixed": "90 % random + 10 % sequential, one fd"}
COUNTED_MOST = 1.02
TIME_MOST = 1.03
# Of the sequential tenth: it got its stream when most of its reads found their data there.
SEQUENTIAL_WAITS_MOST = 0.10
FILE_MIB = 512


def random(bench):
    """Requests, bytes and time beside the better of bare and FADV_RANDOM."""
    # Of 600 reads the A/A arm took 0.97 to 1.07 times as long.
    reads = 1500 if bench.is_quick else 4000
    model = models.Net(0.2, 500)
    file, = bench.names({"base": FILE_MIB * MIB})
    for window in (128, 8192):
        for shape in SHAPES:
            if window != 128 and loop.missing():
                yield verdict.Line("random", f"{SHAPES[shape]}, FUSE, read_ahead_kb {window}", skipped=loop.missing())
                continue
            run = lambda words, arm, window=window: bench.on_disk(model, words, arm, read_ahead_kb=window)
            yield measure(bench, file, shape, reads, run, f"FUSE {model.latency_ms:g} ms, read_ahead_kb {window}",
                          model.latency_ns / 2)
    if why := loop.missing():
        yield verdict.Line("random", "loop ext4", skipped=why)
        return
    with bench.loop({"base": FILE_MIB}) as made:
        for window in (128, 8192):
            for shape in SHAPES:
                run = lambda words, arm, window=window: bench.on_loop(made, words, arm, read_ahead_kb=window)
                # More of them: here a read takes a tenth of the time.
                yield measure(bench, str(made.mountpoint / "base"), shape, 3 * reads, run,
                              f"loop ext4, read_ahead_kb {window}", None)


def measure(bench, file, shape, reads, run, place, waits_ns):
    """`waits_ns`: a read that took so long waited; None where the disk has no latency of its own to go by."""
    words = bench.load("pick", file, "--shape", shape, "--reads", reads * (2 if shape == "mixed" else 1))
    kept = bench.rounds({"bare": lambda: run(words, "bare"), "bare-again": lambda: run(words, "bare"),
                         "advised": lambda: run([*words, "--advise-random"], "bare"),
                         "ahead": lambda: run(words, "ahead")})
    checks = [counted(kept, "requests"), counted(kept, "bytes")]
    better = min(("bare", "advised"), key=lambda arm: b.median(kept[arm], lambda one: one.elapsed_ns))
    checks.append(verdict.upper_bound(f"time, of {better}'s:", b.compare(kept, "ahead", better, lambda one: one.elapsed_ns),
                                      TIME_MOST))
    if shape == "mixed" and waits_ns:
        checks.append(verdict.at_most("sequential reads that waited:",
                                      b.median(kept["ahead"], lambda one: waited(one, waits_ns)), SEQUENTIAL_WAITS_MOST))
    notes = [f"{arm} {b.median(kept[arm], lambda one: one.disk['requests']):.0f} requests, "
             f"{b.median(kept[arm], lambda one: one.disk['bytes']) / 1e6:.2f} MB, "
             f"{b.median(kept[arm], lambda one: one.elapsed_ns) / 1e6:.0f} ms" for arm in ("bare", "advised", "ahead")]
    return verdict.Line("random", f"{SHAPES[shape]}, {place}", checks, pairs=len(kept["ahead"]),
                        again=b.again(kept, lambda one: one.elapsed_ns), notes=notes, raw=b.raw(kept))


def counted(kept, what):
    """Holds what the disk counted against the better of the two other ways."""
    numbers = {arm: b.median(kept[arm], lambda one: one.disk[what]) for arm in ("bare", "advised", "ahead")}
    best = min(numbers["bare"], numbers["advised"])
    return verdict.at_most(f"{what}:", numbers["ahead"] / best, COUNTED_MOST)


def waited(run, ns):
    """Returns the share of the sequential reads that waited."""
    reads = events.of_label(run.reads, 1)
    return len(events.slow(reads, ns)) / len(reads)
