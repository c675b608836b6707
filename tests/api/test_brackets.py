"""REST: brackets, the log, playing a round again."""

from __future__ import annotations

import pytest
from rest_framework.test import APIClient

from tests import chosen_winners, factories
from tests.api.conftest import assert_problem
from tournaments.models import Tournament

pytestmark = pytest.mark.django_db


def address_of(cup: Tournament, path: str) -> str:
    return f"/api/v1/tournaments/{cup.slug}/{path}"


@pytest.fixture
def cup() -> Tournament:
    """A knock-out of five: d and e meet, then a waits for the winner, and b meets c."""
    bots = [factories.bot(name=name) for name in "abcde"]
    return factories.tournament(
        bots, by=factories.user("boss"), start=True, system="knock-out", settings={"third": 1}
    )


def test_a_bracket_from_the_first_round_to_the_last(cup: Tournament, client: APIClient) -> None:
    body = client.get(address_of(cup, "bracket/")).json()
    assert (body["tournament"], body["state"]) == (cup.slug, "running")
    (bracket,) = body["brackets"]
    assert (bracket["stage"], bracket["division"], bracket["system"]) == (1, 1, "knock-out")
    states = [[pairing["state"] for pairing in column] for column in bracket["columns"]]
    assert states == [["bye", "playing", "bye", "bye"], ["coming"] * 2, ["coming"] * 2]
    chosen_winners.play_round(cup, "edcba")
    chosen_winners.play_round(cup, "edcba")
    (bracket,) = client.get(address_of(cup, "bracket/")).json()["brackets"]
    semifinal, other = bracket["columns"][1]
    assert [side["name"] for side in semifinal["sides"]] == ["a", "e"]
    assert semifinal["sides"][1] == {
        "seed": 5,
        "bot": {"slug": "e", "name": "e"},
        "name": "e",
        "points": 1.0,
        "difference": 36.0,
        "winner": True,
        "through": True,
    }
    assert [side["winner"] for side in other["sides"]] == [True, False]  # c against b
    chosen_winners.play_out(cup, "edcba")
    rows = client.get(address_of(cup, "standings/")).json()["rows"]
    assert [(row["place"], row["name"]) for row in rows] == [
        (1, "e"),
        (2, "c"),
        (3, "b"),
        (4, "a"),
        (5, "d"),
    ]


def test_a_bracket_exists_once_its_stage_begins(client: APIClient) -> None:
    stages = [{"groups": 1}, {"system": "double-knock-out", "groups": 1, "take": 2}]
    cup = factories.tournament(3, stages=stages, start=True)
    assert_problem(
        client.get(address_of(cup, "bracket/")), 404, "no bracket until its knock-out stage begins"
    )
    plain = factories.tournament(2, start=True)
    body = assert_problem(
        client.get(address_of(plain, "bracket/")), 404, "no bracket; see its standings/"
    )
    assert body["type"] == "urn:cardroom:problem:no-bracket"


def test_a_round_played_again_is_in_the_log(cup: Tournament, client: APIClient) -> None:
    chosen_winners.play_round(cup, "abcde")
    address = address_of(cup, "rounds/rerun/")
    data = {"round": 1, "reason": "The machine was overheated."}
    assert_problem(client.post(address, data, format="json"), 401)
    client.force_authenticate(factories.user())
    assert_problem(client.post(address, data, format="json"), 403)
    client.force_authenticate(cup.organizer)
    assert_problem(client.post(address, data, format="json"), 409, "No match", "only staff")
    client.force_authenticate(factories.user("warden", staff=True))
    assert_problem(client.post(address, {"round": 1}, format="json"), 400, "reason")
    late = {"round": 9, "reason": "x"}
    assert_problem(client.post(address, late, format="json"), 409, "No match of round 9")
    assert client.post(address, data, format="json").json()["state"] == "running"
    chosen_winners.play_round(
        cup, "edcba"
    )  # e advances now, not d: the semifinals are paired again
    log = client.get(address_of(cup, "decisions/")).json()["results"]
    assert [(row["kind"], row["what"], row["by"]) for row in log] == [
        ("rerun", "round 1 of stage 1", "warden"),
        ("retired", "round 2 of stage 1", None),
    ]
    assert [row["dealt"] for row in log] == [[{"old": 1, "new": 4}], []]
    assert log[0]["reason"] == "The machine was overheated."
    semifinal = client.get(address_of(cup, "bracket/")).json()["brackets"][0]["columns"][1][0]
    assert [side["name"] for side in semifinal["sides"]] == ["a", "e"]
