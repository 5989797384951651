"""Kept connections to origins: used again when that is safe, never when it is not, and no POST is ever sent twice."""

import pytest

from support.origins import HIJACKER, RIGHT
from support.public_dns import Entry
from support.waiting import until
from support.wire import Closed, read_response

OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"


def request(origin, method="GET", body="", path="/", name="raw.test"):
    length = f"Content-Length: {len(body)}\r\n" if method in ("POST", "PUT") else ""
    return f"{method} http://{name}:{origin.port}{path} HTTP/1.1\r\nHost: {name}:{origin.port}\r\n{length}\r\n{body}"


def answer_each(origin, wire, number):
    while True:
        origin.request(wire)
        wire.send(OK)


def test_a_connection_is_used_again(proxy, raw_origin):
    origin = raw_origin(answer_each)
    with proxy.open() as wire:
        for _ in range(5):
            wire.send(request(origin))
            assert read_response(wire).body == b"ok"
    assert origin.connections == 1
    until(lambda: len(proxy.log()) == 5, "five access-log lines")
    assert [entry["upstream"] for entry in proxy.log()] == ["new", "reused", "reused", "reused", "reused"]


def test_not_for_another_name_at_the_same_address(proxy, raw_origin, public_dns):
    public_dns.zone["raw2.test"] = Entry(a=[RIGHT])
    origin = raw_origin(answer_each)
    with proxy.open() as wire:
        for name in ("raw.test", "raw2.test"):
            wire.send(request(origin, name=name))
            read_response(wire)
    assert origin.connections == 2


def test_not_for_another_address_of_the_same_name(start_proxy, raw_origin, public_dns):
    public_dns.zone["walk.test"] = Entry(a=[RIGHT], ttl=1)
    proxy = start_proxy("--expired-answers", "0s")
    origin = raw_origin(answer_each)
    other = raw_origin(answer_each, address=HIJACKER, port=origin.port)
    with proxy.open() as wire:
        wire.send(request(origin, name="walk.test"))
        read_response(wire)
        public_dns.zone["walk.test"] = Entry(a=[HIJACKER], ttl=1)

        def moved():
            wire.send(request(origin, name="walk.test"))
            read_response(wire)
            return other.connections

        until(moved, "the new address is dialled though the old connection is still open", 4)
    assert origin.connections == 1


def test_a_connection_that_the_origin_closed_while_idle_is_not_used(proxy, raw_origin):
    def script(origin, wire, number):
        origin.request(wire)
        wire.send(OK)  # without announcing it the connection ends here

    origin = raw_origin(script)
    with proxy.open() as wire:
        for count in range(1, 6):
            wire.send(request(origin, "POST", "body"))
            response = read_response(wire)
            assert response.status == 200, response
            assert len(origin.requests) == count
            until(lambda: not_connected(proxy, origin), "the proxy has seen the end of the kept connection")
    assert origin.connections == 5


def not_connected(proxy, origin):
    """Whether no connection from the proxy to the origin's port is established (its end has at least been received)."""
    with open("/proc/net/tcp") as table:
        rows = [line.split() for line in table.readlines()[1:]]
    return not any(row[3] == "01" and int(row[2].split(":")[1], 16) == origin.port for row in rows)


def closes_second_request_on_arrival(origin, wire, number):
    origin.request(wire)
    wire.send(OK)
    origin.request(wire, body=False)  # read, counted, and the connection closed without an answer


def test_a_post_is_never_sent_twice(proxy, raw_origin):
    origin = raw_origin(closes_second_request_on_arrival)
    with proxy.open() as wire:
        wire.send(request(origin, path="/warm"))
        assert read_response(wire).status == 200
        wire.send(request(origin, "POST", "pay=1", path="/pay"))
        response = read_response(wire, "POST")
    assert response.status == 502 and response.proxy_error
    assert [message.method for message in origin.requests] == ["GET", "POST"]
    assert origin.connections == 1


@pytest.mark.parametrize("method", ["PATCH", "QUERY"])
def test_nor_any_other_method_that_is_not_idempotent(proxy, raw_origin, method):
    origin = raw_origin(closes_second_request_on_arrival)
    with proxy.open() as wire:
        wire.send(request(origin))
        read_response(wire)
        wire.send(request(origin, method))
        assert read_response(wire, method).status == 502
    assert len(origin.requests) == 2


@pytest.mark.parametrize("method", ["GET", "HEAD", "DELETE", "OPTIONS"])
def test_an_idempotent_request_is_sent_again_when_a_kept_connection_dies(proxy, raw_origin, method):
    origin = raw_origin(closes_second_request_on_arrival)
    with proxy.open() as wire:
        wire.send(request(origin))
        read_response(wire)
        wire.send(request(origin, method))
        assert read_response(wire, method).status == 200
    assert [message.method for message in origin.requests] == ["GET", method, method]
    assert origin.connections == 2


def test_a_get_is_not_sent_again_when_a_new_connection_dies(proxy, raw_origin):
    origin = raw_origin(lambda origin, wire, number: origin.request(wire))
    response = proxy.get(f"http://raw.test:{origin.port}/")
    assert response.status == 502 and response.proxy_error
    assert len(origin.requests) == 1


def test_nor_when_a_part_of_an_answer_has_come(proxy, raw_origin):
    def script(origin, wire, number):
        origin.request(wire)
        wire.send(OK)
        origin.request(wire)
        wire.send("HTTP/1.1 200")

    origin = raw_origin(script)
    with proxy.open() as wire:
        wire.send(request(origin))
        read_response(wire)
        wire.send(request(origin))
        response = read_response(wire)
    assert response.status == 502 and response.proxy_error == "http_response_incomplete"
    assert len(origin.requests) == 2


def test_bytes_that_nobody_asked_for_never_reach_another_request(proxy, raw_origin):
    stray = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nstray"

    def script(origin, wire, number):
        origin.request(wire)
        wire.send(OK + stray)
        origin.request(wire)
        wire.send(stray)

    origin = raw_origin(script)
    for _ in range(4):
        assert proxy.get(f"http://raw.test:{origin.port}/").body == b"ok"
    assert origin.connections == 4


@pytest.mark.parametrize(
    "response",
    [
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok",
        "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok",
    ],
    ids=["close", "version-1.0"],
)
def test_an_answer_that_ends_its_connection(proxy, raw_origin, response):
    def script(origin, wire, number):
        origin.request(wire)
        wire.send(response)
        with pytest.raises(Closed):  # the proxy closes its side as well
            origin.request(wire)

    origin = raw_origin(script)
    with proxy.open() as wire:
        for _ in range(3):
            wire.send(request(origin))
            assert read_response(wire).body == b"ok"
    assert origin.connections == 3


def test_a_client_that_leaves_in_a_body_spoils_the_connection_for_nobody(proxy, raw_origin):
    def script(origin, wire, number):
        while True:
            message = origin.request(wire)
            if message.target == "/long":
                wire.send("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n" + "x" * 1000)
                wire.read_rest()
                return
            wire.send(OK)

    origin = raw_origin(script)
    with proxy.open() as wire:
        wire.send(request(origin, path="/long"))
        wire.read_exactly(100)
    for _ in range(3):
        assert proxy.get(f"http://raw.test:{origin.port}/").body == b"ok"
