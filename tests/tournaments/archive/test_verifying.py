"""Valid archives agree; for others the first discrepancy is named."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tournaments.archive import ArchivedEntry, ArchivedMember, ArchiveError, is_archive, verify
from tournaments.course.stages import StagePlan

from .build import ArchiveParts, head


@pytest.fixture
def cup() -> ArchiveParts:
    return ArchiveParts(head())


def test_a_valid_archive_agrees(cup: ArchiveParts, tmp_path: Path) -> None:
    calls: list[int] = []
    report = verify(cup.packed(), on_match=lambda: calls.append(1))
    assert (report.slug, report.state, report.entries, report.groups) == ("cup", "finished", 3, 2)
    assert (report.records, len(calls), report.by_rating) == (4, 4, False)
    rows = cup.files["standings.json"]["rows"]
    assert sum(row["byes"] for row in rows) == 2
    assert len({row["points"] for row in rows}) > 1
    path = tmp_path / "cup.zip"
    path.write_bytes(cup.packed().getvalue())
    assert is_archive(path)
    assert verify(path) == report


@pytest.mark.parametrize(
    "stage",
    [StagePlan(groups=2), StagePlan("gauntlet", groups=1), StagePlan("knock-out", groups=2)],
)
def test_other_systems_agree(stage: StagePlan) -> None:
    parts = ArchiveParts(head(4, stages=(stage,), tie_breaks=("direct", "sonneborn-berger")))
    assert verify(parts.packed()).records == len(parts.records)


def test_teams_and_changing_partners_agree() -> None:
    team = [
        ArchivedEntry(
            n, f"Team {n}", False, tuple(ArchivedMember(f"b{n}{m}", None, 1, "ab") for m in "xy")
        )
        for n in (1, 2)
    ]
    fmt = "cassino/royal/2v2?deals=1"
    fixed = head(format=fmt, partners="fixed", entries=tuple(team), stages=(StagePlan(groups=2),))
    assert verify(ArchiveParts(fixed).packed()).records == 4
    rotating = head(4, format=fmt, partners="rotating", stages=(StagePlan(groups=1),))
    assert verify(ArchiveParts(rotating).packed()).groups == 3


def set_value(name: str, *path: Any, to: Any) -> Callable[[ArchiveParts], None]:
    """A change of one value of a file, to a function of the old value or to a new value."""

    def change(parts: ArchiveParts) -> None:
        place: Any = {"fixtures.jsonl": parts.lines, **parts.files, **parts.records}[name]
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] = to(place[path[-1]]) if callable(to) else to

    return change


FIRST = "records/10.json"
ZEROS = "0" * 64
FORGERIES = [
    (set_value("fixtures.jsonl", 1, "commitment", to=ZEROS), "deal group 2: its seed does not fit"),
    (
        set_value("fixtures.jsonl", 1, "commitment", to=None),
        "2: the commitment to its seed is missing",
    ),
    (set_value("fixtures.jsonl", 1, "commitment", to=7), "commitment must be text or null, not 7"),
    (
        set_value("fixtures.jsonl", 1, "matches", 1, "seats", 0, "version", to="1"),
        "line 2: matches[1].seats[0].version must be a whole number, not '1'",
    ),
    (set_value("fixtures.jsonl", 0, "number", to=1.0), "number must be a whole number, not 1.0"),
    (set_value("tournament.json", "entries", 0, "left", to=[1]), "left must be a list of length 2"),
    (set_value("tournament.json", "tie_breaks", to=["wins"] * 21), "a list of length <= 20"),
    (
        set_value("standings.json", "rows", 0, to=7),
        "standings.json: rows[0] must be an object, not 7",
    ),
    (set_value("fixtures.jsonl", 1, "seed", to="other"), "deal group 2: its seed does not fit"),
    (
        set_value("fixtures.jsonl", 1, "seed", to="\ud800"),
        "line 2 is not JSON: A text in it has a lone surrogate",
    ),
    (
        set_value("fixtures.jsonl", 1, "seed", to=None),
        "2: its seed is missing, but the group is over",
    ),
    (
        set_value("tournament.json", "cardroom", to=4),
        "must describe a tournament in version 1 to 3",
    ),
    (set_value("tournament.json", "seed", to="other"), "deal group 1: its seed does not follow"),
    (set_value("tournament.json", "format", to="bridge"), "tournament.json: "),
    (set_value("tournament.json", "apart", to=1), "apart must be true or false, not 1"),
    (set_value("tournament.json", "stages", 0, "system", to="x"), "no pairing system “x”"),
    (set_value("tournament.json", "tie_breaks", to=["luck"]), "no tie-break luck"),
    (
        set_value("fixtures.jsonl", 1, "number", to=7),
        "line 2: the number of the deal group must be 2, not 7",
    ),
    (set_value("fixtures.jsonl", 1, "stage", to=2), "deal group 2: there is no stage 2"),
    (set_value("fixtures.jsonl", 1, "sides", to=[1, 9]), "there is no entry 9"),
    (set_value("fixtures.jsonl", 1, "sides", to=[1, 1]), "an entry meets itself"),
    (
        set_value("fixtures.jsonl", 0, "sides", to=lambda old: old[::-1]),
        "match 10: seat 0 belongs to",
    ),
    (set_value("fixtures.jsonl", 0, "matches", to=lambda old: old[:1]), "the rotations 0 to 1"),
    (
        set_value("fixtures.jsonl", 0, "matches", 0, "seats", 1, "version", to=2),
        "seat 1 belongs to",
    ),
    (set_value("fixtures.jsonl", 0, "matches", 0, "scores", 0, to=99), f"{FIRST}: Its scores are"),
    (set_value("fixtures.jsonl", 0, "matches", 0, "faults", to=[1]), f"{FIRST}: Its faults are []"),
    (set_value("fixtures.jsonl", 0, "matches", 0, "match", to=77), "records/77.json is missing"),
    (
        set_value("fixtures.jsonl", 0, "matches", 1, "match", to=10),
        "10.json belongs to two matches",
    ),
    (
        set_value("fixtures.jsonl", 0, "matches", 0, "state", to="void"),
        "a result, but its state is",
    ),
    (
        set_value("fixtures.jsonl", 0, "retired", to=True),
        "the match counts, but its deal group is retired",
    ),
    (set_value(FIRST, "seed", to="other"), f"{FIRST}: Its seed is other"),
    (set_value(FIRST, "moves", to=lambda old: old[:-1]), f"{FIRST}: "),
    (set_value(FIRST, "moves", 5, to=lambda old: old + "x"), f"{FIRST}: Move 6 (moves[5])"),
    (set_value(FIRST, "result", "scores", 0, to=99), f"{FIRST}: The result's scores"),
    (set_value(FIRST, "players", 0, "package", to="cd"), f"{FIRST}: Seat 0 was not played by"),
    (
        set_value("standings.json", "rows", 1, "points", to=9),
        "rows[1] does not follow: from",
    ),
    (set_value("standings.json", "rows", to=lambda old: old[:-1]), "must have 3 lines; it has 2"),
    (set_value("standings.json", "stages", 0, "rows", 0, "won", to=9), "stages[0] does not follow"),
    (set_value("crosstable.json", "cells", 0, "groups", to=9), "cells[0] does not follow"),
]


@pytest.mark.parametrize(("spoil", "text"), FORGERIES, ids=[text for _, text in FORGERIES])
def test_the_first_discrepancy_is_named(
    cup: ArchiveParts, spoil: Callable[[ArchiveParts], None], text: str
) -> None:
    spoil(cup)
    with pytest.raises(ArchiveError) as caught:
        verify(cup.packed())
    assert text in str(caught.value)


def test_random_seeds_only_need_to_match_their_commitments() -> None:
    cup = ArchiveParts(head(2, stages=(StagePlan("round-robin", groups=2),)))
    cup.files["tournament.json"] |= {"seed": "of lots and pairings", "chosen_seed": False}
    assert verify(cup.packed()).groups == 2
    first, second = cup.lines
    second |= {key: first[key] for key in ("seed", "commitment")}
    with pytest.raises(ArchiveError, match="deal group 2: another group has the same commitment"):
        verify(cup.packed())


def test_unfinished_groups_have_only_a_commitment() -> None:
    cup = ArchiveParts(head(2, stages=(StagePlan("round-robin", groups=2),)))
    cup.files["tournament.json"]["state"] = "running"
    open_ = cup.lines[1]
    open_["matches"][1] |= {"state": "waiting", "scores": [], "ranks": []}
    open_["seed"] = None
    for match in open_["matches"]:
        del cup.records[f"records/{match['match']}.json"]
    with pytest.raises(ArchiveError, match=r"standings\.json"):  # these count four matches
        verify(cup.packed())
    cup.files["tournament.json"]["state"] = "cancelled"
    with pytest.raises(ArchiveError, match="deal group 2: its seed is missing"):
        verify(cup.packed())


def test_an_archive_without_commitments_agrees() -> None:
    path = Path(__file__).with_name("version1.zip")
    report = verify(path)
    assert (report.groups, report.records, report.hidden) == (2, 4, 0)
    parts = ArchiveParts(head(version=1))
    assert verify(parts.packed()) == report
    parts.lines[0]["seed"] = None
    with pytest.raises(ArchiveError, match="deal group 1: its seed is missing"):
        verify(parts.packed())


def test_pairings_must_follow_from_the_results() -> None:
    cup = ArchiveParts(head(4, stages=(StagePlan("round-robin", groups=1),)))
    cup.files["tournament.json"]["stages"] = [{"system": "swiss", "groups": 1}]
    with pytest.raises(ArchiveError, match=r"stage 1: the pairings of round \d do not follow"):
        verify(cup.packed())


def test_a_finished_tournament_is_complete(cup: ArchiveParts) -> None:
    longer = ArchiveParts(head())
    longer.files["tournament.json"]["stages"][0]["settings"] = {"rounds": 3}
    with pytest.raises(ArchiveError, match="tournament is finished, but stage 1 is not"):
        verify(longer.packed())
    cup.files["tournament.json"]["stages"].append({"system": "round-robin", "take": 2})
    with pytest.raises(ArchiveError, match="tournament is finished, but stage 2 is missing"):
        verify(cup.packed())


def test_rounds_after_a_rerun_may_be_missing() -> None:
    cup = ArchiveParts(head(4, stages=(StagePlan("swiss", {"rounds": 2}, groups=1),)))
    first = cup.lines[0]
    for match in first["matches"]:
        del cup.records[f"records/{match['match']}.json"]
        match |= {"state": "waiting", "scores": [], "ranks": []}
    cup.files["tournament.json"]["state"] = "running"
    with pytest.raises(ArchiveError, match=r"standings\.json"):  # these do not include it
        verify(cup.packed())
    cup.files["tournament.json"]["state"] = "finished"
    with pytest.raises(ArchiveError, match="some matches are unfinished"):
        verify(cup.packed())


def test_every_record_belongs_to_a_match(cup: ArchiveParts) -> None:
    cup.records["records/1.json"] = {}
    with pytest.raises(ArchiveError, match=r"records/1\.json belongs to no match"):
        verify(cup.packed())


@pytest.mark.parametrize("name", ["tournament.json", "standings.json", "crosstable.json"])
def test_missing_files_are_named(cup: ArchiveParts, name: str) -> None:
    del cup.files[name]
    with pytest.raises(ArchiveError, match=f"{name} is missing"):
        verify(cup.packed())


def test_other_files_are_refused(cup: ArchiveParts, tmp_path: Path) -> None:
    path = tmp_path / "x.zip"
    path.write_bytes(b"nothing")
    assert not is_archive(path)
    with pytest.raises(ArchiveError, match="cannot be read"):
        verify(path)
    content = cup.packed().getvalue()
    with pytest.raises(ArchiveError, match="cannot be read"):
        verify(io.BytesIO(content[: len(content) // 2]))
    torn = bytearray(content)
    torn[len(content) // 3] ^= 255
    with pytest.raises(ArchiveError):
        verify(io.BytesIO(bytes(torn)))


@pytest.mark.parametrize("content", ["[]", "7", "{", '{"cardroom":1}', "[" * 5000])
def test_any_json_verifies_or_is_refused(cup: ArchiveParts, content: str) -> None:
    for name in ("tournament.json", "fixtures.jsonl", "standings.json", "records/10.json"):
        changed = io.BytesIO()
        with (
            zipfile.ZipFile(cup.packed()) as old,
            zipfile.ZipFile(changed, "w") as new,
        ):
            for member in old.namelist():
                new.writestr(member, content if member == name else old.read(member))
        with pytest.raises(ArchiveError, match=name):
            verify(changed)


def test_retired_deal_groups_keep_their_seeds(cup: ArchiveParts) -> None:
    retired = json.loads(json.dumps(cup.lines[0]))
    for match in retired["matches"]:
        match |= {"state": "void", "scores": [], "ranks": [], "match": match["match"] + 1000}
    retired["retired"] = True
    lines = json.loads(json.dumps(cup.lines))
    cup.lines = [retired, *lines]
    for number, line in enumerate(cup.lines, 1):
        line["number"] = number
    with pytest.raises(ArchiveError, match="deal group 2: its seed does not follow"):
        verify(cup.packed())  # the second deal group of a pairing has other deals than the first
