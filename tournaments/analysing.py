"""Analyses are made by workers when they have nothing better to do.

A worker that finds no match waiting takes a piece of the analysis that was asked for first: some
seconds of decisions, which are stored, so that any worker can go on. As soon as a match waits, it
gives up the decision in hand.
"""

from __future__ import annotations

import logging
import zlib
from time import monotonic
from typing import Final

from bots import database, drain
from engine import Record, RecordError, rules
from engine.search.analysis import from_json, judge, questions
from engine.search.findings import summed_up
from tournaments.actions import analyses
from tournaments.models import Analysis
from tournaments.queue import sharing

log = logging.getLogger(__name__)

PIECE_SECONDS: Final = 2.0
"""After how long a piece is stored, once the decision in hand is done."""
LOOK_SECONDS: Final = 0.5
"""How often a worker looks whether a match waits."""
SEED: Final = ""
"""As `cardroom analyse` has it, so that anyone gets the same at home."""


class _Busy:
    """Whether there is something better to do; the lease is renewed on the way."""

    def __init__(self, analysis: Analysis) -> None:
        self._analysis = analysis
        self._look_at = monotonic() + LOOK_SECONDS
        self.found = False

    def __call__(self) -> bool:
        if self.found or monotonic() < self._look_at:
            return self.found
        lost = not analyses.renew_piece(self._analysis)
        self.found = lost or better_to_do()
        self._look_at = monotonic() + LOOK_SECONDS
        return self.found


def better_to_do() -> bool:
    """Whether matches wait, or no more work may be taken."""
    return drain.draining() or sharing.waiting(tuple(rules.editions().values()))


def analyse_piece() -> bool:
    """Make a piece of an analysis, if one waits and no match does; whether it came further."""
    if better_to_do():
        return False
    analysis = analyses.begin_piece()
    if analysis is None:
        return False
    try:
        return _go_on(analysis)
    except RecordError as error:
        analyses.fail_analysis(
            analysis, f"The record cannot be played again: {error}", for_good=True
        )
    except Exception as error:
        if database.away(error):
            raise  # its lease runs out, another goes on
        log.exception("Match %d could not be analysed.", analysis.pk)
        analyses.fail_analysis(analysis, str(error), for_good=False)
    return False


def _go_on(analysis: Analysis) -> bool:
    record = Record.from_json(zlib.decompress(bytes(analysis.record.content)))
    made = [from_json(each) for each in analyses.decisions_of(analysis)]
    busy = _Busy(analysis)
    until, done = monotonic() + PIECE_SECONDS, analysis.done
    for question in questions(record, analysis.done):
        decision = judge(question, analysis.playouts, SEED, stop=busy)
        if busy.found:  # cut short: it is judged again
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
    analyses.give_back_piece(analysis)
    return False
