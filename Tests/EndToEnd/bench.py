#!/usr/bin/python3
"""Processor time per 1000 plain requests on kept connections, this proxy beside haproxy in the same run.

    bench.py [SECONDS] [ROUNDS]

Loopback only. The proxies take turns, so that what else the machine does falls on both; the lower figure of the rounds counts.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from support.certificates import Authority
from support.local_dns import LocalDNS
from support.origins import RIGHT, Origins
from support.ports import answers, free_port
from support.process import Program
from support.proxy import Proxy

NAME = "one.test"

_HAPROXY = """
global
  maxconn 4000
defaults
  mode http
  timeout connect 5s
  timeout client 60s
  timeout server 60s
resolvers local
  nameserver one {dns}
  hold valid 300s
frontend proxy
  bind 127.0.0.1:{port}
  http-request set-var(txn.port) req.hdr(host),field(2,:)
  http-request do-resolve(txn.address,local,ipv4) req.hdr(host),field(1,:),lower
  http-request set-dst var(txn.address)
  http-request set-dst-port var(txn.port)
  http-request set-uri %[pathq]
  default_backend any
backend any
  http-reuse always
  server any 0.0.0.0:0
"""


def processor_ticks(pid):
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])


def load(port, url, folder, seconds):
    """Requests done by wrk through the proxy at `port`."""
    script = folder / "absolute.lua"
    script.write_text(f'wrk.path = "{url}"\nwrk.headers["Host"] = "{url.split("/")[2]}"\n')
    command = ["wrk", "-t1", "-c32", f"-d{seconds}s", "-s", script, f"http://127.0.0.1:{port}/"]
    report = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=True).stdout
    assert "Non-2xx" not in report and "Socket errors" not in report, report
    return int(re.search(r"(\d+) requests in", report).group(1))


def measure(pid, port, url, folder, seconds):
    load(port, url, folder, 1)
    before = processor_ticks(pid)
    requests = load(port, url, folder, seconds)
    used = (processor_ticks(pid) - before) / os.sysconf("SC_CLK_TCK")
    return used * 1000 / (requests / 1000), requests / seconds


def start_haproxy(folder, dns):
    port = free_port()
    settings = folder / "haproxy.cfg"
    settings.write_text(_HAPROXY.format(port=port, dns=dns))
    program = Program("haproxy", [shutil.which("haproxy") or "/usr/sbin/haproxy", "-db", "-f", settings], folder)
    program.wait_until(lambda: answers("127.0.0.1", port), "haproxy accepts")
    return program, port


def main(seconds=4, rounds=3):
    folder = Path(tempfile.mkdtemp(prefix="httpdns-proxy-bench-"))
    running = []
    try:
        origins = Origins(folder, Authority(folder, "one"), Authority(folder, "two"))
        local_dns = LocalDNS(folder, {NAME: RIGHT})
        flags = ["--provider", "none", "--local-dns", local_dns.address, "--allow-destination", "127.0.0.0/8", "--access-log", "off"]
        ours = Proxy(folder, flags)
        running += [origins, local_dns, ours]
        contenders = {"httpdns-proxy": (ours.pid, ours.port)}
        if shutil.which("haproxy") or Path("/usr/sbin/haproxy").exists():
            program, port = start_haproxy(folder, local_dns.address)
            running.append(program)
            contenders["haproxy"] = (program.pid, port)
        url = f"http://{NAME}:{origins.http_port}/"
        results = {name: [] for name in contenders}
        for _ in range(rounds):
            for name, (pid, port) in contenders.items():
                results[name].append(measure(pid, port, url, folder, seconds))
        print(f"{'':16}{'CPU ms per 1000 requests':>26}{'requests per second':>22}")
        for name, rows in results.items():
            print(f"{name:16}{min(row[0] for row in rows):26.1f}{max(row[1] for row in rows):22.0f}")
    finally:
        for each in reversed(running):
            each.stop()
        shutil.rmtree(folder)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
