"""HTTPDNS in trouble: requests succeed by LocalDNS, late once at most, and HTTPDNS is used again when it recovers."""

import itertools
import socket

import pytest

from conftest import provider_flags, zone
from support.origins import INSIDE, RIGHT
from support.ports import free_port
from support.public_dns import Mode, PublicDNS
from support.waiting import Stopwatch, until

TIMEOUT = 1.0  # --query-timeout of these tests
SLACK = 0.6
_numbers = itertools.count()


def fresh_name():
    """A name nobody has asked for: HTTPDNS says RIGHT, LocalDNS says INSIDE."""
    return f"n{next(_numbers)}.both.test"


def address_of(proxy, origins, name=None):
    response = proxy.get(f"http://{name or fresh_name()}:{origins.http_port}/")
    assert response.status == 200, response
    return response.json()["address"]


def break_service(service, how):
    if how == "stopped":
        service.stop()
    else:
        service.mode = how


TROUBLES = ["stopped", Mode.SILENT, Mode.HANG_UP, Mode.HTTP_500, Mode.GARBAGE, Mode.UNAUTHORIZED, Mode.WRONG_PATH]


@pytest.mark.parametrize("how", TROUBLES, ids=lambda how: getattr(how, "name", how).lower())
def test_falls_back_within_one_query_timeout_and_at_once_afterwards(start_proxy, origins, public_dns, how):
    proxy = start_proxy("--query-timeout", "1s")
    break_service(public_dns, how)
    with Stopwatch() as first:
        assert address_of(proxy, origins) == INSIDE
    assert first.seconds < TIMEOUT + SLACK
    with Stopwatch() as second:
        for _ in range(10):
            assert address_of(proxy, origins) == INSIDE
    assert second.seconds < SLACK
    assert proxy.entry()["dns"] == "local"


def test_wrong_secret(start_proxy, origins, public_dns):
    proxy = start_proxy(environment={"HTTPDNS_PROXY_ACCESS_KEY_SECRET": "another"})
    with Stopwatch() as watch:
        for _ in range(5):
            assert address_of(proxy, origins) == INSIDE
    assert watch.seconds < TIMEOUT
    assert public_dns.queries and not any(query.accepted for query in public_dns.queries)
    until(lambda: "level=warning" in proxy.program.errors(), "the operator is told that the credentials are refused")
    assert "another" not in proxy.program.errors()


def test_an_answer_after_the_timeout_is_too_late(start_proxy, origins, public_dns):
    proxy = start_proxy("--query-timeout", "500ms")
    public_dns.delay = 2
    with Stopwatch() as watch:
        assert address_of(proxy, origins) == INSIDE
    assert watch.seconds < 0.5 + SLACK


def test_a_slow_answer_within_the_timeout_is_used(start_proxy, origins, public_dns):
    proxy = start_proxy("--query-timeout", "3s")
    public_dns.delay = 0.7
    assert address_of(proxy, origins) == RIGHT


def test_one_failed_answer_does_not_switch_the_service_off(start_proxy, origins, public_dns):
    proxy = start_proxy("--query-timeout", "1s", "--family", "ipv4")
    public_dns.mode = Mode.HTTP_500
    assert address_of(proxy, origins) == INSIDE
    public_dns.mode = Mode.OK
    assert address_of(proxy, origins) == RIGHT


@pytest.mark.parametrize("how", ["stopped", Mode.SILENT, Mode.GARBAGE], ids=["stopped", "silent", "garbage"])
def test_used_again_after_recovery(start_proxy, origins, public_dns, how):
    proxy = start_proxy("--query-timeout", "500ms")
    break_service(public_dns, how)
    for _ in range(4):
        assert address_of(proxy, origins) == INSIDE
    public_dns.mode = Mode.OK
    if how == "stopped":
        public_dns.start()
    else:
        public_dns.drop_connections()
    until(lambda: address_of(proxy, origins) == RIGHT, "HTTPDNS is used again", 15)


def test_no_storm_of_queries_while_the_service_is_silent(start_proxy, origins, public_dns):
    proxy = start_proxy("--query-timeout", "500ms")
    public_dns.mode = Mode.SILENT
    for _ in range(60):
        assert address_of(proxy, origins) == INSIDE
    assert len(public_dns.queries) <= 8


def second_service():
    return PublicDNS(zone(), require_signature=True)


@pytest.mark.parametrize("how", ["stopped", Mode.SILENT, Mode.HTTP_500], ids=["stopped", "silent", "http_500"])
def test_the_next_endpoint_answers(start_proxy, origins, public_dns, how):
    other = second_service()
    try:
        proxy = start_proxy("--query-timeout", "1500ms", provider=[*provider_flags(public_dns), "--provider-url", other.url])
        break_service(public_dns, how)
        with Stopwatch() as watch:
            assert address_of(proxy, origins) == RIGHT
        assert watch.seconds < 1.5
        with Stopwatch() as later:
            for _ in range(5):
                assert address_of(proxy, origins) == RIGHT
        if how != Mode.HTTP_500:
            assert later.seconds < SLACK
        assert other.queries
    finally:
        other.stop()


def test_without_fallback_the_failure_is_told(start_proxy, origins, public_dns):
    proxy = start_proxy("--query-timeout", "500ms", "--fallback", "none")
    public_dns.mode = Mode.SILENT
    response = proxy.get(f"http://{fresh_name()}:{origins.http_port}/")
    assert (response.status, response.proxy_error) == (504, "dns_timeout")
    public_dns.stop()
    response = proxy.get(f"http://{fresh_name()}:{origins.http_port}/")
    assert response.status in (502, 504) and response.proxy_error in ("dns_error", "dns_timeout")


def test_httpdns_and_localdns_both_away(start_proxy, origins, public_dns):
    proxy = start_proxy("--query-timeout", "500ms", local=f"127.0.0.1:{free_port()}")
    public_dns.stop()
    with Stopwatch() as watch:
        response = proxy.get(f"http://{fresh_name()}:{origins.http_port}/", seconds=40)
    assert response.status in (502, 504) and response.proxy_error in ("dns_error", "dns_timeout")
    assert watch.seconds < 20


def test_localdns_that_never_answers(start_proxy, origins, public_dns):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as silent:
        silent.bind(("127.0.0.1", 0))
        proxy = start_proxy("--query-timeout", "500ms", local=f"127.0.0.1:{silent.getsockname()[1]}")
        response = proxy.get(f"http://app.internal:{origins.http_port}/", seconds=40)
        assert (response.status, response.proxy_error) == (504, "dns_timeout")
        # while one name waits others are served
        assert address_of(proxy, origins, "one.test") == RIGHT


def test_provider_none_uses_localdns_alone(start_proxy, origins, public_dns):
    proxy = start_proxy("--provider", "none", provider=[])
    assert address_of(proxy, origins) == INSIDE
    assert not public_dns.queries
