"""A tournament's overview: the leader, *round by round*, the next round, the winner."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client

from cardroom.display.numbers import count_of, score, spelled_count
from cardroom.pages.tournaments.summary import _decider_figure
from cardroom_base.db.db_time import now
from tests import chosen_winners, factories
from tests.pages.markup import flat
from tests.pages.test_pages import read
from tournaments import actions
from tournaments.actions.schedule import keep_schedule
from tournaments.models import RatingPoint, SideResult, Tournament
from tournaments.reading import content_cache, kinds
from tournaments.reading.decider import Decider

pytestmark = pytest.mark.django_db


def page_of(client: Client, cup: Tournament, tab: str = "") -> str:
    content_cache.compute(kinds.STORY, cup)
    page = client.get(f"/tournaments/{cup.slug}/{tab}").content.decode()
    read(page)
    return flat(page)


def cells(page: str) -> list[list[str]]:
    """The screen readers' texts of each row of *round by round*."""
    body = page.partition('class="cross byround"')[2].partition("</table>")[0]
    rows = body.partition("<tbody>")[2].split("</tr>")[:-1]
    return [re.findall(r'<span class="vh">(round [^<]*)</span>', row) for row in rows]


def cup_of(names: str, **settings: Any) -> Tournament:
    bots = [factories.bot(name=name) for name in names]
    tournament: Tournament = factories.tournament(bots, start=True, **settings)
    return tournament


def test_numbers_in_sentences() -> None:
    assert [spelled_count(count, "loss") for count in (1, 3, 20)] == [
        "a loss",
        "three losses",
        "20 losses",
    ]
    assert [count_of(count, "match") for count in (1, 2255)] == ["1 match", "2,255 matches"]
    assert score(2.5, 0.5) == "2½ – ½"


def test_the_overview_shows_the_leader_and_the_next_round(client: Client) -> None:
    cup = cup_of("abcd", system="swiss", settings={"rounds": 3})
    assert "No leader yet" in page_of(client, cup)
    chosen_winners.play_round(cup, "abcd")
    page = page_of(client, cup)
    assert cup.state == Tournament.State.RUNNING
    assert "share the lead" in page
    assert re.search(r"A win\. It beat [b-d] in round 1\. It now plays [b-d]\.", page)
    rows = cells(page)
    assert len(rows) == 4
    assert {len(row) for row in rows} == {2}
    assert re.fullmatch(r"round 1: won against [b-d], 1 – 0", rows[0][0])
    assert re.fullmatch(r"round 2: against [b-d]", rows[0][1])
    assert scheduled(page) == ["Round 1", "Round 2", "Round 3"]


def scheduled(page: str) -> list[str]:
    """The titles of the schedule's lines."""
    schedule = page.partition('<ol class="schedule">')[2].partition("</ol>")[0]
    return re.findall(r"<span>(Rounds? [^<]*)</span>", schedule)


def test_the_schedule_of_a_round_robin_joins_no_rounds_across_an_unfinished_one(
    client: Client,
) -> None:
    """Formerly the line `Rounds 1 to 3` contained the unfinished round 2."""
    cup = cup_of("abcdef")
    for number in (1, 3, 4):
        for match in cup.matches.filter(deal_group__round=number):
            factories.finish(match)
    lines = scheduled(page_of(client, cup))
    assert lines == ["Round 1", "Rounds 3 to 4", "Round 2", "Round 5"]


def test_the_leader_is_ahead_by_the_tie_break_that_decides(client: Client) -> None:
    """Formerly the sentence named the first tie-break, even if it did not apply."""
    cup = cup_of("abcd", system="swiss", tie_breaks=["direct", "difference"])
    chosen_winners.play_round(cup, "abcd")
    winners = SideResult.objects.filter(match__seats__version__bot__name="a", rank=1)
    winners.update(score=30)
    page = page_of(client, cup)
    assert re.search(r"a leads on score difference, level with [bcd]", page)


def test_upsets_compare_bots_that_were_connected_before(client: Client) -> None:
    cup = cup_of("ab")
    assert cup.started is not None
    for entry in cup.entries.all():
        RatingPoint.objects.create(
            pool="cassino/standard/1v1",
            version=entry.version,
            ordinal=1,
            fitted=1200 if entry.bot.name == "a" else 1400,
            component=entry.version_id,
            at=cup.started - timedelta(days=1),
        )
    chosen_winners.play_out(cup, "ab")
    assert "Upsets" not in page_of(client, cup)
    RatingPoint.objects.update(component=cup.entries.earliest("pk").version_id)
    page = page_of(client, cup)
    assert "<b>a beat b</b> in round 1, rated 200 points lower." in page
    assert "The ratings expected 24 of 100 points." in page


def test_live_parts_are_swapped_in_both_places(client: Client) -> None:
    cup = cup_of("abcd", system="swiss", settings={"rounds": 3})
    response = client.get(f"/tournaments/{cup.slug}/")
    part = client.get(f"/tournaments/{cup.slug}/", headers={"HX-Request": "true"})
    assert "hx-swap-oob" not in response.content.decode()
    assert 'hx-swap-oob="true"' in part.content.decode()
    assert (
        response.content.decode().count('id="lead"')
        == part.content.decode().count('id="lead"')
        == 1
    )


def test_the_summary_of_a_knock_out(client: Client) -> None:
    cup = cup_of("edcba", system="knock-out", settings={"third": 1})
    chosen_winners.play_round(cup, "abcde")
    assert "can still win" in page_of(client, cup)
    chosen_winners.play_out(cup, "abcde")
    page = page_of(client, cup)
    assert f"Champion of {cup.name}" in page
    assert re.search(r"<h2>a</h2>", page)
    assert "It won the final against " in page
    podium = page.partition('<ol class="podium"')[2].partition("</ol>")[0]
    assert re.findall(r"<i>(\d)</i>", podium) == ["1", "2", "3"]
    numbers = page.partition('<ul class="in-numbers">')[2].partition("</ul>")[0]
    assert 3 <= numbers.count("<li>") <= 5
    assert 'class="bracket"' in page  # drawn on the overview, too
    assert "Tie-breaks" not in page_of(client, cup, "standings/")


def test_a_tournament_that_stopped_before_its_final_had_none(client: Client) -> None:
    """Formerly the champion's last pairing of the first stage was called the final."""
    stages = [{"groups": 1}, {"system": "knock-out", "groups": 1, "take": 2}]
    cup = cup_of("abcd", stages=stages)
    for attempt in actions.claim("test/1", 8):
        chosen_winners.win(attempt.match, attempt.pk, "abcd")
    Tournament.objects.filter(pk=cup.pk).update(ends_at=now())
    assert keep_schedule() == 1
    assert actions.advance(cup.pk)
    page = page_of(client, cup)
    assert f"Champion of {cup.name}" in page
    assert "final" not in page.partition('class="podium"')[0].partition("Champion of")[2]
    assert "in the final" not in page


def test_one_point_is_singular() -> None:
    decider: dict[str, Any] = {
        "match": 1,
        "scores": [7, 6],
        "deals": 1,
        "behind_after": 1,
        "deal": 1,
        "hand": [],
    }
    for behind, gained in ((1, 0), (0, 1)):
        figure = _decider_figure(Decider(**decider, behind=behind, gained=gained), final=True)
        assert figure is not None
        assert (figure.value, figure.words.split()[0]) == ("1", "point")


def test_the_overview_only_links_to_the_conditions(client: Client) -> None:
    cup = cup_of("abc")
    factories.finish_all(cup)
    page = page_of(client, cup)
    assert page.count(f'href="/tournaments/{cup.slug}/conditions/"') == 2  # the tab, and a word
    assert "<h2>Conditions</h2>" not in page
    assert 'href="/games/cassino/"' in page
    assert "<code>cassino" not in page


def test_own_teams_are_marked_by_a_word(client: Client) -> None:
    reader = factories.user("reader")
    bots = [factories.bot(reader if name == "b" else None, name) for name in "abcd"]
    cup = factories.tournament(
        by=factories.user("organizer"), format="cassino/standard/2v2?deals=1", partners="fixed"
    )
    for pair in (bots[:2], bots[2:]):
        actions.enter_team(cup, pair, None)
    cup = factories.finish_all(actions.start(cup, None))
    assert "yours</span>" not in page_of(client, cup, "standings/")
    client.force_login(reader)
    for tab in ("", "standings/"):
        page = page_of(client, cup, tab)
        assert page.count('<span class="chip brass">yours</span>') == 1
        assert '<th scope="col">Team</th>' in page
    assert '<th scope="col">Team</th>' in page_of(client, cup, "crosstable/")


def test_a_cell_tells_rotating_partners_from_opponents(client: Client) -> None:
    bots = [factories.bot(name=name) for name in "abcd"]
    cup = factories.tournament(
        bots, format="cassino/standard/2v2?deals=1", partners="rotating", start=True
    )
    page = page_of(client, factories.finish_all(cup))
    spoken = re.findall(r"(Round|round) (\d+): (\w+) with (\w), against (\w) and (\w), ", page)
    assert spoken, cells(page)
    for *_, partner, one, other in spoken:
        assert len({partner, one, other}) == 3


def two_stages(names: str) -> Tournament:
    stages = [
        {"system": "swiss", "groups": 1, "settings": {"rounds": 2}},
        {"system": "round-robin", "groups": 1, "take": 2},
    ]
    return cup_of(names, stages=stages)


def test_rounds_of_several_stages_are_named_by_their_stage(client: Client) -> None:
    """They used to be called 1, 1.2, 1.3."""
    cup = two_stages("abcd")
    page = page_of(client, cup)
    schedule = page.partition('<ol class="schedule">')[2].partition("</ol>")[0]
    assert re.findall(r"<span>(Stage [^<]*)</span>", schedule) == [
        "Stage 1, round 1",
        "Stage 1, round 2",
        "Stage 2: round robin of the best 2",
    ]
    chosen_winners.play_round(cup, "abcd")
    page = page_of(client, cup)
    assert re.search(r"It beat [b-d] in round 1 of stage 1\.", page)
    chosen_winners.play_round(cup, "abcd")
    page = page_of(client, cup)
    assert 'colspan="2">Stage 1: Swiss</th>' in page
    assert 'colspan="1">Stage 2: round robin</th>' in page
    schedule = page.partition('<ol class="schedule">')[2].partition("</ol>")[0]
    assert "Stage 1, rounds 1 to 2" in schedule
    assert "Stage 2, round 1" in schedule
    assert re.fullmatch(r"round 1 of stage 2: against [ab]", cells(page)[0][2])
    assert "round 1 of stage 2" in page  # the current match


def test_the_stage_that_decides_a_place_is_shown(client: Client) -> None:
    """The column used to mix points of two stages, so that places looked wrong."""
    cup = two_stages("abcd")
    chosen_winners.play_out(cup, "abcd")
    page = page_of(client, cup)
    body = page.partition('class="cross byround"')[2].partition("</table>")[0]
    places = re.findall(r'<td class="n">(\d)</td>\s*<td class="n"><b>([^<]*)</b></td>', body)
    assert places == [("2", "1"), ("2", "0"), ("1", "1"), ("1", "0")]
    assert "An entry’s last stage decides its place" in page
    table = page_of(client, cup, "standings/").partition("<tbody>")[2].partition("</tbody>")[0]
    places = re.findall(r'<td class="n">(\d)</td>\s*<td class="n"><b>', table)
    assert places == ["2", "2", "1", "1"]
    rows = client.get(f"/api/v1/tournaments/{cup.slug}/standings/").json()["rows"]
    assert [(row["stage"], row["points"]) for row in rows] == [(2, 1), (2, 0), (1, 1), (1, 0)]
    single = cup_of("efg")
    chosen_winners.play_out(single, "efg")
    assert ">Stage<" not in page_of(client, single) + page_of(client, single, "standings/")
