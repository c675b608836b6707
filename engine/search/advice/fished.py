"""What the others played in a game that fishes since hands were dealt.

Each move shows something of its hand: who trails could not take much, who builds has a card for it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from engine.cards import CODE
from engine.errors import IllegalMove
from engine.search.past import Moment

_ROOM: Final = 200
"""Cards of a stock from which more are dealt than any game deals."""


def moments(
    deal: Any,
    seen: Sequence[Mapping[str, Any]],
    lay: Callable[[Any, int], None],
    pack: Sequence[int],
) -> list[Moment]:
    """The decisions of other seats since hands were dealt; none if `seen` does not lead to `deal`.

    `deal`: a guess; the seat to act is the one that asks. `seen`: its events. `lay`: puts a card
    loose on the table of a deal. `pack`: all cards of the format.
    """
    table, rounds = _heard(seen)
    if not rounds or not rounds[-1]:
        return []
    past = _begun(deal, table, lay)
    cards = sorted(set(pack))
    nothing: list[list[int]] = [[] for _ in deal.hands]
    try:
        for moves in rounds[:-1]:
            _play(past, moves, nothing, cards)
        played = _play(past, rounds[-1], deal.hands, cards)
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


def _begun(deal: Any, table: Sequence[str], lay: Callable[[Any, int], None]) -> Any:
    """The deal as it began, but for hands and stock."""
    past = deal.copy([])
    past.quiet = True
    past.table = []
    past.captured = [type(pile)() for pile in past.captured]
    past.cleared = []
    past.last_capture = -1
    past.stock = [0] * _ROOM
    past.stock_at = 0
    past._listed = past._codes = None  # noqa: SLF001 - those of the position now
    for text in table:
        lay(past, CODE[text])
    return past


def _play(
    past: Any, moves: Sequence[tuple[int, str]], kept: Sequence[Sequence[int]], cards: list[int]
) -> list[Moment]:
    """Play the moves of a round. `kept`: by seat, what is in the hands after them. `cards`: all."""
    gone: list[list[int]] = [[] for _ in kept]
    for seat, move in moves:
        gone[seat].append(CODE[move.split("x")[0].split(">")[0]])
    found: list[Moment] = []
    for seat, move in moves:
        past.turn = past.to_act = seat
        past.hands = [[*played, *rest] for played, rest in zip(gone, kept, strict=True)]
        hand = past.hands[seat]
        past.hands[seat] = cards  # a build is legal to who holds a card for it: it was
        code: int = past.read(move)
        past.hands[seat] = hand
        found.append(Moment(past.copy([]), code, gone))
        gone[seat].pop(0)
        past.make(code, "")
    return found
