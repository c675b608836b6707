"""The points that a bot loses in its analysed matches."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from bots.models import Bot
from cardroom.pages.bots.statistics import losses_panel
from tests import factories as make
from tournaments import actions
from tournaments.actions import analyses
from tournaments.models import Analysis, Tournament
from tournaments.reading.losses import Lost, losses_of

pytestmark = pytest.mark.django_db


def _seat(seat: int, cost: float, stake: float = 10.0) -> dict[str, Any]:
    return {
        "seat": seat,
        "decisions": 4,
        "cost": cost,
        "stake": stake,
        "phases": {"early": [3, cost], "late": [1, 0.0]},
        "acts": {"takes": [4, cost]},
    }


@pytest.fixture
def cup() -> Tournament:
    """Two matches with swapped sides, in which a bot lost 2 and 4 points."""
    tournament = make.tournament(2, format="cassino/standard/1v1?deals=1", start=True)
    make.finish_all(tournament)
    for match, cost in zip(tournament.matches.order_by("rotation"), (2.0, 4.0), strict=True):
        actions.request_analysis(match, None)
        seat = match.rotation
        analysis = {"moves": 48, "seats": [_seat(seat, cost), _seat(1 - seat, 0.5)]}
        piece = analyses.begin_piece()
        assert piece is not None
        assert analyses.finish_analysis(piece, analysis)
    return tournament


def _bot(cup: Tournament, seat: int) -> Bot:
    first = cup.matches.get(rotation=0)
    return first.seats.get(index=seat).version.bot


def test_losses_are_averaged_over_matches(cup: Tournament) -> None:
    bot, other = _bot(cup, 0), _bot(cup, 1)
    losses = losses_of(bot, "cassino")
    assert losses.matches == 2
    assert losses.whole == Lost("", 8, 0.75, 70.0)
    assert losses.phases == [
        Lost("early", 6, 1.0, None),
        Lost("late", 2, 0.0, None),
        Lost("middle", 0, 0.0, None),
    ]
    assert losses.acts == [Lost("takes", 8, 0.75, None)]
    assert losses.against == [Lost(other.name, 8, 0.75, 70.0)]
    assert losses.versions == [Lost("1", 8, 0.75, 70.0)]
    assert losses_of(other, "cassino").whole.points == 0.125
    assert losses_of(bot, "canasta").whole.decisions == 0


def test_unlisted_matches_do_not_count(cup: Tournament) -> None:
    bot = _bot(cup, 0)
    Analysis.objects.filter(record__match__rotation=1).update(trouble="cannot be replayed")
    assert losses_of(bot, "cassino").matches == 1
    cup.trial = True
    cup.save()
    assert losses_of(bot, "cassino").matches == 0


def test_rest_shows_losses(cup: Tournament, client: Client) -> None:
    bot, other = _bot(cup, 0), _bot(cup, 1)
    losses = client.get(f"/api/v1/bots/{bot.slug}/losses/", {"game": "cassino"}).json()
    whole = losses["whole"]
    assert (losses["matches"], whole["points"], whole["accuracy"]) == (2, 0.75, 70.0)
    assert [row["of"] for row in losses["phases"]] == ["early", "late", "middle"]
    assert losses["phases"][1] == {"of": "late", "decisions": 2, "points": 0.0, "accuracy": None}
    assert [(row["of"], row["decisions"]) for row in losses["against"]] == [(other.name, 8)]
    assert client.get(f"/api/v1/bots/{bot.slug}/losses/", {"game": "chess"}).status_code == 400
    assert client.get("/api/v1/bots/nobody/losses/", {"game": "cassino"}).status_code == 404


def test_the_page_shows_losses(cup: Tournament, client: Client) -> None:
    bot = _bot(cup, 0)
    make.housekeep()
    panel = losses_panel(bot, "cassino")
    assert (panel["matches"], panel["whole"].accuracy) == (2, 70.0)
    lines = {
        title: [(name, points) for name, _, points, _ in rows] for title, rows in panel["parts"]
    }
    assert lines["When"] == [("Early in a deal", "100.0"), ("Late in a deal", "0.0")]
    assert lines["When it"] == [("takes", "75.0")]
    assert [lines[title][0][0] for title in ("Against", "Version")] == [_bot(cup, 1).name, "v1"]
    assert panel["parts"][1][1][0][-1] == 75
    page = client.get(f"/bots/{bot.slug}/?pool=cassino/standard/1v1").content.decode()
    assert "Where it loses points" in page
    assert "2 analysed" in " ".join(page.split())


def test_a_bot_without_analyses_has_no_panel() -> None:
    assert losses_panel(make.bot(), "cassino") == {}
    assert losses_panel(make.bot(), "") == {}
