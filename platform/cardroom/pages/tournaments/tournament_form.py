"""The form of a tournament. It only parses input; `tournaments.course.field_rules` validates it."""

from __future__ import annotations

import re
from typing import Any, Final

from django import forms
from django.core.exceptions import NON_FIELD_ERRORS

from bots.referee.clock import BANK_MS_RANGE, MOVE_MS_RANGE
from cardroom.display.format_names import format_words
from cardroom.pages.common.forms import ChoiceField, NumberField, TextField
from cardroom.pages.tournaments.option_form import OptionsForm, split_format
from cardroom.pages.tournaments.presets import Preset, outdated
from cardroom.pages.tournaments.schedule_form import ScheduleForm, schedule_values
from cardroom.pages.tournaments.stage_form import (
    StageForm,
    changed_stages,
    stored_stages,
    typed_stages,
    typed_values,
)
from cardroom_base.core.fields import FieldError
from engine import Format, registry
from tournaments.course import field_rules
from tournaments.course.stages import MAX_STAGES, parse_stages
from tournaments.models import Tournament
from tournaments.pairing import SYSTEMS
from tournaments.standings import DEFAULT, TIE_BREAKS


def _plain_formats() -> list[tuple[str, list[tuple[str, str]]]]:
    """All formats without options, by game, for a list of choices."""
    return [
        (
            game.title,
            [
                (path, str(format_words(path)))
                for variant in game.variants
                for table in variant.tables
                for path in [f"{game.name}/{variant.name}/{table}"]
            ],
        )
        for game in registry.games()
    ]


def _format_list() -> list[tuple[str, str]]:
    """The same formats in one list."""
    return [fmt for _, formats in _plain_formats() for fmt in formats]


class TournamentForm(ScheduleForm):
    """A tournament before it opens."""

    name = TextField(label="Name", max_length=field_rules.MAX_NAME)
    format = ChoiceField(label="Game", choices=_plain_formats)
    options = TextField(
        label="Options as text",
        required=False,
        help_text="In the notation of formats, such as deals=4&sweeps=false. "
        "This text overrides the controls above.",
        widget=forms.TextInput(attrs={"class": "mono", "spellcheck": "false"}),
    )
    partners = ChoiceField(
        label="Partners",
        choices=Tournament.Partners.choices,
        initial=Tournament.Partners.COPIES,
        help_text="For sides with several seats.",
    )
    seeding = ChoiceField(
        label="Seeds",
        choices=Tournament.Seeding.choices,
        initial=Tournament.Seeding.ENTRY,
        help_text="The order of the entries, used for brackets and divisions.",
    )
    late = forms.BooleanField(
        label="Bots may also enter while it runs (Swiss; ladders always allow it)", required=False
    )
    apart = forms.BooleanField(
        label="Keep bots of the same author apart for as long as possible",
        required=False,
    )
    move_ms = NumberField(
        label="Free time per move, in milliseconds",
        initial=1000,
        min_value=MOVE_MS_RANGE.low,
        max_value=MOVE_MS_RANGE.high,
    )
    bank_ms = NumberField(
        label="Time bank per match, in milliseconds",
        initial=20000,
        min_value=BANK_MS_RANGE.low,
        max_value=BANK_MS_RANGE.high,
    )
    fault_policy = ChoiceField(
        label="After a bot’s first fault", choices=Tournament.FaultPolicy.choices
    )
    live_delay = NumberField(
        label="Delay for spectators, in seconds",
        initial=15,
        min_value=field_rules.LIVE_DELAY_RANGE.low,
        max_value=field_rules.LIVE_DELAY_RANGE.high,
    )
    rated = forms.BooleanField(
        label="Results count towards the ratings", required=False, initial=True
    )

    visibility = ChoiceField(
        label="Visible to",
        choices=Tournament.Visibility.choices,
        help_text="Applies once it is open. Only unrated tournaments can be hidden from others.",
    )

    FIELDS: Final = (
        "name",
        *field_rules.EDITABLE,
        "move_ms",
        "bank_ms",
        "fault_policy",
        "live_delay",
        "rated",
        "visibility",
        "partners",
        "seeding",
        "apart",
        "late",
    )

    def __init__(self, data: Any = None, *, initial: Any = None, stages: Any = None) -> None:
        """`initial`: its `format` may contain options."""
        values = (data if data is not None else initial) or {}
        path, options = split_format(str(values.get("format", "")))
        path = path or _format_list()[0][0]
        self.controls = OptionsForm(path, data, options)
        initial_values = (
            {"options": self.controls.uncontrolled(options)} | (initial or {}) | {"format": path}
        )
        super().__init__(data, initial=initial_values, label_suffix="")
        for index, name in enumerate(_ORDER):
            self.fields[f"tie_break_{index + 1}"] = ChoiceField(
                label=name, choices=_tie_breaks, required=False, initial=_default(index)
            )
        if stages is None:
            stages = [StageForm(1)] if data is None else typed_stages(data)
        self.stages: list[StageForm] = stages

    @classmethod
    def from_preset(cls, preset: Preset) -> TournamentForm:
        """A form filled in with a preset."""
        stages = [StageForm(i, initial=dict(values)) for i, values in enumerate(preset.stages, 1)]
        return cls(initial=dict(preset.values), stages=stages)

    @classmethod
    def from_tournament(cls, tournament: Tournament) -> TournamentForm:
        """A form filled in with the values of a tournament."""
        values = {name: getattr(tournament, name) for name in cls.FIELDS}
        values |= schedule_values(tournament) | {"format": tournament.format}
        values |= dict.fromkeys((f"tie_break_{i + 1}" for i in range(len(_ORDER))), "")
        values |= {f"tie_break_{i}": name for i, name in enumerate(tournament.tie_breaks, 1)}
        return cls(initial=values, stages=stored_stages(list(tournament.stages.order_by("number"))))

    @classmethod
    def changed(cls, data: Any, word: str) -> TournamentForm:
        """An unchecked form with the typed values. `word`: the button, which may add or remove a
        stage."""
        form = cls(initial=typed_values(cls, data), stages=changed_stages(data, word))
        form.controls = OptionsForm.with_typed_values(form.controls.path, data)
        return form

    @property
    def tie_breaks(self) -> list[forms.BoundField]:
        """The fields of the tie-breaks, in order."""
        return [self[f"tie_break_{index + 1}"] for index in range(len(_ORDER))]

    @property
    def last_stage(self) -> bool:
        """Whether the number of stages has reached its limit."""
        return len(self.stages) >= MAX_STAGES

    def is_valid(self) -> bool:
        """Whether the fields and the stages are valid, separately and together."""
        parts = (self.controls, *self.stages)
        return super().is_valid() and not any(part.errors for part in parts)

    @property
    def has_hidden_error(self) -> bool:
        """Whether a field in the collapsed part has an error."""
        visible = {*VISIBLE_FIELDS, *(field.name for field in self.controls), NON_FIELD_ERRORS}
        return any(stage.errors for stage in self.stages) or bool(self.errors.keys() - visible)

    def clean(self) -> dict[str, Any]:
        """Show each error at its field, with the same sentence as in REST."""
        data: dict[str, Any] = super().clean() or {}
        for part in (self.controls, *self.stages):
            part.full_clean()
        self._drop_outdated(data)
        if self.errors.keys() & set(field_rules.TIMES):
            return data
        values = self.values()
        for error in field_rules.field_errors(values) or self._combination_errors(values):
            self.show_refusal(error.field, str(error))
        return data

    def values(self) -> dict[str, Any]:
        """The values as actions take them."""
        data = self.cleaned_data
        typed_options = data["options"].strip().lstrip("?")
        options = "&".join(
            filter(None, (typed_options, self.controls.text(split_format(f"?{typed_options}")[1])))
        )
        names = (data[f"tie_break_{index + 1}"] for index in range(len(_ORDER)))
        return {
            **{name: data[name] for name in self.FIELDS},
            "format": f"{data['format']}?{options}" if options else data["format"],
            "tie_breaks": list(dict.fromkeys(name for name in names if name)),
            "stages": [stage.plan() for stage in self.stages],
        }

    def _drop_outdated(self, data: dict[str, Any]) -> None:
        """If the name or the description is that of a preset that does not fit the values, replace
        the name by the pairing systems, and clear the description."""
        stages = [stage.cleaned_data for stage in self.stages]
        name, description = outdated(data, stages)
        if description:
            data["description"] = ""
        titles = [
            system.title
            for stage in stages
            if (system := SYSTEMS.get(str(stage.get("system")))) is not None
        ]
        if name and titles:
            data["name"] = ", then ".join(titles)[: field_rules.MAX_NAME]

    def show_refusal(self, path: str, sentence: str) -> None:
        """Show a refusal at the field of its path, or else at the top of the form."""
        if match := _IN_STAGE.fullmatch(path):
            self.stages[int(match[1])].show_refusal(match[2], sentence)
            return
        field = {"tie_breaks": "tie_break_1"}.get(path, path)
        if field == "format" and self.cleaned_data["format"] in dict(_format_list()):
            if self.cleaned_data["options"].strip():
                field = "options"
            elif self.controls.errors:
                return  # the field shows this error already
            elif self.controls.text():
                self.controls.add_error(None, sentence)
                return
        self.add_error(field if field in self.fields else None, sentence)

    def _combination_errors(self, values: dict[str, Any]) -> list[FieldError]:
        fmt, plans = Format.parse(values["format"]), parse_stages(values["stages"])
        try:
            field_rules.check_combination(
                fmt,
                plans,
                values["partners"],
                rated=values["rated"],
                seed_chosen=False,
                visibility=values["visibility"],
            )
        except FieldError as error:
            return [error]
        return []


VISIBLE_FIELDS: Final = ("name", "format")
"""The fields outside the collapsed part."""

_IN_STAGE: Final = re.compile(r"stages\[(\d+)\]\.?(.*)")
_ORDER: Final = ("First tie-break", "Second tie-break", "Third tie-break", "Fourth tie-break")


def _tie_breaks() -> list[tuple[str, str]]:
    return [("", "none"), *((name, tie_break.title) for name, tie_break in TIE_BREAKS.items())]


def _default(index: int) -> str:
    return DEFAULT[index] if index < len(DEFAULT) else ""
