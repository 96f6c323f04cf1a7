"""Servers that share a store go by its clock: what one's own wall clock does moves no schedule."""

import os
import sys

import stepped
import tap

stepped.SteppedCase.library = os.path.abspath(sys.argv[2])

URL = os.environ["BELFRY_TEST_POSTGRES"]
HOUR = 3600


class Shared(stepped.SteppedCase):
    def test_a_step_of_the_server_s_own_clock_moves_nothing_and_is_shown(self):
        self.run_belfry("init", "--store", URL)
        server = self.start("--store", URL)
        far = self.create(server, delay="30m", pool="far")["id"]
        for step in (HOUR, -2 * HOUR):
            self.clock.step(step)
            ahead_ms = self.clock.ahead_ms
            self.assertEqual(self.gates(server, far)[0], "not_due")
            self.assertEqual(self.granted(server, pool="far"), [])
            soon = self.create(server, delay="1s")["id"]
            attempt = self.granted(server, wait="20s")[0]
            self.assertEqual(attempt["job"], soon)
            self.finish(server, attempt)
            self.wait_for(lambda ahead_ms=ahead_ms: abs(self.offset_ms(server) - ahead_ms) < 60000)
            self.assertFalse(server.call("POST", "/v1/clock/accept")[2]["held"])
            self.assertEqual(self.ledger(server, far), [])
        self.assertEqual(self.stats(server)["last_24h"]["succeeded"], 2)
        self.assertEqual(server.stop(), 0)

    @staticmethod
    def offset_ms(server):
        return server.call("GET", "/v1/servers")[2]["items"][0]["clock_offset_ms"] or 0


if __name__ == "__main__":
    tap.main()
