"""prometheus: a real Prometheus that scrapes what it is told to every second, with the real alerts made quick.

Rules: (1) thresholds are those of deploy/prometheus/belfry.rules.yml; only windows and waits are shortened.
       (2) it ends with the test that started it.
"""

import http.client
import json
import pathlib
import re
import shutil
import subprocess
import sys
import time
import urllib.parse

import scrape

RULES = scrape.ROOT / "deploy" / "prometheus" / "belfry.rules.yml"
SECONDS_MAX = 60
WINDOW = "20s"  # in the place of minutes, hours and days
WAIT = "2s"  # likewise, of `for`


def quick_rules():
    text = RULES.read_text()
    text, windows = re.subn(r"\[\d+[smhd]\]", f"[{WINDOW}]", text)
    text, waits = re.subn(r"^( +for:) \d+[smhd]$", rf"\1 {WAIT}", text, flags=re.MULTILINE)
    if windows == 0 or waits == 0:
        raise AssertionError("the rules are written otherwise than this expects")
    return text


class Prometheus:
    """targets: host:port -> labels; token: what they want to see."""

    def __init__(self, folder, targets, token):
        self.folder = pathlib.Path(folder)
        program = shutil.which("prometheus") or sys.exit("there is no prometheus (Debian has a package of that name)")
        (self.folder / "rules.yml").write_text(quick_rules())
        (self.folder / "prometheus.yml").write_text(json.dumps({  # JSON is YAML
            "global": {"scrape_interval": "1s", "scrape_timeout": "1s", "evaluation_interval": "1s"},
            "rule_files": ["rules.yml"],
            "scrape_configs": [{
                "job_name": "belfry", "authorization": {"credentials": token},
                "static_configs": [{"targets": [one], "labels": labels} for one, labels in targets.items()],
            }],
        }))
        self.process = subprocess.Popen(
            [program, f"--config.file={self.folder}/prometheus.yml", f"--storage.tsdb.path={self.folder}/data",
             "--web.listen-address=127.0.0.1:0"],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        )
        self.log = []
        self.port = self.read_port()
        # Nobody reads what it says from here on: it must not wait for that.
        self.drain = subprocess.Popen(["cat"], stdin=self.process.stderr, stdout=subprocess.DEVNULL)
        self.process.stderr.close()
        self.wait_until_ready()

    def wait_until_ready(self):
        end = time.monotonic() + SECONDS_MAX
        while time.monotonic() < end:
            connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=SECONDS_MAX)
            connection.request("GET", "/-/ready")
            status = connection.getresponse().status
            connection.close()
            if status == 200:
                return
            time.sleep(0.01)
        raise AssertionError("Prometheus never got ready")

    def read_port(self):
        for line in self.process.stderr:
            self.log.append(line)
            found = re.search(r'msg="Listening on" address=127\.0\.0\.1:(\d+)', line)
            if found:
                return int(found[1])
        raise AssertionError("Prometheus did not start: " + "".join(self.log[-20:]))

    def ask(self, path, **params):
        """The data of an answer of its API."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=SECONDS_MAX)
        try:
            connection.request("GET", f"/api/v1/{path}?{urllib.parse.urlencode(params)}")
            answer = json.loads(connection.getresponse().read())
        finally:
            connection.close()
        if answer["status"] != "success":
            raise AssertionError(f"{path} {params}: {answer}")
        return answer["data"]

    def query(self, expression):
        return self.ask("query", query=expression)["result"]

    def value(self, expression):
        """Of the first series; None where there is none."""
        result = self.query(expression)
        return float(result[0]["value"][1]) if result else None

    def alerts(self, state="firing"):
        return [alert for alert in self.ask("alerts")["alerts"] if alert["state"] == state]

    def firing(self, name, **labels):
        return [alert for alert in self.alerts() if alert["labels"]["alertname"] == name
                and all(alert["labels"].get(key) == value for key, value in labels.items())]

    def is_steady(self):
        """Whether every target was scraped and every rule evaluated."""
        targets = self.ask("targets", state="active")["activeTargets"]
        rules = [rule for group in self.ask("rules")["groups"] for rule in group["rules"]]
        return bool(rules) and all(one["health"] == "up" for one in targets) and all(
            rule["health"] == "ok" for rule in rules)

    def stop(self):
        self.process.terminate()
        self.process.wait(SECONDS_MAX)
        self.drain.wait(SECONDS_MAX)
