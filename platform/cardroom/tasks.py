"""Long and periodic work of the housekeeper for the site as a whole."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from contextlib import suppress
from datetime import timedelta
from typing import Final

from allauth.usersessions.models import UserSession
from django.contrib.sessions.models import Session

from cardroom import logins
from cardroom.actions import tokens
from cardroom_base.core.local_process import is_alive
from cardroom_base.db.db_time import Now
from cardroom_base.db.jobs import release_jobs_of_dead
from tournaments.exports import export_files
from tournaments.models import Kept
from tournaments.projections import tallies
from tournaments.reading import kinds
from tournaments.reading.content_cache import CachedKind, due_content

KINDS: Final[tuple[CachedKind, ...]] = (*kinds.KINDS, *export_files.KINDS)
"""The kinds of cached data about tournaments."""

STOP_SECONDS: Final = 3.0
"""Seconds in which running commands must end when this process stops."""

_started: dict[str, subprocess.Popen[bytes]] = {}


def start_dump() -> bool:
    """Start `manage.py dump`; False if the last one is still running."""
    return _start("dump")


def start_keeping() -> bool:
    """Let `manage.py keep --listen` recompute or count data; False if there is nothing to do.

    Its process stays, because starting one costs more than most runs. If it was killed, this ends
    its long leases, so that the next process can compute the same content immediately.
    """
    if not _is_running("keep"):
        release_jobs_of_dead(Kept.objects.all(), socket.gethostname(), is_alive)
    if not tallies.has_uncounted() and next(due_content(KINDS), None) is None:
        return False
    _start("keep", "--listen")
    pipe = _started["keep"].stdin
    # If the process is just ending, the next request starts another.
    with suppress(BrokenPipeError):
        if pipe is not None:
            os.write(pipe.fileno(), b"\n")
    return True


def _start(command: str, *options: str) -> bool:
    """Start a command of `manage.py` in a separate process; False if its last process still runs.

    A separate process, because the command takes long and this process must sweep every few
    seconds. The command may read requests from its standard input, which closes when this process
    ends.
    """
    if _is_running(command):
        return False
    last = _started.get(command)
    if last is not None and last.stdin is not None:
        last.stdin.close()
    _started[command] = subprocess.Popen(
        ["nice", "-n", "19", sys.executable, "-m", "django", command, "--skip-checks", *options],
        stdin=subprocess.PIPE,
    )
    return True


def _is_running(command: str) -> bool:
    return command in _started and _started[command].poll() is None


def stop_started() -> None:
    """Terminate the running commands, which give back unfinished work, and wait briefly."""
    running = [process for process in _started.values() if process.poll() is None]
    for process in running:
        process.terminate()
    for process in running:
        with suppress(subprocess.TimeoutExpired):
            process.wait(STOP_SECONDS)


def tidy_logins() -> int:
    """Delete old log-in failures, sessions and tokens; return the number of rows."""
    expired = Session.objects.filter(expire_date__lt=Now())
    count = logins.purge() + tokens.purge() + expired.delete()[0]
    # A row may be older than its session, which is stored with the response.
    ended = UserSession.objects.exclude(session_key__in=Session.objects.values("session_key"))
    return count + int(ended.filter(created_at__lt=Now() - timedelta(hours=1)).delete()[0])
