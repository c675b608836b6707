"""Page, REST and command line accept the same tournaments and give the same errors."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import CharField
from django.test import Client
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rest_framework.test import APIClient

from bots.cli.common import UsageError
from bots.referee.clock import ClockSettings
from cardroom.pages.tournaments.tournament_form import TournamentForm
from cardroom_base.core.fields import FieldError
from engine import Format
from tests import factories as make
from tournaments import home
from tournaments.course import field_rules
from tournaments.home import cli_options
from tournaments.models import Tournament
from tournaments.pairing import SYSTEMS
from tournaments.standings import TIE_BREAKS

pytestmark = pytest.mark.django_db

Refusals = set[tuple[str, str]]
"""Pairs of a field's path and an error."""

EXAMPLES = 200 if os.environ.get("CARDROOM_FULL") else 30
NUMBER = st.sampled_from([-1, 0, 1, 2, 4, 50, 1000, 3_600_000, 36_000_001, 2**31, 10**12, "two"])
FORMATS = (
    *("cassino/standard/1v1", "cassino/royal/2v2?target=11", "cassino/standard/1v1v1"),
    *("cassino/standard/1v1?deals=0", "cassino/standard/1v1?sweps=1", "cassino/nonsense/1v1"),
    *("?deals=2", "poker", ""),
)
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
NAMES = st.sampled_from(["Spring cup", "house:cup", " ", "x" * 81, "a\u202eb"]) | TEXT


def word(choices: Any) -> st.SearchStrategy[str]:
    return st.sampled_from([*choices, "nonsense"])


@st.composite
def stages(draw: st.DrawFn) -> list[dict[str, Any]]:
    plans = []
    for index in range(draw(st.integers(1, 3))):
        name = draw(word(SYSTEMS))
        settings_of_system = SYSTEMS[name].settings if name in SYSTEMS else ()
        numbers = ["groups", "divisions", *(["take"] if index else [])]
        chosen_settings = (
            draw(st.sets(st.sampled_from(settings_of_system))) if settings_of_system else set()
        )
        plans.append(
            {
                "system": name,
                "settings": {
                    setting.name: draw(NUMBER)
                    for setting in settings_of_system
                    if setting in chosen_settings
                },
                **{key: draw(st.integers(1, 4) | NUMBER) for key in numbers},
            }
        )
    return plans


COMMAND_LINE_FIELDS = {
    "format": st.sampled_from(FORMATS),
    "partners": word(field_rules.PARTNERS),
    "tie_breaks": st.lists(word(TIE_BREAKS), max_size=4),
    "move_ms": NUMBER,
    "bank_ms": NUMBER,
    "stages": stages(),
}
"""Fields that the command line has, too."""
SITE_FIELDS = COMMAND_LINE_FIELDS | {
    "name": NAMES,
    "description": st.sampled_from(["", "Ours.", "x" * 2001]) | TEXT,
    "seeding": word(field_rules.SEEDINGS),
    "fault_policy": word(field_rules.FAULT_POLICIES),
    "visibility": word(field_rules.VISIBILITIES),
    "rated": st.booleans(),
    "apart": st.booleans(),
}
VALID: dict[str, Any] = {
    "name": "Cup",
    "description": "",
    "format": FORMATS[0],
    "partners": "copies",
    "seeding": "entry",
    "tie_breaks": [],
    "move_ms": 1000,
    "bank_ms": 0,
    "apart": False,
    "fault_policy": "fallback",
    "visibility": "all",
    "live_delay": 15,
    "rated": True,
    "stages": [{"system": "swiss", "settings": {"rounds": 5}, "groups": 1, "divisions": 1}],
}


@st.composite
def tournaments(draw: st.DrawFn, strategies: dict[str, Any]) -> dict[str, Any]:
    """Valid values except in some fields, mostly in few, so that some tournaments are accepted."""
    fields = draw(
        st.sets(st.sampled_from(sorted(strategies)), max_size=3) | st.just(set(strategies))
    )
    return VALID | {field: draw(strategies[field]) for field in sorted(fields)}


def draft_values() -> list[Any]:
    """The values of all drafts."""
    fields = sorted(SITE_FIELDS.keys() - {"stages"})
    return [
        (*(getattr(tournament, f) for f in fields), tournament.plans())
        for tournament in Tournament.objects.all()
    ]


def create_by_rest(by: User, values: dict[str, Any]) -> tuple[Refusals, list[Any]]:
    client = APIClient()
    client.force_authenticate(by)
    response = client.post("/api/v1/tournaments/", values, format="json")
    assert response.status_code in {201, 400}
    errors = response.json().get("errors", {})
    return {(field, text) for field, texts in errors.items() for text in texts}, draft_values()


def create_by_page(by: User, values: dict[str, Any]) -> tuple[Refusals, list[Any]]:
    client = Client()
    client.force_login(by)
    response = client.post("/tournaments/new/", form_data(values))
    assert response.status_code in {200, 302}
    refusals = refusals_of(response.context["form"]) if response.status_code == 200 else set()
    return refusals, draft_values()


def form_data(values: dict[str, Any]) -> dict[str, Any]:
    """The data of a form that is filled in with these values."""
    path, _, rest = values["format"].partition("?")
    data = {key: value for key, value in values.items() if key not in {"stages", "tie_breaks"}}
    data |= {"format": path, "options": rest, "stages": str(len(values["stages"]))}
    data |= {f"tie_break_{i}": name for i, name in enumerate(values["tie_breaks"], 1)}
    for number, stage in enumerate(values["stages"], 1):
        prefix = f"s{number}-" if number > 1 else ""
        stage_settings = {
            f"{stage['system']}.{name}": value for name, value in stage["settings"].items()
        }
        plain = {key: value for key, value in stage.items() if key != "settings"}
        data |= {prefix + key: value for key, value in (plain | stage_settings).items()}
    return {key: value for key, value in data.items() if value is not False}


def refusals_of(form: TournamentForm) -> Refusals:
    """The errors of a form, with REST's paths of the fields."""
    refusals = set()
    for field, texts in form.errors.items():
        path = {"options": "format", "tie_break_1": "tie_breaks"}.get(field, field)
        refusals |= {(path, str(text)) for text in texts}
    for index, stage in enumerate(form.stages):
        for field, texts in stage.errors.items():
            key = "settings." + field.partition(".")[2] if "." in field else field
            refusals |= {(f"stages[{index}].{key}", str(text)) for text in texts}
    return refusals


def refusal_of_command_line(values: dict[str, Any], file: Path) -> tuple[str, str] | None:
    """The first error of the command line; None if it would play."""
    file.write_text(json.dumps(values["stages"]))
    try:
        ClockSettings(values["move_ms"], values["bank_ms"])
        plans = cli_options.plans_of("round-robin", (), 10, None, file)
        names = cli_options.tie_breaks_of(",".join(values["tie_breaks"]))
        fmt = Format.parse(values["format"])
        bots = cli_options.team_size(fmt, values["partners"])
        rotating = values["partners"] == "rotating"
        entries = ("a", "b", "c", "d", "e", "f", "g", "h")
        setup = home.Setup(fmt, entries, "s", plans, rotating, names, bots)
        home.HomeTournament(setup)
    except FieldError as error:
        return error.field, str(error)
    except ValueError as error:
        return "format", str(error) if values["format"] else "A tournament needs a format."
    return None


@settings(max_examples=EXAMPLES, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(values=tournaments(SITE_FIELDS))
def test_page_and_rest_agree(values: dict[str, Any]) -> None:
    results = []
    for create in (create_by_rest, create_by_page):
        with transaction.atomic():
            results.append(create(make.user(), values))
            transaction.set_rollback(True)
    assert results[0] == results[1]
    refusals, drafts = results[0]
    assert bool(refusals) != bool(drafts)


@settings(max_examples=EXAMPLES, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(values=tournaments(COMMAND_LINE_FIELDS))
def test_command_line_and_rest_agree(values: dict[str, Any], tmp_path: Path) -> None:
    with transaction.atomic():
        refusals, _ = create_by_rest(make.user(), values)
        transaction.set_rollback(True)
    refusal = refusal_of_command_line(values, tmp_path / "stages.json")
    assert refusal is None if not refusals else refusal in refusals


@pytest.mark.parametrize(
    ("option", "path"),
    [
        ({"groups": 0}, "groups"),
        ({"groups": 1001}, "groups"),
        ({"system": "swis"}, "system"),
        ({"system": "trial"}, "system"),
        ({"settings": {"rounds": -1}, "system": "swiss"}, "settings.rounds"),
        ({"settings": {"runds": 5}, "system": "swiss"}, "settings.runds"),
    ],
)
def test_short_fields_of_a_single_stage_agree(option: dict[str, Any], path: str) -> None:
    values = {"name": "Cup", "format": FORMATS[0], **option}
    ((field, sentence),) = create_by_rest(make.user(), values)[0]
    assert field == path
    arguments = [f"{name}={value}" for name, value in option.get("settings", {}).items()]
    with pytest.raises(FieldError) as error:
        cli_options.plans_of(
            option.get("system", "swiss"), arguments, option.get("groups", 1), None, None
        )
    assert (error.value.field, str(error.value)) == (field, sentence)


def test_rest_reports_errors_of_all_fields() -> None:
    refusals, _ = create_by_rest(
        make.user(), {"move_ms": 0, "rated": "yes", "stages": [{}, {"take": 1}]}
    )
    assert {field for field, _ in refusals} == {
        *("name", "format", "move_ms", "rated", "stages[1].take")
    }


def test_models_have_the_choices_of_the_terms() -> None:
    assert tuple(Tournament.Partners.values) == field_rules.PARTNERS
    assert tuple(Tournament.Seeding.values) == field_rules.SEEDINGS
    assert tuple(Tournament.FaultPolicy.values) == field_rules.FAULT_POLICIES
    for name, limit in (("name", field_rules.MAX_NAME), ("format", field_rules.MAX_FORMAT)):
        field = Tournament._meta.get_field(name)
        assert isinstance(field, CharField)
        assert field.max_length == limit


def test_settings_belong_in_the_file_of_stages(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="put the settings in the file"):
        cli_options.plans_of("swiss", ["rounds=5"], 1, None, tmp_path / "stages.json")
