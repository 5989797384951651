"""Where names are looked up, and what is kept of the answers."""

import threading
import time

import pytest

from conftest import provider_flags
from support.origins import HIJACKER, INSIDE, RIGHT
from support.public_dns import AAAA, A, Entry
from support.raw_origin import answering
from support.waiting import Stopwatch, until


def seen_by_origin(proxy, origins, name, path="/"):
    response = proxy.get(f"http://{name}:{origins.http_port}{path}")
    assert response.status == 200, response
    return response.json()


def test_addresses_come_from_httpdns_then_from_the_cache(proxy, origins, public_dns, local_dns):
    before = local_dns.queries("one.test")
    for source in ("httpdns", "cache", "cache"):
        path = f"/{source}"
        assert seen_by_origin(proxy, origins, "one.test", path)["address"] == RIGHT
    until(lambda: len(proxy.log()) == 3, "three access-log lines")
    assert [entry["dns"] for entry in proxy.log()] == ["httpdns", "cache", "cache"]
    assert len(public_dns.asked("one.test", A)) == 1
    assert len(public_dns.asked("one.test", AAAA)) <= 1
    assert local_dns.queries("one.test") == before


def test_queries_are_signed(proxy, origins, public_dns):
    seen_by_origin(proxy, origins, "one.test")
    queries = public_dns.asked("one.test")
    assert queries and all(query.signed and query.accepted for query in queries)
    assert all(query.parameters["uid"] == "123456" and query.parameters["ak"] == "AKIDEXAMPLE" for query in queries)


def test_unsigned_queries_without_credentials(start_proxy, origins, public_dns):
    public_dns.require_signature = False
    proxy = start_proxy(provider=provider_flags(public_dns, signed=False), environment={"HTTPDNS_PROXY_ACCESS_KEY_SECRET": ""})
    seen_by_origin(proxy, origins, "one.test")
    assert public_dns.asked("one.test") and not any(query.signed for query in public_dns.asked("one.test"))


def test_secret_from_a_file(start_proxy, origins, public_dns, tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("s3cr3tKeyForDocs\n")
    proxy = start_proxy("--access-key-secret-file", str(secret), environment={"HTTPDNS_PROXY_ACCESS_KEY_SECRET": ""})
    seen_by_origin(proxy, origins, "one.test")
    assert all(query.accepted for query in public_dns.asked("one.test"))


def test_provider_over_https(start_proxy, origins, provider_over_tls, provider_authority):
    proxy = start_proxy("--provider-ca", str(provider_authority.certificate), provider=provider_flags(provider_over_tls))
    assert seen_by_origin(proxy, origins, "moved.test")["address"] == RIGHT
    assert provider_over_tls.asked("moved.test")


def test_provider_whose_certificate_is_not_trusted_gets_no_query(start_proxy, origins, provider_over_tls):
    proxy = start_proxy(provider=provider_flags(provider_over_tls))
    assert seen_by_origin(proxy, origins, "moved.test")["address"] == HIJACKER
    assert not provider_over_tls.queries
    assert proxy.entry()["dns"] == "local"


def test_clock_of_the_service_is_an_hour_ahead(proxy, origins, public_dns):
    public_dns.clock_offset = 3600
    seen = seen_by_origin(proxy, origins, "moved.test")
    assert seen["address"] == RIGHT  # the refusal's Date taught the clock, the second try was signed with it
    assert [query.accepted for query in public_dns.asked("moved.test", A)] == [False, True]
    seen_by_origin(proxy, origins, "two.test")
    assert all(query.accepted for query in public_dns.asked("two.test"))


@pytest.mark.parametrize(
    "name, flags, address",
    [
        ("app.internal", (), INSIDE),
        ("app.corp.test", ("--local-name", ".corp.test"), INSIDE),
        ("APP.Internal.", (), INSIDE),
    ],
)
def test_names_that_stay_local_are_never_asked_of_httpdns(start_proxy, origins, public_dns, name, flags, address):
    proxy = start_proxy(*flags)
    assert seen_by_origin(proxy, origins, name)["address"] == address
    assert not public_dns.queries
    assert proxy.entry()["dns"] == "local"


@pytest.mark.parametrize("name", ["localhost", "app.localhost", "LOCALHOST."])
def test_localhost_is_loopback_and_asks_nobody(proxy, raw_origin, public_dns, local_dns, name):
    origin = raw_origin(answering("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"), address="127.0.0.1")
    before = local_dns.queries("app.localhost") + local_dns.queries("localhost")
    assert proxy.get(f"http://{name}:{origin.port}/").status == 200
    assert not public_dns.queries
    assert local_dns.queries("app.localhost") + local_dns.queries("localhost") == before
    assert proxy.entry()["addr"] in ("127.0.0.1", "::1")


def test_literals_are_not_looked_up(proxy, origins, public_dns):
    assert seen_by_origin(proxy, origins, RIGHT)["vhost"] == "right"
    assert seen_by_origin(proxy, origins, "[::1]")["vhost"] == "six"
    assert not public_dns.queries
    until(lambda: len(proxy.log()) == 2, "two access-log lines")
    assert [(entry["dns"], entry["addr"]) for entry in proxy.log()] == [("literal", RIGHT), ("literal", "::1")]


def test_case_and_trailing_dot_share_one_answer(proxy, origins, public_dns):
    for name in ("one.test", "ONE.Test", "one.test."):
        assert seen_by_origin(proxy, origins, name)["address"] == RIGHT
    assert len(public_dns.asked("one.test", A)) + len(public_dns.asked("one.test.", A)) == 1


def test_aliases_are_followed(proxy, origins, public_dns):
    public_dns.zone["alias.test"] = Entry(cname="edge.other.test")
    public_dns.zone["edge.other.test"] = Entry(a=[RIGHT])
    seen = seen_by_origin(proxy, origins, "alias.test")
    assert seen["address"] == RIGHT and seen["host"].startswith("alias.test:")


def test_ipv6(start_proxy, origins, public_dns):
    public_dns.zone["six.test"] = Entry(aaaa=["::1"])
    proxy = start_proxy("--family", "both")
    seen = seen_by_origin(proxy, origins, "six.test")
    assert seen["vhost"] == "six"
    assert proxy.entry()["addr"] == "::1"


@pytest.mark.parametrize("family, asked", [("ipv4", {A}), ("ipv6", {AAAA}), ("both", {A, AAAA})])
def test_families(start_proxy, origins, public_dns, family, asked):
    public_dns.zone["dual.test"] = Entry(a=[RIGHT], aaaa=["::1"])
    proxy = start_proxy("--family", family)
    assert seen_by_origin(proxy, origins, "dual.test")["vhost"] == ("right" if family == "ipv4" else "six")
    assert {query.type for query in public_dns.asked("dual.test")} == asked


@pytest.mark.parametrize("trouble", [{"fail_types": (AAAA,)}, {"delays": {AAAA: 5}}], ids=["fails", "never-comes"])
def test_an_aaaa_query_in_trouble_does_not_hold_up_the_name(start_proxy, origins, public_dns, trouble):
    public_dns.zone["half.test"] = Entry(a=[RIGHT], **trouble)
    proxy = start_proxy("--family", "both")
    with Stopwatch() as watch:
        assert seen_by_origin(proxy, origins, "half.test")["address"] == RIGHT
    assert watch.seconds < 0.7


def test_name_that_does_not_exist_is_not_asked_of_localdns(proxy, origins, public_dns, local_dns):
    before = local_dns.queries("gone.test")
    response = proxy.get(f"http://gone.test:{origins.http_port}/")
    assert response.status == 502 and response.proxy_error == "dns_error"
    assert "NXDOMAIN" in response.one("proxy-status")
    assert local_dns.queries("gone.test") == before  # LocalDNS would have led to the hijacker
    assert proxy.get(f"http://gone.test:{origins.http_port}/").status == 502
    assert len(public_dns.asked("gone.test", A)) == 1  # the answer is kept


@pytest.mark.parametrize("empty_list", [True, False], ids=["empty-list", "no-list"])
def test_name_without_an_address(proxy, origins, public_dns, empty_list):
    public_dns.zone["bare.test"] = Entry(empty_list=empty_list)
    response = proxy.get(f"http://bare.test:{origins.http_port}/")
    assert response.status == 502 and response.proxy_error == "dns_error"


def test_servfail_of_one_name_falls_back_for_that_name(proxy, origins, public_dns):
    public_dns.zone["moved.test"] = Entry(status=2)
    assert seen_by_origin(proxy, origins, "moved.test")["address"] == HIJACKER
    assert proxy.entry()["dns"] == "local"
    assert seen_by_origin(proxy, origins, "one.test")["address"] == RIGHT
    assert proxy.entry(authority=f"one.test:{origins.http_port}")["dns"] == "httpdns"


def test_identical_lookups_in_flight_are_one(start_proxy, origins, public_dns):
    proxy = start_proxy()
    public_dns.delay = 0.4
    results = []

    def fetch():
        results.append(proxy.get(f"http://one.test:{origins.http_port}/").status)

    threads = [threading.Thread(target=fetch) for _ in range(24)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [200] * 24
    assert len(public_dns.asked("one.test", A)) == 1


def test_after_the_ttl_the_address_may_move(start_proxy, origins, public_dns):
    public_dns.zone["walk.test"] = Entry(a=[RIGHT], ttl=1)
    proxy = start_proxy("--expired-answers", "0s")
    assert seen_by_origin(proxy, origins, "walk.test")["address"] == RIGHT
    public_dns.zone["walk.test"] = Entry(a=[INSIDE], ttl=1)
    until(lambda: seen_by_origin(proxy, origins, "walk.test")["address"] == INSIDE, "the new address is used", 4)
    assert len(public_dns.asked("walk.test", A)) <= 4


def test_expired_answer_serves_while_nobody_can_answer(start_proxy, origins, public_dns):
    public_dns.zone["stale.test"] = Entry(a=[RIGHT], ttl=1)
    proxy = start_proxy("--query-timeout", "1s", "--fallback", "none")
    seen_by_origin(proxy, origins, "stale.test")
    public_dns.stop()
    end = time.monotonic() + 2.5
    while time.monotonic() < end:
        assert seen_by_origin(proxy, origins, "stale.test")["address"] == RIGHT


def test_expired_answers_can_be_switched_off(start_proxy, origins, public_dns):
    public_dns.zone["stale.test"] = Entry(a=[RIGHT], ttl=1)
    proxy = start_proxy("--query-timeout", "1s", "--fallback", "none", "--expired-answers", "0s")
    seen_by_origin(proxy, origins, "stale.test")
    public_dns.stop()
    url = f"http://stale.test:{origins.http_port}/"
    until(lambda: proxy.get(url).status in (502, 504), "the answer is given up with its TTL", 4)
