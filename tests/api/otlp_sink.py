"""otlp_sink: a collector that takes spans over OTLP/HTTP in its JSON form, refuses what has another shape, and keeps
them. It may be told to fail for a while.

    sink = Sink()
    ... --otlp-endpoint sink.url ...
    sink.spans        # as they came; attributes as a dictionary
    sink.wrong        # what was wrong with them
"""

import http.server
import json
import re
import threading

KINDS = range(0, 6)
CODES = (0, 1, 2)


def value_of(value):
    """The one value in an AnyValue."""
    [(kind, content)] = value.items()
    if kind == "stringValue":
        assert isinstance(content, str)
        return content
    if kind == "intValue":
        assert isinstance(content, str) and re.fullmatch(r"-?[0-9]+", content), "64-bit numbers are texts"
        return int(content)
    assert kind in ("boolValue", "doubleValue"), kind
    return content


def attributes_of(holder):
    found = {}
    for one in holder["attributes"]:
        assert set(one) == {"key", "value"} and isinstance(one["key"], str)
        assert one["key"] not in found, "an attribute twice"
        found[one["key"]] = value_of(one["value"])
    return found


def nanoseconds(text):
    assert isinstance(text, str) and re.fullmatch(r"[0-9]{1,20}", text), "fixed64 is a text in JSON"
    return int(text)


def read_span(span):
    known = {"traceId", "spanId", "parentSpanId", "name", "kind", "startTimeUnixNano", "endTimeUnixNano", "attributes",
             "status"}
    assert set(span) <= known, f"unknown fields {set(span) - known}"
    assert re.fullmatch(r"[0-9a-f]{32}", span["traceId"]) and int(span["traceId"], 16) != 0
    assert re.fullmatch(r"[0-9a-f]{16}", span["spanId"]) and int(span["spanId"], 16) != 0
    assert "parentSpanId" not in span or re.fullmatch(r"[0-9a-f]{16}", span["parentSpanId"])
    assert isinstance(span["name"], str) and span["name"]
    assert span["kind"] in KINDS
    assert nanoseconds(span["startTimeUnixNano"]) <= nanoseconds(span["endTimeUnixNano"])
    assert set(span["status"]) <= {"code", "message"} and span["status"]["code"] in CODES
    return {**span, "attributes": attributes_of(span)}


def read_request(body):
    assert set(body) == {"resourceSpans"}
    spans = []
    for resource in body["resourceSpans"]:
        assert set(resource) == {"resource", "scopeSpans"}
        of_resource = attributes_of(resource["resource"])
        assert of_resource["service.name"] == "belfry"
        for scope in resource["scopeSpans"]:
            assert scope["scope"]["name"] == "belfry" and scope["scope"]["version"]
            spans += [read_span(span) for span in scope["spans"]]
    assert spans, "a request without spans"
    return spans


class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        sink = self.server.sink
        text = self.rfile.read(int(self.headers["Content-Length"]))
        status = 200
        with sink.lock:
            sink.requests += 1
            if sink.failures:
                status = sink.failures.pop(0)
            else:
                try:
                    assert self.path == "/v1/traces", self.path
                    assert self.headers["Content-Type"] == "application/json"
                    sink.spans += read_request(json.loads(text))
                except Exception as error:  # what is wrong is told by the test
                    sink.wrong.append(f"{type(error).__name__}: {error}: {text[:3000]!r}")
                    status = 400
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, *_):
        pass


class Sink:
    def __init__(self):
        self.lock = threading.Lock()
        self.spans, self.wrong, self.failures, self.requests = [], [], [], 0
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.sink = self
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def of(self, trigger):
        """The spans of a trigger: its own, and those of its attempts by number."""
        with self.lock:
            found = [span for span in self.spans if span["attributes"]["belfry.trigger"] == trigger]
        own = [span for span in found if "belfry.attempt" not in span["attributes"]]
        attempts = {span["attributes"]["belfry.attempt"]: span for span in found if span not in own}
        return (own[0] if own else None), attempts

    def stop(self):
        self.server.shutdown()
        self.server.server_close()
