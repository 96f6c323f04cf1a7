"""What becomes of programs: how they start, what they see, how they end, and that nothing of them is left."""

import json
import os
import pathlib
import resource
import tempfile
import time
import unittest

import server
import tap
from server import program


def processes_with(word):
    """The pids of living processes with word in their arguments."""
    found = []
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            arguments = (folder / "cmdline").read_bytes()
            state = (folder / "stat").read_text().rsplit(")", 1)[1].split()[0]
        except OSError:
            continue
        if word.encode() in arguments and state != "Z":
            found.append(int(folder.name))
    return found


def children_of(pid):
    """Zombies included."""
    tasks = pathlib.Path(f"/proc/{pid}/task").iterdir()
    return [child for task in tasks for child in (task / "children").read_text().split()]


def open_gate(gate, is_done):
    """Lets everybody through who reads the pipe, also those who come late."""
    until = time.monotonic() + server.SECONDS_MAX
    while not is_done() and time.monotonic() < until:
        try:
            os.close(os.open(gate, os.O_WRONLY | os.O_NONBLOCK))
        except OSError:
            pass  # nobody is there now
        time.sleep(0.005)


class Programs(unittest.TestCase):
    def setUp(self):
        self.server = server.Server()
        self.addCleanup(self.server.stop)
        self.worker = server.Worker(self.server)
        self.addCleanup(self.worker.close)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_program(self, *argv, **more):
        return self.server.run(program(*argv, **more))

    def test_exit_codes_mean_what_the_contract_says(self):
        for code, retryable in [(1, True), (2, True), (63, True), (64, False), (70, False), (74, False), (75, True),
                                (76, False), (78, False), (79, True), (255, True)]:
            report = self.run_program("sh", "-c", f"exit {code}")
            self.assertEqual((report["status"], report["error"]["code"]), ("failed", f"exit_{code}"))
            self.assertEqual(report["retryable"], retryable, code)
        self.assertEqual(self.run_program("true")["status"], "succeeded")

    def test_a_signal_is_retried(self):
        report = self.run_program("sh", "-c", "kill -9 $$")
        self.assertEqual((report["status"], report["error"]["code"], report["retryable"]), ("failed", "signal_9", True))

    def test_what_cannot_be_started_is_permanent(self):
        script = self.folder / "script"
        script.write_text("echo no interpreter line\n")
        for argv, cwd, code in [
            (["no-such-program"], None, "not_found"),
            ([str(self.folder / "nothing")], None, "not_found"),
            ([str(script)], None, "not_executable"),
            ([str(self.folder)], None, "not_executable"),
            (["true"], str(self.folder / "nowhere"), "bad_cwd"),
        ]:
            report = self.run_program(*argv, cwd=cwd)
            self.assertEqual((report["error"]["code"], report["retryable"]), (code, False))
        script.chmod(0o755)
        self.assertEqual(self.run_program(str(script))["error"]["code"], "not_executable")  # no shell is tried

    def test_words_are_words_and_no_shell_reads_them(self):
        report = self.run_program("printf", "%s|", "a b", "$(id)", "", "*", "ü")
        self.assertEqual(report["output"], "a b|$(id)||*|ü|")

    def test_the_payload_is_standard_input(self):
        payload = {"text": "ünï", "list": [1, 2.50, None]}
        self.assertEqual(json.loads(self.run_program("cat", payload=payload)["output"]), payload)

    def test_a_large_payload_that_nobody_reads_holds_nobody_up(self):
        report = self.run_program("true", payload="x" * 250_000)
        self.assertEqual(report["status"], "succeeded")

    def test_the_environment_is_clean_and_says_what_runs(self):
        one = program("env", env={"MINE": "1 2", "HOME": "/nowhere", "BELFRY_JOB": "forged"})
        seen = dict(line.split("=", 1) for line in self.server.run(one)["output"].splitlines())
        self.assertEqual((seen["MINE"], seen["HOME"]), ("1 2", "/nowhere"))
        self.assertEqual((seen["BELFRY_ATTEMPT"], seen["BELFRY_JOB"]), (one["id"], one["job"]))
        self.assertEqual((seen["BELFRY_TRIGGER"], seen["BELFRY_TENANT"]), (one["trigger"], "acme"))
        self.assertEqual((seen["BELFRY_NAME"], seen["BELFRY_SCHEDULED_FOR"]), ("nightly", "2026-04-08T09:00:00.000Z"))
        self.assertEqual(seen["BELFRY_IDEMPOTENCY_KEY"], one["idempotency_key"])
        self.assertIn("PATH", seen)
        known = {"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR", "MINE"}
        self.assertEqual({name for name in seen if not name.startswith("BELFRY_")} - known, set())

    def test_it_works_in_its_folder(self):
        self.assertEqual(self.run_program("pwd", cwd=str(self.folder))["output"], f"{self.folder.resolve()}\n")

    def test_it_has_three_descriptors_and_no_blocked_signals(self):
        self.assertEqual(self.run_program("sh", "-c", "ls /proc/$$/fd; exit 0")["output"], "0\n1\n2\n")
        status = self.run_program("cat", "/proc/self/status")["output"]
        masks = dict(line.split(":\t", 1) for line in status.splitlines() if line.startswith("Sig"))
        self.assertEqual((int(masks["SigBlk"], 16), int(masks["SigIgn"], 16)), (0, 0))

    def test_both_outputs_are_kept_in_order(self):
        self.assertEqual(self.run_program("sh", "-c", "echo a; echo b >&2; echo c; exit 3")["output"], "a\nb\nc\n")

    def test_of_a_flood_the_end_is_kept(self):
        output = self.run_program("sh", "-c", "yes | head -c 3000000; echo; echo the end")["output"]
        self.assertTrue(output.endswith("\nthe end\n"))
        self.assertLessEqual(len(output), 65536)
        self.assertIn("bytes before this are not kept", output[:80])

    def test_bytes_that_are_no_text_do_not_stop_the_report(self):
        report = self.run_program("printf", r"a\000b\377c\033[1m")
        self.assertEqual(report["output"], "a\ufffdb\ufffdc\x1b[1m")

    def test_a_program_that_closes_its_outputs_still_ends_by_itself(self):
        report = self.run_program("sh", "-c", "exec >&- 2>&-; kill -s KILL $$")
        self.assertEqual(report["error"]["code"], "signal_9")

    def test_a_timeout_ends_it_and_is_retried(self):
        report = self.run_program("sh", "-c", "echo begun; sleep 1000", timeout="300ms")
        self.assertEqual((report["status"], report["error"]["code"], report["retryable"]), ("failed", "timeout", True))
        self.assertEqual(report["output"], "begun\n")

    def test_who_ignores_the_timeout_is_killed_with_all_that_it_started(self):
        mark = f"100{os.getpid()}.25"
        script = (f"trap '' TERM; (trap '' TERM; setsid sleep {mark} & setsid sh -c 'sleep {mark}; sleep {mark}' &"
                  f" sleep {mark}); sleep {mark}")
        one = program("sh", "-c", script, timeout="300ms")
        self.assertEqual(self.server.run(one)["error"]["code"], "timeout")
        self.assertEqual(processes_with(mark), [])

    def test_what_a_program_leaves_behind_is_gone_before_its_end_is_told(self):
        mark = f"200{os.getpid()}.25"
        daemon = ("import os, sys\nif os.fork() == 0:\n os.setsid()\n if os.fork() == 0:\n"
                  f"  os.execvp('sleep', ['sleep', '{mark}'])\n os._exit(0)\nos.wait()\n")
        for argv in (
            ["sh", "-c", f"sleep {mark} & exit 0"],
            ["sh", "-c", f"setsid sleep {mark} & exit 0"],
            ["sh", "-c", f"setsid sh -c 'sleep {mark} & sleep {mark}' & exit 0"],
            ["python3", "-c", daemon],
        ):
            self.assertEqual(self.run_program(*argv)["status"], "succeeded")
            self.assertEqual(processes_with(mark), [], argv)
        self.assertEqual(children_of(self.worker.pid), [])

    def test_orphans_that_end_early_are_no_zombies(self):
        gate = self.folder / "gate"
        os.mkfifo(gate)
        self.server.give(program("sh", "-c", f"(true & true & sleep 0 &); cat {gate}"))
        self.server.wait_for(lambda: len(self.server.holding()) == 1)
        self.worker.figures_until(lambda _: len(children_of(self.worker.pid)) == 1)
        open_gate(gate, lambda: len(self.server.reports) == 1)

    def test_nothing_leaks_over_many_programs(self):
        self.server.run(*[program("true") for _ in range(20)])
        before = self.worker.figures_until(lambda it: it["running"] == 0)["fds"]
        self.server.run(*[program("echo", str(i)) for i in range(150)])
        self.worker.figures_until(lambda it: it["fds"] <= before + 1)
        self.assertEqual(children_of(self.worker.pid), [])


class Crowd(unittest.TestCase):
    def test_programs_do_not_inherit_the_limits_of_a_large_worker(self):
        before = resource.getrlimit(resource.RLIMIT_NOFILE)
        self.addCleanup(resource.setrlimit, resource.RLIMIT_NOFILE, before)
        resource.setrlimit(resource.RLIMIT_NOFILE, (256, before[1]))
        side = server.Server()
        self.addCleanup(side.stop)
        worker = server.Worker(side, slots=500)
        self.addCleanup(worker.close)
        self.assertEqual(side.run(program("sh", "-c", "ulimit -n"))["output"], "256\n")

    def test_five_hundred_programs_run_at_once(self):
        side = server.Server()
        self.addCleanup(side.stop)
        worker = server.Worker(side, slots=500)
        self.addCleanup(worker.close)
        with tempfile.TemporaryDirectory() as folder:
            gate = os.path.join(folder, "gate")
            os.mkfifo(gate)
            crowd = [program("cat", gate) for _ in range(500)]
            side.give(*crowd)
            side.wait_for(lambda: len(side.holding()) == 500)
            self.assertEqual(side.exchanges[-1].want, 0)
            open_gate(gate, lambda: len(side.reports) == 500)
            self.assertEqual({side.report_of(one["id"])["status"] for one in crowd}, {"succeeded"})
        worker.figures_until(lambda it: it["running"] == 0)
        self.assertEqual(children_of(worker.pid), [])


if __name__ == "__main__":
    tap.main()
