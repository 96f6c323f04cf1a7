"""The alert rules and the example configuration, as promtool sees them."""

import re
import unittest

import scrape
import tap

DEPLOY = scrape.ROOT / "deploy" / "prometheus"
UNIT_TESTS = scrape.ROOT / "tests" / "monitoring" / "rules_test.yml"


class Rules(unittest.TestCase):
    def expect_success(self, *args):
        code, said = scrape.promtool(*args)
        self.assertEqual(code, 0, said)

    def test_the_rules_are_valid(self):
        self.expect_success("check", "rules", DEPLOY / "belfry.rules.yml")

    def test_the_example_configuration_is_valid(self):
        self.expect_success("check", "config", "--syntax-only", DEPLOY / "prometheus.yml")

    def test_each_fires_above_its_threshold_and_not_at_it(self):
        self.expect_success("test", "rules", UNIT_TESTS)

    def test_each_has_a_unit_test_that_wants_it_silent_and_one_that_wants_it_to_fire(self):
        named = re.findall(r"^ +- alert: (\w+)$", (DEPLOY / "belfry.rules.yml").read_text(), re.MULTILINE)
        text = UNIT_TESTS.read_text()
        for name in named:
            self.assertRegex(text, rf"alertname: {name} \}}", name)
            self.assertRegex(text, rf"alertname: {name}\n +exp_alerts:", name)


if __name__ == "__main__":
    tap.main()
