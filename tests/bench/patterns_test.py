"""Tests that each pattern of ahead-patterns reads what its name says: how much, from where, by what calls.

Usage: patterns_test.py AHEAD_PATTERNS
"""
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

PROGRAM = sys.argv.pop(1)
MIB = 1 << 20


class Patterns(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.file = pathlib.Path(cls.folder.name) / "file"
        cls.file.write_bytes(random.Random(1).randbytes(8 * MIB))

    def start(self, mode, file, *options):
        return subprocess.run([PROGRAM, mode, file, *options], capture_output=True, text=True, check=False)

    def run_pattern(self, mode, *options):
        done = self.start(mode, self.file, *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def assert_read(self, said, reads, size):
        self.assertEqual((said["reads"], said["bytes"]), (reads, size))

    def test_sequential_patterns_read_the_whole_file_once(self):
        pread, read = self.run_pattern("seq-pread"), self.run_pattern("seq-read")
        self.assert_read(pread, 128, 8 * MIB)
        self.assert_read(read, 2048, 8 * MIB)
        self.assertNotEqual(pread["checksum"], self.run_pattern("interleave")["checksum"])
        self.assert_read(self.run_pattern("interleave"), 128, 8 * MIB)
        self.assert_read(self.run_pattern("mmap-seq"), 2048, 8 * MIB)

    def test_counted_patterns_read_as_often_as_asked(self):
        for mode in ("backward", "backward-end", "stride", "stride-back", "stride-2level", "stride-jitter", "random",
                     "hot"):
            self.assert_read(self.run_pattern(mode, "--count", "7"), 7, 7 * 4096)

    def test_rows_and_groups_are_read_as_often_as_asked(self):
        self.assert_read(self.run_pattern("rows", "--count", "3"), 9, 3 * 7 * 4096)
        self.assert_read(self.run_pattern("stride-jitter", "--count", "7"), 7, 7 * 4096)
        self.assert_read(self.run_pattern("runs", "--count", "1"), 40, 5 * MIB // 2)

    def test_counted_patterns_end_with_the_file(self):
        self.assert_read(self.run_pattern("backward"), 1024, 4 * MIB)
        self.assert_read(self.run_pattern("backward-end"), 2048, 8 * MIB)
        self.assert_read(self.run_pattern("stride"), 32, 32 * 4096)
        self.assert_read(self.run_pattern("stride-back"), 32, 32 * 4096)
        self.assert_read(self.run_pattern("stride-2level"), 64, 64 * 4096)
        self.assert_read(self.run_pattern("stride-jitter"), 31, 31 * 4096)
        self.assert_read(self.run_pattern("stride", "--step", "64KiB"), 128, 128 * 4096)

    def test_head_reads_a_mebibyte_or_what_is_asked(self):
        self.assert_read(self.run_pattern("head"), 16, MIB)
        self.assert_read(self.run_pattern("head", "--bytes", "128KiB"), 2, 128 << 10)

    def test_checksum_follows_content_and_seed(self):
        first = self.run_pattern("random", "--seed", "5")["checksum"]
        self.assertEqual(first, self.run_pattern("random", "--seed", "5")["checksum"])
        self.assertNotEqual(first, self.run_pattern("random", "--seed", "6")["checksum"])
        before = self.run_pattern("seq-read")["checksum"]
        content = bytearray(self.file.read_bytes())
        content[5 * MIB + 3] ^= 1
        self.file.write_bytes(content)
        self.assertNotEqual(before, self.run_pattern("seq-read")["checksum"])

    def test_bad_usage_exits_2_and_a_missing_file_1(self):
        self.assertEqual(self.start("sideways", self.file).returncode, 2)
        self.assertEqual(self.start("head", "/nonexistent").returncode, 1)


if __name__ == "__main__":
    unittest.main()
