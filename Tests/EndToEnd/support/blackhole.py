"""An address that takes no connection and refuses none: the kernel drops the SYN of whoever dials it."""

import errno
import socket


class BlackHole:
    """A listener without room for another connection in its queue; nobody accepts."""

    def __init__(self, address, port=0):
        self._listener = socket.socket()
        self._listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._listener.bind((address, port))
        self._listener.listen(0)
        self.address, self.port = self._listener.getsockname()
        self._fillers = [self._dial() for _ in range(4)]

    def _dial(self):
        filler = socket.socket()
        filler.setblocking(False)
        assert filler.connect_ex((self.address, self.port)) in (0, errno.EINPROGRESS)
        return filler

    def stop(self):
        for filler in self._fillers:
            filler.close()
        self._listener.close()
