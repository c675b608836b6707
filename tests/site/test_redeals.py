"""tournaments.actions.redeals: a rerun gives new cards to the whole deal group."""

from __future__ import annotations

import io
import json
import zipfile
import zlib
from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings
from django.db import transaction
from django.utils import timezone
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from bots.referee.outcome import RefereeError
from bots.sandbox import Sandbox
from bots.workers import health
from cardroom_base.core.errors import ActionError
from tests import factories as make
from tournaments import actions, archive, worker
from tournaments.actions import attempts
from tournaments.actions.tournaments import set_priority
from tournaments.exports.archive import archive_of
from tournaments.models import Attempt, DealGroup, Decision, Entry, Ledger, Match, Tournament
from tournaments.projections import update_live

pytestmark = pytest.mark.django_db

PLACE = ("stage", "division", "round", "pairing", "group")


def claim_match(match: Match, worker: str = "w/1") -> Attempt:
    """Claim this match and give back others; its attempt."""
    claimed = None
    make.end_retry_delays()
    for attempt in attempts.claim(worker, 1000):
        if attempt.match_id == match.pk:
            claimed = attempt
        else:
            attempts.release_attempts([attempt.pk], "Claimed by a test on the way.")
    assert claimed is not None
    return claimed


def fail(match: Match, seat: int | None = None) -> None:
    """Fail an attempt after its bots have been seated."""
    assert attempts.fail_attempt(claim_match(match).pk, "The machine is on fire.", seat=seat)


def lose(match: Match) -> None:
    """Lose an attempt, as if its worker had died."""
    attempt = claim_match(match)
    past = timezone.now() - timedelta(seconds=1)
    Attempt.objects.filter(pk=attempt.pk).update(lease_until=past)
    assert attempts.sweep_attempts() == 1


def stick(match: Match) -> Match:
    """Fail matches of this place until one is stuck; the stuck match."""
    while match.state != Match.State.STUCK:
        fail(match)
        match.refresh_from_db()
        match = current(match)
    return match


def current(match: Match) -> Match:
    """The match that has the place of this match now."""
    deal_group = match.deal_group
    while DealGroup.objects.filter(instead_of=deal_group).exists():
        deal_group = deal_group.redealt
    return deal_group.matches.get(rotation=match.rotation)


def seated_versions(deal_group: DealGroup) -> list[tuple[int, ...]]:
    rows = deal_group.matches.order_by("rotation", "seats__index")
    return list(
        rows.values_list(
            "rotation", "seats__index", "seats__side", "seats__entry", "seats__version"
        )
    )


def sides(deal_group: DealGroup) -> list[tuple[int, ...]]:
    return list(deal_group.sides.order_by("index", "place").values_list("index", "place", "entry"))


def replay(match: Match, way: str) -> None:
    """Cause a redeal in one of the `WAYS`."""
    match.refresh_from_db()
    if way == "failed":
        fail(match)
    elif way == "lost twice":
        lose(match)
        lose(match)
    elif way == "stuck":
        actions.rerun_match(stick(match), None, "A test.")
    elif way == "round":
        make.finish(match)
        actions.rerun_round(match.tournament, 1, match.deal_group.round, None, "A test.")
    else:
        make.finish(match)
        if way == "void":
            actions.void_match(match, None, "A test.")
        actions.rerun_match(match, None, "A test.")


WAYS = ("failed", "lost twice", "stuck", "finished", "void", "round")


@pytest.mark.parametrize("way", WAYS)
def test_the_whole_deal_group_gets_new_cards(way: str) -> None:
    cup = make.tournament(3, groups=2, start=True)
    old = cup.deal_groups.get(number=3)
    match, sibling = old.matches.order_by("rotation")
    others = set(
        cup.deal_groups.exclude(pk=old.pk).filter(round__gt=1).values_list("pk", flat=True)
    )
    if way != "stuck":
        make.finish(sibling)
    replay(match, way)
    new = current(match).deal_group
    assert new != old
    assert [getattr(new, key) for key in PLACE] == [getattr(old, key) for key in PLACE]
    assert (sides(new), seated_versions(new)) == (sides(old), seated_versions(old))
    seeds = list(cup.deal_groups.values_list("seed", flat=True))
    assert len(set(seeds)) == len(seeds)
    assert set(new.matches.values_list("state", flat=True)) == {"waiting"}
    assert set(old.matches.values_list("state", flat=True)) == {"void"}
    old.refresh_from_db()
    assert old.retired is not None
    assert not Attempt.objects.filter(match__deal_group=old, outcome="running").exists()
    assert not Attempt.objects.filter(match__deal_group=old, outcome="stored").exists()
    attempts = Attempt.objects.filter(match__deal_group=old, outcome="overruled")
    assert all(attempt.record for attempt in attempts)
    assert others <= set(cup.deal_groups.filter(retired=None).values_list("pk", flat=True))
    make.finish_all(cup)
    assert cup.state == "finished"
    assert archive.verify(_archive(cup)).groups == 6


def test_a_match_without_moves_keeps_its_cards() -> None:
    cup = make.tournament(2, start=True)
    match = cup.matches.earliest("pk")
    attempts.release_attempts([claim_match(match).pk], "The worker is stopped.")
    lose(match)
    attempts.fail_attempt(claim_match(match).pk, "The package is damaged.", seated=False)
    match.refresh_from_db()
    assert (match.state, match.failures, match.deal_group.retired) == ("waiting", 2, None)
    lose(match)  # after the second loss the match is suspected of crashing workers
    match.refresh_from_db()
    assert (match.state, current(match).failures) == ("void", 3)


def test_failures_are_counted_across_redeals() -> None:
    match = make.tournament(2, start=True).matches.earliest("pk")
    for number in range(1, settings.MAX_ATTEMPTS):
        fail(current(match) if number % 2 else current(match.deal_group.matches.get(rotation=1)))
        assert set(current(match).deal_group.matches.values_list("failures")) == {(number,)}
    fail(current(match))
    stuck = current(match)
    assert (stuck.state, stuck.failures) == ("stuck", settings.MAX_ATTEMPTS)
    new = actions.rerun_match(stuck, None, "The disk was full.")
    assert set(new.deal_group.matches.values_list("failures")) == {(0,)}


def test_a_redeal_stops_the_attempt_at_the_sibling(caplog: pytest.LogCaptureFixture) -> None:
    cup = make.tournament(2, start=True)
    one, other = attempts.claim("w/1", 2)
    result = make.outcome(other.match)
    assert attempts.fail_attempt(one.pk, "The machine is on fire.")
    assert attempts.heartbeat([one.pk, other.pk]) == set()
    assert not attempts.store_result(other.pk, result)
    assert "it had already ended" in caplog.text
    assert not attempts.fail_attempt(other.pk, "On fire, too.", seat=0)
    assert cup.deal_groups.count() == 2
    other.refresh_from_db()
    assert (other.outcome, other.cause) == (
        "failed",
        f"Redealt because of match {one.match_id}.",
    )


def test_a_redeal_removes_the_groups_results_from_ratings() -> None:
    cup = make.tournament(2, start=True)
    match, sibling = cup.matches.order_by("pk")
    make.finish(sibling)
    assert update_live() == 1
    fail(match)
    assert Ledger.objects.get().stale
    sibling.refresh_from_db()
    assert sibling.ordinal is None


# --- seats to blame for failures ----------------------------------------------------------------


def test_the_referee_learns_which_bot_failed_before(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    unlucky_seats: list[Any] = []

    def fail(*_: Any, unlucky: frozenset[int] = frozenset(), **__: Any) -> None:
        unlucky_seats.append(sorted(unlucky))
        error = RefereeError("The host is out of memory.")
        vars(error)["seat"] = 1
        raise error

    monkeypatch.setattr(worker, "play_match", fail)
    make.tournament(2, start=True, format="cassino/standard/2v2?deals=1")
    with Sandbox(trusted=True) as sandbox:
        for _ in range(2):
            make.end_retry_delays()
            worker._play_all(attempts.claim("w/1", 1), sandbox, health.of_process("w/1"), None)
    assert unlucky_seats == [[], [1, 3]]  # both copies, in the deal group with new cards
    ended = list(Attempt.objects.order_by("pk"))
    assert [attempt.seat for attempt in ended] == [1, 1]
    # In the other match of the group it sits on the other seats.
    sibling = current(ended[0].match).deal_group.matches.get(rotation=1)
    [assignment] = worker.load_assignments([claim_match(sibling)])
    assert assignment.unlucky == {0, 2}


def test_a_rerun_by_a_person_forgets_failed_bots() -> None:
    match = make.tournament(2, start=True).matches.earliest("pk")
    fail(match, seat=0)
    version = match.seats.get(index=0).version_id
    assert current(match).deal_group.unlucky == [version]
    fail(current(match), seat=1)
    assert len(current(match).deal_group.unlucky) == 2
    actions.rerun_match(make.finish(current(match)), None, "A new machine.")
    assert current(match).deal_group.unlucky == []


def test_an_unknown_seat_blames_no_bot() -> None:
    match = make.tournament(2, start=True).matches.earliest("pk")
    fail(match, seat=7)
    assert current(match).deal_group.unlucky == []
    assert match.attempts.get().seat is None


# --- ladders ------------------------------------------------------------------------------------


@pytest.fixture
def ladder() -> Tournament:
    stages = [{"system": "ladder", "groups": 1, "settings": {"ahead": 2, "first": 2}}]
    return make.tournament(3, stages=stages, start=True)


def test_on_a_ladder_a_redeal_seats_the_same_versions(ladder: Tournament) -> None:
    match = ladder.matches.earliest("pk")
    versions_before = seated_versions(match.deal_group)
    for entry in ladder.entries.select_related("bot"):
        make.version(entry.bot)
        entry.bot.active_version = entry.bot.versions.latest("number")
        entry.bot.save()
    group_counts = dict(ladder.entries.values_list("pk", "groups"))
    fail(match)
    assert seated_versions(current(match).deal_group) == versions_before
    assert dict(ladder.entries.values_list("pk", "groups")) == group_counts
    actions.advance(ladder.pk)
    versions = Entry.objects.filter(tournament=ladder).values_list("version__number", flat=True)
    assert set(versions) == {2}
    assert seated_versions(current(match).deal_group) == versions_before


def test_on_a_ladder_a_newcomers_match_keeps_its_place_in_the_queue(ladder: Tournament) -> None:
    match = ladder.matches.earliest("pk")
    assert match.priority > ladder.priority
    fail(match)
    assert set(current(match).deal_group.matches.values_list("priority")) == {(match.priority,)}


def test_elsewhere_a_rerun_has_the_tournaments_priority() -> None:
    cup = make.tournament(2, start=True)
    match = make.finish(cup.matches.earliest("pk"))
    set_priority(cup, 3, None)
    assert actions.rerun_match(match, None, "A test.").priority == 3


def test_the_next_pairings_of_a_ladder_come_after_the_last(ladder: Tournament) -> None:
    first = ladder.matches.earliest("pk")
    make.finish_all(ladder)
    rounds = [ladder.deal_groups.latest("round").round]
    actions.rerun_match(first, None, "A test.")
    make.finish_all(ladder)
    rounds.append(ladder.deal_groups.latest("round").round)
    assert rounds[0] < rounds[1]
    assert archive.verify(_archive(ladder)).by_rating


def test_a_withdrawn_entry_is_not_redealt_on_a_ladder(ladder: Tournament) -> None:
    match = ladder.matches.earliest("pk")
    other = match.deal_group.matches.get(rotation=1)
    make.finish(match)
    entry = match.seats.get(index=0).entry
    actions.withdraw(ladder, entry.bot, entry.bot.owner)
    fail(other)  # begun matches are played to their end
    assert current(other).state == "waiting"
    make.finish(current(match))
    with pytest.raises(ActionError, match=f"{entry.title} has left"):
        actions.rerun_match(current(match), None, "A test.")
    actions.void_match(current(match), None, "A test.")


# --- the log ------------------------------------------------------------------------------------


def test_the_log_lists_redealt_groups() -> None:
    by = make.user("organizer")
    cup = make.tournament(
        [make.bot(by, "Own"), make.bot()], by=by, rated=False, groups=2, start=True
    )
    match = cup.matches.earliest("pk")
    fail(match)
    make.finish(current(match))
    actions.rerun_match(current(match), by, "It looked odd.")
    lose(current(match))
    lose(current(match))
    for waiting in cup.matches.filter(state="waiting"):
        make.finish(waiting)
    actions.rerun_round(cup, 1, 1, by, "The power failed.")
    actions.void_match(current(match), None, "A wrong table.")
    rows = cup.decisions.order_by("pk").values_list("kind", "by__username", "own", "dealt")
    assert list(rows) == [
        ("interest", None, False, []),
        ("redealt", None, False, [[1, 3]]),
        ("rerun", "organizer", True, [[3, 4]]),
        ("redealt", None, False, [[4, 5]]),
        ("rerun", "organizer", True, [[2, 6], [5, 7]]),
        ("void", None, False, []),
    ]
    first = cup.decisions.earliest("pk")
    assert (first.what, first.reason) == ("Own", "An organizer has a bot in the tournament.")
    redealt = cup.decisions.filter(kind=Decision.Kind.REDEALT).earliest("pk")
    assert (redealt.match, redealt.what) == (match, f"match {match.pk}")
    assert "The machine is on fire" not in redealt.reason  # only organizers see causes
    decisions = json.loads(_file(cup, "decisions.json"))["decisions"]
    assert [decision["dealt"] for decision in decisions][1:3] == [
        [{"old": 1, "new": 3}],
        [{"old": 3, "new": 4}],
    ]
    assert decisions[2]["by"] == "organizer"
    assert decisions[2]["own"]


# --- random steps -------------------------------------------------------------------------------

STEPS = ("finish", "fail", "lose", "release", "rerun", "void", "round")


@given(st.lists(st.tuples(st.sampled_from(STEPS), st.integers(0, 5)), min_size=3, max_size=14))
@hypothesis_settings(
    max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_random_steps_leave_deal_groups_whole(steps: list[tuple[str, int]]) -> None:
    with transaction.atomic():
        cup = make.tournament(3, groups=1, start=True)
        for step, index in steps:
            _take_step(
                cup, step, cup.matches.filter(deal_group__retired=None).order_by("pk")[index]
            )
            _check(cup)
        actions.advance(cup.pk)
        archive.verify(_archive(cup))
        transaction.set_rollback(True)


def _take_step(cup: Tournament, step: str, match: Match) -> None:
    is_waiting = match.state == Match.State.WAITING
    if step == "finish" and is_waiting:
        make.finish(match)
    elif step == "fail" and is_waiting:
        fail(match, seat=0)
    elif step == "lose" and is_waiting:
        lose(match)
    elif step == "release" and is_waiting:
        attempts.release_attempts([claim_match(match).pk], "Stopped.")
    elif step == "rerun" and not is_waiting:
        actions.rerun_match(match, None, "A test.")
    elif step == "void":
        actions.void_match(match, None, "A test.")
    elif step == "round":
        has_begun = match.deal_group.matches.exclude(state__in=("waiting", "playing")).exists()
        if has_begun:
            actions.rerun_round(cup, 1, match.deal_group.round, None, "A test.")


def _check(cup: Tournament) -> None:
    """Each deal group is whole and has its own seed, and each place has one that counts."""
    seeds = list(cup.deal_groups.values_list("seed", flat=True))
    assert len(set(seeds)) == len(seeds)
    places = cup.deal_groups.filter(retired=None).values_list(*PLACE)
    assert sorted(places) == sorted(set(cup.deal_groups.values_list(*PLACE)))
    for deal_group in cup.deal_groups.prefetch_related("matches__record"):
        matches = sorted(deal_group.matches.all(), key=lambda match: match.rotation)
        assert [match.rotation for match in matches] == [0, 1]
        states = {match.state for match in matches}
        assert states == {"void"} or ("void" not in states and deal_group.retired is None)
        for match in matches:
            assert (match.state == "stuck") <= (match.failures >= settings.MAX_ATTEMPTS)
            if match.state == "finished":
                record = json.loads(zlib.decompress(bytes(match.record.content)))
                assert record["seed"] == deal_group.seed
    assert not Attempt.objects.filter(match__state="void", outcome="running").exists()


def _archive(cup: Tournament) -> Any:
    return io.BytesIO(b"".join(archive_of(cup)))


def _file(cup: Tournament, name: str) -> bytes:
    with zipfile.ZipFile(_archive(cup)) as file:
        return file.read(name)
