"""Two hundred connections that are slow in one of eight ways, beside an honest visitor."""

from __future__ import annotations

import socket
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from urllib.request import urlopen

SLOW = 200
PATIENCE = 60
"""Seconds until an honest request has waited for ever."""
HEAD = b"Host: localhost\r\n"


def connect(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)


def sends(said: bytes) -> Callable[[socket.socket], None]:
    return lambda client: client.sendall(said)


def answered(client: socket.socket) -> None:
    """A whole request and its answer; then nothing more, though the connection stays open."""
    client.sendall(b"GET /login/ HTTP/1.1\r\n" + HEAD + b"\r\n")
    assert client.recv(12) == b"HTTP/1.1 200"


SLOWNESS: dict[str, Callable[[socket.socket], None]] = {
    "says nothing": sends(b""),
    "half a request line": sends(b"GET /logi"),
    "headers without end": sends(b"GET /login/ HTTP/1.1\r\n" + HEAD + b"X-More: " + b"x" * 9_000),
    "half a body": sends(
        b"POST /login/ HTTP/1.1\r\n" + HEAD + b"Content-Length: 1000\r\n\r\nusername=ad"
    ),
    "half an upload": sends(
        b"POST /api/v1/bots/ HTTP/1.1\r\n" + HEAD + b"Content-Length: 300000\r\n\r\n" + b"x" * 9_000
    ),
    "chunks without end": sends(
        b"POST /login/ HTTP/1.1\r\n" + HEAD + b"Transfer-Encoding: chunked\r\n\r\n5\r\nusern"
    ),
    "reads no answer": sends(b"GET /games/canasta/rules/ HTTP/1.1\r\n" + HEAD + b"\r\n"),
    "kept alive": answered,
}


def hold_up(port: int, slowness: Sequence[str]) -> None:
    """An honest visitor is answered beside 200 slow connections."""
    with ExitStack() as clients:
        for number in range(SLOW):
            client = clients.enter_context(closing(connect(port)))
            SLOWNESS[slowness[number % len(slowness)]](client)
        for _ in range(10):
            with urlopen(f"http://127.0.0.1:{port}/login/", timeout=PATIENCE) as answer:
                assert answer.status == 200
                answer.read()
