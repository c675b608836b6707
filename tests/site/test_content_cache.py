"""Cached content shows every change, is computed once at a time, and can be rebuilt."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator
from dataclasses import astuple
from threading import Event, Thread
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection
from django.test import Client

from cardroom_base.models import OutboxMessage
from tests import factories
from tournaments import actions, archive
from tournaments.exports import export_files
from tournaments.exports.archive import archive_of
from tournaments.models import Kept, KeptExport, Match, Tournament
from tournaments.reading import content_cache, kinds, tournament_standings

pytestmark = pytest.mark.django_db

KINDS = (*kinds.KINDS, *export_files.KINDS)


@pytest.fixture(autouse=True)
def _always_cache(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Cache even small tournaments, and recompute without a pause."""
    monkeypatch.setattr(content_cache, "MIN_WAIT", 0.0)
    monkeypatch.setattr(content_cache, "WAIT_FACTOR", 0)
    before = [kind.uncached_matches for kind in KINDS]
    for kind in KINDS:
        object.__setattr__(kind, "uncached_matches", -1)
    yield
    for kind, bound in zip(KINDS, before, strict=True):
        object.__setattr__(kind, "uncached_matches", bound)


@pytest.fixture
def cup() -> Tournament:
    """A running round robin of three with one finished match and cached content."""
    tournament = factories.tournament(3, start=True, rated=False)
    factories.finish(tournament.matches.earliest("pk"))
    assert content_cache.compute_due(KINDS) == len(kinds.KINDS)
    return tournament


def read_tables(cup: Tournament) -> content_cache.Reading[kinds.Tables]:
    return content_cache.read(kinds.TABLES, cup)


def is_fresh(cup: Tournament) -> bool:
    """Whether readers get the current tables; fails if these differ from the results."""
    reading = read_tables(cup)
    if reading.value is None or reading.at is not None:
        return False
    assert reading.value.rows == tournament_standings(cup)
    return True


def finish(cup: Tournament) -> None:
    factories.finish(cup.matches.filter(state="waiting").earliest("pk"))


def void(cup: Tournament) -> None:
    actions.void_match(cup.matches.filter(state="finished").earliest("pk"), None, "A test.")


def rerun_match(cup: Tournament) -> None:
    actions.rerun_match(cup.matches.filter(state="finished").earliest("pk"), None, "A test.")


def rerun_and_finish(cup: Tournament) -> None:
    """Keep the number of results but change them."""
    rerun_match(cup)
    finish(cup)


def carry_over(cup: Tournament) -> None:
    Tournament.objects.filter(pk=cup.pk).update(rules="7 of-long-ago")
    cup.refresh_from_db()
    actions.carry_over(cup, None, "A test.")


def cancel(cup: Tournament) -> None:
    actions.cancel(cup, None)


@pytest.mark.parametrize(
    "change", [finish, void, rerun_match, rerun_and_finish, carry_over, cancel]
)
def test_a_change_makes_content_stale(
    cup: Tournament, change: Callable[[Tournament], None]
) -> None:
    assert is_fresh(cup)
    before = content_cache.mark_of(cup)[0]
    change(cup)
    cup.refresh_from_db()
    assert content_cache.mark_of(cup)[0] != before
    reading = read_tables(cup)
    assert reading.at is not None  # old content with its time
    assert Kept.objects.get(tournament=cup, name="tables").asked is not None
    assert content_cache.compute_due(KINDS) >= 1
    assert is_fresh(cup)
    assert content_cache.compute_due(KINDS) == 0


def test_a_withdrawal_makes_content_stale() -> None:
    swiss = [{"system": "swiss", "settings": {"rounds": 2}, "groups": 1}]
    cup = factories.tournament(5, stages=swiss, start=True)
    factories.finish(cup.matches.earliest("pk"))
    content_cache.compute_due(KINDS)
    assert is_fresh(cup)
    actions.withdraw(cup, cup.entries.earliest("pk").bot, None)
    assert read_tables(cup).at is not None
    content_cache.compute_due(KINDS)
    assert is_fresh(cup)


def test_a_ladder_follows_the_ratings() -> None:
    from tournaments import projections

    stages = [{"system": "ladder", "groups": 1, "settings": {"ahead": 3, "first": 1}}]
    ladder = factories.tournament(3, stages=stages, start=True, seed=None)
    factories.finish(ladder.matches.earliest("pk"))
    content_cache.compute_due(KINDS)
    assert is_fresh(ladder)
    projections.refresh()
    assert read_tables(ladder).at is not None
    content_cache.compute_due(KINDS)
    assert is_fresh(ladder)


def test_the_first_reader_of_an_old_tournament_waits(cup: Tournament, client: Client) -> None:
    factories.finish_all(cup)
    Kept.objects.all().delete()
    Tournament.objects.filter(pk=cup.pk).update(finished="2020-01-01T00:00:00Z")
    assert content_cache.compute_due(KINDS) == 0  # no request yet
    for tab in ("standings", "crosstable", "luck"):
        response = client.get(f"/api/v1/tournaments/{cup.slug}/{tab}/")
        assert response.status_code == 202
        assert response["Retry-After"].isdecimal()
    page = client.get(f"/tournaments/{cup.slug}/").content.decode()
    assert "Computing from the results" in page
    assert content_cache.compute_due(KINDS) == 3  # the first tab asks for the story
    body = client.get(f"/api/v1/tournaments/{cup.slug}/standings/").json()
    assert (len(body["rows"]), body["as_of"]) == (3, None)
    assert "in progress" not in client.get(f"/tournaments/{cup.slug}/").content.decode()


def test_page_and_json_show_the_time_of_old_content(cup: Tournament, client: Client) -> None:
    finish(cup)
    body = client.get(f"/api/v1/tournaments/{cup.slug}/standings/").json()
    assert body["as_of"] is not None
    assert "newer results will follow" in client.get(f"/tournaments/{cup.slug}/").content.decode()


def test_rebuild_gives_the_same_content(cup: Tournament) -> None:
    factories.finish_all(cup)
    content_cache.compute_due(KINDS)
    before = dict(Kept.objects.exclude(content=b"").values_list("name", "content"))
    call_command("rebuild", stdout=io.StringIO())
    after = dict(Kept.objects.exclude(content=b"").values_list("name", "content"))
    assert {name: bytes(content) for name, content in before.items()} == {
        name: bytes(content) for name, content in after.items()
    }
    assert set(after) == {"tables", "luck", "story"}


def test_tables_of_earlier_versions_can_be_read(cup: Tournament) -> None:
    content = kinds.TABLES.make(cup)
    tables = kinds.TABLES.load(content)
    cells = [
        [own, other, *astuple(cell)]
        for own, line in tables.cells().items()
        for other, cell in line.items()
    ]
    assert cells
    divisions = json.loads(content["divisions"])
    old_tables = kinds.TABLES.load(content | {"cells": cells, "divisions": divisions})
    assert old_tables.cells() == tables.cells()
    assert old_tables.divisions() == tables.divisions()
    first, second = [row.entrant for row in tables.rows][:2]
    assert tables.cells([first, second]) == {
        own: {other: cell for other, cell in tables.cells()[own].items() if other == another}
        for own, another in ((first, second), (second, first))
    }


def test_new_content_is_not_recomputed_immediately(
    cup: Tournament, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(content_cache, "MIN_WAIT", 1000.0)
    finish(cup)
    assert list(content_cache.due_content(KINDS)) == []
    monkeypatch.setattr(content_cache, "MIN_WAIT", 0.0)
    assert {kind.name for _, kind in content_cache.due_content(KINDS)} == {
        "tables",
        "luck",
        "story",
    }


def test_a_failed_kind_does_not_delay_others(
    cup: Tournament, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(_: Tournament) -> None:
        raise ValueError("A test.")

    finish(cup)
    before = kinds.TABLES.make
    object.__setattr__(kinds.TABLES, "make", fail)
    try:
        assert content_cache.compute_due(KINDS) == len(kinds.KINDS) - 1
    finally:
        object.__setattr__(kinds.TABLES, "make", before)
    assert f"Computing the tables of {cup.slug} failed." in caplog.text
    assert [
        kind.name for _, kind in content_cache.due_content(KINDS)
    ] == []  # it waits until its lease ends


@pytest.mark.django_db(transaction=True)
def test_two_threads_never_compute_the_same(cup: Tournament) -> None:
    """The second thread starts while the first computes."""
    finish(cup)
    started, may_continue, results = Event(), Event(), list[bool]()
    make, calls = kinds.LUCK.make, list[int]()

    def wait_and_make(tournament: Tournament) -> Any:
        calls.append(1)
        if len(calls) == 1:
            started.set()
            assert may_continue.wait(60)
        return make(tournament)

    def compute_first() -> None:
        try:
            results.append(content_cache.compute(kinds.LUCK, cup))
        finally:
            connection.close()

    object.__setattr__(kinds.LUCK, "make", wait_and_make)
    thread = Thread(target=compute_first)
    try:
        thread.start()
        assert started.wait(60)
        assert not content_cache.compute(kinds.LUCK, cup)
        assert "luck" not in {kind.name for _, kind in content_cache.due_content(KINDS)}
        assert len(calls) == 1
    finally:
        may_continue.set()
        thread.join()
        object.__setattr__(kinds.LUCK, "make", make)
    assert results == [True]
    assert Kept.objects.get(name="luck").lease_until is None


def test_an_expired_lease_does_not_block_others(cup: Tournament) -> None:
    finish(cup)
    Kept.objects.filter(name="luck").update(lease_until="2999-01-01T00:00:00Z")
    assert not content_cache.compute(kinds.LUCK, cup)
    Kept.objects.filter(name="luck").update(lease_until="2020-01-01T00:00:00Z")
    assert content_cache.compute(kinds.LUCK, cup)


# --- files --------------------------------------------------------------------------------------


def export(client: Client, cup: Tournament, **query: str) -> Any:
    return client.get(f"/api/v1/tournaments/{cup.slug}/export/", query or {"type": "archive"})


def body(response: Any) -> bytes:
    return b"".join(response)


def test_an_archive_is_requested_created_and_sent(cup: Tournament, client: Client) -> None:
    factories.finish_all(cup)
    assert export(client, cup).status_code == 202
    assert export(client, cup).status_code == 202
    assert Kept.objects.filter(name="archive", asked__isnull=False).count() == 1
    content_cache.compute_due(KINDS)
    response = export(client, cup)
    assert response.status_code == 200
    assert response["Content-Disposition"] == f'attachment; filename="{cup.slug}.zip"'
    content = body(response)
    assert response["Content-Length"] == str(len(content))
    cup.refresh_from_db()
    assert content == b"".join(archive_of(cup))
    assert archive.verify(io.BytesIO(content)).state == "finished"
    address = f"/api/v1/tournaments/{cup.slug}/export/?type=archive"
    assert client.get(address, headers={"If-None-Match": response["ETag"]}).status_code == 304


def test_cached_results_equal_uncached_results(cup: Tournament, client: Client) -> None:
    for kind in ("csv", "json"):
        assert export(client, cup, table="results", type=kind).status_code == 202
    content_cache.compute_due(KINDS)
    for kind in ("csv", "json"):
        cached = body(export(client, cup, table="results", type=kind))
        object.__setattr__(export_files.RESULTS[kind], "uncached_matches", 99)
        assert body(export(client, cup, table="results", type=kind)) == cached


def test_a_running_tournament_sends_its_last_archive(cup: Tournament, client: Client) -> None:
    export(client, cup)
    content_cache.compute_due(KINDS)
    first = body(export(client, cup))
    finish(cup)
    assert body(export(client, cup)) == first
    content_cache.compute_due(KINDS)
    assert body(export(client, cup)) != first
    factories.finish_all(cup)
    assert export(client, cup).status_code == 202  # a finished one sends only its final archive


def test_the_number_of_waiting_exports_is_limited(
    cup: Tournament, client: Client, settings: Any
) -> None:
    settings.MAX_WAITING_EXPORTS = 1
    assert export(client, cup).status_code == 202
    assert export(client, cup, table="results").status_code == 503
    assert export(client, cup).status_code == 202


def test_a_deleted_file_is_created_again(cup: Tournament, client: Client) -> None:
    export(client, cup)
    content_cache.compute_due(KINDS)
    KeptExport.objects.all().delete()
    assert export(client, cup).status_code == 202
    content_cache.compute_due(KINDS)
    assert export(client, cup).status_code == 200


def test_reading_writes_only_the_request(cup: Tournament, client: Client) -> None:
    finish(cup)
    before = OutboxMessage.objects.count(), Match.objects.count()
    client.get(f"/tournaments/{cup.slug}/")
    request_time = Kept.objects.get(name="tables").asked
    client.get(f"/tournaments/{cup.slug}/")
    assert Kept.objects.get(name="tables").asked == request_time
    assert (OutboxMessage.objects.count(), Match.objects.count()) == before


def test_the_page_requests_an_export_once(cup: Tournament, client: Client) -> None:
    factories.finish_all(cup)
    address = f"/tournaments/{cup.slug}/exports/"
    button = 'value="archive"'
    assert button in client.get(address).content.decode()
    for _ in range(2):
        page = client.post(address, {"kind": "archive"}, follow=True).content.decode()
        assert "in progress" in page
        assert "Reload" in page
        assert button not in page
    assert Kept.objects.filter(name="archive").count() == 1
    assert [kind.name for _, kind in content_cache.due_content(KINDS)].count("archive") == 1
    content_cache.compute_due(KINDS)
    page = client.get(address).content.decode()
    assert "in progress" not in page
    assert button not in page
    link = f"/api/v1/tournaments/{cup.slug}/export/?type=archive"
    assert f'href="{link}"' in page
    assert client.get(link).status_code == 200
    assert client.post(address, {"kind": "everything"}).status_code == 404
    open_cup = factories.tournament(3)
    assert client.get(f"/tournaments/{open_cup.slug}/exports/").status_code == 404
