"""`challenge` with a fake site."""

from __future__ import annotations

from typing import Any, ClassVar

import pytest

from bots.cli.site import SiteClient

from .conftest import Run

SERVER = ("--server", "http://cards.example")


class FakeSite:
    """A site whose challenge runs at the first poll and is finished at the second."""

    sent: ClassVar[list[dict[str, Any]]] = []
    looks: ClassVar[list[str]] = []

    @staticmethod
    def found(state: str, **fields: Any) -> dict[str, Any]:
        bots = {"bot": "magpie", "version": 2, "against": "house-greedy", "against_version": 1}
        score = {"won": 0, "level": 0, "lost": 0, "points": None, "matches": [1, 2]}
        basics = {"id": 7, "format": "cassino/standard/1v1", "groups": 10, "state": state}
        return bots | basics | score | fields


@pytest.fixture(autouse=True)
def _site(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CARDROOM_TOKEN", "secret")
    monkeypatch.setattr("bots.cli.challenge.POLL_S", 0.001)
    monkeypatch.setattr(FakeSite, "sent", [])
    monkeypatch.setattr(FakeSite, "looks", [])

    def post(site: SiteClient, path: str, kind: object, json: dict[str, Any]) -> Any:
        assert path == "challenges/"
        FakeSite.sent.append(json)
        return FakeSite.found("running")

    def get(site: SiteClient, path: str, kind: object) -> Any:
        FakeSite.looks.append(path)
        if len(FakeSite.looks) < 2:
            return FakeSite.found("running")
        return FakeSite.found("finished", won=7, level=1, lost=2, points=0.72, low=0.44, high=0.88)

    monkeypatch.setattr(SiteClient, "post", post)
    monkeypatch.setattr(SiteClient, "get", get)


def test_a_challenge_is_created_and_its_result_awaited(run: Run) -> None:
    ran = run("challenge", "magpie", "house:greedy", "--groups", "10", "--version", "2", *SERVER)
    assert ran.status == 0, ran.err
    assert FakeSite.sent == [
        {"bot": "magpie", "against": "house:greedy", "format": "", "groups": 10, "version": 2}
    ]
    assert FakeSite.looks == ["challenges/7/"] * 2
    assert ran.out.splitlines() == [
        "magpie v2 against house-greedy v1 in cassino/standard/1v1:",
        "  7 deal groups won, 1 level, 2 lost.",
        "  72 % of the points (95 % interval: 44 to 88 %).",
        "Matches and replays: http://cards.example/challenges/7/",
    ]


def test_without_waiting_the_command_prints_the_address(run: Run) -> None:
    ran = run("challenge", "magpie", "house:greedy", "--wait", "0", *SERVER)
    assert "0 of 10 deal groups are over; the challenge is running." in ran.out
    assert FakeSite.looks == []


def test_as_json(run: Run) -> None:
    challenge = run("challenge", "magpie", "house:greedy", "--json", *SERVER).json
    assert (challenge["challenge"]["won"], challenge["page"]) == (
        7,
        "http://cards.example/challenges/7/",
    )
