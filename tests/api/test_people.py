"""Search and authors in the REST interface, and entering many bots at once."""

from __future__ import annotations

from typing import Any

import pytest
from rest_framework.test import APIClient

from bots.models import Bot
from tests import factories as make
from tournaments import actions, projections
from tournaments.models import Entry, Tournament
from tournaments.projections import tallies
from tournaments.reading import search

pytestmark = pytest.mark.django_db


def told(client: APIClient, address: str, status: int = 200, **query: Any) -> dict[str, Any]:
    answer = client.get(f"/api/v1/{address}", query)
    assert answer.status_code == status, answer.content
    body: dict[str, Any] = answer.json()
    return body


def test_search_finds_by_name_what_all_may_see(client: APIClient) -> None:
    ann = make.user("magda")
    make.bot(ann, "Magpie")
    make.tournament(0, by=ann, name="Magpie Cup")
    actions.create_tournament(ann, name="Magpie Draft", format=make.FORMAT)
    found = told(client, "search/", q=" mag ")
    assert found == {
        "q": "mag",
        "games": [],
        "bots": [{"slug": "magpie", "name": "Magpie"}],
        "authors": [{"slug": "magda", "name": "magda"}],
        "tournaments": [{"slug": "magpie-cup", "name": "Magpie Cup"}],
    }
    assert told(client, "search/", q="Spoon")["games"] == [
        {"slug": "spoon-eye", "name": "Spoon Eye"}
    ]


@pytest.mark.parametrize("query", [{}, {"q": ""}, {"q": "x" * (search.MAX_LENGTH + 1)}, {"w": "x"}])
def test_what_cannot_be_searched_for_is_refused(client: APIClient, query: dict[str, str]) -> None:
    told(client, "search/", 400, **query)


def test_an_author_with_bots_and_tournaments(client: APIClient) -> None:
    ann = make.user("ann")
    magpie, rook = make.bot(ann, "Magpie"), make.bot(ann, "Rook")
    other = make.bot(name="Jay")
    cup = make.tournament([magpie, other], by=ann, name="Cup", start=True)
    make.finish_all(cup)
    projections.refresh()
    tallies.count_new()
    found = told(client, "authors/ann/")
    assert (found["name"], found["more"], found["since"][:4]) == (
        "ann",
        False,
        f"{ann.date_joined.year}",
    )
    lines = {line["bot"]: line for line in found["bots"]}
    assert set(lines) == {magpie.slug, rook.slug}
    played = lines[magpie.slug]
    assert played["matches"] == played["won"] + played["drawn"] + played["lost"] > 0
    assert played["pool"].startswith("cassino/")
    assert lines[rook.slug]["rating"] is None
    assert [each["slug"] for each in found["organized"]] == ["cup"]
    told(client, "authors/nobody/", 404)


def enter(client: APIClient, cup: Tournament, bots: list[str]) -> Any:
    address = f"/api/v1/tournaments/{cup.slug}/enter-many/"
    return client.post(address, {"bots": bots}, format="json")


def test_many_bots_enter_at_once_or_none(client: APIClient) -> None:
    ann = make.user("ann")
    bots = [make.bot(ann, name) for name in ("Magpie", "Rook", "Finch")]
    jay = make.bot(name="Jay")
    cup = make.tournament(0, name="Cup")
    client.force_login(ann)
    refused = enter(client, cup, [bots[0].slug, jay.slug])
    assert refused.status_code == 403
    assert "Jay is not yours" in refused.json()["detail"]
    unknown = enter(client, cup, [bots[0].slug, "nobody"])
    assert unknown.status_code == 400
    assert "No bot is called nobody." in unknown.content.decode()
    assert enter(client, cup, []).status_code == 400
    assert not Entry.objects.exists()
    answer = enter(client, cup, [bot.slug for bot in [*bots, bots[0]]])
    assert answer.status_code == 201, answer.content
    assert [each["bot"]["slug"] for each in answer.json()] == [bot.slug for bot in bots]
    again = enter(client, cup, [bots[2].slug])
    assert again.status_code == 409
    assert Bot.objects.filter(entries__tournament=cup).count() == len(bots)
