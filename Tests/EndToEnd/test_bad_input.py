"""Requests that are wrong get a precise answer of one line and the connection closes; nothing reaches an origin."""

import pytest

from support.origins import RIGHT
from support.proxy import Proxy
from support.public_dns import Entry, PublicDNS
from support.raw_origin import answering
from support.wire import read_response

HOST = "Host: raw.test\r\n"
TABLE = [
    # request line
    ("no version", "GET http://raw.test/\r\n\r\n", 400),
    ("no target", "GET\r\n\r\n", 400),
    ("two spaces", f"GET  http://raw.test/ HTTP/1.1\r\n{HOST}\r\n", 400),
    ("space in target", f"GET http://raw.test/a b HTTP/1.1\r\n{HOST}\r\n", 400),
    ("tab for space", f"GET\thttp://raw.test/ HTTP/1.1\r\n{HOST}\r\n", 400),
    ("bad method", f"G(T http://raw.test/ HTTP/1.1\r\n{HOST}\r\n", 400),
    ("lower-case version", f"GET http://raw.test/ http/1.1\r\n{HOST}\r\n", 400),
    ("version with two digits", f"GET http://raw.test/ HTTP/1.10\r\n{HOST}\r\n", 400),
    ("version 2.0", f"GET http://raw.test/ HTTP/2.0\r\n{HOST}\r\n", 505),
    ("version 0.9", f"GET http://raw.test/ HTTP/0.9\r\n{HOST}\r\n", 505),
    ("version 3.0", f"GET http://raw.test/ HTTP/3.0\r\n{HOST}\r\n", 505),
    ("preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505),
    ("TLS handshake", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + "\x00" * 60, 400),
    ("binary", "\x00\x01\x02\x03\r\n\r\n", 400),
    # target
    ("other scheme", f"GET ftp://raw.test/ HTTP/1.1\r\n{HOST}\r\n", 400),
    ("authority without CONNECT", f"GET raw.test:80 HTTP/1.1\r\n{HOST}\r\n", 400),
    ("origin form", f"GET /page HTTP/1.1\r\n{HOST}\r\n", 400),
    ("asterisk without OPTIONS", f"GET * HTTP/1.1\r\n{HOST}\r\n", 400),
    ("fragment", f"GET http://raw.test/#x HTTP/1.1\r\n{HOST}\r\n", 400),
    ("userinfo", f"GET http://user:pw@raw.test/ HTTP/1.1\r\n{HOST}\r\n", 400),
    ("backslash", f"GET http://raw.test\\@evil.test/ HTTP/1.1\r\n{HOST}\r\n", 400),
    ("empty host", f"GET http:///x HTTP/1.1\r\n{HOST}\r\n", 400),
    ("port 0", f"GET http://raw.test:0/ HTTP/1.1\r\n{HOST}\r\n", 400),
    ("port too large", f"GET http://raw.test:65536/ HTTP/1.1\r\n{HOST}\r\n", 400),
    ("port of letters", f"GET http://raw.test:http/ HTTP/1.1\r\n{HOST}\r\n", 400),
    ("empty port", f"GET http://raw.test:/ HTTP/1.1\r\n{HOST}\r\n", 400),
    ("unclosed bracket", f"GET http://[::1/ HTTP/1.1\r\n{HOST}\r\n", 400),
    ("zone", f"GET http://[fe80::1%25lo]/ HTTP/1.1\r\n{HOST}\r\n", 400),
    ("numeric host", f"GET http://2130706433/ HTTP/1.1\r\n{HOST}\r\n", 400),
    ("short address", f"GET http://127.1/ HTTP/1.1\r\n{HOST}\r\n", 400),
    ("hex address", f"GET http://0x7f.0.0.1/ HTTP/1.1\r\n{HOST}\r\n", 400),
    ("two dots", f"GET http://raw..test/ HTTP/1.1\r\n{HOST}\r\n", 400),
    ("long label", f"GET http://{'a' * 64}.test/ HTTP/1.1\r\n{HOST}\r\n", 400),
    ("CONNECT without port", f"CONNECT raw.test HTTP/1.1\r\n{HOST}\r\n", 400),
    ("CONNECT with a path", f"CONNECT /raw.test:443 HTTP/1.1\r\n{HOST}\r\n", 400),
    ("CONNECT with a URL", f"CONNECT http://raw.test:443 HTTP/1.1\r\n{HOST}\r\n", 400),
    ("CONNECT to bare IPv6", f"CONNECT ::1:443 HTTP/1.1\r\n{HOST}\r\n", 400),
    ("CONNECT with a body", f"CONNECT raw.test:443 HTTP/1.1\r\n{HOST}Content-Length: 2\r\n\r\nhi", 400),
    # fields
    ("no Host", "GET http://raw.test/ HTTP/1.1\r\n\r\n", 400),
    ("two Hosts", f"GET http://raw.test/ HTTP/1.1\r\n{HOST}{HOST}\r\n", 400),
    ("bad Host", "GET http://raw.test/ HTTP/1.1\r\nHost: raw.test/x\r\n\r\n", 400),
    ("no colon", f"GET http://raw.test/ HTTP/1.1\r\n{HOST}broken\r\n\r\n", 400),
    ("space before colon", f"GET http://raw.test/ HTTP/1.1\r\n{HOST}X : 1\r\n\r\n", 400),
    ("empty name", f"GET http://raw.test/ HTTP/1.1\r\n{HOST}: 1\r\n\r\n", 400),
    ("folded line", f"GET http://raw.test/ HTTP/1.1\r\n{HOST}X: 1\r\n 2\r\n\r\n", 400),
    ("space before first field", f"GET http://raw.test/ HTTP/1.1\r\n {HOST}\r\n", 400),
    ("NUL in a value", f"GET http://raw.test/ HTTP/1.1\r\n{HOST}X: a\0b\r\n\r\n", 400),
    ("bare CR in a value", f"GET http://raw.test/ HTTP/1.1\r\n{HOST}X: a\rb\r\n\r\n", 400),
    ("bare LF", "GET http://raw.test/ HTTP/1.1\nHost: raw.test\n\n", 400),
    ("escape in a value", f"GET http://raw.test/ HTTP/1.1\r\n{HOST}X: \x1b[2J\r\n\r\n", 400),
    ("unknown expectation", f"GET http://raw.test/ HTTP/1.1\r\n{HOST}Expect: miracle\r\n\r\n", 417),
    # framing
    ("letters as length", f"POST http://raw.test/ HTTP/1.1\r\n{HOST}Content-Length: abc\r\n\r\n", 400),
    ("signed length", f"POST http://raw.test/ HTTP/1.1\r\n{HOST}Content-Length: +5\r\n\r\nhello", 400),
    ("negative length", f"POST http://raw.test/ HTTP/1.1\r\n{HOST}Content-Length: -1\r\n\r\n", 400),
    ("huge length", f"POST http://raw.test/ HTTP/1.1\r\n{HOST}Content-Length: 99999999999999999999\r\n\r\n", 400),
    ("two lengths", f"POST http://raw.test/ HTTP/1.1\r\n{HOST}Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello", 400),
    ("list of lengths", f"POST http://raw.test/ HTTP/1.1\r\n{HOST}Content-Length: 5, 6\r\n\r\nhello", 400),
    (
        "length and chunked",
        f"POST http://raw.test/ HTTP/1.1\r\n{HOST}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        400,
    ),
    ("chunked in 1.0", f"POST http://raw.test/ HTTP/1.0\r\n{HOST}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
    ("unknown coding", f"POST http://raw.test/ HTTP/1.1\r\n{HOST}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", 501),
    ("chunked not last", f"POST http://raw.test/ HTTP/1.1\r\n{HOST}Transfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n", (400, 501)),
    ("almost chunked", f"POST http://raw.test/ HTTP/1.1\r\n{HOST}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n", (400, 501)),
    # limits
    ("request line too long", f"GET http://raw.test/{'a' * 9000} HTTP/1.1\r\n{HOST}\r\n", 414),
    ("request line without end", "GET http://raw.test/" + "a" * 20_000, 414),
    ("one field too large", f"GET http://raw.test/ HTTP/1.1\r\n{HOST}X: {'a' * 70_000}\r\n\r\n", 431),
    ("too many bytes of fields", f"GET http://raw.test/ HTTP/1.1\r\n{HOST}" + f"X: {'a' * 100}\r\n" * 700 + "\r\n", 431),
]


@pytest.fixture(scope="module")
def shared_proxy(binary, tmp_path_factory, local_dns):
    """One proxy for the whole table: what is wrong on one connection must not disturb the next."""
    service = PublicDNS({"raw.test": Entry(a=[RIGHT])})
    flags = ["--provider-url", service.url, "--local-dns", local_dns.address, "--allow-destination", "127.0.0.0/8"]
    proxy = Proxy(tmp_path_factory.mktemp("proxy"), flags)
    yield proxy
    proxy.stop()
    service.stop()


@pytest.mark.parametrize("request_bytes, status", [row[1:] for row in TABLE], ids=[row[0].replace(" ", "-") for row in TABLE])
def test_refused_before_anything_happens(shared_proxy, request_bytes, status):
    with shared_proxy.open() as wire:
        wire.send(request_bytes)
        response = read_response(wire)
        assert response.status in (status if isinstance(status, tuple) else (status,)), response
        assert response.body.count(b"\n") == 1 and response.body.endswith(b"\n") and len(response.body) > 10
        assert response.one("content-type").startswith("text/plain") and response.one("connection").lower() == "close"
        assert wire.is_closed()


def test_the_proxy_is_well_after_all_that(shared_proxy, origins):
    assert shared_proxy.get(f"http://raw.test:{origins.http_port}/").status == 200


CHUNKS = ["zz\r\n", "5 x\r\nhello\r\n", "-1\r\n", "0x5\r\nhello\r\n", "FFFFFFFFFFFFFFFFF\r\n", "5\nhello\r\n", "5\r\nhelloXX", "\r\n"]


@pytest.mark.parametrize("chunks", CHUNKS)
def test_broken_chunks_are_not_passed_on(proxy, raw_origin, chunks):
    def script(origin, wire, number):
        wire.read_until(b"\r\n\r\n")
        origin.requests.append(wire.read_rest())

    origin = raw_origin(script)
    with proxy.open() as wire:
        wire.send(f"POST http://raw.test:{origin.port}/ HTTP/1.1\r\nHost: raw.test\r\nTransfer-Encoding: chunked\r\n\r\n{chunks}")
        response = read_response(wire, "POST")
        assert response.status == 400 and wire.is_closed()
    assert not any(body.endswith(b"0\r\n\r\n") for body in origin.requests)


def test_a_hidden_second_request_stays_hidden(proxy, raw_origin):
    origin = raw_origin(answering("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"))
    smuggled = "GET /smuggled HTTP/1.1\r\nHost: raw.test\r\n\r\n"
    for fields in ("Content-Length: 4\r\nTransfer-Encoding: chunked", "Transfer-Encoding: chunked\r\nContent-Length: 60",
                   "Transfer-Encoding: x, chunked", "Content-Length: 0\r\nContent-Length: 44"):  # fmt: skip
        with proxy.open() as wire:
            wire.send(f"POST http://raw.test:{origin.port}/ HTTP/1.1\r\nHost: raw.test\r\n{fields}\r\n\r\n0\r\n\r\n{smuggled}")
            assert read_response(wire, "POST").status in (400, 501)
            assert wire.is_closed()
    assert not origin.requests


def test_limits_are_settings(start_proxy, origins):
    proxy = start_proxy("--max-request-line", "200", "--max-head", "1024")
    url = f"http://one.test:{origins.http_port}/"
    assert proxy.get(url).status == 200
    assert proxy.get(url + "a" * 200).status == 414
    assert proxy.get(url, "X: " + "a" * 1024).status == 431


def test_large_heads_within_the_limits_pass(proxy, origins):
    url = f"http://one.test:{origins.http_port}/" + "a" * 8000
    assert proxy.get(url).status in (200, 414)  # the origin has limits of its own
    assert proxy.entry()["dns"] == "httpdns"


def test_a_client_that_never_finishes_its_head(start_proxy, origins):
    proxy = start_proxy("--idle-timeout", "1s")
    with proxy.open() as wire:
        wire.send("GET http://one.test/ HTTP/1.1\r\nHost: one")
        rest = wire.read_rest()
        assert rest == b"" or rest.startswith(b"HTTP/1.1 408 ")


def test_an_idle_client_is_closed(start_proxy, origins):
    proxy = start_proxy("--idle-timeout", "1s")
    with proxy.open() as wire:
        wire.send(f"GET http://one.test:{origins.http_port}/ HTTP/1.1\r\nHost: one.test\r\n\r\n")
        assert read_response(wire).status == 200
        assert wire.is_closed(3)
