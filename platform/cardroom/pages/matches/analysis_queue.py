"""The queue of analyses in words, for the page of a match whose analysis is in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from cardroom.pages.common.queries import MatchLine, lines_of
from cardroom.pages.common.wait_text import about
from engine import Format
from tournaments.reading.analysis_queue import Queued, queue_around

if TYPE_CHECKING:
    from django.contrib.auth.base_user import AbstractBaseUser
    from django.contrib.auth.models import AnonymousUser


@dataclass(frozen=True, slots=True)
class Row:
    """An analysis in the queue."""

    place: int
    skipped: int
    """Places that are left out before it."""
    match: int | None
    """Where it leads; None for this match, and for one that the reader may not know."""
    title: str
    words: str
    """Its game and how far it is."""
    done: int
    """How many of its moves are done."""
    left: str
    """How long until it is done; empty while nobody knows."""
    here: bool
    """Whether it is the one of this match."""


def queue_of(match: int, user: AbstractBaseUser | AnonymousUser) -> list[Row]:
    """What stands before and after the analysis of this match; empty if it is not in the queue."""
    queue = queue_around(match, user)
    known = lines_of([each.match for each in queue if each.match is not None])
    return [_row(each, known.get(each.match or 0), match) for each in queue]


def _row(each: Queued, line: MatchLine | None, match: int) -> Row:
    here = each.match == match
    words = f"{each.done:,} of {each.moves:,} moves" if each.done else "waiting"
    title = "A match that is not public"
    if line is not None:
        title = " against ".join(side.team or side.name for side in line.sides)
        words = f"{Format.parse(line.match.format).words}, {words}"
    if not each.awaited:
        words += ", asked for by the site"
    elif each.own and not here:
        words += ", asked for by you"
    return Row(
        place=each.place,
        skipped=each.skipped,
        match=None if here else each.match,
        title="This match" if here else title,
        words=words,
        done=each.done,
        left="" if each.seconds is None else about(each.seconds),
        here=here,
    )
