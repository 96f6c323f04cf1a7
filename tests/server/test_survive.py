"""What a server survives: being killed, a full disk, a worker process of its own."""

import http.server
import os
import pathlib
import shutil
import signal
import subprocess
import threading
import unittest

import process
import tap


def may_unshare():
    """Whether this user may mount a file system of its own."""
    if shutil.which("unshare") is None:
        return False
    done = subprocess.run(
        ["unshare", "-rm", "mount", "-t", "tmpfs", "tmpfs", "/mnt"], capture_output=True, timeout=60, check=False
    )
    return done.returncode == 0


class Survive(process.ProcessCase):
    def test_a_kill_loses_nothing_that_was_acknowledged(self):
        for _ in range(3):
            server = self.server()
            acknowledged, lock = [], threading.Lock()

            def create(first, server=server, acknowledged=acknowledged, lock=lock):
                for number in range(first, first + 1000):
                    try:
                        status, _, job = server.call("POST", "/v1/jobs", {"delay": "1h"})
                    except (OSError, process.http.client.HTTPException):
                        return
                    if status == 202:
                        with lock:
                            acknowledged.append(job["id"])
                    del number

            threads = [threading.Thread(target=create, args=(i * 1000,)) for i in range(4)]
            for thread in threads:
                thread.start()
            self.wait_for(lambda seen=acknowledged: len(seen) > 50)
            server.signal(signal.SIGKILL)
            server.wait()
            for thread in threads:
                thread.join()
            server = self.server()
            for job in acknowledged:
                self.assertEqual(server.call("GET", f"/v1/jobs/{job}")[0], 200, job)
            self.assertEqual(server.stop(), 0)

    def test_a_killed_server_and_its_worker_go_on_where_they_were(self):
        server = self.up()
        runs = pathlib.Path(self.folder, "runs")
        body = {"name": "tick", "every": "100ms", "target": {"exec": {"argv": ["/bin/sh", "-c", f"echo x >>{runs}"]}}}
        self.assertEqual(server.call("POST", "/v1/jobs", body)[0], 202)
        self.wait_for(runs.exists)
        server.signal(signal.SIGKILL)
        server.wait()
        before = len(runs.read_text())
        server = self.up()
        self.wait_for(lambda: len(runs.read_text()) > before)
        self.assertEqual(server.stop(), 0)

    def test_what_a_killed_server_ran_is_run_again_at_once_and_never_beside_itself(self):
        server = self.up()
        runs = pathlib.Path(self.folder, "runs")
        # What the program starts leaves its session, and outlives the program's own death.
        script = f"setsid sleep 1000 & echo $$ $! >>{runs}; wait"
        body = {"name": "long", "lease": "1h", "timeout": "2h", "target": {"exec": {"argv": ["/bin/sh", "-c", script]}}}
        self.assertEqual(server.call("POST", "/v1/jobs", body)[0], 202)
        first = self.wait_for(lambda: runs.exists() and runs.read_text().splitlines())[0].split()
        server.signal(signal.SIGKILL)
        server.wait()
        server = self.up()
        second = self.wait_for(lambda: runs.read_text().splitlines()[1:])[0].split()
        for pid in first:
            self.assertFalse(self.is_alive(pid), pid)
        for pid in second:
            self.assertTrue(self.is_alive(pid), pid)
        _, _, page = server.call("GET", "/v1/jobs/long/executions")
        self.assertEqual([one["status"] for one in page["items"]], ["started", "lost"])
        self.assertEqual(server.call("POST", f"/v1/triggers/{page['items'][0]['trigger']}/cancel")[0], 200)
        self.wait_for(lambda: not any(self.is_alive(pid) for pid in second))
        self.run_belfry("audit", "--data", self.data, "--url", f"http://127.0.0.1:{server.port}")
        self.assertEqual(server.stop(), 0)

    @staticmethod
    def is_alive(pid):
        """Zombies are not."""
        try:
            return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
        except OSError:
            return False

    @unittest.skipUnless(may_unshare(), "needs a mount of its own")
    def test_a_full_disk_refuses_writes_and_serves_again_when_there_is_room(self):
        os.mkdir(self.data, 0o700)
        script = f'mount -t tmpfs -o size=6m,mode=700 tmpfs {self.data} && exec "$@"'
        server = self.begin(
            "server", "--listen", "127.0.0.1:0", "--data", self.data, before=["unshare", "-rm", "sh", "-c", script, "sh"]
        ).ready()
        inside = pathlib.Path(f"/proc/{server.pid}/root{self.data}")
        token = (inside / "token").read_text().strip()
        filler = inside / "filler"
        try:
            filler.write_bytes(b"x" * 16 * 1024 * 1024)
        except OSError:
            pass  # it is full now, as it should be
        body = {"delay": "1h", "payload": {"text": "y" * 200000}}

        def create():
            return server.call("POST", "/v1/jobs", body, token=token)

        status, headers, problem = self.wait_for(lambda: (lambda got: got if got[0] != 202 else None)(create()))
        self.assertEqual((status, problem["code"], headers["Outcome"]), (503, "store_down", "not-applied"))
        self.assertEqual(server.call("GET", "/healthz", token=token)[0], 200)
        self.assertEqual(server.call("GET", "/readyz", token=token)[0], 503)
        filler.unlink()
        self.wait_for(lambda: create()[0] == 202)
        self.assertEqual(server.stop(), 0)

    def test_a_file_that_may_not_grow_ends_the_server_or_is_refused_but_never_lied_about(self):
        server = self.server(before=["sh", "-c", 'ulimit -f 600; exec "$@"', "sh"])  # blocks of 512 bytes
        acknowledged = []
        body = {"delay": "1h", "payload": {"text": "y" * 20000}}
        try:
            while len(acknowledged) < 1000:
                status, _, job = server.call("POST", "/v1/jobs", body)
                if status != 202:
                    break
                acknowledged.append(job["id"])
        except (OSError, process.http.client.HTTPException):
            pass
        self.assertLess(len(acknowledged), 1000)
        if server.process.poll() is None and not self.is_refusing(server, body):
            self.assertEqual(server.wait(), 70)
        server.end()
        server = self.server()
        for job in acknowledged:
            self.assertEqual(server.call("GET", f"/v1/jobs/{job}")[0], 200, job)

    @staticmethod
    def is_refusing(server, body):
        try:
            return server.call("POST", "/v1/jobs", body)[0] == 503
        except (OSError, process.http.client.HTTPException):
            return False


class Worker(process.ProcessCase):
    def test_a_worker_of_its_own_executes_and_drains(self):
        server = self.server()
        worker = self.begin("worker", "--url", f"http://127.0.0.1:{server.port}", "--data", self.data)
        self.assertRegex(worker.read_line(), r"\Abelfry worker w-[0-9a-f]{32} asks http://127\.0\.0\.1:\d+\n\Z")
        ran = pathlib.Path(self.folder, "ran")
        server.call("POST", "/v1/jobs", {"target": {"exec": {"argv": ["/bin/sh", "-c", f"touch {ran}"]}}})
        self.wait_for(ran.exists)
        self.assertEqual(worker.stop(), 0)

    def test_programs_run_for_this_machine_s_server_and_others_only_when_allowed(self):
        server = self.server()
        worker = self.begin("worker", "--url", f"http://127.0.0.1:{server.port}", "--data", self.data, "--exec", "off")
        worker.read_line()
        ran = pathlib.Path(self.folder, "ran")
        body = {"name": "no", "retry": {"max_attempts": 1}, "target": {"exec": {"argv": ["/bin/sh", "-c", f"touch {ran}"]}}}
        self.assertEqual(server.call("POST", "/v1/jobs", body)[0], 202)
        self.assertEqual(worker.stop(), 0)
        self.assertFalse(ran.exists())

    def test_a_server_elsewhere_has_no_way_into_this_network_unless_it_is_given(self):
        server = self.server()
        called = []

        class Inside(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                called.append(self.path)
                self.send_response(204)
                self.end_headers()

            def log_message(self, *_):
                pass

        with http.server.HTTPServer(("127.0.0.1", 0), Inside) as inside:
            threading.Thread(target=inside.serve_forever, daemon=True).start()
            url = f"http://localhost:{inside.server_address[1]}/inside"
            body = {"retry": {"max_attempts": 1}, "target": {"http": {"url": url}}}
            for words, status in [((), "dead"), (("--private-targets", "on"), "succeeded")]:
                # 0.0.0.0 leads here, and is not known to.
                worker = self.begin(
                    "worker", "--url", f"http://0.0.0.0:{server.port}", *words, env={"BELFRY_TOKEN": server.token()}
                )
                worker.read_line()
                job = server.call("POST", "/v1/jobs", body)[2]["id"]
                self.wait_for(
                    lambda job=job, status=status: [
                        one["status"] for one in server.call("GET", f"/v1/jobs/{job}/triggers")[2]["items"]
                    ]
                    == [status]
                )
                self.assertEqual(worker.stop(), 0)
            inside.shutdown()
        self.assertEqual(called, ["/inside"])


if __name__ == "__main__":
    tap.main()
