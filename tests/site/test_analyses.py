"""Analyses: requests, pieces, a share of busy workers for awaited ones, storage."""

from __future__ import annotations

import zlib
from itertools import cycle
from typing import Any

import pytest
from django.conf import LazySettings
from django.db.models import F

from bots.models import Bot
from cardroom_base.core.errors import ActionError
from cardroom_base.db import outbox
from cardroom_base.db.db_time import Now, now
from cardroom_base.models import OutboxMessage
from engine import Record, rules
from engine.search import analysis, expert
from engine.search.findings import analyse
from tests import factories as make
from tournaments import actions, analysing, tasks, worker
from tournaments.actions import analyses
from tournaments.models import Analysis, Match, StoredRecord
from tournaments.queue import scheduler
from tournaments.queue.allowance import MAX_OWED, PIECE, Allowance
from tournaments.queue.task_names import ANALYSE_TASK
from tournaments.reading.analyses import analysis_of

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _few_playouts(settings: LazySettings) -> None:
    settings.ANALYSIS_PLAYOUTS = 2


@pytest.fixture
def match() -> Match:
    """A match of a finished deal group."""
    cup = make.tournament(2, format="cassino/standard/1v1?deals=1", start=True)
    make.finish_all(cup)
    return cup.matches.earliest("pk")


@pytest.fixture
def empty_queues(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outbox, "queue_length", lambda _queue: 0)


def _record(match: Match) -> Record:
    return Record.from_json(zlib.decompress(bytes(StoredRecord.objects.get(pk=match.pk).content)))


def _analyse_all() -> int:
    pieces = 0
    while analysing.analyse_piece():
        pieces += 1
    return pieces


def test_an_analysis_equals_the_command_lines(match: Match) -> None:
    request = actions.request_analysis(match, make.user("fan"))
    assert analysis_of(match).state == "waiting"
    assert _analyse_all() >= 1
    row = analysis_of(match)
    assert (row.state, row.done, row.moves) == (
        "finished",
        row.moves,
        len(_record(match).moves),
    )
    assert row.analysis == analyse(_record(match), 2)
    assert actions.request_analysis(match, make.user("another")) == request


def test_an_analysis_is_made_piece_by_piece(match: Match, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(analysing, "PIECE_SECONDS", 0.0)
    actions.request_analysis(match, None)
    OutboxMessage.objects.all().delete()
    assert analysing.analyse_piece()
    row = analysis_of(match)
    assert (row.state, 0 < row.done < row.moves) == ("running", True)
    assert OutboxMessage.objects.count() == 1
    assert _analyse_all() > 1
    assert analysis_of(match).analysis == analyse(_record(match), 2)


def test_matches_come_first(match: Match, empty_queues: None) -> None:
    actions.request_analysis(match, None)
    cup = make.tournament(2, start=True)
    OutboxMessage.objects.all().delete()
    assert not analysing.analyse_piece()
    assert tasks.announce_waiting() == cup.matches.count()
    assert not OutboxMessage.objects.filter(task=ANALYSE_TASK).exists()
    make.finish_all(cup)
    assert analysing.analyse_piece()


def test_a_waiting_match_interrupts_a_decision(
    match: Match, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(analysing, "POLL_SECONDS", 0.0)
    actions.request_analysis(match, None)
    polls = iter([False, False, True])
    monkeypatch.setattr(analysing, "must_yield", lambda: next(polls, True))
    assert not analysing.analyse_piece()
    row = analysis_of(match)
    assert (row.state, row.done) == ("waiting", 0)
    assert Analysis.objects.get().tries == 0


def test_an_analysis_fails_after_too_many_lost_workers(match: Match) -> None:
    actions.request_analysis(match, None)
    for _ in range(analyses.MAX_TRIES):
        assert analyses.begin_piece() is not None
        assert analyses.begin_piece() is None  # it is held
        Analysis.objects.update(lease_until=Now(-1))
    assert analyses.begin_piece() is None
    row = analysis_of(match)
    assert row.state == "failed"
    assert "it failed 3 times at move 1 or soon after" in row.trouble
    actions.request_analysis(match, None)
    assert analysis_of(match).state == "waiting"


def test_a_late_worker_changes_nothing(match: Match) -> None:
    actions.request_analysis(match, None)
    late = analyses.begin_piece()
    assert late is not None
    Analysis.objects.update(lease_until=Now(-1))
    other = analyses.begin_piece()
    assert other is not None
    assert not analyses.store_piece(late, 5, [])
    assert not late.renew()
    assert analyses.store_piece(other, 5, [])


def test_a_record_of_other_rules_fails(match: Match) -> None:
    record = _record(match)
    record.moves[3] = "XX"
    StoredRecord.objects.update(content=zlib.compress(record.dumps().encode()))
    actions.request_analysis(match, None)
    assert not analysing.analyse_piece()
    assert "cannot be replayed" in analysis_of(match).trouble


def test_an_unexpected_error_is_tried_again_later(
    match: Match, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: Any, **__: Any) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(analysing, "judge", broken)
    actions.request_analysis(match, None)
    assert not analysing.analyse_piece()
    assert not Analysis.objects.free().exists()  # it rests
    assert Analysis.objects.get().finished is None


def test_only_short_matches_of_finished_groups_are_analysed(
    match: Match, monkeypatch: pytest.MonkeyPatch
) -> None:
    cup = make.tournament(2, start=True)
    with pytest.raises(ActionError, match="finished match"):
        actions.request_analysis(cup.matches.earliest("pk"), None)
    first = make.finish(cup.matches.earliest("pk"))
    with pytest.raises(ActionError, match="still being played elsewhere"):
        actions.request_analysis(first, None)
    monkeypatch.setattr(analyses, "MAX_MOVES", 5)
    with pytest.raises(ActionError, match="cardroom analyse"):
        actions.request_analysis(match, None)


def test_a_quota_limits_all_but_staff(match: Match, settings: LazySettings) -> None:
    settings.MAX_ANALYSES_PER_DAY = 0
    with pytest.raises(ActionError, match="24 hours"):
        actions.request_analysis(match, make.user("fan"))
    actions.request_analysis(match, make.user("staff", staff=True))


def test_a_stale_analysis_is_replaced_on_request(
    match: Match, monkeypatch: pytest.MonkeyPatch
) -> None:
    actions.request_analysis(match, None)
    _analyse_all()
    Analysis.objects.update(expert=F("expert") + 1)
    old = analysis_of(match)
    assert (old.state, old.stale) == ("finished", True)
    actions.request_analysis(match, None)
    waiting = analysis_of(match)
    assert (waiting.state, waiting.stale, waiting.analysis) == ("waiting", True, old.analysis)
    actions.request_analysis(match, None)  # a second request loses nothing
    assert analysis_of(match).analysis == old.analysis
    assert _analyse_all()
    new = analysis_of(match)
    assert (new.state, new.stale) == ("finished", False)
    assert not Analysis.objects.get().former


def test_a_failed_replacement_leaves_the_old_analysis(match: Match) -> None:
    actions.request_analysis(match, None)
    _analyse_all()
    Analysis.objects.update(expert=F("expert") + 1)
    old = analysis_of(match)
    actions.request_analysis(match, None)
    piece = analyses.begin_piece()
    assert piece is not None
    assert piece.fail("The record is gone.", content=b"")
    failed = analysis_of(match)
    assert (failed.state, failed.trouble) == ("failed", "The record is gone.")
    assert (failed.analysis, failed.stale) == (old.analysis, True)


def test_a_piece_of_another_version_begins_again(match: Match) -> None:
    actions.request_analysis(match, None)
    old = analyses.begin_piece()
    assert old is not None
    analyses.store_piece(old, 5, [])
    Analysis.objects.update(expert=F("expert") + 1)
    new = analyses.begin_piece()
    assert new is not None
    assert (new.done, new.content, new.expert) == (0, b"", expert.EXPERT)


def test_an_analysis_is_deleted_with_its_record(match: Match) -> None:
    actions.request_analysis(match, None)
    StoredRecord.objects.filter(pk=match.pk).delete()
    assert not Analysis.objects.exists()


def test_the_featured_match_is_analysed_without_a_request(
    match: Match, settings: LazySettings
) -> None:
    assert not analyses.request_featured_analysis()
    settings.AUTOMATIC_ANALYSES_PER_DAY = 1
    assert analyses.request_featured_analysis()
    assert not analyses.request_featured_analysis()
    settings.AUTOMATIC_ANALYSES_PER_DAY = 2
    _analyse_all()
    row = Analysis.objects.get()
    assert row.by is None
    assert row.pk in set(Match.objects.values_list("pk", flat=True))


def test_the_sweep_wakes_a_worker(match: Match, empty_queues: None) -> None:
    actions.request_analysis(match, None)
    OutboxMessage.objects.all().delete()
    assert tasks.announce_waiting() == 1
    assert tasks.analyse_matches()


def test_the_matches_of_quarantined_bots_do_not_keep_the_sweep_from_waking_a_worker(
    match: Match, empty_queues: None
) -> None:
    actions.request_analysis(match, None)
    bots = [make.bot(), make.bot()]
    make.tournament(bots, start=True)
    Bot.objects.filter(pk=bots[0].pk).update(quarantined=now())
    OutboxMessage.objects.all().delete()
    tasks.announce_waiting()
    assert [message.task for message in OutboxMessage.objects.all()] == [ANALYSE_TASK]
    assert tasks.analyse_matches()


class _Clock:
    """A clock that only the test advances."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> _Clock:
    """The clock of the analysing process, with an empty allowance."""
    clock = _Clock()
    monkeypatch.setattr(analysing, "monotonic", clock)
    monkeypatch.setattr(analysing, "allowance", Allowance())
    return clock


@pytest.mark.parametrize(
    ("batch", "decision", "seconds"),
    [(1.0, 0.05, 300), (1.0, 0.7, 2000), (40.0, 0.3, 2000), (1.2, 6.0, 2000)],
)
def test_an_awaited_analysis_gets_a_tenth_of_a_busy_worker(
    match: Match,
    monkeypatch: pytest.MonkeyPatch,
    clock: _Clock,
    batch: float,
    decision: float,
    seconds: float,
) -> None:
    judged = 0.0

    def judge(*_: Any, **__: Any) -> Any:
        nonlocal judged
        clock.now += decision
        judged += decision
        return expert_decision

    def play(*_: Any, **__: Any) -> int:
        clock.now += batch
        return 1

    questions = list(analysis.questions(_record(match)))
    expert_decision = analysis.judge(questions[0], 1, "")
    monkeypatch.setattr(analysing, "questions", lambda *_: cycle(questions))
    monkeypatch.setattr(analysing, "judge", judge)
    monkeypatch.setattr(worker, "play_batch", play)
    actions.request_analysis(match, make.user("fan"))
    make.tournament(2, start=True)
    assert scheduler.has_due_match(tuple(rules.editions().values()))
    start = clock.now
    while clock.now - start < seconds:
        tasks._play("busy")
    assert judged / (clock.now - start) == pytest.approx(0.1, rel=0.1)


def test_an_awaited_analysis_is_finished_while_matches_wait(match: Match, clock: _Clock) -> None:
    actions.request_analysis(match, make.user("fan"))
    cup = make.tournament(2, start=True)
    assert not analysing.analyse_piece()
    while analysis_of(match).unfinished:
        clock.now += 10
        assert analysing.analyse_share()
    assert analysis_of(match).analysis == analyse(_record(match), 2)
    assert cup.matches.filter(state=Match.State.WAITING).exists()


def test_an_analysis_without_a_reader_gets_no_share(match: Match, clock: _Clock) -> None:
    actions.request_analysis(match, None)
    clock.now += 100
    assert not analysing.analyse_share()
    actions.request_analysis(match, make.user("fan"))
    assert analysis_of(match).state == "waiting"
    assert Analysis.objects.get().by is not None, "a request joins a waiting analysis"
    assert analysing.analyse_share()


def test_people_come_before_the_site(match: Match) -> None:
    other = match.deal_group.matches.exclude(pk=match.pk).get()
    actions.request_analysis(other, None, playouts=1)
    actions.request_analysis(match, make.user("fan"))
    piece = analyses.begin_piece()
    assert piece is not None
    assert piece.pk == match.pk


def test_the_debt_to_analyses_is_capped() -> None:
    allowance = Allowance()
    assert allowance.seconds_due(0.0) == PIECE, "the first piece begins immediately"
    assert allowance.seconds_due(1e6) == MAX_OWED
    allowance.cap_debt()
    assert allowance.seconds_due(1e6) == PIECE
    allowance.spend(3 * PIECE)
    assert not allowance.seconds_due(1e6 + 25)
    assert allowance.seconds_due(1e6 + 31) == pytest.approx(1.1 * PIECE)
    allowance.clear_debt()
    assert not allowance.seconds_due(1e6 + 31)
