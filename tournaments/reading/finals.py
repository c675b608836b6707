"""The match that decided a tournament, told by playing its record again: leads, and a hand."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import Any, Final

from engine import Record
from engine.errors import RecordError
from tournaments.models import Match, StoredRecord, Tournament, over

LOOKED_AT: Final = 12
"""Maximal number of a champion's last matches that are searched."""
MOST_MOVES: Final = 50_000
"""A longer match is not played again."""


@dataclass(frozen=True, slots=True)
class Decider:
    """The deciding match, as its champion saw it."""

    match: int
    """Primary key."""
    scores: list[int]
    """Of the champion's side, then of the best other."""
    deals: int
    behind: int
    """The largest lead of another side after a deal, in points; 0: there was none."""
    behind_after: int
    """After which deal that was, from 1."""
    deal: int
    """The deal in which the champion gained most, from 1."""
    gained: int
    """By how much more than the best other side."""
    hand: list[str]
    """What a seat of the champion's held when it was asked first in that deal."""


def deciding(tournament: Tournament, champion: int) -> Decider | None:
    """The champion's last won match (the last one, if it won none of those looked at).

    None where its record cannot be played by the rules of today, or is not to be seen yet.
    """
    mine = tournament.matches.filter(
        over("deal_group"), state=Match.State.FINISHED, seats__entry=champion
    )
    order = ("-deal_group__stage__number", "-deal_group__round", "-deal_group__group", "-pk")
    last = list(mine.order_by(*order).values_list("pk", "seats__side", "seats__index")[:LOOKED_AT])
    if not last:
        return None
    won = Match.objects.filter(pk__in=[pk for pk, *_ in last], faulted=False)
    sides = {pk: side for pk, side, _ in last}
    ranks = won.values_list("pk", "results__side", "results__rank")
    winners = {pk for pk, side, rank in ranks if sides[pk] == side and rank == 1}
    match, side, seat = next((row for row in last if row[0] in winners), last[0])
    return told(StoredRecord.objects.get(match=match), side, seat)


def told(stored: StoredRecord, side: int, seat: int) -> Decider | None:
    """The match of a record, from the place of one seat."""
    if stored.moves > MOST_MOVES:
        return None
    try:
        record = Record.from_json(zlib.decompress(bytes(stored.content)))
        hands, scores = _played(record, seat)
    except RecordError:
        return None
    leads = [_lead(pair, side) for pair in scores]
    gains = [lead - before for before, lead in zip([0, *leads], leads, strict=False)]
    if not leads:
        return None
    deal = gains.index(max(gains))
    last = scores[-1]
    others = [score for index, score in enumerate(last) if index != side]
    return Decider(
        match=stored.match_id,
        scores=[last[side], max(others)],
        deals=len(scores),
        behind=max(0, -min(leads)),
        behind_after=1 + leads.index(min(leads)),
        deal=1 + deal,
        gained=gains[deal],
        hand=hands.get(deal, []),
    )


def _played(record: Record, seat: int) -> tuple[dict[int, list[str]], list[list[int]]]:
    """By deal the hand of a seat when it was asked first; the scores after each deal."""
    match = record.start()
    hands: dict[int, list[str]] = {}
    scores: list[list[int]] = []
    for move in record.moves:
        ended = len(scores)
        if match.turn == seat and ended not in hands:
            hands[ended] = _hand(match.view(seat))
        match.play(move)
        if len(match.deals_since(ended)):
            scores.append(list(match.scores))
    return hands, scores


def _hand(view: dict[str, Any]) -> list[str]:
    """The hand in a view, of games that call it so."""
    hand = view.get("hand")
    return [str(card) for card in hand] if isinstance(hand, list) else []


def _lead(scores: list[int], side: int) -> int:
    return scores[side] - max(score for index, score in enumerate(scores) if index != side)
