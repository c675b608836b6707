"""Fetch packages for workers: from memory, else from the disk, else from the database.

A package is identified by a hash of its content, so a copy is never out of date.
"""

from __future__ import annotations

import logging
import os
import tempfile
import time
from collections import OrderedDict
from contextlib import suppress
from pathlib import Path
from typing import Final

from django.conf import settings

from bots.limits import MIB
from bots.models import StoredPackage
from bots.package.package import Package, PackageError

log = logging.getLogger(__name__)

IN_MEMORY = 32 * MIB
"""Bytes of memory for the unpacked packages that a process caches. The least recently used are
dropped first; the last one is always kept."""
UNUSED_DAYS: Final = 30
"""Days after its last reading when a copy on the disk is deleted."""

_cached: OrderedDict[str, Package] = OrderedDict()


def fetch(digest: str) -> Package:
    """The package with this digest; a damaged copy on the disk is replaced.

    Raises StoredPackage.DoesNotExist for an unknown digest, PackageError if the database's own copy
    is damaged.
    """
    if digest not in _cached:
        _cached[digest] = _fetch(digest)
        size = sum(package.unpacked_size for package in _cached.values())
        while size > IN_MEMORY and len(_cached) > 1:
            size -= _cached.popitem(last=False)[1].unpacked_size
    _cached.move_to_end(digest)
    return _cached[digest]


def forget() -> None:
    """Drop all packages from this process's cache."""
    _cached.clear()


def _fetch(digest: str) -> Package:
    path = Path(settings.PACKAGE_CACHE) / digest[:2] / f"{digest}.zip"
    with suppress(OSError, PackageError):
        package = Package.restore(path.read_bytes(), digest)
        with suppress(OSError):
            os.utime(path)
        return package
    content = bytes(StoredPackage.objects.values_list("content", flat=True).get(digest=digest))
    package = Package.restore(content, digest)
    try:
        _store_copy(path, content)
    except OSError as error:  # a full disk only makes the next fetch slower
        log.warning("The package %s cannot be cached in %s: %s", digest[:12], path.parent, error)
    return package


def _store_copy(path: Path, content: bytes) -> None:
    """Write the copy so that no other process sees half of it; delete unused copies beside it."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    _delete_unused(path.parent)
    handle, name = tempfile.mkstemp(dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        Path(name).replace(path)
    except OSError:
        Path(name).unlink(missing_ok=True)
        raise


def _delete_unused(folder: Path) -> None:
    """Delete the files of a folder that no process has read or written for `UNUSED_DAYS`."""
    limit = time.time() - UNUSED_DAYS * 86_400  # noqa: TID251 - compared with the disk's times
    for path in folder.iterdir():
        with suppress(FileNotFoundError):  # another process has just deleted or renamed it
            if path.stat().st_mtime < limit:
                path.unlink()
