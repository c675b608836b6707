"""The notation of Spoon Eye's moves (section 4): one object per move, shared by all deals."""

from __future__ import annotations

import re
from typing import Final

from engine.cards import CODE, TEXT
from engine.deals import digest
from engine.games.spoon_eye.options import ROW, SEATS

LEFT: Final = -1  # a new mast at the left end of the seat's row (SPO-12)
RIGHT: Final = -2
ENDS: Final[tuple[int, ...]] = (ROW, ROW + 1)  # `LEFT` and `RIGHT` as spots
SPOTS: Final = ROW + 2  # the spots of a row: its masts, then both ends

_MAST = "([0-3]):([1-4])"
_PLACE = "([0-3]):([1-4LR])"
_PLAY: Final = re.compile(f"([A2-9TJQK][CDHS])>{_PLACE}")
_NEST: Final = re.compile(f"move:{_MAST}>{_MAST}")
_STEAL: Final = re.compile(f"steal:{_MAST}>{_PLACE}")
_TAKE: Final = re.compile(f"take:{_MAST}")

Place = tuple[int, int]  # a seat, and a mast from 0, or `LEFT`, `RIGHT`
_NOWHERE: Final = (-1, -3)
# Indexed by spot; spots are numbered through the rows of all seats.
_PLACES: Final[tuple[Place, ...]] = tuple(
    (seat, index) for seat in range(SEATS) for index in (*range(ROW), LEFT, RIGHT)
)
_PLACE_TEXTS: Final[tuple[str, ...]] = tuple(
    f"{seat}:{index}" for seat in range(SEATS) for index in (*range(1, ROW + 1), "L", "R")
)


class SpoonEyeMove:
    """A parsed move. Moves with equal texts share one object, because it never changes."""

    __slots__ = ("_code", "card", "kind", "source", "target", "text")

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

    @property
    def code(self) -> int:
        """The code for searches, computed on first use."""
        if self._code < 0:
            self._code = digest(self.text)
        return self._code


MovesBySpot = list[SpoonEyeMove]  # indexed by spot

DRAW: Final = SpoonEyeMove("draw", "draw")
PASS: Final = SpoonEyeMove("pass", "pass")
DECLINE: Final = SpoonEyeMove("take:none", "take")
_PLAYS: Final[list[MovesBySpot]] = [[] for _ in TEXT]
_LIFTS: Final[dict[str, list[MovesBySpot]]] = {
    "move": [[] for _ in _PLACES],
    "steal": [[] for _ in _PLACES],
}
TAKES: Final[MovesBySpot] = [
    SpoonEyeMove(f"take:{text}", "take", target=place)
    for text, place in zip(_PLACE_TEXTS, _PLACES, strict=True)
]


def plays(card: int) -> MovesBySpot:
    """By target, the moves that play this card; created on first use."""
    moves_by_spot = _PLAYS[card]
    if not moves_by_spot:
        for text, place in zip(_PLACE_TEXTS, _PLACES, strict=True):
            moves_by_spot.append(SpoonEyeMove(f"{TEXT[card]}>{text}", "play", card, target=place))
    return moves_by_spot


def lifts(kind: str, spot: int) -> MovesBySpot:
    """By target, the moves of a kind (``move``, ``steal``) that lift the crow's nest of `spot`."""
    moves_by_spot = _LIFTS[kind][spot]
    if not moves_by_spot:
        prefix, source = f"{kind}:{_PLACE_TEXTS[spot]}>", _PLACES[spot]
        for text, place in zip(_PLACE_TEXTS, _PLACES, strict=True):
            moves_by_spot.append(SpoonEyeMove(prefix + text, kind, -1, source, place))
    return moves_by_spot


def spot_of(seat: str, mast: str) -> int:
    """The spot with the text ``seat:mast``."""
    index = ENDS["LR".index(mast)] if mast in "LR" else int(mast) - 1
    return int(seat) * SPOTS + index


def parse(move: str) -> SpoonEyeMove | None:
    """A move parsed by the grammar of section 4; None if it does not match.

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


_PARSED: Final[dict[str, SpoonEyeMove]] = {}  # about two thousand at most: no limit


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
