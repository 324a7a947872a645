"""Tests what bench/core computes from its runs: ratios, shares of the disk's limit, verdicts.

Usage: arithmetic_test.py BENCH_CORE_FOLDER
"""
import sys
import unittest

sys.path.insert(0, sys.argv.pop(1))
import disk  # noqa: E402
import measure  # noqa: E402
import ratio  # noqa: E402
import rows  # noqa: E402
import table  # noqa: E402


def result_of(criterion, **times):
    """Returns a Result whose arms took the given seconds, round by round, for 100 MB each."""
    result = measure.Result(rows.Row("name", "title", criterion), disk.DiskModel(12))
    for arm, seconds in times.items():
        for number, second in enumerate(seconds):
            result.runs.append({"arm": arm.replace("_", "-"), "round": number, "bytes": 100_000_000,
                                "elapsed_ns": second * 1e9, "reading_ns": second * 1e9, "late_bytes_per_s": None,
                                "check": "x", "disk": {"requests": 1000, "bytes": 100_000_000}})
    return result


class RatioTest(unittest.TestCase):
    def test_interval_contains_the_median_and_narrows_where_values_agree(self):
        wide, narrow = ratio.Ratio([0.8, 0.9, 1.0, 1.1, 1.2]), ratio.Ratio([0.99, 1.0, 1.0, 1.0, 1.01])
        self.assertLessEqual(wide.low, wide.median)
        self.assertGreaterEqual(wide.high, wide.median)
        self.assertLess(narrow.high - narrow.low, wide.high - wide.low)

    def test_pairs_are_those_of_the_same_round(self):
        both = ratio.paired({0: 2.0, 1: 4.0, 7: 100.0}, {0: 1.0, 1: 2.0, 3: 1.0})
        self.assertEqual((both.count, both.median), (2, 2.0))
        self.assertIsNone(ratio.paired({0: 1.0}, {1: 1.0}))


class DiskModelTest(unittest.TestCase):
    def test_limit_is_the_bandwidth_or_what_can_be_in_flight(self):
        self.assertEqual(disk.DiskModel(12, latency_ms=2).limit_bytes_per_s(), 500e6)
        self.assertEqual(disk.DiskModel(12, latency_ms=20).limit_bytes_per_s(), 12 * 131072 / (0.020 + 131072 / 500e6))


class VerdictTest(unittest.TestCase):
    def test_share_of_the_limit_is_met_at_the_limit_and_not_below(self):
        self.assertTrue(table.verdict(result_of(rows.limit_share(0.95), ahead=[0.2, 0.2]))[0])
        self.assertFalse(table.verdict(result_of(rows.limit_share(0.95), ahead=[0.22, 0.22]))[0])

    def test_not_slower_looks_at_the_upper_bound(self):
        same, spread = [1.0] * 9, [1.0] * 5 + [1.2] * 4
        self.assertTrue(table.verdict(result_of(rows.not_slower(1.03), bare=same, bare_again=same, ahead=same))[0])
        self.assertFalse(table.verdict(result_of(rows.not_slower(1.03), bare=same, bare_again=same, ahead=spread))[0])

    def test_row_without_its_oracle_is_open(self):
        result = result_of(rows.oracle_share(0.85), ahead=[1.0])
        result.missing["oracle"] = "no replay"
        self.assertEqual(table.verdict(result), (None, "oracle not available: no replay"))

    def test_more_bytes_than_allowed_are_found(self):
        self.assertTrue(table.verdict(result_of(rows.bytes_at_most(100_000_000), ahead=[1.0]))[0])
        self.assertFalse(table.verdict(result_of(rows.bytes_at_most(99_999_999), ahead=[1.0]))[0])

    def test_arms_that_read_different_content_end_the_run(self):
        result = result_of(rows.limit_share(0.9), bare=[1.0], ahead=[1.0])
        measure.Bench.compare_outputs(result)
        result.runs[0]["check"] = "y"
        self.assertRaises(RuntimeError, measure.Bench.compare_outputs, result)


if __name__ == "__main__":
    unittest.main()
