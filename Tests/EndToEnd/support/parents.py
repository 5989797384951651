"""Parent proxies that note what they were asked: HTTP (absolute form and CONNECT) and SOCKS5."""

import socket
import threading

from .wire import Wire, connect


def _relay(one, other):
    """Copies both ways until both sides have ended."""

    def copy(source, target):
        try:
            if source.buffer:
                target.send(source.buffer)
                source.buffer = b""
            while source._fill():
                target.send(source.buffer)
                source.buffer = b""
            target.half_close()
        except OSError:
            pass

    back = threading.Thread(target=copy, args=(other, one), daemon=True)
    back.start()
    copy(one, other)
    back.join()


def http_parent(destination, refuse=None):
    """A script for `RawOrigin`: CONNECT leads to `destination` whatever the name; other requests are answered here."""

    def script(origin, wire, number):
        while True:
            message = origin.request(wire)
            if refuse:
                wire.send(refuse)
            elif message.method == "CONNECT":
                with connect(destination) as onward:
                    wire.send("HTTP/1.1 200 Connection established\r\nContent-Length: 7\r\nTransfer-Encoding: chunked\r\n\r\n")
                    _relay(wire, onward)
                return
            else:
                wire.send("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nparent")

    return script


class SocksParent:
    """A SOCKS5 server (RFC 1928, and RFC 1929 for the password) that leads every name to `destination`."""

    def __init__(self, destination, user=None, password=None):
        self._destination, self._login = destination, (user, password) if user else None
        self.asked = []  # (address type, host, port)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(Wire(connection),), daemon=True).start()

    def _serve(self, wire):
        with wire:
            version, count = wire.read_exactly(2)
            methods = wire.read_exactly(count)
            assert version == 5
            if self._login:
                assert 2 in methods
                wire.send(b"\x05\x02")
                wire.read_exactly(1)
                login = tuple(wire.read_exactly(wire.read_exactly(1)[0]).decode() for _ in range(2))
                wire.send(b"\x01\x00" if login == self._login else b"\x01\x01")
                if login != self._login:
                    return
            else:
                wire.send(b"\x05\x00")
            _, command, _, kind = wire.read_exactly(4)
            assert command == 1
            if kind == 3:
                host = wire.read_exactly(wire.read_exactly(1)[0]).decode()
            elif kind == 1:
                host = socket.inet_ntoa(wire.read_exactly(4))
            else:
                host = socket.inet_ntop(socket.AF_INET6, wire.read_exactly(16))
            self.asked.append((kind, host, int.from_bytes(wire.read_exactly(2), "big")))
            with connect(self._destination) as onward:
                wire.send(b"\x05\x00\x00\x01\x00\x00\x00\x00\x00\x00")
                _relay(wire, onward)

    def stop(self):
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
