"""What the housekeeper does for the site as a whole."""

from __future__ import annotations

import subprocess
import sys
from typing import Final

from django.contrib.sessions.models import Session

from bots.moments import Now
from cardroom import logins
from cardroom.actions import tokens
from tournaments.exports import files
from tournaments.reading import kinds
from tournaments.reading.kept import Keepable, due

KINDS: Final[tuple[Keepable, ...]] = (*kinds.KINDS, *files.KINDS)
"""All that is kept of tournaments."""

_started: dict[str, subprocess.Popen[bytes]] = {}


def start_dump() -> bool:
    """Start `manage.py dump`; False while the last one still writes."""
    return _start("dump")


def start_keeping() -> bool:
    """Start `manage.py keep` where something is to be made anew; False while it still works."""
    return next(due(KINDS), None) is not None and _start("keep")


def _start(command: str) -> bool:
    """A command in a process of its own: it takes long, and whoever runs the task has the sweep
    to do every few seconds."""
    last = _started.get(command)
    if last is not None and last.poll() is None:
        return False
    _started[command] = subprocess.Popen(
        ["nice", "-n", "19", sys.executable, "-m", "django", command]
    )
    return True


def tidy_door() -> int:
    """Delete what counts no more at the door: old failures, sessions and tokens; how many rows."""
    over = Session.objects.filter(expire_date__lt=Now())
    return logins.purge() + tokens.purge() + over.delete()[0]
