"""Reads request bodies strictly: an unknown field is an error, never ignored."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any, TypeVar

from rest_framework import serializers
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request

from cardroom_base.core import names

_T = TypeVar("_T")
MAX_LISTED = 5
"""Maximum number of unknown names that an answer lists."""


def unknown_names(
    sent: Iterable[Any], valid_names: Collection[str], kind: str
) -> dict[str, list[str]]:
    """A sentence for each unknown name; empty if all are known."""
    hint = f"it has {', '.join(valid_names)}." if valid_names else "it has none."
    unknown = [str(name) for name in sent if name not in valid_names][:MAX_LISTED]
    return {name[:60]: [f"This address has no {kind} of this name; {hint}"] for name in unknown}


class StrictSerializer(serializers.Serializer[_T]):
    """A body with these fields and no others."""

    @classmethod
    def read(cls, request: Request) -> dict[str, Any]:
        """The values in the body or, for a safe method, the query; ValidationError if invalid."""
        safe = request.method in SAFE_METHODS
        body = cls(data=request.query_params.dict() if safe else request.data)
        body.is_valid(raise_exception=True)
        values: dict[str, Any] = body.validated_data
        return values

    def to_internal_value(self, data: Any) -> Any:
        """The values; ValidationError names the known fields."""
        if not isinstance(data, Mapping):
            return super().to_internal_value(data)  # this raises ValidationError
        field_names = [name for name, field in self.fields.items() if not field.read_only]
        if errors := unknown_names(data, field_names, "field"):
            raise serializers.ValidationError(errors, code="unknown-field")
        return self.values(data)

    def values(self, data: Mapping[str, Any]) -> Any:
        """The values of known fields; ValidationError names unknown ones."""
        return super().to_internal_value(data)


class BotField(serializers.RegexField):
    """A bot's address name; for a house bot also `house:NAME`."""

    def __init__(self, **options: Any) -> None:
        wrong = "Write a bot's address name, such as magpie, or house:NAME."
        messages = {"invalid": wrong} | options.pop("error_messages", {})
        options.setdefault("max_length", 48)
        super().__init__(names.BOT_ADDRESS, error_messages=messages, **options)

    def to_internal_value(self, data: Any) -> str:
        """The address name."""
        return names.slug_of(super().to_internal_value(data))


class NoBody:
    """Makes a view refuse a POST with a body, because the body would have no effect."""

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Raise ValidationError for a body; DRF calls this before the view."""
        super().initial(request, *args, **kwargs)  # type: ignore[misc]  # the view class comes later in the MRO
        if request.method == "POST" and request.data:
            errors = unknown_names(request.data, (), "field")
            raise serializers.ValidationError(errors, code="unknown-field")
