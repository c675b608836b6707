"""Fields of forms that take what was typed; a tournament's terms say what they may hold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import forms
from django.core.exceptions import ValidationError

if TYPE_CHECKING:
    _Field = forms.Field
else:
    _Field = object


class _AsTyped(_Field):
    """Its limits are for the browser: nothing is refused here."""

    def validate(self, value: Any) -> None:
        """Whatever it is."""

    def run_validators(self, value: Any) -> None:
        """None."""


class TextField(_AsTyped, forms.CharField):
    """A text."""


class NumberField(_AsTyped, forms.IntegerField):
    """A number; the text where it is none, and None where there is nothing."""

    def to_python(self, value: Any) -> Any:
        """Nothing is refused."""
        try:
            return super().to_python(value)
        except ValidationError:
            return value


class ChoiceField(_AsTyped, forms.ChoiceField):
    """One of several."""
