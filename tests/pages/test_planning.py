"""Presets, controls of a game's options, the forecast beside the form; many entries."""

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


SWISS = "Five rounds, then a knock-out of the first four."


@pytest.fixture
def boss(client: Client) -> Client:
    """Somebody with an account, at the browser."""
    client.force_login(factories.user("boss"))
    return client


def fields(page: str) -> dict[str, str]:
    """What a browser would send of the form as it is drawn."""
    form = page.partition('id="plan"')[2].partition("</form>")[0]
    found = dict(
        re.findall(r'<input type="(?:text|number|hidden)" name="([^"]+)" value="([^"]*)"', form)
    )
    found |= dict(re.findall(r'<textarea name="([^"]+)"[^>]*>\s*([^<]*)</textarea>', form))
    for name, body in re.findall(r'<select name="([^"]+)".*?>(.*?)</select>', form, re.DOTALL):
        chosen = re.search(r'value="([^"]*)" selected', body) or re.search(r'value="([^"]*)"', body)
        assert chosen
        found[name] = chosen[1]
    ticked = re.findall(r'<input type="checkbox" name="([^"]+)"[^>]* checked', form)
    return found | dict.fromkeys(ticked, "on")


@pytest.mark.parametrize("kind", PRESETS, ids=lambda kind: kind.name)
def test_a_kind_fills_in_the_whole_form(boss: Client, kind: Any) -> None:
    page = boss.get(f"/tournaments/new/?preset={kind.name}").content.decode()
    read(page)
    presets = page.partition('class="presets"')[2].partition("</nav>")[0]
    assert presets.count('aria-current="true"') == 1
    sent = fields(page)
    assert boss.post("/tournaments/new/", sent).status_code == 302
    made = Tournament.objects.get()
    assert (made.name, made.format) == (kind.values["name"], kind.values["format"])
    assert [stage.system for stage in made.stages.order_by("number")] == [
        stage["system"] for stage in kind.stages
    ]
    assert (made.partners, made.rated) == (kind.values.get("partners", "copies"), True)
    assert Format.parse(made.format)


@pytest.mark.parametrize(
    ("kind", "changed", "name", "description"),
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
            "Five rounds, then a knock-out of the first four.",
        ),
        ("partners-evening", {"partners": "copies"}, "Knock-out", ""),
    ],
)
def test_words_of_a_kind_stay_only_while_they_are_true(
    boss: Client, kind: str, changed: dict[str, str], name: str, description: str
) -> None:
    sent = fields(boss.get(f"/tournaments/new/?preset={kind}").content.decode())
    answer = boss.post("/tournaments/new/", {**sent, **changed})
    assert answer.status_code == 302, flat(answer.content.decode())
    made = Tournament.objects.get()
    assert (made.name.casefold(), made.description) == (name.casefold(), description)


def test_an_unknown_kind_is_the_usual_one(boss: Client) -> None:
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
                there = {o.name for o in game.options if o.applies(variant.name, table)}
                assert {field.name.split(".")[2] for field in form} == there
                assert not form.others_set


def test_what_is_as_usual_is_not_said() -> None:
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
    """Without scripts the controls are those of the game before."""
    sent = FORM | {"options_for": "cassino/standard/1v1", "format": "paks/standard/1v1"}
    assert boss.post("/tournaments/new/", sent).status_code == 302
    assert Tournament.objects.get().format == "paks/standard/1v1"


def test_the_controls_of_a_format(client: Client) -> None:
    page = client.get("/tournaments/new/options/?format=zwicker/grupp/ffa3").content.decode()
    assert 'name="option.zwicker.target"' in page
    assert "option.cassino" not in page
    assert 'value="zwicker/grupp/ffa3"' in page
    for path in ("", "a", "cassino", "cassino/royal/9v9", "<b>/x/y"):
        answer = client.get("/tournaments/new/options/", {"format": path})
        assert answer.status_code == 200
        assert "option." not in answer.content.decode()
        assert "<b>" not in answer.content.decode()


def test_what_goes_together_is_said_over_the_options(boss: Client) -> None:
    """An option may be right by itself and wrong beside another."""
    sent = FORM | {"option.cassino.target": "0", "option.cassino.end": "count"}
    page = boss.post("/tournaments/new/", sent).content.decode()
    read(page)
    said = page.partition('id="options"')[2].partition('role="alert"')[2].partition("</div>")[0]
    assert "target" in said


def test_more_options_are_asked_for_without_scripts(boss: Client) -> None:
    sent = FORM | {"word": "options", "format": "paks/standard/1v1", "name": "Kept"}
    page = boss.post("/tournaments/new/", sent).content.decode()
    assert 'name="option.paks.target"' in page
    assert fields(page)["name"] == "Kept"
    again = boss.post("/tournaments/new/", FORM | {"word": "add-stage"}).content.decode()
    assert fields(again)["option.cassino.deals"] == "4"


def test_what_the_text_says_counts(boss: Client) -> None:
    """Whatever no control expresses; the controls say the rest."""
    boss.post("/tournaments/new/", FORM | {"options": " ?deals=7 "})
    made = Tournament.objects.get()
    assert made.format == "cassino/royal/2v2?deals=7&sweeps=false"
    sent = fields(boss.get(f"/tournaments/{made.slug}/edit/").content.decode())
    assert (sent.get("options", ""), sent["option.cassino.deals"]) == ("", "7")
    page = boss.post("/tournaments/new/", FORM | {"options": "sweps=1"})
    assert page.context["more"]
    assert "sweps" in page.context["form"].errors["options"][0]
    again = boss.post("/tournaments/new/", FORM | {"word": "add-stage", "options": "deals=7"})
    assert fields(again.content.decode())["options"] == "deals=7"


def test_what_is_wrong_behind_more_opens_it(boss: Client) -> None:
    right = boss.post("/tournaments/new/", FORM | {"option.cassino.deals": "0"}).context["more"]
    wrong = boss.post("/tournaments/new/", FORM | {"move_ms": "-1"}).context["more"]
    stage = boss.post("/tournaments/new/", FORM | {"groups": "0"}).context["more"]
    assert (right, wrong, stage) == (False, True, True)


def test_a_draft_is_changed_with_its_options(boss: Client) -> None:
    boss.post("/tournaments/new/", FORM)
    made = Tournament.objects.get()
    form = TournamentForm.from_tournament(made)
    assert form["format"].value() == "cassino/royal/2v2"
    page = boss.get(f"/tournaments/{made.slug}/edit/").content.decode()
    assert 'class="presets"' not in page
    sent = fields(page)
    assert (sent["option.cassino.deals"], sent["option.cassino.sweeps"]) == ("4", "false")
    boss.post(f"/tournaments/{made.slug}/edit/", sent | {"option.cassino.deals": "6"})
    made.refresh_from_db()
    assert made.format == "cassino/royal/2v2?deals=6&sweeps=false"


def test_the_forecast_stands_beside_the_form(boss: Client) -> None:
    before = Tournament.objects.count()
    page = boss.post("/tournaments/new/forecast/", FORM | {"entrants": "4"}).content.decode()
    read(page)
    assert "<dt>Matches</dt><dd>36</dd>" in flat(page)  # six pairings, three groups, two matches
    assert "minute" in page
    assert "0.00" not in page
    page = boss.post("/tournaments/new/forecast/", FORM | {"groups": "0"}).content.decode()
    assert "when the form has no errors" in page
    page = boss.post("/tournaments/new/forecast/", FORM | {"system": "ladder"}).content.decode()
    assert "has no fixed end" in page
    answer = boss.post("/tournaments/new/forecast/", FORM | {"entrants": "9" * 30})
    assert answer.status_code == 200
    assert Tournament.objects.count() == before


# --- many entries -------------------------------------------------------------------------------


def test_many_enter_at_once(boss: Client) -> None:
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
    told = boss.post(address, {"bots": ["magpie", "jay"]}, follow=True).content.decode()
    assert "Magpie and Jay are entered." in told
    assert "Tick the bots" in boss.post(address, follow=True).content.decode()
    told = boss.post(address, {"all": "house"}, follow=True).content.decode()
    assert cup.entries.count() == 4
    assert "house:greedy and house:random are entered." in told


def test_of_many_all_enter_or_none(boss: Client) -> None:
    organizer = User.objects.get(username="boss")
    factories.bot(organizer, "Magpie")
    factories.bot(None, "Foreign")
    cup = factories.tournament(name="Cup", by=organizer)
    address = "/tournaments/cup/entries/enter-many/"
    told = boss.post(address, {"bots": ["magpie", "foreign"]}, follow=True).content.decode()
    assert "Foreign is not yours" in told
    told = boss.post(address, {"bots": ["magpie", "nobody"]}, follow=True).content.decode()
    assert "Choose bots from the list." in told
    assert cup.entries.count() == 0
