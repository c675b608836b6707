"""Processes of this machine, as those name themselves who hold something in the database."""

from __future__ import annotations

import os


def alive(pid: str) -> bool:
    """Whether there is a process of this number."""
    try:
        os.kill(int(pid), 0)
    except (ValueError, ProcessLookupError):
        return False
    except PermissionError:
        return True
    return True
