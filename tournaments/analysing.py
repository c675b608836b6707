"""Analyse matches piece by piece in workers.

A worker without a match takes a piece of the first analysis in the queue. It judges decisions for
about two seconds and stores them; any worker can continue. As soon as a match waits, it abandons
the current decision. Analyses that people requested also get a tenth of each worker's time while
matches wait (`queue.allowance`).
"""

from __future__ import annotations

import logging
import zlib
from collections.abc import Callable
from time import monotonic
from typing import Final

from cardroom_base.core import drain
from cardroom_base.db import database
from engine import Record, RecordError, rules
from engine.search.analysis import from_json, judge, questions
from engine.search.findings import summarize
from tournaments.actions import analyses
from tournaments.models import Analysis
from tournaments.queue import scheduler
from tournaments.queue.allowance import Allowance

log = logging.getLogger(__name__)

PIECE_SECONDS: Final = 2.0
"""Duration of a piece; the last decision may exceed it."""
POLL_SECONDS: Final = 0.5
"""Interval at which a worker renews its lease and checks whether to stop."""
SEED: Final = ""
"""The same seed as `cardroom analyse` uses, so that authors get the same analysis at home."""


allowance = Allowance()
"""Analysis time that this process owes."""


class _StopCheck:
    """Tells the search whether to abandon a decision, and renews the lease.

    A lost lease stops the search.
    """

    def __init__(self, analysis: Analysis, should_stop: Callable[[], bool]) -> None:
        self._analysis = analysis
        self._should_stop = should_stop
        self._next_poll = monotonic() + POLL_SECONDS
        self.must_stop = False

    def __call__(self) -> bool:
        if self.must_stop or monotonic() < self._next_poll:
            return self.must_stop
        lost = not self._analysis.renew()
        self.must_stop = lost or self._should_stop()
        self._next_poll = monotonic() + POLL_SECONDS
        return self.must_stop


def must_yield() -> bool:
    """Whether matches wait, or this worker is draining."""
    return drain.draining() or scheduler.has_due_match(tuple(rules.editions().values()))


def analyse_piece() -> bool:
    """Judge a piece of the next analysis unless a match waits; return whether it was stored."""
    if must_yield():
        return False
    allowance.clear_debt()
    analysis = analyses.begin_piece()
    return analysis is not None and _analyse(analysis, PIECE_SECONDS, must_yield)


def analyse_share() -> bool:
    """Spend the time that this process owes to requested analyses, even if matches wait.

    Returns whether decisions were stored.
    """
    seconds = allowance.seconds_due(monotonic())
    if not seconds or drain.draining():
        return False
    is_requested = Analysis.objects.free().filter(Analysis.AWAITED).exists()
    analysis = analyses.begin_piece(awaited=True) if is_requested else None
    if analysis is None:
        allowance.cap_debt()
        return False
    start_time = monotonic()
    try:
        return _analyse(analysis, seconds, drain.draining)
    finally:
        allowance.spend(monotonic() - start_time)


def _analyse(analysis: Analysis, seconds: float, should_stop: Callable[[], bool]) -> bool:
    try:
        return _judge_piece(analysis, seconds, should_stop)
    except RecordError as error:
        analysis.fail(f"The record cannot be replayed: {error}", content=b"")
    except Exception as error:
        if database.means_unavailable(error):
            raise  # the lease expires, and another worker continues
        log.exception("Match %d could not be analysed.", analysis.pk, extra={"match": analysis.pk})
        analysis.retry()
    return False


def _judge_piece(analysis: Analysis, seconds: float, should_stop: Callable[[], bool]) -> bool:
    record = Record.from_json(zlib.decompress(bytes(analysis.record.content)))
    decisions = [from_json(decision) for decision in analyses.decisions_of(analysis)]
    stop = _StopCheck(analysis, should_stop)
    end_time, judged_count = monotonic() + seconds, analysis.done
    for question in questions(record, analysis.done):
        decision = judge(question, analysis.playouts, SEED, stop=stop)
        if stop.must_stop:  # incomplete, so the next piece judges it again
            break
        decisions.append(decision)
        judged_count = question.n + 1
        if monotonic() >= end_time:
            return analyses.store_piece(analysis, judged_count, decisions)
    else:
        findings = summarize(record, decisions, analysis.playouts, SEED, whole=True)
        return analyses.finish_analysis(analysis, findings)
    if judged_count > analysis.done:
        return analyses.store_piece(analysis, judged_count, decisions)
    analysis.give_back()
    return False
