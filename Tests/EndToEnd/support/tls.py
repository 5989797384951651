"""TLS as a client of the tests speaks it."""

import ssl

from .wire import Wire


def wrap(wire, name, authority):
    """Speaks TLS on an open wire, checking the certificate for `name` against one authority."""
    context = ssl.create_default_context(cafile=authority)
    wire.socket.settimeout(wire.seconds)
    return Wire(context.wrap_socket(wire.socket, server_hostname=name), wire.seconds)
