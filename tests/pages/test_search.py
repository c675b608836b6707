"""Search of the site: what is found, and what is not."""

from __future__ import annotations

import pytest
from django.test import Client

from tests import factories
from tests.pages.conftest import World
from tournaments import actions
from tournaments.reading import search


def found(client: Client, words: str) -> dict[str, list[str]]:
    """Names by kind."""
    response = client.get("/search/", {"q": words})
    assert response.status_code == 200
    return {part.title: [each.name for each in part.results] for part in response.context["parts"]}


def test_bots_authors_tournaments_and_games(client: Client, world: World) -> None:
    assert found(client, "magp") == {"Bots": ["Magpie"]}
    assert found(client, "NAGI") == {"Bots": ["凪 Nagi"]}  # inside a name
    assert found(client, "さくら") == {"Authors": ["さくら"]}
    assert found(client, "winter") == {"Tournaments": ["Winter Cup"]}
    assert found(client, "cassino") == {"Games": ["Cassino"]}
    assert "Canasta" in found(client, "can")["Games"]
    assert found(client, "") == {}
    page = client.get("/search/", {"q": "no such thing"}).content.decode()
    assert "Nothing found for “no such thing”" in page


def test_the_bar_leads_there(client: Client, world: World) -> None:
    assert 'href="/search/"' in client.get("/").content.decode()


def test_what_is_hidden_is_not_found(client: Client, world: World) -> None:
    version = factories.version(world.magpie)
    trial = actions.start_trial(version, world.owner, format_text=factories.FORMAT)
    factories.user("silent")
    for reader in (None, world.owner, world.organizer):
        if reader:
            client.force_login(reader)
        assert found(client, "Summer") == {}  # a draft
        assert found(client, trial.tournament.name[:20]).get("Tournaments") is None
        assert found(client, "silent") == {}  # has nothing public
    world.owner.is_active = False
    world.owner.save()
    assert found(Client(), "owner") == {}
    assert found(Client(), "Magpie") == {"Bots": ["Magpie"]}


@pytest.mark.parametrize("words", ["%", "_", "\x00", "\u202e", "a" * 500, "' OR 1=1 --", "<b>"])
def test_strange_words_find_nothing(client: Client, world: World, words: str) -> None:
    response = client.get("/search/", {"q": words})
    assert response.status_code == 200
    assert all(not part.results for part in response.context["parts"] if part.title != "Games")
    assert "<b>”" not in response.content.decode()


def test_it_shows_a_few_and_looks_at_a_few(
    client: Client, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [f"Heron {number}" for number in range(search.MAX_RESULTS + 2)]
    for name in names:
        factories.bot(world.owner, name)
    factories.bot(world.owner, "Grey Heron")
    assert found(client, "heron")["Bots"] == names[: -search.MAX_RESULTS - 1 : -1]
    monkeypatch.setattr(search, "MAX_SEARCHED", 1)
    assert found(client, "grey heron")["Bots"] == ["Grey Heron"]
    assert "Bots" not in found(client, "eron 1")
