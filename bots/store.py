"""Packages where a worker can reach them: in memory, else on its disk, else in the database.

Packages are named by their content and never change, so a copy is never out of date.
"""

from __future__ import annotations

import logging
import os
import tempfile
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

from django.conf import settings

from bots.models import StoredPackage
from bots.package import Package, PackageError

log = logging.getLogger(__name__)

IN_MEMORY = 64
"""Packages that a worker process keeps unpacked."""


@lru_cache(maxsize=IN_MEMORY)
def fetch(digest: str) -> Package:
    """The package with this digest; a damaged copy on the disk is replaced.

    Raises StoredPackage.DoesNotExist for a digest that was never stored, PackageError if what the
    database holds is damaged.
    """
    path = Path(settings.PACKAGE_CACHE) / digest[:2] / f"{digest}.zip"
    with suppress(OSError, PackageError):
        return Package.restore(path.read_bytes(), digest)
    content = bytes(StoredPackage.objects.values_list("content", flat=True).get(digest=digest))
    package = Package.restore(content, digest)
    try:
        _keep(path, content)
    except OSError as error:  # a full disk only makes the next fetch slower
        log.warning("The package %s cannot be kept in %s: %s", digest[:12], path.parent, error)
    return package


def _keep(path: Path, content: bytes) -> None:
    """Write the copy so that no other process ever sees half of it."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        Path(name).replace(path)
    except OSError:
        Path(name).unlink(missing_ok=True)
        raise
