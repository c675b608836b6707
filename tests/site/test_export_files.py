"""Export files: one writer at a time, served only if complete, deleted when old."""

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
from tournaments.exports import archive, chunks, export_files
from tournaments.models import ExportChunk, Kept, KeptExport, Tournament
from tournaments.reading import content_cache

pytestmark = pytest.mark.django_db

SIZE = 16
"""The size of a chunk in these tests."""
PAST = "2020-01-01T00:00:00Z"


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Use short chunks, cache every archive, and recompute without a pause."""
    monkeypatch.setattr(chunks, "SIZE", SIZE)
    monkeypatch.setattr(chunks, "DELETE_BATCH", 2)
    monkeypatch.setattr(content_cache, "MIN_WAIT", 0.0)
    monkeypatch.setattr(content_cache, "WAIT_FACTOR", 0)
    before = export_files.ARCHIVE.uncached_matches, export_files.ARCHIVE.write
    object.__setattr__(export_files.ARCHIVE, "uncached_matches", -1)
    yield
    object.__setattr__(export_files.ARCHIVE, "uncached_matches", before[0])
    object.__setattr__(export_files.ARCHIVE, "write", before[1])


@pytest.fixture
def cup() -> Tournament:
    tournament = factories.tournament(2, start=True, rated=False)
    factories.finish_all(tournament)
    return tournament


def set_writer(write: Callable[[Tournament], Iterator[bytes]]) -> None:
    """Replace the content of archives."""
    object.__setattr__(export_files.ARCHIVE, "write", write)


def request_archive(client: Client, cup: Tournament) -> Any:
    return client.get(f"/api/v1/tournaments/{cup.slug}/export/?type=archive")


def compute_archive(cup: Tournament, content: bytes = b"x" * 40) -> Kept:
    set_writer(lambda _: iter([content]))
    assert content_cache.compute(export_files.ARCHIVE, cup)
    return Kept.objects.select_related("export").get(tournament=cup, name="archive")


def lease(cup: Tournament) -> Kept:
    row = Kept.objects.take(pk=Kept.objects.create(tournament=cup, name="archive").pk)
    assert row is not None
    return row


# --- chunks -------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [0, 1, SIZE - 1, SIZE, SIZE + 1, 5 * SIZE, 5 * SIZE + 3])
@pytest.mark.parametrize("piece", [1, 7, SIZE, 1000])
@pytest.mark.parametrize("level", [0, 6])
def test_a_file_is_read_as_written(cup: Tournament, size: int, piece: int, level: int) -> None:
    content = bytes(range(size))
    pieces = (content[start : start + piece] for start in range(0, size, piece))
    export = chunks.write(pieces, level, lease(cup))
    export.refresh_from_db()
    assert (export.whole, export.size, export.until) == (True, size, None)
    chunks_read = list(chunks.read(export))
    assert b"".join(chunks_read) == content
    assert [len(chunk) for chunk in chunks_read[:-1]] == [SIZE] * (len(chunks_read) - 1)
    stored = ExportChunk.objects.filter(export=export).values_list("content", flat=True)
    assert sum(len(bytes(chunk)) for chunk in stored) == export.stored


def test_results_are_compressed_but_archives_are_not(
    cup: Tournament, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chunks, "SIZE", 1000)
    plain = chunks.write([b"the same again " * 100], export_files.RESULTS["csv"].level, lease(cup))
    plain.refresh_from_db()
    assert plain.stored < plain.size
    assert export_files.ARCHIVE.level == 0


@pytest.mark.django_db(transaction=True)
def test_no_transaction_is_open_while_pieces_are_computed(cup: Tournament) -> None:
    observations = []

    def pieces() -> Iterator[bytes]:
        for _ in range(3):
            observations.append((connection.in_atomic_block, ExportChunk.objects.count()))
            yield b"x" * SIZE

    chunks.write(pieces(), 0, lease(cup))
    assert observations == [(False, 0), (False, 1), (False, 2)]


@pytest.mark.django_db(transaction=True)
def test_other_programs_may_write_while_an_archive_is_read(
    cup: Tournament, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One transaction reads all of it, at one moment."""
    read_tables, descriptions = archive._tables, []

    def tables(*arguments: Any) -> Any:
        assert connection.in_atomic_block
        descriptions.append(write_elsewhere(cup))
        return read_tables(*arguments)

    monkeypatch.setattr(archive, "_tables", tables)
    export_files.ARCHIVE.write(cup)
    assert descriptions == ["written elsewhere"]
    assert Tournament.objects.get(pk=cup.pk).description == "written elsewhere"
    if connection.vendor == "sqlite":
        lite: Any = connection
        assert lite.transaction_mode == "IMMEDIATE"


def write_elsewhere(cup: Tournament) -> str:
    """Change the description on another connection, which waits for no lock; the new text."""
    description = "written elsewhere"
    change = "UPDATE tournaments_tournament SET description = {} WHERE id = {}"
    if connection.vendor == "sqlite":
        other = sqlite3.connect(connection.settings_dict["NAME"], timeout=0)
        other.execute(change.format("?", "?"), [description, cup.pk])
        other.commit()
        other.close()
    else:
        another = connection.copy()
        with another.cursor() as cursor:
            cursor.execute("SET lock_timeout = '100ms'")
            cursor.execute(change.format("%s", "%s"), [description, cup.pk])
        another.close()
    return description


# --- writers ------------------------------------------------------------------------------------


def test_a_file_is_served_when_complete(cup: Tournament, client: Client) -> None:
    statuses = []

    def pieces(_: Tournament) -> Iterator[bytes]:
        for _number in range(3):
            statuses.append(request_archive(client, cup).status_code)
            yield b"y" * SIZE

    set_writer(pieces)
    assert content_cache.compute(export_files.ARCHIVE, cup)
    assert statuses == [202] * 3
    response = request_archive(client, cup)
    assert (response.status_code, response["Content-Length"]) == (200, str(3 * SIZE))
    assert b"".join(response) == b"y" * 3 * SIZE


def test_every_chunk_renews_the_lease(cup: Tournament) -> None:
    are_renewed = []

    def pieces(_: Tournament) -> Iterator[bytes]:
        for _number in range(3):
            row = Kept.objects.get(name="archive")
            assert row.lease_until is not None
            are_renewed.append(row.lease_until > now() + timedelta(seconds=Kept.LEASE_SECONDS / 2))
            Kept.objects.filter(pk=row.pk).update(lease_until=Now(1))  # nearly over
            yield b"y" * SIZE

    set_writer(pieces)
    assert content_cache.compute(export_files.ARCHIVE, cup)
    assert are_renewed == [True, True, True]


def test_a_writer_without_the_lease_changes_nothing(cup: Tournament, client: Client) -> None:
    """It freezes after its first chunk and wakes when another writer is done."""

    def freeze(_: Tournament) -> Iterator[bytes]:
        yield b"old" * SIZE
        Kept.objects.filter(name="archive").update(lease_until=PAST)
        compute_archive(cup, b"new" * SIZE)
        yield b"old" * SIZE

    set_writer(freeze)
    assert not content_cache.compute(export_files.ARCHIVE, cup)
    assert b"".join(request_archive(client, cup)) == b"new" * SIZE
    assert KeptExport.objects.filter(whole=True).count() == 1
    KeptExport.objects.filter(whole=False).update(until=PAST)
    assert export_files.delete_expired() == 1
    assert b"".join(request_archive(client, cup)) == b"new" * SIZE


def test_a_file_without_the_lease_is_not_published(cup: Tournament) -> None:
    def write_late(_: Tournament) -> Iterator[bytes]:
        yield b"x"
        Kept.objects.filter(name="archive").update(token=F("token") + 1)

    set_writer(write_late)
    assert not content_cache.compute(export_files.ARCHIVE, cup)
    assert Kept.objects.get(name="archive").export is None


def test_a_writer_gives_up_a_deleted_file(cup: Tournament) -> None:
    def pieces(_: Tournament) -> Iterator[bytes]:
        yield b"x" * SIZE
        KeptExport.objects.update(until=PAST)
        assert export_files.delete_expired() == 1
        yield b"x" * SIZE

    set_writer(pieces)
    assert not content_cache.compute(export_files.ARCHIVE, cup)
    assert not ExportChunk.objects.exists()


class Killed(BaseException):
    """A writer ends immediately."""


def test_a_killed_writer_is_replaced_and_cleaned_up(cup: Tournament, client: Client) -> None:
    def die(_: Tournament) -> Iterator[bytes]:
        yield b"x" * SIZE
        raise Killed

    set_writer(die)
    with pytest.raises(Killed):
        content_cache.compute(export_files.ARCHIVE, cup)
    assert request_archive(client, cup).status_code == 202
    assert export_files.delete_expired() == 0  # its lease is not over
    assert not content_cache.compute(export_files.ARCHIVE, cup)
    Kept.objects.update(lease_until=PAST)
    KeptExport.objects.update(until=PAST)
    compute_archive(cup)
    assert request_archive(client, cup).status_code == 200
    assert export_files.delete_expired() == 1
    assert KeptExport.objects.count() == 1


# --- sending and deleting -----------------------------------------------------------------------


def test_a_replaced_file_is_sent_to_its_end(cup: Tournament, client: Client) -> None:
    compute_archive(cup, b"old" * SIZE)
    content = iter(request_archive(client, cup))
    first = next(content)
    compute_archive(cup, b"new" * SIZE)
    assert export_files.delete_expired() == 0
    assert first + b"".join(content) == b"old" * SIZE
    KeptExport.objects.filter(kept=None).update(until=PAST)
    assert export_files.delete_expired() == 1
    assert b"".join(request_archive(client, cup)) == b"new" * SIZE


def test_sending_a_deleted_file_breaks_off(cup: Tournament, client: Client) -> None:
    """An error cuts the connection, and the reader sees that the length is wrong."""
    row = compute_archive(cup, b"x" * SIZE * (chunks.READ_BATCH + 1))
    response = request_archive(client, cup)
    content = iter(response)
    for _ in range(chunks.READ_BATCH):
        next(content)
    assert row.export is not None
    chunks.delete(row.export.pk)
    with pytest.raises(chunks.MissingChunk):
        next(content)
    assert int(response["Content-Length"]) > SIZE


def test_old_files_are_deleted(cup: Tournament, client: Client) -> None:
    compute_archive(cup)
    Kept.objects.update(at=now() - timedelta(days=7, minutes=1))
    assert export_files.delete_expired() == 0  # it may still be read
    assert request_archive(client, cup).status_code == 202
    KeptExport.objects.update(until=PAST)
    assert export_files.delete_expired() == 1
    assert not ExportChunk.objects.exists()


def test_without_space_the_oldest_files_are_deleted_first(settings: Any) -> None:
    cups = [factories.tournament(2, start=True, rated=False) for _ in range(3)]
    rows = [compute_archive(cup) for cup in cups]
    replaced = KeptExport.objects.create(whole=True, stored=1, until=Now(1000))
    stored = {row.export.stored for row in rows if row.export}
    [size] = stored
    settings.MAX_EXPORTS_BYTES = 3 * size
    assert export_files.delete_expired() == 1
    assert not KeptExport.objects.filter(pk=replaced.pk).exists()
    settings.MAX_EXPORTS_BYTES = 2 * size
    assert export_files.delete_expired() == 1
    remaining = Kept.objects.filter(export__isnull=False).order_by("at")
    assert list(remaining.values_list("tournament", flat=True)) == [cups[1].pk, cups[2].pk]
    KeptExport.objects.create(stored=1, until=Now(1000))  # an unfinished file stays and counts
    assert export_files.delete_expired() == 1
    settings.MAX_EXPORTS_BYTES = 0
    assert export_files.delete_expired() == 1
    assert list(KeptExport.objects.values_list("stored", "whole")) == [(1, False)]
    assert not ExportChunk.objects.exists()


def test_files_without_content_rows_are_deleted(cup: Tournament) -> None:
    row = compute_archive(cup)
    Kept.objects.filter(pk=row.pk).delete()
    assert export_files.delete_expired() == 0
    KeptExport.objects.update(until=PAST)
    assert export_files.delete_expired() == 1
    assert not KeptExport.objects.exists()
