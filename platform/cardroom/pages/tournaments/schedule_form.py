"""The form of the fields that can change after the draft: description, times, repeats, categories.

Users type times in the zone that the field `zone` names. A script sets it to the viewer's zone and
converts the times; without scripts it stays UTC.
"""

from __future__ import annotations

from datetime import UTC, datetime
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


class ScheduleForm(forms.Form):
    """Description, times, repeats and categories."""

    description = TextField(
        label="Description",
        required=False,
        max_length=field_rules.MAX_DESCRIPTION,
        widget=forms.Textarea(attrs={"rows": 3}),
    )
    entries_from = _time("Entries open", "If empty, entries open with the tournament.")
    entries_until = _time("Entries close", "If empty, entries close at the start.")
    starts_at = _time(
        "Start",
        "The tournament starts automatically at this time. If empty, you start it yourself.",
    )
    freezes_at = _time(
        "Freeze",
        "From this time on, new results are shown only to organizers and staff, until you reveal "
        "them.",
    )
    freezes_after = NumberField(
        label="Freeze after round",
        required=False,
        initial=0,
        min_value=field_rules.FREEZES_AFTER_RANGE.low,
        max_value=field_rules.FREEZES_AFTER_RANGE.high,
        help_text="Round robin and Swiss only. 0 means never.",
    )
    ends_at = _time(
        "End",
        "No deal group starts after this time. If empty, the tournament ends when everything has "
        "been played.",
    )
    repeats = NumberField(
        label="Weekly repeats",
        required=False,
        initial=0,
        min_value=field_rules.REPEATS_RANGE.low,
        max_value=field_rules.REPEATS_RANGE.high,
        help_text="The number of further tournaments. When one starts, the site opens the next one "
        "for the following week.",
    )
    categories = TextField(
        label="Categories",
        required=False,
        help_text="Comma-separated, for example: students, guests. Each category has its own "
        "standings.",
    )
    zone = forms.CharField(initial="UTC", required=False, max_length=64, widget=forms.HiddenInput)

    @classmethod
    def from_tournament(cls, tournament: Tournament) -> ScheduleForm:
        """A form filled in with the values of a tournament."""
        return cls(initial=schedule_values(tournament), label_suffix="")

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
        for field in field_rules.TIMES:
            try:
                data[field] = read_time(data.get(field) or "", data.get("zone") or "")
            except ActionError as error:
                data[field] = None
                self.add_error(field, str(error))
        return data

    def values(self) -> dict[str, Any]:
        """The values in the form that actions expect."""
        return {name: self.cleaned_data[name] for name in field_rules.EDITABLE}

    def show_refusal(self, field: str, sentence: str) -> None:
        """Show a refusal at its field, or else at the top of the form."""
        self.add_error(field if field in self.fields else None, sentence)


def read_time(text: str, zone: str) -> datetime | None:
    """A time typed in a zone (empty: UTC), in UTC; None for an empty text. ActionError for others.

    If clocks are set back and show a time twice, the first one counts.
    """
    if not text:
        return None
    if zone and zone not in available_timezones():
        raise ActionError(f"This site does not know your time zone, {zone}.")
    try:
        local = datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(zone or "UTC"))
        time = local.astimezone(UTC)
    except (ValueError, OverflowError):
        raise ActionError("Give a date and a time, such as 2026-12-01 18:00.") from None
    if time.astimezone(local.tzinfo).replace(tzinfo=None) != local.replace(tzinfo=None):
        raise ActionError(f"Clocks in {zone} skip this time: they are set forward.")
    return time


def schedule_values(tournament: Tournament) -> dict[str, Any]:
    """The initial values of a tournament's form."""
    values = {name: getattr(tournament, name) for name in field_rules.EDITABLE}
    return values | {"categories": ", ".join(tournament.categories)}
