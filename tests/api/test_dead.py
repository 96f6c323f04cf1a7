"""Dead letters: finding, replaying and discarding them."""

import server
import tap
from server import ApiCase


class Dead(ApiCase):
    def dead(self, **filters):
        query = "&".join(f"{key}={value}" for key, value in filters.items())
        return self.expect(200, "GET", f"/v1/dead?{query}")

    def letters(self):
        return self.expect(200, "GET", "/v1/stats")["dead"]

    def test_a_dead_letter_is_found_by_tenant_type_code_and_time(self):
        trigger = self.kill(tenant=self.name, type="mail")
        page = self.dead(tenant=self.name)
        self.assertEqual([item["id"] for item in page["items"]], [trigger])
        self.assertEqual(page["items"][0]["last_attempt"]["error"], {"code": "boom", "message": "it went off"})
        self.assertIsNone(page["next"])
        self.assertEqual(len(self.dead(tenant=self.name, type="mail", error_code="boom")["items"]), 1)
        self.assertEqual(self.dead(tenant=self.name, type="other")["items"], [])
        self.assertEqual(self.dead(tenant=self.name, error_code="other")["items"], [])
        self.assertEqual(self.dead(tenant=self.name, since="2199-01-01T00:00:00Z")["items"], [])
        self.assertEqual(self.expect(400, "GET", "/v1/dead?since=yesterday")["field"], "since")

    def test_pages_follow_each_other(self):
        triggers = [self.kill(tenant=self.name) for _ in range(3)]
        first = self.dead(tenant=self.name, limit=2)
        self.assertEqual([item["id"] for item in first["items"]], triggers[:0:-1])
        self.assertIn(f"after={first['next']}", first.headers["Link"])
        last = self.dead(tenant=self.name, limit=2, after=first["next"])
        self.assertEqual([item["id"] for item in last["items"]], triggers[:1])
        self.assertIsNone(last["next"])
        self.assertEqual(self.expect(400, "GET", "/v1/dead?after=nonsense")["field"], "after")

    def groups(self):
        return self.expect(200, "GET", f"/v1/dead/groups?tenant={self.name}")

    def test_errors_that_are_alike_make_a_group(self):
        first = self.kill("host 10.0.0.1 is down after 3 s", tenant=self.name, type="mail")
        other = self.kill("no such user", tenant=self.name)
        last = self.kill("host 10.0.0.2 is down after 12 s", tenant=self.name, type="fax")
        answer = self.groups()
        self.assertEqual((answer["looked_at"], answer["rest"], answer["sample"]), (3, 0, False))
        self.assertEqual([(group["error"], group["count"]) for group in answer["items"]],
                         [("host # is down after # s", 2), ("no such user", 1)])
        group = answer["items"][0]
        self.assertEqual((group["error_code"], sorted(group["types"])), ("boom", ["fax", "mail"]))
        self.assertEqual(group["example"]["trigger"], last)
        self.assertEqual(group["example"]["message"], "host 10.0.0.2 is down after 12 s")
        self.assertLessEqual(group["first_seen"], group["last_seen"])
        listed = self.dead(tenant=self.name, group=group["group"])
        self.assertEqual([item["id"] for item in listed["items"]], [last, first])
        self.assertEqual([item["id"] for item in self.dead(group=answer["items"][1]["group"], tenant=self.name)["items"]],
                         [other])

    def test_pages_of_a_group_follow_each_other(self):
        triggers = [self.kill(f"error {number} of {'even' if number % 2 == 0 else 'odd'}", tenant=self.name)
                    for number in range(5)]
        group = self.groups()["items"][0]["group"]
        seen, after = [], ""
        for _ in range(10):
            page = self.dead(tenant=self.name, group=group, limit=1, **({"after": after} if after else {}))
            seen += [item["id"] for item in page["items"]]
            after = page["next"]
            if after is None:
                break
        self.assertEqual(seen, triggers[4::-2])

    def test_a_group_is_replayed_and_discarded_alone(self):
        for number in range(2):
            self.kill(f"row {number} is locked", tenant=self.name)
        kept = self.kill("no such user", tenant=self.name)
        group = self.groups()["items"][0]["group"]
        filters = {"tenant": self.name, "group": group}
        self.assertEqual(self.expect(202, "POST", "/v1/dead/replay", filters)["accepted"], 2)
        for attempt in self.take(2):
            self.finish(attempt, "failed", error={"code": "boom", "message": "row 7 is locked"}, retryable=False)
        self.assertEqual(self.expect(202, "POST", "/v1/dead/discard", {"group": group})["accepted"], 2)
        self.assertEqual([item["id"] for item in self.dead(tenant=self.name)["items"]], [kept])
        self.assertEqual(self.expect(400, "POST", "/v1/dead/discard", {"group": "all"})["field"], "group")
        self.assertEqual(self.expect(400, "GET", "/v1/dead?group=all")["field"], "group")

    def test_a_filter_goes_on_behind_what_was_looked_at(self):
        triggers = [self.kill(f"page {number} is torn", tenant=self.name) for number in range(3)]
        filters = {"tenant": self.name, "group": self.groups()["items"][0]["group"]}
        after = self.dead(tenant=self.name, limit=1)["next"]
        answer = self.expect(202, "POST", "/v1/dead/discard", {**filters, "after": after})
        self.assertEqual((answer["accepted"], answer["more"], answer["next"]), (2, False, None))
        self.assertEqual([item["id"] for item in self.dead(tenant=self.name)["items"]], triggers[2:])
        for path in ("/v1/dead/replay", "/v1/dead/discard"):
            self.assertEqual(self.expect(400, "POST", path, {**filters, "after": "x"})["field"], "after")
            self.expect(400, "POST", path, {"after": after})

    def test_named_ones_are_replayed(self):
        dead = self.kill()
        answer = self.expect(202, "POST", "/v1/dead/replay", {"triggers": [dead, "trg_00000000000z1"]})
        self.assertEqual((answer["accepted"], answer["not_dead"], answer["more"]), (1, 1, False))
        attempt = self.take()
        self.assertEqual((attempt["trigger"], attempt["replay_of"], attempt["kind"]),
                         (answer["triggers"][0], dead, "replay"))

    def test_a_filter_replays_all_that_it_finds(self):
        for _ in range(3):
            self.kill(tenant=self.name)
        answer = self.expect(202, "POST", "/v1/dead/replay", {"tenant": self.name})
        self.assertEqual((answer["accepted"], len(answer["triggers"])), (3, 3))
        self.take(3)

    def test_what_a_filter_has_replayed_is_off_the_list(self):
        dead = self.kill(tenant=self.name)
        letters = self.letters()
        answer = self.expect(202, "POST", "/v1/dead/replay", {"tenant": self.name})
        self.assertEqual(answer["accepted"], 1)
        again = self.expect(202, "POST", "/v1/dead/replay", {"tenant": self.name})
        self.assertEqual((again["accepted"], again["not_dead"], again["triggers"]), (0, 0, []))
        self.assertEqual(self.dead(tenant=self.name)["items"], [])
        self.assertEqual(self.letters(), letters - 1)
        shown = self.expect(200, "GET", f"/v1/triggers/{dead}")
        self.assertEqual((shown["status"], shown["replayed_by"]), ("dead", answer["triggers"][0]))
        self.assertEqual(self.take()["replay_of"], dead)
        discarded = self.expect(202, "POST", "/v1/dead/discard", {"tenant": self.name})
        self.assertEqual(discarded["accepted"], 0)

    def test_a_named_one_is_replayed_again_when_its_replay_is_over(self):
        dead = self.kill(tenant=self.name)
        named = {"triggers": [dead]}
        self.expect(202, "POST", "/v1/dead/replay", named)
        attempt = self.take()
        self.assertEqual(self.expect(202, "POST", "/v1/dead/replay", named)["accepted"], 0)
        self.assertIn(attempt["trigger"], self.expect(409, "POST", f"/v1/triggers/{dead}/retry")["detail"])
        self.finish(attempt, "failed", retryable=False)
        self.assertEqual([item["id"] for item in self.dead(tenant=self.name)["items"]], [attempt["trigger"]])
        self.assertEqual(self.expect(202, "POST", "/v1/dead/replay", named)["accepted"], 1)
        self.assertEqual(self.expect(202, "POST", "/v1/dead/discard", named)["accepted"], 1)
        self.expect(404, "GET", f"/v1/triggers/{dead}")

    def test_one_that_is_replayed_by_itself_is_off_the_list(self):
        policy = {"replay_after": "1h", "max_replays": 1}
        self.create(pool=self.name, tenant=self.name, dead_policy=policy, retry={"max_attempts": 1})
        attempt = self.take()
        self.finish(attempt, "failed")
        self.assertEqual(self.dead(tenant=self.name)["items"], [])
        shown = self.expect(200, "GET", f"/v1/triggers/{attempt['trigger']}")
        replay = self.expect(200, "GET", f"/v1/triggers/{shown['replayed_by']}")
        self.assertEqual((replay["status"], replay["replay_of"]), ("pending", attempt["trigger"]))

    def test_a_key_makes_a_replay_safe_to_repeat(self):
        dead = self.kill()
        key = {"Idempotency-Key": self.name}
        first = self.expect(202, "POST", "/v1/dead/replay", {"triggers": [dead]}, headers=key)
        again = self.expect(202, "POST", "/v1/dead/replay", {"triggers": [dead]}, headers=key)
        self.assertEqual(again["triggers"], first["triggers"])

    def test_a_rate_spreads_a_replay_over_time(self):
        for _ in range(3):
            self.kill(tenant=self.name)
        answer = self.expect(202, "POST", "/v1/dead/replay", {"tenant": self.name, "rate": "20/s"})
        self.assertEqual((answer["accepted"], answer["triggers"]), (3, []))
        held = []
        while len(held) < 3:
            held += self.work(want=3, wait="20s", holding=[attempt["id"] for attempt in held])["attempts"]
        self.assertEqual({attempt["kind"] for attempt in held}, {"replay"})
        self.wait_for(lambda: b"\nbelfry_dead_paced_waiting 0\n" in self.call("GET", "/metrics").body)

    def test_tenants_may_use_the_same_key_for_a_replay_with_a_rate(self):
        tenants = [self.name + "-a", self.name + "-b"]
        for tenant in tenants:
            self.kill(tenant=tenant)
        for tenant in tenants:
            self.expect(202, "POST", "/v1/dead/replay", {"tenant": tenant, "rate": "50/s"},
                        headers={"Idempotency-Key": "nightly"})
        held = []
        while len(held) < 2:
            held += self.work(want=2, wait="20s", holding=[attempt["id"] for attempt in held])["attempts"]
        self.assertEqual({attempt["tenant"] for attempt in held}, set(tenants))

    def test_a_key_that_was_used_for_another_replay_with_a_rate_is_refused(self):
        self.kill(tenant=self.name, type="a")
        self.kill(tenant=self.name, type="b")
        key = {"Idempotency-Key": "twice"}
        self.expect(202, "POST", "/v1/dead/replay", {"tenant": self.name, "type": "a", "rate": "50/s"}, headers=key)
        problem = self.expect(422, "POST", "/v1/dead/replay", {"tenant": self.name, "type": "b", "rate": "50/s"},
                              headers=key)
        self.assertEqual(problem["code"], "idempotency_key_reused")
        self.assertEqual(self.take()["type"], "a")

    def test_a_replay_with_a_rate_that_is_asked_for_again_has_the_same_answer_and_comes_once(self):
        for _ in range(2):
            self.kill(tenant=self.name)
        body, key = {"tenant": self.name, "rate": "50/s"}, {"Idempotency-Key": "again"}
        first = self.expect(202, "POST", "/v1/dead/replay", body, headers=key)
        held = []
        while len(held) < 2:
            held += self.work(want=2, wait="20s", holding=[attempt["id"] for attempt in held])["attempts"]
        again = self.expect(202, "POST", "/v1/dead/replay", body, headers=key)
        self.assertEqual((again["accepted"], again["triggers"]), (first["accepted"], first["triggers"]))
        self.wait_for(lambda: b"\nbelfry_dead_paced_waiting 0\n" in self.call("GET", "/metrics").body)
        self.assertEqual(self.work(want=2, holding=[attempt["id"] for attempt in held])["attempts"], [])

    def test_a_page_of_large_ones_is_shown(self):
        payload = "x" * 250000
        jobs = [{"tenant": self.name, "pool": self.name, "payload": payload} for _ in range(100)]
        for _ in range(6):
            self.expect(202, "POST", "/v1/jobs/batch", {"jobs": jobs})
        count = 0
        finished = []
        while count < 600 or finished:
            attempts = self.work(want=100, finished=finished, **({"wait": "20s"} if count < 600 else {}))["attempts"]
            count += len(attempts)
            finished = [{"attempt": attempt["id"], "status": "failed", "retryable": False} for attempt in attempts]
        self.assertEqual(len(self.dead(tenant=self.name, limit=1000)["items"]), 600)

    def test_a_slow_rate_does_not_hold_up_a_stop(self):
        for _ in range(2):
            self.kill(tenant=self.name)
        self.expect(202, "POST", "/v1/dead/replay", {"tenant": self.name, "rate": "1/h"})
        self.assertEqual(self.take()["kind"], "replay")
        self.assertIn(b"\nbelfry_dead_paced_waiting 1\n", self.call("GET", "/metrics").body)
        self.assertEqual(self.server.stop(), 0)
        type(self).server = server.Server()

    def test_named_ones_with_a_rate_say_which_are_not_dead(self):
        dead = self.kill()
        answer = self.expect(202, "POST", "/v1/dead/discard", {"triggers": [dead, "trg_00000000000z1"], "rate": "50/s"})
        self.assertEqual((answer["accepted"], answer["not_dead"]), (1, 1))
        self.wait_for(lambda: self.call("GET", f"/v1/triggers/{dead}").status == 404)

    def test_a_discarded_one_is_gone(self):
        dead = self.kill(tenant=self.name)
        answer = self.expect(202, "POST", "/v1/dead/discard", {"triggers": [dead]})
        self.assertEqual((answer["accepted"], answer["not_dead"], answer["more"]), (1, 0, False))
        self.assertEqual(self.dead(tenant=self.name)["items"], [])
        self.expect(404, "GET", f"/v1/triggers/{dead}")

    def test_a_request_must_choose(self):
        self.assertEqual(self.call("POST", "/v1/dead/replay", {}).status, 400)
        self.assertEqual(self.call("POST", "/v1/dead/replay", {"triggers": ["trg_00000000000z1"], "tenant": "a"}).status,
                         400)


if __name__ == "__main__":
    tap.main()
