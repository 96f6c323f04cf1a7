"""belfry top, on a terminal of its own and without one."""

import os
import signal

import api_case
import binary
import tap
import terminal
from api_case import DONE, REFUSED

ENTER, LEAVE = "\x1b[?1049h", "\x1b[?1049l"


class Top(api_case.ApiCase):
    def setUp(self):
        super().setUp()
        worker = self.api.description.example({"$ref": "#/components/schemas/Worker"})
        held = self.api.description.example({"$ref": "#/components/schemas/Held"})
        held["progress"] = {"percent": 40, "note": "page 4 of 10", "at": "2026-04-08T09:00:00.000Z"}
        self.api.answer("GET", "/v1/workers", {"items": [{**worker, "holding": [held]}], "next": None})
        point = self.api.description.example({"$ref": "#/components/schemas/StatsPoint"})
        self.api.answer("GET", "/v1/stats/history", {"from": point["at"], "to": point["at"], "step": "1m",
                                                     "points": [{**point, "executed": n * 60} for n in (0, 4, 8, 2)]})

    def test_without_a_terminal_it_is_shown_once(self):
        out = self.done("top")
        for text in ["ready 12", "rate: 8.0 a second", "email", "acme/welcome", "40 % page 4 of 10", "mailer-3"]:
            self.assertIn(text, out)
        self.assertNotIn("\x1b", out)

    def start(self, rows, columns):
        env = binary.environment(self.surroundings({"TERM": "xterm"}))
        return terminal.Terminal([binary.BELFRY, "top", "--interval", "100ms"], env, rows, columns)

    def test_it_draws_again_and_again_until_q(self):
        with self.start(24, 80) as shown:
            heard = shown.until(lambda text: text.count("belfry top") > 2)
            self.assertTrue(heard.startswith(ENTER))
            shown.type("q")
            self.assertEqual(shown.end(), DONE)
            self.assertTrue(shown.heard.endswith(LEAVE))
            self.assertTrue(shown.is_as_before())

    def test_an_interrupt_leaves_the_terminal_as_it_was(self):
        for interrupt in (lambda shown: shown.type("\x03"), lambda shown: os.kill(shown.pid, signal.SIGTERM)):
            with self.start(24, 80) as shown:
                shown.until(lambda text: "belfry top" in text)
                self.assertFalse(shown.is_as_before())
                interrupt(shown)
                self.assertEqual(shown.end(), DONE)
                self.assertTrue(shown.heard.endswith(LEAVE))
                self.assertTrue(shown.is_as_before())

    def test_a_server_that_goes_away_leaves_the_terminal_as_it_was(self):
        with self.start(24, 80) as shown:
            shown.until(lambda text: "belfry top" in text)
            self.api.problem("GET", "/v1/stats", 503, "store_down", "the disk is full")
            self.assertEqual(shown.end(), REFUSED)
            self.assertIn("the disk is full", shown.heard.split(LEAVE)[1])
            self.assertTrue(shown.is_as_before())

    def test_no_line_is_wider_and_no_screen_higher_than_the_terminal(self):
        for rows, columns in [(24, 80), (12, 50), (10, 40)]:
            with self.start(rows, columns) as shown:
                screens = shown.until(lambda text: text.count("belfry top") > 3).split("\x1b[H")[1:-1]
                shown.type("q")
                shown.end()
            self.assertTrue(screens)
            for screen in screens:
                lines = terminal.plain(screen).split("\n")
                self.assertLessEqual(len(lines), rows)
                self.assertLessEqual(max(len(line) for line in lines), columns)
                self.assertIn("ready 12", screen)


if __name__ == "__main__":
    tap.main()
