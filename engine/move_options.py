"""The legal moves by their parts, as a page needs them to let a person move.

It shows the view of a seat and asks for the `MoveOptions` of that seat: every legal move with its
parts, one sentence that says it before it is played, and what it ends or binds to. A pick leaves
the moves that have it among their parts; `why_not` says why none is left. All of it comes from the
seat's view and the texts of the legal moves (`engine.move_parts.Composer`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from engine.declarations import PLACES, listed
from engine.errors import IllegalMove
from engine.match import Match
from engine.move_parts import Composed, Composer, MovePart, Need, Refusal, TurnStep

MOST_PICKED: Final = 64
"""Most parts in a question about a refusal: more than people pick for one move."""

MOST_NAMED: Final = 8000
"""Most parts that all offers together name: some 150 KB as JSON. Moves of ordinary play name a few
hundred; a table from which no seat ever takes anything would make half a megabyte."""

MOST_COMBINED: Final = 40
"""Moves in one go that are looked for at a decision: each costs a copy of the match."""


class OfferedMove(NamedTuple):
    """A legal move as a page offers it: its text, the keys of its parts, and the rest of
    `Composed`. `after`: the moves that follow it, where several are played in one go."""

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
    """All that a page needs to let a person move.

    `parts`: the things that the seat can pick or ask about, used or not, then targets and choices.
    `offers`: the legal moves in the order of the rules; none when another seat is to act. `steps`:
    of the turn, empty if it has one only. `more`: there are more legal moves than are listed
    (`engine.deals.LISTED` and `MOST_NAMED` at most); whoever wants another picks its parts, and
    `why_not` finds it, or types it. `needs`: what can still change in the deal and counts.
    `prompt`: what there is to do, in a sentence. `combined`: several moves in one go.
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
        """The decision as JSON. Moves name their parts by their places in ``parts``."""
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
    """What a page needs of an offer: deeds are for sentences that the site makes."""
    data = offer._asdict()
    del data["deed"]
    return data


def decide(match: Match, seat: int, names: Sequence[str] = ()) -> MoveOptions:
    """The parts that `seat` can pick now, and the moves that they make.

    `names`: of all seats, for sentences; without them South, West … ValueError: no such seat.
    """
    composer = _composer(match, seat, names)
    parts = {part.key: part for part in composer.things()}
    moves = match.legal_moves() if match.turn == seat else []
    offers: list[OfferedMove] = []
    named = 0
    for move in moves:
        composed = composer.compose(move)
        named += len(composed.parts)
        if named > MOST_NAMED:
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
        tuple(_combined(match, seat, composer, moves, MOST_NAMED - named)),
    )


def _offer(moves: Sequence[str], composed: Composed) -> OfferedMove:
    keys = tuple([part.key for part in composed.parts])
    return OfferedMove(moves[0], keys, *composed[1:], tuple(moves[1:]))


def _combined(
    match: Match, seat: int, composer: Composer, moves: Sequence[str], room: int
) -> list[OfferedMove]:
    """Several moves that a person plays in one go, each row legal move by move.

    `room`: parts that they may name together.
    """
    offers: list[OfferedMove] = []
    dealt = len(match.deals)
    keys: set[tuple[str, ...]] = set()
    waiting: list[tuple[Match, list[str]]] = [
        (match, [move]) for move in moves if composer.chains(move)
    ]
    while waiting and len(offers) < MOST_COMBINED:
        before, row = waiting.pop(0)
        after = before.copy()
        after.play(row[-1])
        if after.turn != seat or after.deals_since(dealt):
            continue  # another's turn, or the deal is over
        for move in composer.together(row, after.legal_moves()):
            longer = [*row, move]
            offer = _offer(longer, composer.compose_all(longer))
            key = tuple(sorted(offer.parts))
            room -= len(key)
            if key in keys or room < 0 or len(offers) >= MOST_COMBINED:
                continue
            keys.add(key)
            offers.append(offer)
            waiting.append((after, longer))
    return offers


def why_not(
    match: Match, seat: int, picked: Sequence[str], names: Sequence[str] = ()
) -> Refusal | None:
    """Why no legal move has all the parts `picked` (keys); the last is the one asked about.

    None: a listed move has them; a `Refusal` with a move: they make one that is not listed.
    ValueError: too many, or there is no such part.
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
        return Refusal(_waiting(match, composer))
    parts = [parts_by_key[key] for key in picked]
    if decision.more:
        unlisted = _unlisted(match, composer, parts)
        if unlisted and unlisted.move not in [offer.move for offer in decision.offers]:
            return unlisted
    if decision.with_parts(picked):
        return None
    if decision.more:
        return Refusal("These make no legal move, and are in none of those listed.")
    clash = [parts_by_key[key] for key in _clash(decision, picked)]
    refusal = composer.why_not(clash, lambda move: _refused(match, move))
    return refusal or Refusal(_general(clash))


def _unlisted(match: Match, composer: Composer, picked: Sequence[MovePart]) -> Refusal | None:
    """The legal move that has just these parts, listed or not."""
    move = composer.spell(picked)
    if not move or _refused(match, move):
        return None
    composed = composer.compose(move)
    return Refusal(composed.sentence, composed.clause, move)


def _clash(decision: MoveOptions, picked: Sequence[str]) -> list[str]:
    """Few of `picked` that no offer has together, with which the reason is easy to say.

    The last, which is asked about, alone if it can be; else with one card of the hand; else with
    the cards of the hand and what it needs besides. Of a choice, which is picked last, all.
    """
    offered = [Counter(offer.parts) for offer in decision.offers]

    def apart(keys: Sequence[str]) -> bool:
        picked_counts = Counter(keys)
        return not any(not picked_counts - parts for parts in offered)

    last = picked[-1]
    if last.startswith("choice:"):
        return list(picked)
    hand = [key for key in picked[:-1] if key.startswith("hand:")]
    for few in ([last], *([key, last] for key in hand)):
        if apart(few):
            return few
    clash = list(picked)
    for key in picked[:-1]:
        without = clash[:]
        without.remove(key)
        if not key.startswith("hand:") and apart(without):
            clash = without
    return clash


def _composer(match: Match, seat: int, names: Sequence[str]) -> Composer:
    fmt = match.format
    return fmt.spec.composer(fmt, match.view(seat), names or PLACES[fmt.seats])


def _waiting(match: Match, composer: Composer) -> str:
    if match.turn is None:
        return "The match is over."
    return f"It is not your turn: {composer.names[match.turn]} is to act."


def _refused(match: Match, move: str) -> IllegalMove | None:
    try:
        match.check(move)
    except IllegalMove as error:
        return error
    return None


def _general(parts: Sequence[MovePart]) -> str:
    words = [part.words if part.where else f"“{part.words}”" for part in parts]
    together = " together" if len(words) > 1 else ""
    return f"No legal move uses {listed(words)}{together} now."
