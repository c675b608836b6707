"""Search by name: games, bots, authors, tournaments.

Names that begin with the words come first; an index finds them. Then come names that contain the
words, among the newest rows only, so a search takes the same time at any size. Only rows in public
lists are found.
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
from tournaments.reading.authors import authors
from tournaments.visibility import public_tournaments

MAX_RESULTS: Final = 8
"""Maximum results of each kind."""
MAX_LENGTH: Final = 60
"""Maximum characters of a search; the rest is ignored."""
MAX_SEARCHED: Final = 5_000
"""Maximum rows that are searched for words inside a name: the newest ones."""

M = TypeVar("M", bound=Model)


@dataclass(frozen=True, slots=True)
class Findings:
    """The results of a search by kind."""

    games: Sequence[Declaration] = ()
    bots: Sequence[Bot] = ()
    authors: Sequence[User] = ()
    tournaments: Sequence[Tournament] = ()


def search_text(text: str) -> str:
    """The text of a search without unprintable characters and repeated spaces."""
    printable = "".join(char if char.isprintable() else " " for char in text[:MAX_LENGTH])
    return " ".join(printable.split())


def search(text: str) -> Findings:
    """Everything whose name contains the text (`search_text`); nothing if it is empty."""
    if not text:
        return Findings()
    return Findings(
        _games(text.casefold()),
        _rows_by_name(_bots(), "skeleton", skeleton(text), exact=True),
        _rows_by_name(authors(), "looks__skeleton", skeleton(text), exact=True),
        _rows_by_name(public_tournaments(), "name", text),
    )


def _bots() -> QuerySet[Bot]:
    return Bot.objects.filter(quarantined__isnull=True).select_related("owner")


def _games(text: str) -> list[Declaration]:
    """Games whose own name, or a variant's, contains the text."""
    return [
        game
        for game in registry.games()
        if any(
            text in title.casefold()
            for title in (game.name, game.title, *(variant.title for variant in game.variants))
        )
    ][:MAX_RESULTS]


def _rows_by_name(rows: QuerySet[M], name: str, text: str, *, exact: bool = False) -> Sequence[M]:
    """Rows with `text` at the beginning of the field `name`, else inside it; the newest first.

    `exact`: field and text are in the same case, so that the search need not ignore it.
    """
    if not text:
        return []
    lookup = "" if exact else "i"
    has_prefix = Q(**{f"{name}__{lookup}startswith": text})
    prefix_rows = list(rows.filter(has_prefix).order_by("-pk")[:MAX_RESULTS])
    if len(prefix_rows) == MAX_RESULTS:
        return prefix_rows
    newest: QuerySet[Any] = rows.model._default_manager.order_by("-pk")[:MAX_SEARCHED]  # noqa: SLF001 - of any model
    infix_rows = rows.filter(Q(**{f"{name}__{lookup}contains": text}), pk__in=newest.values("pk"))
    others = infix_rows.exclude(has_prefix).order_by("-pk")[: MAX_RESULTS - len(prefix_rows)]
    return [*prefix_rows, *others]
