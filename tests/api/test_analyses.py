"""Analyses in the REST interface."""

from __future__ import annotations

from typing import Any

import pytest
from rest_framework.test import APIClient

from tests import factories as make
from tests.judgement_cache import cache_judgements
from tournaments import analysing
from tournaments.models import Match
from tournaments.reading.analyses import MatchAnalysis

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _few(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    cache_judgements(monkeypatch)
    settings.ANALYSIS_PLAYOUTS = 2


@pytest.fixture
def match() -> Match:
    cup = make.tournament(2, format="cassino/standard/1v1?deals=1", start=True)
    make.finish_all(cup)
    return cup.matches.earliest("pk")


def test_asked_for_made_and_read(client: APIClient, match: Match) -> None:
    address = f"/api/v1/matches/{match.pk}/analysis/"
    assert client.get(address).json() == {
        "match": match.pk,
        "state": "none",
        "done": 0,
        "moves": 0,
        "trouble": "",
        "stale": False,
        "place": None,
        "seconds_left": None,
        "analysis": None,
    }
    client.force_authenticate(make.user("fan"))
    asked = client.post(address)
    assert (asked.status_code, asked.json()["state"]) == (202, "waiting")
    while analysing.analyse_piece():
        pass
    told = client.get(address).json()
    assert told["state"] == "finished"
    assert told["analysis"]["moves"] == told["moves"] == told["done"]
    assert client.post(address).status_code == 200


def test_one_that_waits_has_a_place_and_an_estimate(
    client: APIClient, match: Match, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The estimate comes from the pace of the analyses made before, far back in the queue."""
    address = f"/api/v1/matches/{match.pk}/analysis/"
    client.force_authenticate(make.user("fan"))
    asked = client.post(address).json()
    assert (asked["place"], asked["seconds_left"]) == (1, None)
    queued = MatchAnalysis(match.pk, "waiting", moves=40, place=30, seconds_left=90)
    monkeypatch.setattr("tournaments.api.matches.analysis_of", lambda match: queued)
    told = client.get(address).json()
    assert (told["place"], told["seconds_left"]) == (30, 90)


def test_not_before_the_cards_may_be_seen(client: APIClient) -> None:
    cup = make.tournament(2, start=True)
    first = cup.matches.earliest("pk")
    address = f"/api/v1/matches/{first.pk}/analysis/"
    client.force_authenticate(make.user("fan"))
    assert client.get(address).status_code == 404
    make.finish(first)
    for answer in (client.get(address), client.post(address)):
        assert (answer.status_code, answer.json()["type"]) == (
            409,
            "urn:cardroom:problem:not-yet",
        )


def test_who_may_not_know_the_match_may_not_know_its_analysis(
    client: APIClient, match: Match
) -> None:
    match.tournament.trial = True
    match.tournament.opened = None
    match.tournament.save()
    client.force_authenticate(make.user("fan"))
    address = f"/api/v1/matches/{match.pk}/analysis/"
    assert client.get(address).status_code == 404
    assert client.post(address).status_code == 404


def test_whoever_asked_stops_it_and_goes_on(client: APIClient, match: Match) -> None:
    address = f"/api/v1/matches/{match.pk}/analysis/"
    fan = make.user("fan")
    client.force_authenticate(fan)
    assert client.delete(address).status_code == 409
    client.post(address)
    client.force_authenticate(make.user("another"))
    assert client.delete(address).status_code == 403
    client.force_authenticate(fan)
    stopped = client.delete(address)
    assert (stopped.status_code, stopped.json()["state"]) == (200, "stopped")
    assert stopped.json()["place"] is None
    assert client.post(address).json()["state"] == "waiting"
