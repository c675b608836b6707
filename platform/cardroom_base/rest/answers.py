"""Answers made from dataclasses: their fields, `described` texts and docstrings say everything."""

from __future__ import annotations

from typing import Any

from rest_framework.response import Response
from rest_framework_dataclasses.serializers import DataclassSerializer


class AnswerSerializer(DataclassSerializer[Any]):
    """A dataclass as it is sent: a field with a default is in every answer, too."""

    @property
    def serializer_dataclass_field(self) -> type[AnswerSerializer]:
        """Dataclasses inside are sent in the same way."""
        return AnswerSerializer

    def get_extra_kwargs(self) -> dict[str, Any]:
        """Every field is required."""
        return {name: {"required": True} for name in self.dataclass_definition.fields}


def answer(content: Any) -> Response:
    """A dataclass as the body of a response."""
    return Response(AnswerSerializer(content, dataclass=type(content)).data)
