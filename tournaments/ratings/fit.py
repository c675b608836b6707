"""Batch ratings: a maximum a posteriori fit on the Elo scale, with 95 % intervals."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from tournaments.deal_groups import Entrant


@dataclass(frozen=True, slots=True)
class Game:
    """One finished match as the fit sees it."""

    sides: tuple[tuple[Entrant, ...], ...]
    """The members of each side; copies of one bot may be named once or as often as they sit."""

    ranks: tuple[int, ...]
    """The rank of each side: 1 is best, equal ranks are ties; faulting sides last."""

    group: str | int | None = None
    """The deal group: matches of one group are not independent. None: a group of its own."""
