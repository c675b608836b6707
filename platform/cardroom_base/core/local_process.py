"""Names and liveness of this machine's processes, for claims and leases in the database."""

from __future__ import annotations

import os


def alive(pid: str) -> bool:
    """Whether a process with this number exists."""
    try:
        os.kill(int(pid), 0)
    except (ValueError, ProcessLookupError):
        return False
    except PermissionError:
        return True
    return True
