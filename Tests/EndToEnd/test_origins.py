"""The origins and LocalDNS that the other tests rely on are what they claim to be, seen without a proxy."""

import json
import socket
import ssl
import subprocess

import pytest

from support import tls, wire
from support.blackhole import BlackHole
from support.origins import HIJACKER, INSIDE, RIGHT
from support.parents import SocksParent, http_parent
from support.proxy import clean_environment


def fetch(address, port, name, secure=None):
    with wire.connect((address, port)) as plain:
        connection = tls.wrap(plain, name, secure) if secure else plain
        connection.send(f"GET /path?q=1 HTTP/1.1\r\nHost: {name}:{port}\r\nConnection: close\r\n\r\n")
        return json.loads(wire.read_response(connection).body)


def test_virtual_hosts_tell_what_arrived(origins):
    seen = fetch(RIGHT, origins.http_port, "one.test")
    assert seen["vhost"] == "one.test" and seen["address"] == RIGHT and seen["scheme"] == "http"
    assert seen["host"] == f"one.test:{origins.http_port}" and seen["target"] == "/path?q=1"
    assert fetch(HIJACKER, origins.http_port, "moved.test")["vhost"] == "hijacker"
    assert fetch(INSIDE, origins.http_port, "app.internal")["vhost"] == "app.internal"
    assert fetch("::1", origins.http_port, "one.test")["vhost"] == "six"


@pytest.mark.parametrize("name", ["one.test", "two.test", "three.test", "moved.test"])
def test_sni_decides_the_certificate(origins, authority, name):
    seen = fetch(RIGHT, origins.https_port, name, authority.certificate)
    assert seen["vhost"] == name and seen["sni"] == name and seen["scheme"] == "https"


@pytest.mark.parametrize(
    "address, name, words",
    [
        (RIGHT, "wrong.test", "Hostname mismatch"),
        (RIGHT, "expired.test", "expired"),
        (RIGHT, "selfsigned.test", "self-signed"),
        (RIGHT, "unknown.test", "unable to get local issuer"),
        (HIJACKER, "moved.test", "unable to get local issuer"),
    ],
)
def test_bad_certificates_are_bad(origins, authority, address, name, words):
    with pytest.raises(ssl.SSLCertVerificationError, match=words):
        fetch(address, origins.https_port, name, authority.certificate)


def ask(local_dns, name):
    """The answer code and the last address of an A query, by a datagram made by hand."""
    labels = b"".join(bytes([len(label)]) + label.encode() for label in name.split("."))
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp:
        udp.settimeout(5)
        udp.sendto(b"\x12\x34\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00" + labels + b"\x00\x00\x01\x00\x01", ("127.0.0.1", local_dns.port))
        answer = udp.recv(512)
    return answer[3] & 15, socket.inet_ntoa(answer[-4:]) if answer[7] else None


def test_local_dns(local_dns):
    before = local_dns.queries("moved.test")
    assert ask(local_dns, "moved.test") == (0, HIJACKER)
    assert ask(local_dns, "app.corp.test") == (0, INSIDE)
    assert ask(local_dns, "any.both.test") == (0, INSIDE)
    assert ask(local_dns, "one.test") == (3, None)
    assert ask(local_dns, "elsewhere.org") == (5, None)
    assert local_dns.queries("moved.test") == before + 1


def test_black_hole():
    hole = BlackHole("127.0.0.7")
    with socket.socket() as dialling, pytest.raises(TimeoutError):
        dialling.settimeout(0.5)
        dialling.connect((hole.address, hole.port))
    hole.stop()


def test_clients_are_installed():
    for client in ("curl", "wget", "aria2c", "w3m"):
        assert subprocess.run([client, "--version" if client != "w3m" else "-version"], capture_output=True).returncode == 0


@pytest.mark.parametrize("scheme, login", [("http", ""), ("http", "user:pass@"), ("socks5h", ""), ("socks5h", "user:pass@")])
def test_parent_proxies(origins, authority, raw_origin, scheme, login):
    destination = (RIGHT, origins.https_port)
    if scheme == "http":
        parent = raw_origin(http_parent(destination), address="127.0.0.1")
    else:
        parent = SocksParent(destination, *(login.strip("@").split(":") if login else ()))
    command = ["curl", "-sS", "--max-time", "10", "--cacert", authority.certificate, "-x", f"{scheme}://{login}127.0.0.1:{parent.port}"]
    done = subprocess.run([*map(str, command), "https://one.test/"], capture_output=True, env=clean_environment())
    assert done.returncode == 0, done
    assert json.loads(done.stdout)["sni"] == "one.test"
    if scheme == "http":
        assert parent.requests[0].target == "one.test:443"
        assert parent.requests[0].one("proxy-authorization") == ("Basic dXNlcjpwYXNz" if login else None)
    else:
        assert parent.asked == [(3, "one.test", 443)]
        parent.stop()
