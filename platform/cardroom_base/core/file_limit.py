"""The number of files that a process may have open."""

from __future__ import annotations

import resource


def raise_file_limit(needed: int) -> int:
    """Raise this process's limit of open files to `needed`, or as far as the system allows.

    Return the number of files that the process may have open. A limit that is higher already stays.
    Processes that this one starts inherit the limit.
    """
    limit, hard_limit = resource.getrlimit(resource.RLIMIT_NOFILE)
    allowed = needed if hard_limit == resource.RLIM_INFINITY else min(needed, hard_limit)
    if resource.RLIM_INFINITY != limit < allowed:
        resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, hard_limit))
    return max(limit, allowed)  # RLIM_INFINITY is negative
