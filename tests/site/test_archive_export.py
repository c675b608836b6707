"""Archives of tournaments on a site pass verification."""

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


def archive_file(cup: Tournament) -> io.BytesIO:
    return io.BytesIO(b"".join(archive_of(cup)))


def read_table(file: io.BytesIO, name: str) -> Any:
    with zipfile.ZipFile(file) as archive_zip:
        return json.loads(archive_zip.read(name))


def test_stages_and_divisions() -> None:
    stages = [
        {"system": "round-robin", "groups": 1, "divisions": 2},
        {"system": "round-robin", "groups": 1, "take": 2},
    ]
    cup = factories.tournament(
        6, start=True, stages=stages, tie_breaks=["direct", "buchholz"], apart=True
    )
    early_report = archive.verify(archive_file(cup))
    assert (early_report.state, early_report.groups, early_report.records) == ("running", 6, 0)
    factories.finish_all(cup)
    factories.finish_all(cup)
    report = archive.verify(archive_file(cup))
    assert (report.state, report.groups, report.records) == ("finished", 7, 14)
    parts = read_table(archive_file(cup), "standings.json")["stages"]
    assert [(part["stage"], part["division"]) for part in parts] == [(1, 1), (1, 2), (2, 1)]


def test_retired_groups_are_archived_but_do_not_count() -> None:
    cup = factories.tournament(
        4, start=True, stages=[{"system": "swiss", "settings": {"rounds": 2}, "groups": 1}]
    )
    factories.finish_all(cup)
    factories.finish_all(cup)
    cup.refresh_from_db()
    assert cup.state == Tournament.State.FINISHED
    actions.rerun_round(cup, 1, 1, None, "A test.")
    assert archive.verify(archive_file(cup)).state == "running"
    # The first seed drew with everybody; now it crashes in its first deal group.
    seats = Seat.objects.filter(match__tournament=cup, match__deal_group__round=1, entry__seeding=1)
    for match, seat in list(seats.order_by("match").values_list("match", "index")):
        factories.finish(Match.objects.get(pk=match), faults=[(seat, "crash")])
    factories.finish_all(cup)
    factories.finish_all(cup)
    file = archive_file(cup)
    assert archive.verify(file).groups == 4
    with zipfile.ZipFile(file) as files:
        groups = [json.loads(line) for line in files.read("fixtures.jsonl").splitlines()]
    retired = [group for group in groups if group["retired"]]
    assert [group["round"] for group in retired] == [1, 1, 2, 2]
    assert len({group["seed"] for group in groups}) == len(groups) == 8


def test_faults_of_rotating_partners() -> None:
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
    file = archive_file(cup)
    report = archive.verify(file)
    assert (report.groups, report.records) == (3, 6)
    faults = [row["faults"] for row in read_table(file, "standings.json")["rows"]]
    assert sum(faults) == 2  # both partners of the side


def test_seeds_are_revealed_after_their_groups_end() -> None:
    cup = factories.tournament(3, start=True, seed=None)
    before = {group["number"]: group for group in deal_groups(archive_file(cup))}
    assert {group["seed"] for group in before.values()} == {None}
    first, second = cup.deal_groups.get(number=1).matches.order_by("pk")
    factories.finish(first)
    half = archive_file(cup)
    assert {group["seed"] for group in deal_groups(half)} == {None}
    report = archive.verify(half)
    assert (report.groups, report.records, report.hidden) == (3, 0, 3)
    factories.finish(second)
    report = archive.verify(archive_file(cup))
    assert (report.records, report.hidden) == (2, 2)
    factories.finish_all(cup)
    file = archive_file(cup)
    assert archive.verify(file).hidden == 0
    for group in deal_groups(file):
        assert group["commitment"] == before[group["number"]]["commitment"]
        assert commitment(group["seed"]) == group["commitment"]
    with zipfile.ZipFile(file) as files:
        rngs = [json.loads(files.read(n))["rng"] for n in files.namelist() if "records/" in n]
    assert len(set(rngs)) == len(rngs) == 6


def deal_groups(file: io.BytesIO) -> list[Any]:
    with zipfile.ZipFile(file) as archive_zip:
        return [json.loads(line) for line in archive_zip.read("fixtures.jsonl").splitlines()]


def test_an_unchanged_tournament_gives_the_same_archive() -> None:
    cup = factories.tournament(2, start=True)
    factories.finish_all(cup)
    assert archive_file(cup).getvalue() == archive_file(cup).getvalue()


def test_a_ladder_is_verified_without_pairings_and_places() -> None:
    cup = factories.tournament(
        3, start=True, stages=[{"system": "ladder", "groups": 1, "settings": {"ahead": 2}}]
    )
    for match in Match.objects.filter(tournament=cup).order_by("pk")[:2]:
        factories.finish(match)
    report = archive.verify(archive_file(cup))
    assert (report.state, report.by_rating, report.records) == ("running", True, 2)
    assert report.hidden == 1


def test_the_cross_table_of_a_long_ladder_is_complete(monkeypatch: pytest.MonkeyPatch) -> None:
    """The site shows only the last deal groups; the archive has all."""
    monkeypatch.setattr("tournaments.reading.course.RECENT", 1)
    monkeypatch.setattr("tournaments.exports.archive.RECENT", 1)
    cup = factories.tournament(
        3, start=True, stages=[{"system": "ladder", "groups": 1, "settings": {"ahead": 2}}]
    )
    for match in Match.objects.filter(tournament=cup).order_by("pk"):
        factories.finish(match)
    assert archive.verify(archive_file(cup)).groups == 2
