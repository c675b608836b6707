"""Analyses of matches: asked for by people, made by workers piece by piece, kept."""

from __future__ import annotations

import json
import zlib
from collections.abc import Sequence
from typing import Any, Final

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction

from bots.quotas import DAY
from cardroom_base.core.errors import ActionError
from cardroom_base.db.db_time import Now, now
from cardroom_base.db.jobs import ANEW
from cardroom_base.db.outbox import announce
from engine.search import EXPERT
from engine.search.analysis import Judgement
from tournaments.access import stops_analysis
from tournaments.models import NOT_YET, Analysis, Match, StoredRecord
from tournaments.queue.messages import ANALYSE_TASK
from tournaments.reading.live import most_dramatic

MOST_MOVES: Final = 10_000
"""Moves of a match that is analysed: more than any usual one has, an hour's work at most."""
MAX_TRIES: Final = 3
"""Workers that may be lost over the same piece."""


@transaction.atomic
def ask_analysis(match: Match, by: User | None, *, playouts: int | None = None) -> Analysis:
    """Have a finished match analysed, unless that has been done by this version of the expert.

    `by` None: the site itself, without a quota. `playouts` None: as the settings have it.
    """
    if by is not None:
        User.objects.select_for_update().get(pk=by.pk)  # so that quotas hold
    stored = _analysable(match)
    known = Analysis.objects.select_for_update(of=("self",)).filter(pk=stored.pk).first()
    if known is not None and known.expert == EXPERT and not known.trouble:
        if known.by is None and by is not None and known.finished is None:
            known.by = by
            known.save(update_fields=["by"])
        return known
    _refuse_too_many(by)
    if known is not None and _goes_on(known, playouts):
        return _resume(known, by)
    whole = known is not None and known.finished is not None and not known.trouble
    former = known.content if known and whole else known.former if known else b""
    analysis, _ = Analysis.objects.update_or_create(
        record=stored,
        defaults={
            **ANEW,
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
    """Take an analysis out of the queue; a worker in the middle of a piece cannot store it.

    For its asker, and staff. The finished moves are kept, and asking again resumes there. So
    stopping and asking in turns costs workers no more than one analysis.
    """
    analysis = Analysis.objects.select_for_update(of=("self",)).filter(pk=match.pk).first()
    if analysis is None or analysis.finished is not None:
        raise ActionError("No analysis of this match is waiting or being made.", "conflict")
    if not stops_analysis(analysis.by_id, by):
        raise ActionError("Only the person who asked for this analysis can stop it.", "forbidden")
    analysis.trouble, analysis.finished, analysis.lease_until = Analysis.STOPPED, Now(), None
    analysis.save(update_fields=["trouble", "finished", "lease_until"])
    return analysis


def ask_featured() -> bool:
    """Have the match analysed that pages show to who just looks in, if it is not; whether that was
    asked. One at a time, and as many within a day as the settings allow."""
    limit = settings.UNASKED_ANALYSES_PER_DAY
    made = Analysis.objects.filter(by=None, asked__gt=Now() - DAY)
    if made.count() >= limit or made.filter(finished=None).exists():
        return False
    dramatic = most_dramatic()
    match = Match.objects.filter(pk=dramatic or 0, record__analysis=None).first()
    if match is None:
        return False
    try:
        ask_analysis(match, None)
    except ActionError:  # too long, or played again meanwhile
        return False
    return True


@transaction.atomic
def begin_piece(*, awaited: bool = False) -> Analysis | None:
    """Take the first analysis of the queue that nobody works at; None if there is none. `awaited`:
    only one that a person asked for.

    The caller brings a piece of it (`store_piece`, `finish_analysis`), or gives it back, before its
    lease ends.
    """
    queue = Analysis.objects.select_related("record__match").order_by(*Analysis.QUEUE)
    found = queue.filter(Analysis.AWAITED).take() if awaited else queue.take()
    if found is None:
        return None
    if found.expert != EXPERT:  # begun by another version: what it found does not mix with ours
        found.expert, found.done, found.content, found.begun = EXPERT, 0, b"", None
    if found.tries > MAX_TRIES:
        found.fail(_gave_up(found.done), content=b"")
        return None
    found.begun = found.begun or now()
    found.save(update_fields=["expert", "done", "content", "begun"])
    return found


@transaction.atomic
def store_piece(analysis: Analysis, done: int, made: Sequence[Judgement]) -> bool:
    """Keep what is judged so far, for whoever goes on; False when another worker has it.

    `done`: moves of the record that need not be looked at again.
    """
    content = _packed([each.as_json() for each in made])
    kept = analysis.give_back(done=done, content=content, tries=0)
    if kept:
        announce(ANALYSE_TASK)
    return kept


def finish_analysis(analysis: Analysis, found: dict[str, Any]) -> bool:
    """Keep the whole analysis; False when another worker has it."""
    return analysis.finish(
        done=found["moves"], content=_packed(found), former=b"", seats=found["seats"]
    )


def decisions_of(analysis: Analysis) -> list[dict[str, Any]]:
    """Of one that is being made, the decisions so far, as JSON."""
    if not analysis.content:
        return []
    found: list[dict[str, Any]] = json.loads(zlib.decompress(bytes(analysis.content)))
    return found


def _analysable(match: Match) -> StoredRecord:
    stored = StoredRecord.objects.filter(match=match).first()
    if stored is None or match.state != Match.State.FINISHED:
        raise ActionError("Only a finished match can be analysed.", "conflict")
    if not match.revealed:
        raise ActionError(NOT_YET, "conflict")
    if stored.moves > MOST_MOVES:
        raise ActionError(
            f"It has {stored.moves:,} moves; a match with more than {MOST_MOVES:,} is not analysed "
            "here. `cardroom analyse` does it at home.",
            "conflict",
        )
    return stored


def _refuse_too_many(by: User | None) -> None:
    if by is None or by.is_staff:
        return
    limit = settings.MAX_ANALYSES_PER_DAY
    if Analysis.objects.filter(by=by, asked__gt=Now() - DAY).count() >= limit:
        raise ActionError(
            f"You have asked for as many analyses as one may within 24 hours ({limit}); "
            "at home `cardroom analyse` has no limit.",
            "conflict",
        )


def _goes_on(known: Analysis, playouts: int | None) -> bool:
    """Whether a stopped analysis can serve the present request."""
    same = known.expert == EXPERT and known.playouts == (playouts or settings.ANALYSIS_PLAYOUTS)
    return known.trouble == Analysis.STOPPED and same


def _resume(known: Analysis, by: User | None) -> Analysis:
    """Put a stopped analysis back at the end of the queue; the break does not count as work."""
    if known.begun is not None and known.finished is not None:
        known.begun = now() - (known.finished - known.begun)
    for field, value in (ANEW | {"by": by, "asked": Now()}).items():
        setattr(known, field, value)
    known.save()
    announce(ANALYSE_TASK)
    return known


def _gave_up(done: int) -> str:
    return (
        f"The expert could not finish: it failed {MAX_TRIES} times at move {done + 1} or soon "
        "after. The site’s log says why."
    )


def _packed(found: Any) -> bytes:
    text = json.dumps(found, ensure_ascii=False, separators=(",", ":"))
    return zlib.compress(text.encode())
