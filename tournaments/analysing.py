"""Analyses are made by workers, piece by piece.

A worker that finds no match waiting takes a piece of the first analysis in the queue: some seconds
of decisions, which are stored, so that any worker can go on. As soon as a match waits, it gives up
the decision in hand. An analysis that a person asked for also gets a tenth of each worker's time
while matches wait (`queue.allowance`).
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
from engine.search.findings import summed_up
from tournaments.actions import analyses
from tournaments.models import Analysis
from tournaments.queue import scheduler
from tournaments.queue.allowance import Allowance

log = logging.getLogger(__name__)

PIECE_SECONDS: Final = 2.0
"""After how long a piece is stored, once the decision in hand is done."""
LOOK_SECONDS: Final = 0.5
"""How often a worker looks whether it should stop, and renews its lease."""
SEED: Final = ""
"""As `cardroom analyse` has it, so that anyone gets the same at home."""


allowance = Allowance()
"""Of this process."""


class _Stop:
    """Whether to give up the decision in hand; the lease is renewed on the way."""

    def __init__(self, analysis: Analysis, asked: Callable[[], bool]) -> None:
        self._analysis = analysis
        self._asked = asked
        self._look_at = monotonic() + LOOK_SECONDS
        self.found = False

    def __call__(self) -> bool:
        if self.found or monotonic() < self._look_at:
            return self.found
        lost = not self._analysis.renew()
        self.found = lost or self._asked()
        self._look_at = monotonic() + LOOK_SECONDS
        return self.found


def better_to_do() -> bool:
    """Whether matches wait, or no more work may be taken."""
    return drain.draining() or scheduler.waiting(tuple(rules.editions().values()))


def analyse_piece() -> bool:
    """Make a piece of an analysis, if one waits and no match does; whether it came further."""
    if better_to_do():
        return False
    allowance.settle()
    analysis = analyses.begin_piece()
    return analysis is not None and _piece(analysis, PIECE_SECONDS, better_to_do)


def analyse_share() -> bool:
    """Spend what this process owes to awaited analyses, whether or not matches wait; whether one
    came further."""
    seconds = allowance.due(monotonic())
    if not seconds or drain.draining():
        return False
    awaited = Analysis.objects.free().filter(Analysis.AWAITED).exists()
    analysis = analyses.begin_piece(awaited=True) if awaited else None
    if analysis is None:
        allowance.forgo()
        return False
    began = monotonic()
    try:
        return _piece(analysis, seconds, drain.draining)
    finally:
        allowance.spend(monotonic() - began)


def _piece(analysis: Analysis, seconds: float, stop: Callable[[], bool]) -> bool:
    try:
        return _go_on(analysis, seconds, stop)
    except RecordError as error:
        analysis.fail(f"The record cannot be played again: {error}", content=b"")
    except Exception as error:
        if database.away(error):
            raise  # its lease runs out, another goes on
        log.exception("Match %d could not be analysed.", analysis.pk)
        analysis.retry()
    return False


def _go_on(analysis: Analysis, seconds: float, stop: Callable[[], bool]) -> bool:
    record = Record.from_json(zlib.decompress(bytes(analysis.record.content)))
    made = [from_json(each) for each in analyses.decisions_of(analysis)]
    stopped = _Stop(analysis, stop)
    until, done = monotonic() + seconds, analysis.done
    for question in questions(record, analysis.done):
        decision = judge(question, analysis.playouts, SEED, stop=stopped)
        if stopped.found:  # cut short: it is judged again
            break
        made.append(decision)
        done = question.n + 1
        if monotonic() >= until:
            return analyses.store_piece(analysis, done, made)
    else:
        found = summed_up(record, made, analysis.playouts, SEED, whole=True)
        return analyses.finish_analysis(analysis, found)
    if done > analysis.done:
        return analyses.store_piece(analysis, done, made)
    analysis.give_back()
    return False
