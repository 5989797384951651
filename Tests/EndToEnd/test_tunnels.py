"""CONNECT and Upgrade: after the switch every byte passes, both ways, and nothing is taken for HTTP."""

import base64
import hashlib
import os

import pytest

from support import tls
from support.waiting import until
from support.wire import read_response


def echo(origin, wire, number):
    """Sends back what comes until the client's end, then says goodbye: half-close has to work."""
    while wire._fill():
        data, wire.buffer = wire.buffer, b""
        wire.send(data)
    wire.send(b"bye")


def test_tunnel_is_transparent_and_half_close_is_kept(proxy, raw_origin):
    origin = raw_origin(echo)
    data = os.urandom(300_000)
    with proxy.tunnel(f"raw.test:{origin.port}") as wire:
        wire.send("GET / HTTP/1.1\r\n\r\n")
        assert wire.read_exactly(18) == b"GET / HTTP/1.1\r\n\r\n"
        for start in range(0, len(data), 50_000):
            wire.send(data[start : start + 50_000])
            assert wire.read_exactly(50_000) == data[start : start + 50_000]
        wire.half_close()
        assert wire.read_rest() == b"bye"


def test_origin_half_closes_first(proxy, raw_origin):
    def script(origin, wire, number):
        wire.send("hello")
        wire.half_close()
        assert wire.read_rest() == b"still heard"

    origin = raw_origin(script)
    with proxy.tunnel(f"raw.test:{origin.port}") as wire:
        assert wire.read_rest() == b"hello"
        wire.send("still heard")
        wire.half_close()
    proxy.entry(method="CONNECT")


def test_answer_to_connect_frames_nothing(proxy, raw_origin):
    origin = raw_origin(echo)
    response = proxy.exchange(f"CONNECT raw.test:{origin.port} HTTP/1.1\r\nHost: raw.test:{origin.port}\r\n\r\n")
    assert response.status == 200
    assert not response.all("content-length") and not response.all("transfer-encoding")


def test_early_bytes_are_not_lost(proxy, raw_origin):
    origin = raw_origin(echo)
    with proxy.open() as wire:
        wire.send(f"CONNECT raw.test:{origin.port} HTTP/1.1\r\nHost: raw.test\r\n\r\nearly bytes")
        assert read_response(wire, "CONNECT").status == 200
        assert wire.read_exactly(11) == b"early bytes"


def test_server_that_speaks_first(proxy, raw_origin):
    origin = raw_origin(lambda origin, wire, number: (wire.send("220 hello\r\n"), wire.read_rest()))
    with proxy.tunnel(f"raw.test:{origin.port}") as wire:
        assert wire.read_exactly(11) == b"220 hello\r\n"


@pytest.mark.parametrize(
    "version, host",
    [("1.0", ""), ("1.0", "Host: other.test\r\n"), ("1.1", "Host: proxy.local:3128\r\n"), ("1.1", "Host: other.test\r\n")],
)
def test_only_the_target_counts(proxy, raw_origin, public_dns, version, host):
    origin = raw_origin(echo)
    with proxy.open() as wire:
        wire.send(f"CONNECT raw.test:{origin.port} HTTP/{version}\r\n{host}\r\n")
        assert read_response(wire, "CONNECT").status == 200
        wire.send("ping")
        assert wire.read_exactly(4) == b"ping"
        assert wire.is_silent(0.2)  # a tunnel of an old client lives on too
    assert not public_dns.asked("other.test")


def test_head_of_connect_in_single_bytes(proxy, raw_origin):
    origin = raw_origin(echo)
    with proxy.open() as wire:
        for byte in f"CONNECT raw.test:{origin.port} HTTP/1.1\r\nHost: raw.test\r\n\r\n":
            wire.send(byte)
        assert read_response(wire, "CONNECT").status == 200


def test_tls_in_a_tunnel_in_a_tunnel(start_proxy, origins, authority):
    inner, outer = start_proxy(), start_proxy()
    with outer.tunnel(f"127.0.0.1:{inner.port}") as wire:
        wire.send(f"CONNECT one.test:{origins.https_port} HTTP/1.1\r\nHost: one.test\r\n\r\n")
        assert read_response(wire, "CONNECT").status == 200
        secure = tls.wrap(wire, "one.test", authority.certificate)
        secure.send("GET / HTTP/1.1\r\nHost: one.test\r\nConnection: close\r\n\r\n")
        assert read_response(secure).json()["sni"] == "one.test"


def test_reset_by_the_origin_reaches_the_client(proxy, raw_origin):
    def script(origin, wire, number):
        wire.read_exactly(4)
        wire.reset()

    origin = raw_origin(script)
    with proxy.tunnel(f"raw.test:{origin.port}") as wire:
        wire.send("ping")
        assert wire.read_rest() == b""


def test_bytes_after_a_refused_connect_are_no_request(proxy, origins):
    hidden = f"GET http://one.test:{origins.http_port}/hidden HTTP/1.1\r\nHost: one.test\r\n\r\n"
    with proxy.open() as wire:
        wire.send(f"CONNECT gone.test:443 HTTP/1.1\r\nHost: gone.test:443\r\n\r\n{hidden}")
        response = read_response(wire)
        assert response.status == 502 and response.proxy_error == "dns_error"
        assert wire.read_rest() == b""
    assert "/hidden" not in (origins.folder / "access.log").read_text()


def test_idle_tunnel_is_closed_and_one_way_traffic_keeps_it(start_proxy, raw_origin):
    proxy = start_proxy("--tunnel-idle-timeout", "1s")

    def script(origin, wire, number):
        for _ in range(8):  # longer than the limit in total, never idle for as long as the limit
            assert wire.is_silent(0.25)
            wire.send(".")
        wire.read_rest()

    origin = raw_origin(script)
    with proxy.tunnel(f"raw.test:{origin.port}") as wire:
        assert wire.read_rest() == b"........"


def test_log_of_a_tunnel(proxy, raw_origin):
    origin = raw_origin(echo)
    with proxy.tunnel(f"raw.test:{origin.port}") as wire:
        wire.send("x" * 1000)
        wire.read_exactly(1000)
        assert not proxy.log()  # written when the tunnel ends
        wire.half_close()
        wire.read_rest()
    entry = proxy.entry(method="CONNECT")
    assert entry["authority"] == f"raw.test:{origin.port}" and entry["status"] == "200"
    assert int(entry["received"]) >= 1000 and int(entry["sent"]) >= 1003


def test_nothing_is_left_behind(proxy, raw_origin):
    origin = raw_origin(echo)
    with proxy.tunnel(f"raw.test:{origin.port}") as wire:
        wire.half_close()
        wire.read_rest()
    before = until(lambda: proxy.descriptors(), "descriptors")
    for _ in range(50):
        with proxy.tunnel(f"raw.test:{origin.port}") as wire:
            wire.send("x")
    until(lambda: proxy.descriptors() <= before, "every descriptor of the tunnels is closed")


# Upgrade


def accept_key(key):
    return base64.b64encode(hashlib.sha1((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()).digest()).decode()


def web_socket(origin, wire, number):
    """Accepts the handshake of RFC 6455 and echoes one masked text frame."""
    message = origin.request(wire)
    key = message.one("sec-websocket-key")
    wire.send(
        f"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: {accept_key(key)}\r\n\r\n"
    )
    frame = wire.read_exactly(2)
    mask, payload = wire.read_exactly(4), wire.read_exactly(frame[1] & 127)
    plain = bytes(byte ^ mask[index % 4] for index, byte in enumerate(payload))
    wire.send(bytes([0x81, len(plain)]) + plain)
    wire.read_rest()


@pytest.mark.parametrize("connection", ["Upgrade", "keep-alive, Upgrade", "upgrade, X-Secret"])
def test_web_socket(proxy, raw_origin, connection):
    origin = raw_origin(web_socket)
    key = base64.b64encode(b"sixteen bytes 16").decode()
    with proxy.open() as wire:
        wire.send(
            f"GET http://raw.test:{origin.port}/chat HTTP/1.1\r\nHost: raw.test\r\nConnection: {connection}\r\nX-Secret: 1\r\n"
            f"Upgrade: websocket\r\nSec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n"
        )
        response = read_response(wire)
        assert response.status == 101 and response.one("upgrade").lower() == "websocket"
        assert response.one("connection").lower() == "upgrade" and response.one("sec-websocket-accept") == accept_key(key)
        mask, text = b"\x01\x02\x03\x04", b"over the proxy"
        masked = bytes(byte ^ mask[index % 4] for index, byte in enumerate(text))
        wire.send(bytes([0x81, 0x80 | len(text)]) + mask + masked)
        assert wire.read_exactly(2 + len(text)) == bytes([0x81, len(text)]) + text
    arrived = origin.requests[0]
    assert arrived.one("upgrade") == "websocket" and arrived.one("connection").lower() == "upgrade"
    assert bool(arrived.all("x-secret")) == ("X-Secret" not in connection)


def test_upgrade_that_the_origin_declines(proxy, raw_origin):
    def script(origin, wire, number):
        while True:
            origin.request(wire)
            wire.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")

    origin = raw_origin(script)
    with proxy.open() as wire:
        for _ in range(2):
            wire.send(f"GET http://raw.test:{origin.port}/ HTTP/1.1\r\nHost: raw.test\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
            assert read_response(wire).body == b"ok"


def test_switch_that_nobody_asked_for(proxy, raw_origin):
    def script(origin, wire, number):
        origin.request(wire)
        wire.send("HTTP/1.1 101 Switching Protocols\r\nUpgrade: odd\r\nConnection: Upgrade\r\n\r\nGET / HTTP/1.1\r\n\r\n")
        wire.read_rest()

    origin = raw_origin(script)
    response = proxy.get(f"http://raw.test:{origin.port}/")
    assert response.status == 502 and response.proxy_error
