"""The commands besides `run`."""

import json
import subprocess

import pytest

from conftest import SECRET, provider_flags
from support.origins import INSIDE, RIGHT
from support.proxy import clean_environment
from support.public_dns import Entry


@pytest.fixture
def command(binary, local_dns, public_dns):
    """Runs the program with the HTTPDNS service and LocalDNS of the tests."""

    def run(*arguments, plain=False):
        flags = [] if plain else [*provider_flags(public_dns), "--local-dns", local_dns.address]
        call = [str(binary), *arguments, *flags]
        return subprocess.run(call, capture_output=True, text=True, timeout=30, env=clean_environment(**SECRET), stdin=subprocess.DEVNULL)

    return run


def test_resolve_as_json(command, public_dns):
    public_dns.zone["two-of.test"] = Entry(a=["192.0.2.1", "192.0.2.2"], ttl=77)
    done = command("resolve", "two-of.test", "app.internal", "--json")
    assert done.returncode == 0, done
    first, second = json.loads(done.stdout)
    assert first["name"] == "two-of.test" and sorted(first["addresses"]) == ["192.0.2.1", "192.0.2.2"]
    assert first["source"] == "httpdns" and 70 <= first["ttl"] <= 77 and first["time_ms"] > 0 and first["error"] is None
    assert (second["name"], second["addresses"], second["source"]) == ("app.internal", [INSIDE], "local")


def test_resolve_as_a_table(command):
    done = command("resolve", "one.test")
    assert done.returncode == 0
    row = next(line for line in done.stdout.splitlines() if RIGHT in line)
    assert row.split()[:2] == ["one.test", RIGHT] and "httpdns" in row


def test_resolve_a_name_that_does_not_exist(command):
    done = command("resolve", "one.test", "missing.test", "--json")
    assert done.returncode == 1
    found, missing = json.loads(done.stdout)
    assert found["error"] is None and missing["error"] and missing["addresses"] == []


def test_resolve_falls_back(command, public_dns):
    public_dns.stop()
    done = command("resolve", "x.both.test", "--json")
    assert [(row["addresses"], row["source"]) for row in json.loads(done.stdout)] == [([INSIDE], "local")]


def test_resolve_without_a_name(command):
    done = command("resolve", plain=True)
    assert done.returncode == 2 and done.stderr.startswith("httpdns-proxy: ")


def test_version_and_help(command):
    version = command("--version", plain=True)
    assert version.returncode == 0 and version.stdout.startswith("httpdns-proxy ")
    text = command("--help", plain=True)
    assert text.returncode == 0 and text.stderr == ""
    for word in ("--listen", "--provider-url", "--connect-timeout", "HTTPDNS_PROXY_", "resolve", "check", "127.0.0.1:3128"):
        assert word in text.stdout
    assert "--json" in command("resolve", "--help", plain=True).stdout


def test_check(command):
    good = command("check")
    assert good.returncode == 0 and "valid" in good.stdout
    bad = command("check", "--workers", "0")
    assert bad.returncode == 2 and "--workers" in bad.stderr


def test_unknown_command(command):
    done = command("rnu", plain=True)
    assert done.returncode == 2 and "rnu" in done.stderr
