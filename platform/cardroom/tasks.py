"""What the housekeeper does for the site as a whole."""

from __future__ import annotations

import subprocess
import sys

from django.contrib.sessions.models import Session

from bots.moments import Now
from cardroom import logins
from cardroom.actions import tokens

_dump: subprocess.Popen[bytes] | None = None


def start_dump() -> bool:
    """Start `manage.py dump` in a process of its own; False while the last one still writes.

    It takes long, and whoever runs this task has the sweep to do every few seconds.
    """
    global _dump
    if _dump is not None and _dump.poll() is None:
        return False
    _dump = subprocess.Popen(["nice", "-n", "19", sys.executable, "-m", "django", "dump"])
    return True


def tidy_door() -> int:
    """Delete what counts no more at the door: old failures, sessions and tokens; how many rows."""
    over = Session.objects.filter(expire_date__lt=Now())
    return logins.purge() + tokens.purge() + over.delete()[0]
