"""The parts of a move: a person picks from hand and table until one legal move is left.

A page that lets people play contains no rules. A game's `Composer` names the parts of each legal
move: cards in the hand, things on the table, targets and choices. It also explains why other moves
are not possible. It is made from the view of a seat, so it cannot reveal more. Without a game's own
composer, each move is one part with the move's text as its name. Pages use engine/move_options.py.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from engine.errors import IllegalMove

# Values of `Composed.effect`.
ENDS: Final = "ends"  # the deal is over
OUT: Final = "out"  # the seat goes out, and the deal is over
MATCH: Final = "match"  # the match is over
BINDS: Final = "binds"  # a duty or a ban for the rest of the turn
EFFECTS: Final = ("", ENDS, OUT, MATCH, BINDS)

# Values of `TurnStep.state`.
DONE: Final = "done"
NOW: Final = "now"
NEXT: Final = "next"

Path = tuple[str | int, ...]
"""Keys and indices of a thing in a seat's view: ``("table", 2)``."""


class MovePart(NamedTuple):
    """Something that can be picked.

    `key`: its kind, and its name after a colon: ``hand:9C``, ``item:[3D+4C=7]``, ``choice:end``. A
    key identifies one part of a decision, and is stable while the thing stays in place. `words`:
    its name in a sentence. `where`: its path in the seat's view. Equal things have several paths:
    any of them will do, and a move that has the part twice needs two. A choice has no path.
    """

    key: str
    words: str
    where: tuple[Path, ...] = ()

    @property
    def kind(self) -> str:
        """Its kind: ``hand``, ``item``, ``meld``, ``mast``, ``choice`` …"""
        return self.key.partition(":")[0]

    @property
    def name(self) -> str:
        """Its name: the key without the kind."""
        return self.key.partition(":")[2]


class Composed(NamedTuple):
    """A legal move split into parts by its game.

    `parts`: in the order in which a person would pick them. `sentence`: describes the move, in the
    present tense, to the person who may play it; `clause`: the rule behind it. `effect`: one of
    `EFFECTS`, set only if the seat can know it. `warning`: a sentence to read before playing, or
    empty. `step`: the key of the turn's step that the move makes. `label`: the move on a button, a
    verb and cards (``Take 3♠ 6♥ 9♠``). `leads`: a sentence about its consequence, which does not
    repeat the move. `decides`: the key of the need (`Need`) that it decides or advances most.
    `deed`: the move as an infinitive (``take 3♠ and 6♥ with 9♣``). If a game provides no label or
    deed, pages show the sentence.
    """

    parts: tuple[MovePart, ...]
    sentence: str
    clause: str = ""
    effect: str = ""
    warning: str = ""
    step: str = ""
    label: str = ""
    leads: str = ""
    decides: str = ""
    deed: str = ""


class Need(NamedTuple):
    """An undecided item of the deal's score, as far as a seat may know it.

    `words`: ``Cards 23 – 13: four more win the 3``. For a quantity with a goal, `have` of `want` is
    reached, and `adds` is the contribution of each part (by key); otherwise `want` is 0.
    """

    key: str
    words: str
    have: int = 0
    want: int = 0
    adds: Mapping[str, int] = MappingProxyType({})

    def as_dict(self) -> dict[str, Any]:
        return {**self._asdict(), "adds": dict(self.adds)}


class TurnStep(NamedTuple):
    """A step of a turn: its key, its name for people, and `DONE`, `NOW` or `NEXT`."""

    key: str
    words: str
    state: str


class Refusal(NamedTuple):
    """Why no listed move has the picked parts: one sentence with its clause.

    `move`: the legal move that the parts make, if it was not listed; then the sentence describes
    it.
    """

    sentence: str
    clause: str = ""
    move: str = ""

    def as_dict(self) -> dict[str, str]:
        return self._asdict()


Refuse = Callable[[str], IllegalMove | None]
"""Tests a move's text with the engine; returns the error that forbids it, or None."""


class Composer:
    """Composes the moves of one decision from parts; games that people play have a subclass.

    Created for each decision from the value of `Game.rules`, the view of a seat, and the names of
    all seats.
    """

    def __init__(self, rules: Any, view: Mapping[str, Any], names: Sequence[str]) -> None:
        self.rules = rules
        self.view = view
        self.names = names
        self.seat: int = view["seat"]

    def possessive(self, seat: int) -> str:
        """``your``, or the name of another seat, as in ``Ann's``."""
        return "your" if seat == self.seat else f"{self.names[seat]}'s"

    def pickable_parts(self) -> list[MovePart]:
        """The parts in the hand and on the table that a person can pick or ask about."""
        return []

    def steps(self) -> list[TurnStep]:
        """The steps of the turn, if it has several."""
        return []

    def needs(self) -> list[Need]:
        """The undecided items of this deal's score, the most valuable first."""
        return []

    def prompt(self, legal: Sequence[str]) -> str:  # noqa: ARG002 - games that override it need it
        """One sentence about the current choice and its alternatives, or empty."""
        return ""

    def chains(self, move: str) -> bool:  # noqa: ARG002 - games that override it need it
        """Whether a legal move may be played in one go with others (`together`)."""
        return False

    def together(self, moves: Sequence[str], legal: Sequence[str]) -> list[str]:  # noqa: ARG002 - games that override it need it
        """The moves after `moves` that a person plays in one go with them.

        `moves` begins with a move of this decision. For example, a hand of four kings is melded in
        one go, while the rules require a meld of three and an addition.
        """
        return []

    def compose_all(self, moves: Sequence[str]) -> Composed:
        """Moves that `together` allows, split into parts like one move."""
        return self.compose(moves[0])

    def compose(self, move: str) -> Composed:
        """A legal move split into parts. Different moves have different parts."""
        return Composed((MovePart(f"choice:{move}", move),), f"You play {move}.")

    def spell(self, picked: Sequence[MovePart]) -> str:  # noqa: ARG002 - games that override it need it
        """The move with exactly these parts, legal or not; empty if there is none.

        Called only if not all legal moves are listed.
        """
        return ""

    def why_not(self, picked: Sequence[MovePart], refuse: Refuse) -> Refusal | None:  # noqa: ARG002 - games that override it need it
        """Why no legal move has all of `picked`.

        `picked`: a small subset of a person's picks that no move contains. Its last part is in
        question; the others are the few that are necessary (`move_options._conflicting_parts`).
        `refuse`: tests the text of a move, in order to find a clause. If this returns None, the
        page states only that no move has these parts.
        """
        return None
