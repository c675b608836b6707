"""Spoon Eye's moves (section 4): their listing in order, and the direct test of one."""

from __future__ import annotations

import re
from typing import Final

from engine.cards import CODE, FIRST_JOKER, TEXT
from engine.deals import LISTED
from engine.errors import IllegalMove
from engine.games.spoon_eye import masts
from engine.games.spoon_eye.options import FULL, ROW, SEATS
from engine.games.spoon_eye.state import SpoonEyeState

LEFT: Final = -1  # a new mast at the left end of the own row (SPO-12)
RIGHT: Final = -2

_MAST = "([0-3]):([1-4])"
_PLACE = "([0-3]):([1-4LR])"
_PLAY: Final = re.compile(f"([A2-9TJQK][CDHS])>{_PLACE}")
_NEST: Final = re.compile(f"move:{_MAST}>{_MAST}")
_STEAL: Final = re.compile(f"steal:{_MAST}>{_PLACE}")
_TAKE: Final = re.compile(f"take:{_MAST}")


# by seat and mast: what comes before and behind in the text of a move
_AT: Final = [[f"{seat}:{mast}" for mast in range(1, ROW + 1)] for seat in range(SEATS)]
_ONTO: Final = [[f">{place}" for place in row] for row in _AT]
_ENDS: Final = [[f">{seat}:L", f">{seat}:R"] for seat in range(SEATS)]
Measured = tuple[int, int, str]  # a mast: its value, what a jack would count on it, how to go there


Place = tuple[int, int]  # seat and mast; masts count from 0, or are `LEFT`, `RIGHT`
_NOWHERE: Final = (-1, -3)


class Move:
    """A move taken apart; never changed, so that all who read the same text share it."""

    __slots__ = ("card", "kind", "source", "target")

    def __init__(
        self, kind: str, card: int = -1, source: Place = _NOWHERE, target: Place = _NOWHERE
    ) -> None:
        self.kind: str = kind  # draw, pass, play, move, take, steal
        self.card: int = card
        self.source: Place = source
        self.target: Place = target


def legal(deal: SpoonEyeState) -> tuple[list[str], bool]:
    """The moves of the seat to act, `LISTED` at most, and whether there are more."""
    if deal.phase == "start":
        found = ["draw", *nests(deal)]
    elif deal.phase == "take":
        found = takes(deal)
    elif deal.phase == "steal":
        found = steals(deal)
    else:
        found = plays(deal, deal.turn) or ["pass"]  # SPO-16
    return found[:LISTED], len(found) > LISTED


def plays(deal: SpoonEyeState, seat: int) -> list[str]:
    """SPO-15: by card; own masts, own new masts, then the masts of the others clockwise."""
    own = _measured(deal, seat)
    new = _new(deal, seat)
    others: list[Measured] = []
    for step in range(1, deal.rules.seats):
        others += _measured(deal, (seat + step) % deal.rules.seats)
    found: list[str] = []
    for card in deal.hands[seat]:
        text = TEXT[card]
        found += [text + place for place in _fitting(own, card)]
        found += [text + place for place in new]
        found += [text + place for place in _fitting(others, card)]
    return found


def _measured(deal: SpoonEyeState, seat: int) -> list[Measured]:
    """The masts of a row, measured."""
    found: list[Measured] = []
    for at, mast in enumerate(deal.masts[seat]):
        value, crow = masts.measure(mast)
        found.append((value, crow, _ONTO[seat][at]))
    return found


def _fitting(measured: list[Measured], card: int) -> list[str]:
    """The masts on which a card fits (SPO-10)."""
    worth = masts.adds(card, 0)
    if worth:
        return [text for value, _, text in measured if value + worth <= FULL]
    return [text for value, crow, text in measured if value + crow <= FULL]  # a jack


def _new(deal: SpoonEyeState, seat: int) -> list[str]:
    """The new masts that the row of a seat has room for (SPO-12)."""
    if not masts.room(deal.masts[seat]):
        return []
    return _ENDS[seat] if deal.masts[seat] else _ENDS[seat][1:]


def can_play(deal: SpoonEyeState, seat: int) -> bool:
    """Whether a card of the seat's hand fits anywhere."""
    hand = deal.hands[seat]
    if not hand:
        return False
    if masts.room(deal.masts[seat]):
        return True
    for row in deal.masts:
        for mast in row:
            value, crow = masts.measure(mast)
            for card in hand:
                if value + masts.adds(card, crow) <= FULL:
                    return True
    return False


def nests(deal: SpoonEyeState) -> list[str]:
    """SPO-37, SPO-38: crow's nests of the own row onto other own masts, by source and target."""
    seat = deal.turn
    own = _measured(deal, seat)
    found: list[str] = []
    for at, mast in enumerate(deal.masts[seat]):
        start = "move:" + _AT[seat][at]
        found += [start + place for place in _fitting(own[:at] + own[at + 1 :], mast[-1])]
    return found


def robbed(deal: SpoonEyeState) -> list[int]:
    """Whose masts the owner of the raised mast can take, in order.

    SPO-21, SPO-54: if an opponent's play raised it, that opponent's. SPO-20, SPO-53, SPO-56: if the
    owner or a partner did, those of all opponents.
    """
    assert deal.raised is not None  # noqa: S101 - asked only when a mast is raised
    owner, by, _ = deal.raised
    side_of = deal.rules.side_of
    seats = deal.rules.opponents[owner] if side_of[by] == side_of[owner] else [by]
    return [seat for seat in seats if deal.masts[seat]]


def may_decline(deal: SpoonEyeState) -> bool:
    """SPO-20: the choice after an own raising may be declined; SPO-21: after another's not."""
    assert deal.raised is not None  # noqa: S101 - asked only when a mast is raised
    side_of = deal.rules.side_of
    return side_of[deal.raised[0]] == side_of[deal.raised[1]]


def takes(deal: SpoonEyeState) -> list[str]:
    """The masts that can be plundered, clockwise from the owner's left."""
    found = [
        "take:" + _AT[seat][at] for seat in robbed(deal) for at in range(len(deal.masts[seat]))
    ]
    return [*found, "take:none"] if may_decline(deal) else found


def steals(deal: SpoonEyeState) -> list[str]:
    """SPO-27, SPO-53: any opponent's crow's nest onto an own mast or as a new one."""
    own = _measured(deal, deal.turn)
    new = _new(deal, deal.turn)
    found: list[str] = []
    for other in deal.rules.opponents[deal.turn]:
        for at, mast in enumerate(deal.masts[other]):
            start = "steal:" + _AT[other][at]
            found += [start + place for place in _fitting(own, mast[-1]) + new]
    return found


# ── the direct test ──────────────────────────────────────────────────────────────────────────────

_PHASES: Final = {
    "start": ("draw", "move"),
    "play": ("play", "pass"),
    "take": ("take",),
    "steal": ("steal",),
}
_WANTED: Final = {
    "start": ("SPO-37", "draw, or move an own crow's nest"),
    "play": ("SPO-13", "a card of the hand is to be played"),
    "take": ("SPO-20", "the owner of the raised mast is to choose a mast"),
    "steal": ("SPO-27", "the nine asks for an opponent's crow's nest"),
}


_PARSED: Final[dict[str, Move]] = {}  # the grammar has some two thousand moves


def parse(move: str) -> Move | None:
    """A move taken apart by the grammar of section 4; None if it is not written like one.

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


def parsed(move: str) -> Move:
    """`parse` of what is written like a move."""
    found = parse(move)
    assert found is not None  # noqa: S101 - the caller has listed it
    return found


def _parse(move: str) -> Move | None:
    if move in ("draw", "pass"):
        return Move(move)
    if move == "take:none":
        return Move("take")
    if found := _PLAY.fullmatch(move):
        return Move("play", CODE[found[1]], target=_place(found[2], found[3]))
    if found := _TAKE.fullmatch(move):
        return Move("take", target=_place(found[1], found[2]))
    for kind, pattern in (("move", _NEST), ("steal", _STEAL)):
        if found := pattern.fullmatch(move):
            return Move(kind, -1, _place(found[1], found[2]), _place(found[3], found[4]))
    return None


def _place(seat: str, mast: str) -> Place:
    if mast in "LR":
        return int(seat), LEFT if mast == "L" else RIGHT
    return int(seat), int(mast) - 1


def read(deal: SpoonEyeState, move: str) -> Move:
    """A legal move taken apart; IllegalMove names the clause that forbids any other."""
    parsed = parse(move)
    if parsed is None:
        raise IllegalMove(
            move, "", "moves are draw, pass, 7D>1:2, move:0:3>0:1, take:1:3, steal:1:2>0:R"
        )
    if parsed.kind not in _PHASES[deal.phase]:
        raise IllegalMove(move, *_WANTED[deal.phase])
    if parsed.kind == "pass" and can_play(deal, deal.turn):
        raise IllegalMove(move, "SPO-16", "who can play a card must")
    if parsed.kind == "play":
        _check_play(deal, parsed, move)
    elif parsed.kind == "move":
        _check_nest(deal, parsed, move)
    elif parsed.kind == "take":
        _check_take(deal, parsed, move)
    elif parsed.kind == "steal":
        _check_steal(deal, parsed, move)
    return parsed


def _mast(deal: SpoonEyeState, place: Place, move: str) -> masts.Mast:
    """The mast at a place; IllegalMove if there is none."""
    seat, at = place
    if seat >= deal.rules.seats:
        raise IllegalMove(move, "SPO-1", f"there is no seat {seat}")
    if at >= len(deal.masts[seat]):
        raise IllegalMove(move, "SPO-11", f"seat {seat} has {len(deal.masts[seat])} masts")
    return deal.masts[seat][at]


def _check_target(deal: SpoonEyeState, card: int, place: Place, move: str) -> None:
    """SPO-10, SPO-12: whether a card can be put there."""
    if place[1] >= 0:
        made = masts.after(_mast(deal, place, move), card)
        if made > FULL:
            raise IllegalMove(move, "SPO-10", f"the mast would be worth {made}, more than {FULL}")
        return
    row = deal.masts[deal.turn]
    if place[0] != deal.turn:
        raise IllegalMove(move, "SPO-12", "only the owner opens masts in a row")
    if not masts.room(row):
        raise IllegalMove(move, "SPO-12", "the row has four masts already")
    if not row and place[1] == LEFT:
        raise IllegalMove(move, "SPO-12", "in an empty row a new mast is written R")


def _check_play(deal: SpoonEyeState, parsed: Move, move: str) -> None:
    if parsed.card >= FIRST_JOKER or parsed.card not in deal.hands[deal.turn]:
        raise IllegalMove(move, "SPO-13", f"{TEXT[parsed.card]} is not in the hand to play from")
    _check_target(deal, parsed.card, parsed.target, move)


def _check_nest(deal: SpoonEyeState, parsed: Move, move: str) -> None:
    mast = _mast(deal, parsed.source, move)
    _mast(deal, parsed.target, move)
    if parsed.source[0] != deal.turn or parsed.target[0] != deal.turn:
        raise IllegalMove(move, "SPO-37", "crow's nests are moved within the own row")
    if parsed.source == parsed.target:
        raise IllegalMove(move, "SPO-37", "a crow's nest is moved to another mast")
    _check_target(deal, mast[-1], parsed.target, move)


def _check_take(deal: SpoonEyeState, parsed: Move, move: str) -> None:
    if parsed.target[0] < 0:
        if not may_decline(deal):
            raise IllegalMove(move, "SPO-21", "after an opponent's play a mast must be taken")
        return
    _mast(deal, parsed.target, move)
    if parsed.target[0] not in robbed(deal):
        clause = "SPO-53" if may_decline(deal) else "SPO-54"
        raise IllegalMove(move, clause, f"masts of seat {parsed.target[0]} cannot be taken now")


def _check_steal(deal: SpoonEyeState, parsed: Move, move: str) -> None:
    mast = _mast(deal, parsed.source, move)
    if parsed.source[0] not in deal.rules.opponents[deal.turn]:
        raise IllegalMove(move, "SPO-27", "the crow's nest of an opponent is taken")
    if parsed.target[0] != deal.turn:
        raise IllegalMove(move, "SPO-27", "the crow's nest goes to the own row")
    _check_target(deal, mast[-1], parsed.target, move)
