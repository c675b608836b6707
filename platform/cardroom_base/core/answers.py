"""Metadata for dataclass fields that the REST interface sends (`cardroom_base.rest.answers`)."""

from __future__ import annotations

from typing import Any, Final

UNSENT: Final[dict[str, Any]] = {"serializer_kwargs": {"write_only": True}}
"""Metadata of a field that only pages use; REST answers omit it."""


def description(text: str) -> dict[str, Any]:
    """Metadata for a field: its description in the OpenAPI document."""
    return {"serializer_kwargs": {"help_text": text}}
