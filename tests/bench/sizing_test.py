"""Tests what bench/sizing computes from the reads of a run and the requests at the disk, and how it judges.

Usage: sizing_test.py BENCH_SIZING_FOLDER BENCH_CORE_FOLDER
"""
import sys
import unittest

sys.path[:0] = [sys.argv.pop(1), sys.argv.pop(1)]
import bench  # noqa: E402
import events  # noqa: E402
import ratio  # noqa: E402
import verdict  # noqa: E402
from events import Read, Request  # noqa: E402

SECOND = events.SECOND


def sequential(count, every, size=100, label=0):
    """Returns `count` reads of `size` bytes, one after the other, one ending each `every` ns."""
    return [Read(label, i * every, (i + 1) * every, i * size, size) for i in range(count)]


class ReadsTest(unittest.TestCase):
    def test_lines_become_reads(self):
        self.assertEqual(events.parse(Read, "1 2 3 4 5\n6 7 8 9 10\n"), [Read(1, 2, 3, 4, 5), Read(6, 7, 8, 9, 10)])

    def test_rate_after_leaves_the_beginning_out(self):
        slow_then_fast = sequential(1, SECOND) + [Read(0, SECOND, SECOND + 1 + i * SECOND // 10, 0, 100) for i in range(10)]
        self.assertAlmostEqual(events.rate_after(slow_then_fast, SECOND), 1111, delta=120)
        self.assertIsNone(events.rate_after(sequential(1, SECOND), SECOND))

    def test_rate_together_ends_with_the_first_reader(self):
        both = sequential(10, SECOND) + sequential(5, SECOND, label=1)
        self.assertEqual(round(events.rate_together(both)), 200)
        self.assertEqual(events.last_end(both), 10 * SECOND)

    def test_late_is_what_ends_after_its_time(self):
        on_time = sequential(4, SECOND)
        self.assertEqual(events.late(on_time, 100, SECOND), [])
        stalled = on_time[:2] + [read._replace(end=read.end + SECOND // 2) for read in on_time[2:3]] + on_time[3:]
        self.assertEqual(events.late(stalled, 100, SECOND), stalled[2:3])
        # Who stays behind is late with each read.
        self.assertEqual(len(events.late(on_time, 400, SECOND)), 3)

    def test_slots_hold_what_ended_in_them(self):
        self.assertEqual(events.slots(sequential(4, SECOND // 2), 1, 2 * SECOND + 1, SECOND), [200, 200])

    def test_pages_count_once(self):
        self.assertEqual(events.distinct_bytes([(0, 4096), (100, 50), (4095, 2)]), 8192)


class RequestsTest(unittest.TestCase):
    def test_ahead_is_what_was_asked_beyond_the_read_last_begun(self):
        reads = sequential(3, 10)
        self.assertEqual(events.most_ahead(reads, [Request(0, 0, 100, 1)]), 0)
        self.assertEqual(events.most_ahead(reads, [Request(0, 0, 150, 1), Request(25, 150, 350, 1)]), 200)

    def test_asking_again_is_not_further_ahead(self):
        requests = [Request(25, 0, 350, 1), Request(26, 0, 350, 1)]
        self.assertEqual(events.most_ahead(sequential(3, 10), requests), 50)

    def test_idle_share_counts_long_silences_only(self):
        requests = [Request(time, 0, 1, 1) for time in (10, 20, 30, 80)]
        self.assertEqual(events.silences(requests, 0, 100), [10, 10, 10, 50, 20])
        self.assertEqual(events.idle_share(requests, 0, 100, 20), 0.7)
        self.assertEqual(events.idle_share(requests, 0, 100, 51), 0)
        self.assertEqual(events.idle_share([], 0, 100, 100), 1)


class VerdictTest(unittest.TestCase):
    def line(self, *checks):
        return verdict.Line("row", "case", list(checks)).word

    def test_limits_are_met_at_the_limit_and_not_beyond(self):
        self.assertEqual(self.line(verdict.at_least("x", 0.95, 0.95), verdict.at_most("y", 2, 2)), "met")
        self.assertEqual(self.line(verdict.at_least("x", 0.949, 0.95)), "NOT MET")
        self.assertEqual(self.line(verdict.at_most("x", 2.01, 2)), "NOT MET")

    def test_one_failure_outweighs_what_is_not_measured(self):
        self.assertEqual(self.line(verdict.at_most("x", 1, 2), verdict.at_most("y", None, 2)), "open")
        self.assertEqual(self.line(verdict.at_most("x", 3, 2), verdict.at_most("y", None, 2)), "NOT MET")
        self.assertEqual(self.line(), "open")

    def test_never_slower_looks_at_the_upper_bound_and_shares_at_the_median(self):
        spread = ratio.Ratio([1.0] * 5 + [1.2] * 4)
        self.assertFalse(verdict.upper_bound("time", spread, 1.03).is_met)
        self.assertTrue(verdict.median_at_most("time", spread, 1.03).is_met)
        self.assertFalse(verdict.median_at_least("share", spread, 1.01).is_met)

    def test_a_skipped_line_is_neither_met_nor_not(self):
        self.assertEqual(verdict.Line("row", "case", [verdict.at_most("x", 3, 2)], skipped="no root").word, "skipped")


class BenchTest(unittest.TestCase):
    def test_ratios_are_of_the_same_round(self):
        def run(elapsed):
            return bench.Run({"elapsed_ns": elapsed}, {})
        kept = {"ahead": {0: run(2), 1: run(8)}, "bare": {1: run(4), 2: run(1)}}
        found = bench.compare(kept, "ahead", "bare", lambda one: one.elapsed_ns)
        self.assertEqual((found.count, found.median), (1, 2.0))
        self.assertIsNone(bench.compare({"ahead": {0: run(1)}, "bare": {}}, "ahead", "bare", lambda one: one.elapsed_ns))


if __name__ == "__main__":
    unittest.main()
