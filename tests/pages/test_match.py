"""The page of a match, its transcript, its tally and the bots' questions, without a browser."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from cardroom.pages.common import record_data
from engine import Format, Match
from engine.game import Game
from tests import factories
from tests.pages import finished
from tests.pages.conftest import World
from tests.pages.markup import flat
from tournaments import models

pytestmark = pytest.mark.django_db

FORM = "cassino/standard/2v2?deals=2&target=0"


@pytest.fixture(autouse=True)
def _plain_site(settings: Any) -> None:
    """Static files as they lie."""
    plain = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    settings.STORAGES = settings.STORAGES | {"staticfiles": plain}


def text(client: Client, address: str, headers: dict[str, str] | None = None) -> str:
    answer = client.get(address, headers=headers)
    assert answer.status_code == 200
    return answer.content.decode()


def test_the_page_names_sides_and_score_and_gives_the_viewer_what_it_needs(client: Client) -> None:
    record = finished.play(FORM)
    found = finished.match(record)
    answer = client.get(f"/matches/{found.pk}/")
    assert record.result is not None
    scores = " – ".join(map(str, record.result["scores"]))
    page = answer.content.decode()
    assert f'<span class="num">{scores}</span>' in page
    assert '<span lang="ja">凪 Nagi</span>' in page
    setup = answer.context["setup"]
    assert [seat["compass"] for seat in setup["seats"]] == ["South", "West", "North", "East"]
    assert [seat["place"] for seat in setup["seats"]] == ["S", "W", "N", "E"]
    assert setup["seats"][0] | {"rating": 1521, "interval": 21} == setup["seats"][0]
    assert setup["sides"] == [[0, 2], [1, 3]]
    for name in ("frames", "record", "tally"):
        assert client.get(setup["urls"][name]).status_code == 200
    assert f"cardroom verify http://testserver{setup['urls']['record']}" in page


def test_plates_show_the_rating_with_which_each_sat_down(client: Client) -> None:
    found = finished.match(finished.play(FORM))
    models.Match.objects.filter(pk=found.pk).update(ordinal=7)
    version = found.seats.get(index=0).version
    for ordinal, fitted in ((6, 1600.0), (7, 1700.0), (8, 1800.0)):
        models.RatingPoint.objects.create(
            pool=FORM.partition("?")[0],
            version=version,
            ordinal=ordinal,
            fitted=fitted,
            low=fitted - 30,
            high=fitted + 30,
        )
    first = client.get(f"/matches/{found.pk}/").context["setup"]["seats"][0]
    assert (first["rating"], first["interval"]) == (1600, 30)


def test_before_the_first_fit_a_plate_shows_the_live_rating(client: Client) -> None:
    found = finished.match(finished.play(FORM))
    models.RatingPoint.objects.all().delete()
    version = found.seats.get(index=1).version
    models.RatingChange.objects.create(
        pool=FORM.partition("?")[0], version=version, match=found, before=1234.4, after=1250
    )
    seats = client.get(f"/matches/{found.pk}/").context["setup"]["seats"]
    assert [seat["rating"] for seat in seats] == [None, 1234, None, None]


def test_a_stranger_is_told_which_game_this_is_and_how_it_goes(client: Client) -> None:
    page = flat(text(client, f"/matches/{finished.match(finished.play(FORM)).pk}/"))
    assert "Cassino in pairs" in page
    assert "One card a turn. Take cards of its rank, or cards that add up to it." in page


def test_the_page_keeps_to_the_policy(client: Client) -> None:
    found = finished.match(finished.play(FORM, faulty=True))
    for address in (f"/matches/{found.pk}/", f"/matches/{found.pk}/transcript/"):
        page = flat(text(client, address))
        assert " style=" not in page
        assert "<style" not in page
        assert " onclick" not in page
        assert "<script>" not in page


def test_only_owners_are_offered_a_log(client: Client) -> None:
    found = finished.match(finished.play(FORM))
    address = f"/matches/{found.pk}/"
    assert "data-log" not in text(client, address)
    client.force_login(User.objects.get(username="owner1"))
    assert text(client, address).count("data-log") == 1
    assert f"/api/v1/matches/{found.pk}/logs/1/" in text(client, address)


def test_a_running_match_polls_and_then_shows_the_replay(client: Client) -> None:
    found = finished.match(FORM, state="playing")
    models.Match.objects.filter(pk=found.pk).update(moves_played=17)
    address = f"/matches/{found.pk}/"
    page = text(client, address)
    assert "17 moves played" in page
    assert f'hx-get="{address}" hx-trigger="every 3s"' in page
    part = flat(text(client, address, {"HX-Request": "true"}))
    assert part.strip().startswith('<div id="progress"')
    models.Match.objects.filter(pk=found.pk).update(state="finished")
    answer = client.get(address, headers={"HX-Request": "true"})
    assert answer.headers["HX-Refresh"] == "true"


@pytest.mark.parametrize(
    ("state", "words", "polls"),
    [
        ("waiting", "This match has not started.", True),
        ("stuck", "Every attempt at this match failed.", False),
        ("void", "This match does not count.", False),
    ],
)
def test_a_match_without_a_result_says_why(
    client: Client, state: str, words: str, polls: bool
) -> None:
    page = text(client, f"/matches/{finished.match(FORM, state=state).pk}/")
    assert words in page
    assert ("hx-trigger" in page) == polls


def test_the_organizer_sees_the_attempts_and_may_decide(client: Client) -> None:
    organizer = User.objects.create_user("organizer")
    cup = finished.tournament(FORM, organizer=organizer)
    found = finished.match(FORM, state="stuck", cup=cup)
    address = f"/matches/{found.pk}/"
    assert "Attempts" not in text(client, address)
    client.force_login(organizer)
    assert f'action="{address}decide/"' in text(client, address)


def test_a_draft_is_seen_by_nobody_else(client: Client) -> None:
    found = finished.match(FORM, cup=finished.tournament(FORM, state="draft"))
    for part in ("", "transcript/", "tally/", "moves/1/"):
        assert client.get(f"/matches/{found.pk}/{part}").status_code == 404


def test_what_other_rules_gave_is_refused_with_words(client: Client) -> None:
    found = finished.match(finished.play(FORM))
    factories.outdate(found)
    assert client.get(f"/matches/{found.pk}/").status_code == 200
    for part in ("transcript/", "tally/", "moves/2/"):
        answer = client.get(f"/matches/{found.pk}/{part}")
        assert answer.status_code == 409
        assert "This match cannot be replayed here" in answer.content.decode()
        assert "does not follow" in answer.content.decode()
        assert "version 7 of-long-ago of the rules" in answer.content.decode()


def test_the_transcript_tells_every_move_with_its_clause(client: Client) -> None:
    record = finished.play(FORM, faulty=True)
    found = finished.match(record)
    page = text(client, f"/matches/{found.pk}/transcript/")
    sentences = [frame["sentence"] for frame in record.frames()]
    assert page.count('<li id="move-') == len(record.moves)
    assert all(sentence in page for sentence in sentences)
    assert 'href="/games/cassino/rules/#CAS-26"' in page
    assert "&lt;i&gt;sweeps now&lt;/i&gt;" in page
    assert page.count("The platform played a legal move instead.") == 1


@pytest.mark.parametrize(
    "form",
    [
        "cassino/standard/2v2",
        "cassino/spade/ffa3",
        "canasta/classic/2v2?target=500",
        "canasta/classic/1v2?target=300",
        "spoon-eye/standard/ffa3?target=20",
        "zwicker/christiansen/1v1?deals=2&target=0",
        "paks/standard/2v2?target=50",
    ],
)
def test_the_tally_agrees_with_the_sheet_at_the_end_of_each_deal(client: Client, form: str) -> None:
    record = finished.play(form)
    found = finished.match(record)
    tally = client.get(f"/matches/{found.pk}/tally/").json()
    deals = record.verify().deals
    keys = [line["key"] for line in tally["lines"]]
    clauses = {line["clause"] for line in tally["lines"]}
    ends = [
        {key: points for key, points in zip(keys, frame, strict=True) if any(points)}
        for shown, frame in zip(record.frames(), tally["frames"], strict=True)
        if shown["move"] and shown["view"]["to_act"] is None
    ]
    assert len(ends) == len(deals)
    for end, deal in zip(ends, deals, strict=True):
        lines = [line for line in deal["sheet"]["lines"] if any(line["points"])]
        assert end == {line["key"]: line["points"] for line in lines}
        assert {line["clause"] for line in lines} - {"CAN-52"} <= clauses


def test_a_bonus_that_no_view_tells_comes_with_the_end_of_the_deal(client: Client) -> None:
    record = finished.play("canasta/classic/1v1?target=1000", "out")
    found = finished.match(record)
    tally = client.get(f"/matches/{found.pk}/tally/").json()
    assert tally["lines"][-1] == {"key": "out", "clause": "CAN-51", "for": "going out"}
    outs = [frame[-1] for frame in tally["frames"]]
    over = [frame["view"]["to_act"] is None for frame in record.frames()]
    assert all(points == [0, 0] for points, ended in zip(outs, over, strict=True) if not ended)
    assert any(any(points) for points in outs)


def test_bonuses_of_spoon_eye_count_when_the_target_is_reached(client: Client) -> None:
    record = finished.play("spoon-eye/standard/1v1?target=30")
    found = finished.match(record)
    tally = client.get(f"/matches/{found.pk}/tally/").json()
    frames = list(record.frames())
    keys = [line["key"] for line in tally["lines"]]
    assert tally["standing"][-1] == record.verify().scores
    jumps = 0
    for frame, lines, shown in zip(frames, tally["frames"], tally["standing"], strict=True):
        start = next(each for each in frames if each["deal"] == frame["deal"])["view"]["sheet"]
        for side, score in enumerate(shown):
            points = dict(zip(keys, (line[side] for line in lines), strict=True))
            bonus = start[side]["bonus"] + points.pop("bonus")
            below = start[side]["base"] + sum(points.values())
            assert score == below + (bonus if below >= 30 else 0)
            jumps += below >= 30 and bonus != 0
    assert jumps


def test_a_game_without_a_tally_gives_none(monkeypatch: Any) -> None:
    monkeypatch.setattr(type(Format.parse(FORM).spec), "tally", Game.tally)
    assert record_data.tally(finished.play(FORM)) is None


def test_a_question_is_what_the_bot_was_sent(client: Client) -> None:
    record = finished.play(FORM)
    found = finished.match(record)
    replay = Match(Format.parse(FORM), seed=record.seed)
    for move in record.moves[:20]:
        replay.play(move)
    asked = client.get(f"/matches/{found.pk}/moves/21/").json()
    seat = replay.turn
    assert seat is not None
    assert asked["n"] == 20
    assert asked["view"] == replay.view(seat)
    assert asked["legal"] == replay.legal_moves()
    assert "hands" not in asked["view"]


@pytest.mark.parametrize("number", [0, 97])
def test_there_is_no_question_outside_the_match(client: Client, number: int) -> None:
    found = finished.match(finished.play(FORM))
    assert client.get(f"/matches/{found.pk}/moves/{number}/").status_code == 404


def test_who_waits_for_a_live_table_is_told_why(client: Client, world: World) -> None:
    first, second = world.running.deal_groups.earliest("number").matches.order_by("pk")
    models.Match.objects.filter(pk=first.pk).update(state="playing")
    page = flat(client.get(f"/matches/{first.pk}/").content.decode())
    assert "Another table is still playing these cards." in page
    factories.finish(second)
    page = flat(client.get(f"/matches/{first.pk}/").content.decode())
    assert "The match is starting." in page
