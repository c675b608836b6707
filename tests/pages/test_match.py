"""The page of a match, its transcript, tally and questions to bots, without a browser."""

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
    """Use uncollected static files."""
    plain = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    settings.STORAGES = settings.STORAGES | {"staticfiles": plain}


def text(client: Client, address: str, headers: dict[str, str] | None = None) -> str:
    response = client.get(address, headers=headers)
    assert response.status_code == 200
    return response.content.decode()


def test_the_page_shows_sides_and_score_and_sets_up_the_viewer(client: Client) -> None:
    record = finished.play(FORM)
    match = finished.match(record)
    response = client.get(f"/matches/{match.pk}/")
    assert record.result is not None
    scores = " – ".join(map(str, record.result["scores"]))
    page = response.content.decode()
    assert f'<span class="num">{scores}</span>' in page
    assert '<span lang="ja">凪 Nagi</span>' in page
    setup = response.context["setup"]
    assert [seat["compass"] for seat in setup["seats"]] == ["South", "West", "North", "East"]
    assert [seat["place"] for seat in setup["seats"]] == ["S", "W", "N", "E"]
    assert setup["seats"][0] | {"rating": 1521, "interval": 21} == setup["seats"][0]
    assert setup["sides"] == [[0, 2], [1, 3]]
    for name in ("frames", "record", "tally"):
        assert client.get(setup["urls"][name]).status_code == 200
    assert f"cardroom verify http://testserver{setup['urls']['record']}" in page


def test_plates_show_ratings_from_before_the_match(client: Client) -> None:
    match = finished.match(finished.play(FORM))
    models.Match.objects.filter(pk=match.pk).update(ordinal=7)
    version = match.seats.get(index=0).version
    for ordinal, fitted in ((6, 1600.0), (7, 1700.0), (8, 1800.0)):
        models.RatingPoint.objects.create(
            pool=FORM.partition("?")[0],
            version=version,
            ordinal=ordinal,
            fitted=fitted,
            low=fitted - 30,
            high=fitted + 30,
        )
    first = client.get(f"/matches/{match.pk}/").context["setup"]["seats"][0]
    assert (first["rating"], first["interval"]) == (1600, 30)


def test_before_the_first_fit_a_plate_shows_the_live_rating(client: Client) -> None:
    match = finished.match(finished.play(FORM))
    models.RatingPoint.objects.all().delete()
    version = match.seats.get(index=1).version
    models.RatingChange.objects.create(
        pool=FORM.partition("?")[0], version=version, match=match, before=1234.4, after=1250
    )
    seats = client.get(f"/matches/{match.pk}/").context["setup"]["seats"]
    assert [seat["rating"] for seat in seats] == [None, 1234, None, None]


def test_the_page_introduces_its_game(client: Client) -> None:
    page = flat(text(client, f"/matches/{finished.match(finished.play(FORM)).pk}/"))
    assert "Cassino in pairs" in page
    assert "One card a turn. Take cards of its rank, or cards that add up to it." in page


def test_the_page_obeys_the_content_security_policy(client: Client) -> None:
    match = finished.match(finished.play(FORM, faulty=True))
    for address in (f"/matches/{match.pk}/", f"/matches/{match.pk}/transcript/"):
        page = flat(text(client, address))
        assert " style=" not in page
        assert "<style" not in page
        assert " onclick" not in page
        assert "<script>" not in page


def test_only_owners_see_links_to_logs(client: Client) -> None:
    match = finished.match(finished.play(FORM))
    address = f"/matches/{match.pk}/"
    assert "data-log" not in text(client, address)
    client.force_login(User.objects.get(username="owner1"))
    assert text(client, address).count("data-log") == 1
    assert f"/api/v1/matches/{match.pk}/logs/1/" in text(client, address)


def test_a_running_match_polls_and_then_shows_the_replay(client: Client) -> None:
    match = finished.match(FORM, state="playing")
    models.Match.objects.filter(pk=match.pk).update(moves_played=17)
    address = f"/matches/{match.pk}/"
    page = text(client, address)
    assert "17 moves played" in page
    assert f'hx-get="{address}" hx-trigger="every 3s"' in page
    part = flat(text(client, address, {"HX-Request": "true"}))
    assert part.strip().startswith('<div id="progress"')
    models.Match.objects.filter(pk=match.pk).update(state="finished")
    response = client.get(address, headers={"HX-Request": "true"})
    assert response.headers["HX-Refresh"] == "true"


@pytest.mark.parametrize(
    ("state", "reason", "polls"),
    [
        ("waiting", "This match has not started.", True),
        ("stuck", "Every attempt at this match failed.", False),
        ("void", "This match does not count.", False),
    ],
)
def test_a_match_without_a_result_shows_the_reason(
    client: Client, state: str, reason: str, polls: bool
) -> None:
    page = text(client, f"/matches/{finished.match(FORM, state=state).pk}/")
    assert reason in page
    assert ("hx-trigger" in page) == polls


def test_the_organizer_sees_the_attempts_and_may_decide(client: Client) -> None:
    organizer = User.objects.create_user("organizer")
    cup = finished.tournament(FORM, organizer=organizer)
    match = finished.match(FORM, state="stuck", cup=cup)
    address = f"/matches/{match.pk}/"
    assert "Attempts" not in text(client, address)
    client.force_login(organizer)
    assert f'action="{address}decide/"' in text(client, address)


def test_a_drafts_matches_are_hidden_from_others(client: Client) -> None:
    match = finished.match(FORM, cup=finished.tournament(FORM, state="draft"))
    for part in ("", "transcript/", "tally/", "moves/1/"):
        assert client.get(f"/matches/{match.pk}/{part}").status_code == 404


def test_a_record_of_other_rules_is_refused_with_a_reason(client: Client) -> None:
    match = finished.match(finished.play(FORM))
    factories.outdate(match)
    assert client.get(f"/matches/{match.pk}/").status_code == 200
    for part in ("transcript/", "tally/", "moves/2/"):
        response = client.get(f"/matches/{match.pk}/{part}")
        assert response.status_code == 409
        assert "This match cannot be replayed here" in response.content.decode()
        assert "does not follow" in response.content.decode()
        assert "version 7 of-long-ago of the rules" in response.content.decode()


def test_a_match_with_too_many_moves_is_not_replayed(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(record_data, "MAX_REPLAYED", 10)
    match = finished.match(finished.play(FORM))
    page = text(client, f"/matches/{match.pk}/")
    assert "download its record" in page
    assert "transcript" not in page
    assert "data-replay" not in page
    for part in ("transcript/", "tally/", "moves/2/", "preview.png", "deals/1/animation.webp"):
        response = client.get(f"/matches/{match.pk}/{part}")
        assert response.status_code == 409
        assert "download its record" in response.content.decode()


def test_the_transcript_lists_every_move_with_its_clause(client: Client) -> None:
    record = finished.play(FORM, faulty=True)
    match = finished.match(record)
    page = text(client, f"/matches/{match.pk}/transcript/")
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
def test_the_tally_equals_the_score_sheet_at_the_end_of_each_deal(
    client: Client, form: str
) -> None:
    record = finished.play(form)
    match = finished.match(record)
    tally = client.get(f"/matches/{match.pk}/tally/").json()
    deals = record.verify().deals
    keys = [line["key"] for line in tally["lines"]]
    clauses = {line["clause"] for line in tally["lines"]}
    ends = [
        {key: points for key, points in zip(keys, frame, strict=True) if any(points)}
        for position, frame in zip(record.frames(), tally["frames"], strict=True)
        if position["move"] and position["view"]["to_act"] is None
    ]
    assert len(ends) == len(deals)
    for end, deal in zip(ends, deals, strict=True):
        lines = [line for line in deal["sheet"]["lines"] if any(line["points"])]
        assert end == {line["key"]: line["points"] for line in lines}
        assert {line["clause"] for line in lines} - {"CAN-52"} <= clauses


def test_a_bonus_outside_views_appears_at_the_end_of_the_deal(client: Client) -> None:
    record = finished.play("canasta/classic/1v1?target=1000", "out")
    match = finished.match(record)
    tally = client.get(f"/matches/{match.pk}/tally/").json()
    assert tally["lines"][-1] == {"key": "out", "clause": "CAN-51", "for": "going out"}
    outs = [frame[-1] for frame in tally["frames"]]
    ends = [frame["view"]["to_act"] is None for frame in record.frames()]
    assert all(points == [0, 0] for points, is_end in zip(outs, ends, strict=True) if not is_end)
    assert any(any(points) for points in outs)


def test_spoon_eye_bonuses_count_once_the_target_is_reached(client: Client) -> None:
    record = finished.play("spoon-eye/standard/1v1?target=30")
    match = finished.match(record)
    tally = client.get(f"/matches/{match.pk}/tally/").json()
    frames = list(record.frames())
    keys = [line["key"] for line in tally["lines"]]
    assert tally["standing"][-1] == record.verify().scores
    jumps = 0
    for frame, lines, scores in zip(frames, tally["frames"], tally["standing"], strict=True):
        start = next(other for other in frames if other["deal"] == frame["deal"])["view"]["sheet"]
        for side, score in enumerate(scores):
            points = dict(zip(keys, (line[side] for line in lines), strict=True))
            bonus = start[side]["bonus"] + points.pop("bonus")
            score_before_bonus = start[side]["base"] + sum(points.values())
            assert score == score_before_bonus + (bonus if score_before_bonus >= 30 else 0)
            jumps += score_before_bonus >= 30 and bonus != 0
    assert jumps


def test_a_game_without_a_tally_has_none(monkeypatch: Any) -> None:
    monkeypatch.setattr(type(Format.parse(FORM).spec), "tally", Game.tally)
    assert record_data.tally(finished.play(FORM)) is None


def test_a_question_equals_the_bots_request(client: Client) -> None:
    record = finished.play(FORM)
    match = finished.match(record)
    replay = Match(Format.parse(FORM), seed=record.seed)
    for move in record.moves[:20]:
        replay.play(move)
    question = client.get(f"/matches/{match.pk}/moves/21/").json()
    seat = replay.turn
    assert seat is not None
    assert question["n"] == 20
    assert question["view"] == replay.view(seat)
    assert question["legal"] == replay.legal_moves()
    assert "hands" not in question["view"]


@pytest.mark.parametrize("number", [0, 97])
def test_there_is_no_question_outside_the_match(client: Client, number: int) -> None:
    match = finished.match(finished.play(FORM))
    assert client.get(f"/matches/{match.pk}/moves/{number}/").status_code == 404


def test_the_page_shows_why_a_live_table_is_hidden(client: Client, world: World) -> None:
    first, second = world.running.deal_groups.earliest("number").matches.order_by("pk")
    models.Match.objects.filter(pk=first.pk).update(state="playing")
    page = flat(client.get(f"/matches/{first.pk}/").content.decode())
    assert "Another table is still playing these cards." in page
    factories.finish(second)
    page = flat(client.get(f"/matches/{first.pk}/").content.decode())
    assert "The match is starting." in page
