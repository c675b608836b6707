"""Celery tasks of the site as a whole."""

from __future__ import annotations

import subprocess
import sys

from celery import shared_task

_dump: subprocess.Popen[bytes] | None = None


@shared_task(name="cardroom.tasks.start_dump")
def start_dump() -> bool:
    """Start `manage.py dump` in a process of its own; False while the last one still writes.

    It takes long, and whoever runs this task has the sweep to do every few seconds.
    """
    global _dump
    if _dump is not None and _dump.poll() is None:
        return False
    _dump = subprocess.Popen(["nice", "-n", "19", sys.executable, "-m", "django", "dump"])
    return True
