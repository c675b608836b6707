"""Analyses: asked for, made in pieces, with a share of busy workers for those awaited, kept."""

from __future__ import annotations

import zlib
from itertools import cycle
from typing import Any

import pytest
from django.conf import LazySettings
from django.db.models import F

from cardroom_base.core.errors import ActionError
from cardroom_base.db import outbox
from cardroom_base.db.db_time import Now
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
from tournaments.queue.messages import ANALYSE_TASK
from tournaments.reading.analyses import analysis_of

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _few(settings: LazySettings) -> None:
    settings.ANALYSIS_PLAYOUTS = 2


@pytest.fixture
def match() -> Match:
    """A finished match whose deal group is over."""
    cup = make.tournament(2, format="cassino/standard/1v1?deals=1", start=True)
    make.finish_all(cup)
    return cup.matches.earliest("pk")


@pytest.fixture
def empty_queues(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outbox, "queue_length", lambda _queue: 0)


def _record(match: Match) -> Record:
    return Record.from_json(zlib.decompress(bytes(StoredRecord.objects.get(pk=match.pk).content)))


def _work() -> int:
    pieces = 0
    while analysing.analyse_piece():
        pieces += 1
    return pieces


def test_it_is_what_the_command_line_says(match: Match) -> None:
    asked = actions.request_analysis(match, make.user("fan"))
    assert analysis_of(match).state == "waiting"
    assert _work() >= 1
    told = analysis_of(match)
    assert (told.state, told.done, told.moves) == (
        "finished",
        told.moves,
        len(_record(match).moves),
    )
    assert told.analysis == analyse(_record(match), 2)
    assert actions.request_analysis(match, make.user("another")) == asked


def test_it_is_made_piece_by_piece(match: Match, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(analysing, "PIECE_SECONDS", 0.0)
    actions.request_analysis(match, None)
    OutboxMessage.objects.all().delete()
    assert analysing.analyse_piece()
    told = analysis_of(match)
    assert (told.state, 0 < told.done < told.moves) == ("running", True)
    assert OutboxMessage.objects.count() == 1
    assert _work() > 1
    assert analysis_of(match).analysis == analyse(_record(match), 2)


def test_matches_come_first(match: Match, empty_queues: None) -> None:
    actions.request_analysis(match, None)
    waiting = make.tournament(2, start=True)
    OutboxMessage.objects.all().delete()
    assert not analysing.analyse_piece()
    assert tasks.announce_waiting() == waiting.matches.count()
    assert not OutboxMessage.objects.filter(task=ANALYSE_TASK).exists()
    make.finish_all(waiting)
    assert analysing.analyse_piece()


def test_a_decision_in_hand_is_given_up_for_a_match(
    match: Match, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(analysing, "POLL_SECONDS", 0.0)
    actions.request_analysis(match, None)
    looks = iter([False, False, True])
    monkeypatch.setattr(analysing, "must_yield", lambda: next(looks, True))
    assert not analysing.analyse_piece()
    told = analysis_of(match)
    assert (told.state, told.done) == ("waiting", 0)
    assert Analysis.objects.get().tries == 0


def test_a_lost_worker_is_not_waited_for_for_ever(match: Match) -> None:
    actions.request_analysis(match, None)
    for _ in range(analyses.MAX_TRIES):
        assert analyses.begin_piece() is not None
        assert analyses.begin_piece() is None  # it is held
        Analysis.objects.update(lease_until=Now(-1))
    assert analyses.begin_piece() is None
    told = analysis_of(match)
    assert told.state == "failed"
    assert "it failed 3 times at move 1 or soon after" in told.trouble
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


def test_a_record_of_other_rules_is_told(match: Match) -> None:
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


def test_only_what_is_over_and_not_too_long(match: Match, monkeypatch: pytest.MonkeyPatch) -> None:
    cup = make.tournament(2, start=True)
    with pytest.raises(ActionError, match="finished match"):
        actions.request_analysis(cup.matches.earliest("pk"), None)
    first = make.finish(cup.matches.earliest("pk"))
    with pytest.raises(ActionError, match="still being played elsewhere"):
        actions.request_analysis(first, None)
    monkeypatch.setattr(analyses, "MAX_MOVES", 5)
    with pytest.raises(ActionError, match="cardroom analyse"):
        actions.request_analysis(match, None)


def test_a_quota_holds_and_knows_staff(match: Match, settings: LazySettings) -> None:
    settings.MAX_ANALYSES_PER_DAY = 0
    with pytest.raises(ActionError, match="24 hours"):
        actions.request_analysis(match, make.user("fan"))
    actions.request_analysis(match, make.user("staff", staff=True))


def test_another_version_of_the_expert_makes_it_anew_when_asked(
    match: Match, monkeypatch: pytest.MonkeyPatch
) -> None:
    actions.request_analysis(match, None)
    _work()
    Analysis.objects.update(expert=F("expert") + 1)
    told = analysis_of(match)
    assert (told.state, told.stale) == ("finished", True)
    actions.request_analysis(match, None)
    kept = analysis_of(match)
    assert (kept.state, kept.stale, kept.analysis) == ("waiting", True, told.analysis)
    actions.request_analysis(match, None)  # who asks twice loses nothing
    assert analysis_of(match).analysis == told.analysis
    assert _work()
    again = analysis_of(match)
    assert (again.state, again.stale) == ("finished", False)
    assert not Analysis.objects.get().former


def test_what_cannot_be_made_anew_is_still_shown(match: Match) -> None:
    actions.request_analysis(match, None)
    _work()
    Analysis.objects.update(expert=F("expert") + 1)
    told = analysis_of(match)
    actions.request_analysis(match, None)
    begun = analyses.begin_piece()
    assert begun is not None
    assert begun.fail("The record is gone.", content=b"")
    failed = analysis_of(match)
    assert (failed.state, failed.trouble) == ("failed", "The record is gone.")
    assert (failed.analysis, failed.stale) == (told.analysis, True)


def test_what_another_version_began_is_begun_anew(match: Match) -> None:
    actions.request_analysis(match, None)
    begun = analyses.begin_piece()
    assert begun is not None
    analyses.store_piece(begun, 5, [])
    Analysis.objects.update(expert=F("expert") + 1)
    again = analyses.begin_piece()
    assert again is not None
    assert (again.done, again.content, again.expert) == (0, b"", expert.EXPERT)


def test_it_goes_with_the_result(match: Match) -> None:
    actions.request_analysis(match, None)
    StoredRecord.objects.filter(pk=match.pk).delete()
    assert not Analysis.objects.exists()


def test_the_featured_match_is_analysed_unasked(match: Match, settings: LazySettings) -> None:
    assert not analyses.request_featured_analysis()
    settings.UNASKED_ANALYSES_PER_DAY = 1
    assert analyses.request_featured_analysis()
    assert not analyses.request_featured_analysis()
    settings.UNASKED_ANALYSES_PER_DAY = 2
    _work()
    asked = Analysis.objects.get()
    assert asked.by is None
    assert asked.pk in set(Match.objects.values_list("pk", flat=True))


def test_the_sweep_wakes_a_worker(match: Match, empty_queues: None) -> None:
    actions.request_analysis(match, None)
    OutboxMessage.objects.all().delete()
    assert tasks.announce_waiting() == 1
    assert tasks.analyse_matches()


class _Clock:
    """Time that passes only when somebody says so."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> _Clock:
    """The clock of the analysing process, which has owed nothing so far."""
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
    began = clock.now
    while clock.now - began < seconds:
        tasks._play("busy")
    assert judged / (clock.now - began) == pytest.approx(0.1, rel=0.1)


def test_an_awaited_analysis_is_finished_while_matches_wait(match: Match, clock: _Clock) -> None:
    actions.request_analysis(match, make.user("fan"))
    waiting = make.tournament(2, start=True)
    assert not analysing.analyse_piece()
    while analysis_of(match).unfinished:
        clock.now += 10
        assert analysing.analyse_share()
    assert analysis_of(match).analysis == analyse(_record(match), 2)
    assert waiting.matches.filter(state=Match.State.WAITING).exists()


def test_what_nobody_waits_for_gets_no_share(match: Match, clock: _Clock) -> None:
    actions.request_analysis(match, None)
    clock.now += 100
    assert not analysing.analyse_share()
    actions.request_analysis(match, make.user("fan"))
    assert analysis_of(match).state == "waiting"
    assert Analysis.objects.get().by is not None, "whoever asks joins an analysis that waits"
    assert analysing.analyse_share()


def test_people_come_before_the_site(match: Match) -> None:
    other = match.deal_group.matches.exclude(pk=match.pk).get()
    actions.request_analysis(other, None, playouts=1)
    actions.request_analysis(match, make.user("fan"))
    begun = analyses.begin_piece()
    assert begun is not None
    assert begun.pk == match.pk


def test_matches_wait_for_no_long_debt() -> None:
    allowance = Allowance()
    assert allowance.seconds_due(0.0) == PIECE, "the first is begun at once"
    assert allowance.seconds_due(1e6) == MAX_OWED
    allowance.cap_debt()
    assert allowance.seconds_due(1e6) == PIECE
    allowance.spend(3 * PIECE)
    assert not allowance.seconds_due(1e6 + 25)
    assert allowance.seconds_due(1e6 + 31) == pytest.approx(1.1 * PIECE)
    allowance.clear_debt()
    assert not allowance.seconds_due(1e6 + 31)
