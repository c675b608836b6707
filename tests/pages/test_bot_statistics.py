"""A bot's public statistics on its page."""

from __future__ import annotations

import re

from django.test import Client

from cardroom.actions.moderation import hide_tournament
from cardroom.pages.bots.statistics import figure_text
from tests import factories
from tests.pages.conftest import World
from tests.pages.markup import flat
from tournaments import projections
from tournaments.projections import tallies


def page_of(client: Client, address: str = "/bots/magpie/") -> str:
    return flat(client.get(address).content.decode())


def test_no_statistics_are_shown_before_results_are_counted(client: Client, world: World) -> None:
    page = page_of(client)
    assert "How it plays" not in page
    assert "Matches to watch" not in page


def test_the_page_shows_results_figures_and_notable_matches(client: Client, world: World) -> None:
    tallies.count_new()
    page = page_of(client)
    assert "Results, Cassino" in page
    assert '/ratings/head-to-head/?a=magpie&amp;b=nagi"' in page
    assert "Most spades" in page
    assert 'aria-label="mean of all bots: ' in page
    assert re.search(r"<b>Highest live Elo</b>: beat .*?<a href=\"/matches/\d+/\">Watch", page)
    assert "won of 4, Cassino" in page


def test_the_plot_has_only_the_fitted_rating(client: Client, world: World) -> None:
    page = page_of(client)
    assert page.count('class="line"') == 1
    assert "Line: the fitted rating" in page
    assert "Rating, Cassino for two" in page
    assert "cassino/standard/1v1</option>" not in page  # table forms are in words


def test_a_match_whose_cards_are_hidden_again_is_not_shown(client: Client, world: World) -> None:
    tallies.count_new()
    notable = client.get("/bots/magpie/").context["notable_matches"]
    match = notable[0].line.match.pk
    world.finished.matches.filter(pk=match).update(state="stuck")
    later = client.get("/bots/magpie/").context["notable_matches"]
    assert match not in [row.line.match.pk for row in later]


def test_matches_of_a_hidden_tournament_are_not_shown(client: Client, world: World) -> None:
    tallies.count_new()
    results, author = "/api/v1/bots/magpie/results/?game=cassino", "/api/v1/authors/owner/"
    best = client.get(author).json()["best"]
    assert best in client.get(results).json()["highlights"].values()
    assert f'href="/matches/{best}/"' in page_of(client, "/authors/owner/")
    hide_tournament(world.finished, None, "Its name is an insult.")
    assert client.get(author).json()["best"] is None
    assert client.get(results).json()["highlights"] == {}
    assert "/matches/" not in page_of(client, "/authors/owner/").split("<main")[1]
    assert client.get("/bots/magpie/").context["notable_matches"] == []


def test_results_as_json(client: Client, world: World) -> None:
    tallies.count_new()
    address = "/api/v1/bots/magpie/results/"
    results = client.get(address, {"game": "cassino"}).json()
    assert results["whole"] | {"won": 0, "drawn": 0, "lost": 0} == {
        "of": "",
        "matches": 4,
        "won": 0,
        "drawn": 0,
        "lost": 0,
    }
    assert {row["of"] for row in results["against"]} == {"nagi", "house-random"}
    assert {figure["name"] for figure in results["figures"]} >= {"sweeps", "aces"}
    assert results["highlights"]["longest"]
    assert client.head(address, {"game": "cassino"}).status_code == 200
    assert client.get(address).status_code == 400
    assert client.get(address, {"game": "chess"}).status_code == 400
    assert client.get("/api/v1/bots/nobody/results/", {"game": "cassino"}).status_code == 404


def test_several_partners_and_table_forms_are_listed(client: Client, world: World) -> None:
    pairs = factories.tournament(
        [world.magpie, world.jay], format="cassino/standard/2v2?deals=1", start=True
    )
    factories.finish_all(pairs)
    projections.refresh()
    tallies.count_new()
    page = page_of(client)
    assert "Table form" in page
    assert "Cassino in pairs" in page


def test_figures_are_rounded_for_readers() -> None:
    assert [figure_text(0.405, "share"), figure_text(84.4, "move"), figure_text(1940, "move")] == [
        "40 %",
        "84 ms",
        "1.9 s",
    ]
    assert [figure_text(0.512, "match"), figure_text(0.97, "deal"), figure_text(12.04, "deal")] == [
        "0.51",
        "1.0",
        "12.0",
    ]
