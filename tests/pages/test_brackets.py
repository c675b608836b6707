"""Brackets and stages on a tournament's page."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from cardroom.pages.tournaments.brackets import draw
from tests import chosen_winners, factories
from tests.pages.markup import flat
from tests.pages.test_pages import read
from tournaments.models import Tournament
from tournaments.pairing import SYSTEMS, State
from tournaments.reading.brackets import Bracket, BracketPairing, BracketSide


def laid_out(system: str, entrants: int, sides: int = 2, **settings: int) -> Bracket:
    """A bracket before its first round."""
    plan = SYSTEMS[system].bracket
    assert plan is not None
    columns = [
        [
            BracketPairing(n.name, n.part, "coming", 0, (BracketSide(),) * len(n.entrants))
            for n in column
        ]
        for column in plan(State(entrants, sides, "s", settings=settings))
    ]
    return Bracket(2, 1, system, columns, divisions=2)


def test_a_tree_is_joined_by_lines() -> None:
    (drawing,) = draw([laid_out("knock-out", 8, third=1)], 2)
    assert drawing.title == "Stage 2, division 1: bracket"
    (part,) = drawing.parts
    assert [(column.title, column.joins) for column in part.columns] == [
        ("Quarterfinals", "halves"),
        ("Semifinals", "halves"),
        ("Final", ""),
    ]
    assert [pairing.name for pairing in part.beside] == ["Third place"]


def test_heats_are_not_joined_by_lines() -> None:
    (drawing,) = draw([laid_out("knock-out", 16, 4)], 1)
    columns = drawing.parts[0].columns
    assert [(column.title, column.joins) for column in columns] == [
        ("Round 1", ""),
        ("Round 2", ""),
        ("Final", ""),
    ]


def test_both_brackets_lead_to_the_final() -> None:
    (drawing,) = draw([laid_out("double-knock-out", 8)], 1)
    winners, losers, final = drawing.parts
    assert [part.title for part in drawing.parts] == ["Winners’ bracket", "Losers’ bracket", ""]
    assert drawing.joined
    assert [column.joins for column in winners.columns] == ["halves", "halves", ""]
    assert [column.joins for column in losers.columns] == ["straight", "halves", "straight", ""]
    assert [column.title for column in final.columns] == ["Grand final", "Grand final again"]


@pytest.mark.django_db
def test_a_knock_out_on_its_page(client: Client) -> None:
    bots = [factories.bot(name=name) for name in "abcde"]
    cup = factories.tournament(bots, start=True, system="knock-out", settings={"third": 1})
    address = f"/tournaments/{cup.slug}/bracket/"
    page = client.get(address).content.decode()
    read(page)
    assert page.count('class="node bye"') == 3
    assert page.count('<span class="quiet">to be decided</span>') == 5
    assert 'href="/static/cardroom/css/brackets.css"' in page
    chosen_winners.play_out(cup, "edcba")
    page = client.get(address).content.decode()
    final = re.search(r'aria-label="Final">(.*?)</ul>', flat(page))
    assert final
    assert re.findall(r'<li class="(\w+)">.*?/bots/(\w+)/', final[1]) == [
        ("win", "e"),
        ("out", "c"),
    ]
    standings = client.get(f"/tournaments/{cup.slug}/standings/").content.decode()
    assert "the round in which an entry was knocked out" in standings
    plain = factories.tournament(2, start=True)
    assert client.get(f"/tournaments/{plain.slug}/bracket/").status_code == 404


@pytest.mark.django_db
def test_each_stage_has_its_standings(client: Client) -> None:
    stages = [
        {"groups": 1, "divisions": 2},
        {"system": "knock-out", "groups": 1, "take": 4},
    ]
    bots = [factories.bot(name=name) for name in "abcdef"]
    cup: Tournament = factories.tournament(bots, start=True, stages=stages)
    running = client.get(f"/tournaments/{cup.slug}/standings/").content.decode()
    assert "Stage 1, division 2: round robin" in running
    assert b"No bracket yet" in client.get(f"/tournaments/{cup.slug}/bracket/").content
    chosen_winners.play_round(cup, "abcdef")
    running = flat(client.get(f"/tournaments/{cup.slug}/standings/").content.decode())
    assert "</svg> Stage 2, round 1 <br>" in running  # the progress of each round
    chosen_winners.play_out(cup, "abcdef")
    page = client.get(f"/tournaments/{cup.slug}/standings/").content.decode()
    read(page)
    assert re.findall(r"<h2>(.*?)</h2>", page)[:4] == [
        "Standings",
        "Stage 2: knock-out",
        "Stage 1, division 1: round robin",
        "Stage 1, division 2: round robin",
    ]
    match_list = client.get(f"/tournaments/{cup.slug}/matches/").content.decode()
    assert '<td class="opt">stage 2, round 2</td>' in flat(match_list)
    match = cup.matches.filter(deal_group__stage__number=2, deal_group__round=2)[0]
    match_page = flat(client.get(f"/matches/{match.pk}/").content.decode())
    assert "/ Stage 2, round 2 /" in match_page
    assert "Entries that reach a later stage rank above the others." in page


@pytest.mark.django_db
def test_a_box_without_players_is_a_bye(client: Client) -> None:
    """Two byes in the winners' bracket leave a pairing of the losers' bracket empty."""
    cup = factories.tournament(5, start=True, system="double-knock-out")
    page = client.get(f"/tournaments/{cup.slug}/bracket/").content.decode()
    assert '<li><span class="quiet">bye</span></li>' in page
    assert "nobody</span>" not in page
