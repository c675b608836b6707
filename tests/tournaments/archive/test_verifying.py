"""Archives that agree, and the first thing that is wrong in others."""

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

from .build import Built, head


@pytest.fixture
def cup() -> Built:
    return Built(head())


def test_an_archive_that_follows_agrees(cup: Built, tmp_path: Path) -> None:
    seen: list[int] = []
    found = verify(cup.packed(), on_match=lambda: seen.append(1))
    assert (found.slug, found.state, found.entries, found.groups) == ("cup", "finished", 3, 2)
    assert (found.records, len(seen), found.by_rating) == (4, 4, False)
    rows = cup.files["standings.json"]["rows"]
    assert sum(row["byes"] for row in rows) == 2
    assert len({row["points"] for row in rows}) > 1
    path = tmp_path / "cup.zip"
    path.write_bytes(cup.packed().getvalue())
    assert is_archive(path)
    assert verify(path) == found


@pytest.mark.parametrize(
    "stage",
    [StagePlan(groups=2), StagePlan("gauntlet", groups=1), StagePlan("knock-out", groups=2)],
)
def test_other_systems_agree(stage: StagePlan) -> None:
    built = Built(head(4, stages=(stage,), tie_breaks=("direct", "sonneborn-berger")))
    assert verify(built.packed()).records == len(built.records)


def test_teams_and_changing_partners_agree() -> None:
    team = [
        ArchivedEntry(
            n, f"Team {n}", False, tuple(ArchivedMember(f"b{n}{m}", None, 1, "ab") for m in "xy")
        )
        for n in (1, 2)
    ]
    fmt = "cassino/royal/2v2?deals=1"
    fixed = head(format=fmt, partners="fixed", entries=tuple(team), stages=(StagePlan(groups=2),))
    assert verify(Built(fixed).packed()).records == 4
    rotating = head(4, format=fmt, partners="rotating", stages=(StagePlan(groups=1),))
    assert verify(Built(rotating).packed()).groups == 3


def change(name: str, *path: Any, to: Any) -> Callable[[Built], None]:
    """Set one value of a file; a function of the old value, or the value itself."""

    def do(built: Built) -> None:
        place: Any = {"fixtures.jsonl": built.lines, **built.files, **built.records}[name]
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] = to(place[path[-1]]) if callable(to) else to

    return do


FIRST = "records/10.json"
ZEROS = "0" * 64
WRONG = [
    (change("fixtures.jsonl", 1, "commitment", to=ZEROS), "deal group 2: its seed does not fit"),
    (
        change("fixtures.jsonl", 1, "commitment", to=None),
        "2: the commitment to its seed is missing",
    ),
    (change("fixtures.jsonl", 1, "commitment", to=7), "commitment must be text or null, not 7"),
    (
        change("fixtures.jsonl", 1, "matches", 1, "seats", 0, "version", to="1"),
        "line 2: matches[1].seats[0].version must be a whole number, not '1'",
    ),
    (change("fixtures.jsonl", 0, "number", to=1.0), "number must be a whole number, not 1.0"),
    (change("tournament.json", "entries", 0, "left", to=[1]), "left must be a list of length 2"),
    (change("tournament.json", "tie_breaks", to=["wins"] * 21), "a list of length <= 20"),
    (change("standings.json", "rows", 0, to=7), "standings.json: rows[0] must be an object, not 7"),
    (change("fixtures.jsonl", 1, "seed", to="other"), "deal group 2: its seed does not fit"),
    (
        change("fixtures.jsonl", 1, "seed", to="\ud800"),
        "line 2 is not JSON: A text in it has a lone surrogate",
    ),
    (change("fixtures.jsonl", 1, "seed", to=None), "2: its seed is missing, but the group is over"),
    (change("tournament.json", "cardroom", to=4), "must describe a tournament in version 1 to 3"),
    (change("tournament.json", "seed", to="other"), "deal group 1: its seed does not follow"),
    (change("tournament.json", "format", to="bridge"), "tournament.json: "),
    (change("tournament.json", "apart", to=1), "apart must be true or false, not 1"),
    (change("tournament.json", "stages", 0, "system", to="x"), "no pairing system “x”"),
    (change("tournament.json", "tie_breaks", to=["luck"]), "no tie-break luck"),
    (
        change("fixtures.jsonl", 1, "number", to=7),
        "line 2: the number of the deal group must be 2, not 7",
    ),
    (change("fixtures.jsonl", 1, "stage", to=2), "deal group 2: there is no stage 2"),
    (change("fixtures.jsonl", 1, "sides", to=[1, 9]), "there is no entry 9"),
    (change("fixtures.jsonl", 1, "sides", to=[1, 1]), "an entry meets itself"),
    (change("fixtures.jsonl", 0, "sides", to=lambda old: old[::-1]), "match 10: seat 0 belongs to"),
    (change("fixtures.jsonl", 0, "matches", to=lambda old: old[:1]), "the rotations 0 to 1"),
    (change("fixtures.jsonl", 0, "matches", 0, "seats", 1, "version", to=2), "seat 1 belongs to"),
    (change("fixtures.jsonl", 0, "matches", 0, "scores", 0, to=99), f"{FIRST}: Its scores are"),
    (change("fixtures.jsonl", 0, "matches", 0, "faults", to=[1]), f"{FIRST}: Its faults are []"),
    (change("fixtures.jsonl", 0, "matches", 0, "match", to=77), "records/77.json is missing"),
    (change("fixtures.jsonl", 0, "matches", 1, "match", to=10), "10.json belongs to two matches"),
    (change("fixtures.jsonl", 0, "matches", 0, "state", to="void"), "a result, but its state is"),
    (
        change("fixtures.jsonl", 0, "retired", to=True),
        "the match counts, but its deal group is retired",
    ),
    (change(FIRST, "seed", to="other"), f"{FIRST}: Its seed is other"),
    (change(FIRST, "moves", to=lambda old: old[:-1]), f"{FIRST}: "),
    (change(FIRST, "moves", 5, to=lambda old: old + "x"), f"{FIRST}: Move 6 (moves[5])"),
    (change(FIRST, "result", "scores", 0, to=99), f"{FIRST}: The result's scores"),
    (change(FIRST, "players", 0, "package", to="cd"), f"{FIRST}: Seat 0 was not played by"),
    (
        change("standings.json", "rows", 1, "points", to=9),
        "rows[1] does not follow: from",
    ),
    (change("standings.json", "rows", to=lambda old: old[:-1]), "must have 3 lines; it has 2"),
    (change("standings.json", "stages", 0, "rows", 0, "won", to=9), "stages[0] does not follow"),
    (change("crosstable.json", "cells", 0, "groups", to=9), "cells[0] does not follow"),
]


@pytest.mark.parametrize(("spoil", "words"), WRONG, ids=[words for _, words in WRONG])
def test_the_first_wrong_thing_is_named(
    cup: Built, spoil: Callable[[Built], None], words: str
) -> None:
    spoil(cup)
    with pytest.raises(ArchiveError) as caught:
        verify(cup.packed())
    assert words in str(caught.value)


def test_drawn_seeds_need_only_fit_their_commitments() -> None:
    cup = Built(head(2, stages=(StagePlan("round-robin", groups=2),)))
    cup.files["tournament.json"] |= {"seed": "of lots and pairings", "chosen_seed": False}
    assert verify(cup.packed()).groups == 2
    first, second = cup.lines
    second |= {key: first[key] for key in ("seed", "commitment")}
    with pytest.raises(ArchiveError, match="deal group 2: another group has the same commitment"):
        verify(cup.packed())


def test_of_groups_that_are_not_over_only_the_commitment_is_there() -> None:
    cup = Built(head(2, stages=(StagePlan("round-robin", groups=2),)))
    cup.files["tournament.json"]["state"] = "running"
    open_ = cup.lines[1]
    open_["matches"][1] |= {"state": "waiting", "scores": [], "ranks": []}
    open_["seed"] = None
    for match in open_["matches"]:
        del cup.records[f"records/{match['match']}.json"]
    with pytest.raises(ArchiveError, match=r"standings\.json"):  # these tell of four matches
        verify(cup.packed())
    cup.files["tournament.json"]["state"] = "cancelled"
    with pytest.raises(ArchiveError, match="deal group 2: its seed is missing"):
        verify(cup.packed())


def test_an_archive_of_before_there_were_commitments_agrees() -> None:
    old = Path(__file__).with_name("version1.zip")
    found = verify(old)
    assert (found.groups, found.records, found.hidden) == (2, 4, 0)
    built = Built(head(version=1))
    assert verify(built.packed()) == found
    built.lines[0]["seed"] = None
    with pytest.raises(ArchiveError, match="deal group 1: its seed is missing"):
        verify(built.packed())


def test_pairings_must_follow_from_the_results() -> None:
    cup = Built(head(4, stages=(StagePlan("round-robin", groups=1),)))
    cup.files["tournament.json"]["stages"] = [{"system": "swiss", "groups": 1}]
    with pytest.raises(ArchiveError, match=r"stage 1: the pairings of round \d do not follow"):
        verify(cup.packed())


def test_a_finished_tournament_is_complete(cup: Built) -> None:
    more = Built(head())
    more.files["tournament.json"]["stages"][0]["settings"] = {"rounds": 3}
    with pytest.raises(ArchiveError, match="tournament is finished, but stage 1 is not"):
        verify(more.packed())
    cup.files["tournament.json"]["stages"].append({"system": "round-robin", "take": 2})
    with pytest.raises(ArchiveError, match="tournament is finished, but stage 2 is missing"):
        verify(cup.packed())


def test_rounds_after_a_match_that_is_played_again_may_wait() -> None:
    cup = Built(head(4, stages=(StagePlan("swiss", {"rounds": 2}, groups=1),)))
    first = cup.lines[0]
    for match in first["matches"]:
        del cup.records[f"records/{match['match']}.json"]
        match |= {"state": "waiting", "scores": [], "ranks": []}
    cup.files["tournament.json"]["state"] = "running"
    with pytest.raises(ArchiveError, match=r"standings\.json"):  # these do not know of it
        verify(cup.packed())
    cup.files["tournament.json"]["state"] = "finished"
    with pytest.raises(ArchiveError, match="some matches are unfinished"):
        verify(cup.packed())


def test_every_record_belongs_to_a_match(cup: Built) -> None:
    cup.records["records/1.json"] = {}
    with pytest.raises(ArchiveError, match=r"records/1\.json belongs to no match"):
        verify(cup.packed())


@pytest.mark.parametrize("name", ["tournament.json", "standings.json", "crosstable.json"])
def test_missing_files_are_named(cup: Built, name: str) -> None:
    del cup.files[name]
    with pytest.raises(ArchiveError, match=f"{name} is missing"):
        verify(cup.packed())


def test_what_is_no_archive_is_refused(cup: Built, tmp_path: Path) -> None:
    path = tmp_path / "x.zip"
    path.write_bytes(b"nothing")
    assert not is_archive(path)
    with pytest.raises(ArchiveError, match="cannot be read"):
        verify(path)
    whole = cup.packed().getvalue()
    with pytest.raises(ArchiveError, match="cannot be read"):
        verify(io.BytesIO(whole[: len(whole) // 2]))
    torn = bytearray(whole)
    torn[len(whole) // 3] ^= 255
    with pytest.raises(ArchiveError):
        verify(io.BytesIO(bytes(torn)))


@pytest.mark.parametrize("content", ["[]", "7", "{", '{"cardroom":1}', "[" * 5000])
def test_any_json_is_answered(cup: Built, content: str) -> None:
    for name in ("tournament.json", "fixtures.jsonl", "standings.json", "records/10.json"):
        packed = io.BytesIO()
        with (
            zipfile.ZipFile(cup.packed()) as old,
            zipfile.ZipFile(packed, "w") as new,
        ):
            for each in old.namelist():
                new.writestr(each, content if each == name else old.read(each))
        with pytest.raises(ArchiveError, match=name):
            verify(packed)


def test_retired_deal_groups_keep_their_seeds(cup: Built) -> None:
    retired = json.loads(json.dumps(cup.lines[0]))
    for match in retired["matches"]:
        match |= {"state": "void", "scores": [], "ranks": [], "match": match["match"] + 1000}
    retired["retired"] = True
    again = json.loads(json.dumps(cup.lines))
    cup.lines = [retired, *again]
    for number, line in enumerate(cup.lines, 1):
        line["number"] = number
    with pytest.raises(ArchiveError, match="deal group 2: its seed does not follow"):
        verify(cup.packed())  # the second deal group in a place has other deals than the first
