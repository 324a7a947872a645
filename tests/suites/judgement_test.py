"""Tests what the suites conclude from what they ran: what is equal, what is set aside, what shows the library at work.

Usage: judgement_test.py
"""
import contextlib
import pathlib
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import activity  # noqa: E402
import chance  # noqa: E402
import command  # noqa: E402
import cpython  # noqa: E402
import examine  # noqa: E402
import fio  # noqa: E402
import run  # noqa: E402
import stress  # noqa: E402
import unit  # noqa: E402
import verdicts  # noqa: E402

AT_WORK = activity.Activity(1, 1, 1)


class CompareTest(unittest.TestCase):
    def test_case_that_differs_from_itself_is_set_aside_and_not_a_difference(self):
        found = verdicts.compare([{"a": "passed"}, {"a": "failed"}], {"a": "killed by 9"})
        self.assertEqual((found.set_aside, found.differences), ({"a": ["failed", "passed"]}, []))

    def test_case_that_only_the_preloaded_run_decides_otherwise_is_a_difference(self):
        found = verdicts.compare([{"a": "passed", "b": "passed"}] * 2, {"a": "failed", "b": "passed"})
        self.assertEqual([str(one) for one in found.differences], ["a: bare passed, preloaded failed"])
        self.assertEqual(found.agreed, {"b": "passed"})

    def test_case_that_fails_bare_must_fail_preloaded(self):
        self.assertEqual(len(verdicts.compare([{"a": "failed"}] * 2, {"a": "passed"}).differences), 1)

    def test_case_that_is_missing_in_the_preloaded_run_is_a_difference(self):
        self.assertEqual(verdicts.compare([{"a": "passed"}] * 2, {}).differences[0].preloaded, verdicts.ABSENT)

    def test_case_that_only_the_preloaded_run_has_is_a_difference(self):
        self.assertEqual(verdicts.compare([{}, {}], {"a": "passed"}).differences[0].bare, verdicts.ABSENT)

    def test_case_that_one_bare_run_lacks_is_set_aside(self):
        self.assertEqual(list(verdicts.compare([{"a": "passed"}, {}], {"a": "passed"}).set_aside), ["a"])

    def test_one_bare_run_is_refused(self):
        self.assertRaises(ValueError, verdicts.compare, [{}], {})

    def test_another_reason_to_skip_is_a_difference(self):
        found = verdicts.compare([{"a": "skipped: no root"}] * 2, {"a": "skipped: no thread"})
        self.assertEqual(len(found.differences), 1)


class Scripted:
    """A unit and a place without commands: the runs take their verdicts from a list, in turn."""
    name = places = "scripted"
    must_ask = False

    def __init__(self, *runs):
        self.left = list(runs)
        self.preloads = []

    @contextlib.contextmanager
    def entered(self, _, scratch):
        folder = scratch / "work"
        folder.mkdir()
        yield folder

    def run(self, work):
        self.preloads.append(work.env.get("LD_PRELOAD"))
        return self.left.pop(0)


class ExamineTest(unittest.TestCase):
    def examine(self, *runs, more=2):
        scripted = Scripted(*runs)
        with tempfile.TemporaryDirectory() as folder:
            report = examine.examine(scripted, scripted, examine.Setting("/bin/false", ["lib.so"], {}, folder, more))
        return report, scripted

    def test_only_the_second_run_is_preloaded(self):
        report, scripted = self.examine({"a": "passed"}, {"a": "passed"}, {"a": "passed"})
        self.assertEqual(scripted.preloads, [None, "lib.so", None])
        self.assertEqual(report.comparison.agreed, {"a": "passed"})

    def test_further_bare_runs_may_set_a_difference_aside(self):
        report, scripted = self.examine({"a": "passed"}, {"a": "failed"}, {"a": "passed"}, {"a": "failed"})
        self.assertEqual((report.comparison.differences, list(report.comparison.set_aside)), ([], ["a"]))
        self.assertEqual(scripted.preloads[2:], [None, None])

    def test_difference_stands_when_all_bare_runs_agree(self):
        report, scripted = self.examine({"a": "passed"}, {"a": "failed"}, *[{"a": "passed"}] * 3)
        self.assertEqual((len(report.comparison.differences), scripted.left), (1, []))

    def test_unit_that_cannot_be_run_is_trouble(self):
        report, _ = self.examine({"a": "passed"})
        self.assertIn("IndexError", report.trouble)
        self.assertFalse(run.summary("t", [report], False)[1])


def report(bare, ours, active=AT_WORK):
    return examine.Report("unit", verdicts.compare([bare, bare], ours), active)


class SummaryTest(unittest.TestCase):
    def test_difference_is_named_and_fails(self):
        lines, is_well = run.summary("t", [report({"a": "passed"}, {"a": "failed"})], False)
        self.assertFalse(is_well)
        self.assertIn("  DIFFERENT: unit: a: bare passed, preloaded failed", lines)

    def test_equal_runs_pass(self):
        self.assertTrue(run.summary("t", [report({"a": "passed"}, {"a": "passed"})], True)[1])

    def test_equal_runs_without_the_library_fail(self):
        self.assertFalse(run.summary("t", [report({"a": "passed"}, {"a": "passed"}, activity.Activity())], False)[1])

    def test_one_unit_without_the_library_fails_the_suite(self):
        both = [report({"a": "passed"}, {"a": "passed"}),
                report({"a": "passed"}, {"a": "passed"}, activity.Activity(0, 5, 5))]
        self.assertFalse(run.summary("t", both, False)[1])

    def test_engine_must_see_reads_and_ask_where_files_are_cold(self):
        self.assertIsNotNone(activity.doubt(activity.Activity(3, 0, 0), False))
        self.assertIsNone(activity.doubt(activity.Activity(3, 1, 0), False))
        self.assertIsNotNone(activity.doubt(activity.Activity(3, 1, 0), True))


class CommandTest(unittest.TestCase):
    def run_shell(self, script, seconds=60):
        return command.run(["/bin/sh", "-c", script], "/", {"PATH": "/usr/bin:/bin"}, seconds)

    def test_status_tells_exits_signals_and_deadlines_apart(self):
        self.assertEqual(self.run_shell("exit 3").status, "3")
        self.assertEqual(self.run_shell("kill -9 $$").status, "killed by 9")
        self.assertEqual(self.run_shell("exec sleep 1000", seconds=0.2).status, command.TIMED_OUT)

    def test_what_a_command_leaves_behind_is_ended(self):
        left = int(self.run_shell("sleep 1000 >/dev/null 2>&1 & echo $!").out)
        # Killed by now; gone as soon as its new parent has taken note.
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline and state_of(left) not in ("", "Z"):
            time.sleep(0.01)
        self.assertIn(state_of(left), ("", "Z"))


def state_of(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0]
    except OSError:
        return ""


class ParserTest(unittest.TestCase):
    def test_junit_report_gives_a_verdict_for_each_method(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "x.xml"
            path.write_text("""<testsuites><testsuite><testcase name="test.test_a.T.one"/>
                <testcase name="test.test_a.T.one"><skipped>no root</skipped></testcase>
                <testcase name="two"><failure>x</failure></testcase>
                <testcase name="three"><error>x</error></testcase></testsuite></testsuites>""", encoding="utf-8")
            self.assertEqual(cpython.read_report(path), {
                "test_a.T.one": "passed", "test_a.T.one #2": "skipped: no root", "two": "failure", "three": "error"})

    def test_stressor_says_what_failed_without_its_numbers(self):
        said = b"stress-ng: fail:  [77] hdd: read 12 of 0xff\nstress-ng: info: [77] done\n"
        outcome = command.Outcome("2", b"", said)
        self.assertEqual(stress.verdicts("hdd", outcome, "      bogo-ops: 50\n"),
                         {"hdd": "failed", "hdd failures": "[N] hdd: read N of N", "hdd operations": "50"})

    def test_stressor_without_resources_is_skipped(self):
        self.assertEqual(stress.verdicts("a", command.Outcome("3", b"", b""), "")["a"], "skipped: no resources")

    def test_job_with_an_error_has_it_as_verdict(self):
        out = b'note {"jobs": [{"error": 84, "read": {"io_bytes": 5}, "write": {"io_bytes": 6}}]}'
        found = fio.job_verdicts(out, 1)
        self.assertEqual((found["job 0"], found["job 0 read bytes"], found["jobs"]), ("error 84", "5", "passed"))
        self.assertEqual(fio.job_verdicts(out, 2)["jobs"], "1")
        self.assertEqual(fio.job_verdicts(b"fio: bad option", 1), {"report": "unreadable"})


class UnitTest(unittest.TestCase):
    def test_every_unit_has_a_place_and_a_name_of_its_own(self):
        for suite in run.SUITES.values():
            if suite.missing(pathlib.Path("/")) and suite is not chance:
                continue
            units = list(suite.units(pathlib.Path("/")))
            self.assertEqual(len({one.name for one in units}), len(units), suite.NAME)
            for one in units:
                self.assertLessEqual(set(one.selected), set(one.places), one.name)
                self.assertTrue("disk" not in one.places or one.prepare, one.name)

    def test_settings_of_the_engine_do_not_reach_the_runs(self):
        self.assertFalse([name for name in unit.clean_environment() if name.startswith(("AHEAD_", "LD_PRELOAD"))])


if __name__ == "__main__":
    unittest.main()
