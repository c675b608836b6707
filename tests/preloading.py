"""The process that `preloaded.py` copies: it imports libraries, then a copy runs each program."""

from __future__ import annotations

import ctypes
import gc
import json
import os
import runpy
import signal
import socket
import sys
import time
from importlib import import_module
from io import TextIOWrapper
from pathlib import Path
from typing import Any, Final

from setproctitle import setproctitle

_LIBRARIES: Final = (
    "celery.apps.beat",
    "celery.apps.worker",
    "celery.bin.celery",
    "celery.concurrency.prefork",
    "celery.concurrency.thread",
    "celery.fixups.django",
    "celery.worker.consumer",
    "cryptography.hazmat.primitives.serialization",
    "dateutil.parser",
    "dj_database_url",
    "django.contrib.admin.filters",
    "django.contrib.postgres.forms",
    "django.core.management",
    "django.db.backends.postgresql.base",
    "django.db.backends.sqlite3.base",
    "django.db.migrations.autodetector",
    "django.test.client",
    "django.views.generic",
    "environs",
    "fido2.webauthn",
    "kombu.transport.redis",
    "markdown_it.presets",
    "msgspec",
    "nh3",
    "numpy",
    "requests",
    "rest_framework_dataclasses.serializers",
    "uritemplate",
    "waitress.server",
    "whitenoise.base",
)
"""Modules that read no settings, because settings depend on each program's environment."""
_MAX_REQUEST: Final = 1 << 17
"""Bytes of a request, which is mostly the environment."""
_PR_SET_PDEATHSIG: Final = 1
_CLONE_NEWNET: Final = 0x40000000

Request = dict[str, Any]


def preload() -> None:
    """Import the libraries."""
    for name in _LIBRARIES:
        import_module(name)
    gc.collect()
    gc.freeze()


def await_request(connection: socket.socket) -> Request | None:
    """Copy this process for each request, which the copy returns; None at the end.

    A copy's copy is an orphan, which the requesting process adopts.
    """
    while True:
        content, files, _, _ = socket.recv_fds(connection, _MAX_REQUEST, 3)
        if not content:
            return None
        if os.fork():
            os.wait()
            for file in files:
                os.close(file)
            continue
        if os.fork():
            os._exit(0)
        request: Request = json.loads(content)
        while os.getppid() != request["parent"]:
            time.sleep(0.001)
        for number, file in enumerate(files):
            os.dup2(file, number)
            os.close(file)
        return request


def become(request: Request) -> None:
    """Give this copy the properties of the requested process."""
    if request["dies_with_parent"]:
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if request["new_session"]:
        os.setsid()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    setproctitle(" ".join(request["arguments"]))  # it fails once the first variable has changed
    if request["network"]:
        enter_network(request["network"])
    os.chdir(request["folder"])
    os.environ.clear()
    os.environ.update(request["environment"])
    # The streams of the original may have buffered, and know the kinds of other files.
    sys.stdin, sys.stdout, sys.stderr = (
        os.fdopen(number, mode, buffering, encoding=stream.encoding, errors=stream.errors)
        for number, mode, buffering, stream in (
            (0, "r", -1, sys.stdin),
            (1, "w", -1, sys.stdout),
            (2, "w", 1, sys.stderr),
        )
    )
    if "PYTHONUNBUFFERED" in os.environ:
        assert isinstance(sys.stdout, TextIOWrapper)
        sys.stdout.reconfigure(write_through=True)


def enter_network(network: str) -> None:
    """Move this process into a network namespace."""
    with Path(network).open() as namespace:
        if ctypes.CDLL(None, use_errno=True).setns(namespace.fileno(), _CLONE_NEWNET):
            raise OSError(ctypes.get_errno(), "setns failed", network)


def execute(arguments: list[str]) -> None:
    """Run a program as the interpreter does: a file, `-m MODULE` or `-c CODE`."""
    sys.orig_argv = arguments
    kind, *rest = arguments[1:]
    first = {"-m": str(Path.cwd()), "-c": ""}.get(kind, str(Path(kind).resolve().parent))
    roots = filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))
    sys.path[:] = [first, *roots, *sys.path[1:]]
    if kind == "-m":
        sys.argv = rest
        runpy.run_module(rest[0], run_name="__main__", alter_sys=True)
    elif kind == "-c":
        sys.argv = ["-c", *rest[1:]]
        exec(compile(rest[0], "<string>", "exec"), {"__name__": "__main__"})
    else:
        sys.argv = [kind, *rest]
        runpy.run_path(kind, run_name="__main__")


def main() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    preload()
    connection = socket.socket(fileno=int(sys.argv[1]))
    if request := await_request(connection):
        try:
            become(request)
        finally:
            connection.send(str(os.getpid()).encode())
            connection.close()
        execute(request["arguments"])


if __name__ == "__main__":
    main()
