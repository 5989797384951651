"""Real HTTP clients, each told about the proxy only by HTTP_PROXY and HTTPS_PROXY."""

import subprocess
import sys

from .proxy import clean_environment

_URLLIB = "import sys, urllib.request; sys.stdout.buffer.write(urllib.request.urlopen(sys.argv[1], timeout=20).read())"
_REQUESTS = "import sys, requests; sys.stdout.buffer.write(requests.get(sys.argv[1], timeout=20).content)"

# The system's Python has requests from its package; `-I` is not used since it would drop SSL_CERT_FILE.
_COMMANDS = {
    "curl": lambda url, ca: ["curl", "-sS", "--fail", "--max-time", "20", url],
    "wget": lambda url, ca: ["wget", "-q", "--tries=1", "--timeout=20", f"--ca-certificate={ca}", "-O", "-", url],
    "urllib": lambda url, ca: [sys.executable, "-c", _URLLIB, url],
    "requests": lambda url, ca: [sys.executable, "-c", _REQUESTS, url],
    "aria2": lambda url, ca: [
        "aria2c", "-q", "--no-conf", f"--ca-certificate={ca}", "--max-tries=1", "--timeout=20", "--allow-overwrite=true", "-o", "out", url,
    ],
    "w3m": lambda url, ca: ["w3m", "-o", f"ssl_ca_file={ca}", "-o", "ssl_verify_server=1", "-dump_source", url],
}  # fmt: skip

NAMES = tuple(_COMMANDS)


def fetch(client, url, proxy_url, authority, folder):
    """The body that `client` got for `url`; fails with the client's words when it got none."""
    names = ("http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY")
    trust = {"CURL_CA_BUNDLE": authority, "SSL_CERT_FILE": authority, "REQUESTS_CA_BUNDLE": authority}
    environment = clean_environment(HOME=str(folder), **dict.fromkeys(names, proxy_url), **{key: str(path) for key, path in trust.items()})
    command = _COMMANDS[client](url, authority)
    done = subprocess.run(command, capture_output=True, env=environment, cwd=folder, timeout=30, stdin=subprocess.DEVNULL)
    if client == "aria2" and done.returncode == 0:
        return (folder / "out").read_bytes()
    assert done.returncode == 0, f"{client}: exit {done.returncode}: {done.stderr.decode(errors='replace')}"
    return done.stdout
