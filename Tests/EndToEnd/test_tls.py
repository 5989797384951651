"""Absolute-form https requests: the proxy speaks TLS with the name's SNI and checks the certificate for the name.
In a tunnel the same servers are the client's own affair."""

import ssl

import pytest

from support import tls
from support.origins import RIGHT
from support.waiting import until
from support.wire import read_response

GOOD = ["one.test", "two.test", "three.test", "moved.test"]
BAD = ["wrong.test", "expired.test", "selfsigned.test", "unknown.test"]


@pytest.mark.parametrize("name", GOOD)
def test_good_certificate(proxy, origins, name):
    response = proxy.get(f"https://{name}:{origins.https_port}/secure?x=1")
    seen = response.json()
    assert response.status == 200
    assert (seen["vhost"], seen["sni"], seen["scheme"], seen["address"]) == (name, name, "https", RIGHT)
    assert seen["host"] == f"{name}:{origins.https_port}" and seen["target"] == "/secure?x=1"
    assert seen["via"].endswith(proxy_name(response)) and "httpdns-proxy" in seen["via"]


def proxy_name(response):
    """The name under which the proxy put itself into the answer's Via."""
    return response.one("via").split(" ")[-1]


@pytest.mark.parametrize("name", BAD)
def test_bad_certificate(proxy, origins, name):
    response = proxy.get(f"https://{name}:{origins.https_port}/")
    assert (response.status, response.proxy_error) == (502, "tls_certificate_error")
    assert response.body.count(b"\n") == 1 and response.body.endswith(b"\n")
    assert proxy.entry()["status"] == "502" and proxy.entry()["addr"] == RIGHT


@pytest.mark.parametrize("name", BAD)
def test_bad_certificate_in_a_tunnel_is_for_the_client_to_judge(proxy, origins, authority, name):
    with proxy.tunnel(f"{name}:{origins.https_port}") as wire, pytest.raises(ssl.SSLCertVerificationError):
        tls.wrap(wire, name, authority.certificate)
    with proxy.tunnel(f"{name}:{origins.https_port}") as wire:
        careless = ssl.create_default_context()
        careless.check_hostname, careless.verify_mode = False, ssl.CERT_NONE
        wire.socket = careless.wrap_socket(wire.socket, server_hostname=name)
        wire.send(f"GET / HTTP/1.1\r\nHost: {name}\r\nConnection: close\r\n\r\n")
        assert read_response(wire).json()["vhost"] == name


def test_without_the_authority_even_good_ones_are_refused(start_proxy, origins, unknown_authority):
    proxy = start_proxy(ca=unknown_authority)
    response = proxy.get(f"https://one.test:{origins.https_port}/")
    assert (response.status, response.proxy_error) == (502, "tls_certificate_error")


def test_trailing_dot_is_not_part_of_sni_or_certificate_check(proxy, origins):
    seen = proxy.get(f"https://one.test.:{origins.https_port}/").json()
    assert (seen["vhost"], seen["sni"]) == ("one.test", "one.test")


def test_address_as_host_sends_no_sni_and_needs_a_certificate_for_the_address(proxy, origins):
    response = proxy.get(f"https://{RIGHT}:{origins.https_port}/")
    assert (response.status, response.proxy_error) == (502, "tls_certificate_error")


def test_server_that_speaks_no_tls(proxy, origins):
    response = proxy.get(f"https://one.test:{origins.http_port}/")
    assert response.status == 502
    assert response.proxy_error in ("tls_protocol_error", "tls_alert_received")


def test_server_that_hangs_up_in_the_handshake(proxy, raw_origin):
    origin = raw_origin(lambda origin, wire, number: wire.read_exactly(5))
    response = proxy.get(f"https://raw.test:{origin.port}/")
    assert response.status == 502 and response.proxy_error


def test_server_that_never_finishes_the_handshake(start_proxy, raw_origin):
    proxy = start_proxy("--connect-timeout", "1s")
    origin = raw_origin(lambda origin, wire, number: wire.read_rest())
    response = proxy.get(f"https://raw.test:{origin.port}/")
    assert (response.status, response.proxy_error) == (504, "connection_timeout")


def test_connections_over_tls_are_kept_for_their_name_alone(proxy, origins):
    names = ["one.test", "two.test", "one.test", "two.test"]
    with proxy.open() as wire:
        for name in names:
            wire.send(f"GET https://{name}:{origins.https_port}/ HTTP/1.1\r\nHost: {name}\r\n\r\n")
            seen = read_response(wire).json()
            assert (seen["vhost"], seen["sni"]) == (name, name)
    until(lambda: len(proxy.log()) == 4, "four access-log lines")
    assert [entry["upstream"] for entry in proxy.log()] == ["new", "new", "reused", "reused"]


def test_post_over_tls(proxy, origins):
    body = "x" * 100_000
    response = proxy.get(f"https://one.test:{origins.https_port}/", f"Content-Length: {len(body)}", method="POST", body=body)
    assert response.status in (200, 405)
    assert proxy.entry()["received"] and int(proxy.entry()["received"]) >= len(body)
