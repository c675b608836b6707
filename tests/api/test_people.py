"""REST: search, authors, entering several bots in one request."""

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


def get(client: APIClient, address: str, status: int = 200, **query: Any) -> dict[str, Any]:
    response = client.get(f"/api/v1/{address}", query)
    assert response.status_code == status, response.content
    body: dict[str, Any] = response.json()
    return body


def test_search_finds_public_objects_by_name(client: APIClient) -> None:
    ann = make.user("magda")
    make.bot(ann, "Magpie")
    make.tournament(0, by=ann, name="Magpie Cup")
    actions.create_tournament(ann, name="Magpie Draft", format=make.FORMAT)
    results = get(client, "search/", q=" mag ")
    assert results == {
        "q": "mag",
        "games": [],
        "bots": [{"slug": "magpie", "name": "Magpie"}],
        "authors": [{"slug": "magda", "name": "magda"}],
        "tournaments": [{"slug": "magpie-cup", "name": "Magpie Cup"}],
    }
    assert get(client, "search/", q="Spoon")["games"] == [
        {"slug": "spoon-eye", "name": "Spoon Eye"}
    ]


@pytest.mark.parametrize("query", [{}, {"q": ""}, {"q": "x" * (search.MAX_LENGTH + 1)}, {"w": "x"}])
def test_invalid_queries_are_refused(client: APIClient, query: dict[str, str]) -> None:
    get(client, "search/", 400, **query)


def test_an_author_with_bots_and_tournaments(client: APIClient) -> None:
    ann = make.user("ann")
    magpie, rook = make.bot(ann, "Magpie"), make.bot(ann, "Rook")
    other = make.bot(name="Jay")
    cup = make.tournament([magpie, other], by=ann, name="Cup", start=True)
    make.finish_all(cup)
    projections.refresh()
    tallies.count_new()
    author = get(client, "authors/ann/")
    assert (author["name"], author["more"], author["since"][:4]) == (
        "ann",
        False,
        f"{ann.date_joined.year}",
    )
    lines = {line["bot"]: line for line in author["bots"]}
    assert set(lines) == {magpie.slug, rook.slug}
    line = lines[magpie.slug]
    assert line["matches"] == line["won"] + line["drawn"] + line["lost"] > 0
    assert line["pool"].startswith("cassino/")
    assert lines[rook.slug]["rating"] is None
    assert [cup["slug"] for cup in author["organized"]] == ["cup"]
    get(client, "authors/nobody/", 404)


def enter(client: APIClient, cup: Tournament, bots: list[str]) -> Any:
    address = f"/api/v1/tournaments/{cup.slug}/enter-many/"
    return client.post(address, {"bots": bots}, format="json")


def test_several_bots_enter_all_or_none(client: APIClient) -> None:
    ann = make.user("ann")
    bots = [make.bot(ann, name) for name in ("Magpie", "Rook", "Finch")]
    jay = make.bot(name="Jay")
    cup = make.tournament(0, name="Cup")
    client.force_login(ann)
    response = enter(client, cup, [bots[0].slug, jay.slug])
    assert response.status_code == 403
    assert "Jay is not yours" in response.json()["detail"]
    unknown = enter(client, cup, [bots[0].slug, "nobody"])
    assert unknown.status_code == 400
    assert "No bot is called nobody." in unknown.content.decode()
    assert enter(client, cup, []).status_code == 400
    assert not Entry.objects.exists()
    response = enter(client, cup, [bot.slug for bot in [*bots, bots[0]]])
    assert response.status_code == 201, response.content
    assert [entry["bot"]["slug"] for entry in response.json()] == [bot.slug for bot in bots]
    second = enter(client, cup, [bots[2].slug])
    assert second.status_code == 409
    assert Bot.objects.filter(entries__tournament=cup).count() == len(bots)
