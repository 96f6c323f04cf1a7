"""Where settings come from, and what belfry config says about them."""

import json
import os
import pathlib
import unittest

import process
import tap


class Settings(process.ProcessCase):
    def setUp(self):
        super().setUp()
        os.mkdir(self.data, 0o700)

    def config(self, *words, env=None):
        return json.loads(self.run_belfry("config", "--json", "--data", self.data, *words, env=env))["settings"]

    def write(self, text):
        pathlib.Path(self.data, "belfry.conf").write_text(text)

    def test_flags_then_environment_then_file_then_default(self):
        self.write("readers = 3\nnet-threads = 3\nworker-slots = 3\n")
        shown = self.config("--readers", "5", env={"BELFRY_READERS": "4", "BELFRY_NET_THREADS": "4"})
        self.assertEqual(shown["readers"], {"value": "5", "from": "the command line"})
        self.assertEqual(shown["net-threads"], {"value": "4", "from": "the environment"})
        self.assertEqual(shown["worker-slots"], {"value": "3", "from": "the file"})
        self.assertEqual(shown["listen"], {"value": "127.0.0.1:7600", "from": "default"})

    def test_a_server_obeys_the_file(self):
        self.write("# where\nlisten = 127.0.0.1:0\nlog-format = json\n")
        server = self.begin("server", "--data", self.data).ready()
        server.stop()
        for line in server.logged().splitlines():
            self.assertIn("event", json.loads(line))

    def test_an_unknown_name_is_refused_with_the_nearest(self):
        self.write("worker-slot = 3\n")
        said = self.refused("server", "--listen", "127.0.0.1:0", "--data", self.data, code=2)
        self.assertIn('did you mean "worker-slots"?', said)
        self.assertIn("line 1", said)

    def test_secrets_are_hidden(self):
        text = self.run_belfry("config", "--data", self.data, env={"BELFRY_TOKEN": "bf_very_secret"})
        self.assertNotIn("bf_very_secret", text)
        self.assertRegex(text, r"token +=.*hidden.*# the environment")

    def test_the_password_of_a_store_is_hidden(self):
        words = ("config", "--data", self.data, "--store", "postgres://me:pass-word@db/belfry")
        for shown in (self.run_belfry(*words), self.run_belfry(*words, "--json")):
            self.assertIn("postgres://me:***@db/belfry", shown)
            self.assertNotIn("pass-word", shown)

    def test_what_config_prints_is_a_file_of_settings(self):
        text = self.run_belfry("config", "--data", self.data, "--readers", "7")
        kept = [line for line in text.splitlines() if not line.startswith(("config ", "token ", "webhook-secrets "))]
        other = pathlib.Path(self.folder, "other.conf")
        other.write_text("\n".join(kept))
        shown = self.config("--config", str(other))
        self.assertEqual(shown["readers"], {"value": "7", "from": "the file"})

    def test_help_names_every_setting(self):
        shown = self.config()
        texts = "".join(self.run_belfry(command, "--help") for command in ("up", "server", "worker"))
        for name in shown:
            if name not in ("token", "webhook-secrets"):
                self.assertIn(f"--{name}", texts)


if __name__ == "__main__":
    tap.main()
