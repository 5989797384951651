"""HTTP/1.x on raw sockets, both sides, keeping every byte as it was. No HTTP library in between."""

import socket
import struct


class Closed(Exception):
    """The peer closed (or reset) before what was waited for had come."""


class Wire:
    """One socket with a receive buffer and a deadline for every wait."""

    def __init__(self, connection, seconds=10.0):
        self.socket, self.seconds = connection, seconds
        self.buffer = b""
        self.was_reset = False

    def send(self, data):
        self.socket.settimeout(self.seconds)
        self.socket.sendall(data.encode("latin-1") if isinstance(data, str) else data)

    def _fill(self):
        """Receives once; False at the end of the stream."""
        self.socket.settimeout(self.seconds)
        try:
            data = self.socket.recv(1 << 16)
        except ConnectionResetError:
            self.was_reset = True
            return False
        self.buffer += data
        return bool(data)

    def read_until(self, mark):
        """Everything up to and including `mark`."""
        while mark not in self.buffer:
            if not self._fill():
                raise Closed(f"closed before {mark!r}; had {self.buffer[:300]!r}")
        head, _, self.buffer = self.buffer.partition(mark)
        return head + mark

    def read_exactly(self, count):
        while len(self.buffer) < count:
            if not self._fill():
                raise Closed(f"closed after {len(self.buffer)} of {count} bytes")
        data, self.buffer = self.buffer[:count], self.buffer[count:]
        return data

    def read_rest(self):
        """Everything until the peer closes."""
        while self._fill():
            pass
        data, self.buffer = self.buffer, b""
        return data

    def is_closed(self, seconds=2.0):
        """Whether the peer closes within that time, without another byte."""
        self.socket.settimeout(seconds)
        try:
            return not self.buffer and self.socket.recv(1) == b""
        except ConnectionResetError:
            return True
        except TimeoutError:
            return False

    def is_silent(self, seconds=0.2):
        """Whether the connection stays open without a byte for that time."""
        if self.buffer:
            return False
        self.socket.settimeout(seconds)
        try:
            self.buffer += self.socket.recv(1)
        except TimeoutError:
            return True
        except ConnectionResetError:
            pass
        return False

    def half_close(self):
        self.socket.shutdown(socket.SHUT_WR)

    def close(self):
        self.socket.close()

    def reset(self):
        """Closes so that the peer gets a reset."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class Message:
    """A head and, once read, its body. `fields` keeps order, case and duplicates."""

    def __init__(self, head):
        self.raw_head = head
        lines = head[:-4].decode("latin-1").split("\r\n")
        self.start = lines[0]
        self.fields = []
        for line in lines[1:]:
            name, colon, value = line.partition(":")
            assert colon, f"not a field line: {line!r}"
            self.fields.append((name, value.strip(" \t")))
        self.body = b""
        self.trailers = []
        self.chunked = False
        self.interim = []  # heads of 1xx responses that came before

    def all(self, name):
        return [value for key, value in self.fields if key.lower() == name.lower()]

    def one(self, name):
        """The single value of a field, None when it is absent."""
        values = self.all(name)
        assert len(values) <= 1, f"{name} {len(values)} times"
        return values[0] if values else None

    @property
    def names(self):
        return [name.lower() for name, _ in self.fields]

    @property
    def status(self):
        return int(self.start.split(" ")[1])

    @property
    def method(self):
        return self.start.split(" ")[0]

    @property
    def target(self):
        return self.start.split(" ")[1]

    @property
    def proxy_error(self):
        """The error token of Proxy-Status, None without the field."""
        for part in (self.one("proxy-status") or "").split(";"):
            key, _, value = part.strip().partition("=")
            if key == "error":
                return value
        return None

    def json(self):
        import json

        return json.loads(self.body)

    def __repr__(self):
        return f"<{self.start} {self.fields} {self.body[:200]!r}>"


def read_chunked(wire, message):
    """Reads a chunked body; `message.trailers` gets the trailer fields."""
    while True:
        size = int(wire.read_until(b"\r\n").split(b";")[0], 16)
        if size == 0:
            break
        message.body += wire.read_exactly(size)
        assert wire.read_exactly(2) == b"\r\n"
    while (line := wire.read_until(b"\r\n")) != b"\r\n":
        name, _, value = line.decode("latin-1").rstrip("\r\n").partition(":")
        message.trailers.append((name, value.strip()))


def read_request(wire, body=True):
    """One request as it came, with its body unless `body` is false."""
    message = Message(wire.read_until(b"\r\n\r\n"))
    if body:
        if "chunked" in [value.lower() for value in message.all("transfer-encoding")]:
            message.chunked = True
            read_chunked(wire, message)
        elif message.all("content-length"):
            message.body = wire.read_exactly(int(message.one("content-length")))
    return message


def read_response(wire, method="GET"):
    """One final response; raises `Closed` when it is cut short."""
    interim = []
    while True:
        message = Message(wire.read_until(b"\r\n\r\n"))
        if message.status == 101 or message.status >= 200:
            break
        interim.append(message)
    message.interim = interim
    if method == "HEAD" or message.status in (101, 204, 304) or (method == "CONNECT" and message.status < 300):
        return message
    if message.all("transfer-encoding"):
        message.chunked = True
        read_chunked(wire, message)
    elif message.all("content-length"):
        message.body = wire.read_exactly(int(message.one("content-length")))
    else:
        message.body = wire.read_rest()
        if wire.was_reset:
            raise Closed("reset in a body that ends with the connection")
    return message


def connect(address, seconds=10.0, receive_buffer=None):
    """A wire to (host, port)."""
    family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
    connection = socket.socket(family)
    if receive_buffer:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
    connection.settimeout(seconds)
    connection.connect(address)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return Wire(connection, seconds)
