"""What passes through unchanged, and what a proxy has to change: heads, framing, interim answers, trailers."""

import pytest

from support.wire import Closed, read_response

OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"


def once(response):
    """A script: one request, these bytes, and the connection stays open."""

    def script(origin, wire, number):
        origin.request(wire)
        wire.send(response)
        wire.read_rest()

    return script


def head(origin, method="GET", path="/", *fields, version="1.1", host=None):
    authority = host or f"raw.test:{origin.port}"
    lines = [f"{method} http://raw.test:{origin.port}{path} HTTP/{version}", f"Host: {authority}", *fields, "", ""]
    return "\r\n".join(lines)


# Requests


@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "PROPFIND", "get", "X-odd_~1"])
def test_method_passes(proxy, raw_origin, method):
    origin = raw_origin(once(OK))
    assert proxy.exchange(head(origin, method), method).status == 200
    assert origin.requests[0].start == f"{method} / HTTP/1.1"


@pytest.mark.parametrize(
    "target, arrives",
    [
        ("/", "/"),
        ("", "/"),
        ("?q", "/?q"),
        ("/a//b/../c/./d;p=1?x=%20y&z=a+b&&=", "/a//b/../c/./d;p=1?x=%20y&z=a+b&&="),
        ("/%7euser/%2F%00", "/%7euser/%2F%00"),
        ("/" + "a" * 7000, "/" + "a" * 7000),
        ('/{}|^`"<>', '/{}|^`"<>'),
    ],
)
def test_target_passes(proxy, raw_origin, target, arrives):
    origin = raw_origin(once(OK))
    assert proxy.exchange(head(origin, path=target)).status == 200
    assert origin.requests[0].target == arrives


def test_order_case_and_duplicates_pass(proxy, raw_origin):
    origin = raw_origin(once(OK))
    fields = ["x-B: 1", "Cookie: a=1", "X-a:  spaced \t", "cookie: b=2", "x-b: 2", "X-Latin: caf\xe9", "X-Empty:", "ACCEPT: */*"]
    assert proxy.exchange(head(origin, "GET", "/", *fields)).status == 200
    seen = [field for field in origin.requests[0].fields if field[0].lower() not in ("host", "via")]
    assert seen == [(name, value.strip(" \t")) for name, _, value in (field.partition(":") for field in fields)]


def test_hop_by_hop_fields_stop_here(proxy, raw_origin):
    origin = raw_origin(once(OK))
    fields = [
        "Connection: close, X-Secret, ,Keep-Alive", "X-Secret: 1", "Keep-Alive: 5", "Proxy-Connection: keep-alive", "TE: deflate",
        "Proxy-Authorization: Basic dTpw", "Upgrade: h2c", "X-Kept: 1", "Authorization: Basic b3JpZ2lu",
    ]  # fmt: skip
    assert proxy.exchange(head(origin, "GET", "/", *fields)).status == 200
    names = set(origin.requests[0].names)
    assert names == {"host", "via", "x-kept", "authorization"}


def test_connection_cannot_remove_what_frames_or_routes_the_message(proxy, raw_origin):
    origin = raw_origin(once(OK))
    proxy.exchange(head(origin, "POST", "/", "Connection: Host, Content-Length", "Content-Length: 4") + "body", "POST")
    if origin.requests:  # or it was refused, which is as safe
        assert origin.requests[0].body == b"body" and origin.requests[0].one("host") == f"raw.test:{origin.port}"


@pytest.mark.parametrize("host", ["evil.test", "raw.test", "RAW.TEST:1"])
def test_host_is_rebuilt_from_the_target(proxy, raw_origin, public_dns, host):
    origin = raw_origin(once(OK))
    assert proxy.exchange(head(origin, host=host)).status == 200
    assert origin.requests[0].one("host") == f"raw.test:{origin.port}"
    assert not public_dns.asked("evil.test")


@pytest.mark.parametrize("target", ["raw.test", "raw.test:80"])
def test_default_port(proxy, raw_origin, target):
    try:
        origin = raw_origin(once(OK), port=80)
    except OSError as error:
        pytest.skip(f"port 80 of a loopback address is not to be had here: {error}")
    assert proxy.get(f"http://{target}/").status == 200
    assert origin.requests[0].one("host") in ("raw.test", target)
    assert proxy.entry()["authority"] == "raw.test:80"


def test_via_is_added_on_both_ways(proxy, raw_origin):
    origin = raw_origin(once("HTTP/1.1 200 OK\r\nVia: 1.1 farther\r\nContent-Length: 2\r\n\r\nok"))
    response = proxy.exchange(head(origin, "GET", "/", "Via: 1.0 nearer"))
    sent = ", ".join(origin.requests[0].all("via"))
    assert sent.startswith("1.0 nearer, 1.1 httpdns-proxy")
    assert ", ".join(response.all("via")).startswith("1.1 farther, 1.1 httpdns-proxy")


@pytest.mark.parametrize("size", [0, 1, 5, 70_000, 1_000_000])
def test_body_with_a_length(proxy, raw_origin, size):
    def script(origin, wire, number):
        message = origin.request(wire)
        wire.send(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % size + message.body)

    origin = raw_origin(script)
    body = "".join(chr(33 + index % 90) for index in range(size))
    response = proxy.exchange(head(origin, "POST", "/", f"Content-Length: {size}") + body, "POST")
    assert response.body == body.encode() and origin.requests[0].one("content-length") == str(size)


def test_chunked_body_and_trailers_both_ways(proxy, raw_origin):
    def script(origin, wire, number):
        message = origin.request(wire)
        assert message.trailers == [("X-Sum", "1")]
        wire.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-End\r\n\r\n")
        wire.send(b"%x;note=1\r\n%s\r\n0\r\nX-End: done\r\nContent-Length: 3\r\n\r\n" % (len(message.body), message.body))

    origin = raw_origin(script)
    request = head(origin, "POST", "/", "Transfer-Encoding: chunked", "Trailer: X-Sum", "TE: trailers", "Connection: TE")
    response = proxy.exchange(request + "4\r\nwiki\r\n5\r\npedia\r\n0\r\nX-Sum: 1\r\n\r\n", "POST")
    assert origin.requests[0].chunked and origin.requests[0].body == b"wikipedia"
    assert response.body == b"wikipedia" and response.chunked
    assert ("X-End", "done") in response.trailers and "content-length" not in dict(response.trailers)


def test_body_arrives_before_the_request_is_complete(proxy, raw_origin):
    def script(origin, wire, number):
        origin.request(wire, body=False)
        assert wire.read_exactly(5) == b"first"
        wire.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n")
        assert wire.read_exactly(6) == b"second"
        wire.send("done")

    origin = raw_origin(script)
    with proxy.open() as wire:
        wire.send(head(origin, "POST", "/", "Content-Length: 11") + "first")
        assert wire.read_until(b"\r\n\r\n").startswith(b"HTTP/1.1 200")
        wire.send("second")
        assert wire.read_exactly(4) == b"done"


def test_an_answer_before_the_whole_body_was_sent(proxy, raw_origin):
    def script(origin, wire, number):
        origin.request(wire, body=False)
        wire.send("HTTP/1.1 413 Too Large\r\nContent-Length: 3\r\nConnection: close\r\n\r\nbig")

    origin = raw_origin(script)
    with proxy.open() as wire:
        wire.send(head(origin, "POST", "/", "Content-Length: 50000000") + "x" * 10_000)
        response = read_response(wire, "POST")
    assert (response.status, response.body) == (413, b"big")


# Expect and interim answers


def test_expect_waits_for_the_origin(proxy, raw_origin):
    def script(origin, wire, number):
        message = origin.request(wire, body=False)
        assert message.one("expect").lower() == "100-continue"
        assert wire.is_silent(0.2)
        wire.send("HTTP/1.1 100 Continue\r\n\r\n")
        assert wire.read_exactly(4) == b"body"
        wire.send(OK)
        wire.read_rest()

    origin = raw_origin(script)
    with proxy.open() as wire:
        wire.send(head(origin, "PUT", "/", "Expect: 100-continue", "Content-Length: 4"))
        assert wire.read_until(b"\r\n\r\n").startswith(b"HTTP/1.1 100 ")
        wire.send("body")
        assert read_response(wire).status == 200


def test_expect_refused(proxy, raw_origin):
    def script(origin, wire, number):
        origin.request(wire, body=False)
        wire.send("HTTP/1.1 401 No\r\nContent-Length: 2\r\n\r\nno")
        wire.read_rest()

    origin = raw_origin(script)
    response = proxy.exchange(head(origin, "PUT", "/", "Expect: 100-continue", "Content-Length: 4"), "PUT")
    assert (response.status, response.body, response.interim) == (401, b"no", [])


def test_expect_when_the_client_does_not_wait(proxy, raw_origin):
    origin = raw_origin(once(OK))
    request = head(origin, "PUT", "/", "Expect: 100-continue", "Content-Length: 4") + "body"
    assert proxy.exchange(request, "PUT").status == 200
    assert origin.requests[0].body == b"body"


def test_interim_answers_pass_in_order(proxy, raw_origin):
    interim = "HTTP/1.1 103 Early Hints\r\nLink: </%d>\r\n\r\n"
    origin = raw_origin(once(interim % 1 + interim % 2 + "HTTP/1.1 102 Processing\r\n\r\n" + OK))
    response = proxy.exchange(head(origin))
    assert response.status == 200 and [part.status for part in response.interim] == [103, 103, 102]
    assert [part.one("link") for part in response.interim[:2]] == ["</1>", "</2>"]


def test_interim_answers_are_not_for_old_clients(proxy, raw_origin):
    origin = raw_origin(once("HTTP/1.1 103 Early Hints\r\n\r\n" + OK))
    response = proxy.exchange(head(origin, version="1.0"))
    assert response.status == 200 and not response.interim


# Responses


@pytest.mark.parametrize(
    "method, response",
    [
        ("HEAD", "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n"),
        ("HEAD", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"),
        ("GET", "HTTP/1.1 204 No Content\r\n\r\n"),
        ("GET", 'HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\nETag: "x"\r\n\r\n'),
        ("GET", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"),
    ],
    ids=["head-length", "head-chunked", "204", "304", "empty"],
)
def test_answers_without_a_body_end_at_once_and_keep_the_connections(proxy, raw_origin, method, response):
    def script(origin, wire, number):
        while True:
            origin.request(wire)
            wire.send(response)

    origin = raw_origin(script)
    with proxy.open(seconds=3) as wire:
        for _ in range(3):
            wire.send(head(origin, method))
            answer = read_response(wire, method)
            assert answer.start == response.split("\r\n")[0] and answer.body == b""
            assert method != "HEAD" or "content-length" not in response.lower() or answer.one("content-length") == "1000"
        assert not wire.buffer
    assert origin.connections == 1


def test_fields_of_an_answer_pass(proxy, raw_origin):
    fields = ["Set-Cookie: a=1", "x-odd: 1", "SET-COOKIE: b=2", "Date: Tue, 14 Nov 2023 22:13:20 GMT", "X-ODD: 2"]
    hop = ["Connection: X-Hop", "X-Hop: 1", "Keep-Alive: timeout=5", "Proxy-Authenticate: Basic"]
    origin = raw_origin(once("\r\n".join(["HTTP/1.1 299 Odd \xe9 reason", *fields, *hop, "Content-Length: 0", "", ""])))
    response = proxy.exchange(head(origin))
    assert response.start == "HTTP/1.1 299 Odd \xe9 reason"
    seen = [f"{name}: {value}" for name, value in response.fields if name.lower() not in ("via", "content-length", "connection")]
    assert seen == fields


def test_date_is_added_when_missing(proxy, raw_origin):
    assert proxy.exchange(head(raw_origin(once(OK)))).one("date").endswith(" GMT")


def test_body_that_ends_with_the_connection(proxy, raw_origin):
    def script(origin, wire, number):
        origin.request(wire)
        wire.send("HTTP/1.1 200 OK\r\n\r\nuntil the end")

    origin = raw_origin(script)
    assert proxy.exchange(head(origin)).body == b"until the end"
    with proxy.open() as wire:  # and for a client that keeps its connection the end is marked
        wire.send(head(origin) + head(origin))
        assert read_response(wire).body == b"until the end"


@pytest.mark.parametrize(
    "response",
    [
        "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n50\r\nhello",
    ],
    ids=["length", "between-chunks", "in-a-chunk"],
)
def test_a_body_cut_short_is_seen_to_be_cut_short(proxy, raw_origin, response):
    def script(origin, wire, number):
        origin.request(wire)
        wire.send(response)

    origin = raw_origin(script)
    with pytest.raises(Closed):
        proxy.exchange(head(origin))
    assert proxy.entry()["error"]


def test_a_body_cut_by_a_reset_is_seen_to_be_cut_short(proxy, raw_origin):
    def script(origin, wire, number):
        origin.request(wire)
        wire.send("HTTP/1.1 200 OK\r\n\r\nsome")
        assert wire.is_silent(0.1)
        wire.reset()

    origin = raw_origin(script)
    with proxy.open() as wire:
        wire.send(head(origin))
        with pytest.raises(Closed):
            read_response(wire)


# Old clients, kept connections, pipelining


def test_version_1_0_client_gets_a_plain_body_and_the_end(proxy, raw_origin):
    origin = raw_origin(once("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"))
    with proxy.open() as wire:
        wire.send(f"GET http://raw.test:{origin.port}/ HTTP/1.0\r\n\r\n")
        response = read_response(wire)
        assert response.body == b"hello" and not response.all("transfer-encoding")
    assert origin.requests[0].start == "GET / HTTP/1.1" and origin.requests[0].one("host") == f"raw.test:{origin.port}"


def test_version_1_0_origin(proxy, raw_origin):
    def script(origin, wire, number):
        origin.request(wire)
        wire.send("HTTP/1.0 200 OK\r\n\r\nold")

    response = proxy.exchange(head(raw_origin(script)))
    assert response.start.startswith("HTTP/1.1 200") and response.body == b"old"


def test_pipelined_requests_are_answered_in_order(proxy, raw_origin):
    def script(origin, wire, number):
        while True:
            message = origin.request(wire)
            wire.send(f"HTTP/1.1 200 OK\r\nContent-Length: {len(message.target)}\r\n\r\n{message.target}")

    origin = raw_origin(script)
    with proxy.open() as wire:
        wire.send("".join(head(origin, path=f"/{number}") for number in range(20)))
        assert [read_response(wire).body for _ in range(20)] == [f"/{number}".encode() for number in range(20)]


def test_pipelined_requests_with_bodies(proxy, raw_origin):
    def script(origin, wire, number):
        while True:
            message = origin.request(wire)
            wire.send(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(message.body), message.body))

    origin = raw_origin(script)
    one = head(origin, "POST", "/", "Content-Length: 3") + "one"
    two = head(origin, "POST", "/", "Transfer-Encoding: chunked") + "3\r\ntwo\r\n0\r\n\r\n"
    with proxy.open() as wire:
        wire.send((one + two) * 5)
        assert [read_response(wire, "POST").body for _ in range(10)] == [b"one", b"two"] * 5


def test_head_in_single_bytes(proxy, raw_origin):
    origin = raw_origin(once(OK))
    with proxy.open() as wire:
        for byte in head(origin):
            wire.send(byte)
        assert read_response(wire).status == 200


def test_client_asks_to_close(proxy, raw_origin):
    origin = raw_origin(once(OK))
    with proxy.open() as wire:
        wire.send(head(origin, "GET", "/", "Connection: close"))
        response = read_response(wire)
        assert response.one("connection").lower() == "close" and wire.is_closed()


def test_client_that_half_closes_after_its_request_still_gets_the_answer(proxy, raw_origin):
    def script(origin, wire, number):
        origin.request(wire)
        assert wire.is_silent(0.2)
        wire.send(OK)

    origin = raw_origin(script)
    with proxy.open() as wire:
        wire.send(head(origin))
        wire.half_close()
        assert read_response(wire).body == b"ok"


# Asked of the proxy itself


def test_max_forwards_zero_is_answered_here(proxy, raw_origin):
    origin = raw_origin(once(OK))
    assert proxy.exchange(head(origin, "OPTIONS", "", "Max-Forwards: 0"), "OPTIONS").status in (200, 204)
    traced = proxy.exchange(
        head(origin, "TRACE", "/", "Max-Forwards: 0", "X-Seen: yes", "Cookie: secret=1", "Authorization: Basic x"), "TRACE"
    )
    assert traced.status == 200 and traced.one("content-type") == "message/http"
    assert b"X-Seen: yes" in traced.body and b"secret" not in traced.body and b"Basic" not in traced.body
    assert origin.connections == 0


def test_max_forwards_counts_down(proxy, raw_origin):
    origin = raw_origin(once(OK))
    assert proxy.exchange(head(origin, "OPTIONS", "", "Max-Forwards: 3"), "OPTIONS").status == 200
    assert origin.requests[0].one("max-forwards") == "2" and origin.requests[0].target == "*"


def test_options_of_the_proxy(proxy):
    assert proxy.exchange("OPTIONS * HTTP/1.1\r\nHost: proxy\r\n\r\n").status in (200, 204)
