"""The stages in a tournament's form: at first one, with a button to add more.

The fields of the first stage have plain names (`system`, `groups`, …); those of stage 2 begin with
`s2-`. The form contains the settings of all systems, but only the chosen system's are read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django import forms

from cardroom.pages.common.forms import ChoiceField, NumberField
from tournaments.course.stages import MAX_DIVISIONS, MAX_GROUPS, MAX_STAGES, MAX_TAKE
from tournaments.models import Stage
from tournaments.pairing import SYSTEMS

ADDED_STAGE: Final = {"system": "knock-out", "groups": 2, "divisions": 1, "take": 8}
"""The initial values of an added stage."""


class StageForm(forms.Form):
    """A stage: its system, its deal groups, and its entries."""

    system = ChoiceField(
        label="Pairing system",
        choices=lambda: [(system.name, system.title) for system in SYSTEMS.values()],
    )
    groups = NumberField(
        label="Deal groups per pairing",
        initial=2,
        min_value=1,
        max_value=MAX_GROUPS,
        help_text="A group is one set of shuffles, played once from every side.",
    )
    take = NumberField(
        label="Entries that advance to this stage",
        min_value=2,
        max_value=MAX_TAKE,
        help_text="The best of the previous stage, the same number from each of its divisions.",
    )
    divisions = NumberField(
        label="Divisions",
        initial=1,
        min_value=1,
        max_value=MAX_DIVISIONS,
        help_text="Groups of about equal strength that play separately. 1 means that all play "
        "together.",
    )

    def __init__(self, number: int, data: Any = None, initial: Any = None) -> None:
        super().__init__(
            data, initial=initial, prefix=f"s{number}" if number > 1 else None, label_suffix=""
        )
        self.number = number
        if number == 1:
            del self.fields["take"]
        for system in SYSTEMS.values():
            for setting in system.settings:
                self.fields[f"{system.name}.{setting.name}"] = NumberField(
                    label=setting.title,
                    initial=setting.default,
                    min_value=setting.low,
                    max_value=setting.high,
                    required=False,
                    help_text=setting.meaning,
                )

    @property
    def choices(self) -> list[SystemChoice]:
        """Each system with its title and the fields of its settings."""
        return [
            SystemChoice(
                name,
                system.summary,
                [self[f"{name}.{setting.name}"] for setting in system.settings],
            )
            for name, system in SYSTEMS.items()
        ]

    def plan(self) -> dict[str, Any]:
        """The stage as actions take it; empty settings are omitted, so defaults apply."""
        data = self.cleaned_data
        system = SYSTEMS.get(data["system"])
        settings = {
            setting.name: data[f"{data['system']}.{setting.name}"]
            for setting in (system.settings if system else ())
        }
        return {
            "system": data["system"],
            "settings": {name: value for name, value in settings.items() if value is not None},
            **{key: data[key] for key in ("groups", "divisions", "take") if key in self.fields},
        }

    def show_refusal(self, key: str, sentence: str) -> None:
        """Show a refusal at the field of a key of the plan, such as `settings.rounds`, or else at
        the system."""
        system = self.cleaned_data.get("system")
        field = key.replace("settings.", f"{system}.")
        self.add_error(field if field in self.fields else "system", sentence)


@dataclass(frozen=True, slots=True)
class SystemChoice:
    """A system that can be chosen for a stage."""

    name: str
    summary: str
    fields: list[forms.BoundField]


def stage_count(data: Mapping[str, Any]) -> int:
    """The number of stages in a form."""
    text = str(data.get("stages", "1"))
    return min(max(int(text), 1), MAX_STAGES) if text.isdecimal() and len(text) < 3 else 1


def typed_stages(data: Any) -> list[StageForm]:
    """The stages in the data of a form."""
    return [StageForm(number, data) for number in range(1, 1 + stage_count(data))]


def stored_stages(stages: Sequence[Stage]) -> list[StageForm]:
    """The stages of a stored tournament."""
    return [StageForm(number, initial=_initial(stage)) for number, stage in enumerate(stages, 1)]


def typed_values(form: type[forms.Form] | StageForm, data: Any) -> dict[str, Any]:
    """The typed values of a form, as initial values of another form."""
    bound = form if isinstance(form, StageForm) else form(data)
    return {
        name: field.widget.value_from_datadict(data, {}, bound.add_prefix(name))
        for name, field in bound.fields.items()
    }


def changed_stages(data: Any, word: str) -> list[StageForm]:
    """The stages with their typed values, with one more or without the last one."""
    forms = [
        StageForm(stage.number, initial=typed_values(stage, data)) for stage in typed_stages(data)
    ]
    if word == "add-stage" and len(forms) < MAX_STAGES:
        return [*forms, StageForm(len(forms) + 1, initial=ADDED_STAGE)]
    return forms[:-1] if word == "remove-stage" and len(forms) > 1 else forms


def _initial(stage: Stage) -> dict[str, Any]:
    values = {name: getattr(stage, name) for name in ("system", "groups", "divisions")}
    own_settings = {f"{stage.system}.{name}": value for name, value in stage.settings.items()}
    return {**values, **own_settings, "take": stage.take or None}
