"""LocalDNS: a real unbound that knows some names of the tests and says of all others that they do not exist or are refused."""

import shutil

from .ports import answers, free_port
from .process import Program

_SETTINGS = """
server:
  directory: "{folder}"
  chroot: ""
  username: ""
  pidfile: "{folder}/unbound.pid"
  use-syslog: no
  logfile: "{folder}/unbound.log"
  log-queries: yes
  verbosity: 0
  num-threads: 1
  interface: 127.0.0.1
  port: {port}
  access-control: 127.0.0.0/8 allow
  do-ip6: no
  do-daemonize: no
  module-config: "iterator"
{data}
  local-zone: "." refuse
remote-control:
  control-enable: no
"""


class LocalDNS:
    """`names` maps a name, or `*.suffix`, to its IPv4 address; a name in one of `zones` that is not mapped does not exist."""

    def __init__(self, folder, names, zones=("test.", "internal.", "example.")):
        self.folder = folder
        self.port = free_port()
        self.address = f"127.0.0.1:{self.port}"
        lines = [f'  local-zone: "{zone}" static' for zone in zones]
        lines += [f'  local-zone: "{name[2:]}." redirect' for name in names if name.startswith("*.")]
        lines += [f'  local-data: "{name.removeprefix("*.")}. 300 IN A {address}"' for name, address in names.items()]
        settings = folder / "unbound.conf"
        settings.write_text(_SETTINGS.format(folder=folder, port=self.port, data="\n".join(lines)))
        unbound = shutil.which("unbound") or "/usr/sbin/unbound"
        self._program = Program("unbound", [unbound, "-d", "-c", settings], folder)
        self._program.wait_until(lambda: answers("127.0.0.1", self.port), "unbound accepts")

    def queries(self, name):
        """How many queries for `name` (any type) have come."""
        log = (self.folder / "unbound.log").read_text("utf-8", "replace")
        return sum(f" {name.lower()}. " in line.lower() for line in log.splitlines() if "info:" in line)

    def stop(self):
        self._program.stop()
