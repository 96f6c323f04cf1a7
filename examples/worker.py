#!/usr/bin/env python3
"""A Belfry worker in plain Python. One call, POST /v1/work, reports what ended, renews what is held, asks for more."""
import collections, http.client, itertools, json, os, secrets, signal, socket, threading, time, urllib.parse

URL = urllib.parse.urlsplit(os.environ.get("BELFRY_URL", "http://127.0.0.1:7600"))
HEADERS = {"Content-Type": "application/json", "Authorization": "Bearer " + os.environ.get("BELFRY_TOKEN", "")}
WORKER = {"worker": "w-" + secrets.token_hex(16), "name": "python", "pools": [os.environ.get("BELFRY_POOL", "default")], "capacity": 4}
connection = getattr(http.client, URL.scheme.upper() + "Connection")(URL.netloc, timeout=9)
stopping = threading.Event()
running = {}  # attempt id -> the event that stops it; here until the server knows how it ended
ended = {}  # attempt id -> its report (None: cancelled, nobody waits for one); put here by its thread
seen = collections.deque(maxlen=10000)  # attempt ids: the server sends one again if an answer may have got lost

def handle(payload, stop):  # your work stands here; if it takes long it looks at stop now and then
    if stop.wait(payload.get("seconds", 0)): raise InterruptedError
    if "fail" in payload: raise RuntimeError(payload["fail"])
    return {"slept": payload.get("seconds", 0)}

def run(id, payload, stop):
    try: report = {"status": "succeeded", "result": handle(payload, stop)}
    except InterruptedError: report = {"status": "released"} if stopping.is_set() else None  # released costs no attempt
    except Exception as e: report = dict(status="failed", error={"code": "error", "message": str(e)}, retryable=True)
    print(id, report or "cancelled", flush=True)
    ended[id] = report and {"attempt": id, **report}
    wake()

def wake():  # something is to be said: hang up and ask anew. What this exchange was given is sent again to the next
    try: connection.sock.shutdown(socket.SHUT_RDWR)
    except (AttributeError, OSError): pass  # it was not connected

def stop_all(*_):
    stopping.set(); wake(); signal.alarm(10)  # by then it ends, whether there is somebody to say goodbye to or not
    for stop in running.values(): stop.set()

def exchange(seq):  # returns whether all is said and done
    if not connection.sock: connection.connect()  # before we look at what ended: from here on wake() is heard
    told, farewell = dict(ended), stopping.is_set()
    holding = [id for id in running if id not in told]  # naming them renews their leases
    body = {**WORKER, "targets": ["none"], "seq": seq, "want": 0 if farewell else WORKER["capacity"] - len(holding), "holding": holding,
            "finished": [report for report in told.values() if report],  # said again until there is an answer
            "wait": "0s" if farewell and not holding else "5s"}  # the server waits a third of the lease at most
    connection.request("POST", "/v1/work", json.dumps(body), HEADERS)
    with connection.getresponse() as response: answer = json.load(response)
    if response.status != 200: print(answer["detail"], flush=True); raise OSError
    for id in told: del running[id], ended[id]  # the server knows; what came too late is in answer["refused"]
    for id in running.keys() & answer["cancel"]: running[id].set()
    for attempt in [attempt for attempt in answer["attempts"] if attempt["id"] not in seen]:
        id = attempt["id"]
        seen.append(id); running[id] = threading.Event(); print(id, "begins", attempt["payload"], flush=True)
        if stopping.is_set(): ended[id] = {"attempt": id, "status": "released"}
        else: threading.Thread(target=run, args=[id, attempt["payload"], running[id]]).start()
    if answer["cancel"] or answer["drain"]: time.sleep(0.2)  # such answers come at once: ask again, but do not spin
    return farewell and not running

for number in signal.SIGTERM, signal.SIGINT: signal.signal(number, stop_all)
for seq in itertools.count(1):
    try:
        if exchange(seq): break
    except (OSError, ValueError, http.client.HTTPException): connection.close(); time.sleep(0.2)
