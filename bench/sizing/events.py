"""Answers questions about one run from two lists: the reads of ahead-load (label, begin, end, offset, size) and the
requests that came to the disk (time, offset, length, inode). Times are of the same monotonic clock, in ns."""
import bisect
import collections
import typing

SECOND = 1_000_000_000
PAGE = 4096


class Read(typing.NamedTuple):
    label: int
    begin: int
    end: int
    offset: int
    size: int

    @property
    def took(self):
        return self.end - self.begin


class Request(typing.NamedTuple):
    time: int
    offset: int
    length: int
    inode: int


def parse(kind, text):
    """Parses lines of whole numbers into a list of `kind`, Read or Request."""
    return [kind(*map(int, line.split())) for line in text.splitlines()]


def rate(reads, begin, end):
    """Returns the bytes a second that reads ending in [begin, end) brought, or None for no time."""
    return None if end <= begin else sum(read.size for read in reads if begin <= read.end < end) * SECOND / (end - begin)


def rate_after(reads, ns):
    """Returns the bytes a second from `ns` after the first read to the last, or None when the run was shorter."""
    begin, end = min(read.begin for read in reads) + ns, max(read.end for read in reads)
    return rate(reads, begin, end + 1) if end > begin else None


def of_label(reads, label):
    return [read for read in reads if read.label == label]


def last_end(reads):
    """Returns how long after the first read the last one ended."""
    return max(read.end for read in reads) - min(read.begin for read in reads)


def rate_together(reads):
    """Returns the bytes a second that all readers got while none of them had finished."""
    ends = {}
    for read in reads:
        ends[read.label] = max(ends.get(read.label, 0), read.end)
    begin = min(read.begin for read in reads)
    return rate(reads, begin, min(ends.values()) + 1)


def most_ahead(reads, requests):
    """Returns the most bytes that were asked for ahead of the one reader, who reads on from offset 0: how far the furthest
    request reached beyond the end of the read that was last begun."""
    reads = sorted(reads, key=lambda read: read.begin)
    begins = [read.begin for read in reads]
    furthest = most = 0
    for request in sorted(requests):
        furthest = max(furthest, request.offset + request.length)
        begun = bisect.bisect_right(begins, request.time)
        position = reads[begun - 1].offset + reads[begun - 1].size if begun else 0
        most = max(most, furthest - position)
    return most


def distinct_bytes(ranges):
    """Returns how many bytes of pages the (offset, length) pairs cover, each page once."""
    pages = set()
    for offset, length in ranges:
        pages.update(range(offset // PAGE, -(-(offset + length) // PAGE)))
    return len(pages) * PAGE


def read_bytes(reads):
    return distinct_bytes((read.offset, read.size) for read in reads)


def slow(reads, ns):
    """Returns the reads that took longer than `ns`."""
    return [read for read in reads if read.took > ns]


def late(reads, rate_wanted, ns):
    """Returns the reads that ended more than `ns` after they should have been asked for: the first at once, each other when
    those before it were consumed at `rate_wanted` bytes a second."""
    begin, done, found = reads[0].begin, 0, []
    for read in reads:
        if read.end - begin - done * SECOND / rate_wanted > ns:
            found.append(read)
        done += read.size
    return found


def slots(reads, begin, end, width):
    """Returns the bytes a second of each whole slot of `width` ns in [begin, end)."""
    count = (end - begin) // width
    sums = collections.Counter((read.end - begin) // width for read in reads)
    sizes = collections.Counter()
    for read in reads:
        sizes[(read.end - begin) // width] += read.size
    return [sizes[slot] * SECOND / width for slot in range(count)] if sums else []


def silences(requests, begin, end):
    """Returns the lengths of time without a request within [begin, end]."""
    times = [begin, *sorted(request.time for request in requests if begin <= request.time <= end), end]
    return [later - earlier for earlier, later in zip(times, times[1:])]


def idle_share(requests, begin, end, shortest):
    """Returns the share of [begin, end] that lies in silences of at least `shortest` ns: as long as a disk needs to be
    worth spinning down."""
    return sum(gap for gap in silences(requests, begin, end) if gap >= shortest) / (end - begin)
