"""What is made of the commands' own tables: help, completion, the manual page."""

import re
import shutil
import subprocess
import unittest

from binary import run
import tap

DONE, USAGE = 0, 2


def commands():
    return [line.split()[0] for line in run("-h").out.splitlines() if line.startswith("  ")]


def options(command):
    return re.findall(r"^  --([a-z-]+)", run(command, "-h").out, re.MULTILINE)


class Help(unittest.TestCase):
    def test_no_line_is_wider_than_a_usual_terminal(self):
        for command in commands():
            for line in run(command, "-h").out.splitlines():
                self.assertLessEqual(len(line), 120, line)

    def test_every_command_that_talks_to_a_server_takes_the_same_options(self):
        for command in ["add", "list", "dead", "pools", "events", "top", "audit", "import", "backup"]:
            self.assertLessEqual({"json", "url", "token-file", "data"}, set(options(command)), command)

    def test_an_unknown_option_gets_the_likely_one(self):
        self.assertIn("did you mean --timeout", run("add", "x", "--timout", "5m").err)


class Completion(unittest.TestCase):
    def complete(self, *words):
        """What bash offers for the last of the words."""
        script = run("completion", "bash").out + f"""
COMP_WORDS=({' '.join(repr(word) for word in words)})
COMP_CWORD={len(words) - 1}
_belfry
printf '%s\\n' "${{COMPREPLY[@]}}"
"""
        done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, timeout=60, check=True)
        self.assertEqual(done.stderr, "")
        return done.stdout.split()

    def test_bash_completes_commands(self):
        self.assertEqual(set(self.complete("belfry", "")), {"help", *commands()})
        self.assertEqual(self.complete("belfry", "hist"), ["history"])

    def test_bash_completes_options(self):
        for command in commands():
            self.assertLessEqual({f"--{name}" for name in options(command)}, set(self.complete("belfry", command, "--")))

    def test_bash_completes_words_and_values(self):
        self.assertEqual(self.complete("belfry", "dead", "re"), ["replay"])
        self.assertEqual(self.complete("belfry", "add", "x", "--overlap", ""), ["skip", "queue", "collapse", "allow"])
        self.assertEqual(self.complete("belfry", "add", "x", "--tz", ""), [])

    def test_every_shell_knows_every_command_and_option(self):
        for shell in ("bash", "zsh", "fish"):
            text = run("completion", shell).out
            for command in commands():
                self.assertIn(command, text)
                for option in options(command):
                    self.assertIn(option, text)

    def test_the_shells_that_are_here_can_read_theirs(self):
        for shell in ("bash", "zsh", "fish"):
            if shutil.which(shell):
                done = subprocess.run([shell, "-n"], input=run("completion", shell).out, capture_output=True, text=True,
                                      timeout=60, check=False)
                self.assertEqual((done.returncode, done.stderr), (0, ""), shell)

    def test_another_shell_is_not_known(self):
        for args in [(), ("tcsh",), ("bash", "zsh")]:
            self.assertEqual(run("completion", *args).code, USAGE)


class Manual(unittest.TestCase):
    def setUp(self):
        self.page = run("help", "--man").out

    def test_it_has_every_command_and_option(self):
        plain = self.page.replace("\\-", "-")
        for command in commands():
            self.assertIn(f".SS {command}\n", plain)
            for option in options(command):
                self.assertIn(f"--{option}", plain)

    def test_no_line_of_text_is_taken_for_a_request(self):
        known = {"TH", "SH", "SS", "TP", "PP", "nf", "fi", "RS", "RE", "B", "I", "RI"}
        found = {match[1] for match in re.finditer(r"^\.(\w*)", self.page, re.MULTILINE)}
        self.assertLessEqual(found, known)

    def test_groff_has_nothing_to_say_about_it(self):
        if shutil.which("groff"):
            done = subprocess.run(["groff", "-man", "-Tutf8", "-ww"], input=self.page, capture_output=True, text=True,
                                  timeout=60, check=False)
            self.assertEqual(done.returncode, 0)


if __name__ == "__main__":
    tap.main()
