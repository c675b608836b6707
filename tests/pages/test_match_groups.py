"""The list of matches: a row for each deal group, highlights, filters."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.db.models import F
from django.test import Client

from bots.models import BotVersion
from cardroom.pages.matches import match_groups, match_list
from cardroom_base.db.db_time import now
from tests import factories
from tests.pages.conftest import World
from tests.pages.markup import flat
from tests.pages.test_pages import read
from tournaments.models import Match, MatchFigures, SideResult
from tournaments.projections import tallies
from tournaments.reading import listed_groups

pytestmark = pytest.mark.django_db


def rows(client: Client, address: str) -> list[str]:
    """The rows of the list, as text."""
    page = client.get(address).content.decode()
    read(page)
    body = page.partition('class="panel groups"')[2].partition("</ol>")[0]
    texts = [re.sub(r"<[^>]+>", " ", row) for row in body.partition(">")[2].split("</li>")]
    return [" ".join(row.split()) for row in texts if row.strip()]


def test_each_row_is_a_finished_deal_group(client: Client, world: World) -> None:
    groups_listed = rows(client, "/matches/")
    assert len(groups_listed) == 3
    assert all("Cassino for two" in row and "Autumn Cup" in row for row in groups_listed)
    first = factories.finish(world.running.matches.earliest("pk"))
    assert len(rows(client, "/matches/")) == 3, "the other match of the group is unplayed"
    for other in first.deal_group.matches.exclude(pk=first.pk):
        factories.finish(other)
    groups_listed = rows(client, "/matches/")
    assert len(groups_listed) == 4
    assert "Winter Cup" in groups_listed[0]


def test_a_sides_line_has_the_scores_of_both_matches(client: Client, world: World) -> None:
    group = world.finished.deal_groups.earliest("number")
    (line,) = match_groups.group_rows(
        listed_groups.finished_groups([group.matches.earliest("pk").pk])
    )
    for match, n in ((group.matches.get(rotation=0), 0), (group.matches.get(rotation=1), 1)):
        for side in line.sides:
            seat = match.seats.get(version__bot__name=side.side.name)
            assert side.scores[n][0] == match.results.get(side=seat.side).score


def test_the_lead_is_drawn_once_figures_are_counted(client: Client, world: World) -> None:
    MatchFigures.objects.update(content={}, shape=0, counted=False)
    assert "<polyline" not in client.get("/matches/").content.decode()
    tallies.count_new()
    assert client.get("/matches/").content.decode().count("<polyline") == 3


def _decided(scores: list[int], *, fault: str = "") -> Match:
    """A finished match with these scores, in a finished deal group."""
    match = Match.objects.filter(state="finished").latest("pk")
    MatchFigures.objects.all().delete()
    for one in match.deal_group.matches.all():
        for side, score in enumerate(scores if one == match else [12, 0]):
            rank = 1 + sum(other > score for other in scores)
            SideResult.objects.filter(match=one, side=side).update(
                score=score, rank=rank, faulted=bool(fault and side and one == match)
            )
    if fault:
        match.seats.filter(side=1).update(fault=fault)
        Match.objects.filter(pk=match.pk).update(faulted=True)
    return match


@pytest.mark.parametrize(
    ("scores", "fault", "chip", "sentence"),
    [
        ([9, 4], "time", "a fault", r"^\S+ gave no answer in time\.$"),
        ([9, 4], "unheard", "a fault", r"^\S+ committed a fault\.$"),
        ([12, 11], "", "last card", r"^\S+ won by 1 point; the last card decided it\.$"),
        ([20, 20], "", "close", r"^A draw\.$"),
    ],
)
def test_a_highlight_comes_with_a_sentence(
    world: World, scores: list[int], fault: str, chip: str, sentence: str
) -> None:
    match = _decided(scores, fault=fault)
    (line,) = match_groups.group_rows(listed_groups.finished_groups([match.pk]))
    assert (line.chip, line.match.pk) == (chip, match.pk)
    assert re.match(sentence, line.sentence.replace("凪 Nagi", "Nagi"))


def test_the_whole_row_links_to_the_match(client: Client, world: World) -> None:
    page = flat(client.get("/matches/").content.decode())
    links = re.findall(
        r'<a class="whole" href="/matches/\d+/">Cassino for two<span[^>]*>: (.+?)<', page
    )
    assert len(links) == 3
    assert all(" against " in link for link in links)


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ("game=cassino", 3),
        ("game=canasta", 0),
        ("bot=magpie", 2),
        ("bot=magpie&against=nagi", 1),
        ("tournament=autumn-cup", 3),
        ("tournament=winter-cup", 0),
        ("only=faults", 0),
        ("only=nonsense&game=nonsense&before=x", 3),
    ],
)
def test_filters(client: Client, world: World, query: str, count: int) -> None:
    assert len(rows(client, f"/matches/?{query}")) == count


def test_mine_lists_only_the_users_matches(client: Client, world: World) -> None:
    assert ">Mine<" not in client.get("/matches/").content.decode()
    client.force_login(world.owner)
    assert ">Mine<" in client.get("/matches/").content.decode()
    own_rows = rows(client, "/matches/?only=mine")
    assert len(own_rows) == 2
    assert all("Magpie yours" in row for row in own_rows)


def test_mine_finds_a_page_among_very_many(
    client: Client, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    client.force_login(world.owner)
    all_rows = rows(client, "/matches/?only=mine")
    monkeypatch.setattr(listed_groups, "MAX_SEATS", 2)
    last = Match.objects.filter(seats__version__bot__owner=world.owner).latest("pk")
    assert last.state == "waiting", "newer unplayed matches hide no finished ones"
    assert rows(client, "/matches/?only=mine")[0] in all_rows


def test_close_matches_have_a_drama_of_at_least_190(client: Client, world: World) -> None:
    Match.objects.update(drama=189)
    assert rows(client, "/matches/?only=close") == []
    assert "No recent close matches" in client.get("/matches/?only=close").content.decode()
    Match.objects.update(drama=190)
    assert len(rows(client, "/matches/?only=close")) == 3


def test_close_matches_are_searched_among_the_last_ones(
    client: Client, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    Match.objects.update(drama=190)
    last = Match.objects.filter(finished__isnull=False).latest("finished", "pk")
    Match.objects.exclude(pk=last.pk).update(finished=F("finished") - timedelta(minutes=1))
    monkeypatch.setattr(listed_groups, "MAX_SEARCHED", 1)
    assert len(rows(client, "/matches/?only=close")) == 1
    monkeypatch.setattr(listed_groups, "MAX_SEARCHED", 1000)
    assert len(rows(client, "/matches/?only=close")) == 3


def test_a_filter_link_keeps_the_other_filters(client: Client, world: World) -> None:
    page = flat(client.get("/matches/?game=cassino&only=faults").content.decode())
    assert 'href="?game=canasta&amp;only=faults"' in page.replace(
        "only=faults&amp;game=canasta", "game=canasta&amp;only=faults"
    )
    assert '<a class="fchip" href="?game=cassino" aria-current="true">Faults</a>' in page
    assert '<a class="fchip" href="?only=faults">All games</a>' in page


def test_the_old_name_of_a_filter_leads_to_the_new_one(client: Client, world: World) -> None:
    response = client.get("/matches/?state=fault&game=cassino")
    assert response["Location"] == "/matches/?game=cassino&only=faults"


def test_pages_go_back_in_time_without_gaps(
    client: Client, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(match_list, "GROUPS", 2)
    address, numbers = "/matches/", []
    while address:
        page = client.get(address).content.decode()
        numbers += re.findall(r'class="whole" href="/matches/(\d+)/"', flat(page))
        earlier = re.search(r'href="(\?before=\d+)"', page)
        address = f"/matches/{earlier[1]}" if earlier else ""
    assert len(numbers) == len(set(numbers)) == 3


def test_a_page_does_not_tell_when_a_hidden_match_ended(client: Client, world: World) -> None:
    hidden = factories.tournament(2, start=True, rated=False, visibility="invited")
    factories.finish_all(hidden)
    match, count = hidden.matches.earliest("pk"), len(rows(client, "/matches/"))
    for moment in (now(), now() - timedelta(days=9)):
        hidden.matches.update(finished=moment)
        assert len(rows(client, f"/matches/?before={match.pk}")) == count


def test_highlights_come_from_different_games(world: World) -> None:
    others = ("canasta/classic/1v1?deals=1", "paks/standard/1v1?deals=1")
    bots = [world.magpie, world.jay]
    BotVersion.objects.update(formats=["*/*/*"])
    for fmt in others:
        factories.finish_all(factories.tournament(bots, name=fmt, format=fmt, start=True))
    Match.objects.filter(format__startswith="cassino").update(drama=5000)
    picks = listed_groups.pick_dramatic(listed_groups.last_of_ended_groups(Match.objects.all()), 4)
    games = [Match.objects.get(pk=pk).format.partition("/")[0] for pk in picks]
    assert set(games[:3]) == {"cassino", "canasta", "paks"}
    assert games[3] == "cassino"
    best = match_groups.most_dramatic(listed_groups.finished_groups(picks), 3)
    assert {pick.first.format.partition("/")[0] for pick in best} == set(games)


def test_the_page_counts_matches_of_the_last_day(client: Client, world: World) -> None:
    assert "6 in the last 24 hours" in client.get("/matches/").content.decode()
    Match.objects.update(finished=now() - timedelta(days=2))
    assert "0 in the last 24 hours" in client.get("/matches/").content.decode()


def test_an_empty_site_says_so(client: Client) -> None:
    assert "No finished matches yet" in client.get("/matches/").content.decode()
    assert "No matches like this yet" in client.get("/matches/?game=paks").content.decode()
