"""Real clients through HTTP_PROXY and HTTPS_PROXY reach the right server, with the right Host and SNI."""

import json

import pytest

from support import clients
from support.origins import INSIDE, RIGHT

# name, address where it has to arrive, source of the address as the access log has it
ROUTES = [
    pytest.param("one.test", RIGHT, "httpdns", id="only-in-httpdns"),
    pytest.param("moved.test", RIGHT, "httpdns", id="hijacked-in-localdns"),
    pytest.param("app.internal", INSIDE, "local", id="only-in-localdns"),
]


@pytest.mark.parametrize("name, address, source", ROUTES)
@pytest.mark.parametrize("client", clients.NAMES)
def test_http(proxy, origins, authority, public_dns, tmp_path, client, name, address, source):
    url = f"http://{name}:{origins.http_port}/page?x=1"
    seen = json.loads(clients.fetch(client, url, proxy.url, authority.certificate, tmp_path))
    assert (seen["vhost"], seen["address"], seen["scheme"]) == (name, address, "http")
    assert seen["host"] == f"{name}:{origins.http_port}" and seen["target"] == "/page?x=1"
    assert "httpdns-proxy" in seen["via"] and seen["protocol"] == "HTTP/1.1"
    entry = proxy.entry(authority=f"{name}:{origins.http_port}")
    assert (entry["dns"], entry["addr"], entry["status"], entry["method"]) == (source, address, "200", "GET")
    assert bool(public_dns.asked(name)) == (source == "httpdns")


@pytest.mark.parametrize("name, address, source", ROUTES)
@pytest.mark.parametrize("client", clients.NAMES)
def test_https(proxy, origins, authority, public_dns, tmp_path, client, name, address, source):
    url = f"https://{name}:{origins.https_port}/page?x=1"
    seen = json.loads(clients.fetch(client, url, proxy.url, authority.certificate, tmp_path))
    assert (seen["vhost"], seen["address"], seen["scheme"]) == (name, address, "https")
    assert seen["host"] == f"{name}:{origins.https_port}" and seen["sni"] == name
    assert seen["via"] == ""  # inside a tunnel nothing is added
    entry = proxy.entry(authority=f"{name}:{origins.https_port}", method="CONNECT")
    assert (entry["dns"], entry["addr"], entry["status"]) == (source, address, "200")
    assert bool(public_dns.asked(name)) == (source == "httpdns")


def test_without_the_proxy_the_hijack_would_win(local_dns, origins):
    # The same name by LocalDNS leads to the other server: what the two tests above show is the proxy's doing.
    from test_origins import ask, fetch

    _, address = ask(local_dns, "moved.test")
    assert address != RIGHT and fetch(address, origins.http_port, "moved.test")["vhost"] == "hijacker"
