"""Search by name: games, bots, authors, tournaments.

Names that begin with the words come first, found by an index; then names with the words elsewhere,
of the newest rows only. So it costs the same however much there is. Only what is in everybody's
lists is found.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from django.contrib.auth.models import User
from django.db.models import Model, Q, QuerySet

from bots.models import Bot
from cardroom_base.core.names import skeleton
from engine import registry
from engine.declarations import Declaration
from tournaments.models import Tournament
from tournaments.reading.authors import authors, public

SHOWN: Final = 8
"""Of each kind."""
LONGEST: Final = 60
"""Characters of what is searched for; the rest is not read."""
NEWEST: Final = 5_000
"""Rows that are searched for words inside a name."""

M = TypeVar("M", bound=Model)


@dataclass(frozen=True, slots=True)
class Findings:
    """What was found, by kind."""

    games: Sequence[Declaration] = ()
    bots: Sequence[Bot] = ()
    authors: Sequence[User] = ()
    tournaments: Sequence[Tournament] = ()


def cleaned(text: str) -> str:
    """What is searched for, of what somebody wrote."""
    printable = "".join(char if char.isprintable() else " " for char in text[:LONGEST])
    return " ".join(printable.split())


def found(text: str) -> Findings:
    """What has these words (`cleaned`) in its name; of no words nothing."""
    if not text:
        return Findings()
    return Findings(
        _games(text.casefold()),
        _named(Bot.objects.select_related("owner"), "skeleton", skeleton(text), exact=True),
        _named(authors(), "looks__skeleton", skeleton(text), exact=True),
        _named(public(), "name", text),
    )


def _games(text: str) -> list[Declaration]:
    """By the names of games and their variants."""
    return [
        game
        for game in registry.games()
        if any(
            text in title.casefold()
            for title in (game.name, game.title, *(variant.title for variant in game.variants))
        )
    ][:SHOWN]


def _named(rows: QuerySet[M], name: str, text: str, *, exact: bool = False) -> Sequence[M]:
    """Rows with `text` at the beginning of the field `name`, else inside it; the newest first.

    `exact`: both are written in one case.
    """
    if not text:
        return []
    lookup = "" if exact else "i"
    begins = Q(**{f"{name}__{lookup}startswith": text})
    first = list(rows.filter(begins).order_by("-pk")[:SHOWN])
    if len(first) == SHOWN:
        return first
    newest: QuerySet[Any] = rows.model._default_manager.order_by("-pk")[:NEWEST]  # noqa: SLF001 - of any model
    inside = rows.filter(Q(**{f"{name}__{lookup}contains": text}), pk__in=newest.values("pk"))
    others = inside.exclude(begins).order_by("-pk")[: SHOWN - len(first)]
    return [*first, *others]
