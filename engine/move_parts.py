"""The parts of a move: what a person picks of hand and table until one legal move is left.

A page that lets people play knows no rules. A game's `Composer` names the cards of the hand, the
things on the table, targets and choices that each legal move touches, and explains why others
cannot be played. It is made from the view of a seat, so it cannot reveal more. Without one each
move is one part with the move's text as its name. Pages use engine/move_options.py.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from engine.errors import IllegalMove

# What a move brings with it, as `Composed.effect` says it.
ENDS: Final = "ends"  # the deal is over
OUT: Final = "out"  # the seat goes out, and the deal is over
MATCH: Final = "match"  # the match is over
BINDS: Final = "binds"  # a duty or a ban for the rest of the turn
EFFECTS: Final = ("", ENDS, OUT, MATCH, BINDS)

# Where a step of a turn stands, as `TurnStep.state` says it.
DONE: Final = "done"
NOW: Final = "now"
NEXT: Final = "next"

Path = tuple[str | int, ...]
"""Keys and indices that lead to a thing in a seat's view: ``("table", 2)``."""


class MovePart(NamedTuple):
    """Something that can be picked.

    `key`: its kind, and after a colon which one: ``hand:9C``, ``item:[3D+4C=7]``, ``choice:end``.
    A key names one part of a decision, and stays while the thing lies where it is. `words`: what a
    sentence calls it. `where`: its place in the seat's view; several places if equal things are
    interchangeable: any of them will do, and a move that has the part twice needs two. Empty for a
    choice, which lies nowhere.
    """

    key: str
    words: str
    where: tuple[Path, ...] = ()

    @property
    def kind(self) -> str:
        """What it is: ``hand``, ``item``, ``meld``, ``mast``, ``choice`` …"""
        return self.key.partition(":")[0]

    @property
    def name(self) -> str:
        """Which one it is: the key without the kind."""
        return self.key.partition(":")[2]


class Composed(NamedTuple):
    """A legal move taken apart by its game.

    `parts`: in the order in which one would pick them. `sentence`: what it does, in the present
    tense, to the one who may play it; `clause`: the rule behind it. `effect`: one of `EFFECTS`,
    said only where the seat can know it. `warning`: a sentence to read before playing, or empty.
    `step`: the key of the turn's step that the move makes. `label`: the move on a button, a verb
    and cards (``Take 3♠ 6♥ 9♠``); `leads`: a sentence about its consequence, which does not
    repeat the move. `decides`: the key of the need (`Need`) that it decides or brings nearest.
    `deed`: the move as an infinitive (``take 3♠ and 6♥ with 9♣``). Where a game gives no label or
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
    """Something that still counts and can change in this deal, as a seat may know it.

    `words`: ``Cards 23 – 13: four more win the 3``. Where it is a quantity to be reached, `have` of
    `want` is there, and `adds` has what each part (by key) adds to it; `want` is 0 elsewhere.
    """

    key: str
    words: str
    have: int = 0
    want: int = 0
    adds: Mapping[str, int] = MappingProxyType({})

    def as_dict(self) -> dict[str, Any]:
        return {**self._asdict(), "adds": dict(self.adds)}


class TurnStep(NamedTuple):
    """A step of a turn that has several: its key, its name for people, `DONE`, `NOW` or `NEXT`."""

    key: str
    words: str
    state: str


class Refusal(NamedTuple):
    """Why picked parts are in no listed move: one sentence with its clause.

    `move`: the legal move that the parts make, if it was not listed; then the sentence is about it.
    """

    sentence: str
    clause: str = ""
    move: str = ""

    def as_dict(self) -> dict[str, str]:
        return self._asdict()


Refuse = Callable[[str], IllegalMove | None]
"""The engine's own test of a move's text: what forbids it, or None."""


class Composer:
    """How the moves of one decision are put together; a game that people play has its own.

    Created for each decision from the value of `Game.rules`, the view of a seat, and the names of
    all seats.
    """

    def __init__(self, rules: Any, view: Mapping[str, Any], names: Sequence[str]) -> None:
        self.rules = rules
        self.view = view
        self.names = names
        self.seat: int = view["seat"]

    def things(self) -> list[MovePart]:
        """What lies in the hand and on the table that can be picked or asked about."""
        return []

    def steps(self) -> list[TurnStep]:
        """The steps of the turn, if it has several."""
        return []

    def needs(self) -> list[Need]:
        """What can still change in this deal and counts, what counts most first."""
        return []

    def prompt(self, legal: Sequence[str]) -> str:  # noqa: ARG002 - games that override it need it
        """One sentence about the choice at hand and its alternatives; empty: nothing special."""
        return ""

    def chains(self, move: str) -> bool:  # noqa: ARG002 - games that override it need it
        """Whether a legal move may be played in one go with others (`together`)."""
        return False

    def together(self, moves: Sequence[str], legal: Sequence[str]) -> list[str]:  # noqa: ARG002 - games that override it need it
        """The moves, legal after `moves`, that a person plays in one go with them.

        `moves` begins with a move of this decision. So a hand of four kings is melded where the
        rules know only a meld of three and an addition.
        """
        return []

    def compose_all(self, moves: Sequence[str]) -> Composed:
        """Moves that `together` allows, taken apart as if they were one."""
        return self.compose(moves[0])

    def compose(self, move: str) -> Composed:
        """A legal move taken apart. Different moves have different parts."""
        return Composed((MovePart(f"choice:{move}", move),), f"You play {move}.")

    def spell(self, picked: Sequence[MovePart]) -> str:  # noqa: ARG002 - games that override it need it
        """The move that has just these parts, legal or not; empty if that is none.

        Asked only where not all legal moves are listed.
        """
        return ""

    def why_not(self, picked: Sequence[MovePart], refuse: Refuse) -> Refusal | None:  # noqa: ARG002 - games that override it need it
        """Why no legal move has all of `picked`.

        `picked` is the smallest part of a person's picks that no move has; the last is the one
        asked about. It stands alone if no move has it, else with a card of the hand with which no
        move has it, else with all that is needed. `refuse` finds clauses. None: the page says only
        that no move has them.
        """
        return None
