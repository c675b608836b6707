"""The web server: waitress, with the limits of this site.

Its main thread collects requests and sends answers for all connections. A thread of the site
is busy only while it answers a complete request, so slow connections delay nobody.
"""

from __future__ import annotations

import logging
import resource
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
from cardroom_base.core.request_limits import KIB, MAX_HEAD, WEB_THREADS

log = logging.getLogger(__name__)

CONNECTIONS: Final = 2_000
"""Connections that are open at the same time; further ones wait until one of them ends."""
QUIET_SECONDS: Final = 60
"""Seconds without a complete request and without output after which a connection is closed."""
GRACE_SECONDS: Final = 3.0
"""Seconds for which a stopping server continues with answers that it has begun."""
IN_MEMORY: Final = 256 * KIB
"""Bytes of a request or an answer that wait in memory; what is longer waits on the disk."""
LYING_READY: Final = 16 * MIB
"""Bytes of an answer that may wait to be sent; the thread that makes more of it waits, too."""
_waiting: Final = threading.BoundedSemaphore(WEB_THREADS // 2)
_OTHER_FILES: Final = 64
"""Open files that are no connections: databases, static files, logs."""
_FILES_EACH: Final = 3
"""Open files of a connection: itself, and what waits on the disk in either direction."""


class _Request(HTTPRequestParser):  # type: ignore[misc]  # waitress brings no types
    """A request as it arrives."""

    content_length: int

    def parse_header(self, header_plus: bytes) -> None:
        """Leave the body of a request that is too long: the site refuses it by its length, in its
        own words, and the connection ends."""
        try:
            super().parse_header(header_plus)
        except ValueError as error:  # a length of thousands of digits
            raise ParsingError(str(error)) from error
        if self.content_length > MAX_UPLOAD:
            self.content_length, self.body_rcv = 0, None
            self.headers["CONNECTION"] = "close"


class _BoundedChannel(HTTPChannel):  # type: ignore[misc]  # as above
    """A connection, on which a request has `QUIET_SECONDS` to arrive, however it trickles in."""

    parser_class = _Request
    last_activity: float

    def handle_read(self) -> None:
        """Count the beginning and the end of a request as activity, not what lies between."""
        began = None if self.request is None else self.last_activity
        super().handle_read()
        if began is not None and self.request is not None:
            self.last_activity = began

    def write_soon(self, data: Any) -> Any:
        """Let a thread wait for its reader where too much of an answer lies ready already; cut the
        answer off where too many wait."""
        if self.total_outbufs_len <= self.adj.outbuf_high_watermark:
            return super().write_soon(data)
        if not _waiting.acquire(blocking=False):
            raise ClientDisconnected
        try:
            return super().write_soon(data)
        finally:
            _waiting.release()


def listen(host: str, port: int, path: Path | None = None) -> socket.socket:
    """A socket that listens at an address, or at a path for a proxy on this machine.

    OSError where that cannot be had.
    """
    if path is None:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        return socket.create_server((host, port), family=family)
    with suppress(FileNotFoundError):
        if stat.S_ISSOCK(path.stat().st_mode):  # of a server that was killed
            path.unlink()
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(path))
    path.chmod(0o666)  # access is limited by its folder
    return listener


def serve(application: Any, listener: socket.socket) -> None:
    """Answer requests until SIGTERM or SIGINT; then finish what has been begun."""
    server = create_server(
        application,
        sockets=[listener],
        threads=WEB_THREADS,
        connection_limit=_connections(),
        channel_timeout=QUIET_SECONDS,
        cleanup_interval=QUIET_SECONDS // 6,
        max_request_header_size=MAX_HEAD,
        max_request_body_size=MAX_UPLOAD + 1,
        inbuf_overflow=IN_MEMORY,
        outbuf_overflow=IN_MEMORY,
        outbuf_high_watermark=LYING_READY,
        asyncore_use_poll=True,  # select() knows no file above 1,023
        clear_untrusted_proxy_headers=False,  # cardroom.addresses knows whom to trust
        ident=None,
    )
    server.channel_class = _BoundedChannel
    stop = threading.Event()

    def end(*_: object) -> None:
        stop.set()
        server.pull_trigger()  # or it would wait for the next request

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, end)
    log.info("Serving at %s.", listener.getsockname())
    while not stop.is_set():
        _turn(server, 1.0)
    _finish(server)


def _turn(server: Any, seconds: float) -> None:
    """Receive and send data; wait up to `seconds` for any."""
    wasyncore.loop(timeout=seconds, use_poll=True, map=server._map, count=1)  # noqa: SLF001 - it has no other way to end


def _finish(server: Any) -> None:
    """Take no more connections and see the answers out that were asked for."""
    wasyncore.dispatcher.close(server)
    until = time.monotonic() + GRACE_SECONDS
    while time.monotonic() < until and any(
        channel.requests or channel.total_outbufs_len
        for channel in list(server.active_channels.values())
    ):
        _turn(server, 0.1)
    server.task_dispatcher.shutdown(timeout=0.1)


def _connections() -> int:
    """How many connections this process can have open; raises its limit of files for them."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = CONNECTIONS * _FILES_EACH + _OTHER_FILES
    files = needed if most == resource.RLIM_INFINITY else min(needed, most)
    resource.setrlimit(resource.RLIMIT_NOFILE, (files, most))
    return max(1, (files - _OTHER_FILES) // _FILES_EACH)
