"""Sends dataclasses as REST answers; fields, `description` texts and docstrings document them."""

from __future__ import annotations

from typing import Any

from rest_framework.response import Response
from rest_framework_dataclasses.serializers import DataclassSerializer


class AnswerSerializer(DataclassSerializer[Any]):
    """Serializes a dataclass; fields with defaults are always included."""

    @property
    def serializer_dataclass_field(self) -> type[AnswerSerializer]:
        """Nested dataclasses use this serializer, too."""
        return AnswerSerializer

    def get_extra_kwargs(self) -> dict[str, Any]:
        """Mark every field as required."""
        return {name: {"required": True} for name in self.dataclass_definition.fields}


def answer(content: Any) -> Response:
    """A response with a dataclass as its body."""
    return Response(AnswerSerializer(content, dataclass=type(content)).data)
