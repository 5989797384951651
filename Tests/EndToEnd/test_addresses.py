"""A name with several addresses: the request takes the first that works, soon, and the log says which."""

import socket

import pytest

from support.blackhole import BlackHole
from support.origins import INSIDE, RIGHT
from support.ports import free_port
from support.public_dns import Entry
from support.raw_origin import answering
from support.waiting import Stopwatch, until

OK = answering("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
DEAD, DEADER = "127.0.0.7", "127.0.0.8"


@pytest.fixture
def black_hole():
    holes = []

    def dig(address, port):
        holes.append(BlackHole(address, port))

    yield dig
    for hole in holes:
        hole.stop()


def test_the_second_address_when_the_first_refuses(proxy, raw_origin, public_dns):
    origin = raw_origin(OK)
    public_dns.zone["pair.test"] = Entry(a=[DEAD, RIGHT])
    with Stopwatch() as watch:
        assert proxy.get(f"http://pair.test:{origin.port}/").body == b"ok"
    assert watch.seconds < 0.5
    entry = proxy.entry(status="200")
    assert (entry["addr"], entry["failed_addresses"]) == (RIGHT, "1")


def test_the_second_address_when_the_first_is_a_black_hole(proxy, raw_origin, public_dns, black_hole):
    origin = raw_origin(OK)
    black_hole(DEAD, origin.port)
    public_dns.zone["pair.test"] = Entry(a=[DEAD, RIGHT])
    with Stopwatch() as watch:
        assert proxy.get(f"http://pair.test:{origin.port}/").body == b"ok"
    assert 0.15 < watch.seconds < 1.0  # the second attempt starts after 250 ms beside the first
    entry = proxy.entry(status="200")
    assert (entry["addr"], entry["failed_addresses"]) == (RIGHT, "1")
    assert float(entry["connect_ms"]) > 150


def test_four_addresses_three_of_them_dead(proxy, raw_origin, public_dns, black_hole):
    origin = raw_origin(OK)
    for address in (DEAD, DEADER):
        black_hole(address, origin.port)
    public_dns.zone["many.test"] = Entry(a=[DEAD, "127.0.0.9", DEADER, RIGHT])
    with Stopwatch() as watch:
        assert proxy.get(f"http://many.test:{origin.port}/").body == b"ok"
    assert watch.seconds < 1.5


def test_tunnel_takes_the_second_address_too(proxy, raw_origin, public_dns, black_hole):
    origin = raw_origin(lambda origin, wire, number: wire.send(wire.read_exactly(4)))
    black_hole(DEAD, origin.port)
    public_dns.zone["pair.test"] = Entry(a=[DEAD, RIGHT])
    with proxy.tunnel(f"pair.test:{origin.port}") as wire:
        wire.send("ping")
        assert wire.read_rest() == b"ping"
    assert proxy.entry(method="CONNECT")["addr"] == RIGHT


def test_https_takes_the_second_address_too(proxy, origins, public_dns):
    public_dns.zone["one.test"] = Entry(a=[DEAD, RIGHT])
    assert proxy.get(f"https://one.test:{origins.https_port}/").json()["sni"] == "one.test"


def test_all_refuse(proxy, public_dns):
    public_dns.zone["dead.test"] = Entry(a=[DEAD, DEADER])
    port = free_port(DEAD, DEADER)
    response = proxy.get(f"http://dead.test:{port}/")
    assert (response.status, response.proxy_error) == (502, "connection_refused")
    entry = proxy.entry(status="502")
    assert entry["error"] and entry["reason"]


def test_all_are_black_holes(start_proxy, public_dns, black_hole):
    proxy = start_proxy("--connect-timeout", "1s")
    port = free_port(DEAD, DEADER)
    for address in (DEAD, DEADER):
        black_hole(address, port)
    public_dns.zone["dead.test"] = Entry(a=[DEAD, DEADER])
    with Stopwatch() as watch:
        response = proxy.get(f"http://dead.test:{port}/")
    assert (response.status, response.proxy_error) == (504, "connection_timeout")
    assert 0.9 < watch.seconds < 2.5


def test_connect_to_a_black_hole(start_proxy, public_dns, black_hole):
    proxy = start_proxy("--connect-timeout", "1s")
    port = free_port(DEAD)
    black_hole(DEAD, port)
    public_dns.zone["dead.test"] = Entry(a=[DEAD])
    response = proxy.exchange(f"CONNECT dead.test:{port} HTTP/1.1\r\nHost: dead.test:{port}\r\n\r\n")
    assert (response.status, response.proxy_error) == (504, "connection_timeout")


def test_families_are_interleaved(start_proxy, raw_origin, public_dns, black_hole):
    # Two addresses of the first family are dead; the second family's turn comes after one of them.
    with socket.socket(socket.AF_INET6) as never:
        never.bind(("::1", 0))  # bound, not listening: refuses
        port = never.getsockname()[1]
        origin = raw_origin(OK, port=port)
        public_dns.zone["dual.test"] = Entry(a=[RIGHT, INSIDE], aaaa=["::1"])
        proxy = start_proxy("--family", "both")
        assert proxy.get(f"http://dual.test:{port}/").body == b"ok"
        assert origin.connections == 1
    assert proxy.entry(status="200")["addr"] == RIGHT


def test_losers_of_the_race_are_closed(proxy, raw_origin, public_dns, black_hole):
    origin = raw_origin(OK)
    black_hole(DEAD, origin.port)
    assert proxy.get(f"http://raw.test:{origin.port}/").body == b"ok"
    before = proxy.descriptors()
    for number in range(5):
        public_dns.zone[f"pair{number}.test"] = Entry(a=[DEAD, RIGHT])
        assert proxy.get(f"http://pair{number}.test:{origin.port}/").body == b"ok"
    # what stays open are kept connections: one to the origin for each name, and one or two to HTTPDNS; each lost dial would be one more
    until(lambda: proxy.descriptors() <= before + 7, "the dials that lost are closed")
