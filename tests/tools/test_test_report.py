import contextlib
import io
import unittest

import tap
import test_report


def record(stdout, result="OK", returncode=0, stderr=""):
    """A line of Meson's testlog.json."""
    return {"name": "err", "stdout": stdout, "stderr": stderr, "result": result, "returncode": returncode}


def report(records, expected=None):
    """The exit status and the lines of a verdict."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        status = test_report.verdict(["err"] * len(records) if expected is None else expected, records)
    return status, out.getvalue().splitlines()


class TestReport(unittest.TestCase):
    def assert_ends(self, records, status, last_line, expected=None):
        got_status, lines = report(records, expected)
        self.assertEqual((got_status, lines[-1]), (status, last_line))
        return "\n".join(lines)

    def test_cases_are_counted_not_programs(self):
        two = record("1..2\nok 1 - a\nok 2 - b\n")
        self.assert_ends([two, two], 0, "4 passed, 0 failed")

    def test_a_failed_case_is_named_and_its_output_shown(self):
        text = self.assert_ends(
            [record("1..2\nok 1 - a\nnot ok 2 - b\n# 1 != 2\n", "FAIL", 1, "oh dear\n")], 1, "1 passed, 1 failed"
        )
        self.assertIn("failed: err: b", text)
        self.assertIn("# 1 != 2", text)
        self.assertIn("oh dear", text)
        self.assertNotIn("ok 1 - a", text)

    def test_a_crash_counts_the_cases_that_did_not_run(self):
        self.assert_ends([record("1..3\nok 1 - a\n", "FAIL", -11)], 1, "1 passed, 2 failed")

    def test_a_crash_after_the_last_case_is_a_failure(self):
        self.assert_ends([record("1..1\nok 1 - a\n", "ERROR", 1)], 1, "1 passed, 1 failed")

    def test_a_timeout_is_a_failure(self):
        self.assert_ends([record("1..1\nok 1 - a\n", "TIMEOUT", 0)], 1, "1 passed, 1 failed")

    def test_no_plan_is_a_failure(self):
        self.assert_ends([record("hello\n")], 1, "0 passed, 1 failed")
        self.assert_ends([record("", "TIMEOUT", -15)], 1, "0 passed, 1 failed")
        self.assert_ends([record("ok 1 - a\n")], 1, "1 passed, 1 failed")

    def test_more_cases_than_planned_are_a_failure(self):
        self.assert_ends([record("1..1\nok 1 - a\nok 2 - b\n")], 1, "2 passed, 1 failed")

    def test_several_groups_in_one_program_add_up(self):
        self.assert_ends([record("1..1\nok 1 - a\n1..2\nok 1 - b\nok 2 - c\n")], 0, "3 passed, 0 failed")

    def test_a_plan_may_come_last(self):
        self.assert_ends([record("ok 1 - a\n1..1\n")], 0, "1 passed, 0 failed")

    def test_bailing_out_is_a_failure(self):
        self.assert_ends([record("1..1\nBail out! no disk\n", "ERROR", 1)], 1, "0 passed, 1 failed")

    def test_a_skipped_case_is_shown_and_not_counted(self):
        text = self.assert_ends([record("1..2\nok 1 - a\nok 2 - b # SKIP no java\n")], 0, "1 passed, 0 failed")
        self.assertIn("skipped: err: b # SKIP no java", text)

    def test_a_skipped_program_is_shown_and_not_counted(self):
        other = record("1..1\nok 1 - a\n")
        text = self.assert_ends([record("1..0 # SKIP no java\n", "SKIP"), other], 0, "1 passed, 0 failed")
        self.assertIn("no java", text)

    def test_output_in_the_middle_of_a_line_is_not_a_case(self):
        self.assert_ends([record("1..1\n# ok - group\n  ok 1 - inner\nokay\nok 1 - a\n")], 0, "1 passed, 0 failed")

    def test_a_program_that_meson_did_not_run_is_a_failure(self):
        self.assert_ends([record("1..1\nok 1 - a\n")], 1, "1 passed, 1 failed", expected=["err", "civil"])

    def test_zero_tests_are_not_success(self):
        self.assert_ends([], 1, "0 passed, 0 failed")
        self.assert_ends([record("1..0 # SKIP no java\n", "SKIP")], 1, "0 passed, 0 failed")

    def test_endless_output_is_cut(self):
        text = self.assert_ends([record("1..1\nnot ok 1 - a\n" + "x\n" * 5000, "FAIL", 1)], 1, "0 passed, 1 failed")
        self.assertLess(text.count("\n"), test_report.OUTPUT_LINES_MAX + 10)


if __name__ == "__main__":
    tap.main()
