"""Tournaments start and stop at their times."""

from __future__ import annotations

import io
from datetime import timedelta
from itertools import pairwise
from typing import Any

import pytest
from django.db import OperationalError
from django.test import Client
from psycopg.errors import LockNotAvailable, QueryCanceled

from cardroom.housekeeping import TASKS
from cardroom_base.core.errors import ActionError
from cardroom_base.db.db_time import now
from tests import factories as make
from tournaments import actions, archive
from tournaments.actions.schedule import (
    RETRY_TIME,
    keep_schedule,
    next_name,
    retry_until,
    start_if_due,
)
from tournaments.exports.archive import archive_of
from tournaments.models import Decision, Match, Tournament
from tournaments.reading import tournament_standings

pytestmark = pytest.mark.django_db

HOUR = timedelta(hours=1)
MINUTE = timedelta(minutes=1)


def set_times(cup: Tournament, **times: Any) -> Tournament:
    """Set times, in hours from now, without checks."""
    values = {name: now() + hours * HOUR for name, hours in times.items()}
    Tournament.objects.filter(pk=cup.pk).update(**values)
    cup.refresh_from_db()
    return cup


def kinds(cup: Tournament) -> list[str]:
    return list(cup.decisions.order_by("pk").values_list("kind", flat=True))


# --- times --------------------------------------------------------------------------------------


def test_times_have_an_order() -> None:
    cup = make.tournament(rated=False)
    times = [now() + hours * HOUR for hours in range(1, 6)]
    names = ("entries_from", "entries_until", "starts_at", "freezes_at", "ends_at")
    actions.update_tournament(cup, None, **dict(zip(names, times, strict=True)))
    actions.update_tournament(cup, None, entries_until=times[2].isoformat())
    for first, second in pairwise(names):
        with pytest.raises(ActionError, match="must be later than") as error:
            actions.update_tournament(cup, None, **{first: times[3], second: times[0]})
        assert error.value.field
    cup.refresh_from_db()
    assert cup.entries_until == times[2].replace(microsecond=0)
    assert kinds(cup) == ["scheduled", "scheduled"]


@pytest.mark.parametrize(
    "value", ["2033-01-01T10:00", "noon", 7, True, "9999-12-31T23:59:59-10:00"]
)
def test_a_time_needs_a_time_zone(value: object) -> None:
    with pytest.raises(ActionError, match="ends_at must be") as error:
        actions.update_tournament(make.tournament(), None, ends_at=value)
    assert error.value.field == "ends_at"


def test_after_the_start_only_the_end_can_move() -> None:
    cup = make.tournament(2, start=True)
    actions.update_tournament(cup, None, ends_at=now() + HOUR, description="Soon over.")
    for field in ("starts_at", "entries_from"):
        with pytest.raises(ActionError, match="rescheduled") as error:
            actions.update_tournament(cup, None, **{field: now() + HOUR / 2})
        assert error.value.field == field
    make.finish_all(cup)
    with pytest.raises(ActionError, match="rescheduled"):
        actions.update_tournament(cup, None, ends_at=now() + 2 * HOUR)
    assert actions.update_tournament(cup, None, description="Thanks!").description == "Thanks!"


def test_a_draft_does_not_open_after_its_start() -> None:
    cup = actions.create_tournament(None, name="Late Cup", format=make.FORMAT)
    set_times(cup, starts_at=-1)
    with pytest.raises(ActionError, match="must be in the future") as error:
        actions.open_(cup, None)
    assert error.value.field == "starts_at"


# --- entries ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("window", "sentence"), [((1, 2), "open at"), ((-2, -1), "closed at")])
def test_bots_enter_only_in_the_window(window: tuple[int, int], sentence: str) -> None:
    organizer, bot = make.user(), make.bot()
    cup = make.tournament(by=organizer)
    set_times(cup, entries_from=window[0], entries_until=window[1])
    with pytest.raises(ActionError, match=sentence):
        actions.enter(cup, bot, bot.owner)
    actions.enter(cup, make.house_bot("house:filler"), organizer)
    set_times(cup, entries_from=-1, entries_until=1)
    actions.enter(cup, bot, bot.owner)


# --- the start ----------------------------------------------------------------------------------


def test_tournaments_start_on_schedule() -> None:
    cup, later = make.tournament(2), make.tournament(2)
    set_times(cup, starts_at=-0.01)
    set_times(later, starts_at=1)
    TASKS["schedule"]()
    cup.refresh_from_db()
    later.refresh_from_db()
    assert (cup.state, later.state) == ("running", "open")
    assert cup.matches.count() == 2
    assert keep_schedule() == 0


def test_a_failed_start_is_reported_and_retried() -> None:
    cup = set_times(make.tournament(1), starts_at=-0.01)
    for _ in range(3):
        assert keep_schedule() == 0
    cup.refresh_from_db()
    assert cup.state == "open"
    assert (
        "cannot start: The tournament needs 2 entries or more, and there is 1." in cup.start_trouble
    )
    assert kinds(cup) == ["failed"]  # once
    assert cup.starts_at
    assert retry_until(cup) == cup.starts_at + RETRY_TIME
    actions.enter(cup, make.bot(), None)
    assert keep_schedule() == 1
    cup.refresh_from_db()
    assert (cup.state, cup.start_trouble) == ("running", "")


def test_a_failed_start_is_retried_for_an_hour_only() -> None:
    cup = set_times(make.tournament(1), starts_at=-2)
    keep_schedule()  # after an outage the site tries once
    cup.refresh_from_db()
    assert cup.start_trouble
    assert retry_until(cup) is None
    actions.enter(cup, make.bot(), None)
    assert keep_schedule() == 0
    actions.update_tournament(cup, None, starts_at=now() + HOUR)
    cup.refresh_from_db()
    assert not cup.start_trouble


def test_an_error_of_the_site_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    cup = set_times(make.tournament(2), starts_at=-0.01)

    def fail(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("tournaments.actions.schedule.start", fail)
    assert keep_schedule() == 0
    cup.refresh_from_db()
    assert "internal error (ZeroDivisionError)" in cup.start_trouble


@pytest.mark.parametrize("cause", [LockNotAvailable, QueryCanceled])
def test_a_locked_or_slow_tournament_does_not_hold_up_others(
    monkeypatch: pytest.MonkeyPatch, cause: type[Exception]
) -> None:
    first, second = (set_times(make.tournament(2), starts_at=-0.01) for _ in range(2))

    def start_or_fail(tournament: Tournament) -> bool:
        if tournament == first:
            raise OperationalError("canceling statement due to a timeout") from cause()
        return start_if_due(tournament)

    monkeypatch.setattr("tournaments.actions.schedule.start_if_due", start_or_fail)
    assert keep_schedule() == 1
    second.refresh_from_db()
    assert second.state == "running"


# --- the end ------------------------------------------------------------------------------------


def stop_after(cup: Tournament, matches: int) -> Tournament:
    """Stop a tournament after some matches, and play the groups of these to their end."""
    first_matches = list(cup.matches.order_by("pk")[:matches])
    for match in first_matches:
        make.finish(match)
    set_times(cup, ends_at=-0.01)
    assert keep_schedule() == 1
    cup.refresh_from_db()
    assert cup.stopped
    return make.finish_all(cup)


def test_at_the_end_begun_groups_are_finished_and_others_void() -> None:
    cup = make.tournament(4, start=True)
    assert cup.matches.count() == 12
    stop_after(cup, 1)
    assert cup.state == "finished"
    assert cup.matches.filter(state=Match.State.FINISHED).count() == 2
    assert cup.matches.filter(state=Match.State.VOID).count() == 10
    assert sum(row.groups for row in tournament_standings(cup)) == 2
    assert kinds(cup) == ["ended"]
    assert keep_schedule() == 0


@pytest.mark.parametrize("system", ["swiss", "knock-out", "double-knock-out", "gauntlet"])
def test_a_stopped_tournament_pairs_nothing_more(client: Client, system: str) -> None:
    cup = make.tournament(5, system=system, start=True)
    stop_after(cup, 1)
    assert cup.state == "finished"
    assert len(tournament_standings(cup)) == 5
    assert cup.deal_groups.order_by("-round").first().round == 1 or system == "gauntlet"  # type: ignore[union-attr]
    assert archive.verify(io.BytesIO(b"".join(archive_of(cup)))).state == "finished"
    for tab in ("", "standings/", "crosstable/"):
        assert client.get(f"/tournaments/{cup.slug}/{tab}").status_code == 200


def test_a_ladder_stops_at_its_end() -> None:
    ladder = make.tournament(3, system="ladder", start=True)
    stop_after(ladder, 1)
    assert ladder.state == "finished"
    bot = make.bot()
    with pytest.raises(ActionError):
        actions.enter(ladder, bot, None)


def test_a_group_of_a_stopped_tournament_can_be_rerun() -> None:
    cup = stop_after(make.tournament(4, rated=False, start=True), 1)
    match = cup.matches.filter(state=Match.State.FINISHED).first()
    assert match is not None
    actions.rerun_match(match, None, "The clock was wrong.")
    cup.refresh_from_db()
    assert cup.state == "running"
    assert keep_schedule() == 0
    make.finish_all(cup)
    assert cup.state == "finished"
    assert cup.decisions.filter(kind=Decision.Kind.ENDED).count() == 1


def test_a_tournament_does_not_start_after_its_end() -> None:
    cup = set_times(make.tournament(2), ends_at=-0.01)
    with pytest.raises(ActionError, match="The end must be in the future"):
        actions.start(cup, None)


# --- repetitions --------------------------------------------------------------------------------


def test_a_repetition_has_the_same_conditions() -> None:
    organizer = make.user()
    stages = [
        {"system": "swiss", "groups": 3, "settings": {"rounds": 5}},
        {"system": "knock-out", "take": 4},
    ]
    cup = make.tournament(
        2, by=organizer, stages=stages, late=True, tie_breaks=["wins"], move_ms=77, name="Quiz"
    )
    set_times(cup, entries_from=-2, entries_until=2, starts_at=2, ends_at=5)
    start = now().replace(microsecond=0) + 100 * HOUR
    copy = actions.repeat(cup, organizer, start)
    assert (copy.name, copy.state, copy.organizer) == ("Quiz 2", "draft", organizer)
    assert (copy.move_ms, copy.tie_breaks, copy.late) == (77, ["wins"], True)
    assert copy.plans() == cup.plans()
    assert cup.ends_at and cup.starts_at  # noqa: PT018 - for the type checker
    assert copy.starts_at == start
    assert copy.ends_at == (start + (cup.ends_at - cup.starts_at)).replace(microsecond=0)
    assert copy.seed != cup.seed
    assert not copy.chosen_seed
    assert not copy.entries.exists()
    timeless = actions.repeat(copy, organizer, name="Another")
    assert (timeless.name, timeless.starts_at, timeless.ends_at) == ("Another", None, None)
    with pytest.raises(ActionError, match="Only the organizer"):
        actions.repeat(cup, make.user())
    with pytest.raises(ActionError) as error:
        actions.repeat(cup, organizer, "tomorrow")
    assert error.value.field == "starts_at"


@pytest.mark.parametrize(
    ("name", "following"),
    [
        ("Cup", "Cup 2"),
        ("Cup 2", "Cup 3"),
        ("2026", "2026 2"),
        ("Cup 20261201", "Cup 20261201 2"),
        ("x" * 80, "x" * 78 + " 2"),
    ],
)
def test_repetitions_are_numbered(name: str, following: str) -> None:
    assert next_name(name) == following


def test_a_weekly_tournament_opens_the_next_at_its_start() -> None:
    organizer = make.user()
    cup = make.tournament(2, by=organizer, name="Weekly", seed=None)
    actions.update_tournament(cup, organizer, starts_at=now() + HOUR, repeats=2)
    assert keep_schedule() == 0
    set_times(cup, starts_at=-0.01)
    assert keep_schedule() == 2  # starts and repeats
    cup.refresh_from_db()
    second = cup.repeated.get()
    assert (cup.repeats, second.repeats, second.state) == (0, 1, "open")
    assert cup.starts_at
    assert second.starts_at == (cup.starts_at + timedelta(days=7)).replace(microsecond=0)
    assert keep_schedule() == 0
    for _ in range(2):
        actions.enter(second, make.bot(), None)
    actions.update_tournament(second, organizer, repeats=0)  # switched off
    set_times(second, starts_at=-0.01)
    assert keep_schedule() == 1
    assert not second.repeated.exists()


def test_the_next_repetition_is_in_the_future() -> None:
    cup = set_times(make.tournament(2, start=True, seed=None), entries_until=-400, starts_at=-350)
    Tournament.objects.filter(pk=cup.pk).update(repeats=1)
    assert keep_schedule() == 1
    following = cup.repeated.get()
    assert following.entries_until
    assert now() < following.entries_until < now() + timedelta(days=7)


def test_a_refused_repetition_ends_the_series(settings: Any) -> None:
    organizer = make.user()
    cup = set_times(make.tournament(2, by=organizer, start=True, seed=None), starts_at=-1)
    settings.MAX_ACTIVE_TOURNAMENTS = 1
    Tournament.objects.filter(pk=cup.pk).update(repeats=5)
    assert keep_schedule() == 1
    assert not cup.repeated.exists()
    entry = cup.decisions.get(kind="failed")
    assert "which is the limit" in entry.reason
    organizer.is_active = False
    organizer.save()
    settings.MAX_ACTIVE_TOURNAMENTS = 9
    Tournament.objects.filter(pk=cup.pk).update(repeats=5)
    assert keep_schedule() == 1
    assert not cup.repeated.exists()
    assert keep_schedule() == 0


def test_a_cancelled_series_ends() -> None:
    cup = set_times(make.tournament(2), starts_at=1)
    Tournament.objects.filter(pk=cup.pk).update(repeats=5)
    actions.cancel(cup, None)
    assert keep_schedule() == 0


def test_a_weekly_tournament_needs_a_start() -> None:
    cup = make.tournament(2)
    for repeats, sentence in ((1, "needs a scheduled start"), (53, "from 0 to 52")):
        with pytest.raises(ActionError, match=sentence):
            actions.update_tournament(cup, None, repeats=repeats)


def test_the_page_links_to_the_repetition(client: Client) -> None:
    cup = make.tournament(2, start=True, seed=None)
    copy = actions.repeat(cup, None)
    link = f'href="/tournaments/{copy.slug}/"'
    assert link not in client.get(f"/tournaments/{cup.slug}/").content.decode()  # a draft
    actions.open_(copy, None)
    assert link in client.get(f"/tournaments/{cup.slug}/").content.decode()
