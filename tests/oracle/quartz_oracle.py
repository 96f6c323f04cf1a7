"""quartz_oracle: asks the real Quartz, by way of QuartzOracle.java, and Belfry the same."""

import subprocess
from pathlib import Path

import batch

JARS = [f"/usr/share/java/{name}.jar" for name in ("quartz2", "slf4j-api", "slf4j-nop")]


class Case:
    """One question, as Belfry and as Quartz are asked it."""

    def __init__(self, expr, zone, after, count):
        self.expr, self.zone, self.after, self.count = expr, zone, after, count
        # shift is what comes nearest to what Quartz does in a gap, second what it does in a fold
        self.line = batch.question(expr, zone.name, after, count, gap="shift", fold="second")
        self.asked = f"next\t{expr}\t{zone.name}\t{after}\t{count}"


def ask_quartz(lines):
    """(status, rest) for each line."""
    oracle = Path(__file__).with_name("QuartzOracle.java")
    command = ["java", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", ":".join(JARS), str(oracle)]
    done = subprocess.run(command, input="\n".join(lines) + "\n", capture_output=True, text=True, check=False)
    answers = [line.partition("\t") for line in done.stdout.splitlines()]
    if len(answers) != len(lines):
        raise SystemExit(f"QuartzOracle: {len(lines)} asked, {len(answers)} answered\n{done.stderr[-2000:]}")
    return [(status, rest) for status, _, rest in answers]
