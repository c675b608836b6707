"""The legal moves with their parts, from which a page lets a person compose a move.

A page shows the view of a seat and uses the `MoveOptions` of that seat: every legal move with its
parts, a sentence that describes it, and its effect. After each pick, the page keeps only moves with
that part; `why_not` explains why none remains. All data comes from the seat's view and the texts of
the legal moves (`engine.move_parts.Composer`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from engine.declarations import PLACES, join_words
from engine.errors import IllegalMove
from engine.match import Match
from engine.move_parts import Composed, Composer, MovePart, Need, Refusal, TurnStep

MOST_PICKED: Final = 64
"""Maximum number of parts in a question about a refusal: more than people pick for one move."""

MOST_PARTS: Final = 8000
"""Maximum number of parts in all offers together: about 150 KB as JSON. Most positions have a few
hundred. Without this limit they could have half a megabyte, if nobody ever takes cards from the
table."""

MOST_COMBINED: Final = 40
"""Maximum number of combined moves at a decision: finding one takes a copy of the match."""


class OfferedMove(NamedTuple):
    """A legal move as a page offers it: its text, the keys of its parts, and the other fields of
    `Composed`. `after`: the further moves, if several are played in one go."""

    move: str
    parts: tuple[str, ...]
    sentence: str
    clause: str
    effect: str
    warning: str
    step: str
    label: str = ""
    leads: str = ""
    decides: str = ""
    deed: str = ""
    after: tuple[str, ...] = ()


class MoveOptions(NamedTuple):
    """All data that a page needs to let a person move.

    `parts`: the things that the seat can pick or ask about, even if no legal move has them; then
    targets and choices. `offers`: the legal moves in the order of the rules; empty if another seat
    is to act. `steps`: the steps of the turn; empty if it has only one. `more`: whether there are
    more legal moves than listed (limits: `engine.deals.LISTED`, `MOST_PARTS`). A person can play an
    unlisted move by its text, or by its parts: `why_not` finds the move. `needs`: undecided items
    of the deal's score. `prompt`: a sentence about the task. `combined`: several moves in one go.
    """

    seat: int
    parts: tuple[MovePart, ...]
    offers: tuple[OfferedMove, ...]
    steps: tuple[TurnStep, ...]
    more: bool
    needs: tuple[Need, ...] = ()
    prompt: str = ""
    combined: tuple[OfferedMove, ...] = ()

    def with_parts(self, picked: Sequence[str]) -> list[OfferedMove]:
        """The offers that have all the parts `picked` (keys, as often as they were picked)."""
        picked_counts = Counter(picked)
        offers = (*self.offers, *self.combined)
        return [offer for offer in offers if not picked_counts - Counter(offer.parts)]

    def as_dict(self) -> dict[str, Any]:
        """The decision as JSON. Moves refer to their parts by index in ``parts``."""
        places = {part.key: place for place, part in enumerate(self.parts)}
        return {
            "seat": self.seat,
            "parts": [
                {
                    "key": part.key,
                    "kind": part.kind,
                    "words": part.words,
                    "where": [list(path) for path in part.where],
                }
                for part in self.parts
            ],
            "moves": [
                _without_deed(offer) | {"parts": [places[key] for key in offer.parts]}
                for offer in (*self.offers, *self.combined)
            ],
            "steps": [step._asdict() for step in self.steps],
            "more": self.more,
            "needs": [need.as_dict() for need in self.needs],
            "prompt": self.prompt,
        }


def _without_deed(offer: OfferedMove) -> dict[str, Any]:
    """An offer as JSON for a page, without its deed, which only the site itself needs."""
    data = offer._asdict()
    del data["deed"]
    return data


def decide(match: Match, seat: int, names: Sequence[str] = ()) -> MoveOptions:
    """The parts that `seat` can pick now, and the moves that they make.

    `names`: the names of all seats, for sentences; by default South, West … ValueError if there is
    no such seat.
    """
    composer = _composer(match, seat, names)
    parts = {part.key: part for part in composer.pickable_parts()}
    moves = match.legal_moves() if match.turn == seat else []
    offers: list[OfferedMove] = []
    part_count = 0
    for move in moves:
        composed = composer.compose(move)
        part_count += len(composed.parts)
        if part_count > MOST_PARTS:
            break
        for part in composed.parts:
            parts.setdefault(part.key, part)
        offers.append(_offer([move], composed))
    more = len(offers) < len(moves) or (bool(moves) and match.truncated)
    return MoveOptions(
        seat,
        tuple(parts.values()),
        tuple(offers),
        tuple(composer.steps()),
        more,
        tuple(composer.needs()),
        composer.prompt(moves) if moves else "",
        tuple(_combined(match, seat, composer, moves, MOST_PARTS - part_count)),
    )


def _offer(moves: Sequence[str], composed: Composed) -> OfferedMove:
    keys = tuple([part.key for part in composed.parts])
    return OfferedMove(moves[0], keys, *composed[1:], tuple(moves[1:]))


def _combined(
    match: Match, seat: int, composer: Composer, moves: Sequence[str], parts_left: int
) -> list[OfferedMove]:
    """Sequences of moves that a person plays in one go; each move is legal after the previous one.

    `parts_left`: the maximum number of parts that the offers may name together.
    """
    offers: list[OfferedMove] = []
    finished_deals = len(match.deals)
    part_keys: set[tuple[str, ...]] = set()
    unfinished: list[tuple[Match, list[str]]] = [
        (match, [move]) for move in moves if composer.chains(move)
    ]
    while unfinished and len(offers) < MOST_COMBINED:
        before, earlier_moves = unfinished.pop(0)
        after = before.copy()
        after.play(earlier_moves[-1])
        if after.turn != seat or after.deals_since(finished_deals):
            continue  # another seat's turn, or the end of the deal
        for move in composer.together(earlier_moves, after.legal_moves()):
            sequence = [*earlier_moves, move]
            offer = _offer(sequence, composer.compose_all(sequence))
            key = tuple(sorted(offer.parts))
            parts_left -= len(key)
            if key in part_keys or parts_left < 0 or len(offers) >= MOST_COMBINED:
                continue
            part_keys.add(key)
            offers.append(offer)
            unfinished.append((after, sequence))
    return offers


def why_not(
    match: Match, seat: int, picked: Sequence[str], names: Sequence[str] = ()
) -> Refusal | None:
    """Why no legal move has all the parts `picked` (keys); the last one is in question.

    If they are exactly the parts of an unlisted legal move, the `Refusal` contains this move.
    Otherwise None if a listed move has them. ValueError if there are too many parts, or an unknown
    one.
    """
    if not 0 < len(picked) <= MOST_PICKED:
        raise ValueError(f"Pick 1 to {MOST_PICKED} parts, not {len(picked)}.")
    decision = decide(match, seat, names)
    parts_by_key = {part.key: part for part in decision.parts}
    unknown = [key for key in picked if key not in parts_by_key]
    if unknown:
        raise ValueError(f"There is nothing called {unknown[0][:80]!r} to pick now.")
    composer = _composer(match, seat, names)
    if match.turn != seat:
        return Refusal(_turn_sentence(match, composer))
    parts = [parts_by_key[key] for key in picked]
    if decision.more:
        unlisted = _unlisted_move(match, composer, parts)
        if unlisted and unlisted.move not in [offer.move for offer in decision.offers]:
            return unlisted
    if decision.with_parts(picked):
        return None
    if decision.more:
        return Refusal("These parts alone are no legal move, and no listed move contains them all.")
    conflict = [parts_by_key[key] for key in _conflicting_parts(decision, picked)]
    refusal = composer.why_not(conflict, lambda move: _illegal_move(match, move))
    return refusal or Refusal(_general_refusal(conflict))


def _unlisted_move(match: Match, composer: Composer, picked: Sequence[MovePart]) -> Refusal | None:
    """The legal move with exactly these parts, listed or not."""
    move = composer.spell(picked)
    if not move or _illegal_move(match, move):
        return None
    composed = composer.compose(move)
    return Refusal(composed.sentence, composed.clause, move)


def _conflicting_parts(decision: MoveOptions, picked: Sequence[str]) -> list[str]:
    """A small subset of `picked` that no offer contains, so that the reason is easy to state.

    The subset contains the last part, which is in question. It is the last part alone, if no offer
    has it; or the last part and one card in the hand; or the last part, all picked cards in the
    hand and as few other parts as possible. If the last part is a choice, it is all of `picked`.
    """
    offered = [Counter(offer.parts) for offer in decision.offers]

    def in_no_offer(keys: Sequence[str]) -> bool:
        picked_counts = Counter(keys)
        return not any(not picked_counts - parts for parts in offered)

    last_part = picked[-1]
    if last_part.startswith("choice:"):
        return list(picked)
    hand = [key for key in picked[:-1] if key.startswith("hand:")]
    for subset in ([last_part], *([key, last_part] for key in hand)):
        if in_no_offer(subset):
            return subset
    conflict = list(picked)
    for key in picked[:-1]:
        without = conflict[:]
        without.remove(key)
        if not key.startswith("hand:") and in_no_offer(without):
            conflict = without
    return conflict


def _composer(match: Match, seat: int, names: Sequence[str]) -> Composer:
    fmt = match.format
    return fmt.spec.composer(fmt, match.view(seat), names or PLACES[fmt.seats])


def _turn_sentence(match: Match, composer: Composer) -> str:
    if match.turn is None:
        return "The match is over."
    return f"It is not your turn: {composer.names[match.turn]} is to act."


def _illegal_move(match: Match, move: str) -> IllegalMove | None:
    try:
        match.check(move)
    except IllegalMove as error:
        return error
    return None


def _general_refusal(parts: Sequence[MovePart]) -> str:
    names = [part.words if part.where else f"“{part.words}”" for part in parts]
    suffix = " together" if len(names) > 1 else ""
    return f"No legal move uses {join_words(names)}{suffix} now."
