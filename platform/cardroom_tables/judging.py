"""Have the expert judge a move of a finished match, as in analyses."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import Final

from django.conf import settings

from cardroom_tables import host
from cardroom_tables.models import Opinion
from engine.search.analysis import Question, judge

log = logging.getLogger(__name__)

MAX_SECONDS: Final = 4.0
"""Maximum processor time of an opinion; most take a tenth of it."""


def answer_opinion(pk: int) -> None:
    """Have the expert judge the move, unless the opinion is finished or in progress."""
    opinion = Opinion.objects.take(pk=pk)
    if opinion is not None:
        with host.hold_job(opinion) as on_poll:
            _judge(opinion, on_poll)


def _judge(opinion: Opinion, on_poll: Callable[[], None]) -> None:
    limit = time.thread_time() + MAX_SECONDS

    def is_time_up() -> bool:
        on_poll()
        return time.thread_time() > limit

    try:
        question = Question(**opinion.question)
        judgement = judge(question, settings.ANALYSIS_PLAYOUTS, stop=is_time_up)
    except Exception:  # fail the opinion, because a person waits for it
        log.exception("There is no opinion on %s.", opinion)
        opinion.fail("The expert has no opinion.", asker="")
        return
    if time.thread_time() > limit:
        opinion.fail("The expert takes too long over this position.", asker="")
        return
    opinion.finish(answer=judgement.as_json(), question={}, asker="")
