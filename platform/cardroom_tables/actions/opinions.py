"""What the expert thinks of moves of finished matches: asked for, answered, forgotten."""

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
from cardroom_base.db.jobs import ANEW
from cardroom_base.db.outbox import announce
from cardroom_tables.guests import Person
from cardroom_tables.messages import OPINION_TASK
from cardroom_tables.models import Opinion
from engine.search import EXPERT
from engine.search.analysis import Question

MAX_TIDIED: Final = 1_000
"""Opinions that are deleted at once; the next time others."""


@transaction.atomic
def ask_opinion(position: str, question: Question, person: Person) -> Opinion:
    """Ask what the expert thinks of `question.played`, a legal move; what is known is not asked
    again. `position`: see `position_of`; `person`: the asker."""
    found = known(position).filter(move=question.played).first()
    if found is not None:
        return found
    made, _ = Opinion.objects.update_or_create(
        position=position,
        move=question.played,
        defaults={
            **ANEW,
            "expert": EXPERT,
            "question": question._asdict(),
            "answer": None,
            "asker": person.asker,
            "created": Now(),
        },
    )
    announce(OPINION_TASK, opinion=made.pk)
    return made


def position_of(format_text: str, seed: str, moves: Sequence[str]) -> str:
    """By what the opinions about a decision are found: a hash of all that leads to it."""
    told = json.dumps([format_text, seed, *moves]).encode()
    return hashlib.sha256(told).hexdigest()


def known(position: str) -> QuerySet[Opinion]:
    """The opinions about a decision that need not be asked for: given, or waited for."""
    return Opinion.objects.filter(position=position, expert=EXPERT, trouble="")


def tidy_opinions() -> int:
    """Delete those that were asked for long ago; how many."""
    old = Opinion.objects.filter(
        created__lt=Now() - timedelta(days=settings.FINISHED_TABLES_KEPT_DAYS)
    )
    found = list(old.order_by("pk").values_list("pk", flat=True)[:MAX_TIDIED])
    return Opinion.objects.filter(pk__in=found).delete()[0]
