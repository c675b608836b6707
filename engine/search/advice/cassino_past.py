"""The moves of the others at Cassino since hands were dealt.

Each move reveals something of a hand: a trail, that the seat could hardly take anything; a build,
that it has a card to take it (CAS-16).
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
"""Cards of a stock from which more are dealt than a deal has."""
_ALL: Final = range(52)


def moments(deal: CassinoDeal, seen: Sequence[Mapping[str, Any]]) -> list[Observation]:
    """The decisions of other seats since hands were dealt; none if `seen` does not lead to `deal`.

    `deal`: a guess; the seat to act is the one that asks. `seen`: its events.
    """
    table, rounds = _heard(seen)
    if not rounds or not rounds[-1]:
        return []
    past = _begun(deal, table)
    nothing: list[list[int]] = [[] for _ in deal.hands]
    try:
        for moves in rounds[:-1]:
            _play(past, moves, nothing)
        played = _play(past, rounds[-1], deal.hands)
    except (IllegalMove, IndexError, KeyError):
        return []  # a position, or events of another deal
    if [item.id for item in past.table] != [item.id for item in deal.table]:
        return []
    for moment in played:
        moment.deal.stock, moment.deal.stock_at = deal.stock, deal.stock_at
    return [moment for moment in played if moment.deal.turn != deal.turn]


def _heard(
    seen: Sequence[Mapping[str, Any]],
) -> tuple[list[str], list[list[tuple[int, str]]]]:
    """Of the last deal the first table, and the moves by round: seat and text."""
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


def _begun(deal: CassinoDeal, table: Sequence[str]) -> CassinoDeal:
    """The deal as it began, but for hands and stock."""
    past = deal.copy([])
    past.quiet = True
    past.table = []
    past.captured = [0] * len(past.captured)
    past.cleared = []
    past.last_capture = -1
    past.stock = [0] * _ROOM
    past.stock_at = 0
    past._listed = past._codes = None  # noqa: SLF001 - those of the position now
    for text in table:
        insert(past.table, past.rules.loose[CODE[text]])
    return past


def _play(
    past: CassinoDeal, moves: Sequence[tuple[int, str]], remaining: Sequence[Sequence[int]]
) -> list[Observation]:
    """Play the moves of a round. `remaining`: by seat, what is in the hands after them."""
    gone: list[list[int]] = [[] for _ in remaining]
    for seat, move in moves:
        gone[seat].append(CODE[move.split("x")[0].split(">")[0]])
    observations: list[Observation] = []
    for seat, move in moves:
        past.turn = past.to_act = seat
        past.hands = [[*played, *rest] for played, rest in zip(gone, remaining, strict=True)]
        hand = past.hands[seat]
        past.hands[seat] = list(_ALL)  # a build needs a card that takes it, so any hand will do
        code = past.read(move)
        past.hands[seat] = hand
        observations.append(Observation(past.copy([]), code, gone))
        gone[seat].pop(0)
        past.make(code, "")
    return observations
