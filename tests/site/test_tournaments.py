"""tournaments.actions.tournaments: from draft to finished."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from django.conf import settings

from bots import actions as bot_actions
from cardroom_base.core.errors import ActionError
from cardroom_base.models import OutboxMessage
from engine import Format
from tests import factories as make
from tournaments import actions
from tournaments.actions import deal_groups
from tournaments.models import Attempt, DealGroup, Entry, Match, Seat, Tournament
from tournaments.queue.task_names import PLAY_TASK
from tournaments.visibility import visible_to

pytestmark = pytest.mark.django_db


def test_a_draft_has_a_canonical_format_and_a_random_seed() -> None:
    by = make.user()
    draft = actions.create_tournament(
        by, name=" Spring  cup ", format="cassino/royal/2v2?target=11&sweeps=true"
    )
    assert (draft.name, draft.slug, draft.state) == ("Spring cup", "spring-cup", "draft")
    assert draft.format == "cassino/royal/2v2?target=11"
    assert len(draft.seed) == 32
    assert draft.organizer == by
    second = actions.create_tournament(by, name="Spring cup", format="cassino/royal/2v2")
    assert (second.slug, second.seed == draft.seed) == ("spring-cup-2", False)


def test_misleading_names_are_refused() -> None:
    by, staff = make.user(), make.user(staff=True)
    fields = {"format": "cassino/royal/2v2"}
    for name in ("Cardroom", "Cardroom 2", "The House", "Official"):
        with pytest.raises(ActionError, match="could be mistaken for a name of the site itself"):
            actions.create_tournament(by, name=name, **fields)
        assert actions.create_tournament(staff, name=name, **fields).name == name
    draft = actions.create_tournament(by, name="Wren cup", **fields)
    with pytest.raises(ActionError, match="could be mistaken for a name of the site itself"):
        actions.update_tournament(draft, by, name="0fficial")
    actions.open_(draft, by)
    with pytest.raises(ActionError, match="already has a tournament called Wren cup"):
        actions.create_tournament(make.user(), name="WREN CUP", **fields)
    assert actions.create_tournament(by, name="Wren cup", **fields).name == "Wren cup"


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("format", "cassino/royale/1v1", "royal"),
        ("format", "", "needs a format"),
        ("name", "", "needs a name"),
        ("name", "a" * 81, "1 to 80"),
        ("name", "a\u2800b", "BRAILLE PATTERN BLANK"),
        ("name", "house:cup", "begins like house:"),
        ("description", "a\u202eb", "U\\+202E"),
        ("system", "knockout", "round-robin"),
        ("groups", 0, "from 1 to 1000"),
        ("groups", "2", "groups must be a whole number from 1 to 1000"),
        ("move_ms", 0, "free time of a move must be .* from 1"),
        ("bank_ms", -1, "time bank of a match must be .* from 0"),
        ("fault_policy", "shout", "fallback or forfeit"),
        ("state", "running", "no field state"),
    ],
)
def test_invalid_fields_are_refused(field: str, value: Any, words: str) -> None:
    fields = {"name": "Cup", "format": make.FORMAT, field: value}
    with pytest.raises(ActionError, match=words):
        actions.create_tournament(make.user(), **fields)
    assert not Tournament.objects.exists()


def test_only_a_draft_can_be_changed() -> None:
    by = make.user()
    draft = actions.create_tournament(by, name="Cup", format=make.FORMAT)
    assert actions.update_tournament(draft, by, groups=7).stages.get().groups == 7
    open_cup = actions.open_(draft, by)
    with pytest.raises(ActionError, match="is open; it can be changed only while it is draft"):
        actions.update_tournament(open_cup, by, groups=8)


def test_only_the_organizer_and_staff_run_a_tournament() -> None:
    stranger = make.user()
    draft = actions.create_tournament(make.user(), name="Cup", format=make.FORMAT)
    open_cup = make.tournament(2, by=make.user())
    changes: list[Callable[[], object]] = [
        lambda: actions.update_tournament(draft, stranger, groups=3),
        lambda: actions.open_(draft, stranger),
        lambda: actions.start(open_cup, stranger),
        lambda: actions.cancel(open_cup, stranger),
    ]
    for change in changes:
        with pytest.raises(ActionError, match="Only the organizer") as error:
            change()
        assert error.value.code == "forbidden"
    assert actions.start(open_cup, make.user(staff=True)).state == "running"


@pytest.mark.parametrize("is_cancelled", [False, True])
def test_only_organizer_and_staff_see_a_draft(is_cancelled: bool) -> None:
    by = make.user()
    draft = actions.create_tournament(by, name="Cup", format=make.FORMAT)
    if is_cancelled:
        actions.cancel(draft, by)
    counts = {
        name: visible_to(user).count()
        for name, user in (
            ("organizer", by),
            ("staff", make.user(staff=True)),
            ("user", make.user()),
            ("visitor", None),
        )
    }
    assert counts == {"organizer": 1, "staff": 1, "user": 0, "visitor": 0}


# --- entering -----------------------------------------------------------------------------------


def test_owners_enter_their_bots_and_the_organizer_house_bots() -> None:
    by, owner = make.user(), make.user()
    cup = make.tournament(by=by)
    bot, house = make.bot(owner), make.house_bot("house:one")
    assert actions.enter(cup, bot, owner).number == 1
    with pytest.raises(ActionError, match="has already entered"):
        actions.enter(cup, bot, owner)
    with pytest.raises(ActionError, match="Only organizers and staff can enter house bots"):
        actions.enter(cup, house, owner)
    assert actions.enter(cup, house, by).number == 2
    with pytest.raises(ActionError, match="is not yours"):
        actions.enter(cup, make.bot(), by)


def test_a_bot_needs_a_ready_version_that_plays_the_format() -> None:
    cup = make.tournament()
    unready = bot_actions.register_bot(make.user(), "Egg")
    with pytest.raises(ActionError, match="no version that passed"):
        actions.enter(cup, unready, unready.owner)
    royal = make.bot(formats=["cassino/royal/*"])
    with pytest.raises(ActionError, match="does not play Cassino for two; it plays Royal Cassino"):
        actions.enter(cup, royal, royal.owner)


def test_entries_are_accepted_only_while_it_is_open() -> None:
    draft = actions.create_tournament(make.user(), name="Cup", format=make.FORMAT)
    bot = make.bot()
    with pytest.raises(ActionError, match="is draft"):
        actions.enter(draft, bot, bot.owner)
    started = make.tournament([bot, make.bot()], start=True)
    with pytest.raises(ActionError, match="is running"):
        actions.enter(started, make.bot(), None)
    with pytest.raises(ActionError, match="needs all entries until the end"):
        actions.withdraw(started, bot, bot.owner)


def test_owner_and_organizer_withdraw_a_bot() -> None:
    by = make.user()
    bots = [make.bot() for _ in range(3)]
    cup = make.tournament(bots, by=by)
    actions.withdraw(cup, bots[0], bots[0].owner)
    actions.withdraw(cup, bots[1], by)
    with pytest.raises(ActionError, match="not yours to withdraw"):
        actions.withdraw(cup, bots[2], make.user())
    with pytest.raises(ActionError, match="has not entered"):
        actions.withdraw(cup, bots[0], by)
    assert [entry.bot for entry in cup.entries.all()] == [bots[2]]
    assert actions.enter(cup, bots[0], bots[0].owner).number == 4


# --- starting -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("entries", "format_", "words"),
    [
        (0, make.FORMAT, "needs 2 entries or more, and there are none"),
        (1, make.FORMAT, "needs 2 entries or more, and there is 1"),
        (2, "cassino/standard/ffa3", "needs 3 entries or more, and there are 2"),
    ],
)
def test_too_few_entries(entries: int, format_: str, words: str) -> None:
    cup = make.tournament(entries, format=format_)
    with pytest.raises(ActionError, match=words) as error:
        actions.start(cup, None)
    assert error.value.code == "conflict"
    cup.refresh_from_db()
    assert cup.state == "open"


@pytest.mark.parametrize(
    ("format_", "entries", "pairings"),
    [(make.FORMAT, 4, 6), ("cassino/standard/2v2", 3, 3), ("cassino/standard/ffa3", 4, 4)],
)
def test_the_start_creates_every_match_of_every_deal_group(
    format_: str, entries: int, pairings: int
) -> None:
    cup = make.tournament(entries, format=format_, groups=3, start=True)
    fmt = Format.parse(cup.format)
    sides = len(fmt.sides)
    assert cup.deal_groups.count() == pairings * 3
    assert cup.matches.count() == pairings * 3 * sides
    assert Seat.objects.filter(match__tournament=cup).count() == pairings * 3 * sides * fmt.seats
    assert len({deal_group.seed for deal_group in cup.deal_groups.all()}) == pairings * 3
    for deal_group in cup.deal_groups.all():
        seatings: Counter[tuple[int, int]] = Counter(
            Seat.objects.filter(match__deal_group=deal_group).values_list("entry", "index")
        )
        # Each entrant has each seat once, and partners are copies of one bot.
        assert seatings == {
            (side.entry_id, seat): 1 for side in deal_group.sides.all() for seat in range(fmt.seats)
        }
        for match in deal_group.matches.all():
            for seats in fmt.sides:
                assert len({match.seats.get(index=seat).entry_id for seat in seats}) == 1
    assert OutboxMessage.objects.filter(task=PLAY_TASK).count() == pairings * 3


def test_the_same_seed_and_bots_give_the_same_matches() -> None:
    bots = [make.bot() for _ in range(4)]

    def plan(seed: str) -> list[tuple[Any, ...]]:
        cup = make.tournament(bots, groups=2, seed=seed, start=True)
        seats = Seat.objects.filter(match__tournament=cup).order_by("match", "index")
        return list(
            seats.values_list("match__deal_group__seed", "match__rotation", "index", "version")
        )

    assert plan("a") == plan("a") != plan("b")


def test_the_start_pins_the_active_versions() -> None:
    bot = make.bot()
    cup = make.tournament([bot, make.bot()])
    second = make.version(bot)
    bot_actions.set_active_version(bot, second.number, bot.owner)
    actions.start(cup, None)
    assert Entry.objects.get(tournament=cup, bot=bot).version == second
    bot_actions.set_active_version(bot, 1, bot.owner)
    assert set(cup.matches.values_list("seats__version", flat=True)) >= {second.pk}


def test_too_many_matches_are_refused_with_their_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deal_groups, "MAX_MATCHES", 20)
    cup = make.tournament(4, groups=2)
    with pytest.raises(ActionError, match="would be 24 matches; at most 20 are allowed"):
        actions.start(cup, None)
    cup.refresh_from_db()
    assert (cup.state, Match.objects.count(), DealGroup.objects.count()) == ("open", 0, 0)


# --- the end ------------------------------------------------------------------------------------


def test_a_tournament_finishes_with_its_last_match() -> None:
    cup = make.tournament(3, start=True)
    first = cup.matches.earliest("pk")
    make.finish(first)
    assert not actions.advance(cup.pk)
    assert make.finish_all(cup).state == "finished"
    assert cup.finished is not None
    assert not actions.advance(cup.pk)
    assert cup.deal_groups.filter(finished=None).count() == 0


def test_a_cancelled_tournament_keeps_its_results_and_plays_no_more() -> None:
    cup = make.tournament(2, start=True)
    first, second = cup.matches.order_by("pk")
    make.finish(first)
    [attempt] = actions.claim("w", 1)
    actions.cancel(cup, None)
    states = dict(cup.matches.values_list("pk", "state"))
    assert states == {first.pk: "finished", second.pk: "void"}
    attempt.refresh_from_db()
    assert (attempt.outcome, attempt.cause) == ("failed", "The tournament was cancelled.")
    assert not actions.store_result(attempt.pk, make.outcome(second))
    assert actions.claim("w", 9) == []
    for action in (actions.cancel, actions.start, actions.open_):
        with pytest.raises(ActionError, match="is cancelled"):
            action(cup, None)


def test_a_stuck_match_stops_a_tournament_until_a_decision() -> None:
    by = make.user()
    cup = make.tournament(2, by=by, start=True)
    first, second = cup.matches.order_by("pk")
    make.finish(second)
    Match.objects.filter(pk=first.pk).update(state="stuck")
    assert not actions.advance(cup.pk)
    actions.void_match(first, by, "The machine is gone.")
    assert actions.advance(cup.pk)
    cup.refresh_from_db()
    assert cup.state == "finished"


# --- overruling ---------------------------------------------------------------------------------


def test_a_rerun_keeps_the_old_record() -> None:
    by = make.user()
    cup = make.tournament(2, by=by, rated=False, start=True)
    match = make.finish(cup.matches.earliest("pk"), faults=[(0, "time")])
    content = bytes(match.record.content)
    rerun = actions.rerun_match(match, by, "The machine was overheated.")
    assert (rerun.state, rerun.faulted, rerun.finished) == ("waiting", False, None)
    assert not rerun.results.exists()
    match.refresh_from_db()
    assert (match.state, match.faulted, match.finished) == ("void", False, None)
    assert not match.results.exists()
    old = Attempt.objects.get(match=match, outcome="overruled")
    assert (bytes(old.record or b""), old.cause) == (content, "The machine was overheated.")
    make.finish(rerun)
    assert rerun.results.count() == 2
    assert rerun.attempts.filter(outcome="stored").count() == 1
    with pytest.raises(ActionError, match="waiting or being played"):
        actions.rerun_match(cup.matches.latest("pk"), by, "Why not.")


def test_refused_decisions() -> None:
    by = make.user()
    cup = make.tournament(2, by=by, rated=False, start=True)
    match = make.finish(cup.matches.earliest("pk"))
    with pytest.raises(ActionError, match="Only the organizer"):
        actions.rerun_match(match, make.user(), "I lost.")
    with pytest.raises(ActionError, match="Give a reason"):
        actions.void_match(match, by, " ")
    with pytest.raises(ActionError, match=r"The reason holds U\+001B"):
        actions.void_match(match, by, "\x1b[2J")
    actions.cancel(cup, by)
    with pytest.raises(ActionError, match="is cancelled; you can decide about its matches only"):
        actions.rerun_match(match, by, "Too late.")


def test_a_finished_tournament_runs_again_for_a_rerun() -> None:
    cup = make.finish_all(make.tournament(2, start=True))
    match = cup.matches.earliest("pk")
    actions.rerun_match(match, None, "A broken worker.")
    cup.refresh_from_db()
    assert (cup.state, cup.finished) == ("running", None)
    assert make.finish_all(cup).state == "finished"
    decision = cup.decisions.get()
    assert (decision.kind, decision.match, decision.reason) == ("rerun", match, "A broken worker.")


def test_settings_agree_with_the_documents() -> None:
    assert (settings.LEASE_SECONDS, settings.HEARTBEAT_SECONDS, settings.MAX_ATTEMPTS) == (
        60,
        10,
        5,
    )
