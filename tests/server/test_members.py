"""The servers that share a store know of each other."""

import os
import signal

from process import ProcessCase

import tap

URL = os.environ["BELFRY_TEST_POSTGRES"]
TOKEN = "bf_the-token-that-all-servers-of-a-test-have"


class Members(ProcessCase):
    def member(self, name, store):
        self.data = os.path.join(self.folder, name)
        server = self.server("--store", store, env={"BELFRY_TOKEN": TOKEN})
        server.token = lambda: TOKEN
        return server

    def two(self):
        self.run_belfry("init", "--store", URL)
        return self.member("one", URL), self.member("two", URL)

    @staticmethod
    def url(server):
        return f"http://127.0.0.1:{server.port}"

    def listed(self, server):
        """By URL."""
        status, _, body = server.call("GET", "/v1/servers")
        self.assertEqual(status, 200, body)
        return {item["url"]: item for item in body["items"]}

    def await_listed(self, server, *wanted):
        wanted = {self.url(one) for one in wanted}
        return self.wait_for(lambda: (lambda found: found if set(found) == wanted else None)(self.listed(server)))

    def test_everybody_lists_everybody(self):
        one, two = self.two()
        for server in (one, two):
            found = self.await_listed(server, one, two)
            owner, standby = found[self.url(one)], found[self.url(two)]
            self.assertEqual(owner["shards"], [0])
            self.assertGreater(owner["epoch"], 0)
            self.assertEqual(standby["shards"], [])
            self.assertIsNone(standby["epoch"])
            self.assertEqual(owner["version"], standby["version"])
        self.wait_for(lambda: all(item["clock_offset_ms"] is not None for item in self.listed(two).values()))
        shown = self.run_belfry("servers", env={"BELFRY_URL": self.url(two), "BELFRY_TOKEN": TOKEN})
        self.assertIn(self.url(one), shown)
        self.assertIn("standby", shown)

        # Who was killed is no owner any more, as soon as there is another.
        one.signal(signal.SIGKILL)
        one.wait()
        self.wait_for(lambda: self.listed(two)[self.url(two)]["shards"] == [0])
        epoch = self.listed(two)[self.url(two)]["epoch"]
        self.assertGreater(epoch, owner["epoch"])
        self.wait_for(lambda: self.listed(two).get(self.url(one), {"shards": []})["shards"] == [])

        # Who ends in good order is gone at once.
        three = self.member("three", URL)
        self.wait_for(lambda: self.url(three) in self.listed(two))
        self.assertEqual(three.stop(), 0)
        self.wait_for(lambda: self.url(three) not in self.listed(two))

    def test_a_server_on_a_file_lists_itself(self):
        server = self.server()
        (only,) = self.listed(server).values()
        self.assertEqual((only["shards"], only["clock_offset_ms"]), ([0], None))


if __name__ == "__main__":
    tap.main()
