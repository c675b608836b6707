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
def _few_playouts(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    cache_judgements(monkeypatch)
    settings.ANALYSIS_PLAYOUTS = 2


@pytest.fixture
def match() -> Match:
    cup = make.tournament(2, format="cassino/standard/1v1?deals=1", start=True)
    make.finish_all(cup)
    return cup.matches.earliest("pk")


def test_an_analysis_is_requested_computed_and_read(client: APIClient, match: Match) -> None:
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
    response = client.post(address)
    assert (response.status_code, response.json()["state"]) == (202, "waiting")
    while analysing.analyse_piece():
        pass
    analysis = client.get(address).json()
    assert analysis["state"] == "finished"
    assert analysis["analysis"]["moves"] == analysis["moves"] == analysis["done"]
    assert client.post(address).status_code == 200


def test_a_waiting_analysis_has_a_place_and_an_estimate(
    client: APIClient, match: Match, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The estimate follows from the pace of earlier analyses."""
    address = f"/api/v1/matches/{match.pk}/analysis/"
    client.force_authenticate(make.user("fan"))
    requested = client.post(address).json()
    assert (requested["place"], requested["seconds_left"]) == (1, None)
    queued = MatchAnalysis(match.pk, "waiting", moves=40, place=30, seconds_left=90)
    monkeypatch.setattr("tournaments.api.matches.analysis_of", lambda match: queued)
    analysis = client.get(address).json()
    assert (analysis["place"], analysis["seconds_left"]) == (30, 90)


def test_a_match_with_hidden_cards_has_no_analysis(client: APIClient) -> None:
    cup = make.tournament(2, start=True)
    first = cup.matches.earliest("pk")
    address = f"/api/v1/matches/{first.pk}/analysis/"
    client.force_authenticate(make.user("fan"))
    assert client.get(address).status_code == 404
    make.finish(first)
    for response in (client.get(address), client.post(address)):
        assert (response.status_code, response.json()["type"]) == (
            409,
            "urn:cardroom:problem:not-yet",
        )


def test_the_analysis_of_a_hidden_match_is_hidden(client: APIClient, match: Match) -> None:
    match.tournament.trial = True
    match.tournament.opened = None
    match.tournament.save()
    client.force_authenticate(make.user("fan"))
    address = f"/api/v1/matches/{match.pk}/analysis/"
    assert client.get(address).status_code == 404
    assert client.post(address).status_code == 404


def test_the_requester_may_stop_and_resume_an_analysis(client: APIClient, match: Match) -> None:
    address = f"/api/v1/matches/{match.pk}/analysis/"
    fan = make.user("fan")
    client.force_authenticate(fan)
    assert client.delete(address).status_code == 409
    client.post(address)
    client.force_authenticate(make.user("another"))
    assert client.delete(address).status_code == 403
    client.force_authenticate(fan)
    response = client.delete(address)
    assert (response.status_code, response.json()["state"]) == (200, "stopped")
    assert response.json()["place"] is None
    assert client.post(address).json()["state"] == "waiting"
