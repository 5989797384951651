"""The access log tells what an operator needs; secrets are in no log and no answer."""

import base64
import re

import pytest

from support.origins import RIGHT
from support.public_dns import Mode
from support.raw_origin import answering
from support.waiting import until

OK = answering("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
ALWAYS = ["time", "client", "method", "authority", "status", "sent", "received", "duration_ms"]
CONNECTED = ["dns", "addr", "dns_ms", "connect_ms", "upstream"]


def test_fields_of_an_entry(proxy, raw_origin):
    origin = raw_origin(OK)
    with proxy.open() as wire:
        client = "127.0.0.1:%d" % wire.socket.getsockname()[1]
        wire.send(f"POST http://raw.test:{origin.port}/x HTTP/1.1\r\nHost: raw.test\r\nContent-Length: 4\r\nConnection: close\r\n\r\nbody")
        wire.read_rest()
    entry = proxy.entry()
    assert list(entry) == ALWAYS + CONNECTED
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", entry["time"])
    assert (entry["client"], entry["method"], entry["authority"]) == (client, "POST", f"raw.test:{origin.port}")
    assert (entry["status"], entry["dns"], entry["addr"], entry["upstream"]) == ("200", "httpdns", RIGHT, "new")
    assert int(entry["sent"]) >= 2 and int(entry["received"]) >= 4
    assert 0 < float(entry["duration_ms"]) < 5000
    assert 0 < float(entry["dns_ms"]) < 5000 and 0 < float(entry["connect_ms"]) < 5000


def test_pipelined_requests_have_entries_of_their_own(proxy, raw_origin):
    origin = raw_origin(OK)
    first = "GET http://missing.test/ HTTP/1.1\r\nHost: missing.test\r\n\r\n"
    second = f"GET http://raw.test:{origin.port}/ HTTP/1.1\r\nHost: raw.test\r\nConnection: close\r\n\r\n"
    with proxy.open() as wire:
        wire.send(first + second)
        wire.read_rest()
    failed, served = proxy.entry(status="502"), proxy.entry(status="200")
    assert (int(failed["received"]), int(served["received"])) == (len(first), len(second))
    assert failed["error"] and "error" not in served
    assert 0 <= float(served["duration_ms"]) < 5000


def test_failures_say_why(proxy, public_dns):
    proxy.get("http://missing.test/")
    entry = proxy.entry()
    assert entry["status"] == "502" and re.fullmatch(r"[a-z_]+", entry["error"]) and len(entry["reason"]) > 10


def test_refused_requests_are_logged_without_their_bytes(proxy):
    proxy.exchange("GET http://raw.test/\x1b[2J HTTP/1.1\r\nHost: raw.test\r\n\r\n")
    entry = proxy.entry(status="400")
    assert entry["error"] and "\x1b" not in proxy.program.output()


def test_log_to_a_file(start_proxy, raw_origin, tmp_path):
    file = tmp_path / "access.log"
    proxy = start_proxy("--access-log", str(file))
    origin = raw_origin(OK)
    proxy.get(f"http://raw.test:{origin.port}/")
    until(lambda: file.exists() and "status=200" in file.read_text(), "a line in the file")
    assert proxy.program.output() == ""


def test_log_switched_off(start_proxy, raw_origin):
    proxy = start_proxy("--access-log", "off")
    origin = raw_origin(OK)
    assert proxy.get(f"http://raw.test:{origin.port}/").status == 200
    proxy.stop()
    assert proxy.program.output() == ""


@pytest.mark.parametrize("mode", [Mode.OK, Mode.UNAUTHORIZED, Mode.HTTP_500])
def test_secrets_are_in_no_log(start_proxy, raw_origin, public_dns, mode):
    secret, password = "sEcReT-0f-this-run", "hunter2-of-the-client"
    public_dns.mode = mode
    proxy = start_proxy("--log-level", "debug", "--query-timeout", "1s", environment={"HTTPDNS_PROXY_ACCESS_KEY_SECRET": secret})
    origin = raw_origin(OK)
    basic = base64.b64encode(f"user:{password}".encode()).decode()
    answers = [
        proxy.get(f"http://raw.test:{origin.port}/?token=in-the-query", f"Proxy-Authorization: Basic {basic}"),
        proxy.get(f"http://user:{password}@raw.test:{origin.port}/"),
        proxy.get("http://missing.test/", f"Authorization: Basic {basic}"),
    ]
    proxy.stop()
    told = proxy.program.output() + proxy.program.errors() + "".join(map(repr, answers))
    for hidden in (secret, password, basic, "in-the-query"):
        assert hidden not in told
    assert not any(query.parameters.get("key", "-") in told for query in public_dns.queries)


def test_signature_of_the_process_shows_no_secret(proxy):
    with open(f"/proc/{proxy.pid}/cmdline") as file:
        assert "s3cr3tKeyForDocs" not in file.read()


def test_diagnostics_are_log_lines(start_proxy, origins, public_dns):
    from support import logfmt

    proxy = start_proxy("--query-timeout", "500ms")
    public_dns.stop()
    proxy.get(f"http://a.both.test:{origins.http_port}/")
    until(lambda: "level=warning" in proxy.program.errors(), "a warning that HTTPDNS cannot be reached")
    for line in proxy.program.errors().splitlines():
        if "listening on" not in line:
            assert {"time", "level", "event"} <= set(logfmt.parse(line))
