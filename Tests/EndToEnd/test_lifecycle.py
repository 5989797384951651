"""Starting, start-up errors, draining, running out of descriptors."""

import os
import signal
import socket
import subprocess

import pytest

from support.ports import answers, free_port
from support.proxy import clean_environment
from support.raw_origin import answering
from support.waiting import Stopwatch, until
from support.wire import connect, read_response

OK = answering("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")


def run(binary, *arguments, **environment):
    """Runs to the end; for calls that are expected to end by themselves."""
    command = [str(binary), *map(str, arguments)]
    return subprocess.run(
        command, capture_output=True, text=True, env=clean_environment(**environment), timeout=10, stdin=subprocess.DEVNULL
    )


def test_one_line_says_where_it_listens_and_how_to_try_it(proxy):
    lines = [line for line in proxy.program.errors().splitlines() if "listening" in line]
    assert lines == [f"httpdns-proxy listening on 127.0.0.1:{proxy.port} - try: curl -x http://127.0.0.1:{proxy.port} http://example.com/"]


def test_first_request_soon_after_start(start_proxy, origins):
    with Stopwatch() as watch:
        proxy = start_proxy()
        assert proxy.get(f"http://one.test:{origins.http_port}/").status == 200
    assert watch.seconds < 0.5  # generous: the machine may be busy


@pytest.mark.parametrize("workers", ["1", "3"])
def test_workers(start_proxy, origins, workers):
    proxy = start_proxy("--workers", workers)
    assert all(proxy.get(f"http://one.test:{origins.http_port}/").status == 200 for _ in range(10))


def test_several_listeners(start_proxy, origins):
    second, sixth = free_port(), free_port("::1")
    proxy = start_proxy("--listen", f"127.0.0.1:{second}", "--listen", f"[::1]:{sixth}")
    for address in ((proxy.host, proxy.port), ("127.0.0.1", second), ("::1", sixth)):
        with connect(address) as wire:
            wire.send(f"GET http://one.test:{origins.http_port}/ HTTP/1.1\r\nHost: one.test\r\n\r\n")
            assert read_response(wire).status == 200


# Start-up errors: exit code 2, a message with the name of the setting, its value and what is allowed

BAD_FLAGS = [
    (["--connect-timeout", "abc"], ["--connect-timeout", "abc", "50ms", "10m"]),
    (["--connect-timeout", "0s"], ["--connect-timeout", "0s"]),
    (["--connect-timeout", "5"], ["--connect-timeout", "5"]),
    (["--workers", "0"], ["--workers", "0", "1", "1024"]),
    (["--workers", "two"], ["--workers", "two"]),
    (["--listen", "127.0.0.1"], ["--listen", "127.0.0.1"]),
    (["--listen", "127.0.0.1:99999"], ["--listen", "99999"]),
    (["--listen", "somewhere:80"], ["--listen", "somewhere"]),
    (["--provider", "nobody"], ["--provider", "nobody", "alibaba-public-dns", "none"]),
    (["--provider-url", "ftp://x/"], ["--provider-url", "ftp://x/"]),
    (["--fallback", "maybe"], ["--fallback", "maybe", "local", "none"]),
    (["--family", "ipv5"], ["--family", "ipv5", "ipv4", "ipv6"]),
    (["--local-dns", "nowhere"], ["--local-dns", "nowhere"]),
    (["--allow-client", "10.0.0.0/33"], ["--allow-client", "10.0.0.0/33"]),
    (["--allow-destination", "ten"], ["--allow-destination", "ten"]),
    (["--cache-size", "-1"], ["--cache-size", "-1"]),
    (["--max-ttl", "forever"], ["--max-ttl", "forever"]),
    (["--query-timeout", "1h"], ["--query-timeout", "1h", "60s"]),
    (["--local-name", "a..b"], ["--local-name", "a..b"]),
    (["--parent-proxy", "gopher://x:1"], ["--parent-proxy"]),
    (["--log-level", "loud"], ["--log-level", "loud", "debug"]),
    (["--ca", "/nonexistent.pem"], ["--ca", "/nonexistent.pem"]),
    (["--provider-ca", "/nonexistent.pem"], ["--provider-ca", "/nonexistent.pem"]),
    (["--access-key-secret-file", "/nonexistent"], ["/nonexistent"]),
    (["--config", "/nonexistent.json"], ["/nonexistent.json"]),
    (["--access-log", "/nonexistent/log"], ["/nonexistent/log"]),
    (["--lisen", "127.0.0.1:1"], ["--lisen", "--listen"]),
    (["--access-key-secret", "s"], ["--access-key-secret"]),
    (["--workers"], ["--workers"]),
    (["surplus"], ["surplus"]),
]


@pytest.mark.parametrize("flags, words", BAD_FLAGS, ids=[" ".join(row[0]) for row in BAD_FLAGS])
def test_bad_flag(binary, flags, words):
    port = free_port()
    done = run(binary, "run", "--listen", f"127.0.0.1:{port}", *flags)
    assert done.returncode == 2, done
    assert done.stdout == "" and done.stderr.startswith("httpdns-proxy: ")
    assert all(word in done.stderr for word in words), done.stderr
    assert "listening" not in done.stderr and not answers("127.0.0.1", port)


@pytest.mark.parametrize(
    "name, value",
    [("HTTPDNS_PROXY_CONNECT_TIMEOUT", "abc"), ("HTTPDNS_PROXY_LISTEN", "127.0.0.1"), ("HTTPDNS_PROXY_WORKERS", "0")],
)
def test_bad_environment(binary, name, value):
    done = run(binary, "run", **{name: value})
    assert done.returncode == 2 and name in done.stderr and value in done.stderr


@pytest.mark.parametrize(
    "text, words",
    [
        ("{", []),
        ('{"workers": "many"}', ["workers"]),
        ('{"workers": 5000}', ["workers", "5000"]),
        ('{"no_such_setting": 1}', ["no_such_setting"]),
        ("[]", []),
    ],
)
def test_bad_file(binary, tmp_path, text, words):
    file = tmp_path / "settings.json"
    file.write_text(text)
    done = run(binary, "run", "--config", file)
    assert done.returncode == 2 and str(file) in done.stderr
    assert all(word in done.stderr for word in words), done.stderr


def test_port_taken(binary):
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        address = "127.0.0.1:%d" % other.getsockname()[1]
        done = run(binary, "run", "--listen", address)
    assert done.returncode == 2
    assert address in done.stderr and "in use" in done.stderr.lower() and "listening on" not in done.stderr


def test_port_taken_by_another_instance(start_proxy, binary):
    proxy = start_proxy()
    done = run(binary, "run", "--listen", f"127.0.0.1:{proxy.port}")
    assert done.returncode == 2 and "in use" in done.stderr.lower()


def test_address_that_is_not_ours(binary):
    done = run(binary, "run", "--listen", "192.0.2.1:3128")
    assert done.returncode == 2 and "192.0.2.1:3128" in done.stderr


def test_second_listener_taken_starts_nothing(binary):
    port = free_port()
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        done = run(binary, "run", "--listen", f"127.0.0.1:{port}", "--listen", "127.0.0.1:%d" % other.getsockname()[1])
    assert done.returncode == 2 and not answers("127.0.0.1", port)


# Settings from three places


def test_flag_beats_environment_beats_file(start_proxy, tmp_path):
    ports = [free_port() for _ in range(3)]
    file = tmp_path / "settings.json"
    file.write_text(
        f'{{ /* a comment */ "max_request_line": 100, "max_head": 2000, "access_log": "off", "listen": ["127.0.0.1:{ports[0]}"], }}'
    )
    environment = {
        "HTTPDNS_PROXY_CONFIG": str(file),
        "HTTPDNS_PROXY_MAX_REQUEST_LINE": "200",
        "HTTPDNS_PROXY_LISTEN": f"127.0.0.1:{ports[1]}",
    }
    proxy = start_proxy("--max-request-line", "300", environment=environment)
    assert not answers("127.0.0.1", ports[0]) and not answers("127.0.0.1", ports[1])
    assert proxy.get("http://missing.test/" + "a" * 240).status == 502  # within the flag's limit
    assert proxy.get("http://missing.test/" + "a" * 300).status == 414
    assert proxy.get("http://missing.test/", "X: " + "a" * 2000).status == 431
    assert proxy.log() == []


# Ending


def test_idle_process_ends_at_once(start_proxy):
    for number in (signal.SIGTERM, signal.SIGINT):
        proxy = start_proxy()
        with Stopwatch() as watch:
            proxy.program.send(number)
            assert proxy.program.wait() == 0
        assert watch.seconds < 1


def test_idle_kept_connections_do_not_delay_the_end(start_proxy, raw_origin):
    proxy = start_proxy()
    origin = raw_origin(OK)
    with proxy.open() as wire:
        wire.send(f"GET http://raw.test:{origin.port}/ HTTP/1.1\r\nHost: raw.test\r\n\r\n")
        assert read_response(wire).status == 200
        with Stopwatch() as watch:
            proxy.program.send(signal.SIGTERM)
            assert wire.is_closed() and proxy.program.wait() == 0
        assert watch.seconds < 1


def slow_answer(release):
    def script(origin, wire, number):
        origin.request(wire)
        wire.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nfirst")
        until(lambda: release, "the test lets the answer go on")
        wire.send(" half")

    return script


def test_drain_lets_a_request_in_flight_finish(start_proxy, raw_origin):
    release = []
    proxy = start_proxy()
    origin = raw_origin(slow_answer(release))
    with proxy.open() as wire:
        wire.send(f"GET http://raw.test:{origin.port}/ HTTP/1.1\r\nHost: raw.test\r\n\r\n")
        wire.read_until(b"first")
        proxy.program.send(signal.SIGTERM)
        until(lambda: not answers(proxy.host, proxy.port), "no new connections are taken")
        assert proxy.program.running
        release.append(True)
        assert wire.read_exactly(5) == b" half" and wire.is_closed()
    assert proxy.program.wait() == 0
    assert proxy.log()[-1]["status"] == "200"


def test_drain_timeout_ends_what_does_not_finish(start_proxy, raw_origin):
    proxy = start_proxy("--drain-timeout", "1s")
    origin = raw_origin(lambda origin, wire, number: wire.read_rest())
    with proxy.tunnel(f"raw.test:{origin.port}") as wire, Stopwatch() as watch:
        proxy.program.send(signal.SIGTERM)
        assert wire.read_rest() == b""
        assert proxy.program.wait() == 0
    assert 0.8 < watch.seconds < 3
    assert proxy.log()[-1]["method"] == "CONNECT"  # the tunnel that was cut has its line


def test_second_signal_ends_at_once(start_proxy, raw_origin):
    proxy = start_proxy()
    origin = raw_origin(lambda origin, wire, number: wire.read_rest())
    with proxy.tunnel(f"raw.test:{origin.port}"):
        proxy.program.send(signal.SIGTERM)
        until(lambda: not answers(proxy.host, proxy.port), "the proxy drains")
        assert proxy.program.running
        with Stopwatch() as watch:
            proxy.program.send(signal.SIGTERM)
            proxy.program.wait()
    assert watch.seconds < 1


# Descriptors


def processor_seconds(proxy):
    with open(f"/proc/{proxy.pid}/stat") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def test_out_of_descriptors(start_proxy, raw_origin, origins):
    def echo(origin, wire, number):
        while wire._fill():
            wire.send(wire.buffer)
            wire.buffer = b""

    proxy = start_proxy("--workers", "1", descriptors=64)
    origin = raw_origin(echo)
    crowd = []
    with proxy.tunnel(f"raw.test:{origin.port}") as tunnel:
        tunnel.send("before")
        assert tunnel.read_exactly(6) == b"before"
        crowd = [connect((proxy.host, proxy.port)) for _ in range(100)]
        until(lambda: proxy.descriptors() >= 60, "descriptors run out")
        before = processor_seconds(proxy)
        tunnel.send("during")
        assert tunnel.read_exactly(6) == b"during"
        assert tunnel.is_silent(1.0)
        assert processor_seconds(proxy) - before < 0.5  # it waits, it does not spin
        for wire in crowd:
            wire.close()
        assert proxy.get(f"http://one.test:{origins.http_port}/").status == 200
        tunnel.send("after")
        assert tunnel.read_exactly(5) == b"after"


def test_clients_that_come_and_go_leave_nothing(start_proxy, origins):
    proxy = start_proxy()
    proxy.get(f"http://one.test:{origins.http_port}/")
    before = proxy.descriptors()
    for _ in range(100):
        with proxy.open() as wire:
            wire.send("GET http://one.test/")  # leaves in the middle of its head
    for _ in range(20):
        assert proxy.get("http://missing.test/").status == 502
    until(lambda: proxy.descriptors() <= before + 1, "descriptors are back to what they were")
