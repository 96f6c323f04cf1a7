"""Runs the unittest cases of a module and speaks TAP, as every other test of Belfry does."""

import pathlib
import sys
import unittest

sys.dont_write_bytecode = True  # the source folder stays as it is
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))


class TapResult(unittest.TestResult):
    def __init__(self):
        super().__init__()
        self.count = 0

    def say(self, word, case, reason=""):
        self.count += 1
        print(f"{word} {self.count} - {case.id().split('.')[-1]}")
        for line in reason.splitlines():
            print(f"# {line}")

    def addSuccess(self, test):
        super().addSuccess(test)
        self.say("ok", test)

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self.say("not ok", test, self.failures[-1][1])

    def addError(self, test, err):
        super().addError(test, err)
        self.say("not ok", test, self.errors[-1][1])

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self.count += 1
        print(f"ok {self.count} - {test.id().split('.')[-1]} # SKIP {reason}")


def main():
    suite = unittest.defaultTestLoader.loadTestsFromModule(sys.modules["__main__"])
    print(f"1..{suite.countTestCases()}")
    result = TapResult()
    suite.run(result)
    sys.exit(0 if result.wasSuccessful() else 1)
