"""How far bulk work is: a bar on a terminal, nothing anywhere else."""

import os
import tempfile
import threading

import api_case
import binary
import tap
import terminal
from api_case import DONE, REFUSED

CRONTAB = "".join(f"{n % 60} 4 * * * /usr/bin/true {n}\n" for n in range(3000))
BACKUP = b'{"path":"/b.db","bytes":12,"duration_ms":3}'
IMPORTED = b'{"ids":["job_06c4q0wm8g000"]}'
REFUSAL = b'{"type":"about:blank","title":"-","status":403,"code":"forbidden","detail":"this key may not"}'


def last_line(text):
    """What a terminal shows in the end: a return goes back over the line, and what is written there replaces it."""
    shown = ""
    for part in text.rstrip("\n").split("\n")[-1].split("\r"):
        shown = part + shown[len(part):]
    return shown.rstrip()


class Progress(api_case.ApiCase):
    """The server answers when the test lets it, so that there is time for a bar."""

    def setUp(self):
        super().setUp()
        self.let_go = threading.Event()
        self.addCleanup(self.let_go.set)
        with tempfile.NamedTemporaryFile("w", suffix=".crontab", delete=False) as file:
            file.write(CRONTAB)
        self.crontab = file.name
        self.addCleanup(os.unlink, file.name)

    def answer_late(self, method, template, body, status=200):
        def answer(handler, _):
            self.let_go.wait(binary.SECONDS_MAX)
            handler.send_response(status)
            handler.send_header("Content-Type", "application/json")
            handler.send_header("Content-Length", str(len(body)))
            handler.end_headers()
            handler.wfile.write(body)

        self.api.answer(method, template, answer)

    def watch(self, words, bar):
        """Waits for the bar, then lets the server answer; the exit code and all that was shown."""
        env = binary.environment(self.surroundings({"TERM": "xterm"}))
        with terminal.Terminal([binary.BELFRY, *words], env) as shown:
            shown.until(lambda text: bar in text)
            self.let_go.set()
            return shown.end(), shown.heard

    def test_an_import_shows_how_much_has_left(self):
        self.answer_late("POST", "/v1/jobs/batch", IMPORTED, 202)
        code, shown = self.watch(("import", self.crontab), f"[{'#' * 30}] 3000 of 3000 jobs")
        self.assertEqual(code, DONE, shown)
        self.assertEqual(last_line(shown), "1 job imported")
        self.assertNotIn("\x1b", shown)

    def test_a_backup_shows_that_it_goes_on(self):
        self.answer_late("POST", "/v1/backup", BACKUP)
        code, shown = self.watch(("backup", "/b.db"), "the server copies its store")
        self.assertEqual(code, DONE, shown)
        self.assertEqual(last_line(shown), "/b.db: 12 bytes in 3 ms")

    def test_a_refusal_stands_on_a_clean_line(self):
        self.answer_late("POST", "/v1/backup", REFUSAL, 403)
        code, shown = self.watch(("backup", "/b.db"), "the server copies its store")
        self.assertEqual(code, REFUSED)
        self.assertEqual(last_line(shown), "belfry backup: this key may not")

    def test_many_jobs_show_how_many_are_done(self):
        def answer(handler, asked):
            if asked.path.endswith("/job-30"):
                self.let_go.wait(binary.SECONDS_MAX)
            handler.send_response(204)
            handler.end_headers()

        self.api.answer("DELETE", "/v1/jobs/{id}", answer)
        code, shown = self.watch(("rm", *(f"job-{n}" for n in range(60))), f"[{'#' * 15}{' ' * 15}] 30 of 60 jobs")
        self.assertEqual(code, DONE)
        lines = [last_line(line) for line in shown.split("\r\n")[:60]]
        self.assertEqual(lines, [f"removed job-{n}" for n in range(60)])

    def test_without_a_terminal_there_is_none(self):
        self.let_go.set()
        self.answer_late("POST", "/v1/backup", BACKUP)
        self.assertEqual(self.done("backup", "/b.db"), "/b.db: 12 bytes in 3 ms\n")
        self.assertEqual(self.done("import", self.crontab), "2 jobs imported\n")


if __name__ == "__main__":
    tap.main()
