"""endpoint: what http targets are called at. Each path is another kind of answer, and another kind of mischief.

Rules: (1) every call is kept.
       (2) what hangs here ends with the test.
"""

import http.server
import json
import socket
import threading
import time


class Endpoint:
    def __init__(self):
        self.changed = threading.Condition()
        self.calls = []
        self.connections = 0
        self.now = self.most = 0  # calls under way, and the most that were
        self.is_open = True
        handler = type("Handler", (Handler,), {"endpoint": self})
        self.web = Web(("127.0.0.1", 0), handler)
        self.url = f"http://127.0.0.1:{self.web.server_address[1]}"
        threading.Thread(target=self.web.serve_forever, args=(0.02,), daemon=True).start()

    def stop(self):
        with self.changed:
            self.is_open = False
            self.changed.notify_all()
        self.web.shutdown()
        self.web.server_close()

    def wait_while_open(self, seconds):
        with self.changed:
            self.changed.wait_for(lambda: not self.is_open, seconds)
        return self.is_open


class Web(http.server.ThreadingHTTPServer):
    request_queue_size = 1024
    daemon_threads = True

    def handle_error(self, *_):
        pass  # callers that give up are what this is about


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    endpoint = None

    def setup(self):
        self.endpoint.connections += 1
        super().setup()

    def log_message(self, *_):
        pass

    def do_POST(self):
        it = self.endpoint
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        with it.changed:
            it.calls.append({"method": self.command, "path": self.path, "headers": dict(self.headers), "body": body})
            it.now += 1
            it.most = max(it.most, it.now)
            it.changed.notify_all()
        try:
            kind, _, argument = self.path[1:].partition("/")
            getattr(self, "answer_" + kind)(argument)
        finally:
            with it.changed:
                it.now -= 1

    do_GET = do_PUT = do_PATCH = do_DELETE = do_HEAD = do_POST

    def say(self, status, data=b"", **headers):
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(data))}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    # ---- the kinds ----

    def answer_json(self, _):
        self.say(200, json.dumps({"sent": 1, "big": 12345678901234567890}).encode())

    def answer_text(self, argument):
        self.say(200, argument.encode() or b"plain \xff\x00text")

    def answer_status(self, argument):
        status, _, after = argument.partition("/")
        headers = {"Retry_After": after.replace("_", " ")} if after else {}
        if status.startswith("3"):
            headers["Location"] = "/json"
        self.say(int(status), b"", **headers)

    def answer_hang(self, _):
        self.endpoint.wait_while_open(60)
        self.close_connection = True

    def answer_slow(self, _):
        self.endpoint.wait_while_open(0.2)
        self.say(200)

    def answer_drip(self, _):
        self.send_response(200)
        self.send_header("Content-Length", "100000")
        self.end_headers()
        while self.endpoint.wait_while_open(0.05):
            self.wfile.write(b"x")

    def answer_endless(self, _):
        self.send_response(200)
        self.end_headers()
        while self.endpoint.is_open:
            self.wfile.write(b"endless " * 1000)

    def answer_headers(self, _):
        self.wfile.write(b"HTTP/1.1 200 OK\r\n")
        while self.endpoint.is_open:
            self.wfile.write(b"X-More: " + b"x" * 1000 + b"\r\n")

    def answer_continue(self, _):
        while self.endpoint.is_open:
            self.wfile.write(b"HTTP/1.1 100 Continue\r\n\r\n")

    def answer_cut(self, _):
        self.send_response(200)
        self.send_header("Content-Length", "100")
        self.end_headers()
        self.wfile.write(b"half")
        self.close_connection = True

    def answer_nothing(self, _):
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)

    def answer_zipped(self, _):
        self.say(200, b"\x1f\x8b\x08 not unpacked", Content_Encoding="gzip")


def seconds_from_now(seconds):
    """As a date of HTTP, for Retry-After."""
    return time.strftime("%a, %d %b %Y %H:%M:%S GMT", time.gmtime(time.time() + seconds))
