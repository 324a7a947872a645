"""Rows of players: bursts that let a disk sleep, and jumps that must cost little. Their clocks are scaled."""
import bench as b
import environment
import events
import models
import verdict

MIB = 1 << 20
FILM_RATE = 1_000_000  # 8 Mbit/s
BURST_S = 180
GAP_S = 60
BURST_SPEED = 20
# Not more: what the engine itself takes for a call would pass for a latency.
JUMP_SPEED = 2
# What a player has read and not yet shown.
BUFFER_S = 1
# Where the machine takes pages out of memory, so many runs may be disturbed by that.
TRIALS = 5


def player(bench):
    """A player at 8 Mbit/s with max_time: the disk is left alone for minutes, the player never waits."""
    model = models.Hdd(speed=BURST_SPEED)
    case = f"8 Mbit/s, max_time {BURST_S} s, clock x {BURST_SPEED}, {model}"
    if not bench.has_option("max-time"):
        yield verdict.Line("player", case, skipped="no --max-time")
        return
    # Bursts come every 8.4 s; a silence that the end of the run cuts short would not count.
    seconds = 30 if bench.is_quick else 63
    rate = FILM_RATE * BURST_SPEED
    file, = bench.names({"film": int(rate * seconds * 1.25)})
    words = bench.load("play", file, "--rate", rate, "--seconds")
    options = ["--max-time", str(BURST_S // BURST_SPEED)]
    kept = {"bare": {0: bench.on_disk(model, [*words, str(seconds / 6)])}}
    kept["ahead"], kept["disturbed"] = undisturbed(
        lambda: bench.on_disk(model, [*words, str(seconds)], "ahead", options=options))

    def idle(run):
        begin, end = run.reads[0].begin, run.reads[-1].end
        return events.idle_share(run.requests, begin, end, GAP_S * events.SECOND // BURST_SPEED)

    def stalls(run):
        return len(events.late(run.reads, rate, BUFFER_S * events.SECOND // BURST_SPEED))

    checks = [verdict.at_least(f"idle in gaps of {GAP_S} s:", b.median(kept["ahead"], idle), 0.95),
              verdict.at_most("stalls:", b.most(kept["ahead"], stalls), 0, "d")]
    notes = [f"{arm} {b.median(runs, lambda run: run.disk['requests']):.0f} requests, idle {b.median(runs, idle):.2f}, "
             f"{b.most(runs, stalls)} stalls, longest read {longest_ms(runs):.1f} ms" for arm, runs in kept.items() if runs]
    if kept["disturbed"]:
        notes.append(f"disturbed: {len(kept['disturbed'])} runs, in which the machine took " +
                     ", ".join(str(taken_pages(run)) for run in kept["disturbed"].values()) + " pages out of free memory")
    yield verdict.Line("player", case, checks, pairs=len(kept["ahead"]), notes=notes, raw=b.raw(kept))


def taken_pages(run):
    """Returns how many pages the disk was asked for again: they had come, and were not in memory any more."""
    ranges = [(request.offset, request.length) for request in run.requests]
    return (sum(length for _, length in ranges) - events.distinct_bytes(ranges)) // events.PAGE


def undisturbed(run_once):
    """Returns the first run in which the machine took no page out of memory, and those before it, both by round. Where
    nothing but memory that is short takes pages out, each run is one."""
    disturbed = {}
    for trial in range(TRIALS):
        run = run_once()
        if environment.proactive_reclaim() == "none" or taken_pages(run) == 0:
            return {trial: run}, disturbed
        disturbed[trial] = run
    return {}, disturbed


def longest_ms(runs):
    return b.most(runs, lambda run: max(read.took for read in run.reads)) / 1e6


def jumps(bench):
    """Runs of 0.5 to 4 MiB at 8 Mbit/s, each at another place."""
    # The first jump of a run is one of nobody that is known: it has to be one of several.
    count = 8 if bench.is_quick else 15
    model = models.Net(2, 500, speed=JUMP_SPEED)
    file, = bench.names({"film": 1024 * MIB})
    words = bench.load("play", file, "--rate", FILM_RATE * JUMP_SPEED, "--jumps", count)
    kept = bench.rounds({arm: lambda arm=arm: bench.on_disk(model, words, arm) for arm in ("bare", "ahead")}, once=("bare",),
                        pairs=(bench.pairs + 1) // 2)

    def stalls(run):
        return len(events.slow(run.reads, model.latency_ns)) / count

    def waste_kib(run):
        return (run.disk["bytes"] - events.read_bytes(run.reads)) / count / 1024

    checks = [verdict.at_most("stalls a jump:", b.median(kept["ahead"], stalls), 1.2, ".2f"),
              verdict.at_most("waste, KiB a jump:", b.median(kept["ahead"], waste_kib),
                              model.product_bytes() / 1024 + 256, ".0f")]
    notes = [f"bare {b.median(kept['bare'], stalls):.2f} stalls, {b.median(kept['bare'], waste_kib):.0f} KiB"]
    yield verdict.Line("jumps", f"0.5 to 4 MiB at 8 Mbit/s, clock x {JUMP_SPEED}, {model}", checks,
                       pairs=len(kept["ahead"]), notes=notes, raw=b.raw(kept))
