"""The match that decided a tournament: leads and a hand, from a replay of its record."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import Any, Final

from engine import Record
from engine.errors import RecordError
from tournaments.models import Match, StoredRecord, Tournament, group_is_over

MAX_MATCHES: Final = 12
"""Maximum number of a champion's last matches that are searched."""
MAX_MOVES: Final = 50_000
"""Longer matches are not replayed."""


@dataclass(frozen=True, slots=True)
class Decider:
    """The deciding match, from the champion's side."""

    match: int
    """Primary key."""
    scores: list[int]
    """Scores of the champion's side and of the best other side."""
    deals: int
    behind: int
    """The largest lead of another side after a deal, in points; 0 if no other side led."""
    behind_after: int
    """The number of the deal after which that side led most, from 1."""
    deal: int
    """The deal in which the champion gained most, from 1."""
    gained: int
    """How much the champion's lead grew in deal `deal`, in points."""
    hand: list[str]
    """The hand of one of the champion's seats at its first decision in deal `deal`."""


def find_decider(tournament: Tournament, champion: int) -> Decider | None:
    """The last match that the champion won, of its last `MAX_MATCHES`; if it won none of them, the
    last match.

    None if no replay is public yet, or for the reasons of `decider_of`.
    """
    champions_matches = tournament.matches.filter(
        group_is_over("deal_group"), state=Match.State.FINISHED, seats__entry=champion
    )
    order = ("-deal_group__stage__number", "-deal_group__round", "-deal_group__group", "-pk")
    columns = ("pk", "seats__side", "seats__index")
    seats = list(champions_matches.order_by(*order).values_list(*columns)[:MAX_MATCHES])
    if not seats:
        return None
    faultless = Match.objects.filter(pk__in=[pk for pk, *_ in seats], faulted=False)
    sides = {pk: side for pk, side, _ in seats}
    ranks = faultless.values_list("pk", "results__side", "results__rank")
    winners = {pk for pk, side, rank in ranks if sides[pk] == side and rank == 1}
    match, side, seat = next((row for row in seats if row[0] in winners), seats[0])
    return decider_of(StoredRecord.objects.get(match=match), side, seat)


def decider_of(stored: StoredRecord, side: int, seat: int) -> Decider | None:
    """The match of a record, seen from one seat.

    None if the match is too long or has no complete deal, or the present rules cannot replay it.
    """
    if stored.moves > MAX_MOVES:
        return None
    try:
        record = Record.from_json(zlib.decompress(bytes(stored.content)))
        hands, scores = _replay(record, seat)
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


def _replay(record: Record, seat: int) -> tuple[dict[int, list[str]], list[list[int]]]:
    """(by deal: the seat's hand at its first decision; the scores after each deal)."""
    match = record.start()
    hands: dict[int, list[str]] = {}
    scores: list[list[int]] = []
    for move in record.moves:
        deals_over = len(scores)
        if match.turn == seat and deals_over not in hands:
            hands[deals_over] = _hand(match.view(seat))
        match.play(move)
        if len(match.deals_since(deals_over)):
            scores.append(list(match.scores))
    return hands, scores


def _hand(view: dict[str, Any]) -> list[str]:
    """The hand in a view; empty if the game's views have none."""
    hand = view.get("hand")
    return [str(card) for card in hand] if isinstance(hand, list) else []


def _lead(scores: list[int], side: int) -> int:
    return scores[side] - max(score for index, score in enumerate(scores) if index != side)
