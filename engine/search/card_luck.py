"""Estimate the luck of the cards in a result, so that it can be subtracted.

Some players have no second table with the same cards for a comparison: people, and entrants of
free-for-alls or of ladders of single matches. For them, the game's fast policy plays each deal out
many times from its first move, in every seat, and plays as many deals with other shuffles. The
difference between the two mean leads is the luck of these cards.

Luck has the expected value 0, however the players play. Therefore one can subtract it, or any fixed
share of it, from a result: this adds no bias and reduces the noise (a control variate; for poker:
Burch, Schmid, Moravčík and Bowling 2018, "AIVAT", section 3). This also holds for the sum over the
deals of a match, because each deal is shuffled separately.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any, Final

from engine.game import Format
from engine.match import Match
from engine.record import Record
from engine.score_sheet import deal_points

PLAYOUTS: Final = 100
"""Playouts of a deal, and as many of other shuffles. Fewer make the estimate noisier, not biased.
"""


class CardLuck:
    """Adds up the luck of the cards in one match, deal by deal.

    `rng` must be independent of the match's shuffles. `deals`: for each deal and side (in the order
    of the scores), the mean lead with these cards minus the mean lead with other cards, in points.
    A side's lead is its points minus the mean of the other sides.
    """

    def __init__(self, rng: Random, playouts: int = PLAYOUTS) -> None:
        self.rng: Random = rng
        self.playouts: int = playouts
        self.deals: list[list[float]] = []

    def add_first(self, match: Match) -> None:
        """Add the first deal of `match`, before its first move."""
        fmt = match.format
        other_deals = [fmt.spec.first(fmt, self._shuffle(fmt), []) for _ in range(self.playouts)]
        self._compare(match, other_deals)

    def add_next(self, finished: Any, match: Match) -> None:
        """Add a later deal of `match`, before its first move. `finished`: the previous deal."""
        fmt = match.format
        other_deals = [finished.next(self._shuffle(fmt)) for _ in range(self.playouts)]
        self._compare(match, other_deals)

    @property
    def total(self) -> list[float]:
        """The luck of the whole match so far, for each side in the order of the scores."""
        return [sum(column) for column in zip(*self.deals, strict=True)]

    def _shuffle(self, fmt: Format) -> list[int]:
        pack = list(fmt.spec.pack(fmt))
        self.rng.shuffle(pack)
        return pack

    def _compare(self, match: Match, other_deals: Sequence[Any]) -> None:
        scores_before = match.scores
        with_these_cards = [0.0] * len(scores_before)
        with_other_cards = with_these_cards[:]
        for deal in other_deals:
            _add_leads(with_these_cards, match.sketch().playout(self.rng, "own"), scores_before)
            other_match = Match(match.format, _deal=deal)
            _add_leads(with_other_cards, other_match.playout(self.rng, "own"), scores_before)
        self.deals.append(
            [
                (own_points - usual_points) / len(other_deals)
                for own_points, usual_points in zip(with_these_cards, with_other_cards, strict=True)
            ]
        )


def card_luck(record: Record, rng: Random, playouts: int = PLAYOUTS) -> list[list[float]]:
    """`CardLuck.deals` of a recorded match; RecordError if the start of the record is wrong."""
    luck = CardLuck(rng, playouts)
    match = record.start()
    luck.add_first(match)
    for move in record.moves:
        match.step(move)
        if match.turn is None:
            finished = match._deal  # noqa: SLF001 - only a deal can deal the next one
            match.proceed()
            if match.result is None:
                luck.add_next(finished, match)
    return luck.deals


def luck_of_deal(
    match: Match, earlier_moves: Sequence[str], rng: Random, playouts: int = PLAYOUTS
) -> list[float]:
    """The luck of one deal, as an entry of `CardLuck.deals`.

    `match`: the match before its first move. `earlier_moves`: the moves of all earlier deals, which
    this function plays in `match`.
    """
    card_luck = CardLuck(rng, playouts)
    finished = None
    for move in earlier_moves:
        match.step(move)
        if match.turn is None:
            finished = match._deal  # noqa: SLF001 - only a deal can deal the next one
            match.proceed()
    if finished is None:
        card_luck.add_first(match)
    else:
        card_luck.add_next(finished, match)
    return card_luck.deals[0]


def leads(points: Sequence[float]) -> list[float]:
    """The lead of each side over the mean of the others, in the order of `points`."""
    total, other_sides = sum(points), max(1, len(points) - 1)
    return [own_points - (total - own_points) / other_sides for own_points in points]


def _add_leads(sums: list[float], scores: Sequence[int], scores_before: Sequence[int]) -> None:
    for side, points in enumerate(leads(deal_points(scores, scores_before))):
        sums[side] += points
