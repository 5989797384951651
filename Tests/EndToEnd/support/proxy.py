"""Starting the built proxy, and what it says."""

import os
import resource
from pathlib import Path

from . import logfmt
from .ports import free_port
from .process import Program
from .waiting import until
from .wire import Wire, connect, read_response

REPOSITORY = Path(__file__).resolve().parents[3]
BINARY = Path(os.environ.get("HTTPDNS_PROXY_BINARY") or REPOSITORY / ".build/release/httpdns-proxy")


def clean_environment(**more):
    """This process's environment without any setting of the proxy and without proxies for clients."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith("HTTPDNS_PROXY_") and "proxy" not in key.lower()}
    return kept | more


class Proxy:
    """A running proxy on a loopback port, ended by `stop`."""

    def __init__(self, folder, flags, environment=None, port=None, descriptors=None):
        self.port = port or free_port()
        self.host = "127.0.0.1"
        self.url = f"http://{self.host}:{self.port}"
        command = [BINARY, "run", "--listen", f"{self.host}:{self.port}", *flags]
        limit = (lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (descriptors, descriptors))) if descriptors else None
        self.program = Program(f"proxy-{self.port}", command, folder, clean_environment(**(environment or {})), limit)
        self.program.wait_until(lambda: "listening on" in self.program.errors(), "the proxy says that it listens")

    @property
    def pid(self):
        return self.program.pid

    def stop(self):
        return self.program.stop()

    # Speaking to it

    def open(self, **options) -> Wire:
        return connect((self.host, self.port), **options)

    def exchange(self, request, method=None, **options):
        """Sends one raw request on a connection of its own and reads the response."""
        with self.open(**options) as wire:
            wire.send(request)
            return read_response(wire, method or request.split(" ", 1)[0])

    def get(self, url, *fields, method="GET", body="", **options):
        """A request in absolute form, Host as the URL has it."""
        authority = url.split("/")[2]
        lines = [f"{method} {url} HTTP/1.1", f"Host: {authority}", "Connection: close", *fields, "", ""]
        return self.exchange("\r\n".join(lines) + body, method, **options)

    def tunnel(self, authority, **options):
        """A wire through an open CONNECT tunnel."""
        wire = self.open(**options)
        wire.send(f"CONNECT {authority} HTTP/1.1\r\nHost: {authority}\r\n\r\n")
        response = read_response(wire, "CONNECT")
        assert response.status == 200, response
        return wire

    # What it tells

    def log(self):
        """The access log so far, one dictionary per line."""
        return [logfmt.parse(line) for line in self.program.output().splitlines()]

    def entry(self, **wanted):
        """The first access-log entry that has the given fields, waited for."""

        def find():
            return next((entry for entry in self.log() if wanted.items() <= entry.items()), None)

        return until(find, f"an access-log entry with {wanted}; have {self.program.output()}")

    def memory(self):
        """Resident memory in KiB."""
        status = Path(f"/proc/{self.pid}/status").read_text()
        return int(status.partition("VmRSS:")[2].split()[0])

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.pid}/fd"))
