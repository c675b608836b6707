"""Presets, controls of a game's options, the forecast beside the form; several entries."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from cardroom.pages.tournaments.option_form import OptionsForm
from cardroom.pages.tournaments.presets import PRESETS, preset
from cardroom.pages.tournaments.tournament_form import TournamentForm
from engine import Format, registry
from tests import factories
from tests.pages.markup import flat
from tests.pages.test_pages import read
from tests.pages.test_tournaments import FORM
from tournaments.models import Tournament

pytestmark = pytest.mark.django_db


SWISS = "Five rounds, then a knock-out of the top four."


@pytest.fixture
def boss(client: Client) -> Client:
    """A browser in which an account is logged in."""
    client.force_login(factories.user("boss"))
    return client


def fields(page: str) -> dict[str, str]:
    """The values that a browser would send for the form."""
    form = page.partition('id="plan"')[2].partition("</form>")[0]
    values = dict(
        re.findall(r'<input type="(?:text|number|hidden)" name="([^"]+)" value="([^"]*)"', form)
    )
    values |= dict(re.findall(r'<textarea name="([^"]+)"[^>]*>\s*([^<]*)</textarea>', form))
    for name, body in re.findall(r'<select name="([^"]+)".*?>(.*?)</select>', form, re.DOTALL):
        option = re.search(r'value="([^"]*)" selected', body) or re.search(r'value="([^"]*)"', body)
        assert option
        values[name] = option[1]
    boxes = re.findall(r'<input type="checkbox" name="([^"]+)"[^>]* checked', form)
    return values | dict.fromkeys(boxes, "on")


@pytest.mark.parametrize("kind", PRESETS, ids=lambda kind: kind.name)
def test_a_preset_fills_in_the_whole_form(boss: Client, kind: Any) -> None:
    page = boss.get(f"/tournaments/new/?preset={kind.name}").content.decode()
    read(page)
    presets = page.partition('class="presets"')[2].partition("</nav>")[0]
    assert presets.count('aria-current="true"') == 1
    data = fields(page)
    assert boss.post("/tournaments/new/", data).status_code == 302
    tournament = Tournament.objects.get()
    assert (tournament.name, tournament.format) == (kind.values["name"], kind.values["format"])
    assert [stage.system for stage in tournament.stages.order_by("number")] == [
        stage["system"] for stage in kind.stages
    ]
    assert (tournament.partners, tournament.rated) == (kind.values.get("partners", "copies"), True)
    assert Format.parse(tournament.format)


@pytest.mark.parametrize(
    ("kind", "changes", "name", "description"),
    [
        ("", {}, "Quick round robin", "Everybody meets everybody."),
        ("", {"groups": "7"}, "Quick round robin", "Everybody meets everybody."),
        ("", {"system": "double-knock-out"}, "Double knock-out", ""),
        ("", {"system": "gauntlet", "name": "My cup"}, "My cup", ""),
        ("", {"system": "gauntlet", "description": "Mine."}, "Gauntlet", "Mine."),
        ("weekend-swiss", {"swiss.rounds": "9"}, "Swiss, then Knock-out", ""),
        (
            "weekend-swiss",
            {"seeding": "entry"},
            "Weekend Swiss",
            "Five rounds, then a knock-out of the top four.",
        ),
        ("partners-evening", {"partners": "copies"}, "Knock-out", ""),
    ],
)
def test_a_presets_description_stays_only_while_true(
    boss: Client, kind: str, changes: dict[str, str], name: str, description: str
) -> None:
    data = fields(boss.get(f"/tournaments/new/?preset={kind}").content.decode())
    response = boss.post("/tournaments/new/", {**data, **changes})
    assert response.status_code == 302, flat(response.content.decode())
    tournament = Tournament.objects.get()
    assert (tournament.name.casefold(), tournament.description) == (name.casefold(), description)


def test_an_unknown_preset_becomes_the_default(boss: Client) -> None:
    assert preset("nonsense") is None
    page = boss.get("/tournaments/new/?preset=nonsense").content.decode()
    presets = page.partition('class="presets"')[2].partition("</nav>")[0]
    assert 'aria-current="true"' not in presets
    assert fields(page)["system"] == "round-robin"


def test_every_option_of_every_game_has_a_control() -> None:
    for game in registry.games():
        for variant in game.variants:
            for table in variant.tables:
                form = OptionsForm(f"{game.name}/{variant.name}/{table}")
                applicable = {o.name for o in game.options if o.applies(variant.name, table)}
                assert {field.name.split(".")[2] for field in form} == applicable
                assert not form.others_set


def test_default_options_are_omitted_from_the_text() -> None:
    usual = OptionsForm("cassino/royal/2v2")
    data = {field.name: str(field.initial).lower() for field in usual}
    form = OptionsForm("cassino/royal/2v2", data)
    assert form.is_valid()
    assert form.text() == ""
    changed = OptionsForm("cassino/royal/2v2", data | {"option.cassino.sweeps": "false"})
    assert changed.is_valid()
    assert changed.text() == "sweeps=false"
    assert changed.others_set


def test_options_of_another_game_are_dropped(boss: Client) -> None:
    """Without scripts the form has the controls of the previous game."""
    data = FORM | {"options_for": "cassino/standard/1v1", "format": "paks/standard/1v1"}
    assert boss.post("/tournaments/new/", data).status_code == 302
    assert Tournament.objects.get().format == "paks/standard/1v1"


def test_the_controls_of_a_format(client: Client) -> None:
    page = client.get("/tournaments/new/options/?format=zwicker/grupp/ffa3").content.decode()
    assert 'name="option.zwicker.target"' in page
    assert "option.cassino" not in page
    assert 'value="zwicker/grupp/ffa3"' in page
    for path in ("", "a", "cassino", "cassino/royal/9v9", "<b>/x/y"):
        response = client.get("/tournaments/new/options/", {"format": path})
        assert response.status_code == 200
        assert "option." not in response.content.decode()
        assert "<b>" not in response.content.decode()


def test_conflicting_options_show_an_error_above_the_options(boss: Client) -> None:
    """An option may be valid by itself and conflict with another."""
    data = FORM | {"option.cassino.target": "0", "option.cassino.end": "count"}
    page = boss.post("/tournaments/new/", data).content.decode()
    read(page)
    alert = page.partition('id="options"')[2].partition('role="alert"')[2].partition("</div>")[0]
    assert "target" in alert


def test_options_are_reloaded_without_scripts(boss: Client) -> None:
    data = FORM | {"word": "options", "format": "paks/standard/1v1", "name": "Kept"}
    page = boss.post("/tournaments/new/", data).content.decode()
    assert 'name="option.paks.target"' in page
    assert fields(page)["name"] == "Kept"
    next_page = boss.post("/tournaments/new/", FORM | {"word": "add-stage"}).content.decode()
    assert fields(next_page)["option.cassino.deals"] == "4"


def test_options_in_the_text_field_count(boss: Client) -> None:
    """The text field holds options without controls; the controls give the others."""
    boss.post("/tournaments/new/", FORM | {"options": " ?deals=7 "})
    tournament = Tournament.objects.get()
    assert tournament.format == "cassino/royal/2v2?deals=7&sweeps=false"
    data = fields(boss.get(f"/tournaments/{tournament.slug}/edit/").content.decode())
    assert (data.get("options", ""), data["option.cassino.deals"]) == ("", "7")
    page = boss.post("/tournaments/new/", FORM | {"options": "sweps=1"})
    assert page.context["more"]
    assert "sweps" in page.context["form"].errors["options"][0]
    next_page = boss.post("/tournaments/new/", FORM | {"word": "add-stage", "options": "deals=7"})
    assert fields(next_page.content.decode())["options"] == "deals=7"


def test_an_error_in_the_extra_settings_opens_them(boss: Client) -> None:
    valid = boss.post("/tournaments/new/", FORM | {"option.cassino.deals": "0"}).context["more"]
    invalid = boss.post("/tournaments/new/", FORM | {"move_ms": "-1"}).context["more"]
    stage = boss.post("/tournaments/new/", FORM | {"groups": "0"}).context["more"]
    assert (valid, invalid, stage) == (False, True, True)


def test_a_draft_is_changed_with_its_options(boss: Client) -> None:
    boss.post("/tournaments/new/", FORM)
    tournament = Tournament.objects.get()
    form = TournamentForm.from_tournament(tournament)
    assert form["format"].value() == "cassino/royal/2v2"
    page = boss.get(f"/tournaments/{tournament.slug}/edit/").content.decode()
    assert 'class="presets"' not in page
    data = fields(page)
    assert (data["option.cassino.deals"], data["option.cassino.sweeps"]) == ("4", "false")
    boss.post(f"/tournaments/{tournament.slug}/edit/", data | {"option.cassino.deals": "6"})
    tournament.refresh_from_db()
    assert tournament.format == "cassino/royal/2v2?deals=6&sweeps=false"


def test_the_forecast_stands_beside_the_form(boss: Client) -> None:
    count = Tournament.objects.count()
    page = boss.post("/tournaments/new/forecast/", FORM | {"entrants": "4"}).content.decode()
    read(page)
    assert "<dt>Matches</dt><dd>36</dd>" in flat(page)  # six pairings, three groups, two matches
    assert "minute" in page
    assert "0.00" not in page
    page = boss.post("/tournaments/new/forecast/", FORM | {"groups": "0"}).content.decode()
    assert "once the form has no errors" in page
    page = boss.post("/tournaments/new/forecast/", FORM | {"system": "ladder"}).content.decode()
    assert "has no fixed end" in page
    response = boss.post("/tournaments/new/forecast/", FORM | {"entrants": "9" * 30})
    assert response.status_code == 200
    assert Tournament.objects.count() == count


# --- several entries ------------------------------------------------------------------------------


def test_several_bots_enter_together(boss: Client) -> None:
    organizer = User.objects.get(username="boss")
    for name in ("Magpie", "Jay"):
        factories.bot(organizer, name)
    for name in ("house:random", "house:greedy"):
        factories.house_bot(name)
    cup = factories.tournament(name="Cup", by=organizer)
    page = boss.get("/tournaments/cup/entries/").content.decode()
    read(page)
    assert page.count('name="bots"') == 4
    address = "/tournaments/cup/entries/enter-many/"
    page_after = boss.post(address, {"bots": ["magpie", "jay"]}, follow=True).content.decode()
    assert "Magpie and Jay have been entered." in page_after
    assert "Tick the bots" in boss.post(address, follow=True).content.decode()
    page_after = boss.post(address, {"all": "house"}, follow=True).content.decode()
    assert cup.entries.count() == 4
    assert "house:greedy and house:random have been entered." in page_after


def test_several_bots_enter_all_or_none(boss: Client) -> None:
    organizer = User.objects.get(username="boss")
    factories.bot(organizer, "Magpie")
    factories.bot(None, "Foreign")
    cup = factories.tournament(name="Cup", by=organizer)
    address = "/tournaments/cup/entries/enter-many/"
    page_after = boss.post(address, {"bots": ["magpie", "foreign"]}, follow=True).content.decode()
    assert "Foreign is not yours" in page_after
    page_after = boss.post(address, {"bots": ["magpie", "nobody"]}, follow=True).content.decode()
    assert "Choose bots from the list." in page_after
    assert cup.entries.count() == 0
