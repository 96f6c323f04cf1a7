"""How belfry finds its server and its token, and what it says where that fails."""

import os
import pathlib
import tempfile

import api_case
import binary
import fake_api
import tap
import terminal
from api_case import DONE, NOWHERE, REFUSED, UNREACHABLE, USAGE


class Server(api_case.ApiCase):
    def test_the_option_goes_before_the_environment(self):
        got = self.run_belfry("list", "--url", self.api.url + "/", env={"BELFRY_URL": NOWHERE})
        self.assertEqual(got.code, DONE, got.err)

    def test_one_that_is_not_there_is_3_and_says_what_to_do(self):
        for command in [("list",), ("add", "x"), ("run", "x"), ("events",), ("top",), ("audit",), ("doctor",)]:
            message = self.refused(UNREACHABLE, *command, env={"BELFRY_URL": NOWHERE})
            self.assertIn(NOWHERE, message)
            self.assertIn("belfry up", message)

    def test_with_json_an_error_is_json(self):
        got = self.run_belfry("list", "--json", env={"BELFRY_URL": NOWHERE})
        self.assertEqual((got.code, got.err), (UNREACHABLE, ""))
        self.assertIn('{"error":"cannot reach', got.out)

    def test_an_address_that_is_none_is_a_mistake(self):
        for url in ["localhost:7600", "ftp://a.example", "http://", "http://a b", "http://a/?b"]:
            self.assertIn("URL", self.refused(USAGE, "list", "--url", url))

    def test_a_connection_that_breaks_leaves_open_what_was_done(self):
        def hang_up(handler, _):
            handler.close_connection = True
            handler.connection.close()

        self.api.answer("POST", "/v1/jobs/{id}/run", hang_up)
        message = self.refused(UNREACHABLE, "run", "x", "--key", "k1")
        self.assertIn("not known", message)
        self.assertIn("--key k1", message)

    def test_a_5xx_says_whether_it_was_applied(self):
        self.api.problem("POST", "/v1/jobs/{id}/run", 503, "store_down", "the disk is full",
                         headers={"Outcome": "not-applied", "Retry_After": "2"})
        message = self.refused(REFUSED, "run", "x")
        self.assertIn("the disk is full", message)
        self.assertIn("try again in 2 s", message)
        self.assertNotIn("not known", message)

    def test_a_5xx_that_does_not_say_so_leaves_it_open(self):
        self.api.problem("POST", "/v1/jobs/{id}/run", 500, "internal", "it broke")
        self.assertIn("not known", self.refused(REFUSED, "run", "x"))

    def test_somebody_elses_server_is_recognised(self):
        self.api.answer("GET", "/v1/jobs", b"<html>404</html>", 404)
        self.assertIn("not of a Belfry server", self.refused(REFUSED, "list"))
        self.api.answer("GET", "/v1/doctor", b"<html>hello</html>", 200)
        self.assertIn("not of a Belfry server", self.refused(REFUSED, "doctor"))
        self.api.answer("GET", "/v1/servers", b"", 302, Location="http://other.example/")
        self.assertIn("302", self.refused(REFUSED, "servers"))
        self.assertEqual(len(self.api.asked), 3)

    def test_a_refusal_with_json_is_the_servers_own(self):
        self.api.problem("GET", "/v1/jobs", 403, "forbidden", "no", field="tenant")
        got = self.run_belfry("list", "--json")
        self.assertEqual((got.code, got.err), (REFUSED, ""))
        self.assertIn('"code": "forbidden"', got.out)

    def test_the_field_of_a_refusal_is_named(self):
        self.api.problem("POST", "/v1/jobs", 422, "unknown_timezone", "there is no time zone Mars", field="timezone")
        self.assertIn("belfry add: timezone: there is no time zone Mars", self.refused(REFUSED, "add", "x"))


class Address(api_case.ApiCase):
    """What a running server leaves in its data folder."""

    def folder(self, address):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        pathlib.Path(folder.name, "address").write_text(address)
        pathlib.Path(folder.name, "token").write_text("bf_local\n")
        return folder.name

    def list(self, *args, **env):
        return binary.run(*args, env={"HOME": "/nonexistent", "BELFRY_URL": "", "BELFRY_TOKEN": "", **env})

    def test_it_is_where_the_server_is_looked_for(self):
        folder = self.folder(self.api.url + "\n")
        for args, env in [(("list", "--data", folder), {}), (("--data", folder, "list"), {}),
                          ((f"--data={folder}", "--json", "list"), {}), (("list",), {"BELFRY_DATA": folder})]:
            got = self.list(*args, **env)
            self.assertEqual(got.code, DONE, got.err)
            self.assertEqual(self.api.last().headers["authorization"], "Bearer bf_local")
        self.assertEqual(len(self.api.asked), 4)

    def test_what_was_said_goes_before_it(self):
        folder = self.folder(NOWHERE)
        self.assertEqual(self.list("list", "--data", folder, "--url", self.api.url).code, DONE)
        self.assertEqual(self.list("list", "--data", folder, BELFRY_URL=self.api.url).code, DONE)

    def test_one_of_a_server_that_is_gone_says_what_to_do(self):
        folder = self.folder(NOWHERE)
        got = self.list("list", "--data", folder)
        self.assertEqual((got.code, got.out), (UNREACHABLE, ""))
        for text in [NOWHERE, "address of a server that is gone", f"belfry up --data {folder}"]:
            self.assertIn(text, got.err)

    def test_one_that_is_none_counts_as_none(self):
        for text in ["", "\n", "nonsense", "http://a b"]:
            got = self.list("list", "--data", self.folder(text))
            self.assertNotEqual(got.code, USAGE, got.err)


class Token(api_case.ApiCase):
    def sent(self, *args, env):
        got = binary.run("list", *args, env={"HOME": "/nonexistent", "BELFRY_URL": self.api.url, **env})
        self.assertEqual(got.code, DONE, got.err)
        return self.api.last().headers.get("authorization")

    def folder(self, token="bf_local\n"):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        pathlib.Path(folder.name, "token").write_text(token)
        return folder.name

    def test_it_comes_from_a_file_the_environment_or_the_data_folder(self):
        folder = self.folder()
        other = os.path.join(self.folder("bf_other"), "token")
        both = {"BELFRY_TOKEN": "bf_env", "BELFRY_DATA": folder}
        self.assertEqual(self.sent("--token-file", other, env=both), "Bearer bf_other")
        self.assertEqual(self.sent(env=both), "Bearer bf_env")
        self.assertEqual(self.sent(env={"BELFRY_DATA": folder}), "Bearer bf_local")
        self.assertEqual(self.sent("--data", folder, env={"BELFRY_DATA": "/nonexistent"}), "Bearer bf_local")
        self.assertIsNone(self.sent(env={"BELFRY_DATA": "/nonexistent", "BELFRY_TOKEN": ""}))

    def test_a_file_that_was_named_must_be_there_and_hold_a_token(self):
        self.assertIn("/nonexistent", self.refused(USAGE, "list", "--token-file", "/nonexistent"))
        for token in ["", "two words", "a\r\nX-Evil: b", "x" * 600]:
            path = os.path.join(self.folder(token), "token")
            self.assertIn("no token", self.refused(USAGE, "list", "--token-file", path))

    def test_a_401_says_where_a_token_was_looked_for(self):
        self.api.problem("GET", "/v1/jobs", 401, "unauthorized", "send a key")
        message = self.refused(REFUSED, "list", env={"BELFRY_TOKEN": "", "BELFRY_DATA": "/nonexistent"})
        self.assertIn("/nonexistent/token", message)
        self.assertIn("BELFRY_TOKEN", message)
        self.assertIn("does not know the token", self.refused(REFUSED, "list"))


class Terminal(api_case.ApiCase):
    def on_terminal(self, *args, **env):
        """What belfry writes to a terminal of its own."""
        return terminal.run([binary.BELFRY, *args], binary.environment(self.surroundings(env)))[1]

    def test_colours_are_for_terminals_that_want_them(self):
        self.assertIn("\x1b[32mactive\x1b[0m", self.on_terminal("list", TERM="xterm"))
        self.assertNotIn("\x1b", self.on_terminal("list", TERM="xterm", NO_COLOR="1"))
        self.assertNotIn("\x1b", self.on_terminal("list", TERM="dumb"))
        self.assertNotIn("\x1b", self.done("list", env={"TERM": "xterm"}))

    def test_json_has_none(self):
        self.assertNotIn("\x1b", self.on_terminal("list", "--json", TERM="xterm"))


if __name__ == "__main__":
    tap.main()
