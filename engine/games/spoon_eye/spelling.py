"""The notation of Spoon Eye's moves (docs/rules/spoon-eye.md, section 4).

Each move has one `SpoonEyeMove` object, which all deals share.

A *spot* is the number of a place where a card can be put. Each seat has `SPOTS` spots: first those
of its masts, then those of a new mast at the left and at the right end of its row. The spots of
seat 1 follow those of seat 0, and so on.
"""

from __future__ import annotations

import re
from typing import Final

from engine.cards import CODE, TEXT
from engine.deals import digest
from engine.events import Event
from engine.games.spoon_eye.options import ROW, SEATS

LEFT: Final = -1  # a new mast at the left end of the seat's row (SPO-12)
RIGHT: Final = -2  # a new mast at the right end
ENDS: Final[tuple[int, ...]] = (ROW, ROW + 1)  # the spots of `LEFT` and `RIGHT` within a row
SPOTS: Final = ROW + 2  # spots per seat

_MAST = "([0-3]):([1-4])"
_PLACE = "([0-3]):([1-4LR])"
_PLAY: Final = re.compile(f"([A2-9TJQK][CDHS])>{_PLACE}")
_NEST: Final = re.compile(f"move:{_MAST}>{_MAST}")
_STEAL: Final = re.compile(f"steal:{_MAST}>{_PLACE}")
_TAKE: Final = re.compile(f"take:{_MAST}")

Place = tuple[int, int]  # a seat, and the index of a mast (from 0), `LEFT` or `RIGHT`
_NOWHERE: Final = (-1, -3)  # the source or target of a move that has none
# Both indexed by spot.
_PLACES: Final[tuple[Place, ...]] = tuple(
    (seat, index) for seat in range(SEATS) for index in (*range(ROW), LEFT, RIGHT)
)
_PLACE_TEXTS: Final[tuple[str, ...]] = tuple(
    f"{seat}:{index}" for seat in range(SEATS) for index in (*range(1, ROW + 1), "L", "R")
)


class SpoonEyeMove:
    """A parsed move. Moves with equal texts share one object, because it never changes."""

    __slots__ = ("_code", "_events", "card", "kind", "source", "target", "text")

    def __init__(
        self,
        text: str,
        kind: str,
        card: int = -1,
        source: Place = _NOWHERE,
        target: Place = _NOWHERE,
    ) -> None:
        self.text: str = text
        self.kind: str = kind  # draw, pass, play, move, take, steal
        self.card: int = card
        self.source: Place = source
        self.target: Place = target
        self._code: int = -1
        self._events: list[Event | None] = [None] * SEATS  # by seat

    @property
    def code(self) -> int:
        """The number that identifies the move in searches; computed on first use."""
        if self._code < 0:
            self._code = digest(self.text)
        return self._code

    def event(self, seat: int) -> Event:
        """The event of a seat that makes this move, created on first use; deals share it."""
        event = self._events[seat]
        if event is None:
            event = self._events[seat] = ("move", {"seat": seat, "move": self.text}, None)
        return event


MovesBySpot = list[SpoonEyeMove]  # indexed by spot

DRAW: Final = SpoonEyeMove("draw", "draw")
PASS: Final = SpoonEyeMove("pass", "pass")
DECLINE: Final = SpoonEyeMove("take:none", "take")
_PLAYS: Final[list[MovesBySpot]] = [[] for _ in TEXT]
_NEST_MOVES: Final[list[MovesBySpot]] = [[] for _ in _PLACES]
_STEALS: Final[list[MovesBySpot]] = [[] for _ in _PLACES]
TAKES: Final[MovesBySpot] = [
    SpoonEyeMove(f"take:{text}", "take", target=place)
    for text, place in zip(_PLACE_TEXTS, _PLACES, strict=True)
]


def plays(card: int) -> MovesBySpot:
    """The moves that play this card, indexed by the spot of the target; created on first use."""
    moves_by_spot = _PLAYS[card]
    if not moves_by_spot:
        for text, place in zip(_PLACE_TEXTS, _PLACES, strict=True):
            moves_by_spot.append(SpoonEyeMove(f"{TEXT[card]}>{text}", "play", card, target=place))
    return moves_by_spot


def lifts(kind: str, spot: int) -> MovesBySpot:
    """The moves that take the crow's nest from `spot`, indexed by the spot of the target.

    `kind` is ``move`` or ``steal``. The moves are created on first use.
    """
    moves_by_spot = _NEST_MOVES[spot] if kind == "move" else _STEALS[spot]
    if not moves_by_spot:
        prefix, source = f"{kind}:{_PLACE_TEXTS[spot]}>", _PLACES[spot]
        for text, place in zip(_PLACE_TEXTS, _PLACES, strict=True):
            moves_by_spot.append(SpoonEyeMove(prefix + text, kind, -1, source, place))
    return moves_by_spot


def spot_of(seat: str, mast: str) -> int:
    """The spot that a move's text writes as ``seat:mast``, such as ``1:2`` or ``0:L``."""
    index = ENDS["LR".index(mast)] if mast in "LR" else int(mast) - 1
    return int(seat) * SPOTS + index


def parse(move: str) -> SpoonEyeMove | None:
    """The move with this text, legal or not; None if the text is not in the game's notation.

    >>> play = parse("7D>1:2")
    >>> play.kind, TEXT[play.card], play.target  # masts count from 1 in texts, from 0 here
    ('play', '7D', (1, 1))
    >>> parse("steal:1:2>0:R").source
    (1, 1)
    >>> parse("7D>1:5") is None
    True
    """
    parsed = _PARSED.get(move)
    if parsed is None:
        parsed = _parse(move)
        if parsed is not None:
            _PARSED[move] = parsed
    return parsed


_PARSED: Final[dict[str, SpoonEyeMove]] = {}  # needs no limit: there are about 2,000 moves


def _parse(move: str) -> SpoonEyeMove | None:
    if move == "draw":
        return DRAW
    if move == "pass":
        return PASS
    if move == "take:none":
        return DECLINE
    if match := _PLAY.fullmatch(move):
        return plays(CODE[match[1]])[spot_of(match[2], match[3])]
    if match := _TAKE.fullmatch(move):
        return TAKES[spot_of(match[1], match[2])]
    for kind, pattern in (("move", _NEST), ("steal", _STEAL)):
        if match := pattern.fullmatch(move):
            return lifts(kind, spot_of(match[1], match[2]))[spot_of(match[3], match[4])]
    return None
