"""With --parent-proxy the parent gets the domain and nothing is resolved here."""

import base64

import pytest

from support.origins import RIGHT
from support.parents import SocksParent, http_parent
from support.ports import free_port
from support.raw_origin import answering
from support.wire import read_response


@pytest.fixture
def http_parent_at(raw_origin, origins):
    def start(secure=False, **options):
        destination = (RIGHT, origins.https_port if secure else origins.http_port)
        return raw_origin(http_parent(destination, **options), address="127.0.0.1")

    return start


def through(parent, scheme="http", login=""):
    return ["--parent-proxy", f"{scheme}://{login}127.0.0.1:{parent.port}"]


def test_plain_request_goes_on_in_absolute_form(start_proxy, http_parent_at, public_dns, local_dns):
    parent = http_parent_at()
    proxy = start_proxy(*through(parent))
    before = local_dns.queries("one.test")
    response = proxy.get("http://one.test:8080/path?q", "X-Odd: 1")
    assert response.body == b"parent"
    seen = parent.requests[0]
    assert seen.start == "GET http://one.test:8080/path?q HTTP/1.1" and seen.one("host") == "one.test:8080" and seen.one("x-odd") == "1"
    assert not public_dns.queries and local_dns.queries("one.test") == before
    assert proxy.entry()["status"] == "200"


@pytest.mark.parametrize("target", ["one.test:443", "[2001:db8::1]:443", "192.0.2.1:8443"])
def test_tunnel_goes_on_as_a_tunnel(start_proxy, http_parent_at, public_dns, target):
    parent = http_parent_at()
    proxy = start_proxy(*through(parent))
    with proxy.tunnel(target) as wire:
        wire.send("GET / HTTP/1.1\r\nHost: one.test\r\nConnection: close\r\n\r\n")
        assert read_response(wire).json()["vhost"] == "one.test"  # no byte of the tunnel was eaten by the parent's odd fields
    seen = parent.requests[0]
    assert seen.start == f"CONNECT {target} HTTP/1.1" and seen.one("host") == target
    assert not public_dns.queries


def test_brackets_stay_in_absolute_form(start_proxy, http_parent_at):
    parent = http_parent_at()
    proxy = start_proxy(*through(parent))
    proxy.get("http://[2001:db8::1]:8080/")
    assert parent.requests[0].target == "http://[2001:db8::1]:8080/" and parent.requests[0].one("host") == "[2001:db8::1]:8080"


def test_https_request_goes_through_a_tunnel_with_tls_for_the_name(start_proxy, http_parent_at, public_dns):
    parent = http_parent_at(secure=True)
    proxy = start_proxy(*through(parent))
    seen = proxy.get("https://one.test/page").json()
    assert (seen["sni"], seen["vhost"], seen["host"]) == ("one.test", "one.test", "one.test")
    assert parent.requests[0].target == "one.test:443"
    assert not public_dns.queries


def test_credentials_are_for_the_parent_alone(start_proxy, http_parent_at):
    parent = http_parent_at()
    proxy = start_proxy(*through(parent, login="user:pa%3Ass@"), "--log-level", "debug")
    proxy.get("http://one.test/", "Proxy-Authorization: Basic Y2xpZW50Om93bg==")
    with proxy.tunnel("one.test:443"):
        pass
    wanted = "Basic " + base64.b64encode(b"user:pa:ss").decode()
    assert [message.one("proxy-authorization") for message in parent.requests] == [wanted, wanted]
    proxy.stop()
    told = proxy.program.output() + proxy.program.errors()
    assert "pa%3Ass" not in told and "pa:ss" not in told and wanted not in told


def test_password_by_the_environment(start_proxy, http_parent_at):
    parent = http_parent_at()
    proxy = start_proxy(environment={"HTTPDNS_PROXY_PARENT_PROXY": f"http://user:pass@127.0.0.1:{parent.port}"})
    assert proxy.get("http://one.test/").body == b"parent"
    assert parent.requests[0].one("proxy-authorization") == "Basic dXNlcjpwYXNz"


def test_parent_that_refuses_a_tunnel(start_proxy, http_parent_at):
    parent = http_parent_at(refuse="HTTP/1.1 403 No\r\nContent-Length: 2\r\n\r\nno")
    proxy = start_proxy(*through(parent))
    response = proxy.exchange("CONNECT one.test:443 HTTP/1.1\r\nHost: one.test:443\r\n\r\n")
    assert 400 <= response.status < 600 and response.proxy_error


def test_parent_that_is_away(start_proxy):
    proxy = start_proxy("--parent-proxy", f"http://127.0.0.1:{free_port()}")
    for request in ("GET http://one.test/ HTTP/1.1", "CONNECT one.test:443 HTTP/1.1"):
        response = proxy.exchange(f"{request}\r\nHost: one.test\r\n\r\n")
        assert response.status == 502 and response.proxy_error


@pytest.mark.parametrize("scheme", ["socks5", "socks5h"])
@pytest.mark.parametrize("login", [None, ("user", "pass")])
def test_socks_parent_gets_the_domain(start_proxy, origins, public_dns, scheme, login):
    parent = SocksParent((RIGHT, origins.http_port), *(login or ()))
    try:
        proxy = start_proxy(*through(parent, scheme, ":".join(login) + "@" if login else ""))
        assert proxy.get("http://one.test:8080/").json()["vhost"] == "one.test"
        with proxy.tunnel("two.test:443") as wire:
            wire.send("GET / HTTP/1.1\r\nHost: two.test\r\nConnection: close\r\n\r\n")
            assert read_response(wire).json()["vhost"] == "two.test"
        assert parent.asked == [(3, "one.test", 8080), (3, "two.test", 443)]
        assert not public_dns.queries
    finally:
        parent.stop()


def test_two_real_proxies_in_a_row(start_proxy, origins, raw_origin, public_dns):
    far = start_proxy()
    near = start_proxy("--parent-proxy", far.url)
    origin = raw_origin(answering("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"))
    assert near.get(f"http://raw.test:{origin.port}/").body == b"ok"
    assert len(set(origin.requests[0].all("via"))) == 2  # one entry from each, and no loop
    assert near.get(f"http://one.test:{origins.http_port}/").json()["vhost"] == "one.test"
    assert near.get(f"https://one.test:{origins.https_port}/").json()["sni"] == "one.test"
    with near.tunnel(f"two.test:{origins.http_port}") as wire:
        wire.send("GET / HTTP/1.1\r\nHost: two.test\r\nConnection: close\r\n\r\n")
        assert read_response(wire).json()["vhost"] == "two.test"
    assert far.entry(authority=f"one.test:{origins.http_port}")["dns"] == "httpdns"
    near.entry(authority=f"one.test:{origins.http_port}", status="200")
