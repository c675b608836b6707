"""The fields of a tournament that can change after the draft: its description and its times.

Users type times in the zone that the field `zone` names. A script sets it to the viewer's zone and
converts the times; without scripts it stays UTC.
"""

from __future__ import annotations

from datetime import UTC, datetime, tzinfo
from typing import Any
from zoneinfo import ZoneInfo, available_timezones

from django import forms

from cardroom.pages.common.forms import NumberField, TextField
from cardroom_base.core.errors import ActionError
from tournaments.course import field_rules
from tournaments.models import Tournament


class TimeInput(forms.DateTimeInput):
    """A time without its zone, as browsers send it."""

    input_type = "datetime-local"

    def format_value(self, value: Any) -> str | None:
        """A time in UTC, without seconds if they are 0; typed text is unchanged."""
        if not isinstance(value, datetime):
            return super().format_value(value)
        return f"{value.astimezone(UTC):%Y-%m-%dT%H:%M:%S}".removesuffix(":00")


def _time(label: str, help_text: str) -> TextField:
    return TextField(label=label, required=False, help_text=help_text, widget=TimeInput)


class EventForm(forms.Form):
    """Description and times."""

    description = TextField(
        label="Description",
        required=False,
        max_length=field_rules.MAX_DESCRIPTION,
        widget=forms.Textarea(attrs={"rows": 3}),
    )
    entries_from = _time("Entries open", "If empty, as soon as the tournament is open.")
    entries_until = _time("Entries close", "If empty, at the start.")
    starts_at = _time("Start", "The site starts it. If empty, you start it.")
    freezes_at = _time(
        "Freeze", "Until you reveal them, only organizers and staff see later results."
    )
    freezes_after = NumberField(
        label="Freeze after round",
        required=False,
        initial=0,
        min_value=field_rules.FREEZES_AFTER_RANGE.low,
        max_value=field_rules.FREEZES_AFTER_RANGE.high,
        help_text="In a round robin or a Swiss. 0: after none.",
    )
    ends_at = _time("End", "No deal group begins later. If empty, it ends when all is played.")
    repeats = NumberField(
        label="Weekly repeats",
        required=False,
        initial=0,
        min_value=field_rules.REPEATS_RANGE.low,
        max_value=field_rules.REPEATS_RANGE.high,
        help_text="At each start the site opens the next one, a week later. 0: none.",
    )
    categories = TextField(
        label="Categories",
        required=False,
        help_text="Such as students, guests: groups of entries with their own standings.",
    )
    zone = forms.CharField(initial="UTC", required=False, max_length=64, widget=forms.HiddenInput)

    @classmethod
    def from_tournament(cls, tournament: Tournament) -> EventForm:
        """A form filled in with the values of a tournament."""
        return cls(initial=event_values(tournament), label_suffix="")

    @property
    def times(self) -> list[forms.BoundField]:
        """The fields of the times, in order."""
        return [self[name] for name in field_rules.TIMES]

    def clean(self) -> dict[str, Any]:
        """Convert typed times to datetimes; show errors at their fields."""
        data: dict[str, Any] = super().clean() or {}
        for field in ("repeats", "freezes_after"):
            data[field] = 0 if data.get(field) is None else data[field]
        typed = (name.strip() for name in (data.get("categories") or "").split(","))
        data["categories"] = [name for name in typed if name]
        zone = zone_of(data.get("zone"))
        for field in field_rules.TIMES:
            try:
                data[field] = read_time(data.get(field) or "", zone)
            except ActionError as error:
                data[field] = None
                self.add_error(field, str(error))
        return data

    def values(self) -> dict[str, Any]:
        """The values as actions take them."""
        return {name: self.cleaned_data[name] for name in field_rules.EDITABLE}

    def show_refusal(self, field: str, sentence: str) -> None:
        """Show a refusal at its field, or else at the top of the form."""
        self.add_error(field if field in self.fields else None, sentence)


def read_time(text: str, zone: tzinfo) -> datetime | None:
    """A typed time; None for an empty text. ActionError for other texts."""
    try:
        return datetime.fromisoformat(text).replace(tzinfo=zone) if text else None
    except ValueError:
        raise ActionError("Give a date and a time, such as 2026-12-01 18:00.") from None


def zone_of(name: str | None) -> tzinfo:
    """The zone with this name; UTC for an unknown one."""
    return ZoneInfo(name) if name in available_timezones() else UTC


def event_values(tournament: Tournament) -> dict[str, Any]:
    """The initial values of a tournament's form."""
    values = {name: getattr(tournament, name) for name in field_rules.EDITABLE}
    return values | {"categories": ", ".join(tournament.categories)}
