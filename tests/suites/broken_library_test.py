"""Runs a part of the suites with a library behind ours that is broken on purpose: the run has to say so. Without the
breakage the same run finds no difference.

Usage: broken_library_test.py BUILD_FOLDER BROKEN_LIBRARY
"""
import os
import pathlib
import subprocess
import sys
import unittest

BUILD, BROKEN = sys.argv[1:3]
RUN = pathlib.Path(__file__).with_name("run.py")


def run(breakage):
    argv = [sys.executable, "-B", RUN, "--build", BUILD, "--suites", "reading", "--units", "calls", "--places", "local",
            "--more-bare-runs", "1", "--after", BROKEN]
    env = os.environ | {"SUITES_BREAK": breakage}
    return subprocess.run(argv, env=env, capture_output=True, text=True, check=False)


class BrokenLibraryTest(unittest.TestCase):
    def test_library_that_breaks_nothing_makes_no_difference(self):
        done = run("nothing")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("0 differences", done.stdout)

    def test_short_reads_are_differences(self):
        done = run("short")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("DIFFERENT: calls: by_read large", done.stdout)

    def test_another_errno_is_a_difference(self):
        done = run("errno")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("DIFFERENT: calls: by_wrong_arguments", done.stdout)
        self.assertNotIn("by_read ", done.stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
