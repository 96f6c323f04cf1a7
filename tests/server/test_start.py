"""How a server starts, and when it refuses to."""

import http.client
import json
import os
import pathlib
import stat
import unittest

import process
import tap


def mode_of(path):
    return stat.S_IMODE(os.stat(path).st_mode)


class Start(process.ProcessCase):
    def test_the_first_line_says_where_it_listens_and_it_serves_by_then(self):
        server = self.server()
        self.assertEqual(server.call("GET", "/healthz")[0], 200)
        self.assertEqual(server.call("POST", "/v1/jobs", {"delay": "1h"})[0], 202)
        self.assertEqual(server.stop(), 0)
        self.assertEqual(len(server.lines), 1)

    def test_up_says_what_to_try_next(self):
        server = self.up()
        server.stop()
        text = "".join(server.lines)
        self.assertIn(self.data, text)
        self.assertIn(os.path.join(self.data, "token"), text)
        self.assertEqual(text.count(f" --data {self.data}"), 3)

    def test_its_address_is_in_the_data_folder_while_it_runs(self):
        address = pathlib.Path(self.data, "address")
        server = self.server()
        self.assertEqual(address.read_text(), f"http://127.0.0.1:{server.port}\n")
        server.call("POST", "/v1/jobs", {"name": "here", "delay": "1h"})
        self.assertIn("here", self.run_belfry("list", "--data", self.data))
        self.assertIn("here", self.run_belfry("--data", self.data, "list"))
        server.stop()
        self.assertFalse(address.exists())

    def test_the_address_that_a_killed_server_left_is_replaced_by_the_next(self):
        server = self.server()
        server.process.kill()
        server.wait()
        self.assertTrue(os.path.exists(os.path.join(self.data, "address")))
        self.server()
        self.run_belfry("list", "--data", self.data)

    def test_the_data_folder_and_all_in_it_are_ours_alone(self):
        old = os.umask(0)
        self.addCleanup(os.umask, old)
        server = self.server()
        self.assertEqual(mode_of(self.data), 0o700)
        for file in pathlib.Path(self.data).iterdir():
            self.assertEqual(mode_of(file) & 0o077, 0, file)
        self.assertEqual(mode_of(os.path.join(self.data, "token")), 0o600)
        self.assertRegex(server.token(), r"\Abf_[A-Za-z0-9_-]{43}\Z")

    def test_the_token_is_asked_for_and_stays_the_same(self):
        server = self.server()
        token = server.token()
        self.assertEqual(server.call("GET", "/v1/dead", token="")[0], 401)
        self.assertEqual(server.call("GET", "/v1/dead", token=token[:-1])[0], 401)
        self.assertEqual(server.call("GET", "/v1/dead", token=token)[0], 200)
        server.stop()
        self.assertEqual(self.server().call("GET", "/v1/dead", token=token)[0], 200)

    def test_a_token_that_others_can_read_is_refused(self):
        self.server().stop()
        os.chmod(os.path.join(self.data, "token"), 0o640)
        said = self.refused("server", "--listen", "127.0.0.1:0", "--data", self.data)
        self.assertIn("chmod 600", said)

    def test_a_token_of_the_environment_needs_no_file(self):
        server = self.server(env={"BELFRY_TOKEN": "bf_mine"})
        self.assertEqual(server.call("GET", "/v1/dead", token="bf_mine")[0], 200)
        self.assertFalse(os.path.exists(os.path.join(self.data, "token")))

    def test_a_second_server_on_the_same_folder_is_refused_and_the_first_goes_on(self):
        server = self.server()
        said = self.refused("server", "--listen", "127.0.0.1:0", "--data", self.data)
        self.assertTrue(said)
        self.assertEqual(server.call("POST", "/v1/jobs", {"delay": "1h"})[0], 202)

    def test_a_port_that_is_taken_is_refused(self):
        server = self.server()
        other = os.path.join(self.folder, "other")
        said = self.refused("server", "--listen", f"127.0.0.1:{server.port}", "--data", other)
        self.assertIn(str(server.port), said)
        self.assertIn("--listen", said)

    def test_without_a_token_it_listens_on_loopback_only(self):
        server = self.server("--auth", "none")
        self.assertEqual(server.call("GET", "/v1/dead", token="")[0], 200)
        server.stop()
        said = self.refused("server", "--listen", "0.0.0.0:0", "--data", self.data, "--auth", "none")
        self.assertIn("loopback", said)

    def test_without_a_token_pages_of_others_are_refused(self):
        server = self.server("--auth", "none")
        own = f"127.0.0.1:{server.port}"
        job = {"name": "a", "pool": "none"}

        def ask(method="POST", path="/v1/jobs", **headers):
            connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=process.SECONDS_MAX)
            connection.request(method, path, json.dumps(job) if method == "POST" else None, {"Host": own, **headers})
            return server.answer(connection)

        for headers in ({"Host": f"evil.example:{server.port}"}, {"Origin": "http://evil.example"}, {"Origin": "null"},
                        {"Origin": f"http://localhost:{server.port + 1}"}):
            status, _, said = ask(**headers)
            self.assertEqual((status, said["code"]), (403, "forbidden"), headers)
            self.assertIn("auth = none", said["detail"])
            self.assertEqual(ask("GET", "/v1/jobs", **headers)[0], 403)
        self.assertEqual(ask("GET", "/v1/jobs")[2]["items"], [])
        self.assertEqual(ask(Origin=f"http://{own}")[0], 202)
        self.assertEqual(ask("GET", "/v1/jobs", Host=f"localhost:{server.port}")[0], 200)
        self.assertEqual(ask("GET", "/healthz", Host="probe.example")[0], 200)

    def test_other_stores_are_refused_with_a_sentence(self):
        said = self.refused("server", "--data", self.data, "--store", "mysql://me:pass-word@db/belfry")
        self.assertIn("SQLite", said)
        self.assertNotIn("pass-word", said)

    def test_a_store_elsewhere_is_used(self):
        store = os.path.join(self.folder, "elsewhere.db")
        self.server("--store", store)
        self.assertTrue(os.path.exists(store))

    def test_a_folder_that_cannot_be_made_is_refused(self):
        pathlib.Path(self.folder, "file").write_text("")
        said = self.refused("server", "--data", os.path.join(self.folder, "file", "data"))
        self.assertIn("file", said)

    def test_a_store_that_is_none_is_refused_and_left_as_it_is(self):
        os.mkdir(self.data)
        store = pathlib.Path(self.data, "belfry.db")
        store.write_text("this is no database" * 100)
        self.refused("server", "--listen", "127.0.0.1:0", "--data", self.data)
        self.assertEqual(store.read_text(), "this is no database" * 100)

    def test_arguments_that_make_no_sense_are_refused_as_usage(self):
        for words in (["--listen"], ["--lisen", "x"], ["stray"], ["--readers", "0"], ["--drain-grace", "soon"]):
            with self.subTest(words):
                self.refused("server", "--data", self.data, *words, code=2)
        self.refused("server", "--data", self.data, "--listen", "nowhere", code=1)


if __name__ == "__main__":
    tap.main()
