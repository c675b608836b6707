"""Spoon Eye's legal moves (docs/rules/spoon-eye.md, section 4).

`legal` lists all legal moves. `read` checks a single move, without listing the others.
"""

from __future__ import annotations

from typing import Final

from engine.cards import FIRST_JOKER, TEXT
from engine.deals import LISTED
from engine.errors import IllegalMove
from engine.games.spoon_eye import masts, spelling
from engine.games.spoon_eye.options import FULL
from engine.games.spoon_eye.spelling import (
    ENDS,
    LEFT,
    RIGHT,
    SPOTS,
    MovesBySpot,
    Place,
    SpoonEyeMove,
    parse,
)
from engine.games.spoon_eye.state import SpoonEyeState

__all__ = ["LEFT", "RIGHT", "Place", "SpoonEyeMove", "legal", "parse", "read"]


def legal(deal: SpoonEyeState) -> tuple[list[SpoonEyeMove], bool]:
    """The legal moves of the seat to act, at most `LISTED`, and whether there are more."""
    if deal.phase == "start":
        return [spelling.DRAW, *nest_moves(deal)], False
    if deal.phase == "take":
        return takes(deal), False
    if deal.phase == "steal":
        return steals(deal), False
    moves = plays(deal, deal.turn) or [spelling.PASS]  # SPO-16
    if len(moves) > LISTED:
        return moves[:LISTED], True
    return moves, False


def plays(deal: SpoonEyeState, seat: int) -> list[SpoonEyeMove]:
    """The moves that play a card from a seat's hand (SPO-15).

    They are ordered by card. Each card goes onto the seat's own masts, then down as a new mast,
    then onto the masts of the other seats, clockwise.
    """
    seats = len(deal.masts)
    rows = deal.masts
    new_spots = _new_spots(deal, seat)
    moves: list[SpoonEyeMove] = []
    for card in deal.hands[seat]:
        by_spot = spelling.plays(card)
        _add_fitting(moves, by_spot, card, seat, rows[seat])
        for spot in new_spots:
            moves.append(by_spot[spot])  # noqa: PERF401 - compiled, quicker than another list
        for step in range(1, seats):
            other = (seat + step) % seats
            _add_fitting(moves, by_spot, card, other, rows[other])
    return moves


def _add_fitting(
    moves: list[SpoonEyeMove], by_spot: MovesBySpot, card: int, seat: int, row: list[masts.Mast]
) -> None:
    """Append to `moves` the moves of `by_spot` onto a seat's masts that stay within 21 (SPO-10).

    `row`: the seat's masts.
    """
    bit = masts.BIT[card]
    spot = seat * SPOTS
    for mast in row:
        if mast.fitting & bit:
            moves.append(by_spot[spot])
        spot += 1


def _new_spots(deal: SpoonEyeState, seat: int) -> list[int]:
    """The spots of the new masts that fit in the row of a seat (SPO-12)."""
    if not masts.has_room(deal.masts[seat]):
        return []
    left, right = seat * SPOTS + ENDS[0], seat * SPOTS + ENDS[1]
    return [left, right] if deal.masts[seat] else [right]


def can_play(deal: SpoonEyeState, seat: int) -> bool:
    """Whether a card of the seat's hand fits on a mast or may start a new one."""
    hand = deal.hands[seat]
    if not hand:
        return False
    if masts.has_room(deal.masts[seat]):
        return True
    for row in deal.masts:
        for mast in row:
            for card in hand:
                if mast.value_with(card) <= FULL:
                    return True
    return False


def nest_moves(deal: SpoonEyeState) -> list[SpoonEyeMove]:
    """The moves of the seat's crow's nests onto its other masts (SPO-37, SPO-38), by source."""
    seat = deal.turn
    row = deal.masts[seat]
    moves: list[SpoonEyeMove] = []
    for index, mast in enumerate(row):
        bit = masts.BIT[mast.cards[-1]]
        for target, other in enumerate(row):
            if other.fitting & bit and target != index:
                by_spot = spelling.lifts("move", seat * SPOTS + index)
                moves.append(by_spot[seat * SPOTS + target])
    return moves


def seats_to_plunder(deal: SpoonEyeState) -> list[int]:
    """The seats from which the owner of the raised mast can take a mast, in order.

    SPO-21, SPO-54: if an opponent played the card, only that opponent. SPO-20, SPO-53, SPO-56: if
    the owner or a partner played it, all opponents.
    """
    assert deal.raised is not None  # noqa: S101 - called only when a mast is raised
    owner, by, _ = deal.raised
    side_of = deal.rules.side_of
    seats = deal.rules.opponents[owner] if side_of[by] == side_of[owner] else [by]
    return [seat for seat in seats if deal.masts[seat]]


def may_decline(deal: SpoonEyeState) -> bool:
    """Whether the owner of the raised mast may take no other mast.

    It may if its own side put the last card (SPO-20), but not if an opponent did (SPO-21).
    """
    assert deal.raised is not None  # noqa: S101 - called only when a mast is raised
    side_of = deal.rules.side_of
    return side_of[deal.raised[0]] == side_of[deal.raised[1]]


def takes(deal: SpoonEyeState) -> list[SpoonEyeMove]:
    """The moves that take a mast, clockwise from the owner's left; last ``take:none``, if legal."""
    moves = [
        spelling.TAKES[seat * SPOTS + index]
        for seat in seats_to_plunder(deal)
        for index in range(len(deal.masts[seat]))
    ]
    if may_decline(deal):
        moves.append(spelling.DECLINE)
    return moves


def steals(deal: SpoonEyeState) -> list[SpoonEyeMove]:
    """The moves that take a crow's nest from an opponent (SPO-27, SPO-53).

    The nest goes onto one of the seat's masts, or down as a new one.
    """
    seat = deal.turn
    row = deal.masts[seat]
    new_spots = _new_spots(deal, seat)
    moves: list[SpoonEyeMove] = []
    for other in deal.rules.opponents[seat]:
        for index, mast in enumerate(deal.masts[other]):
            by_spot = spelling.lifts("steal", other * SPOTS + index)
            _add_fitting(moves, by_spot, mast.cards[-1], seat, row)
            moves += [by_spot[spot] for spot in new_spots]
    return moves


# ── checks of one move ───────────────────────────────────────────────────────────────────────────

_PHASES: Final = {  # by phase: the kinds of moves that it allows
    "start": ("draw", "move"),
    "play": ("play", "pass"),
    "take": ("take",),
    "steal": ("steal",),
}
_EXPECTED: Final = {  # by phase: the clause, and the moves that it allows
    "start": ("SPO-37", "the seat must draw, or move a crow's nest within its own row"),
    "play": ("SPO-13", "the seat must play a card from its hand"),
    "take": ("SPO-20", "the owner of the raised mast must first choose a mast"),
    "steal": ("SPO-27", "after a nine, the seat must take an opponent's crow's nest"),
}


def read(deal: SpoonEyeState, move: str) -> SpoonEyeMove:
    """The legal move with this text; IllegalMove with the clause that forbids it."""
    parsed = parse(move)
    if parsed is None:
        raise IllegalMove(
            move,
            "",
            "a move is written like draw, pass, 7D>1:2, move:0:3>0:1, take:1:3 or steal:1:2>0:R",
        )
    if parsed.kind not in _PHASES[deal.phase]:
        raise IllegalMove(move, *_EXPECTED[deal.phase])
    if parsed.kind == "pass" and can_play(deal, deal.turn):
        raise IllegalMove(move, "SPO-16", "a seat that can play a card may not pass")
    if parsed.kind == "play":
        _check_play(deal, parsed, move)
    elif parsed.kind == "move":
        _check_nest(deal, parsed, move)
    elif parsed.kind == "take":
        _check_take(deal, parsed, move)
    elif parsed.kind == "steal":
        _check_steal(deal, parsed, move)
    return parsed


def _mast_at(deal: SpoonEyeState, place: Place, move: str) -> masts.Mast:
    """The mast at a place; IllegalMove if there is none."""
    seat, index = place
    if seat >= deal.rules.seats:
        raise IllegalMove(move, "SPO-1", f"there is no seat {seat}")
    if index >= len(deal.masts[seat]):
        raise IllegalMove(move, "SPO-11", f"seat {seat} has {len(deal.masts[seat])} masts")
    return deal.masts[seat][index]


def _check_target(deal: SpoonEyeState, card: int, place: Place, move: str) -> None:
    """Raise IllegalMove if a card may not be put at a place (SPO-10, SPO-12)."""
    if place[1] >= 0:
        value = _mast_at(deal, place, move).value_with(card)
        if value > FULL:
            raise IllegalMove(move, "SPO-10", f"the mast would be worth {value}, more than {FULL}")
        return
    row = deal.masts[deal.turn]
    if place[0] != deal.turn:
        raise IllegalMove(move, "SPO-12", "only the owner of a row may start a new mast there")
    if not masts.has_room(row):
        raise IllegalMove(move, "SPO-12", "the row already has four masts")
    if not row and place[1] == LEFT:
        raise IllegalMove(move, "SPO-12", "in an empty row, write R for a new mast")


def _check_play(deal: SpoonEyeState, parsed: SpoonEyeMove, move: str) -> None:
    if parsed.card >= FIRST_JOKER or parsed.card not in deal.hands[deal.turn]:
        raise IllegalMove(move, "SPO-13", f"{TEXT[parsed.card]} is not in the seat's hand")
    _check_target(deal, parsed.card, parsed.target, move)


def _check_nest(deal: SpoonEyeState, parsed: SpoonEyeMove, move: str) -> None:
    mast = _mast_at(deal, parsed.source, move)
    _mast_at(deal, parsed.target, move)
    if parsed.source[0] != deal.turn or parsed.target[0] != deal.turn:
        raise IllegalMove(
            move, "SPO-37", "a crow's nest can be moved only within the seat's own row"
        )
    if parsed.source == parsed.target:
        raise IllegalMove(move, "SPO-37", "a crow's nest must move to another mast")
    _check_target(deal, mast.cards[-1], parsed.target, move)


def _check_take(deal: SpoonEyeState, parsed: SpoonEyeMove, move: str) -> None:
    if parsed.target[0] < 0:
        if not may_decline(deal):
            raise IllegalMove(move, "SPO-21", "after an opponent's play, the seat must take a mast")
        return
    _mast_at(deal, parsed.target, move)
    if parsed.target[0] not in seats_to_plunder(deal):
        clause = "SPO-53" if may_decline(deal) else "SPO-54"
        raise IllegalMove(move, clause, f"masts of seat {parsed.target[0]} cannot be taken now")


def _check_steal(deal: SpoonEyeState, parsed: SpoonEyeMove, move: str) -> None:
    mast = _mast_at(deal, parsed.source, move)
    if parsed.source[0] not in deal.rules.opponents[deal.turn]:
        raise IllegalMove(move, "SPO-27", "only an opponent's crow's nest can be taken")
    if parsed.target[0] != deal.turn:
        raise IllegalMove(move, "SPO-27", "the crow's nest must go to the seat's own row")
    _check_target(deal, mast.cards[-1], parsed.target, move)
