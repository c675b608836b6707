"""The processes of a site on one machine, as `up` runs them."""

from __future__ import annotations

import fcntl
import gc
import hashlib
import os
import socket
from collections.abc import Callable
from contextlib import closing, suppress
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import IO, Final

from django.conf import settings
from django.contrib.staticfiles import finders
from django.core.management import call_command
from django.db import DatabaseError
from django.utils.module_loading import import_string

from cardroom import embedded_broker
from cardroom.celery import app as celery
from cardroom.programs import command, environment
from cardroom.supervisor import Service, Supervisor
from cardroom_base.core.garbage import freeze_current_objects
from tournaments.queue.workers import work_of

_CELERY_MODULES: Final = (
    "celery.apps.beat",
    "celery.apps.worker",
    "celery.bin.celery",
    "celery.concurrency.prefork",
    "celery.concurrency.thread",
    "celery.worker.consumer",
    "kombu.transport.redis",
)
"""Modules that Celery's commands import when they run."""


class AlreadyRunningError(RuntimeError):
    """Another `up` uses the same var/ folder; the text names its process."""


class PortTakenError(RuntimeError):
    """The port is in use, or this user may not bind it."""


def site(host: str, port: int | None, workers: int, say: Callable[[str], None]) -> Supervisor:
    """A supervisor of a site's services: the broker (unless the environment names one), the worker,
    tables, housekeeping, beat and, unless `port` is None, the web server. `workers`: the number of
    worker processes. `say` prints a sentence for people."""
    services = [_worker_service(workers)]
    names = ("tables", "housekeeping", "beat")
    services += [Service(name, command(name), forks=True) for name in names]
    if port is not None:
        services.append(_web_service(host, port))
    if settings.EMBEDDED_BROKER:
        services.insert(0, _broker_service())
    return Supervisor(services, log_folder(), say, environment())


def log_folder() -> Path:
    """The folder of the services' log files."""
    return Path(settings.VAR_DIR) / "log"


def _broker_service() -> Service:
    path = Path(settings.EMBEDDED_SOCKET)
    arguments = embedded_broker.server_command(path, log_folder() / "broker.log")
    return Service(
        "broker", arguments, ready=lambda: embedded_broker.is_ready(path), ends_last=True
    )


def node_name(name: str) -> str:
    """Celery's name of a service on this machine."""
    return f"{name}@{socket.gethostname()}"


def unfinished_work(worker: str) -> str:
    """A worker's unfinished work, for people: `2 matches, 1 check`; empty if there is none; a
    general phrase if the database cannot be reached."""
    with suppress(DatabaseError):
        work = work_of(worker)
        return work.words if work else ""
    return "its matches"


def _worker_service(workers: int) -> Service:
    """The service that plays matches and checks bots, and gives back unfinished work at its end."""
    arguments = command("worker", "--concurrency", str(workers))
    work = partial(unfinished_work, node_name("worker"))
    return Service("worker", arguments, forks=True, work_seconds=settings.DRAIN_SECONDS, work=work)


def _web_service(host: str, port: int) -> Service:
    arguments = command("web", "--host", host, "--port", str(port))
    return Service("web", arguments, forks=True, ready=lambda: is_listening(host, port))


def preload(*, serves: bool) -> None:
    """Import the modules of the services, so that their processes share them.

    `serves`: whether there is a web server.
    """
    for module in _CELERY_MODULES:
        import_module(module)
    celery.loader.import_default_modules()
    if serves:
        import_module("cardroom.web")
        for path in settings.MIDDLEWARE:
            import_string(path)
        import_module(settings.ROOT_URLCONF)
    gc.collect()
    freeze_current_objects()


# --- before the start ---------------------------------------------------------------------------


def is_listening(host: str, port: int) -> bool:
    """Whether a program accepts connections at the address."""
    with closing(socket.socket()) as probe:
        probe.settimeout(0.5)
        return probe.connect_ex((_connect_host(host), port)) == 0


def _connect_host(host: str) -> str:
    """The host to connect to if the server listens on `host`."""
    return "127.0.0.1" if host in {"", "0.0.0.0"} else host  # noqa: S104 - compared, not bound


def refuse_taken_port(host: str, port: int) -> None:
    """Raise PortTakenError if the port is not free."""
    with closing(socket.socket()) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            raise PortTakenError(
                f"Port {port} is not available ({error.strerror}); choose another with --port."
            ) from error


def free_port(host: str, first: int, tries: int = 50) -> int:
    """The first free port from `first` on; PortTakenError if `tries` ports are taken."""
    for port in range(first, first + tries):
        try:
            refuse_taken_port(host, port)
        except PortTakenError:
            continue
        return port
    raise PortTakenError(f"None of the ports {first} to {first + tries - 1} is available.")


def lock(purpose: str) -> IO[str]:
    """Take the lock of the var/ folder, until the returned file is closed; AlreadyRunningError if
    another process has the lock. `purpose`: words for that error."""
    path = Path(settings.VAR_DIR) / "up.lock"
    file = path.open("a+")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.seek(0)
        holder = file.read().strip() or "the process is unknown"
        file.close()
        raise AlreadyRunningError(
            f"Cardroom is already running with this folder ({holder}). Stop it first, or set "
            "CARDROOM_VAR to another folder."
        ) from None
    file.truncate(0)
    file.write(f"process {os.getpid()}, {purpose}\n")
    file.flush()
    os.register_at_fork(after_in_child=file.close)  # a copy of this process must not hold the lock
    return file


def collect_static() -> None:
    """Collect and compress static files if they have changed since the last time."""
    if settings.DEBUG:
        return
    digest = hashlib.sha256()
    for finder in finders.get_finders():
        for path, storage in finder.list([]):
            stat = Path(storage.path(path)).stat()
            digest.update(f"{path}\0{stat.st_size}\0{stat.st_mtime_ns}\n".encode())
    stamp = Path(settings.STATIC_ROOT).with_suffix(".stamp")
    if stamp.exists() and stamp.read_text() == digest.hexdigest():
        return
    call_command("collectstatic", interactive=False, verbosity=0, clear=True)
    stamp.write_text(digest.hexdigest())
