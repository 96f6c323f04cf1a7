"""Clients and workers that know several servers go on with the next one."""

import json
import os
import signal

from process import ProcessCase

import tap

URL = os.environ["BELFRY_TEST_POSTGRES"]
TOKEN = "bf_the-token-that-all-servers-of-a-test-have"
NOBODY = "http://127.0.0.1:1"


class Addresses(ProcessCase):
    def member(self, name):
        self.data = os.path.join(self.folder, name)
        server = self.server("--store", URL, env={"BELFRY_TOKEN": TOKEN})
        server.token = lambda: TOKEN
        return server, f"http://127.0.0.1:{server.port}"

    def belfry(self, urls, *words):
        return self.run_belfry(*words, env={"BELFRY_URL": ",".join(urls), "BELFRY_TOKEN": TOKEN})

    def runs(self, urls):
        """How many runs of the job have ended well."""
        shown = json.loads(self.belfry(urls, "history", "often", "--json"))
        return sum(item.get("status") == "succeeded" for item in shown["items"])

    def test_who_cannot_be_reached_is_passed_over(self):
        self.run_belfry("init", "--store", URL)
        first, first_url = self.member("one")
        _, second_url = self.member("two")
        both = [NOBODY, first_url, second_url]
        worker = self.begin("worker", "--url", ",".join(both), env={"BELFRY_TOKEN": TOKEN})
        self.assertIn("asks", worker.read_line())
        self.belfry(both, "add", "often", "--every", "1s", "--", "true")
        self.wait_for(lambda: self.runs(both) > 0)

        first.signal(signal.SIGKILL)
        first.wait()
        before = self.runs(both)
        self.wait_for(lambda: self.runs(both) > before + 1)

    def test_where_nobody_answers_the_last_is_named(self):
        said = self.refused("list", "--url", f"{NOBODY},http://127.0.0.1:2", code=3)
        self.assertIn("cannot reach http://127.0.0.1:2", said)


if __name__ == "__main__":
    tap.main()
