"""Fields of dataclasses that the REST interface sends as they are."""

from __future__ import annotations

from dataclasses import field
from typing import Any


def described(text: str, **options: Any) -> Any:
    """A field that the OpenAPI document explains with this text."""
    return field(metadata={"serializer_kwargs": {"help_text": text}}, **options)


def unsent(**options: Any) -> Any:
    """A field for pages alone: no answer has it."""
    return field(metadata={"serializer_kwargs": {"write_only": True}}, **options)
