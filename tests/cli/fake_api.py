"""fake_api: a server that answers every call of docs/openapi.yaml with the description's own examples, and remembers what
it was asked.

    with FakeApi() as api:
        api.answer("GET", "/v1/jobs/{id}/why", {"runnable": True, "gates": []})     # instead of the example
        ...
        api.asked                                                                   # what came, in order

Rules: (1) a call, or a parameter of one, that the description does not know is remembered in `unknown`; bodies that
           do not fit their schema are found by `complaints`.
       (2) nothing here knows what the command line should do; the tests do.
"""

import collections
import copy
import http.server
import json
import pathlib
import re
import subprocess
import threading
import urllib.parse

HERE = pathlib.Path(__file__).resolve().parent
TOKEN = "bf_test"
SECONDS_MAX = 60

Asked = collections.namedtuple("Asked", "method path query body headers template connection")
Reply = collections.namedtuple("Reply", "status body headers")


def contract(word, text=""):
    done = subprocess.run(
        ["node", str(HERE / "contract.mjs"), word], input=text, capture_output=True, text=True, timeout=SECONDS_MAX
    )
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    return done.stdout


class Description:
    """docs/openapi.yaml, asked for operations and examples."""

    def __init__(self):
        self.root = json.loads(contract("describe"))
        self.paths = []
        for path, item in self.root["paths"].items():
            pattern = re.compile(re.sub(r"\\\{\w+\\\}", "([^/]+)", re.escape(path)) + "$")
            self.paths.append((path.count("{"), path, pattern, item))
        self.paths.sort(key=lambda row: row[0])  # /v1/jobs/batch before /v1/jobs/{id}

    def resolved(self, node):
        while "$ref" in node:
            found = self.root
            for key in node["$ref"].removeprefix("#/").split("/"):
                found = found[key.replace("~1", "/").replace("~0", "~")]
            node = found
        return node

    def find(self, path):
        return next(((name, item) for _, name, pattern, item in self.paths if pattern.match(path)), (None, None))

    def parameters(self, item, operation):
        both = [self.resolved(node) for node in item.get("parameters", []) + operation.get("parameters", [])]
        return {node["name"] for node in both if node["in"] == "query"}

    def example(self, schema):
        """The first example of a schema, or one put together from those of its parts."""
        if schema.get("examples"):
            return copy.deepcopy(schema["examples"][0])  # tests change what they get
        if "$ref" in schema:
            return self.example(self.resolved(schema))
        if "const" in schema:
            return schema["const"]
        if "allOf" in schema:
            whole = {}
            for part in schema["allOf"]:
                whole.update(self.example(part))
            return whole
        for word in ("oneOf", "anyOf"):
            if word in schema:
                return self.example(schema[word][0])
        if "properties" in schema:
            return {name: self.example(part) for name, part in schema["properties"].items()}
        return {} if schema.get("type") == "object" else []

    def reply(self, operation):
        """The answer of success with the highest status, so that 202 goes before 200."""
        status = max(status for status in operation["responses"] if status.startswith("2"))
        content = self.resolved(operation["responses"][status]).get("content", {})
        kind = next(iter(content), None)
        if kind is None:
            return Reply(int(status), b"", {})
        media = content[kind]
        if kind != "application/json":
            return Reply(int(status), media["example"].encode(), {"Content-Type": kind})
        body = media["example"] if "example" in media else self.example(media["schema"])
        if "items" in body and "next" in body:
            body = {**body, "next": None}  # a page that is the last, or lists would have no end
        return Reply(int(status), json.dumps(body).encode(), {"Content-Type": kind, "ETag": '"3"'})


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *_):
        pass

    def handle_any(self):
        self.server.api.handle(self)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = handle_any


class FakeApi:
    description = None  # read once for all tests of a program

    def __init__(self):
        FakeApi.description = FakeApi.description or Description()
        self.asked = []
        self.unknown = []
        self.replies = {}
        self.lock = threading.Lock()
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.server.api = self
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.02})
        self.thread.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()

    def answer(self, method, template, body, status=200, **headers):
        """What is answered instead of the example; several answers are given one after the other, the last for ever.
        body may be JSON, bytes, or a function of (handler, asked) that does it all."""
        data = body if callable(body) or isinstance(body, bytes) else json.dumps(body).encode()
        kind = "application/problem+json" if status >= 400 else "application/json"
        all_headers = {"Content-Type": kind, **{name.replace("_", "-"): text for name, text in headers.items()}}
        self.replies.setdefault((method, template), []).append(Reply(status, data, all_headers))

    def problem(self, method, template, status, code, detail, headers=None, **more):
        body = {"type": "about:blank", "title": "-", "status": status, "code": code, "detail": detail, **more}
        self.answer(method, template, body, status, **(headers or {}))

    def handle(self, handler):
        length = int(handler.headers.get("Content-Length") or 0)
        raw = handler.rfile.read(length)
        path, _, query = handler.path.partition("?")
        pairs = urllib.parse.parse_qsl(query, keep_blank_values=True)
        template, item = self.description.find(path)
        operation = (item or {}).get(handler.command.lower())
        headers = {name.lower(): value for name, value in handler.headers.items()}
        asked = Asked(
            handler.command, urllib.parse.unquote(path), dict(pairs), raw, headers, template, handler.client_address
        )
        with self.lock:
            self.asked.append(asked)
            if operation is None:
                self.unknown.append(f"{handler.command} {path}")
            else:
                known = self.description.parameters(item, operation)
                self.unknown += [f"{handler.command} {template}: ?{name}=" for name, _ in pairs if name not in known]
            replies = self.replies.get((handler.command, template), [])
            reply = replies.pop(0) if len(replies) > 1 else replies[0] if replies else None
        if reply is None and operation is None:
            reply = Reply(404, b'{"type":"about:blank","title":"-","status":404,"code":"not_found","detail":"no"}', {})
        reply = reply or self.description.reply(operation)
        if callable(reply.body):
            reply.body(handler, asked)
        else:
            self.send(handler, reply)

    @staticmethod
    def send(handler, reply):
        handler.send_response(reply.status)
        for name, text in reply.headers.items():
            handler.send_header(name, text)
        if reply.status != 204:
            handler.send_header("Content-Length", str(len(reply.body)))
        handler.end_headers()
        handler.wfile.write(reply.body)

    def last(self):
        return self.asked[-1]

    def requests(self):
        """What was asked with a body, as lines for `complaints`."""
        lines = []
        for asked in self.asked:
            if asked.template and asked.method != "GET" and f"{asked.method} {asked.path}" not in self.unknown:
                is_ndjson = "ndjson" in asked.headers.get("content-type", "")
                body = None if not asked.body else asked.body.decode() if is_ndjson else json.loads(asked.body)
                lines.append(json.dumps({"method": asked.method, "path": asked.template, "body": body}))
        return lines


def complaints(requests):
    """What is wrong with requests by the description (rule 1)."""
    return contract("check", "\n".join(requests)).splitlines()
