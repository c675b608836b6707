"""Void deal groups on a site: standings, REST, exports and archives agree."""

from __future__ import annotations

import csv
import io
from typing import Any

import pytest
from django.test import Client

from cardroom_base.db.db_time import now
from tests import chosen_winners, factories
from tests.site.test_archive_export import archive_file, read_table
from tournaments import actions, archive
from tournaments.actions.schedule import stop_if_due
from tournaments.models import DealGroup, Match, Tournament
from tournaments.reading import tournament_standings

pytestmark = pytest.mark.django_db


def cup_of(names: str, **fields: Any) -> Tournament:
    return factories.tournament([factories.bot(name=name) for name in names], start=True, **fields)


def group_between(cup: Tournament, one: str, other: str, **conditions: Any) -> DealGroup:
    groups = cup.deal_groups.filter(retired__isnull=True, **conditions)
    for name in (one, other):
        groups = groups.filter(sides__entry__bot__name=name)
    return groups.get()


def finish_real_matches(cup: Tournament) -> None:
    """Finish the tournament with real matches, so that its archive can be verified."""
    for _ in range(30):
        if cup.state != Tournament.State.RUNNING:
            return
        factories.finish_all(cup)
    raise AssertionError(f"{cup} does not end.")


def void(deal_group: DealGroup) -> None:
    actions.void_match(Match.objects.filter(deal_group=deal_group)[0], None, "A test.")


def rows(cup: Tournament) -> dict[str, tuple[int, float, int, int]]:
    """Place, points, counting groups and void groups by name, best first."""
    names = dict(cup.entries.values_list("pk", "bot__name"))
    return {
        names[int(row.entrant)]: (row.place, row.points, row.groups, row.void)
        for row in tournament_standings(cup)
    }


def test_a_void_win_does_not_cost_the_leader_its_place() -> None:
    """Formerly the leader fell to the last place."""
    cup = cup_of("abc", tie_breaks=["buchholz", "wins"])
    chosen_winners.play_out(cup, "abc")
    assert rows(cup) == {"a": (1, 2, 2, 0), "b": (2, 1, 2, 0), "c": (3, 0, 2, 0)}
    void(group_between(cup, "a", "c"))
    actions.advance(cup.pk)
    cup.refresh_from_db()
    assert cup.state == "finished"
    assert rows(cup) == {"a": (1, 2, 1, 1), "b": (2, 1, 2, 0), "c": (3, 0, 1, 1)}


def test_rest_exports_and_archives_agree() -> None:
    cup = cup_of("abcd", tie_breaks=["buchholz", "sonneborn-berger", "direct", "wins"])
    finish_real_matches(cup)
    void(group_between(cup, "a", "b"))
    actions.advance(cup.pk)
    archived_file = archive_file(cup)
    assert archive.verify(archived_file).state == "finished"
    client = Client()
    address = f"/api/v1/tournaments/{cup.slug}"
    rest = client.get(f"{address}/standings/").json()["rows"]
    exported = client.get(f"{address}/export/?table=standings&type=csv").content.decode()
    flat = list(csv.DictReader(io.StringIO(exported)))
    archived = read_table(archived_file, "standings.json")["rows"]
    for key in ("place", "points", "groups", "void", "for_void"):
        values = [row[key] for row in rest]
        assert values == [row[key] for row in archived]
        assert values == [
            type(value)(float(row[key])) for value, row in zip(values, flat, strict=True)
        ]
    assert sorted(row["void"] for row in rest) == [0, 0, 1, 1]
    cells = client.get(f"{address}/crosstable/").json()["rows"]
    assert {len(row["cells"]) for row in cells} == {2, 3}


def test_the_order_of_voids_does_not_matter() -> None:
    results: list[list[tuple[str, int, float, int, int]]] = []
    for order in (("ab", "cd", "ad"), ("ad", "cd", "ab")):
        cup = factories.tournament(
            [factories.bot(name=f"{name}{len(results)}") for name in "abcd"], start=True, groups=2
        )
        n = len(results)
        chosen_winners.play_out(cup, [f"{name}{n}" for name in "abcd"])
        for one, other in order:
            void(group_between(cup, f"{one}{n}", f"{other}{n}", group=1))
        actions.advance(cup.pk)
        results.append([(name[0], *row) for name, row in rows(cup).items()])
    assert results[0] == results[1]


def test_a_swiss_continues_after_a_void_and_its_archive_agrees() -> None:
    stages = [{"system": "swiss", "groups": 1, "settings": {"rounds": 3}}]
    cup = cup_of("abcde", stages=stages, tie_breaks=["buchholz", "sonneborn-berger"])
    first = cup.deal_groups.get(round=1, pairing=1)
    void(first)
    finish_real_matches(cup)
    assert cup.state == "finished"
    assert archive.verify(archive_file(cup)).groups == 6
    affected = [row for row in tournament_standings(cup) if row.void]
    assert len(affected) == 2
    for row in affected:
        own_points = row.points - row.byes - row.for_void
        assert row.for_void == pytest.approx(own_points / row.groups if row.groups else 0.5)
    byes = [row.byes for row in tournament_standings(cup)]
    assert sorted(byes) == [0, 0, 1, 1, 1]  # no second bye


def test_unplayed_groups_of_a_cancelled_tournament_are_void() -> None:
    cup = cup_of("abcd")
    played = cup.matches.order_by("pk")[:4]
    for match in list(played):
        factories.finish(match)
    actions.cancel(cup, None)
    cup.refresh_from_db()
    archived_file = archive_file(cup)
    assert archive.verify(archived_file).state == "cancelled"
    for row, archived in zip(
        tournament_standings(cup), read_table(archived_file, "standings.json")["rows"], strict=True
    ):
        assert (row.points, row.void) == (archived["points"], archived["void"])
        assert row.groups + row.void == 3


def test_a_final_and_a_semifinal_can_be_voided_after_the_end() -> None:
    cup = cup_of("abcd", system="knock-out")
    chosen_winners.play_out(cup, "abcd")
    final = cup.deal_groups.get(round=2)
    void(final)
    chosen_winners.play_round(cup, "abcd")
    second_final = cup.deal_groups.get(round=2, group=2)
    assert (second_final.retired, cup.state) == (None, "running")
    chosen_winners.play_out(cup, "bacd")
    assert next(iter(rows(cup))) == "b"
    void(group_between(cup, "a", "d", round=1))
    chosen_winners.play_round(cup, "dbca")  # the semifinal's new group
    assert not cup.deal_groups.filter(
        round=2, retired=None, pk__in=(final.pk, second_final.pk)
    ).exists()
    chosen_winners.play_out(cup, "dbca")
    assert next(iter(rows(cup))) == "d"
    assert all(row[3] == 0 for row in rows(cup).values())


def test_a_void_in_the_first_stage_keeps_an_unaffected_second_stage() -> None:
    stages = [
        {"system": "round-robin", "groups": 1},
        {"system": "round-robin", "groups": 1, "take": 2},
    ]
    cup = cup_of("abc", stages=stages)
    chosen_winners.play_out(cup, "abc")
    assert list(rows(cup)) == ["a", "b", "c"]
    void(group_between(cup, "a", "c", stage__number=1))
    chosen_winners.play_out(cup, "abc")
    assert cup.state == "finished"
    # a still leads stage 1, so stage 2 stays.
    assert not cup.deal_groups.filter(retired__isnull=False).exists()
    assert list(rows(cup)) == ["a", "b", "c"]


def test_standings_work_before_the_next_stage_is_replaced() -> None:
    """Until the housekeeper runs, stage 2 has results of entries that no longer qualify."""
    stages = [
        {"system": "round-robin", "groups": 1},
        {"system": "round-robin", "groups": 1, "take": 2},
    ]
    cup = cup_of("abcd", stages=stages)
    chosen_winners.play_out(cup, "abcd")
    void(group_between(cup, "b", "c", stage__number=1))
    void(group_between(cup, "b", "d", stage__number=1))
    assert list(rows(cup))[:2] == ["a", "c"]  # from stage 1
    assert Client().get(f"/tournaments/{cup.slug}/").status_code == 200
    chosen_winners.play_out(cup, "abcd")
    assert (cup.state, list(rows(cup))[:2]) == ("finished", ["a", "c"])


@pytest.mark.parametrize("system", ["round-robin", "gauntlet", "swiss", "knock-out"])
def test_an_archive_with_voids_of_any_system_verifies(system: str) -> None:
    cup = factories.tournament(5, start=True, stages=[{"system": system, "groups": 2}])
    void(cup.deal_groups.order_by("number")[0])
    assert archive.verify(archive_file(cup)).state == "running"
    finish_real_matches(cup)
    assert archive.verify(archive_file(cup)).state == "finished"
    for deal_group in cup.deal_groups.filter(round=2, retired=None).order_by("number")[:2]:
        void(deal_group)
    assert archive.verify(archive_file(cup)).state == "running"
    actions.advance(cup.pk)
    cup.refresh_from_db()
    finish_real_matches(cup)
    assert archive.verify(archive_file(cup)).state == "finished"


def test_a_withdrawn_entry_keeps_its_bye() -> None:
    """Formerly the points of a bye in the last round before withdrawal were lost."""
    stages = [{"system": "swiss", "groups": 2, "settings": {"rounds": 3}}]
    cup = factories.tournament(
        [factories.bot(name=name) for name in "abcde"], start=True, stages=stages
    )
    entry = cup.entries.get(bot__name="e")  # the last seed has the bye
    assert rows(cup)["e"][1:3] == (2, 0)
    actions.withdraw(cup, entry.bot, None)
    assert rows(cup)["e"][1:3] == (2, 0)
    finish_real_matches(cup)
    assert cup.state == "finished"
    assert rows(cup)["e"][1:] == (2, 0, 0)
    assert not cup.deal_groups.filter(retired__isnull=False).exists()
    archived_file = archive_file(cup)
    assert archive.verify(archived_file).state == "finished"
    [withdrawal] = [
        row["left"]
        for row in read_table(archived_file, "tournament.json")["entries"]
        if row["left"]
    ]
    assert withdrawal == [1, 1]


def test_a_withdrawn_entry_keeps_its_points_after_another_void() -> None:
    stages = [{"system": "swiss", "groups": 1, "settings": {"rounds": 3}}]
    cup = factories.tournament(
        [factories.bot(name=name) for name in "abcdef"], start=True, stages=stages
    )
    chosen_winners.play_round(cup, "abcdef")
    actions.withdraw(cup, cup.entries.get(bot__name="a").bot, None)
    chosen_winners.play_out(cup, "abcdef")
    before = rows(cup)
    assert before["a"][1:3] == (2, 2)
    last = cup.deal_groups.filter(retired__isnull=True, round=3).order_by("number")[0]
    void(last)
    chosen_winners.play_out(cup, "abcdef")
    after = rows(cup)
    assert after["a"][1:] == before["a"][1:]


def test_a_stopped_swiss_keeps_the_rounds_after_a_void() -> None:
    """Formerly they were retired and not replaced, so that all entrants lost their points."""
    stages = [{"system": "swiss", "groups": 1, "settings": {"rounds": 4}}]
    cup = cup_of("abcdef", stages=stages)
    for _ in range(3):
        factories.finish_all(cup)
    Tournament.objects.filter(pk=cup.pk).update(ends_at=now())
    assert stop_if_due(cup)
    actions.advance(cup.pk)
    before = rows(cup)
    first = cup.deal_groups.filter(round=1).order_by("pk")[0]
    hit = set(first.sides.values_list("entry__bot__name", flat=True))
    void(first)
    actions.advance(cup.pk)
    cup.refresh_from_db()
    assert cup.state == "finished"
    assert not cup.deal_groups.filter(retired__isnull=False).exists()
    after = rows(cup)
    assert {name: after[name][1:] for name in set(after) - hit} == {
        name: before[name][1:] for name in set(before) - hit
    }
    assert archive.verify(archive_file(cup)).state == "finished"
