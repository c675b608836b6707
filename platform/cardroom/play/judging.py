"""The expert on a move of a finished match, for who asks beside its replay: as analyses are made.

One at a time in each host, while its other threads play at tables.
"""

from __future__ import annotations

import logging
import threading
import time
from typing import Final

from django.conf import settings

from bots import drain
from cardroom.play.actions import opinions
from cardroom.play.models import Opinion
from engine.search.analysis import Question, judge

log = logging.getLogger(__name__)

MOST_SECONDS: Final = 4.0
"""Processor time of one opinion: a decision of most games takes a tenth of it."""

_judging = threading.Lock()


def judge_waiting() -> int:
    """Give the opinions that wait, unless a thread of this process does so already; how many."""
    done = 0
    while opinions.waiting_opinions() and _judging.acquire(blocking=False):
        try:
            done += _judge_all()
        finally:
            _judging.release()
        if drain.draining():
            break
    return done


def _judge_all() -> int:
    done = 0
    while not drain.draining() and (waiting := opinions.waiting_opinions()):
        for opinion in waiting:
            _judge(opinion)
            done += 1
    return done


def _judge(opinion: Opinion) -> None:
    limit = time.thread_time() + MOST_SECONDS
    try:
        question = Question(**opinion.question)
        answer = judge(
            question, settings.ANALYSIS_PLAYOUTS, stop=lambda: time.thread_time() > limit
        )
    except Exception:  # somebody waits, and the next ones do
        log.exception("There is no opinion on %s.", opinion)
        opinions.store_opinion(opinion, trouble="The expert had nothing to say.")
        return
    if time.thread_time() > limit:
        opinions.store_opinion(opinion, trouble="The expert takes too long over this position.")
        return
    opinions.store_opinion(opinion, answer=answer.as_json())
