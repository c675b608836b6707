"""Metadata for dataclass fields that the REST interface sends (`cardroom_base.rest.answers`)."""

from __future__ import annotations

from typing import Any, Final

UNSENT: Final[dict[str, Any]] = {"serializer_kwargs": {"write_only": True}}
"""Metadata of a field that pages alone use: no answer has it."""


def described(text: str) -> dict[str, Any]:
    """Metadata of a field that the OpenAPI document explains with this text."""
    return {"serializer_kwargs": {"help_text": text}}
