"""Add to a tournament's log, which everybody who sees the tournament can read."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from tournaments.models import DealGroup, Decision, Match, Seat, Tournament

if TYPE_CHECKING:
    from django.contrib.auth.models import User


def log_decision(
    tournament: Tournament,
    kind: Decision.Kind,
    what: str,
    reason: str,
    *,
    by: User | None = None,
    match: Match | None = None,
    about: Iterable[DealGroup] = (),
    dealt: Iterable[DealGroup] = (),
) -> None:
    """Add a decision to the log.

    `about`: the deal groups concerned; `dealt`: deal groups that replaced others.
    """
    seats = Seat.objects.filter(match__deal_group__in=list(about))
    Decision.objects.create(
        tournament=tournament,
        kind=kind,
        what=what,
        reason=reason,
        by=by,
        match=match,
        own=by is not None and seats.filter(version__bot__owner=by).exists(),
        dealt=[[new.instead_of.number, new.number] for new in dealt if new.instead_of],
    )
