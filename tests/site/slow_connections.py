"""Two hundred connections, each slow in one of eight ways, beside an honest visitor."""

from __future__ import annotations

import socket
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from urllib.request import urlopen

SLOW_CONNECTIONS = 200
PATIENCE = 60
"""The time limit of an honest request in seconds."""
HEAD = b"Host: localhost\r\n"


def connect(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)


def sender(data: bytes) -> Callable[[socket.socket], None]:
    return lambda client: client.sendall(data)


def send_and_read_status(client: socket.socket) -> None:
    """Send a whole request and read its status; then leave the connection open."""
    client.sendall(b"GET /login/ HTTP/1.1\r\n" + HEAD + b"\r\n")
    assert client.recv(12) == b"HTTP/1.1 200"


SLOWNESS: dict[str, Callable[[socket.socket], None]] = {
    "silent": sender(b""),
    "half a request line": sender(b"GET /logi"),
    "headers without end": sender(b"GET /login/ HTTP/1.1\r\n" + HEAD + b"X-More: " + b"x" * 9_000),
    "half a body": sender(
        b"POST /login/ HTTP/1.1\r\n" + HEAD + b"Content-Length: 1000\r\n\r\nusername=ad"
    ),
    "half an upload": sender(
        b"POST /api/v1/bots/ HTTP/1.1\r\n" + HEAD + b"Content-Length: 300000\r\n\r\n" + b"x" * 9_000
    ),
    "chunks without end": sender(
        b"POST /login/ HTTP/1.1\r\n" + HEAD + b"Transfer-Encoding: chunked\r\n\r\n5\r\nusern"
    ),
    "reads no answer": sender(b"GET /games/canasta/rules/ HTTP/1.1\r\n" + HEAD + b"\r\n"),
    "kept alive": send_and_read_status,
}


def assert_visitor_is_answered(port: int, slowness: Sequence[str]) -> None:
    """Hold 200 slow connections open, and check that an honest visitor is answered."""
    with ExitStack() as clients:
        for number in range(SLOW_CONNECTIONS):
            client = clients.enter_context(closing(connect(port)))
            SLOWNESS[slowness[number % len(slowness)]](client)
        for _ in range(10):
            with urlopen(f"http://127.0.0.1:{port}/login/", timeout=PATIENCE) as response:
                assert response.status == 200
                response.read()
