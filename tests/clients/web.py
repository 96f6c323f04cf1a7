"""web: small HTTP servers and calls for the tests, JSON in and out."""

import http.client
import http.server
import json
import threading
import urllib.parse

SECONDS_MAX = 60  # for any wait; a guard, far beyond what any of them takes


class Hangup(Exception):
    """The connection is to be closed without an answer."""


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"  # connections stay open, as with the real server

    def answer(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        try:
            status, answer = self.server.site.serve(self.command, self.path, self.headers, body)
        except Hangup:
            self.close_connection = True
            return
        data = json.dumps(answer).encode()
        kind = "application/json" if status < 400 else "application/problem+json"
        try:
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)
        except OSError:
            self.close_connection = True  # who asked has hung up: an answer that is lost

    do_GET = do_POST = answer

    def log_message(self, *_):
        pass


class QuietServer(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, *_):
        pass  # somebody hung up


class Site:
    """A web server whose answers are self.serve(method, path, headers, body) -> (status, object)."""

    def __init__(self):
        self.http = QuietServer(("127.0.0.1", 0), Handler)
        self.http.site = self
        self.url = f"http://127.0.0.1:{self.http.server_address[1]}"
        threading.Thread(target=self.http.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    def close(self):
        self.http.shutdown()
        self.http.server_close()


def call(url, method, path, body=None, headers=None):
    """One call; body is bytes or an object. Returns status and object."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode() if body is not None else None
    connection = http.client.HTTPConnection(urllib.parse.urlsplit(url).netloc, timeout=SECONDS_MAX)
    try:
        connection.request(method, path, data, {"Content-Type": "application/json", **(headers or {})})
        response = connection.getresponse()
        return response.status, json.loads(response.read() or b"null")
    finally:
        connection.close()
