"""The rows of the table: what is run on which disk, and what each must show. A criterion takes a Result and returns
(is met, the number that says so)."""
import dataclasses
from collections.abc import Callable

MIB = 1 << 20


def limit_share(least):
    def judge(result):
        share = result.limit_share("ahead")
        return share.median >= least, f"{share:.3f} of the disk's limit"
    return Criterion(f">= {least:.2f} of the disk's limit", judge)


def late_limit_share(least):
    def judge(result):
        share = result.late_limit_share("ahead")
        if share is None:
            return None, "it ended within a second"
        return share.median >= least, f"{share:.3f} of the limit after the first second"
    return Criterion(f">= {least:.2f} of the limit after the first second", judge)


def oracle_share(least):
    def judge(result):
        share = result.ratio("oracle", "ahead")
        if share is None:
            return None, "no oracle"
        return share.median >= least, f"{share:.3f} of the oracle"
    return Criterion(f">= {least:.2f} of the oracle", judge, needs=("oracle",))


def not_slower(most):
    def judge(result):
        ratio = result.ratio("ahead", "bare")
        return ratio.high <= most, f"{ratio:.3f} of bare's time"
    return Criterion(f"time, upper bound <= {most:.2f}x bare", judge, needs=("bare", "bare-again"))


def bytes_at_most(most):
    def judge(result):
        worst = max(run["disk"]["bytes"] for run in result.of("ahead"))
        return worst <= most, f"{worst / MIB:.2f} MiB at most"
    return Criterion(f"<= {most / MIB:g} MiB from the disk", judge)


def counted_like_bare(most, time_most):
    slower = not_slower(time_most)

    def judge(result):
        requests = result.counted("ahead", "requests") / result.counted("bare", "requests")
        size = result.counted("ahead", "bytes") / result.counted("bare", "bytes")
        is_fast, time = slower.judge(result)
        return requests <= most and size <= most and is_fast, f"{requests:.3f}x requests, {size:.3f}x bytes, {time}"
    return Criterion(f"requests and bytes <= {most:.2f}x bare; {slower.text}", judge, needs=slower.needs)


@dataclasses.dataclass(frozen=True)
class Criterion:
    text: str
    judge: Callable
    needs: tuple = ()  # arms to compare with


@dataclasses.dataclass(frozen=True)
class Row:
    name: str
    title: str
    criterion: Criterion
    pattern: tuple = ()        # arguments of ahead-patterns; without, `md5sum FILE`
    latency_ms: float = 2.0
    file_mib: int = 256

    @property
    def is_dense(self):
        """Says whether the row reads a region whole, so that a share of the disk's bandwidth means something."""
        return not self.pattern or self.pattern[0] not in ("stride", "stride-back", "head", "random")

    @property
    def is_mapped(self):
        """Says whether the row reads through a mapping, whose faults no trace holds."""
        return bool(self.pattern) and self.pattern[0].startswith("mmap")

    def command(self, tools, file):
        return [str(tools.patterns), self.pattern[0], file, *self.pattern[1:]] if self.pattern else ["md5sum", file]


ROWS = (
    Row("seq-pread", "sequential pread 64 KiB, 256 MiB", limit_share(0.95), ("seq-pread",)),
    Row("seq-read", "sequential read 4 KiB, 256 MiB", limit_share(0.95), ("seq-read",)),
    Row("md5sum", "md5sum of 256 MiB", limit_share(0.90)),
    # 1 GiB, so that something is left after the first second.
    Row("md5sum-0.2ms", "md5sum of 1 GiB at 0.2 ms", late_limit_share(0.80), latency_ms=0.2, file_mib=1024),
    Row("md5sum-20ms", "md5sum of 1 GiB at 20 ms", late_limit_share(0.80), latency_ms=20, file_mib=1024),
    Row("backward", "backward 4 KiB from the middle, 3,000 reads", limit_share(0.80), ("backward", "--count", "3000")),
    Row("backward-end", "the same from the end of the file", limit_share(0.80), ("backward-end", "--count", "3000")),
    Row("stride", "4 KiB every 256 KiB, 1,000 reads", oracle_share(0.85), ("stride", "--count", "1000")),
    Row("stride-back", "the same backwards", oracle_share(0.85), ("stride-back", "--count", "1000")),
    Row("interleave", "8 readers interleaved on one fd, 64 KiB", oracle_share(0.90), ("interleave",)),
    # "No worse" needs a number: the one the random row and the cached rows use.
    Row("mmap-seq", "mmap touched sequentially, 256 MiB", not_slower(1.03), ("mmap-seq",)),
    Row("head", "1 MiB of a 256 MiB file, then close", bytes_at_most(3 * MIB), ("head",)),
    Row("random", "2,000 random 4 KiB preads", counted_like_bare(1.01, 1.03), ("random", "--count", "2000")),
)
