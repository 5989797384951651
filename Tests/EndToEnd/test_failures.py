"""Origins that fail: the status, the reason in one line, and the error type of RFC 9209 in Proxy-Status."""

import pytest

from support.public_dns import Entry
from support.wire import Closed, read_response


def send_after_request(data):
    def script(origin, wire, number):
        origin.request(wire)
        wire.send(data)

    return script


def check(response, status, error):
    assert (response.status, response.proxy_error) == (status, error), response
    assert response.one("proxy-status").startswith("httpdns-proxy")
    assert response.body.count(b"\n") == 1 and response.body.endswith(b"\n")


@pytest.mark.parametrize(
    "answer",
    ["hello\n", "HTTP/1.1 0 Unknown\r\n\r\n", "HTTP/1.1 200OK\r\n\r\n", "HTTP/2.0 200 OK\r\n\r\n", "ICY 200 OK\r\n\r\n", "\x15\x03\x01\0\2\2\x46",
     "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello", "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n",
     "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "HTTP/1.1 200 OK\r\nX : 1\r\n\r\n",
     "HTTP/1.1 200 OK\r\nX: 1\r\n folded\r\nContent-Length: 0\r\n\r\n"],
)  # fmt: skip
def test_answer_that_is_no_http(proxy, raw_origin, answer):
    origin = raw_origin(send_after_request(answer))
    response = proxy.get(f"http://raw.test:{origin.port}/")
    assert response.status == 502
    assert response.proxy_error in ("http_protocol_error", "http_response_incomplete", "http_response_transfer_coding")
    assert proxy.entry()["error"]


@pytest.mark.parametrize(
    "answer, error",
    [("", "connection_terminated"), ("HTTP/1.1 200 OK\r\nX-Half: ", "http_response_incomplete")],
    ids=["nothing", "half-a-head"],
)
def test_answer_that_ends_before_its_head(proxy, raw_origin, answer, error):
    origin = raw_origin(send_after_request(answer))
    check(proxy.get(f"http://raw.test:{origin.port}/"), 502, error)


def test_head_of_an_answer_without_end(proxy, raw_origin):
    origin = raw_origin(send_after_request("HTTP/1.1 200 OK\r\n" + f"X: {'a' * 1000}\r\n" * 2000))
    response = proxy.get(f"http://raw.test:{origin.port}/")
    assert response.status == 502 and response.proxy_error.startswith("http_response_header_section_size")


def test_answer_that_never_comes(start_proxy, raw_origin):
    proxy = start_proxy("--response-timeout", "1s")

    def script(origin, wire, number):
        origin.request(wire)
        wire.read_rest()

    origin = raw_origin(script)
    check(proxy.get(f"http://raw.test:{origin.port}/"), 504, "http_response_timeout")


def test_a_post_that_is_never_answered_is_not_repeated(start_proxy, raw_origin):
    proxy = start_proxy("--response-timeout", "1s")

    def script(origin, wire, number):
        origin.request(wire)
        wire.read_rest()

    origin = raw_origin(script)
    check(proxy.get(f"http://raw.test:{origin.port}/", "Content-Length: 2", method="POST", body="hi"), 504, "http_response_timeout")
    assert len(origin.requests) == 1


def test_name_that_does_not_exist(proxy):
    response = proxy.get("http://missing.test/")
    check(response, 502, "dns_error")
    assert 'rcode="NXDOMAIN"' in response.one("proxy-status")
    entry = proxy.entry()
    assert entry["status"] == "502" and entry["authority"] == "missing.test:80" and entry["error"] and entry["reason"]


def test_tunnel_to_a_name_that_does_not_exist(proxy):
    with proxy.open() as wire:
        wire.send("CONNECT missing.test:443 HTTP/1.1\r\nHost: missing.test:443\r\n\r\n")
        check(read_response(wire), 502, "dns_error")


def test_address_that_cannot_be_reached(proxy, public_dns):
    # A multicast-free, never routed address: 255.255.255.254 is refused by rule or by the kernel at once.
    public_dns.zone["nowhere.test"] = Entry(a=["240.0.0.1"])
    response = proxy.get("http://nowhere.test/")
    assert response.status in (403, 502) and response.proxy_error


def test_failure_keeps_the_client_connection_usable(proxy, origins):
    with proxy.open() as wire:
        wire.send("GET http://missing.test/ HTTP/1.1\r\nHost: missing.test\r\n\r\n")
        response = read_response(wire)
        check(response, 502, "dns_error")
        if (response.one("connection") or "").lower() != "close":
            wire.send(f"GET http://one.test:{origins.http_port}/ HTTP/1.1\r\nHost: one.test\r\n\r\n")
            assert read_response(wire).status == 200


def test_head_request_that_fails_has_no_body(proxy):
    with proxy.open() as wire:
        wire.send("HEAD http://missing.test/ HTTP/1.1\r\nHost: missing.test\r\nConnection: close\r\n\r\n")
        response = read_response(wire, "HEAD")
        assert response.status == 502 and int(response.one("content-length")) > 0
        assert wire.read_rest() == b""


def test_broken_chunk_in_an_answer_breaks_visibly(proxy, raw_origin):
    origin = raw_origin(send_after_request("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nzz\r\n"))
    with pytest.raises(Closed):
        proxy.get(f"http://raw.test:{origin.port}/")
    assert proxy.entry()["error"]


def test_reasons_never_repeat_what_the_client_sent_raw(proxy):
    response = proxy.get("http://missing.test/<script>alert(1)</script>")
    assert b"<script>" not in response.body
