"""The web server: waitress, with the limits of this site.

Its main thread receives requests and sends responses for all connections. A thread of the site
works only on complete requests, so connections that are slow in either direction delay nobody else.
"""

from __future__ import annotations

import logging
import signal
import socket
import stat
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from waitress import create_server, wasyncore
from waitress.channel import ClientDisconnected, HTTPChannel
from waitress.parser import HTTPRequestParser, ParsingError

from bots.limits import MAX_UPLOAD, MIB
from cardroom_base.core.file_limit import raise_file_limit
from cardroom_base.core.request_limits import KIB, MAX_HEAD, WEB_THREADS

log = logging.getLogger(__name__)

MAX_CONNECTIONS: Final = 2_000
"""Limit of simultaneous connections; further ones wait until one of them ends."""
IDLE_SECONDS: Final = 60
"""Seconds without a complete request or any output after which a connection is closed."""
GRACE_SECONDS: Final = 3.0
"""Seconds that a stopping server spends on the responses that it has begun."""
MAX_IN_MEMORY: Final = 256 * KIB
"""Bytes of a request or a response in memory; longer ones are buffered on disk."""
MAX_UNSENT: Final = 16 * MIB
"""Unsent bytes of a response above which the thread that produces it waits."""
_waiting_threads: Final = threading.BoundedSemaphore(WEB_THREADS // 2)
"""The threads that may wait at the same time until a slow client has received data."""
_OTHER_FILES: Final = 64
"""Open files other than connections: databases, static files, logs."""
_FILES_PER_CONNECTION: Final = 3
"""Open files of a connection: its socket, and a buffer on disk in each direction."""


class _Request(HTTPRequestParser):  # type: ignore[misc]  # waitress brings no types
    """A request while it arrives."""

    content_length: int

    def parse_header(self, header_plus: bytes) -> None:
        """Skip the body of a request that is too long, which the site then refuses."""
        try:
            super().parse_header(header_plus)
        except ValueError as error:  # a Content-Length of thousands of digits
            raise ParsingError(str(error)) from error
        if self.content_length > MAX_UPLOAD:
            self.content_length, self.body_rcv = 0, None
            self.headers["CONNECTION"] = "close"


class _BoundedChannel(HTTPChannel):  # type: ignore[misc]  # as above
    """A connection on which each request must arrive within `IDLE_SECONDS`, however it trickles
    in."""

    parser_class = _Request
    last_activity: float

    def handle_read(self) -> None:
        """Count only the beginning and the end of a request as activity."""
        last_activity = None if self.request is None else self.last_activity
        super().handle_read()
        if last_activity is not None and self.request is not None:
            self.last_activity = last_activity

    def write_soon(self, data: Any) -> Any:
        """Block this thread if too much of a response is already buffered; abort the response if
        too many threads wait."""
        if self.total_outbufs_len <= self.adj.outbuf_high_watermark:
            return super().write_soon(data)
        if not _waiting_threads.acquire(blocking=False):
            raise ClientDisconnected
        try:
            return super().write_soon(data)
        finally:
            _waiting_threads.release()


def listen(host: str, port: int, path: Path | None = None) -> socket.socket:
    """A socket that listens at an address, or at a path for a proxy on this machine; OSError if
    that is not available."""
    if path is None:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        return socket.create_server((host, port), family=family)
    with suppress(FileNotFoundError):
        if stat.S_ISSOCK(path.stat().st_mode):  # left by a killed server
            path.unlink()
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(path))
    path.chmod(0o666)  # the folder's permissions control access
    return listener


def serve(application: Any, listener: socket.socket) -> None:
    """Answer requests until SIGTERM or SIGINT; then finish the requests in progress."""
    server = create_server(
        application,
        sockets=[listener],
        threads=WEB_THREADS,
        connection_limit=_connection_limit(),
        channel_timeout=IDLE_SECONDS,
        cleanup_interval=IDLE_SECONDS // 6,
        max_request_header_size=MAX_HEAD,
        max_request_body_size=MAX_UPLOAD + 1,
        inbuf_overflow=MAX_IN_MEMORY,
        outbuf_overflow=MAX_IN_MEMORY,
        outbuf_high_watermark=MAX_UNSENT,
        asyncore_use_poll=True,  # select() supports no file number above 1,023
        clear_untrusted_proxy_headers=False,  # cardroom.addresses decides
        ident=None,
    )
    server.channel_class = _BoundedChannel
    stopping = threading.Event()

    def stop(*_: object) -> None:
        stopping.set()
        server.pull_trigger()  # otherwise it would wait for the next request

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, stop)
    log.info("Serving at %s.", listener.getsockname())
    while not stopping.is_set():
        _serve_once(server, 1.0)
    _finish(server)


def _serve_once(server: Any, seconds: float) -> None:
    """Receive and send data; if there is none, wait up to this many seconds."""
    wasyncore.loop(timeout=seconds, use_poll=True, map=server._map, count=1)  # noqa: SLF001 - waitress has no public way to end


def _finish(server: Any) -> None:
    """Accept no more connections, and finish the requests that have arrived."""
    wasyncore.dispatcher.close(server)
    deadline = time.monotonic() + GRACE_SECONDS
    while time.monotonic() < deadline and any(
        channel.requests or channel.total_outbufs_len
        for channel in list(server.active_channels.values())
    ):
        _serve_once(server, 0.1)
    server.task_dispatcher.shutdown(timeout=0.1)


def _connection_limit() -> int:
    """The number of connections that this process can open, after raising its limit of files."""
    files = raise_file_limit(MAX_CONNECTIONS * _FILES_PER_CONNECTION + _OTHER_FILES)
    return max(1, min(MAX_CONNECTIONS, (files - _OTHER_FILES) // _FILES_PER_CONNECTION))
