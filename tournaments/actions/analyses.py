"""Request, stop and store analyses of matches."""

from __future__ import annotations

import json
import zlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from django.conf import settings
from django.db import transaction

from cardroom_base.core.errors import ActionError
from cardroom_base.db.db_time import Now, now
from cardroom_base.db.jobs import REQUEUE_FIELDS
from cardroom_base.db.outbox import announce
from cardroom_base.db.quotas import DAY, lock_account_quotas
from engine.search import EXPERT
from engine.search.analysis import Judgement
from tournaments.access import may_stop_analysis
from tournaments.models import NOT_YET, Analysis, Match, StoredRecord
from tournaments.queue.task_names import ANALYSE_TASK
from tournaments.reading.live import most_dramatic

if TYPE_CHECKING:
    from django.contrib.auth.models import User

MAX_MOVES: Final = 10_000
"""Maximum moves of a match that is analysed: an hour's work."""
MAX_TRIES: Final = 3
"""Maximum tries at the same piece."""


@transaction.atomic
def request_analysis(match: Match, by: User | None, *, playouts: int | None = None) -> Analysis:
    """Request the analysis of a finished match, unless this expert version has already made it.

    `by` None: the site itself, without a quota. `playouts` None: `settings.ANALYSIS_PLAYOUTS`.
    """
    lock_account_quotas(None if by is None else by.pk)
    stored = _analysable_record(match)
    existing = Analysis.objects.select_for_update(of=("self",)).filter(pk=stored.pk).first()
    if existing is not None and existing.expert == EXPERT and not existing.trouble:
        if existing.by is None and by is not None and existing.finished is None:
            existing.by = by
            existing.save(update_fields=["by"])
        return existing
    _refuse_too_many(by)
    if existing is not None and _can_resume(existing, playouts):
        return _resume(existing, by)
    was_finished = existing is not None and existing.finished is not None and not existing.trouble
    former = existing.content if existing and was_finished else existing.former if existing else b""
    analysis, _ = Analysis.objects.update_or_create(
        record=stored,
        defaults={
            **REQUEUE_FIELDS,
            "by": by,
            "asked": Now(),
            "begun": None,
            "expert": EXPERT,
            "playouts": playouts or settings.ANALYSIS_PLAYOUTS,
            "done": 0,
            "content": b"",
            "former": former,
            "seats": [],
        },
    )
    announce(ANALYSE_TASK)
    return analysis


@transaction.atomic
def stop_analysis(match: Match, by: User) -> Analysis:
    """Remove an analysis from the queue; a worker in the middle of a piece cannot store it.

    Only the person who requested it and staff may do so. Judged moves are kept and a new request
    resumes there, so repeated stops and requests cost no more than one analysis.
    """
    analysis = Analysis.objects.select_for_update(of=("self",)).filter(pk=match.pk).first()
    if analysis is None or analysis.finished is not None:
        raise ActionError("No analysis of this match is waiting or in progress.", "conflict")
    if not may_stop_analysis(analysis.by_id, by):
        raise ActionError("Only the person who asked for this analysis can stop it.", "forbidden")
    analysis.trouble, analysis.finished, analysis.lease_until = Analysis.STOPPED, Now(), None
    analysis.save(update_fields=["trouble", "finished", "lease_until"])
    return analysis


def request_featured_analysis() -> bool:
    """Request the analysis of the featured match if it has none; return whether it was requested.

    Such requests run one at a time, at most `AUTOMATIC_ANALYSES_PER_DAY`."""
    limit = settings.AUTOMATIC_ANALYSES_PER_DAY
    requested = Analysis.objects.filter(by=None, asked__gt=Now() - DAY)
    if requested.count() >= limit or requested.filter(finished=None).exists():
        return False
    dramatic = most_dramatic()
    match = Match.objects.filter(pk=dramatic or 0, record__analysis=None).first()
    if match is None:
        return False
    try:
        request_analysis(match, None)
    except ActionError:  # too long, or played again meanwhile
        return False
    return True


@transaction.atomic
def begin_piece(*, awaited: bool = False) -> Analysis | None:
    """Take the first free analysis of the queue; None if there is none.

    `awaited`: only one that a person requested. The caller must store a piece of it
    (`store_piece`, `finish_analysis`) or give it back before the lease expires.
    """
    queue = Analysis.objects.select_related("record__match").order_by(*Analysis.QUEUE)
    analysis = queue.filter(Analysis.AWAITED).take() if awaited else queue.take()
    if analysis is None:
        return None
    if analysis.expert != EXPERT:  # do not mix decisions of two expert versions
        analysis.expert, analysis.done, analysis.content, analysis.begun = EXPERT, 0, b"", None
    if analysis.tries > MAX_TRIES:
        analysis.fail(_failure_text(analysis.done), content=b"")
        return None
    analysis.begun = analysis.begun or now()
    analysis.save(update_fields=["expert", "done", "content", "begun"])
    return analysis


@transaction.atomic
def store_piece(analysis: Analysis, judged: int, decisions: Sequence[Judgement]) -> bool:
    """Store the decisions so far; False if another worker has the analysis.

    `judged`: the number of moves judged so far.
    """
    content = _compressed([decision.as_json() for decision in decisions])
    stored = analysis.give_back(done=judged, content=content, tries=0)
    if stored:
        announce(ANALYSE_TASK)
    return stored


def finish_analysis(analysis: Analysis, findings: dict[str, Any]) -> bool:
    """Store the whole analysis; False if another worker has it."""
    return analysis.finish(
        done=findings["moves"], content=_compressed(findings), former=b"", seats=findings["seats"]
    )


def decisions_of(analysis: Analysis) -> list[dict[str, Any]]:
    """The decisions so far of an unfinished analysis, as JSON."""
    if not analysis.content:
        return []
    decisions: list[dict[str, Any]] = json.loads(zlib.decompress(bytes(analysis.content)))
    return decisions


def _analysable_record(match: Match) -> StoredRecord:
    stored = StoredRecord.objects.filter(match=match).first()
    if stored is None or match.state != Match.State.FINISHED:
        raise ActionError("Only a finished match can be analysed.", "conflict")
    if not match.revealed:
        raise ActionError(NOT_YET, "conflict")
    if stored.moves > MAX_MOVES:
        raise ActionError(
            f"The match has {stored.moves:,} moves; the site analyses at most {MAX_MOVES:,}. "
            "`cardroom analyse` can do it at home.",
            "conflict",
        )
    return stored


def _refuse_too_many(by: User | None) -> None:
    if by is None or by.is_staff:
        return
    limit = settings.MAX_ANALYSES_PER_DAY
    if Analysis.objects.filter(by=by, asked__gt=Now() - DAY).count() >= limit:
        raise ActionError(
            f"You have reached the limit of analyses within 24 hours ({limit}); "
            "at home `cardroom analyse` has no limit.",
            "conflict",
        )


def _can_resume(stopped: Analysis, playouts: int | None) -> bool:
    """Whether a request can resume this analysis."""
    same_settings = stopped.expert == EXPERT and stopped.playouts == (
        playouts or settings.ANALYSIS_PLAYOUTS
    )
    return stopped.trouble == Analysis.STOPPED and same_settings


def _resume(analysis: Analysis, by: User | None) -> Analysis:
    """Put a stopped analysis back at the end of the queue; the break does not count as work."""
    if analysis.begun is not None and analysis.finished is not None:
        analysis.begun = now() - (analysis.finished - analysis.begun)
    for field, value in (REQUEUE_FIELDS | {"by": by, "asked": Now()}).items():
        setattr(analysis, field, value)
    analysis.save()
    announce(ANALYSE_TASK)
    return analysis


def _failure_text(judged: int) -> str:
    return (
        f"The expert could not finish: it failed {MAX_TRIES} times at move {judged + 1} or soon "
        "after. The site’s log says why."
    )


def _compressed(value: Any) -> bytes:
    json_text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return zlib.compress(json_text.encode())
