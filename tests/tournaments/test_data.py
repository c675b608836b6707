"""`cardroom.data`: decisions of stored matches."""

from __future__ import annotations

import gzip
import json
import random
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from cardroom.data import MatchDecision, decisions
from engine import Match, Record, RecordError

FORMATS = ("cassino/standard/1v1?deals=1", "canasta/classic/2v2?deals=1", "paks/standard/1v1")


def record_of(fmt: str, seed: str) -> Record:
    match, rng = Match(fmt, seed=seed), random.Random(seed)
    while match.turn is not None:
        match.play(rng.choice(match.legal_moves()))
    return Record.of(match, [{"name": f"p{seat}"} for seat in range(match.format.seats)])


@pytest.fixture(scope="module")
def records() -> list[Record]:
    return [record_of(fmt, str(number)) for number, fmt in enumerate(FORMATS)]


def short(decision: MatchDecision) -> tuple[str, int, int, str, int | None]:
    return decision.format, decision.n, decision.seat, decision.move, decision.rank


def test_a_decision_has_its_bots_data(records: list[Record], tmp_path: Path) -> None:
    file = tmp_path / "one.json"
    file.write_text(records[1].dumps())
    rows = list(decisions(file))
    assert [row.move for row in rows] == records[1].moves
    match = records[1].start()
    for row in rows:
        assert (row.seat, row.view, row.legal) == (
            match.turn,
            match.view(match.turn),
            match.legal_moves(),
        )
        assert (row.side, row.own, row.truncated) == (row.seat % 2, True, match.truncated)
        assert row.result is not None
        assert (row.score, row.rank) == (
            row.result["scores"][row.side],
            row.result["ranks"][row.side],
        )
        match.play(row.move)
    assert {row.source for row in rows} == {str(file)}


def test_file_formats_and_numbers_of_jobs_give_the_same_decisions(
    records: list[Record], tmp_path: Path
) -> None:
    expected = [short(row) for row in decisions(_write_records(tmp_path / "kept", records))]
    assert len(expected) == sum(len(record.moves) for record in records)
    texts = [record.dumps() for record in records]
    lines, list_path, archive = (tmp_path / name for name in ("a.jsonl", "b.json", "c.zip"))
    lines.write_text("\n".join(texts) + "\n")
    list_path.write_text(f"[\n{','.join(texts)}]")
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("tournament.json", "{}")
        for number, text in enumerate(texts):
            file.writestr(f"records/{number}.json", text)
    for source in (lines, list_path, archive):
        assert [short(row) for row in decisions(source)] == expected
    assert list(decisions([lines, archive], jobs=2, row=short)) == expected * 2
    assert [row.source for row in decisions(archive) if row.n == 0] == [
        f"{archive}#{number}.json" for number in range(3)
    ]


def _write_records(folder: Path, records: list[Record]) -> Path:
    folder.mkdir()
    for number, record in enumerate(records):
        (folder / f"{number}.json").write_text(record.dumps())
    return folder


def test_rows_that_are_not_decisions_are_left_out(records: list[Record], tmp_path: Path) -> None:
    file = tmp_path / "one.json"
    file.write_text(records[0].dumps())
    firsts = decisions(file, row=lambda row: row.move if row.n == 0 else None)
    assert list(firsts) == records[0].moves[:1]


def test_moves_by_the_platform_are_marked(records: list[Record], tmp_path: Path) -> None:
    record = Record.from_json(records[0].to_json())
    record.faults = [{"seat": 1, "kind": "time", "move": 5}]
    file = tmp_path / "one.json"
    file.write_text(record.dumps())
    for row in decisions(file):
        assert row.own == (row.seat == 0 or row.n < 5)


def test_a_broken_record_is_named(records: list[Record], tmp_path: Path) -> None:
    record = Record.from_json(records[0].to_json())
    record.moves[3] = "XX"
    folder = _write_records(tmp_path / "kept", [records[1], record])
    for jobs in (1, 2):
        with pytest.raises(RecordError, match=r"1\.json: .*XX"):
            list(decisions(folder, jobs=jobs))
    (folder / "0.json").write_text("[]]")
    with pytest.raises(RecordError, match=r"0\.json"):
        list(decisions(folder))


def test_a_measurement_is_read_like_other_folders(records: list[Record], tmp_path: Path) -> None:
    """Its settings and calls are no records."""
    folder = _write_records(tmp_path / "measured", [records[0]])
    expected = list(decisions(folder))
    (folder / "measurement.json").write_text('{"model": "small"}')
    (folder / "group-0001-expert-3-1.calls.jsonl").write_text('{"n": 0}\n')
    assert list(decisions(folder)) == expected


def test_a_zip_that_is_no_archive_is_named(records: list[Record], tmp_path: Path) -> None:
    """Its records would otherwise be missing silently."""
    path = tmp_path / "records.zip"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("1.json", records[0].dumps())
    with pytest.raises(RecordError, match=r"records\.zip.* no archive"):
        list(decisions(path))


def test_blank_lines_are_skipped(records: list[Record], tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    file.write_text("\n" + "\n\n".join(record.dumps() for record in records) + "\n\n")
    assert len({row.source for row in decisions(file)}) == len(records)


def test_a_record_over_the_size_limit_is_not_read(
    records: list[Record], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = records[0].dumps()
    file = tmp_path / "a.jsonl"
    file.write_text(f"{text}\n{text[:-1]}, {' ' * len(text)}}}\n")
    monkeypatch.setattr("cardroom.data.MAX_BYTES", len(text) + 10)
    with pytest.raises(RecordError, match=r"a\.jsonl#1: It is longer than"):
        list(decisions(file))


@pytest.mark.parametrize(
    "results",
    [b"no gzip", gzip.compress(b"[1]\n"), gzip.compress(b"{\n")],
    ids=["no gzip", "a list", "half an object"],  # gzip stores the time: xdist needs equal names
)
def test_a_broken_dump_is_named(results: bytes, tmp_path: Path) -> None:
    (tmp_path / "results.jsonl.gz").write_bytes(results)
    (tmp_path / "moves.jsonl.gz").write_bytes(gzip.compress(b'{"match": 1, "move": "x"}\n'))
    with pytest.raises(RecordError, match="not a site's dump"):
        list(decisions(tmp_path))


def test_a_dump_gives_the_same_decisions(records: list[Record], tmp_path: Path) -> None:
    results, moves = [], []
    for key, record in ((7, records[0]), (9, records[1])):
        match, result = record.start(), record.result
        assert result is not None
        for side, (score, rank) in enumerate(zip(result["scores"], result["ranks"], strict=True)):
            common = {"match": key, "format": record.format, "seed": record.seed, "side": side}
            fault = {"faulted": key == 9 and side == 1, "reason": result["reason"]}
            results.append({**common, **fault, "score": score, "rank": rank})
        if key == 7:  # of a match that cannot be replayed, a dump has only the results
            results += [{**results[-1], "match": 8, "seed": "other"}]
        for n, move in enumerate(record.moves):
            moves.append({"match": key, "n": n, "seat": match.turn, "move": move})
            match.play(move)
    for name, table in (("results", results), ("moves", moves)):
        with gzip.open(tmp_path / f"{name}.jsonl.gz", "wt") as file:
            file.writelines(json.dumps(row) + "\n" for row in table)
    expected = decisions(_write_records(tmp_path / "kept", records[:2]))
    rows = list(decisions(tmp_path))
    assert [short(row) for row in rows] == [short(row) for row in expected]
    assert {row.own for row in rows if row.source.endswith("#7")} == {True}
    assert {row.own for row in rows if row.source.endswith("#9") and row.side == 1} == {None}


def test_a_dump_may_have_the_names_of_downloads(records: list[Record], tmp_path: Path) -> None:
    result = records[0].result or {}
    [score, other], [rank, last] = result["scores"], result["ranks"]
    common = {"match": 7, "format": records[0].format, "seed": records[0].seed, "faulted": False}
    results = [
        common | {"side": 0, "score": score, "rank": rank, "reason": "target"},
        common | {"side": 1, "score": other, "rank": last, "reason": "target"},
    ]
    moves = [{"match": 7, "move": move} for move in records[0].moves]
    for name, table in (("results", results), ("moves", moves)):
        with gzip.open(tmp_path / f"cardroom-2026-01-31-{name}.jsonl.gz", "wt") as file:
            file.writelines(json.dumps(row) + "\n" for row in table)
    assert [row.move for row in decisions(tmp_path)] == records[0].moves
    with pytest.raises(RecordError, match="pass the folder with"):
        list(decisions(tmp_path / "cardroom-2026-01-31-moves.jsonl.gz"))
    second_day = tmp_path / "cardroom-2026-02-01-moves.jsonl.gz"
    (tmp_path / "cardroom-2026-01-31-moves.jsonl.gz").rename(second_day)
    second_day.with_name("moves.jsonl.gz").write_bytes(second_day.read_bytes())
    with pytest.raises(RecordError, match="of one day"):
        list(decisions(tmp_path))


@pytest.mark.parametrize("name", ["notes.txt", "results.parquet", "measurement.json", None])
def test_a_folder_without_matches_is_an_error(name: str | None, tmp_path: Path) -> None:
    if name is not None:
        (tmp_path / name).write_text("{}")
    with pytest.raises(RecordError, match=r"contains no matches.* \(\.json, \.jsonl\)"):
        list(decisions(tmp_path))
    (tmp_path / "none.json").write_text("[]")
    with pytest.raises(RecordError, match=r"none\.json contains no match"):
        list(decisions(tmp_path))


def test_half_a_dump_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "results.jsonl.gz").write_bytes(gzip.compress(b""))
    with pytest.raises(RecordError, match=r"must contain results\.jsonl\.gz and moves\.jsonl\.gz"):
        list(decisions(tmp_path))
    (tmp_path / "moves.jsonl.gz").write_bytes(gzip.compress(b""))
    assert list(decisions(tmp_path)) == []  # the dump of a new site


def test_devices_are_refused() -> None:
    with pytest.raises(OSError, match="not a plain file"):
        list(decisions("/dev/zero"))


def test_data_needs_neither_django_nor_celery() -> None:
    program = (
        "import sys, cardroom.data; "
        "print({name.partition('.')[0] for name in sys.modules} "
        "& {'django', 'celery', 'kombu', 'numpy', 'typer'})"
    )
    process = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (process.stdout, process.stderr) == ("set()\n", "")
