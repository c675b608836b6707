"""REST: matches, records, frames, attempts, logs, decisions of organizers."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING, Any

import pytest
from rest_framework.test import APIClient

from engine import Record
from tests import factories
from tests.api.conftest import World, assert_problem
from tournaments import actions
from tournaments.api.match_serializers import (
    MatchSerializer,
    SeatSerializer,
    SideResultSerializer,
)
from tournaments.models import Match

if TYPE_CHECKING:
    from pytest_django import DjangoAssertNumQueries

ALL = "/api/v1/matches/"


def at(match: Match, what: str = "") -> str:
    return f"{ALL}{match.pk}/{what}"


def seat_of(match: Match, slug: str) -> int:
    return match.seats.get(version__bot__slug=slug).index


def test_match_shows_seats_and_results(world: World, client: APIClient) -> None:
    shown = client.get(at(world.match)).json()
    assert shown["tournament"] == "autumn-cup"
    assert shown["state"] == "finished"
    assert shown["reason"] == "target"
    assert [seat["seat"] for seat in shown["seats"]] == [0, 1]
    assert shown["seats"][0]["cpu_ms"] == 5
    assert sorted(result["rank"] for result in shown["results"])[0] == 1
    assert "log" not in str(shown)
    assert_problem(client.get(f"{ALL}999999/"), 404)


def test_what_is_shown_is_what_the_document_says(world: World, client: APIClient) -> None:
    shown = client.get(at(world.match)).json()
    assert list(shown) == list(MatchSerializer().fields)
    assert list(shown["seats"][0]) == list(SeatSerializer().fields)
    assert list(shown["results"][0]) == list(SideResultSerializer().fields)
    assert client.get(ALL, {"bot": "magpie", "state": "finished"}).json()["results"][-1] == shown


def test_list_can_be_narrowed_in_constant_queries(
    world: World, client: APIClient, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    def count(**query: Any) -> int:
        with django_assert_num_queries(5):  # count, keys, rows, seats, results
            number: int = client.get(ALL, query).json()["count"]
        return number

    assert count() == 14
    assert count(bot="magpie") == 8
    assert count(tournament="winter-cup", state="waiting") == 2
    assert client.get(ALL, {"tournament": "nothing"}).json()["results"] == []


def test_record_verifies(world: World, client: APIClient) -> None:
    response = client.get(at(world.match, "record/"))
    assert response["Content-Type"] == "application/json"
    assert f"match-{world.match.pk}.json" in response["Content-Disposition"]
    record = Record.from_json(response.content)
    record.verify()
    assert record.seed == world.match.deal_group.seed
    assert record.format == world.match.format


@pytest.mark.parametrize("what", ["record/", "frames/"])
def test_record_and_frames_are_not_sent_twice(world: World, client: APIClient, what: str) -> None:
    first = client.get(at(world.match, what))
    assert first["Cache-Control"] == "public, no-cache"
    again = client.get(at(world.match, what), HTTP_IF_NONE_MATCH=first["ETag"])
    assert again.status_code == 304
    assert not again.content
    assert again["ETag"] == first["ETag"]


def test_frames_draw_every_move(world: World, client: APIClient) -> None:
    shown = client.get(at(world.match, "frames/")).json()
    record = Record.from_json(client.get(at(world.match, "record/")).content)
    assert [f["move"] for f in shown["frames"] if f["move"] is not None] == record.moves
    assert shown["frames"][1]["note"] == "a note"
    assert record.result is not None
    assert shown["frames"][-1]["view"]["scores"] == record.result["scores"]


def test_frames_are_packed_for_who_can_unpack(world: World, client: APIClient) -> None:
    plain = client.get(at(world.match, "frames/"))
    packed = client.get(at(world.match, "frames/"), HTTP_ACCEPT_ENCODING="gzip")
    assert packed["Content-Encoding"] == "gzip"
    assert gzip.decompress(packed.content) == plain.content
    etag = packed["ETag"]
    again = client.get(
        at(world.match, "frames/"), HTTP_ACCEPT_ENCODING="gzip", HTTP_IF_NONE_MATCH=etag
    )
    assert again.status_code == 304


@pytest.mark.parametrize("what", ["record/", "frames/"])
def test_before_the_end_there_is_no_record(world: World, client: APIClient, what: str) -> None:
    match = world.running.matches.order_by("pk")[0]
    assert_problem(client.get(at(match, what)), 404, "waiting")


def test_attempts_tell_causes_to_the_organizer_only(
    world: World, client: APIClient, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    [attempt] = actions.claim("machine-7", 1)
    actions.fail_attempt(attempt.pk, "The disk is full.")
    path = at(attempt.match, "attempts/")
    [shown] = client.get(path).json()["results"]
    assert (shown["outcome"], shown["worker"], shown["cause"]) == ("failed", "", "")
    client.force_authenticate(world.organizer)
    with django_assert_num_queries(4):  # match, count, match, rows
        [shown] = client.get(path).json()["results"]
    assert (shown["worker"], shown["cause"]) == ("machine-7", "The disk is full.")


def test_logs_are_for_the_seats_owner_only(world: World, client: APIClient) -> None:
    path = at(world.match, f"logs/{seat_of(world.match, 'magpie')}/")
    assert_problem(client.get(path), 401)
    client.force_authenticate(world.other)
    assert_problem(client.get(path), 403)
    client.force_authenticate(world.organizer)
    assert_problem(client.get(path), 403)
    for user in (world.owner, world.staff):
        client.force_authenticate(user)
        response = client.get(path)
        assert response.json()["log"] == "my log"
        assert "private" in response["Cache-Control"]
    assert_problem(client.get(at(world.match, "logs/7/")), 404)


def test_an_unplayed_seat_has_an_empty_log(world: World, client: APIClient) -> None:
    client.force_authenticate(world.owner)
    match = world.running.matches.order_by("pk")[0]
    assert_problem(client.get(at(match, "logs/0/")), 409, "still being played")
    actions.cancel(world.running, None)
    assert client.get(at(match, "logs/0/")).json()["log"] == ""


def test_organizer_decides_about_matches(world: World, client: APIClient) -> None:
    match = world.running.matches.order_by("pk")[0]
    why = {"reason": "The lights went out."}
    assert_problem(client.post(at(match, "void/"), why, format="json"), 401)
    client.force_authenticate(world.owner)
    assert_problem(client.post(at(match, "void/"), why, format="json"), 403, "organizer")
    client.force_authenticate(world.organizer)
    body = assert_problem(client.post(at(match, "void/"), {}, format="json"), 400)
    assert list(body["errors"]) == ["reason"]
    assert_problem(client.post(at(match, "rerun/"), why, format="json"), 409, "being played")
    for word, about in (("void/", match), ("rerun/", world.match), ("void/", world.match)):
        refused = client.post(at(about, word), why, format="json")
        assert_problem(refused, 403, "is rated: its organizer may decide about stuck matches only")
    client.force_authenticate(world.staff)
    assert client.post(at(match, "void/"), why, format="json").json()["state"] == "void"
    again = client.post(at(match, "rerun/"), why, format="json").json()
    assert (again["state"], again["fixture"]) == ("waiting", 2)
    assert again["id"] != match.pk
    again = client.post(at(world.match, "rerun/"), why, format="json").json()
    assert again["state"] == "waiting"  # its tournament had finished and runs again
    assert_problem(
        client.post(at(world.match, "rerun/"), why, format="json"), 409, f"match {again['id']} has"
    )
    world.finished.refresh_from_db()
    assert world.finished.state == "running"


def test_what_other_rules_gave_is_refused_with_words(world: World, client: APIClient) -> None:
    match = world.finished.matches.order_by("pk")[0]
    factories.outdate(match)
    assert client.get(f"/api/v1/matches/{match.pk}/record/").status_code == 200
    answer = client.get(f"/api/v1/matches/{match.pk}/frames/")
    assert_problem(answer, 409, "of version 7 of-long-ago of the rules")
