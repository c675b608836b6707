"""The dump of all public data."""

from __future__ import annotations

import gzip
import json
import os
import signal
import subprocess
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from cardroom import last_runs, tasks
from cardroom.processes import STOP_SIGNALS
from engine import Record
from tests import factories
from tournaments.exports import dump
from tournaments.models import StoredRecord, Tournament

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def same_signal_handlers() -> Iterator[None]:
    """Undo the command's changes of signal handlers."""
    handlers = {number: signal.getsignal(number) for number in STOP_SIGNALS}
    yield
    for number, handler in handlers.items():
        signal.signal(number, handler)


def rows(folder: Path, table: str) -> list[dict[str, Any]]:
    with gzip.open(folder / f"{table}.jsonl.gz", "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def test_a_dump_equals_the_records(tmp_path: Path) -> None:
    cup = factories.finish_all(factories.tournament(3, start=True))
    folder, counts = dump.dump(tmp_path, keep=1)
    assert [path.name for path in tmp_path.iterdir()] == [folder.name]
    tables = {name: rows(folder, name) for name in dump.TABLES}
    assert counts == {name: len(table_rows) for name, table_rows in tables.items()}
    assert counts["results"] == 12
    assert all(len(row["bots"]) == len(row["versions"]) == 1 for row in tables["results"])
    match = cup.matches.order_by("pk").last()
    assert match is not None
    stored = StoredRecord.objects.get(match=match)
    record = Record.from_json(zlib.decompress(bytes(stored.content)))
    moves = [row for row in tables["moves"] if row["match"] == match.pk]
    assert [row["move"] for row in moves] == record.moves
    assert [row["n"] for row in moves] == list(range(stored.moves))
    assert {row["seat"] for row in moves} == {0, 1}
    replayed = record.verify()
    deals = [row for row in tables["deals"] if row["match"] == match.pk]
    assert [json.loads(row["sheet"]) for row in deals] == [deal["sheet"] for deal in replayed.deals]
    assert {row["deal"] for row in moves} == {row["deal"] for row in deals}
    scores = {row["side"]: row["score"] for row in tables["results"] if row["match"] == match.pk}
    assert [scores[0], scores[1]] == replayed.scores


def test_records_of_other_rules_have_results_only(tmp_path: Path) -> None:
    cup = factories.finish_all(factories.tournament(2, start=True))
    first, second = cup.matches.order_by("pk")
    factories.outdate(first)
    folder, _ = dump.dump(tmp_path, keep=1)
    assert {row["match"] for row in rows(folder, "results")} == {first.pk, second.pk}
    for table in ("moves", "deals"):
        assert {row["match"] for row in rows(folder, table)} == {second.pk}


def test_parquet_has_the_same_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    monkeypatch.setattr(dump, "ROWS", 7)  # several row groups
    factories.finish_all(factories.tournament(2, start=True))
    folder, _ = dump.dump(tmp_path, keep=1)
    for name in dump.TABLES:
        assert parquet.read_table(folder / f"{name}.parquet").to_pylist() == rows(folder, name)
    folder, _ = dump.dump(tmp_path, keep=1, parquet=False)
    assert not list(folder.glob("*.parquet"))


def test_a_dump_has_only_public_tournaments(tmp_path: Path) -> None:
    public = factories.finish_all(factories.tournament(2, start=True))
    hidden = factories.finish_all(factories.tournament(2, start=True))
    factories.tournament(2, start=True)  # it has no finished match
    Tournament.objects.filter(pk=hidden.pk).update(trial=True)
    folder, _ = dump.dump(tmp_path, keep=1, parquet=False)
    assert {row["tournament"] for row in rows(folder, "results")} == {public.slug}


def test_old_dumps_are_deleted_and_failed_ones_never_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for day in ("2001-01-01", "2001-01-02", "2001-01-03"):
        (tmp_path / day).mkdir()
    folder, _ = dump.dump(tmp_path, keep=2, parquet=False)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["2001-01-03", folder.name]
    factories.finish_all(factories.tournament(2, start=True))

    def broken(*_: Any) -> Any:
        raise OSError("the disk is full")

    monkeypatch.setattr(dump, "_replayed_rows", broken)
    with pytest.raises(CommandError, match="No dump was created: the disk is full"):
        call_command("dump", to=tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["2001-01-03", folder.name]
    assert rows(folder, "results") == []  # the earlier dump
    assert not last_runs.last_successes()
    monkeypatch.setattr("cardroom.management.commands.dump.dump", lambda *_, **__: (folder, {}))
    call_command("dump", to=tmp_path)
    assert last_runs.last_successes().keys() == {"dump"}


def test_a_stopped_dump_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    factories.finish_all(factories.tournament(2, start=True))
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # the command replaces this

    def stop(*_: Any) -> Any:
        os.kill(os.getpid(), signal.SIGTERM)
        return ()

    monkeypatch.setattr(dump, "_replayed_rows", stop)
    with pytest.raises(CommandError, match="interrupted"):
        call_command("dump", to=tmp_path)
    assert not list(tmp_path.iterdir())


def test_a_second_dump_does_not_start_beside_the_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    started: list[list[str]] = []

    class Process:
        state: int | None = None
        stdin = None

        def __init__(self, command: list[str], **_: Any) -> None:
            started.append(command)

        def poll(self) -> int | None:
            return self.state

    monkeypatch.setattr(subprocess, "Popen", Process)
    monkeypatch.setattr(tasks, "_started", {})
    assert tasks.start_dump() is True
    assert tasks.start_dump() is False  # the first still writes
    Process.state = 0
    assert tasks.start_dump() is True
    assert started[0][-5:] == [sys.executable, "-m", "django", "dump", "--skip-checks"]


def test_a_dump_that_another_process_finishes_meanwhile_is_ignored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    finished = tmp_path / ".writing-finished"
    monkeypatch.setattr(Path, "glob", lambda path, pattern: iter([finished]))
    dump._delete_leftovers(tmp_path)
