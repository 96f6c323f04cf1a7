"""What /metrics promises: every figure there, counted right, in the form that Prometheus' own tool finds nothing wrong
with, and bounded however many names there are."""

import scrape
import tap
from scrape import promtool
from server import ApiCase

# What is promised, and what each of them is.
COUNTERS = (
    "triggers_created_total claims_total attempts_finished_total retries_total dead_lettered_total "
    "fires_skipped_total lease_renewals_total lease_renewal_failures_total lease_expirations_total "
    "worker_heartbeat_failures_total owner_errors_total batches_total engine_restarts_total"
).split()
GAUGES = (
    "triggers_due triggers_running triggers_overdue oldest_due_seconds dead_letters tenant_queue_depth "
    "pool_queue_depth type_queue_depth pool_workers pool_capacity pool_saturation_ratio pool_oldest_due_seconds "
    "breaker_state breakers store_bytes store_up jobs engine_jobs clock_held shard_owned workers"
).split()
HISTOGRAMS = (
    "trigger_lag_seconds attempt_duration_seconds batch_operations commit_duration_seconds engine_lag_seconds "
    "net_lag_seconds"
).split()


class Metrics(ApiCase):
    def scrape(self):
        return scrape.scrape(self.server)

    def wait_for_figure(self, name, value, **labels):
        """Of those that are read now and then."""
        self.wait_for(lambda: self.scrape().sum("belfry_" + name, **labels) == value)

    def test_everything_promised_is_there_and_the_tool_finds_nothing_wrong(self):
        self.expect(200, "PUT", f"/v1/types/{self.name}", {"breaker": {"min_attempts": 2}})
        self.create(pool=self.name)
        self.finish(self.take())
        for _ in range(2):
            self.kill(type=self.name)
        self.wait_for(lambda: {"belfry_store_bytes", "belfry_dead_letters"} <= self.scrape().names())
        page = self.scrape()
        self.assertEqual(page.sum("belfry_breaker_state", type=self.name, state="open"), 1)
        self.assertEqual(page.sum("belfry_breakers", state="open"), 1)
        for names, kind in ((COUNTERS, "counter"), (GAUGES, "gauge"), (HISTOGRAMS, "histogram")):
            for name in names:
                self.assertEqual(page.types.get("belfry_" + name), kind, name)
        self.assertEqual(promtool("check", "metrics", text=page.text), (0, ""))

    def test_samples_of_a_metric_have_the_same_labels_and_are_there_once(self):
        self.create(pool=self.name, type=self.name)
        self.finish(self.take())
        page = self.scrape()
        labels, seen = {}, set()
        for name, has, _ in page.samples:
            self.assertEqual(labels.setdefault(name, sorted(has)), sorted(has), name)
            seen.add((name, tuple(sorted(has.items()))))
        self.assertEqual(len(seen), len(page.samples))

    def test_what_happens_is_counted_where_it_happened(self):
        place = {"tenant": "acme", "type": self.name, "pool": self.name}
        self.create(**place, retry={"max_attempts": 2, "base": "1ms"})
        self.finish(self.take(), "failed", error={"code": "boom", "message": "it went off"})
        self.finish(self.take())
        self.kill(tenant="acme", type=self.name)
        page = self.scrape()
        for name, count in (("triggers_created", 2), ("claims", 3), ("retries", 1), ("dead_lettered", 1)):
            self.assertEqual(page.values(f"belfry_{name}_total", **place), [count], name)
        ended = {status: page.sum("belfry_attempts_finished_total", status=status, **place)
                 for status in ("succeeded", "failed")}
        self.assertEqual(ended, {"succeeded": 1, "failed": 2})

    def test_what_stands_is_told_by_tenant_pool_and_type_and_the_sums_are_those_of_all(self):
        for _ in range(3):
            self.create(tenant=self.name, type=self.name, pool=self.name)
        self.take(capacity=2)
        page = self.scrape()
        for scope in ("tenant", "pool", "type"):
            name = f"belfry_{scope}_queue_depth"
            self.assertEqual(page.sum(name, **{scope: self.name}), 2)
            self.assertEqual(page.sum(name), page.sum("belfry_triggers_due"))
            self.assertEqual(page.sum(f"belfry_{scope}_running"), page.sum("belfry_triggers_running"))
        self.assertEqual(page.sum("belfry_pool_saturation_ratio", pool=self.name), 0.5)
        self.assertEqual(page.sum("belfry_pool_workers", pool=self.name), 1)

    def test_a_worker_that_falls_silent_is_counted_once_and_its_renewal_fails(self):
        before = self.scrape()
        for _ in range(2):
            self.create(pool=self.name, lease="1s", retry={"max_attempts": 5, "base": "1h"})
        attempts = self.take(2)

        def more(name):
            return self.scrape().sum(f"belfry_{name}_total") - before.sum(f"belfry_{name}_total")

        self.wait_for(lambda: more("lease_expirations") == 2)
        self.assertEqual(more("worker_heartbeat_failures"), 1)
        self.assertEqual(more("lease_renewal_failures"), 0)
        self.work(holding=[attempt["id"] for attempt in attempts])
        self.assertEqual(more("lease_renewal_failures"), 2)

    def test_the_threads_say_how_late_they_are(self):
        def counts():
            page = self.scrape()
            return [page.sum(f"belfry_{thread}_lag_seconds_count") for thread in ("engine", "net")]

        before = counts()
        self.create(pool=self.name, delay="1s")
        self.finish(self.take())  # the engine woke for it, while a connection waited
        self.wait_for(lambda: all(now > then for now, then in zip(counts(), before)))
        page = self.scrape()
        for thread in ("engine", "net"):  # nobody was late for something of before the start
            self.assertEqual(page.sum(f"belfry_{thread}_lag_seconds_bucket", le="60"),
                             page.sum(f"belfry_{thread}_lag_seconds_bucket", le="+Inf"))

    def test_dead_letters_are_there_until_they_are_gone(self):
        before = len(self.expect(200, "GET", "/v1/dead?limit=1000")["items"])
        trigger = self.kill()
        self.wait_for_figure("dead_letters", before + 1)
        self.expect(202, "POST", "/v1/dead/discard", {"triggers": [trigger]})
        self.wait_for_figure("dead_letters", before)


class ManyNames(ApiCase):
    COUNT = 1500

    def test_names_beyond_the_bound_are_counted_together(self):
        jobs = [{"type": f"t{i}", "pool": f"p{i}", "tenant": f"c{i}"} for i in range(self.COUNT)]
        self.expect(202, "POST", "/v1/jobs/batch", {"jobs": jobs})
        page = scrape.scrape(self.server)
        created = page.values("belfry_jobs_created_total")
        self.assertEqual((len(created), sum(created)), (1024, self.COUNT))
        self.assertEqual(page.sum("belfry_jobs_created_total", type="(other)"), self.COUNT - 1023)
        for scope in ("tenant", "pool", "type"):
            depths = page.values(f"belfry_{scope}_queue_depth")
            self.assertEqual((len(depths), sum(depths)), (101, self.COUNT))
            self.assertEqual(page.sum(f"belfry_{scope}_queue_depth", **{scope: "(other)"}), self.COUNT - 100)
        self.assertEqual(promtool("check", "metrics", text=page.text), (0, ""))


if __name__ == "__main__":
    tap.main()
