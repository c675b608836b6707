"""Requests for the expert's opinions on moves of finished matches."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from datetime import timedelta
from typing import Final

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet

from cardroom_base.db.db_time import Now
from cardroom_base.db.jobs import REQUEUE_FIELDS
from cardroom_base.db.outbox import announce
from cardroom_tables.guests import Person
from cardroom_tables.host_task_names import OPINION_TASK
from cardroom_tables.models import Opinion
from engine.search import EXPERT
from engine.search.analysis import Question

MAX_DELETED: Final = 1_000
"""Maximum number of opinions deleted per call."""


@transaction.atomic
def request_opinion(position: str, question: Question, person: Person) -> Opinion:
    """Request an opinion on `question.played`, a legal move; an existing one is returned.

    `position`: see `decision_key`; `person`: the asker."""
    opinion = current_opinions(position).filter(move=question.played).first()
    if opinion is not None:
        return opinion
    opinion, _ = Opinion.objects.update_or_create(
        position=position,
        move=question.played,
        defaults={
            **REQUEUE_FIELDS,
            "expert": EXPERT,
            "question": question._asdict(),
            "answer": None,
            "asker": person.asker,
            "created": Now(),
        },
    )
    announce(OPINION_TASK, opinion=opinion.pk)
    return opinion


def decision_key(format_text: str, seed: str, moves: Sequence[str]) -> str:
    """The key of a decision: a hash of format, seed and the moves before it."""
    text = json.dumps([format_text, seed, *moves]).encode()
    return hashlib.sha256(text).hexdigest()


def current_opinions(position: str) -> QuerySet[Opinion]:
    """The opinions about a decision that are finished or requested."""
    return Opinion.objects.filter(position=position, expert=EXPERT, trouble="")


def delete_old_opinions() -> int:
    """Delete old opinions; return their number."""
    old = Opinion.objects.filter(
        created__lt=Now() - timedelta(days=settings.FINISHED_TABLES_KEPT_DAYS)
    )
    keys = list(old.order_by("pk").values_list("pk", flat=True)[:MAX_DELETED])
    return Opinion.objects.filter(pk__in=keys).delete()[0]
