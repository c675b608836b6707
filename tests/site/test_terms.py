"""One tournament, checked once: page, REST and command line allow the same and say the same."""

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
from tournaments.course import terms
from tournaments.home import options
from tournaments.models import Tournament
from tournaments.pairing import SYSTEMS
from tournaments.standings import TIE_BREAKS

pytestmark = pytest.mark.django_db

Refusals = set[tuple[str, str]]
"""Paths of fields, each with a sentence."""

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
    found = []
    for index in range(draw(st.integers(1, 3))):
        name = draw(word(SYSTEMS))
        known = SYSTEMS[name].settings if name in SYSTEMS else ()
        keys = ["groups", "divisions", *(["take"] if index else [])]
        chosen = draw(st.sets(st.sampled_from(known))) if known else set()
        found.append(
            {
                "system": name,
                "settings": {each.name: draw(NUMBER) for each in known if each in chosen},
                **{key: draw(st.integers(1, 4) | NUMBER) for key in keys},
            }
        )
    return found


AT_HOME = {
    "format": st.sampled_from(FORMATS),
    "partners": word(terms.PARTNERS),
    "tie_breaks": st.lists(word(TIE_BREAKS), max_size=4),
    "move_ms": NUMBER,
    "bank_ms": NUMBER,
    "stages": stages(),
}
"""What the command line asks for, too."""
ON_SITE = AT_HOME | {
    "name": NAMES,
    "description": st.sampled_from(["", "Ours.", "x" * 2001]) | TEXT,
    "seeding": word(terms.SEEDINGS),
    "fault_policy": word(terms.FAULT_POLICIES),
    "visibility": word(terms.VISIBILITIES),
    "rated": st.booleans(),
    "apart": st.booleans(),
}
RIGHT: dict[str, Any] = {
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
def tournaments(draw: st.DrawFn, drawn: dict[str, Any]) -> dict[str, Any]:
    """What is right, but for some fields; mostly few, or nothing would ever be accepted."""
    fields = draw(st.sets(st.sampled_from(sorted(drawn)), max_size=3) | st.just(set(drawn)))
    return RIGHT | {field: draw(drawn[field]) for field in sorted(fields)}


def made() -> list[Any]:
    """What the drafts there are hold."""
    fields = sorted(ON_SITE.keys() - {"stages"})
    return [
        (*(getattr(tournament, f) for f in fields), tournament.plans())
        for tournament in Tournament.objects.all()
    ]


def by_rest(by: User, asked: dict[str, Any]) -> tuple[Refusals, list[Any]]:
    client = APIClient()
    client.force_authenticate(by)
    answer = client.post("/api/v1/tournaments/", asked, format="json")
    assert answer.status_code in {201, 400}
    errors = answer.json().get("errors", {})
    return {(field, text) for field, texts in errors.items() for text in texts}, made()


def by_page(by: User, asked: dict[str, Any]) -> tuple[Refusals, list[Any]]:
    client = Client()
    client.force_login(by)
    answer = client.post("/tournaments/new/", typed(asked))
    assert answer.status_code in {200, 302}
    return shown(answer.context["form"]) if answer.status_code == 200 else set(), made()


def typed(asked: dict[str, Any]) -> dict[str, Any]:
    """The form as somebody fills it in who wants just that."""
    path, _, rest = asked["format"].partition("?")
    data = {key: value for key, value in asked.items() if key not in {"stages", "tie_breaks"}}
    data |= {"format": path, "options": rest, "stages": str(len(asked["stages"]))}
    data |= {f"tie_break_{i}": name for i, name in enumerate(asked["tie_breaks"], 1)}
    for number, stage in enumerate(asked["stages"], 1):
        prefix = f"s{number}-" if number > 1 else ""
        own = {f"{stage['system']}.{name}": value for name, value in stage["settings"].items()}
        plain = {key: value for key, value in stage.items() if key != "settings"}
        data |= {prefix + key: value for key, value in (plain | own).items()}
    return {key: value for key, value in data.items() if value is not False}


def shown(form: TournamentForm) -> Refusals:
    """What the form says, with the paths of what its fields stand for."""
    found = set()
    for field, texts in form.errors.items():
        path = {"options": "format", "tie_break_1": "tie_breaks"}.get(field, field)
        found |= {(path, str(text)) for text in texts}
    for index, stage in enumerate(form.stages):
        for field, texts in stage.errors.items():
            key = "settings." + field.partition(".")[2] if "." in field else field
            found |= {(f"stages[{index}].{key}", str(text)) for text in texts}
    return found


def at_home(asked: dict[str, Any], file: Path) -> tuple[str, str] | None:
    """What the command line says first; None where it would play."""
    file.write_text(json.dumps(asked["stages"]))
    try:
        ClockSettings(asked["move_ms"], asked["bank_ms"])
        plans = options.plans_of("round-robin", (), 10, None, file)
        names = options.tie_breaks_of(",".join(asked["tie_breaks"]))
        fmt = Format.parse(asked["format"])
        bots = options.team_size(fmt, asked["partners"])
        rotating = asked["partners"] == "rotating"
        entries = ("a", "b", "c", "d", "e", "f", "g", "h")
        setup = home.Setup(fmt, entries, "s", plans, rotating, names, bots)
        home.HomeTournament(setup)
    except FieldError as error:
        return error.field, str(error)
    except ValueError as error:
        return "format", str(error) if asked["format"] else "A tournament needs a format."
    return None


@settings(max_examples=EXAMPLES, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(asked=tournaments(ON_SITE))
def test_page_and_rest_agree(asked: dict[str, Any]) -> None:
    said = []
    for gate in (by_rest, by_page):
        with transaction.atomic():
            said.append(gate(make.user(), asked))
            transaction.set_rollback(True)
    assert said[0] == said[1]
    refusals, drafts = said[0]
    assert bool(refusals) != bool(drafts)


@settings(max_examples=EXAMPLES, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(asked=tournaments(AT_HOME))
def test_command_line_and_rest_agree(asked: dict[str, Any], tmp_path: Path) -> None:
    with transaction.atomic():
        refusals, _ = by_rest(make.user(), asked)
        transaction.set_rollback(True)
    said = at_home(asked, tmp_path / "stages.json")
    assert said is None if not refusals else said in refusals


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
def test_so_do_the_short_fields_of_a_single_stage(option: dict[str, Any], path: str) -> None:
    asked = {"name": "Cup", "format": FORMATS[0], **option}
    ((field, sentence),) = by_rest(make.user(), asked)[0]
    assert field == path
    given_ = [f"{name}={value}" for name, value in option.get("settings", {}).items()]
    with pytest.raises(FieldError) as error:
        options.plans_of(option.get("system", "swiss"), given_, option.get("groups", 1), None, None)
    assert (error.value.field, str(error.value)) == (field, sentence)


def test_rest_tells_of_all_fields_at_once() -> None:
    refusals, _ = by_rest(make.user(), {"move_ms": 0, "rated": "yes", "stages": [{}, {"take": 1}]})
    assert {field for field, _ in refusals} == {
        *("name", "format", "move_ms", "rated", "stages[1].take")
    }


def test_models_have_the_choices_of_the_terms() -> None:
    assert tuple(Tournament.Partners.values) == terms.PARTNERS
    assert tuple(Tournament.Seeding.values) == terms.SEEDINGS
    assert tuple(Tournament.FaultPolicy.values) == terms.FAULT_POLICIES
    for name, limit in (("name", terms.MAX_NAME), ("format", terms.MAX_FORMAT)):
        field = Tournament._meta.get_field(name)
        assert isinstance(field, CharField)
        assert field.max_length == limit


def test_settings_stand_in_the_file_of_stages(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="put the settings in the file"):
        options.plans_of("swiss", ["rounds=5"], 1, None, tmp_path / "stages.json")
