"""A stand-in for the JSON API of Alibaba Cloud Public DNS, HTTP or HTTPS, for tests.

    GET /resolve?name=NAME&type=1|28[&uid=ID&ts=SECONDS&key=SIGNATURE&ak=KEY-ID][&short=1]
    signature = lower-case hex of SHA-256(account id + key secret + ts + name + key id)

Answers come from a zone that a test can change at any time. Every query is recorded. Failures are modes.
"""

import enum
import hashlib
import http.server
import json
import socket
import ssl
import threading
import time
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, urlsplit

A, CNAME, SOA, AAAA = 1, 5, 6, 28
_TYPES = {"1": A, "A": A, "28": AAAA, "AAAA": AAAA}
_WINDOW = 600  # seconds that `ts` may be away from the clock of the service
NOERROR, SERVFAIL, NXDOMAIN, REFUSED = 0, 2, 3, 5


@dataclass
class Entry:
    """What the service knows about one name."""

    a: list = field(default_factory=list)
    aaaa: list = field(default_factory=list)
    ttl: int = 60
    cname: str = None  # the name that holds the addresses; `a` and `aaaa` stay empty then
    status: int = NOERROR
    empty_list: bool = True  # "no record" as an empty Answer list, or without the member
    delays: dict = field(default_factory=dict)  # type -> seconds before its answer
    fail_types: tuple = ()  # types whose query gets HTTP 500


@dataclass(frozen=True)
class Account:
    id: str = "123456"
    key_id: str = "AKIDEXAMPLE"
    secret: str = "s3cr3tKeyForDocs"

    def signature(self, ts, name):
        return hashlib.sha256((self.id + self.secret + ts + name + self.key_id).encode()).hexdigest()


@dataclass
class Query:
    name: str
    type: int
    signed: bool
    accepted: bool
    connection: int
    http_version: str
    parameters: dict


class Mode(enum.Enum):
    OK = "answers"
    SILENT = "accepts and never answers"
    HANG_UP = "closes without a byte"
    HTTP_500 = "answers 500"
    GARBAGE = "answers 200 with text that is no JSON"
    UNAUTHORIZED = "answers 401 whatever the signature"
    WRONG_PATH = "answers 404"


class _Refusal(Exception):
    def __init__(self, status, code):
        self.status, self.code = status, code


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "stand-in"
    disable_nagle_algorithm = True

    def setup(self):
        if self.server.tls:
            self.request = self.server.tls.wrap_socket(self.request, server_side=True)
        self.number = self.server.service.opened(self.request)
        super().setup()

    def finish(self):
        super().finish()
        self.server.service.closed(self.request)

    def log_message(self, *_):
        pass

    def date_time_string(self, timestamp=None):
        return super().date_time_string(self.server.service.now() if timestamp is None else timestamp)

    def do_GET(self):
        service = self.server.service
        status, body = service.answer(self)
        if status is None:
            self.close_connection = True
            return
        payload = body.encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(payload)))
        self.end_headers()
        self.wfile.write(payload)


class _Listener(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, address, service, tls):
        self.service, self.tls = service, tls
        if ":" in address[0]:
            self.address_family = socket.AF_INET6
        super().__init__(address, _Handler)

    def handle_error(self, request, client_address):
        pass  # a client that leaves in the middle is no fault of the service


class PublicDNS:
    """`zone` maps a lower-case name, or `*.suffix`, to an `Entry`. With `require_signature` an unsigned query is refused."""

    def __init__(self, zone, address="127.0.0.1", port=0, tls=None, account=Account(), require_signature=False, clock=time.time):
        self.zone = dict(zone)
        self.account, self.require_signature = account, require_signature
        self.mode = Mode.OK
        self.clock_offset = 0  # seconds that the service's clock is ahead of the real one
        self.delay = 0.0  # seconds before every answer
        self.queries = []
        self._clock = clock
        self._address, self.port = address, port
        self._tls = None
        if tls:
            self._tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self._tls.load_cert_chain(tls.certificate, tls.key)
        self._lock = threading.Lock()
        self._release = threading.Event()
        self._sockets, self._connections = [], 0
        self._listener = None
        self.start()

    # Life

    @property
    def url(self):
        host = f"[{self._address}]" if ":" in self._address else self._address
        return f"{'https' if self._tls else 'http'}://{host}:{self.port}"

    def start(self):
        """Listens (again, on the same port)."""
        self._listener = _Listener((self._address, self.port), self, self._tls)
        self.port = self._listener.server_address[1]
        threading.Thread(target=self._listener.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()

    def stop(self):
        """Closes the listener and every connection: from now on the port refuses."""
        if self._listener is None:
            return
        self._listener.shutdown()
        self._listener.server_close()
        self._listener = None
        self.drop_connections()

    def drop_connections(self):
        """Cuts every connection; a query that waits for its answer gets none."""
        with self._lock:
            self._release.set()
            self._release = threading.Event()
            sockets, self._sockets = self._sockets, []
        for connection in sockets:
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def opened(self, connection):
        with self._lock:
            self._sockets.append(connection)
            self._connections += 1
            return self._connections

    def closed(self, connection):
        with self._lock:
            if connection in self._sockets:
                self._sockets.remove(connection)
        try:
            connection.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        connection.close()

    def now(self):
        return self._clock() + self.clock_offset

    # What came

    def asked(self, name, type=None):
        """The recorded queries for a name."""
        with self._lock:
            return [query for query in self.queries if query.name.lower() == name and type in (None, query.type)]

    # Answers

    def answer(self, handler):
        """HTTP status and body for a request; (None, None) to close without a byte."""
        target = urlsplit(handler.path)
        parameters = dict(parse_qsl(target.query, keep_blank_values=True))
        refusal = None
        try:
            self._check(target.path, parameters)
        except _Refusal as caught:
            refusal = caught
        query = Query(
            parameters.get("name", ""), _TYPES.get(parameters.get("type", "1")), "key" in parameters, refusal is None,
            handler.number, handler.request_version, parameters,
        )  # fmt: skip
        with self._lock:
            self.queries.append(query)
        return self._by_mode(query, refusal)

    def _by_mode(self, query, refusal):
        if self.mode is Mode.SILENT:
            self._release.wait(60)
            return None, None
        if self.mode is Mode.HANG_UP:
            return None, None
        entry = self._entry(query.name)
        if self._release.wait(self.delay + (entry.delays.get(query.type, 0) if entry else 0)):
            return None, None
        if self.mode is Mode.HTTP_500 or (entry and query.type in entry.fail_types):
            return 500, ""
        if self.mode is Mode.GARBAGE:
            return 200, "<html>not json</html>"
        if self.mode is Mode.WRONG_PATH:
            return 404, ""
        if self.mode is Mode.UNAUTHORIZED:
            refusal = _Refusal(401, "AuthFailed")
        if refusal:
            return refusal.status, json.dumps({"code": refusal.code})
        if query.parameters.get("short") in ("1", "true"):
            return 200, json.dumps([record["data"] for record in self._records(query) if record["type"] == query.type])
        return 200, json.dumps(self._message(query, entry))

    def _check(self, path, parameters):
        if path != "/resolve":
            raise _Refusal(404, "NotFound")
        name = parameters.get("name", "")
        if not name.isascii() or not 0 < len(name) <= 254 or parameters.get("type", "1") not in _TYPES:
            raise _Refusal(400, "InvalidParameter")
        if "key" not in parameters:
            if self.require_signature:
                raise _Refusal(401, "AuthFailed")
            return
        ts = parameters.get("ts", "")
        if not ts.isdigit() or abs(int(ts) - self.now()) > _WINDOW:
            raise _Refusal(401, "AuthFailed")
        mine = self.account.signature(ts, name)
        if (parameters.get("uid"), parameters.get("ak"), parameters["key"]) != (self.account.id, self.account.key_id, mine):
            raise _Refusal(401, "AuthFailed")

    def _entry(self, name):
        name = name.lower().rstrip(".")
        return self.zone.get(name) or self.zone.get("*." + name.partition(".")[2])

    def _records(self, query):
        """The chain of records from the question on, those of the asked type at its end."""
        records, owner = [], query.name.lower().rstrip(".")
        for _ in range(8):
            entry = self._entry(owner)
            if entry is None:
                return records
            if entry.cname is None:
                values = entry.a if query.type == A else entry.aaaa
                return records + [{"name": owner + ".", "TTL": entry.ttl, "type": query.type, "data": value} for value in values]
            records.append({"name": owner + ".", "TTL": entry.ttl, "type": CNAME, "data": entry.cname + "."})
            owner = entry.cname
        return records

    def _message(self, query, entry):
        message = {"Status": entry.status if entry else NXDOMAIN, "TC": False, "RD": True, "RA": True, "AD": False, "CD": False}
        message["Question"] = {"name": query.name.rstrip(".") + ".", "type": query.type}
        if message["Status"] not in (NOERROR, NXDOMAIN):
            return message
        records = self._records(query)
        if records or (entry and entry.empty_list):
            message["Answer"] = records
        if not any(record["type"] == query.type for record in records):
            zone = query.name.lower().rstrip(".").partition(".")[2] or "test"
            data = f"ns1.{zone}. host.{zone}. 1 7200 900 86400 45"
            message["Authority"] = [{"name": zone + ".", "TTL": 45, "type": SOA, "data": data}]
        return message
