"""api_case: a test that runs the real belfry against the fake API; every request must fit the description."""

import json
import unittest

import binary
import fake_api

DONE, REFUSED, USAGE, UNREACHABLE = 0, 1, 2, 3

# Nothing listens on the discard port of a test machine.
NOWHERE = "http://127.0.0.1:9"


class ApiCase(unittest.TestCase):
    requests = []  # of all cases of a class: Node.js is asked about them once

    @classmethod
    def setUpClass(cls):
        cls.requests = []

    @classmethod
    def tearDownClass(cls):
        found = fake_api.complaints(cls.requests)
        if found:
            raise AssertionError("\n".join(found))

    def setUp(self):
        self.api = fake_api.FakeApi()
        self.addCleanup(self.api.close)

    def tearDown(self):
        self.assertEqual([], self.api.unknown)
        self.requests.extend(self.api.requests())

    def surroundings(self, more=None):
        clean = {"BELFRY_URL": self.api.url, "BELFRY_TOKEN": fake_api.TOKEN, "HOME": "/nonexistent", "COLUMNS": "120"}
        return {**clean, **(more or {})}

    def run_belfry(self, *args, env=None, stdin=b""):
        return binary.run(*args, env=self.surroundings(env), stdin=stdin)

    def done(self, *args, **more):
        """What belfry prints; it must succeed and have nothing to complain about."""
        got = self.run_belfry(*args, **more)
        self.assertEqual((got.code, got.err), (DONE, ""), (args, got.out))
        return got.out

    def body(self):
        """The JSON of the last request."""
        return json.loads(self.api.last().body)

    def refused(self, code, *args, **more):
        """What belfry says on standard error; it must end with code and print nothing else."""
        got = self.run_belfry(*args, **more)
        self.assertEqual((got.code, got.out), (code, ""), (args, got.err))
        return got.err

    def lines(self, *args, **more):
        return self.done(*args, **more).splitlines()
