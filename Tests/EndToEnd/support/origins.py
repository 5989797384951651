"""The real origin: one nginx with many virtual hosts on several loopback addresses, plain and over TLS.

Every answer tells which virtual host served it, at which address, and what arrived: Host, SNI, scheme, method, target.
    RIGHT    where HTTPDNS sends the names of the tests
    HIJACKER where LocalDNS sends names that somebody took over: same names, another server
    INSIDE   where names live that only LocalDNS knows
"""

import os
import shutil

from . import certificates
from .ports import answers, free_port
from .process import Program

RIGHT, HIJACKER, INSIDE = "127.0.0.2", "127.0.0.3", "127.0.0.4"
GIBIBYTE = 1 << 30

_ANSWER = (
    '{{"vhost":"{name}","address":"$server_addr","host":"$http_host","sni":"$ssl_server_name","scheme":"$scheme",'
    '"method":"$request_method","target":"$request_uri","via":"$http_via","protocol":"$server_protocol"}}\\n'
)

_SERVER = """
  server {{
    listen {address}:{port}{flags};
    server_name {name};
    {certificate}
    root {folder}/www;
    location / {{ default_type application/json; return 200 '{answer}'; }}
    location = /big {{ default_type application/octet-stream; try_files /big =404; }}
    location = /none {{ return 204; }}
  }}"""

_MAIN = """
{user}
daemon off;
worker_processes 1;
pid {folder}/nginx.pid;
error_log {folder}/nginx.log warn;
events {{ worker_connections 4096; }}
http {{
  access_log {folder}/access.log;
  client_body_temp_path {folder}/t1; proxy_temp_path {folder}/t2; fastcgi_temp_path {folder}/t3;
  uwsgi_temp_path {folder}/t4; scgi_temp_path {folder}/t5;
  sendfile on; client_max_body_size 0; keepalive_timeout 60s; keepalive_requests 100000;
{servers}
}}
"""


class Origins:
    """nginx with its virtual hosts; `http_port` and `https_port` are the same at every address."""

    def __init__(self, folder, authority, unknown_authority):
        self.folder = folder
        self.http_port = free_port(RIGHT, HIJACKER, INSIDE, "::1")
        self.https_port = free_port(RIGHT, HIJACKER, INSIDE)
        (folder / "www").mkdir()
        with open(folder / "www" / "big", "wb") as big:
            big.truncate(GIBIBYTE)
        self._servers = []
        for address, name in ((RIGHT, "right"), (HIJACKER, "hijacker"), (INSIDE, "inside"), ("[::1]", "six")):
            self._add(address, name, default=True)
        for name in ("one.test", "two.test", "three.test", "moved.test"):
            self._add(RIGHT, name)
            self._add(RIGHT, name, authority.issue(name, name))
        for name in ("app.corp.test", "app.internal"):
            self._add(INSIDE, name)
            self._add(INSIDE, name, authority.issue(name, name))
        self._add(HIJACKER, "moved.test", unknown_authority.issue("hijacked", "moved.test"), label="hijacker")
        self._add(RIGHT, "wrong.test", authority.issue("wrong", "elsewhere.test"))
        self._add(RIGHT, "expired.test", authority.issue("expired", "expired.test", expired=True))
        self._add(RIGHT, "selfsigned.test", certificates.self_signed(folder, "selfsigned.test"))
        self._add(RIGHT, "unknown.test", unknown_authority.issue("unknown", "unknown.test"))
        self._add(RIGHT, "no-name-sent", authority.issue("default", "default.invalid"), default=True)
        self._program = self._start()

    def _add(self, address, name, pair=None, default=False, label=None):
        certificate = f"ssl_certificate {pair.certificate}; ssl_certificate_key {pair.key};" if pair else ""
        self._servers.append(
            _SERVER.format(
                address=address,
                port=self.https_port if pair else self.http_port,
                flags=(" ssl" if pair else "") + (" default_server" if default else ""),
                name=name,
                certificate=certificate,
                folder=self.folder,
                answer=_ANSWER.format(name=label or name),
            )
        )

    def _start(self):
        settings = self.folder / "nginx.conf"
        user = "user root;" if os.geteuid() == 0 else ""
        settings.write_text(_MAIN.format(user=user, folder=self.folder, servers="".join(self._servers)))
        nginx = shutil.which("nginx") or "/usr/sbin/nginx"
        program = Program("nginx", [nginx, "-e", self.folder / "start.log", "-c", settings, "-p", self.folder], self.folder)
        program.wait_until(lambda: answers(RIGHT, self.https_port) and answers("::1", self.http_port), "nginx accepts")
        return program

    def stop(self):
        self._program.stop()
