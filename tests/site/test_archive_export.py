"""Archives of tournaments as they are played on a site: each agrees."""

from __future__ import annotations

import io
import json
import zipfile
from typing import Any

import pytest

from engine.shuffle import commitment
from tests import factories
from tournaments import actions, archive
from tournaments.exports.archive import archive_of
from tournaments.models import Match, Seat, Tournament

pytestmark = pytest.mark.django_db


def packed(of: Tournament) -> io.BytesIO:
    return io.BytesIO(b"".join(archive_of(of)))


def table(of: io.BytesIO, name: str) -> Any:
    with zipfile.ZipFile(of) as whole:
        return json.loads(whole.read(name))


def test_stages_and_divisions() -> None:
    stages = [
        {"system": "round-robin", "groups": 1, "divisions": 2},
        {"system": "round-robin", "groups": 1, "take": 2},
    ]
    cup = factories.tournament(
        6, start=True, stages=stages, tie_breaks=["direct", "buchholz"], apart=True
    )
    early = archive.verify(packed(cup))
    assert (early.state, early.groups, early.records) == ("running", 6, 0)
    factories.finish_all(cup)
    factories.finish_all(cup)
    found = archive.verify(packed(cup))
    assert (found.state, found.groups, found.records) == ("finished", 7, 14)
    parts = table(packed(cup), "standings.json")["stages"]
    assert [(part["stage"], part["division"]) for part in parts] == [(1, 1), (1, 2), (2, 1)]


def test_what_was_taken_back_is_there_and_does_not_count() -> None:
    cup = factories.tournament(
        4, start=True, stages=[{"system": "swiss", "settings": {"rounds": 2}, "groups": 1}]
    )
    factories.finish_all(cup)
    factories.finish_all(cup)
    cup.refresh_from_db()
    assert cup.state == Tournament.State.FINISHED
    actions.rerun_round(cup, 1, 1, None, "A test.")
    assert archive.verify(packed(cup)).state == "running"
    # The first seed, who was level with everybody, breaks down in its first deal group.
    seats = Seat.objects.filter(match__tournament=cup, match__deal_group__round=1, entry__seeding=1)
    for match, seat in list(seats.order_by("match").values_list("match", "index")):
        factories.finish(Match.objects.get(pk=match), faults=[(seat, "crash")])
    factories.finish_all(cup)
    factories.finish_all(cup)
    whole = packed(cup)
    assert archive.verify(whole).groups == 4
    with zipfile.ZipFile(whole) as files:
        groups = [json.loads(line) for line in files.read("fixtures.jsonl").splitlines()]
    retired = [group for group in groups if group["retired"]]
    assert [group["round"] for group in retired] == [1, 1, 2, 2]
    assert len({group["seed"] for group in groups}) == len(groups) == 8


def test_faults_and_changing_partners() -> None:
    cup = factories.tournament(
        4,
        start=True,
        format="cassino/royal/2v2?deals=1",
        partners="rotating",
        stages=[{"system": "round-robin", "groups": 1}],
    )
    first = Match.objects.filter(tournament=cup).order_by("pk").first()
    assert first is not None
    factories.finish(first, faults=[(0, "crash")])
    factories.finish_all(cup)
    whole = packed(cup)
    found = archive.verify(whole)
    assert (found.groups, found.records) == (3, 6)
    faults = [row["faults"] for row in table(whole, "standings.json")["rows"]]
    assert sum(faults) == 2  # both partners of the side


def test_drawn_cards_are_committed_to_first_and_shown_when_they_are_over() -> None:
    cup = factories.tournament(3, start=True, seed=None)
    before = {group["number"]: group for group in deal_groups(packed(cup))}
    assert {group["seed"] for group in before.values()} == {None}
    first, second = cup.deal_groups.get(number=1).matches.order_by("pk")
    factories.finish(first)
    half = packed(cup)
    assert {group["seed"] for group in deal_groups(half)} == {None}
    found = archive.verify(half)
    assert (found.groups, found.records, found.hidden) == (3, 0, 3)
    factories.finish(second)
    found = archive.verify(packed(cup))
    assert (found.records, found.hidden) == (2, 2)
    factories.finish_all(cup)
    whole = packed(cup)
    assert archive.verify(whole).hidden == 0
    for group in deal_groups(whole):
        assert group["commitment"] == before[group["number"]]["commitment"]
        assert commitment(group["seed"]) == group["commitment"]
    with zipfile.ZipFile(whole) as files:
        rngs = [json.loads(files.read(n))["rng"] for n in files.namelist() if "records/" in n]
    assert len(set(rngs)) == len(rngs) == 6


def deal_groups(of: io.BytesIO) -> list[Any]:
    with zipfile.ZipFile(of) as whole:
        return [json.loads(line) for line in whole.read("fixtures.jsonl").splitlines()]


def test_the_same_moment_gives_the_same_archive() -> None:
    cup = factories.tournament(2, start=True)
    factories.finish_all(cup)
    assert packed(cup).getvalue() == packed(cup).getvalue()


def test_of_a_ladder_all_but_pairings_and_places_is_checked() -> None:
    cup = factories.tournament(
        3, start=True, stages=[{"system": "ladder", "groups": 1, "settings": {"ahead": 2}}]
    )
    for match in Match.objects.filter(tournament=cup).order_by("pk")[:2]:
        factories.finish(match)
    found = archive.verify(packed(cup))
    assert (found.state, found.by_rating, found.records) == ("running", True, 2)
    assert found.hidden == 1


def test_the_cross_table_of_a_long_ladder_is_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """The site's own is of the last deal groups; what is checked are all."""
    monkeypatch.setattr("tournaments.reading.course.RECENT", 1)
    monkeypatch.setattr("tournaments.exports.archive.RECENT", 1)
    cup = factories.tournament(
        3, start=True, stages=[{"system": "ladder", "groups": 1, "settings": {"ahead": 2}}]
    )
    for match in Match.objects.filter(tournament=cup).order_by("pk"):
        factories.finish(match)
    assert archive.verify(packed(cup)).groups == 2
