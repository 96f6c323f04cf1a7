"""The dashboard for Grafana and the examples for KEDA: every expression is asked at a real Prometheus that watches a real
server, and every metric that anybody names is there."""

import json
import re
import shutil
import tempfile

import prometheus
import scrape
import tap
from server import ApiCase

DASHBOARD = scrape.ROOT / "deploy" / "grafana" / "belfry.json"
KEDA = scrape.ROOT / "deploy" / "keda"
METRIC = re.compile(r"\bbelfry_[a-z_]+")


def plain(expression):
    """Without what Grafana puts in."""
    return expression.replace("$__rate_interval", "30s").replace("$cluster", ".*")


class Shown(ApiCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.folder = tempfile.mkdtemp(prefix="belfry-dashboard-")
        targets = {f"127.0.0.1:{cls.server.port}": {"cluster": "main"}}
        cls.prometheus = prometheus.Prometheus(cls.folder, targets, cls.server.token)

    @classmethod
    def tearDownClass(cls):
        cls.prometheus.stop()
        shutil.rmtree(cls.folder, ignore_errors=True)
        super().tearDownClass()

    def setUp(self):
        super().setUp()
        self.dashboard = json.loads(DASHBOARD.read_text())
        self.panels = [panel for panel in self.dashboard["panels"] if panel["type"] != "row"]

    def expressions(self):
        return [(panel["title"], target["expr"]) for panel in self.panels for target in panel["targets"]]

    def test_every_expression_is_understood_and_those_of_now_have_a_value(self):
        self.kill(type="email")
        self.create(pool="email")
        self.wait_for(lambda: self.prometheus.value("belfry_dead_letters") == 1)
        self.wait_for(lambda: self.prometheus.query('belfry_pool_queue_depth{pool="email"}'))
        for title, expression in self.expressions():
            result = self.prometheus.query(plain(expression))
            if "rate(" not in expression and "increase(" not in expression and "breaker" not in expression:
                self.assertTrue(result, f"{title}: {expression}")

    def test_every_metric_that_is_named_is_there(self):
        self.kill()
        self.wait_for(lambda: {"belfry_store_bytes", "belfry_dead_letters"} <= scrape.scrape(self.server).names())
        there = scrape.scrape(self.server).names()
        there |= {f"{name}_bucket" for name in there}
        texts = {path: path.read_text() for path in (DASHBOARD, prometheus.RULES, *KEDA.glob("*.yaml"),
                                                     scrape.ROOT / "docs" / "monitoring.md")}
        for path, text in texts.items():
            named = {name for name in METRIC.findall(text) if not name.endswith("_")}
            self.assertTrue(named or path.name == "pool-backlog.yaml", path)
            self.assertEqual(named - there, set(), path)

    def test_panels_are_told_apart_and_do_not_lie_on_each_other(self):
        ids = [panel["id"] for panel in self.dashboard["panels"]]
        self.assertEqual(len(ids), len(set(ids)))
        taken = set()
        for panel in self.dashboard["panels"]:
            place = panel["gridPos"]
            cells = {(x, y) for x in range(place["x"], place["x"] + place["w"])
                     for y in range(place["y"], place["y"] + place["h"])}
            self.assertFalse(cells & taken, panel["title"])
            self.assertLessEqual(place["x"] + place["w"], 24)
            taken |= cells
        for panel in self.panels:
            self.assertTrue(panel["title"] and panel["description"] and panel["targets"], panel)

    def test_the_file_is_tidy(self):
        self.assertEqual(json.dumps(self.dashboard, indent=2) + "\n", DASHBOARD.read_text())

    def test_keda_finds_what_it_asks_for(self):
        self.create(pool="email")
        backlog = (KEDA / "pool-backlog.yaml").read_text()
        path = re.search(r'url: "http://belfry:7600(/\S+)"', backlog)[1]
        field = re.search(r'valueLocation: "(\w+)"', backlog)[1]
        self.assertGreaterEqual(self.expect(200, "GET", path)[field], 1)
        queries = re.findall(r"query: (.+)", (KEDA / "pool-lag.yaml").read_text())
        self.assertEqual(len(queries), 2)
        for query in queries:
            self.wait_for(lambda: self.prometheus.value(query) is not None)


if __name__ == "__main__":
    tap.main()
