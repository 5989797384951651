"""Loopback ports for servers, taken below the range from which the kernel serves outgoing connections."""

import itertools
import os
import socket

_FIRST, _LAST = 20000, 31999
_candidates = itertools.cycle(range(_FIRST, _LAST))
for _ in range(os.getpid() * 37 % (_LAST - _FIRST)):
    next(_candidates)


def _is_free(port, address):
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
        with socket.socket(family, kind) as probe:
            if kind == socket.SOCK_STREAM:
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((address, port))
            except OSError:
                return False
    return True


def free_port(*addresses):
    """A port that is free for TCP and UDP on each of the addresses (127.0.0.1 when none is named)."""
    for port in itertools.islice(_candidates, _LAST - _FIRST):
        if all(_is_free(port, address) for address in addresses or ("127.0.0.1",)):
            return port
    raise AssertionError("no free port")


def answers(address, port):
    """Whether something accepts TCP connections there."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with socket.socket(family) as probe:
        probe.settimeout(1)
        return probe.connect_ex((address, port)) == 0
