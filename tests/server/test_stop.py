"""How a server stops: nobody is left without an answer, nothing that was said is lost."""

import os
import pathlib
import signal
import unittest

import process
import tap


class Stop(process.ProcessCase):
    def work(self, server, **parts):
        return server.open("POST", "/v1/work", {"worker": "w-1", "want": 1, "capacity": 1, **parts})

    def test_a_stop_ends_with_0(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            server = self.server()
            server.signal(number)
            self.assertEqual(server.wait(), 0, server.logged())
            self.assertIn("event=server.stopped", server.logged())

    def test_a_hang_up_changes_nothing(self):
        server = self.server()
        server.signal(signal.SIGHUP)
        self.assertEqual(server.call("GET", "/healthz")[0], 200)
        self.assertEqual(server.stop(), 0)

    def test_a_worker_that_waits_is_answered_and_told(self):
        server = self.server()
        waiting = self.work(server, wait="60s")
        self.assertEqual(server.call("GET", "/healthz")[0], 200)
        self.wait_for(lambda: server.call("GET", "/readyz")[0] == 200)
        server.signal(signal.SIGTERM)
        status, _, answer = server.answer(waiting)
        self.assertEqual(status, 200)
        self.assertEqual((answer["attempts"], answer["drain"]), ([], True))
        self.assertEqual(server.wait(), 0)

    def test_what_was_acknowledged_before_a_stop_is_there_after_it(self):
        server = self.server()
        for number in range(20):
            self.assertEqual(server.call("POST", "/v1/jobs", {"name": f"n{number}", "delay": "1h"})[0], 202)
        self.assertEqual(server.stop(), 0)
        server = self.server()
        for number in range(20):
            self.assertEqual(server.call("POST", "/v1/jobs", {"name": f"n{number}", "delay": "1h"})[0], 200)

    def test_a_backup_that_is_cut_off_leaves_no_half_of_it(self):
        jobs = [{"delay": "1h", "payload": "x" * 200000} for _ in range(60)]
        for number in range(3):
            server = self.server("--drain-grace", "0s")
            self.assertEqual(server.call("POST", "/v1/jobs/batch", {"jobs": jobs})[0], 202)
            path = os.path.join(self.folder, f"copy-{number}")
            server.open("POST", "/v1/backup", {"path": path})
            self.wait_for(lambda: os.path.exists(path + ".partial") or os.path.exists(path))
            server.signal(signal.SIGTERM)
            self.assertEqual(server.wait(), 0, server.logged())
            self.assertNotIn("Sanitizer", server.logged())
            self.assertFalse(os.path.exists(path + ".partial"))

    def shell_job(self, server, script):
        return server.call("POST", "/v1/jobs", {"name": "run", "target": {"exec": {"argv": ["/bin/sh", "-c", script]}}})

    def test_what_runs_in_the_same_process_is_waited_for(self):
        server = self.up("--drain-grace", "50s")
        gate, ended = os.path.join(self.folder, "gate"), pathlib.Path(self.folder, "ended")
        begun = pathlib.Path(self.folder, "begun")
        os.mkfifo(gate)
        self.assertEqual(self.shell_job(server, f"touch {begun}; read x <{gate}; touch {ended}")[0], 202)
        self.wait_for(begun.exists)
        server.signal(signal.SIGTERM)
        self.wait_for(lambda: "event=worker.draining" in server.logged())
        self.assertIsNone(server.process.poll())
        with open(gate, "w", encoding="utf-8") as pipe:
            pipe.write("go\n")
        self.assertEqual(server.wait(), 0)
        self.assertTrue(ended.exists())
        server = self.up()
        self.assertEqual(server.call("GET", "/v1/jobs/run")[2]["status"], "completed")

    def test_what_outlives_the_grace_is_given_back_and_runs_again(self):
        server = self.up("--drain-grace", "0s")
        begun = pathlib.Path(self.folder, "begun")
        self.shell_job(server, f"echo x >>{begun}; exec sleep 1000")
        self.wait_for(begun.exists)
        server.signal(signal.SIGTERM)
        self.assertEqual(server.wait(), 0)
        server = self.up("--drain-grace", "0s")
        self.wait_for(lambda: begun.read_text().count("x") == 2)
        self.assertEqual(server.stop(), 0)

    def test_a_second_signal_ends_at_once(self):
        server = self.up("--drain-grace", "1h")
        begun = pathlib.Path(self.folder, "begun")
        self.shell_job(server, f"touch {begun}; exec sleep 1000")
        self.wait_for(begun.exists)
        server.signal(signal.SIGTERM)
        self.wait_for(lambda: "event=worker.draining" in server.logged())
        server.signal(signal.SIGTERM)
        self.assertEqual(server.wait(), 1)

    def test_a_server_that_stops_is_not_ready(self):
        server = self.up("--drain-grace", "1h")
        begun = pathlib.Path(self.folder, "begun")
        self.shell_job(server, f"touch {begun}; exec sleep 1000")
        self.wait_for(begun.exists)
        self.assertEqual(server.call("GET", "/readyz")[0], 200)
        server.signal(signal.SIGTERM)
        self.wait_for(lambda: server.call("GET", "/readyz")[0] == 503)
        self.assertEqual(server.call("GET", "/healthz")[0], 200)


if __name__ == "__main__":
    tap.main()
