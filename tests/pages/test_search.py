"""The site's search: results and hidden objects."""

from __future__ import annotations

import pytest
from django.test import Client

from tests import factories
from tests.pages.conftest import World
from tournaments import actions
from tournaments.reading import search


def names_by_kind(client: Client, query: str) -> dict[str, list[str]]:
    """Names of results by kind."""
    response = client.get("/search/", {"q": query})
    assert response.status_code == 200
    return {
        part.title: [result.name for result in part.results] for part in response.context["parts"]
    }


def test_bots_authors_tournaments_and_games(client: Client, world: World) -> None:
    assert names_by_kind(client, "magp") == {"Bots": ["Magpie"]}
    assert names_by_kind(client, "NAGI") == {"Bots": ["凪 Nagi"]}  # inside a name
    assert names_by_kind(client, "さくら") == {"Authors": ["さくら"]}
    assert names_by_kind(client, "winter") == {"Tournaments": ["Winter Cup"]}
    assert names_by_kind(client, "cassino") == {"Games": ["Cassino"]}
    assert "Canasta" in names_by_kind(client, "can")["Games"]
    assert names_by_kind(client, "") == {}
    page = client.get("/search/", {"q": "no such thing"}).content.decode()
    assert "Nothing found for “no such thing”" in page


def test_the_top_bar_links_to_the_search(client: Client, world: World) -> None:
    assert 'href="/search/"' in client.get("/").content.decode()


def test_hidden_objects_are_not_found(client: Client, world: World) -> None:
    version = factories.version(world.magpie)
    trial = actions.start_trial(version, world.owner, format_text=factories.FORMAT)
    factories.user("silent")
    for reader in (None, world.owner, world.organizer):
        if reader:
            client.force_login(reader)
        assert names_by_kind(client, "Summer") == {}  # a draft
        assert names_by_kind(client, trial.tournament.name[:20]).get("Tournaments") is None
        assert names_by_kind(client, "silent") == {}  # has no public data
    world.owner.is_active = False
    world.owner.save()
    assert names_by_kind(Client(), "owner") == {}
    assert names_by_kind(Client(), "Magpie") == {"Bots": ["Magpie"]}


@pytest.mark.parametrize("query", ["%", "_", "\u202e", "a" * 500, "' OR 1=1 --", "<b>"])
def test_strange_words_find_nothing(client: Client, world: World, query: str) -> None:
    response = client.get("/search/", {"q": query})
    assert response.status_code == 200
    assert all(not part.results for part in response.context["parts"] if part.title != "Games")
    assert "<b>”" not in response.content.decode()


def test_results_and_candidates_are_limited(
    client: Client, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [f"Heron {number}" for number in range(search.MAX_RESULTS + 2)]
    for name in names:
        factories.bot(world.owner, name)
    factories.bot(world.owner, "Grey Heron")
    assert names_by_kind(client, "heron")["Bots"] == names[: -search.MAX_RESULTS - 1 : -1]
    monkeypatch.setattr(search, "MAX_SEARCHED", 1)
    assert names_by_kind(client, "grey heron")["Bots"] == ["Grey Heron"]
    assert "Bots" not in names_by_kind(client, "eron 1")
