"""scrape: what /metrics says, as Prometheus reads it; and where its tools are."""

import pathlib
import re
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True  # the source folder stays as it is
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests" / "api"), str(ROOT / "tests" / "tools")]  # server, tap

SAMPLE = re.compile(r'^(\w+)(?:\{(.*)\})? (\S+)$')
LABEL = re.compile(r'(\w+)="([^"]*)"')


def promtool(*args, text=None):
    """Its exit code and all it said."""
    program = shutil.which("promtool") or sys.exit("there is no promtool (Debian has it in the package prometheus)")
    done = subprocess.run([program, *map(str, args)], input=text, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


class Scrape:
    """One answer of /metrics."""

    def __init__(self, text):
        self.text = text
        self.types = dict(re.findall(r"^# TYPE (\S+) (\S+)$", text, re.MULTILINE))
        self.samples = []
        for line in text.splitlines():
            found = SAMPLE.match(line)
            if found:
                self.samples.append((found[1], dict(LABEL.findall(found[2] or "")), float(found[3])))

    def values(self, name, **labels):
        return [value for one, has, value in self.samples
                if one == name and all(has.get(key) == wanted for key, wanted in labels.items())]

    def sum(self, name, **labels):
        return sum(self.values(name, **labels))

    def names(self):
        """Of metrics, and of the samples of histograms."""
        return set(self.types) | {name for name, _, _ in self.samples}


def scrape(server):
    answer = server.call("GET", "/metrics")
    if answer.status != 200:
        raise AssertionError(answer)
    return Scrape(answer.body.decode())
