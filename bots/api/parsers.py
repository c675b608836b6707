"""Bodies of uploads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import IO, Any

from rest_framework.parsers import DataAndFiles, MultiPartParser

from bots.api.errors import check_length
from bots.limits import KIB, MAX_PACKED

MAX_UPLOAD = MAX_PACKED + 64 * KIB
"""Bytes: the largest package with the fields and boundaries around it."""


class PackageParser(MultiPartParser):
    """multipart/form-data, refused by its announced length before a byte of it is read."""

    def parse(
        self,
        stream: IO[Any],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> DataAndFiles[Any, Any]:
        """Fields and files; 413 when the whole is longer than a package may be."""
        check_length(parser_context, MAX_UPLOAD)
        return super().parse(stream, media_type, parser_context)
