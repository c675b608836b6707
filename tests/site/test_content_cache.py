"""What is kept shows every change, is made once at a time, and can be made anew."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from threading import Event, Thread
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection
from django.test import Client

from cardroom_base.models import OutboxMessage
from tests import factories
from tournaments import actions, archive
from tournaments.exports import files
from tournaments.exports.archive import archive_of
from tournaments.models import Kept, KeptExport, Match, Tournament
from tournaments.reading import content_cache, kinds, tournament_standings

pytestmark = pytest.mark.django_db

EVERY = (*kinds.KINDS, *files.KINDS)


@pytest.fixture(autouse=True)
def _all_is_kept(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """However little it is, and made anew without a rest."""
    monkeypatch.setattr(content_cache, "MIN_WAIT", 0.0)
    monkeypatch.setattr(content_cache, "WAIT_FACTOR", 0)
    before = [kind.uncached_matches for kind in EVERY]
    for kind in EVERY:
        object.__setattr__(kind, "uncached_matches", -1)
    yield
    for kind, bound in zip(EVERY, before, strict=True):
        object.__setattr__(kind, "uncached_matches", bound)


@pytest.fixture
def cup() -> Tournament:
    """A round robin of three that runs, one match of which is played and kept."""
    made = factories.tournament(3, start=True, rated=False)
    factories.finish(made.matches.earliest("pk"))
    assert content_cache.compute_due(EVERY) == len(kinds.KINDS)
    return made


def shown(cup: Tournament) -> content_cache.Reading[kinds.Tables]:
    return content_cache.read(kinds.TABLES, cup)


def fresh(cup: Tournament) -> bool:
    """Whether readers get it as of now, and that is what the course says now."""
    found = shown(cup)
    if found.value is None or found.at is not None:
        return False
    assert found.value.rows == tournament_standings(cup)
    return True


def finished(cup: Tournament) -> None:
    factories.finish(cup.matches.filter(state="waiting").earliest("pk"))


def voided(cup: Tournament) -> None:
    actions.void_match(cup.matches.filter(state="finished").earliest("pk"), None, "A test.")


def rerun(cup: Tournament) -> None:
    actions.rerun_match(cup.matches.filter(state="finished").earliest("pk"), None, "A test.")


def rerun_and_played(cup: Tournament) -> None:
    """As many results as before, but others."""
    rerun(cup)
    finished(cup)


def carried_over(cup: Tournament) -> None:
    Tournament.objects.filter(pk=cup.pk).update(rules="7 of-long-ago")
    cup.refresh_from_db()
    actions.carry_over(cup, None, "A test.")


def cancelled(cup: Tournament) -> None:
    actions.cancel(cup, None)


@pytest.mark.parametrize(
    "change", [finished, voided, rerun, rerun_and_played, carried_over, cancelled]
)
def test_a_change_is_seen(cup: Tournament, change: Callable[[Tournament], None]) -> None:
    assert fresh(cup)
    before = content_cache.mark_of(cup)[0]
    change(cup)
    cup.refresh_from_db()
    assert content_cache.mark_of(cup)[0] != before
    stale = shown(cup)
    assert stale.at is not None  # the old one, with a word about that
    assert Kept.objects.get(tournament=cup, name="tables").asked is not None
    assert content_cache.compute_due(EVERY) >= 1
    assert fresh(cup)
    assert content_cache.compute_due(EVERY) == 0


def test_who_withdraws_is_seen() -> None:
    swiss = [{"system": "swiss", "settings": {"rounds": 2}, "groups": 1}]
    cup = factories.tournament(5, stages=swiss, start=True)
    factories.finish(cup.matches.earliest("pk"))
    content_cache.compute_due(EVERY)
    assert fresh(cup)
    actions.withdraw(cup, cup.entries.earliest("pk").bot, None)
    assert shown(cup).at is not None
    content_cache.compute_due(EVERY)
    assert fresh(cup)


def test_a_ladder_follows_the_ratings() -> None:
    from tournaments import projections

    stages = [{"system": "ladder", "groups": 1, "settings": {"ahead": 3, "first": 1}}]
    ladder = factories.tournament(3, stages=stages, start=True, seed=None)
    factories.finish(ladder.matches.earliest("pk"))
    content_cache.compute_due(EVERY)
    assert fresh(ladder)
    projections.refresh()
    assert shown(ladder).at is not None
    content_cache.compute_due(EVERY)
    assert fresh(ladder)


def test_the_first_reader_of_an_old_one_waits_and_asks(cup: Tournament, client: Client) -> None:
    factories.finish_all(cup)
    Kept.objects.all().delete()
    Tournament.objects.filter(pk=cup.pk).update(finished="2020-01-01T00:00:00Z")
    assert content_cache.compute_due(EVERY) == 0  # nobody has asked
    for tab in ("standings", "crosstable", "luck"):
        answer = client.get(f"/api/v1/tournaments/{cup.slug}/{tab}/")
        assert answer.status_code == 202
        assert answer["Retry-After"].isdecimal()
    page = client.get(f"/tournaments/{cup.slug}/").content.decode()
    assert "Computing from the results" in page
    assert content_cache.compute_due(EVERY) == 3  # the first tab asks for the story
    body = client.get(f"/api/v1/tournaments/{cup.slug}/standings/").json()
    assert (len(body["rows"]), body["as_of"]) == (3, None)
    assert "in progress" not in client.get(f"/tournaments/{cup.slug}/").content.decode()


def test_page_and_json_say_as_of_when(cup: Tournament, client: Client) -> None:
    finished(cup)
    body = client.get(f"/api/v1/tournaments/{cup.slug}/standings/").json()
    assert body["as_of"] is not None
    assert "newer results will follow" in client.get(f"/tournaments/{cup.slug}/").content.decode()


def test_rebuild_makes_the_same(cup: Tournament) -> None:
    factories.finish_all(cup)
    content_cache.compute_due(EVERY)
    before = dict(Kept.objects.exclude(content=b"").values_list("name", "content"))
    call_command("rebuild", stdout=io.StringIO())
    after = dict(Kept.objects.exclude(content=b"").values_list("name", "content"))
    assert {name: bytes(each) for name, each in before.items()} == {
        name: bytes(each) for name, each in after.items()
    }
    assert set(after) == {"tables", "luck", "story"}


def test_what_was_just_made_rests(cup: Tournament, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(content_cache, "MIN_WAIT", 1000.0)
    finished(cup)
    assert list(content_cache.due_content(EVERY)) == []
    monkeypatch.setattr(content_cache, "MIN_WAIT", 0.0)
    assert {kind.name for _, kind in content_cache.due_content(EVERY)} == {
        "tables",
        "luck",
        "story",
    }


def test_what_cannot_be_made_holds_up_nothing_else(
    cup: Tournament, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(_: Tournament) -> None:
        raise ValueError("A test.")

    finished(cup)
    before = kinds.TABLES.make
    object.__setattr__(kinds.TABLES, "make", fail)
    try:
        assert content_cache.compute_due(EVERY) == len(kinds.KINDS) - 1
    finally:
        object.__setattr__(kinds.TABLES, "make", before)
    assert f"The tables of {cup.slug} cannot be created." in caplog.text
    assert [
        kind.name for _, kind in content_cache.due_content(EVERY)
    ] == []  # it rests until its lease is over


@pytest.mark.django_db(transaction=True)
def test_two_never_make_the_same(cup: Tournament) -> None:
    """The second comes while the first is at it."""
    finished(cup)
    begun, go_on, made = Event(), Event(), list[bool]()
    before, makings = kinds.LUCK.make, list[int]()

    def waits(tournament: Tournament) -> Any:
        makings.append(1)
        if len(makings) == 1:
            begun.set()
            assert go_on.wait(60)
        return before(tournament)

    def first() -> None:
        try:
            made.append(content_cache.compute(kinds.LUCK, cup))
        finally:
            connection.close()

    object.__setattr__(kinds.LUCK, "make", waits)
    thread = Thread(target=first)
    try:
        thread.start()
        assert begun.wait(60)
        assert not content_cache.compute(kinds.LUCK, cup)
        assert "luck" not in {kind.name for _, kind in content_cache.due_content(EVERY)}
        assert len(makings) == 1
    finally:
        go_on.set()
        thread.join()
        object.__setattr__(kinds.LUCK, "make", before)
    assert made == [True]
    assert Kept.objects.get(name="luck").lease_until is None


def test_whoever_died_over_it_holds_up_nobody(cup: Tournament) -> None:
    finished(cup)
    Kept.objects.filter(name="luck").update(lease_until="2999-01-01T00:00:00Z")
    assert not content_cache.compute(kinds.LUCK, cup)
    Kept.objects.filter(name="luck").update(lease_until="2020-01-01T00:00:00Z")
    assert content_cache.compute(kinds.LUCK, cup)


# --- files --------------------------------------------------------------------------------------


def export(client: Client, cup: Tournament, **asked: str) -> Any:
    return client.get(f"/api/v1/tournaments/{cup.slug}/export/", asked or {"type": "archive"})


def body(answer: Any) -> bytes:
    return b"".join(answer)


def test_an_archive_is_asked_for_made_and_sent(cup: Tournament, client: Client) -> None:
    factories.finish_all(cup)
    assert export(client, cup).status_code == 202
    assert export(client, cup).status_code == 202
    assert Kept.objects.filter(name="archive", asked__isnull=False).count() == 1
    content_cache.compute_due(EVERY)
    answer = export(client, cup)
    assert answer.status_code == 200
    assert answer["Content-Disposition"] == f'attachment; filename="{cup.slug}.zip"'
    whole = body(answer)
    assert answer["Content-Length"] == str(len(whole))
    cup.refresh_from_db()
    assert whole == b"".join(archive_of(cup))
    assert archive.verify(io.BytesIO(whole)).state == "finished"
    address = f"/api/v1/tournaments/{cup.slug}/export/?type=archive"
    assert client.get(address, headers={"If-None-Match": answer["ETag"]}).status_code == 304


def test_results_are_the_same_kept_and_at_once(cup: Tournament, client: Client) -> None:
    for kind in ("csv", "json"):
        assert export(client, cup, table="results", type=kind).status_code == 202
    content_cache.compute_due(EVERY)
    for kind in ("csv", "json"):
        later = body(export(client, cup, table="results", type=kind))
        object.__setattr__(files.RESULTS[kind], "uncached_matches", 99)
        assert body(export(client, cup, table="results", type=kind)) == later


def test_while_it_runs_the_last_one_is_sent(cup: Tournament, client: Client) -> None:
    export(client, cup)
    content_cache.compute_due(EVERY)
    first = body(export(client, cup))
    finished(cup)
    assert body(export(client, cup)) == first
    content_cache.compute_due(EVERY)
    assert body(export(client, cup)) != first
    factories.finish_all(cup)
    assert export(client, cup).status_code == 202  # of one that is over only the last word


def test_no_more_wait_than_may(cup: Tournament, client: Client, settings: Any) -> None:
    settings.MAX_WAITING_EXPORTS = 1
    assert export(client, cup).status_code == 202
    assert export(client, cup, table="results").status_code == 503
    assert export(client, cup).status_code == 202


def test_a_file_that_somebody_has_deleted_is_made_again(cup: Tournament, client: Client) -> None:
    export(client, cup)
    content_cache.compute_due(EVERY)
    KeptExport.objects.all().delete()
    assert export(client, cup).status_code == 202
    content_cache.compute_due(EVERY)
    assert export(client, cup).status_code == 200


def test_reading_writes_nothing_but_that_it_is_asked_for(cup: Tournament, client: Client) -> None:
    finished(cup)
    before = OutboxMessage.objects.count(), Match.objects.count()
    client.get(f"/tournaments/{cup.slug}/")
    asked = Kept.objects.get(name="tables").asked
    client.get(f"/tournaments/{cup.slug}/")
    assert Kept.objects.get(name="tables").asked == asked
    assert (OutboxMessage.objects.count(), Match.objects.count()) == before


def test_the_page_has_an_export_made_once(cup: Tournament, client: Client) -> None:
    factories.finish_all(cup)
    address = f"/tournaments/{cup.slug}/exports/"
    asks = 'value="archive"'
    assert asks in client.get(address).content.decode()
    for _ in range(2):
        page = client.post(address, {"kind": "archive"}, follow=True).content.decode()
        assert "in progress" in page
        assert "Reload" in page
        assert asks not in page
    assert Kept.objects.filter(name="archive").count() == 1
    assert [kind.name for _, kind in content_cache.due_content(EVERY)].count("archive") == 1
    content_cache.compute_due(EVERY)
    page = client.get(address).content.decode()
    assert "in progress" not in page
    assert asks not in page
    link = f"/api/v1/tournaments/{cup.slug}/export/?type=archive"
    assert f'href="{link}"' in page
    assert client.get(link).status_code == 200
    assert client.post(address, {"kind": "everything"}).status_code == 404
    waiting = factories.tournament(3)
    assert client.get(f"/tournaments/{waiting.slug}/exports/").status_code == 404
