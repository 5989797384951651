"""Who may connect, where the proxy goes, and where it never goes."""

import socket

import pytest

from support.origins import RIGHT
from support.ports import free_port
from support.proxy import Proxy
from support.public_dns import Entry
from support.raw_origin import answering
from support.wire import Wire, connect, read_response

OK = answering("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")


@pytest.mark.parametrize(
    "address",
    ["127.0.0.2", "10.1.2.3", "192.168.0.1", "172.16.0.1", "100.64.0.1", "169.254.169.254", "0.0.0.0", "224.0.0.1", "255.255.255.255"],
)
def test_public_name_with_an_inner_address_is_refused(start_proxy, public_dns, address):
    public_dns.zone["rebind.test"] = Entry(a=[address])
    proxy = start_proxy(allow=False)
    response = proxy.get("http://rebind.test/")
    assert (response.status, response.proxy_error) == (403, "destination_ip_prohibited")
    assert proxy.entry()["status"] == "403"


@pytest.mark.parametrize("address", ["::1", "fd00::1", "fe80::1", "::ffff:127.0.0.1", "64:ff9b::7f00:1", "ff02::1", "::"])
def test_public_name_with_an_inner_ipv6_address_is_refused(start_proxy, public_dns, address):
    public_dns.zone["rebind.test"] = Entry(aaaa=[address])
    proxy = start_proxy("--family", "both", allow=False)
    response = proxy.get("http://rebind.test/")
    assert (response.status, response.proxy_error) == (403, "destination_ip_prohibited")


@pytest.mark.parametrize(
    "host",
    [
        "169.254.169.254",
        "[fe80::1]",
        "[fd00:ec2::254]",
        "100.100.100.200",
        "metadata.google.internal",
        "[::ffff:169.254.169.254]",
        "0.0.0.0",
    ],
)
@pytest.mark.parametrize("method", ["GET", "CONNECT"])
def test_metadata_and_link_local_are_always_refused(start_proxy, host, method):
    proxy = start_proxy(allow=False)
    target = f"http://{host}/" if method == "GET" else f"{host}:80"
    response = proxy.exchange(f"{method} {target} HTTP/1.1\r\nHost: {host}\r\n\r\n")
    assert response.status == 403 and response.proxy_error in ("destination_ip_prohibited", "http_request_denied")


def test_only_the_good_address_of_two_is_dialled(start_proxy, raw_origin, public_dns):
    origin = raw_origin(OK)
    public_dns.zone["mixed.test"] = Entry(a=["169.254.169.254", RIGHT])
    proxy = start_proxy("--allow-destination", f"{RIGHT}/32", allow=False)
    assert proxy.get(f"http://mixed.test:{origin.port}/").body == b"ok"
    assert proxy.entry()["addr"] == RIGHT


def test_allowed_range_lifts_the_rule_for_that_range_alone(start_proxy, raw_origin, public_dns):
    origin = raw_origin(OK)
    public_dns.zone["other.test"] = Entry(a=["127.0.0.3"])
    proxy = start_proxy("--allow-destination", f"{RIGHT}/32", allow=False)
    assert proxy.get(f"http://raw.test:{origin.port}/").status == 200
    assert proxy.get(f"http://other.test:{origin.port}/").status == 403


def test_loopback_literals_are_for_local_clients(start_proxy, raw_origin):
    origin = raw_origin(OK, address="127.0.0.1")
    proxy = start_proxy(allow=False)
    assert proxy.get(f"http://127.0.0.1:{origin.port}/").status == 200


def test_loopback_literals_are_refused_once_a_listener_is_open_to_others(start_proxy, raw_origin):
    origin = raw_origin(OK, address="127.0.0.1")
    proxy = start_proxy("--listen", f"0.0.0.0:{free_port('0.0.0.0')}", allow=False)
    response = proxy.get(f"http://127.0.0.1:{origin.port}/")
    assert (response.status, response.proxy_error) == (403, "destination_ip_prohibited")
    assert not origin.connections


def test_clients_outside_the_allowed_range(start_proxy, origins):
    proxy = start_proxy("--allow-client", "127.0.0.9/32")
    refused = proxy.get(f"http://one.test:{origins.http_port}/")
    assert refused.status == 403
    with socket.socket() as connection:
        connection.bind(("127.0.0.9", 0))
        connection.connect((proxy.host, proxy.port))
        wire = Wire(connection)
        wire.send(f"GET http://one.test:{origins.http_port}/ HTTP/1.1\r\nHost: one.test\r\n\r\n")
        assert read_response(wire).status == 200
    assert refused.proxy_error == "http_request_denied"


# Loops


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "self.test"])
@pytest.mark.parametrize("method", ["GET", "CONNECT"])
def test_the_proxy_does_not_connect_to_itself(start_proxy, public_dns, host, method):
    public_dns.zone["self.test"] = Entry(a=["127.0.0.1"])
    proxy = start_proxy()
    target = f"{host}:{proxy.port}" if method == "CONNECT" else f"http://{host}:{proxy.port}/"
    response = proxy.exchange(f"{method} {target} HTTP/1.1\r\nHost: {host}\r\n\r\n")
    assert (response.status, response.proxy_error) == (502, "proxy_loop_detected")
    assert len(proxy.log()) <= 1  # it did not go round


def test_own_via_is_a_loop(proxy, raw_origin):
    origin = raw_origin(OK)
    assert proxy.get(f"http://raw.test:{origin.port}/").status == 200
    own = origin.requests[0].one("via")
    response = proxy.get(f"http://raw.test:{origin.port}/", f"Via: {own}")
    assert (response.status, response.proxy_error) == (502, "proxy_loop_detected")
    assert len(origin.requests) == 1


def test_two_proxies_in_a_row_are_no_loop(start_proxy, raw_origin):
    origin = raw_origin(OK)
    near, far = start_proxy(), start_proxy()
    first = near.get(f"http://raw.test:{origin.port}/")
    second = far.get(f"http://raw.test:{origin.port}/", f"Via: {origin.requests[0].one('via')}")
    assert (first.status, second.status) == (200, 200)


def test_two_proxies_that_point_at_each_other(binary, tmp_path):
    one, two = free_port(), free_port()
    proxies = [
        Proxy(tmp_path, ["--provider", "none", "--parent-proxy", f"http://127.0.0.1:{other}"], port=own)
        for own, other in ((one, two), (two, one))
    ]
    try:
        response = proxies[0].get("http://round.test/")
        assert (response.status, response.proxy_error) == (502, "proxy_loop_detected")
        assert len(proxies[0].log()) <= 3
    finally:
        for proxy in proxies:
            proxy.stop()


def test_origin_form_says_that_this_is_a_proxy(proxy):
    with connect((proxy.host, proxy.port)) as wire:
        wire.send("GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        response = read_response(wire)
    assert response.status == 400 and b"proxy" in response.body
