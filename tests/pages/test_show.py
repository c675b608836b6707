"""A tournament's first tab: who leads and why, round by round, what comes; at the end who won."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.test import Client

from cardroom.display.numbers import count_of, score, spelled_count
from cardroom.pages.tournaments.summary import _decider_figure
from tests import chosen_winners, factories
from tests.pages.markup import flat
from tests.pages.test_pages import read
from tournaments import actions
from tournaments.models import Tournament
from tournaments.reading import content_cache, kinds
from tournaments.reading.decider import Decider

pytestmark = pytest.mark.django_db


def see(client: Client, cup: Tournament, tab: str = "") -> str:
    content_cache.compute(kinds.STORY, cup)
    page = client.get(f"/tournaments/{cup.slug}/{tab}").content.decode()
    read(page)
    return flat(page)


def cells(page: str) -> list[list[str]]:
    """What people who listen hear of each row of *round by round*."""
    body = page.partition('class="cross byround"')[2].partition("</table>")[0]
    rows = body.partition("<tbody>")[2].split("</tr>")[:-1]
    return [re.findall(r'<span class="vh">(round [^<]*)</span>', row) for row in rows]


def cup_of(names: str, **settings: Any) -> Tournament:
    bots = [factories.bot(name=name) for name in names]
    made: Tournament = factories.tournament(bots, start=True, **settings)
    return made


def test_numbers_in_sentences() -> None:
    assert [spelled_count(count, "loss") for count in (1, 3, 20)] == [
        "a loss",
        "three losses",
        "20 losses",
    ]
    assert [count_of(count, "match") for count in (1, 2255)] == ["1 match", "2,255 matches"]
    assert score(2.5, 0.5) == "2½ – ½"


def test_who_leads_and_why_and_what_comes(client: Client) -> None:
    cup = cup_of("abcd", system="swiss", settings={"rounds": 3})
    assert "No leader yet" in see(client, cup)
    chosen_winners.play_round(cup, "abcd")
    page = see(client, cup)
    assert cup.state == Tournament.State.RUNNING
    assert "lead together" in page
    assert re.search(r"A win\. It beat [b-d] in round 1\. Now it meets [b-d]\.", page)
    rows = cells(page)
    assert len(rows) == 4
    assert {len(row) for row in rows} == {2}
    assert re.fullmatch(r"round 1: won against [b-d], 1 – 0", rows[0][0])
    assert re.fullmatch(r"round 2: against [b-d]", rows[0][1])
    schedule = page.partition('<ol class="schedule">')[2].partition("</ol>")[0]
    assert re.findall(r"<span>(Round \d)</span>", schedule) == ["Round 1", "Round 2", "Round 3"]


def test_what_changes_is_swapped_at_both_places(client: Client) -> None:
    cup = cup_of("abcd", system="swiss", settings={"rounds": 3})
    whole = client.get(f"/tournaments/{cup.slug}/")
    part = client.get(f"/tournaments/{cup.slug}/", headers={"HX-Request": "true"})
    assert "hx-swap-oob" not in whole.content.decode()
    assert 'hx-swap-oob="true"' in part.content.decode()
    assert (
        whole.content.decode().count('id="lead"') == part.content.decode().count('id="lead"') == 1
    )


def test_the_end_of_a_knock_out(client: Client) -> None:
    cup = cup_of("edcba", system="knock-out", settings={"third": 1})
    chosen_winners.play_round(cup, "abcde")
    assert "can still win" in see(client, cup)
    chosen_winners.play_out(cup, "abcde")
    page = see(client, cup)
    assert f"Champion of {cup.name}" in page
    assert re.search(r"<h2>a</h2>", page)
    assert "It won the final against " in page
    podium = page.partition('<ol class="podium"')[2].partition("</ol>")[0]
    assert re.findall(r"<i>(\d)</i>", podium) == ["1", "2", "3"]
    numbers = page.partition('<ul class="in-numbers">')[2].partition("</ul>")[0]
    assert 3 <= numbers.count("<li>") <= 5
    assert 'class="bracket"' in page  # drawn on the first tab, too
    assert "Tie-breaks" not in see(client, cup, "standings/")


def test_one_point_is_no_points() -> None:
    lost: dict[str, Any] = {
        "match": 1,
        "scores": [7, 6],
        "deals": 1,
        "behind_after": 1,
        "deal": 1,
        "hand": [],
    }
    for behind, gained in ((1, 0), (0, 1)):
        figure = _decider_figure(Decider(**lost, behind=behind, gained=gained), final=True)
        assert figure is not None
        assert (figure.value, figure.words.split()[0]) == ("1", "point")


def test_the_conditions_stand_once(client: Client) -> None:
    cup = cup_of("abc")
    factories.finish_all(cup)
    page = see(client, cup)
    assert page.count(f'href="/tournaments/{cup.slug}/conditions/"') == 2  # the tab, and a word
    assert "<h2>Conditions</h2>" not in page
    assert 'href="/games/cassino/"' in page
    assert "<code>cassino" not in page


def test_own_teams_are_marked_in_words(client: Client) -> None:
    reader = factories.user("reader")
    bots = [factories.bot(reader if name == "b" else None, name) for name in "abcd"]
    cup = factories.tournament(
        by=factories.user("organizer"), format="cassino/standard/2v2?deals=1", partners="fixed"
    )
    for pair in (bots[:2], bots[2:]):
        actions.enter_team(cup, pair, None)
    cup = factories.finish_all(actions.start(cup, None))
    assert "yours</span>" not in see(client, cup, "standings/")
    client.force_login(reader)
    for tab in ("", "standings/"):
        page = see(client, cup, tab)
        assert page.count('<span class="chip brass">yours</span>') == 1
        assert '<th scope="col">Team</th>' in page
    assert '<th scope="col">Team</th>' in see(client, cup, "crosstable/")


def test_a_cell_names_rotating_partners_apart_from_opponents(client: Client) -> None:
    bots = [factories.bot(name=name) for name in "abcd"]
    cup = factories.tournament(
        bots, format="cassino/standard/2v2?deals=1", partners="rotating", start=True
    )
    page = see(client, factories.finish_all(cup))
    heard = re.findall(r"(Round|round) (\d+): (\w+) with (\w), against (\w) and (\w), ", page)
    assert heard, cells(page)
    for *_, partner, one, other in heard:
        assert len({partner, one, other}) == 3


def two_stages(names: str) -> Tournament:
    stages = [
        {"system": "swiss", "groups": 1, "settings": {"rounds": 2}},
        {"system": "round-robin", "groups": 1, "take": 2},
    ]
    return cup_of(names, stages=stages)


def test_rounds_of_several_stages_are_named_by_their_stage(client: Client) -> None:
    """They were called 1, 1.2, 1.3."""
    cup = two_stages("abcd")
    page = see(client, cup)
    schedule = page.partition('<ol class="schedule">')[2].partition("</ol>")[0]
    assert re.findall(r"<span>(Stage [^<]*)</span>", schedule) == [
        "Stage 1, round 1",
        "Stage 1, round 2",
        "Stage 2: round robin of the best 2",
    ]
    chosen_winners.play_round(cup, "abcd")
    page = see(client, cup)
    assert re.search(r"It beat [b-d] in round 1 of stage 1\.", page)
    chosen_winners.play_round(cup, "abcd")
    page = see(client, cup)
    assert 'colspan="2">Stage 1: Swiss</th>' in page
    assert 'colspan="1">Stage 2: round robin</th>' in page
    schedule = page.partition('<ol class="schedule">')[2].partition("</ol>")[0]
    assert "Stage 1, rounds 1 to 2" in schedule
    assert "Stage 2, round 1" in schedule
    assert re.fullmatch(r"round 1 of stage 2: against [ab]", cells(page)[0][2])
    assert "round 1 of stage 2" in page  # what is being played


def test_the_stage_that_decides_a_place_is_shown(client: Client) -> None:
    """Points of two stages stood in one column, so that places looked wrong."""
    cup = two_stages("abcd")
    chosen_winners.play_out(cup, "abcd")
    page = see(client, cup)
    body = page.partition('class="cross byround"')[2].partition("</table>")[0]
    found = re.findall(r'<td class="n">(\d)</td>\s*<td class="n"><b>([^<]*)</b></td>', body)
    assert found == [("2", "1"), ("2", "0"), ("1", "1"), ("1", "0")]
    assert "An entry’s last stage decides its place" in page
    table = see(client, cup, "standings/").partition("<tbody>")[2].partition("</tbody>")[0]
    found = re.findall(r'<td class="n">(\d)</td>\s*<td class="n"><b>', table)
    assert found == ["2", "2", "1", "1"]
    rows = client.get(f"/api/v1/tournaments/{cup.slug}/standings/").json()["rows"]
    assert [(row["stage"], row["points"]) for row in rows] == [(2, 1), (2, 0), (1, 1), (1, 0)]
    single = cup_of("efg")
    chosen_winners.play_out(single, "efg")
    assert ">Stage<" not in see(client, single) + see(client, single, "standings/")
