"""An origin whose every byte the test decides: a listener and one function that plays each accepted connection."""

import socket
import threading

from .wire import Closed, Wire, read_request


class RawOrigin:
    """`script(wire, number)` runs in a thread of its own for each connection (numbered from 1) and owns it to its end.
    What it read with `self.request(wire)` is in `requests`. An error in a script fails the test when the origin stops."""

    def __init__(self, script, address="127.0.0.2", port=0, seconds=15.0):
        self._script, self._seconds = script, seconds
        self.requests, self.connections = [], 0
        self._errors, self._wires = [], []
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        self._listener = socket.socket(family)
        self._listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._listener.bind((address, port))
        self._listener.listen(128)
        self.address, self.port = self._listener.getsockname()[:2]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.connections += 1
            wire = Wire(connection, self._seconds)
            self._wires.append(wire)
            threading.Thread(target=self._play, args=(wire, self.connections), daemon=True).start()

    def _play(self, wire, number):
        try:
            self._script(wire, number)
        except (Closed, OSError):
            pass  # the proxy left; what that means is for the test to judge
        except BaseException as error:
            self._errors.append(error)
        finally:
            wire.close()

    def request(self, wire, body=True):
        request = read_request(wire, body)
        self.requests.append(request)
        return request

    def stop(self):
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for wire in self._wires:
            try:
                wire.socket.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
        if self._errors:
            raise self._errors[0]


def answering(response):
    """A script that answers every request of a connection with the same bytes."""
    data = response.encode("latin-1") if isinstance(response, str) else response

    def script(origin, wire, _number):
        while True:
            origin.request(wire)
            wire.send(data)

    return script
