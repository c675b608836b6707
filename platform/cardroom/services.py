"""The processes of a site on one machine, and the command that starts each."""

from __future__ import annotations

import fcntl
import hashlib
import os
import socket
import sys
from collections.abc import Callable
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from typing import IO, Final

from django.conf import settings
from django.contrib.staticfiles import finders
from django.core.management import call_command
from django.db import DatabaseError

from cardroom import embedded
from cardroom.supervisor import Service, Supervisor
from tournaments.queue.workers import work_of

HOUSEKEEPING_THREADS = 3
"""Two of the housekeeper's jobs may be long; the third thread is for all others."""


class AlreadyRunningError(RuntimeError):
    """Another `up` uses the same var/ folder; the text names it and the folder."""


class PortTakenError(RuntimeError):
    """Another program listens on the port."""


def site(host: str, port: int | None, workers: int, say: Callable[[str], None]) -> Supervisor:
    """The services of a site: broker (unless the environment names one), workers, web server.

    With port None there is no web server.
    """
    services = [_work(workers), _host_tables(), _housekeeping(), _beat()]
    if port is not None:
        services.append(_web(host, port))
    if settings.EMBEDDED_BROKER:
        services.insert(0, _broker())
    return Supervisor(services, log_folder(), say, _environment())


def log_folder() -> Path:
    """The folder of the services' log files."""
    return Path(settings.VAR_DIR) / "log"


def _environment() -> dict[str, str]:
    """Variables that give the services the same settings and sources, whatever their directory.

    `up` has run Django's checks, which import all pages, so the services skip them.
    """
    root = Path(settings.BASE_DIR)
    roots = [str(root), str(root / "platform")] if settings.IN_CHECKOUT else []
    paths = [*roots, *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
    return {
        "DJANGO_SETTINGS_MODULE": os.environ.get("DJANGO_SETTINGS_MODULE", "cardroom.settings"),
        "PYTHONPATH": os.pathsep.join(dict.fromkeys(paths)),
        "CARDROOM_VAR": str(settings.VAR_DIR),
        "PYTHONUNBUFFERED": "1",
        "CELERY_SKIP_CHECKS": "1",
    }


def _broker() -> Service:
    path = Path(settings.EMBEDDED_SOCKET)
    command = embedded.server_command(path, log_folder() / "broker.log")
    return Service("broker", command, ready=lambda: embedded.answers(path), last=True)


def node_name(name: str) -> str:
    """Celery's name of a service on this machine."""
    return f"{name}@{socket.gethostname()}"


def in_hand(worker: str) -> str:
    """A worker's unfinished work, for people: `2 matches, 1 check`; empty if there is none."""
    with suppress(DatabaseError):
        work = work_of(worker)
        return work.words if work else ""
    return "its matches"


def _work(workers: int) -> Service:
    """Plays matches and checks bots; when stopping, it gives back unfinished work."""
    name = node_name("worker")
    command = _celery_worker(name, "matches,checks", workers)
    work = partial(in_hand, name)
    return Service("worker", command, work_seconds=settings.DRAIN_SECONDS, work=work)


def _host_tables() -> Service:
    """Plays the bots of people's tables in threads, so that tournament matches do not delay them.

    When stopping, it immediately gives back the moves that bots have not answered.
    """
    command = _celery_worker(node_name("tables"), "tables", settings.TABLE_WORKERS)
    return Service("tables", [*command, "--pool", "threads"])


def _housekeeping() -> Service:
    """Sweeps, relays messages and fits ratings on time, however long matches last."""
    name = node_name("housekeeping")
    command = _celery_worker(name, "housekeeping", HOUSEKEEPING_THREADS)
    return Service("housekeeping", [*command, "--pool", "threads"])


def _beat() -> Service:
    """Sends the housekeeper's jobs when they are due."""
    return Service("beat", [*_CELERY, "beat", "--loglevel", "INFO"])


_CELERY: Final = (sys.executable, "-m", "celery", "--app", "cardroom")


def _celery_worker(name: str, queues: str, concurrency: int) -> list[str]:
    return [
        *(*_CELERY, "worker", "--hostname", name, "--queues", queues, "--loglevel", "INFO"),
        *("--without-gossip", "--without-mingle", "--concurrency", str(concurrency)),
    ]


def _web(host: str, port: int) -> Service:
    command = [sys.executable, "-m", "django", "serve", "--host", host, "--port", str(port)]
    return Service("web", command, ready=lambda: listens(host, port))


# --- before the start ---------------------------------------------------------------------------


def listens(host: str, port: int) -> bool:
    """Whether a program accepts connections at the address."""
    with closing(socket.socket()) as probe:
        probe.settimeout(0.5)
        return probe.connect_ex((_reachable(host), port)) == 0


def _reachable(host: str) -> str:
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
    """The first free port from `first` on."""
    for port in range(first, first + tries):
        try:
            refuse_taken_port(host, port)
        except PortTakenError:
            continue
        return port
    raise PortTakenError(f"None of the ports {first} to {first + tries - 1} is available.")


def lock(address: str) -> IO[str]:
    """Make this the only `up` of its var/ folder while the returned file stays open."""
    path = Path(settings.VAR_DIR) / "up.lock"
    file = path.open("a+")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.seek(0)
        holder = file.read().strip() or "somewhere"
        file.close()
        raise AlreadyRunningError(
            f"Cardroom already runs here: {holder}. Stop that one first, or give this one a folder "
            "of its own with CARDROOM_VAR."
        ) from None
    file.truncate(0)
    file.write(f"process {os.getpid()}, {address}\n")
    file.flush()
    return file


def collect_static() -> None:
    """Collect and compress static files if they changed since the last time."""
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
