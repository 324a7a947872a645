"""Rows of sequential readers: one at full speed, one beside a slow one, several on a disk with an arm."""
import bench as b
import events
import models
import ratio
import verdict

MIB = 1 << 20
MB = 1_000_000
SECOND = events.SECOND
FIRST_WINDOW = 128 << 10
# Where the platter stands at the start is chance, and worth a twentieth of a run: 4 readers had 0.95 of the sum of bare's with
# 3 pairs, 0.99 with 12.
TURNING_PAIRS = 12


def sequential(bench):
    """One reader: after the first second at the disk's limit, and no more fetched ahead than that takes."""
    seconds = 1.6 if bench.is_quick else 2
    file, = bench.names({"large": int(500 * MB * seconds * 1.05)})
    for latency in (0.2, 2, 20):
        for bandwidth in (100, 500):
            for in_flight in (12, 64):
                yield sequential_on(bench, models.Net(latency, bandwidth, in_flight), file, seconds)


def sequential_on(bench, model, file, seconds):
    words = bench.load("streams", file, "--seconds", seconds)
    runs = {arm: lambda arm=arm: bench.on_disk(model, words, arm) for arm in ("bare", "ahead")}
    kept = bench.rounds(runs | bench.tuned_arm(model, words), once=("bare", "tuned"))

    def share(run):
        found = events.rate_after(run.reads, SECOND)
        return found and found / model.limit_bytes_per_s()

    def ahead_mib(run):
        return events.most_ahead(run.reads, run.requests) / MIB

    most = 3 * model.product_bytes() / MIB + 1
    checks = [verdict.median_at_least("of the limit after 1 s:", ratio.Ratio(list(b.values(kept["ahead"], share).values())),
                                      0.95),
              verdict.at_most("MiB ahead:", b.most(kept["ahead"], ahead_mib), most)]
    return verdict.Line("sequential", str(model), checks, pairs=len(kept["ahead"]), raw=b.raw(kept),
                        notes=[f"{arm} {b.median(kept[arm], share):.3f} of the limit, "
                               f"{b.most(kept[arm], ahead_mib):.1f} MiB" for arm in ("bare", "tuned") if arm in kept])


def beside(bench):
    """A reader of 1 MB/s beside one at full speed: who is slow does not wait, who is fast does not lose."""
    seconds = 2 if bench.is_quick else 3
    slow, fast = bench.names({"slow": 16 * MIB, "fast": int(500 * MB * seconds * 1.05)})
    pair = bench.load("streams", slow, fast, "--paced", 1, "--rate", MB, "--seconds", seconds)
    solo = bench.load("streams", fast, "--seconds", seconds)
    for in_flight in (12, 64):
        model = models.Net(2, 500, in_flight)
        runs = {f"{arm}, {name}": lambda arm=arm, words=words: bench.on_disk(model, words, arm)
                for arm in ("bare", "ahead") for name, words in (("both", pair), ("alone", solo))}
        kept = bench.rounds(runs)

        def fast_rate(run):
            return events.rate_after(events.of_label(run.reads, max(read.label for read in run.reads)), 0)

        def late(run):
            return len(events.slow(slow_reads(run), 2 * model.latency_ns))

        def longest_ms(run):
            return max(read.took for read in slow_reads(run)) / 1e6

        lost = {arm: b.ratio.paired(b.values(kept[f"{arm}, both"], fast_rate), b.values(kept[f"{arm}, alone"], fast_rate))
                for arm in ("bare", "ahead")}
        checks = [verdict.at_most("slow reads > 2 x latency:", b.most(kept["ahead, both"], late), 0, "d"),
                  verdict.median_at_least("fast one, of its solo speed:", lost["ahead"], 0.95)]
        notes = [f"slow one's longest read {b.most(kept['ahead, both'], longest_ms):.1f} ms of "
                 f"{len(slow_reads(kept['ahead, both'][0]))}, bare {b.most(kept['bare, both'], longest_ms):.1f} ms with "
                 f"{b.most(kept['bare, both'], late)} late", f"bare's fast one {lost['bare']:.3f}"]
        yield verdict.Line("beside", str(model), checks, pairs=len(kept["ahead, both"]), notes=notes, raw=b.raw(kept))


def slow_reads(run):
    """Returns the reads of the slow one after its first window."""
    return [read for read in run.reads if read.label == 0 and read.offset >= FIRST_WINDOW]


def hdd(bench):
    """2, 4 and 16 readers at full speed on one arm: no less in sum than bare, and the last is not later."""
    for readers, mib in ((2, 256), (4, 256), (16, 128)):
        total = mib * MIB // (2 if bench.is_quick else 1)
        files = bench.names({f"file-{number:02}": total // readers for number in range(readers)})
        words = bench.load("streams", *files)
        for rotation in (True, False):
            for in_flight in (12, 64):
                model = models.Hdd(in_flight, rotation)
                runs = {arm: lambda arm=arm: bench.on_disk(model, words, arm.removesuffix("-again"))
                        for arm in ("bare", "bare-again", "ahead")}
                kept = bench.rounds(runs | bench.tuned_arm(model, words), once=("tuned",),
                                    pairs=max(bench.pairs, TURNING_PAIRS if rotation else 1))
                yield verdict.Line("hdd", f"{readers} readers, {model}", hdd_checks(kept), pairs=len(kept["ahead"]),
                                   again=b.again(kept, last), notes=hdd_notes(kept, model), raw=b.raw(kept))


def together(run):
    return events.rate_together(run.reads)


def last(run):
    return events.last_end(run.reads)


# "No later than bare's" is judged to the second decimal: equal arms are above 1 half of the time.
NO_LATER = 1.005


def hdd_checks(kept):
    return [verdict.median_at_least("sum, of bare's:", b.compare(kept, "ahead", "bare", together), 0.98),
            verdict.median_at_most("last reader, of bare's time:", b.compare(kept, "ahead", "bare", last), NO_LATER)]


def hdd_notes(kept, model):
    rate = model.TRANSFER_MB * MB
    return [f"{arm} {b.median(kept[arm], together) / rate:.2f} of the transfer rate, "
            f"{b.median(kept[arm], lambda run: run.disk['arm_moves']):.0f} arm moves, last after "
            f"{b.median(kept[arm], last) / SECOND:.2f} s" for arm in ("bare", "ahead", "tuned") if arm in kept]
