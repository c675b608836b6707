"""`challenge` against a site that answers as the real one does."""

from __future__ import annotations

from typing import Any, ClassVar

import pytest

from bots.cli.site import Site

from .conftest import Run

AT = ("--server", "http://cards.example")


class Answers:
    """A challenge that runs at the first look and is over at the second."""

    sent: ClassVar[list[dict[str, Any]]] = []
    looks: ClassVar[list[str]] = []

    @staticmethod
    def found(state: str, **more: Any) -> dict[str, Any]:
        who = {"bot": "magpie", "version": 2, "against": "house-greedy", "against_version": 1}
        score = {"won": 0, "level": 0, "lost": 0, "points": None, "matches": [1, 2]}
        fixed = {"id": 7, "format": "cassino/standard/1v1", "groups": 10, "state": state}
        return who | fixed | score | more


@pytest.fixture(autouse=True)
def _site(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CARDROOM_TOKEN", "secret")
    monkeypatch.setattr("bots.cli.challenge.POLL_S", 0.001)
    monkeypatch.setattr(Answers, "sent", [])
    monkeypatch.setattr(Answers, "looks", [])

    def post(site: Site, path: str, kind: object, json: dict[str, Any]) -> Any:
        assert path == "challenges/"
        Answers.sent.append(json)
        return Answers.found("running")

    def get(site: Site, path: str, kind: object) -> Any:
        Answers.looks.append(path)
        if len(Answers.looks) < 2:
            return Answers.found("running")
        return Answers.found("finished", won=7, level=1, lost=2, points=0.72, low=0.44, high=0.88)

    monkeypatch.setattr(Site, "post", post)
    monkeypatch.setattr(Site, "get", get)


def test_a_challenge_is_made_and_its_result_awaited(run: Run) -> None:
    ran = run("challenge", "magpie", "house:greedy", "--groups", "10", "--version", "2", *AT)
    assert ran.status == 0, ran.err
    assert Answers.sent == [
        {"bot": "magpie", "against": "house:greedy", "format": "", "groups": 10, "version": 2}
    ]
    assert Answers.looks == ["challenges/7/"] * 2
    assert ran.out.splitlines() == [
        "magpie v2 against house-greedy v1 in cassino/standard/1v1:",
        "  7 deal groups won, 1 level, 2 lost.",
        "  72 % of the points (95 % interval: 44 to 88 %).",
        "Matches and replays: http://cards.example/challenges/7/",
    ]


def test_who_does_not_wait_is_told_where_it_stands(run: Run) -> None:
    ran = run("challenge", "magpie", "house:greedy", "--wait", "0", *AT)
    assert "0 of 10 deal groups are over; it is running." in ran.out
    assert Answers.looks == []


def test_as_json(run: Run) -> None:
    found = run("challenge", "magpie", "house:greedy", "--json", *AT).json
    assert (found["challenge"]["won"], found["page"]) == (7, "http://cards.example/challenges/7/")
