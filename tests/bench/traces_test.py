"""Tests the workloads of bench/traces: that they can be recorded, and that what is kept of them is in order.

Usage: traces_test.py BENCH_TRACES_FOLDER BUILD_FOLDER [NAME.of.test]
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

TRACES, BUILD = (pathlib.Path(sys.argv.pop(1)) for _ in range(2))
sys.path.insert(0, str(TRACES))
from record import LARGEST  # noqa: E402
from workloads import WORKLOADS  # noqa: E402

LARGEST_SUM = 2_000_000
MOST_READS = 20_000


def summary(trace):
    done = subprocess.run([BUILD / "cli/ahead", "trace", "--format", "json", str(trace)], check=True,
                          capture_output=True, text=True)
    return json.loads(done.stdout)


class KeptTracesTest(unittest.TestCase):
    def setUp(self):
        self.traces = sorted(TRACES.glob("*.trace"))

    def test_each_is_small(self):
        self.assertLessEqual(sum(trace.stat().st_size for trace in self.traces), LARGEST_SUM)
        for trace in self.traces:
            with self.subTest(trace.stem):
                self.assertLessEqual(trace.stat().st_size, LARGEST)
                said = summary(trace)
                self.assertLessEqual(said["all"]["reads"], MOST_READS)
                self.assertEqual(said["dropped_records"] + said["broken_records"] + said["unknown_records"], 0)

    def test_each_is_of_a_workload_and_in_the_table(self):
        rows = re.findall(r"^\| ([\w-]+) \| .* \| (?:yes|no) \|", (TRACES / "README.md").read_text(encoding="utf-8"),
                          re.MULTILINE)
        names = sorted(trace.stem for trace in self.traces)
        self.assertEqual(sorted(set(names) - set(WORKLOADS)), [])
        self.assertEqual(sorted(rows), names)
        predictable = (TRACES / "predictable.txt").read_text(encoding="utf-8").split()
        self.assertEqual(predictable, sorted(name for name, it in WORKLOADS.items() if it.is_predictable))


@unittest.skipUnless(os.access("/dev/fuse", os.R_OK | os.W_OK), "/dev/fuse cannot be opened")
class RecordTest(unittest.TestCase):
    def test_recording_holds_what_the_program_read(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([sys.executable, "-B", str(TRACES / "record.py"), "--build", str(BUILD), "--out", folder,
                            "--runs", "1", "columns", "threads-parts"], check=True, stdout=subprocess.DEVNULL)
            columns = summary(f"{folder}/columns.trace")
            # Tail, footer and head, and 12 groups x 5 columns x 4 pieces.
            self.assertEqual(columns["all"]["reads"], 3 + 12 * 5 * 4)
            self.assertEqual([file["path"] for file in columns["files"]], ["/disk/table"])
            self.assertGreaterEqual(summary(f"{folder}/threads-parts.trace")["threads"], 16)


if __name__ == "__main__":
    unittest.main()
