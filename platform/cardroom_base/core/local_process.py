"""Checks whether processes of this machine, which hold claims and leases, still run."""

from __future__ import annotations

import os


def is_alive(pid: str) -> bool:
    """Whether a process with this PID exists."""
    try:
        os.kill(int(pid), 0)
    except (ValueError, ProcessLookupError):
        return False
    except PermissionError:
        return True
    return True
