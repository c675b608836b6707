"""Files of exports: one maker at a time, served whole or not at all, deleted when they are old."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.db.models import F
from django.test import Client

from cardroom_base.db.db_time import Now, now
from tests import factories
from tournaments.exports import archive, chunks, files
from tournaments.models import ExportChunk, Kept, KeptExport, Tournament
from tournaments.reading import content_cache

pytestmark = pytest.mark.django_db

SIZE = 16
"""Of a chunk, in these tests."""
PAST = "2020-01-01T00:00:00Z"


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Short chunks; every archive is kept, and made anew without a rest."""
    monkeypatch.setattr(chunks, "SIZE", SIZE)
    monkeypatch.setattr(chunks, "DELETE_BATCH", 2)
    monkeypatch.setattr(content_cache, "MIN_WAIT", 0.0)
    monkeypatch.setattr(content_cache, "WAIT_FACTOR", 0)
    before = files.ARCHIVE.uncached_matches, files.ARCHIVE.write
    object.__setattr__(files.ARCHIVE, "uncached_matches", -1)
    yield
    object.__setattr__(files.ARCHIVE, "uncached_matches", before[0])
    object.__setattr__(files.ARCHIVE, "write", before[1])


@pytest.fixture
def cup() -> Tournament:
    made = factories.tournament(2, start=True, rated=False)
    factories.finish_all(made)
    return made


def written_by(write: Callable[[Tournament], Iterator[bytes]]) -> None:
    """Let archives have other content."""
    object.__setattr__(files.ARCHIVE, "write", write)


def asked(client: Client, cup: Tournament) -> Any:
    return client.get(f"/api/v1/tournaments/{cup.slug}/export/?type=archive")


def made(cup: Tournament, content: bytes = b"x" * 40) -> Kept:
    written_by(lambda _: iter([content]))
    assert content_cache.compute(files.ARCHIVE, cup)
    return Kept.objects.select_related("export").get(tournament=cup, name="archive")


def lease(cup: Tournament) -> Kept:
    row = Kept.objects.take(pk=Kept.objects.create(tournament=cup, name="archive").pk)
    assert row is not None
    return row


# --- chunks -------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [0, 1, SIZE - 1, SIZE, SIZE + 1, 5 * SIZE, 5 * SIZE + 3])
@pytest.mark.parametrize("piece", [1, 7, SIZE, 1000])
@pytest.mark.parametrize("level", [0, 6])
def test_what_was_written_is_read(cup: Tournament, size: int, piece: int, level: int) -> None:
    content = bytes(range(size))
    pieces = (content[start : start + piece] for start in range(0, size, piece))
    export = chunks.write(pieces, level, lease(cup))
    export.refresh_from_db()
    assert (export.whole, export.size, export.until) == (True, size, None)
    read = list(chunks.read(export))
    assert b"".join(read) == content
    assert [len(each) for each in read[:-1]] == [SIZE] * (len(read) - 1)
    stored = ExportChunk.objects.filter(export=export).values_list("content", flat=True)
    assert sum(len(bytes(each)) for each in stored) == export.stored


def test_it_is_compressed_but_what_is_compressed_already(
    cup: Tournament, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chunks, "SIZE", 1000)
    plain = chunks.write([b"the same again " * 100], files.RESULTS["csv"].level, lease(cup))
    plain.refresh_from_db()
    assert plain.stored < plain.size
    assert files.ARCHIVE.level == 0


@pytest.mark.django_db(transaction=True)
def test_no_transaction_is_open_while_pieces_are_made(cup: Tournament) -> None:
    found = []

    def pieces() -> Iterator[bytes]:
        for _ in range(3):
            found.append((connection.in_atomic_block, ExportChunk.objects.count()))
            yield b"x" * SIZE

    chunks.write(pieces(), 0, lease(cup))
    assert found == [(False, 0), (False, 1), (False, 2)]


@pytest.mark.django_db(transaction=True)
def test_others_may_write_while_an_archive_is_read(
    cup: Tournament, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All of it is read in one transaction, at one moment."""
    before, seen = archive._tables, []

    def tables(*arguments: Any) -> Any:
        assert connection.in_atomic_block
        seen.append(written_elsewhere(cup))
        return before(*arguments)

    monkeypatch.setattr(archive, "_tables", tables)
    files.ARCHIVE.write(cup)
    assert seen == ["written elsewhere"]
    assert Tournament.objects.get(pk=cup.pk).description == "written elsewhere"
    if connection.vendor == "sqlite":
        lite: Any = connection
        assert lite.transaction_mode == "IMMEDIATE"


def written_elsewhere(cup: Tournament) -> str:
    """Written by another connection, which waits for nobody's lock."""
    words = "written elsewhere"
    change = "UPDATE tournaments_tournament SET description = {} WHERE id = {}"
    if connection.vendor == "sqlite":
        other = sqlite3.connect(connection.settings_dict["NAME"], timeout=0)
        other.execute(change.format("?", "?"), [words, cup.pk])
        other.commit()
        other.close()
    else:
        another = connection.copy()
        with another.cursor() as cursor:
            cursor.execute("SET lock_timeout = '100ms'")
            cursor.execute(change.format("%s", "%s"), [words, cup.pk])
        another.close()
    return words


# --- makers -------------------------------------------------------------------------------------


def test_a_file_is_served_when_its_last_chunk_is_there(cup: Tournament, client: Client) -> None:
    statuses = []

    def pieces(_: Tournament) -> Iterator[bytes]:
        for _number in range(3):
            statuses.append(asked(client, cup).status_code)
            yield b"y" * SIZE

    written_by(pieces)
    assert content_cache.compute(files.ARCHIVE, cup)
    assert statuses == [202] * 3
    answer = asked(client, cup)
    assert (answer.status_code, answer["Content-Length"]) == (200, str(3 * SIZE))
    assert b"".join(answer) == b"y" * 3 * SIZE


def test_every_chunk_renews_the_lease(cup: Tournament) -> None:
    left = []

    def pieces(_: Tournament) -> Iterator[bytes]:
        for _number in range(3):
            row = Kept.objects.get(name="archive")
            assert row.lease_until is not None
            left.append(row.lease_until > now() + timedelta(seconds=Kept.LEASE_SECONDS / 2))
            Kept.objects.filter(pk=row.pk).update(lease_until=Now(1))  # nearly over
            yield b"y" * SIZE

    written_by(pieces)
    assert content_cache.compute(files.ARCHIVE, cup)
    assert left == [True, True, True]


def test_whoever_was_taken_for_dead_writes_no_more(cup: Tournament, client: Client) -> None:
    """Frozen after its first chunk, it wakes when another one has made the file."""

    def frozen(_: Tournament) -> Iterator[bytes]:
        yield b"old" * SIZE
        Kept.objects.filter(name="archive").update(lease_until=PAST)
        made(cup, b"new" * SIZE)
        yield b"old" * SIZE

    written_by(frozen)
    assert not content_cache.compute(files.ARCHIVE, cup)
    assert b"".join(asked(client, cup)) == b"new" * SIZE
    assert KeptExport.objects.filter(whole=True).count() == 1
    KeptExport.objects.filter(whole=False).update(until=PAST)
    assert files.delete_expired() == 1
    assert b"".join(asked(client, cup)) == b"new" * SIZE


def test_what_was_written_is_never_named_by_whoever_lost_the_lease(cup: Tournament) -> None:
    def late(_: Tournament) -> Iterator[bytes]:
        yield b"x"
        Kept.objects.filter(name="archive").update(token=F("token") + 1)

    written_by(late)
    assert not content_cache.compute(files.ARCHIVE, cup)
    assert Kept.objects.get(name="archive").export is None


def test_a_file_that_was_deleted_under_its_maker_is_given_up(cup: Tournament) -> None:
    def pieces(_: Tournament) -> Iterator[bytes]:
        yield b"x" * SIZE
        KeptExport.objects.update(until=PAST)
        assert files.delete_expired() == 1
        yield b"x" * SIZE

    written_by(pieces)
    assert not content_cache.compute(files.ARCHIVE, cup)
    assert not ExportChunk.objects.exists()


class Killed(BaseException):
    """A maker ends, and does nothing more."""


def test_a_maker_that_dies_leaves_nothing_for_long(cup: Tournament, client: Client) -> None:
    def dies(_: Tournament) -> Iterator[bytes]:
        yield b"x" * SIZE
        raise Killed

    written_by(dies)
    with pytest.raises(Killed):
        content_cache.compute(files.ARCHIVE, cup)
    assert asked(client, cup).status_code == 202
    assert files.delete_expired() == 0  # its lease is not over
    assert not content_cache.compute(files.ARCHIVE, cup)
    Kept.objects.update(lease_until=PAST)
    KeptExport.objects.update(until=PAST)
    made(cup)
    assert asked(client, cup).status_code == 200
    assert files.delete_expired() == 1
    assert KeptExport.objects.count() == 1


# --- sending and deleting -----------------------------------------------------------------------


def test_a_file_that_is_replaced_is_sent_to_its_end(cup: Tournament, client: Client) -> None:
    made(cup, b"old" * SIZE)
    sent = iter(asked(client, cup))
    first = next(sent)
    made(cup, b"new" * SIZE)
    assert files.delete_expired() == 0
    assert first + b"".join(sent) == b"old" * SIZE
    KeptExport.objects.filter(kept=None).update(until=PAST)
    assert files.delete_expired() == 1
    assert b"".join(asked(client, cup)) == b"new" * SIZE


def test_sending_breaks_off_where_the_file_is_gone(cup: Tournament, client: Client) -> None:
    """With an error, so that the connection is cut; the length tells the reader."""
    row = made(cup, b"x" * SIZE * (chunks.READ_BATCH + 1))
    answer = asked(client, cup)
    sent = iter(answer)
    for _ in range(chunks.READ_BATCH):
        next(sent)
    assert row.export is not None
    chunks.delete(row.export.pk)
    with pytest.raises(chunks.MissingChunk):
        next(sent)
    assert int(answer["Content-Length"]) > SIZE


def test_old_files_are_deleted(cup: Tournament, client: Client) -> None:
    made(cup)
    Kept.objects.update(at=now() - timedelta(days=7, minutes=1))
    assert files.delete_expired() == 0  # somebody may be reading it
    assert asked(client, cup).status_code == 202
    KeptExport.objects.update(until=PAST)
    assert files.delete_expired() == 1
    assert not ExportChunk.objects.exists()


def test_where_there_is_no_room_the_oldest_go_first(settings: Any) -> None:
    cups = [factories.tournament(2, start=True, rated=False) for _ in range(3)]
    rows = [made(cup) for cup in cups]
    replaced = KeptExport.objects.create(whole=True, stored=1, until=Now(1000))
    stored = {row.export.stored for row in rows if row.export}
    [each] = stored
    settings.MAX_EXPORTS_BYTES = 3 * each
    assert files.delete_expired() == 1
    assert not KeptExport.objects.filter(pk=replaced.pk).exists()
    settings.MAX_EXPORTS_BYTES = 2 * each
    assert files.delete_expired() == 1
    there = Kept.objects.filter(export__isnull=False).order_by("at")
    assert list(there.values_list("tournament", flat=True)) == [cups[1].pk, cups[2].pk]
    KeptExport.objects.create(stored=1, until=Now(1000))  # being written: it stays, and counts
    assert files.delete_expired() == 1
    settings.MAX_EXPORTS_BYTES = 0
    assert files.delete_expired() == 1
    assert list(KeptExport.objects.values_list("stored", "whole")) == [(1, False)]
    assert not ExportChunk.objects.exists()


def test_a_tournament_takes_its_files_along(cup: Tournament) -> None:
    row = made(cup)
    Kept.objects.filter(pk=row.pk).delete()
    assert files.delete_expired() == 0
    KeptExport.objects.update(until=PAST)
    assert files.delete_expired() == 1
    assert not KeptExport.objects.exists()
