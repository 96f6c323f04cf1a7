"""pg_proxy: stands between servers and PostgreSQL, and cuts connections at the worst moment: during COMMIT.

It reads what clients send just well enough to find the COMMIT of a transaction that writes: messages of the frontend
protocol (a type byte, a length), prepared statements by their names, and whether the transaction wrote a batch.

What can be done to the next COMMIT of a batch (arm):
    FORWARD_AND_CUT   it arrives, and its answer does not: committed, and the client cannot know
    SWALLOW_AND_CUT   it does not arrive, and the connection ends: not committed, and the client cannot know
    STALL             it does not arrive, and nothing is said, until somebody gives up

Rules: (1) every byte but those of what was armed goes through as it is, in order.
       (2) one COMMIT for each arm(); done tells how many there were.
See:   docs/decisions/0008-postgresql.md, tests/cluster/test_commit.py
"""

import select
import socket
import struct
import threading

FORWARD_AND_CUT, SWALLOW_AND_CUT, STALL = "forward and cut", "swallow and cut", "stall"
STARTUP_CODES = (80877103, 80877104)  # SSLRequest, GSSENCRequest: answered with one byte, then the startup comes
CHUNK_BYTES = 65536
COMMIT_SECONDS = 30  # a guard


def reset(connection):
    """Ends it with RST, as a broken network does."""
    try:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.close()
    except OSError:
        pass


class Messages:
    """Whole messages out of a stream of bytes; the first one of a connection has no type."""

    def __init__(self):
        self.bytes = b""
        self.has_begun = False

    def take(self, more):
        self.bytes += more
        while True:
            head = 1 if self.has_begun else 0
            if len(self.bytes) < head + 4:
                return
            size = head + struct.unpack("!I", self.bytes[head : head + 4])[0]
            if len(self.bytes) < size:
                return
            message, self.bytes = self.bytes[:size], self.bytes[size:]
            if not self.has_begun and struct.unpack("!I", message[4:8])[0] not in STARTUP_CODES:
                self.has_begun = True
                yield b"", message
            else:
                yield message[:1] if self.has_begun else b"", message


class Reader:
    """What a client's messages mean: whether one of them is the COMMIT of a batch."""

    def __init__(self):
        self.messages = Messages()
        self.statements = {}  # text by name
        self.is_writing = False

    def is_commit(self, kind, message):
        text = self.text_of(kind, message)
        if b"batch_log" in text or b"advance" in text:
            self.is_writing = True
        if text.strip().upper().startswith(b"COMMIT") and kind in (b"B", b"Q"):
            was_writing, self.is_writing = self.is_writing, False
            return was_writing
        return False

    def text_of(self, kind, message):
        if kind == b"P":
            name, text = message[5:].split(b"\0")[:2]
            self.statements[name] = text
            return b""
        if kind == b"B":
            return self.statements.get(message[5:].split(b"\0")[1], b"")
        return message[5:-1] if kind == b"Q" else b""


class Proxy:
    """Listens on a port of its own of 127.0.0.1 and passes on to target_port."""

    def __init__(self, target_port):
        self.target_port = target_port
        self.lock = threading.Lock()
        self.armed = None
        self.done = 0
        self.is_over = False
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def arm(self, what):
        with self.lock:
            self.armed = what

    def take_arm(self):
        with self.lock:
            what, self.armed = self.armed, None
            self.done += what is not None
            return what

    def accept(self):
        while not self.is_over:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    def serve(self, client):
        try:
            server = socket.create_connection(("127.0.0.1", self.target_port))
        except OSError:
            reset(client)
            return
        for one in (client, server):
            one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            self.pump(client, server)
        except OSError:
            pass
        reset(client)
        reset(server)

    def pump(self, client, server):
        reader = Reader()
        while True:
            for one in select.select([client, server], [], [])[0]:
                data = one.recv(CHUNK_BYTES)
                if not data:
                    return
                if one is server:
                    client.sendall(data)
                elif not self.pass_on(reader, data, client, server):
                    return

    def pass_on(self, reader, data, client, server):
        """False: it is to be cut."""
        ready = b""
        for kind, message in reader.messages.take(data):
            what = self.take_arm() if reader.is_commit(kind, message) else None
            if what is None:
                ready += message
                continue
            server.sendall(ready)
            if what == FORWARD_AND_CUT:
                self.commit_unheard(message, server)
            elif what == STALL:
                self.stall(client, server)
            return False
        server.sendall(ready)
        return True

    @staticmethod
    def commit_unheard(message, server):
        """The rest of the pipeline as well, so that it is committed; its answers are read, and told to nobody."""
        server.settimeout(COMMIT_SECONDS)
        execute = b"E" + struct.pack("!I", 9) + b"\0" + struct.pack("!I", 0)
        sync = b"S" + struct.pack("!I", 4)
        server.sendall(message + (execute if message[:1] == b"B" else b"") + sync)
        heard = b""
        while b"COMMIT\0" not in heard:
            data = server.recv(CHUNK_BYTES)
            if not data:
                return
            heard = heard[-16:] + data

    def stall(self, client, server):
        """Until the client gives up, or the server ends the session; neither hears of the other."""
        while not self.is_over:
            for one in select.select([client, server], [], [], 0.1)[0]:
                if not one.recv(CHUNK_BYTES):
                    return

    def stop(self):
        self.is_over = True
        self.listener.close()
