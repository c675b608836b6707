"""The moves of the others in Cassino since hands were dealt.

Each move reveals something about a hand. After a trail the seat probably could take nothing; after
a build it has a card that takes the build (CAS-16).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from engine.cards import CODE
from engine.errors import IllegalMove
from engine.games.cassino.deal import CassinoDeal
from engine.games.cassino.items import insert
from engine.search.opponent_model import Observation

_ROOM: Final = 200
"""Cards of a placeholder stock, more than a deal can need."""
_ALL: Final = range(52)


def observations(deal: CassinoDeal, seen: Sequence[Mapping[str, Any]]) -> list[Observation]:
    """The decisions of other seats since hands were dealt; none if `seen` does not lead to `deal`.

    `deal`: a guess of the present deal. `seen`: the events that its seat to act has seen.
    """
    table, rounds = _moves_by_round(seen)
    if not rounds or not rounds[-1]:
        return []
    past = _start_of(deal, table)
    nothing: list[list[int]] = [[] for _ in deal.hands]
    try:
        for moves in rounds[:-1]:
            _play(past, moves, nothing)
        decisions = _play(past, rounds[-1], deal.hands)
    except (IllegalMove, IndexError, KeyError):
        return []  # not the whole deal, or events of another deal
    if [item.id for item in past.table] != [item.id for item in deal.table]:
        return []
    for decision in decisions:
        decision.deal.stock, decision.deal.stock_at = deal.stock, deal.stock_at
    return [decision for decision in decisions if decision.deal.turn != deal.turn]


def _moves_by_round(
    seen: Sequence[Mapping[str, Any]],
) -> tuple[list[str], list[list[tuple[int, str]]]]:
    """(the first table of the last deal, its moves by round as (seat, text))."""
    table: list[str] = []
    rounds: list[list[tuple[int, str]]] = []
    for event in seen:
        kind = event["type"]
        if kind == "deal":
            table, rounds = list(event["table"]), [[]]
        elif kind == "redeal" and rounds:
            rounds.append([])
        elif kind == "move" and rounds:
            rounds[-1].append((event["seat"], event["move"]))
    return table, rounds


def _start_of(deal: CassinoDeal, table: Sequence[str]) -> CassinoDeal:
    """The deal at its start, without hands and with a placeholder stock."""
    past = deal.copy([])
    past.quiet = True
    past.table = []
    past.captured = [0] * len(past.captured)
    past.cleared = []
    past.last_capture = -1
    past.stock = [0] * _ROOM
    past.stock_at = 0
    past._legal_moves = past._codes = None  # noqa: SLF001 - those of the position now
    for text in table:
        insert(past.table, past.rules.loose[CODE[text]])
    return past


def _play(
    past: CassinoDeal, moves: Sequence[tuple[int, str]], hands_after: Sequence[Sequence[int]]
) -> list[Observation]:
    """Play the moves of a round. `hands_after`: the hand of each seat after them."""
    played_cards: list[list[int]] = [[] for _ in hands_after]
    for seat, move in moves:
        played_cards[seat].append(CODE[move.split("x")[0].split(">")[0]])
    decisions: list[Observation] = []
    for seat, move in moves:
        past.turn = past.to_act = seat
        past.hands = [
            [*played, *remaining_hand]
            for played, remaining_hand in zip(played_cards, hands_after, strict=True)
        ]
        hand = past.hands[seat]
        # Reading a build looks for a card in the hand that takes it; the hand is not known here.
        past.hands[seat] = list(_ALL)
        code = past.read(move)
        past.hands[seat] = hand
        decisions.append(Observation(past.copy([]), code, played_cards))
        played_cards[seat].pop(0)
        past.make_move(code, "")
    return decisions
