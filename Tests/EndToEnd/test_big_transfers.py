"""1 GiB each way, with a reader that stops now and then: everything arrives and memory stays where it was."""

import fcntl
import os
import select
import struct
import termios
import threading

import pytest

from support import tls
from support.origins import GIBIBYTE
from support.waiting import until
from support.wire import read_response

MAY_GROW = 4 * 1024  # KiB for each stream
BURST = 48 << 20
_BLOCK = os.urandom(1 << 20)
_TWICE = memoryview(_BLOCK * 2)


class MemoryWatch:
    """The highest resident memory of the proxy while a block runs, above what it had at the start."""

    def __init__(self, proxy):
        self._proxy, self._done = proxy, threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def _watch(self):
        while not self._done.wait(0.02):
            self._highest = max(self._highest, self._proxy.memory())

    def __enter__(self):
        self._start = self._highest = self._proxy.memory()
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._done.set()
        self._thread.join()
        self.growth = self._highest - self._start


def stalled(sock):
    """Whether bytes lie in the socket and no more come in: all buffers on the way are full."""

    def waiting():
        return struct.unpack("i", fcntl.ioctl(sock, termios.FIONREAD, b"\0\0\0\0"))[0]

    have = waiting()
    return have > 0 and not select.select([], [], [], 0.1)[0] and waiting() == have


def read_in_bursts(wire, total, check=None):
    """Reads `total` bytes: two pauses of full buffers, then at full speed."""
    buffer, done, pauses = memoryview(bytearray(1 << 20)), len(wire.buffer), [0, BURST]
    if check:
        check(0, memoryview(wire.buffer))
    wire.buffer = type(wire.buffer)()
    wire.socket.settimeout(wire.seconds)
    while done < total:
        if pauses and done >= pauses[0]:
            pauses.pop(0)
            until(lambda: stalled(wire.socket), "everything on the way is full")
        count = wire.socket.recv_into(buffer)
        assert count, f"ended after {done} of {total}"
        if check:
            check(done, buffer[:count])
        done += count
    assert done == total


def check_pattern(offset, data):
    start = offset % len(_BLOCK)
    assert data == _TWICE[start : start + len(data)]


def send_pattern(wire, total):
    wire.socket.settimeout(wire.seconds)
    for _ in range(total // len(_BLOCK)):
        wire.socket.sendall(_BLOCK)


def warm(proxy, origins):
    for _ in range(3):
        proxy.get(f"http://one.test:{origins.http_port}/")


@pytest.mark.parametrize("size", [GIBIBYTE])
def test_get(proxy, origins, size):
    warm(proxy, origins)
    with MemoryWatch(proxy) as memory, proxy.open(seconds=30) as wire:
        wire.send(f"GET http://one.test:{origins.http_port}/big HTTP/1.1\r\nHost: one.test\r\n\r\n")
        assert b"Content-Length: %d\r\n" % size in wire.read_until(b"\r\n\r\n")
        read_in_bursts(wire, size)
    assert memory.growth < MAY_GROW


def test_get_over_tls(proxy, origins):
    size = GIBIBYTE // 4
    proxy.get(f"https://one.test:{origins.https_port}/")
    with MemoryWatch(proxy) as memory, proxy.open(seconds=30) as wire:
        wire.send(f"GET https://one.test:{origins.https_port}/big HTTP/1.1\r\nHost: one.test\r\nRange: bytes=0-{size - 1}\r\n\r\n")
        assert b"Content-Length: %d\r\n" % size in wire.read_until(b"\r\n\r\n")
        read_in_bursts(wire, size)
    assert memory.growth < MAY_GROW


def test_get_chunked(proxy, origins, raw_origin):
    size, chunk = GIBIBYTE // 4, 1 << 20

    def script(origin, wire, number):
        origin.request(wire)
        wire.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        for _ in range(size // chunk):
            wire.send(b"%x\r\n%s\r\n" % (chunk, _BLOCK))
        wire.send("0\r\n\r\n")
        wire.read_rest()

    origin = raw_origin(script, seconds=30)
    warm(proxy, origins)
    with MemoryWatch(proxy) as memory, proxy.open(seconds=30) as wire:
        wire.send(f"GET http://raw.test:{origin.port}/ HTTP/1.0\r\nHost: raw.test\r\n\r\n")  # 1.0: the chunks are undone here
        wire.read_until(b"\r\n\r\n")
        read_in_bursts(wire, size, check_pattern)
        assert wire.read_rest() == b""
    assert memory.growth < MAY_GROW


def sink(size, framed):
    """A script that takes `size` bytes, with pauses, then answers."""

    def script(origin, wire, number):
        if framed:
            wire.read_until(b"\r\n\r\n")
        read_in_bursts(wire, size, check_pattern)
        wire.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ndone")
        wire.read_rest()

    return script


def test_post(proxy, origins, raw_origin):
    origin = raw_origin(sink(GIBIBYTE, framed=True), seconds=30)
    warm(proxy, origins)
    with MemoryWatch(proxy) as memory, proxy.open(seconds=30) as wire:
        wire.send(f"POST http://raw.test:{origin.port}/ HTTP/1.1\r\nHost: raw.test\r\nContent-Length: {GIBIBYTE}\r\n\r\n")
        send_pattern(wire, GIBIBYTE)
        assert read_response(wire, "POST").body == b"done"
    assert memory.growth < MAY_GROW


def test_connect_up(proxy, origins, raw_origin):
    origin = raw_origin(sink(GIBIBYTE, framed=False), seconds=30)
    warm(proxy, origins)
    with MemoryWatch(proxy) as memory, proxy.tunnel(f"raw.test:{origin.port}", seconds=30) as wire:
        send_pattern(wire, GIBIBYTE)
        assert read_response(wire, "POST").body == b"done"
    assert memory.growth < MAY_GROW


def test_connect_down(proxy, origins, raw_origin):
    def script(origin, wire, number):
        send_pattern(wire, GIBIBYTE)
        wire.half_close()
        wire.read_rest()

    origin = raw_origin(script, seconds=30)
    warm(proxy, origins)
    with MemoryWatch(proxy) as memory, proxy.tunnel(f"raw.test:{origin.port}", seconds=30) as wire:
        read_in_bursts(wire, GIBIBYTE, check_pattern)
        assert wire.read_rest() == b""
    assert memory.growth < MAY_GROW


def test_a_stuck_reader_does_not_hold_up_others(proxy, origins):
    with proxy.open() as stuck:
        stuck.send(f"GET http://one.test:{origins.http_port}/big HTTP/1.1\r\nHost: one.test\r\n\r\n")
        until(lambda: stalled(stuck.socket), "the big answer is stuck")
        for _ in range(20):
            assert proxy.get(f"http://one.test:{origins.http_port}/").status == 200


def test_twenty_streams_at_once(proxy, origins, authority):
    size, wires = 8 << 20, []
    warm(proxy, origins)
    with MemoryWatch(proxy) as memory:
        for number in range(20):
            if number % 2:
                wire = proxy.open()
                url = f"http://one.test:{origins.http_port}/big"
            else:
                wire = tls.wrap(proxy.tunnel(f"one.test:{origins.https_port}"), "one.test", authority.certificate)
                url = "/big"
            wire.send(f"GET {url} HTTP/1.1\r\nHost: one.test\r\nRange: bytes=0-{size - 1}\r\n\r\n")
            wires.append(wire)
        for wire in wires:
            assert len(read_response(wire).body) == size
            wire.close()
    assert memory.growth < 20 * MAY_GROW
