"""belfry up as a person sees it, on a terminal."""

import unittest

import process
import tap
import terminal

ATTEMPT = "event=job_attempt_finished"


class Terminal(process.ProcessCase):
    def up(self, *words):
        return terminal.Terminal(
            [process.BELFRY, "up", "--listen", "127.0.0.1:0", "--data", self.data, *words],
            process.clean_environment({"TERM": "xterm"}), rows=40, columns=200,
        )

    def run_a_job(self, shown):
        shown.until(lambda text: "Ctrl-C stops it" in text)
        self.run_belfry("add", "hello", "--data", self.data, "--", "/bin/echo", "hello")
        self.wait_for(lambda: "succeeded" in self.run_belfry("history", "hello", "--data", self.data))

    def test_it_is_told_where_things_are_and_how_it_ends_and_nothing_of_each_attempt(self):
        with self.up() as shown:
            self.run_a_job(shown)
            shown.type("\x03")
            self.assertEqual(shown.end(), 0)
            for words in ("belfry listens on http://127.0.0.1:", "belfry is stopping", "belfry has stopped"):
                self.assertEqual(shown.heard.count(words), 1, shown.heard)
            self.assertNotIn("level=info", shown.heard)

    def test_who_asks_for_it_sees_each_attempt(self):
        with self.up("--log-level", "info") as shown:
            self.run_a_job(shown)
            shown.until(lambda text: ATTEMPT in text)
            shown.type("\x03")
            self.assertEqual(shown.end(), 0)

    def test_a_log_that_goes_to_a_file_has_each_attempt(self):
        server = self.begin("up", "--listen", "127.0.0.1:0", "--data", self.data).ready()
        self.run_belfry("add", "hello", "--data", self.data, "--", "/bin/echo", "hello")
        self.wait_for(lambda: ATTEMPT in server.logged())
        server.stop()
        self.assertNotIn("belfry has stopped", server.logged())


if __name__ == "__main__":
    tap.main()
