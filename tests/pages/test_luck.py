"""Card luck on a tournament's tab, in a match's panel and by REST."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from tests import factories
from tests.pages.conftest import World
from tests.pages.markup import flat
from tests.pages.test_pages import read
from tournaments.models import SideResult, Tournament
from tournaments.reading.luck import match_luck, tournament_luck


def rig(tournament: Tournament) -> None:
    """Set the scores of every match: the first side's cards bring 6, Magpie 2 more."""
    for result in SideResult.objects.filter(match__tournament=tournament):
        seats = result.match.seats.filter(side=result.side)
        bonus = 2 * seats.filter(version__bot__name="Magpie").exists()
        result.score = 10 + (6 if result.side == 0 else 0) + bonus
        result.save()


def test_the_tab_shows_cards_players_and_rest(client: Client, world: World) -> None:
    rig(world.finished)
    luck = tournament_luck(world.finished)
    assert luck is not None
    # Three groups. Around the mean of a match: cards 3 and −3 each; players 1 and −1 in two groups.
    assert luck.groups == 3
    assert luck.cards == pytest.approx(9 / (9 + 2 / 3))
    assert luck.players == pytest.approx((2 / 3) / (9 + 2 / 3))
    assert luck.rest == pytest.approx(0, abs=1e-9)
    page = client.get(f"/tournaments/{world.finished.slug}/luck/").content.decode()
    read(page)
    assert "Cards <b>93 %</b>, players <b>7 %</b>, rest <b>0 %</b>" in flat(page)
    assert page.index("Magpie") < page.index("house:random")
    assert "+1.3" in page
    body: dict[str, Any] = client.get(f"/api/v1/tournaments/{world.finished.slug}/luck/").json()
    assert body["groups"] == 3
    assert body["cards"] + body["players"] + body["rest"] == pytest.approx(1)
    assert (body["skills"][0]["bot"], body["skills"][0]["points"]) == (
        "magpie",
        pytest.approx(4 / 3),
    )


def test_a_running_tournament_has_too_few_groups(client: Client, world: World) -> None:
    page = client.get(f"/tournaments/{world.running.slug}/luck/").content.decode()
    read(page)
    assert "Too few deal groups yet" in page
    body = client.get(f"/api/v1/tournaments/{world.running.slug}/luck/").json()
    assert (body["groups"], body["cards"], body["skills"]) == (0, None, [])


def test_a_match_is_compared_with_its_sibling(client: Client, world: World) -> None:
    rig(world.finished)
    match = world.finished.matches.filter(seats__version__bot=world.magpie).earliest("pk")
    luck = match_luck(match)
    assert [side.cards for side in luck] == [3, -3]
    ((sibling,), (other,)) = (side.others for side in luck)
    assert [sibling.player, other.player] == [side.here.player for side in luck[::-1]]
    page = client.get(f"/matches/{match.pk}/").content.decode()
    assert "Card luck" in page
    assert f'<a href="/matches/{sibling.match}/">Match {sibling.match}</a>' in page
    assert "+3.0" in page


def test_an_unfinished_group_shows_no_luck(client: Client, world: World) -> None:
    match = factories.finish(world.running.matches.earliest("pk"))
    assert match_luck(match) == []
    assert "Card luck" not in client.get(f"/matches/{match.pk}/").content.decode()


def test_a_fault_in_the_group_hides_luck(world: World) -> None:
    match = world.finished.matches.earliest("pk")
    SideResult.objects.filter(match__deal_group=match.deal_group, match__rotation=1, side=0).update(
        faulted=True
    )
    assert match_luck(match) == []
