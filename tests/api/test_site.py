"""The dashboard's files: there for everybody, packed or not, kept as long as they may be, and safe to open."""

import gzip
import re
import unittest  # noqa: F401

from server import ApiCase

import tap

HTML = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}


class Site(ApiCase):
    def open(self, path, method="GET", **headers):
        return self.call(method, path, token="", headers={name.replace("_", "-"): one for name, one in headers.items()})

    def assets(self):
        return re.findall(rb'"(/assets/[^"]+)"', self.open("/").body)

    def test_the_page_is_there_without_a_token_and_names_its_files(self):
        page = self.open("/")
        self.assertEqual(page.status, 200)
        self.assertEqual(page.headers["Content-Type"], "text/html; charset=utf-8")
        self.assertTrue(self.assets())
        for path in self.assets():
            self.assertEqual(self.open(path.decode()).status, 200)

    def test_a_page_of_the_dashboard_is_the_page_for_a_browser_alone(self):
        page = self.open("/")
        for path in ("/jobs", "/jobs/job_0000000000000", "/triggers/x", "/dead", "/no/such/page"):
            self.assertEqual(self.open(path, **HTML).body, page.body)
            self.assertEqual(self.open(path).status, 401)
            self.expect_problem(404, "not_found", "GET", path)

    def test_calls_of_the_api_and_files_that_are_not_there_are_never_the_page(self):
        for path in ("/v1", "/v1/", "/v1/nothing", "/v1/jobs", "/metrics"):
            self.assertEqual(self.open(path, **HTML).status, 401)
        self.expect_problem(404, "not_found", "GET", "/v1/nothing", headers=HTML)
        self.expect_problem(404, "not_found", "GET", "/assets/nothing.js", headers=HTML)
        self.expect_problem(404, "not_found", "POST", "/", {}, headers=HTML)

    def test_who_can_unpack_gets_it_packed(self):
        plain = self.open("/")
        packed = self.open("/", Accept_Encoding="br, gzip;q=0.5")
        self.assertIsNone(plain.headers["Content-Encoding"])
        self.assertEqual(packed.headers["Content-Encoding"], "gzip")
        self.assertEqual(gzip.decompress(packed.body), plain.body)
        self.assertIsNone(self.open("/", Accept_Encoding="gzip;q=0, br").headers["Content-Encoding"])

    def test_a_head_is_the_same_without_the_body(self):
        page = self.open("/")
        head = self.open("/", method="HEAD")
        self.assertEqual((head.status, head.body), (200, b""))
        self.assertEqual(int(head.headers["Content-Length"]), len(page.body))

    def test_files_with_a_hash_are_kept_and_the_page_is_asked_for_again(self):
        page = self.open("/")
        self.assertEqual(page.headers["Cache-Control"], "no-cache")
        again = self.open("/", If_None_Match=page.headers["ETag"])
        self.assertEqual((again.status, again.body), (304, b""))
        self.assertEqual(self.open("/", If_None_Match='"a", W/' + page.headers["ETag"]).status, 304)
        self.assertEqual(self.open("/", If_None_Match='"other"').status, 200)
        self.assertIn("immutable", self.open(self.assets()[0].decode()).headers["Cache-Control"])

    def test_nothing_inline_and_nothing_from_elsewhere(self):
        page = self.open("/")
        policy = page.headers["Content-Security-Policy"]
        for rule in ("default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "base-uri 'none'",
                     "form-action 'none'"):
            self.assertIn(rule, policy)
        self.assertNotIn("unsafe", policy)
        self.assertEqual(page.headers["X-Content-Type-Options"], "nosniff")
        self.assertEqual(page.headers["Referrer-Policy"], "no-referrer")
        self.assertNotRegex(page.body, rb"<script[^>]*>[^<]|<style| style=|https?://")


if __name__ == "__main__":
    tap.main()
