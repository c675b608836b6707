"""The queue of analyses around one of them, as far as a reader may know it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from tournaments.models import Analysis
from tournaments.reading.analyses import queued, seconds_left
from tournaments.reading.queries import readable_matches

if TYPE_CHECKING:
    from django.contrib.auth.base_user import AbstractBaseUser
    from django.contrib.auth.models import AnonymousUser

FIRST: Final = 3
"""Places at the head of the queue that are always shown."""


@dataclass(frozen=True, slots=True)
class Queued:
    """An analysis in the queue."""

    place: int
    """From 1."""
    skipped: int
    """Places between it and the one shown before it."""
    match: int | None
    """None where the reader may not know the match."""
    done: int
    moves: int
    own: bool
    """Whether the reader asked for it."""
    awaited: bool
    """Whether a person asked for it."""
    seconds: float | None
    """Until it is done, about; None if nobody knows yet."""


def queue_around(match: int, user: AbstractBaseUser | AnonymousUser) -> list[Queued]:
    """The head of the queue, the analysis of this match, and those next to it.

    Empty if that is not in the queue.
    """
    keys = list(queued())
    if match not in keys:
        return []
    here = keys.index(match)
    places = sorted({*range(FIRST), here - 1, here, here + 1} & set(range(len(keys))))
    shown = [keys[place] for place in places]
    rows = Analysis.objects.filter(pk__in=shown).defer("content", "former", "record__content")
    found = {row.pk: row for row in rows.select_related("record")}
    readable = set(readable_matches(user).filter(pk__in=shown).values_list("pk", flat=True))
    return [
        _queued(found[keys[place]], place, place - before - 1, readable, user.pk)
        for before, place in zip([-1, *places], places, strict=False)
        if keys[place] in found
    ]


def _queued(
    analysis: Analysis, place: int, skipped: int, readable: set[int], reader: int | None
) -> Queued:
    return Queued(
        place=place + 1,
        skipped=skipped,
        match=analysis.pk if analysis.pk in readable else None,
        done=analysis.done,
        moves=analysis.record.moves,
        own=reader is not None and analysis.by_id == reader,
        awaited=analysis.by_id is not None,
        seconds=seconds_left(analysis, place + 1),
    )
