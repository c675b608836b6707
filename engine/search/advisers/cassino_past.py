"""The decisions that other seats have made in Cassino since hands were dealt.

Each move tells something about a hand. A seat that trails probably cannot take anything. A seat
that builds has a card that takes the build (CAS-16).
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
"""The number of cards in a placeholder stock: more than a deal can need."""
_ALL: Final = range(52)


def observations(deal: CassinoDeal, seen: Sequence[Mapping[str, Any]]) -> list[Observation]:
    """The decisions of the other seats since hands were dealt.

    Empty if the moves in `seen` do not lead to the table of `deal`. `deal`: a guess of the present
    deal. `seen`: the events that its seat to act has seen.
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
        return []  # `seen` lacks a part of the deal, or belongs to another deal
    if [item.id for item in past.table] != [item.id for item in deal.table]:
        return []
    for decision in decisions:
        decision.deal.stock, decision.deal.stock_at = deal.stock, deal.stock_at
    return [decision for decision in decisions if decision.deal.turn != deal.turn]


def _moves_by_round(
    seen: Sequence[Mapping[str, Any]],
) -> tuple[list[str], list[list[tuple[int, str]]]]:
    """The first table of the last deal, and its moves by round: each a seat and a text."""
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
    """`deal` at its start with these table cards, without hands and with a placeholder stock."""
    past = deal.copy([])
    past.quiet = True
    past.table = []
    past.captured = [0] * len(past.captured)
    past.cleared = []
    past.last_capture = -1
    past.stock = [0] * _ROOM
    past.stock_at = 0
    past._legal_moves = past._codes = None  # noqa: SLF001 - lists of the present position
    for text in table:
        insert(past.table, past.rules.loose[CODE[text]])
    return past


def _play(
    past: CassinoDeal, moves: Sequence[tuple[int, str]], hands_after: Sequence[Sequence[int]]
) -> list[Observation]:
    """Play the moves of a round in `past`, and return the decisions.

    `hands_after`: the hand of each seat after these moves.
    """
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
        # `read` refuses a build unless the hand has a card that takes it, but only guesses of the
        # hand are known. So the seat gets all cards while the move is read.
        past.hands[seat] = list(_ALL)
        code = past.read(move)
        past.hands[seat] = hand
        decisions.append(Observation(past.copy([]), code, played_cards))
        played_cards[seat].pop(0)
        past.make_move(code, "")
    return decisions
