"""Advisers help the search: they estimate the values of moves and the final score of a deal.

A game of another package returns its own `Adviser` from `Game.adviser`. The advisers of the
built-in games are registered here by name, so that games do not import the search. Without an
adviser the search uses only the moves and the game's `tally`.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

from engine.score_sheet import deal_points

if TYPE_CHECKING:
    from engine.game import Deal, Format

REGISTERED = {
    "canasta": "canasta:CanastaAdviser",
    "cassino": "cassino:CassinoAdviser",
    "paks": "paks:PaksAdviser",
    "spoon-eye": "spoon_eye:SpoonEyeAdviser",
    "zwicker": "zwicker:ZwickerAdviser",
}
"""By game: a module of this folder and its class, which is called with the format.

A module is imported when the search first needs an adviser for its game."""

_MAX_CACHED = 64
_ADVISERS: dict[str, Any] = {}


class PlainAdviser:
    """The adviser of a game without one: no move looks better than another."""

    def __init__(self, fmt: Format) -> None:
        self.fmt: Format = fmt
        self.horizon: int = 1000
        self.doubt: float = 1e9

    def weigh(self, deal: Deal) -> list[float]:
        """The same weight for every move."""
        return [0.0] * len(deal.legal())

    def worth(self, deal: Deal, before: Sequence[int]) -> list[float]:
        """The points of a finished deal by side; of an unfinished one, those of its tally."""
        if deal.to_act < 0:
            return deal_points(deal.scores(), before)
        points = [0.0] * len(before)
        for line in self.fmt.spec.tally(self.fmt, deal.view(-1)):
            for side, line_points in enumerate(line.points):
                points[side] += line_points
        return points


def adviser_of(fmt: Format) -> Any:
    """The `Adviser` of a format; cached, because the search asks for it before each move."""
    adviser = _ADVISERS.get(str(fmt))
    if adviser is None:
        if len(_ADVISERS) >= _MAX_CACHED:
            _ADVISERS.clear()
        adviser = fmt.spec.adviser(fmt) or _registered(fmt)
        _ADVISERS[str(fmt)] = adviser
    return adviser


def _registered(fmt: Format) -> Any:
    """The adviser registered for the format's game, or `PlainAdviser`."""
    if fmt.game not in REGISTERED:
        return PlainAdviser(fmt)
    module, name = REGISTERED[fmt.game].split(":")
    return getattr(import_module(f"engine.search.advisers.{module}"), name)(fmt)
