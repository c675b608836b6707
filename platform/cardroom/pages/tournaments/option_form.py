"""The options of a format in a tournament's form, with a control for each."""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import Any, Final

from django import forms
from django.utils.html import format_html

from cardroom.pages.common.forms import ChoiceField, NumberField
from cardroom.pages.games.game_views import inline_html
from engine import registry
from engine.declarations import Declaration, Option, spell

LENGTH_OPTIONS: Final = ("target", "deals")
"""The options for the length of a match, which most organizers set."""
DRAWN_FORMAT: Final = "options_for"
"""The form field that contains the format for which the controls were drawn."""


class OptionsForm(forms.Form):
    """The options of a format."""

    def __init__(self, path: str, data: Any = None, initial: Mapping[str, str] | None = None):
        """`path`: game/variant/table; an unknown one has no options."""
        if data is not None and data.get(DRAWN_FORMAT, path) != path:
            data = {}  # the values of another format's controls may be invalid for this one
        typed_initial = {_field(path, name): value for name, value in (initial or {}).items()}
        super().__init__(data, initial=typed_initial, label_suffix="")
        self.path = path
        self._options = {_field(path, option.name): option for option in _options_at(path)}
        for field, option in self._options.items():
            self.fields[field] = self._control(option)

    @classmethod
    def with_typed_values(cls, path: str, data: Any) -> OptionsForm:
        """A form with the typed values as initial values, which are not checked."""
        form, typed = cls(path), cls(path, data)
        form.initial = {
            field.name: value for field in typed if (value := field.value()) not in (None, "")
        }
        return form

    def _control(self, option: Option) -> forms.Field:
        default = self._default(option)
        help_text = format_html(
            "{} Default: {}.", inline_html(option.meaning), _value_text(default)
        )
        label = option.name.replace("_", " ").capitalize()
        settings: dict[str, Any] = {"label": label, "required": False, "help_text": help_text}
        if option.type == "int":
            return NumberField(
                initial=default, min_value=option.low, max_value=option.high, **settings
            )
        choices = [(spell(value), _value_text(value)) for value in option.values]
        return ChoiceField(choices=choices, initial=spell(default), **settings)

    def _default(self, option: Option) -> Any:
        _, variant, table = self.path.split("/")
        return option.default_for(variant, table)

    @property
    def length(self) -> list[forms.BoundField]:
        """The controls for the length of a match."""
        return [
            self[field] for field, option in self._options.items() if option.name in LENGTH_OPTIONS
        ]

    @property
    def others(self) -> list[forms.BoundField]:
        """All other controls."""
        return [
            self[field]
            for field, option in self._options.items()
            if option.name not in LENGTH_OPTIONS
        ]

    @property
    def others_set(self) -> bool:
        """Whether one of the other options has an error or differs from its default. If so, they
        must be visible."""
        return any(
            field.errors or str(field.value()) != str(self.fields[field.name].initial)
            for field in self.others
        )

    def clean(self) -> dict[str, Any]:
        """Show an error at its control, with the engine's message."""
        data: dict[str, Any] = super().clean() or {}
        for field, option in self._options.items():
            try:
                option.parse(_text(data.get(field), self._default(option)))
            except ValueError as error:
                self.add_error(field, str(error))
        return data

    def text(self, omit: Container[str] = ()) -> str:
        """The options that differ from their defaults, as in a format's text:
        `deals=2&sweeps=false`. `omit`: the names of options to omit."""
        parts = []
        for field, option in self._options.items():
            default = self._default(option)
            value = _text(self.cleaned_data.get(field, self.data.get(field)), default)
            if value != spell(default) and option.name not in omit:
                parts.append(f"{option.name}={value}")
        return "&".join(parts)

    def uncontrolled(self, options: Mapping[str, str]) -> str:
        """The options without a control in this form, as text."""
        names = {option.name for option in self._options.values()}
        return "&".join(f"{name}={value}" for name, value in options.items() if name not in names)


def split_format(text: str) -> tuple[str, dict[str, str]]:
    """The path and the options of a format's text."""
    path, _, options = text.partition("?")
    pairs = (pair.partition("=") for pair in options.split("&") if pair)
    return path, {name: value for name, _, value in pairs}


def _options_at(path: str) -> list[Option]:
    """The options of a path; empty for an unknown path."""
    parts = path.split("/")
    game = next((candidate for candidate in registry.games() if candidate.name == parts[0]), None)
    if game is None or not _exists(game, parts[1:]):
        return []
    return [option for option in game.options if option.applies(parts[1], parts[2])]


def _exists(game: Declaration, rest: list[str]) -> bool:
    return any(
        [variant.name, table] == rest for variant in game.variants for table in variant.tables
    )


def _field(path: str, option: str) -> str:
    return f"option.{path.partition('/')[0]}.{option}"


def _text(value: Any, default: Any) -> str:
    """The value as in a format's text; the default if the control is empty."""
    return spell(default) if value in (None, "") else str(value).strip()


def _value_text(value: Any) -> str:
    """A value as text for people."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return spell(value)
