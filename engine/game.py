"""What a game implements: a `Game` (one object a game) and a `Deal` (one object a deal in play).

A match is a chain of deals. Each deal carries all that the match needs from one deal to the next
(scores, dealer, number, sheets): `Deal.next` makes the following deal from it. The match itself
(engine/match.py) brings decks, keeps the log and the finished deals, and knows no rules.
`Deal` is a protocol, so that a game's deal can be compiled or not, and needs no base class.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol

from engine.formats import TABLES, Format, Option, Value, Variant

if TYPE_CHECKING:
    from engine.events import Event
    from engine.sheets import Line

LISTED = 512  # moves listed at most (docs/rules/README.md, "Moves")


class Telling(NamedTuple):
    """An event in words: one plain English sentence (empty: nothing to say), the clause behind it,
    and the cards or items that it put down or took, by their texts."""

    sentence: str
    clause: str = ""
    marks: tuple[str, ...] = ()


class Change(NamedTuple):
    """A version of a game's rules: from which day on (ISO), and what is another way, with its
    clauses."""

    version: int
    date: str
    changes: str


class Deal(Protocol):
    """One deal in play. Steps without a choice are made by the deal itself, before it returns."""

    number: int  # of the deal in the match, from 0
    dealer: int  # seat
    turn: int  # seat whose turn it is; -1 when the deal is over
    to_act: int  # seat that must move now (differs from `turn` in some phases); -1 when over
    truncated: bool  # after `legal`: more moves exist than were listed
    log: list[Event]  # the match's log; the deal appends to it

    def legal(self) -> list[str]:
        """The moves of the seat to act, in the order of the rules, `LISTED` at most."""
        ...

    def check(self, move: str) -> None:
        """IllegalMove if `move` is not legal; a direct test that enumerates nothing."""
        ...

    def play(self, move: str) -> None:
        """Make a move, log it and all that follows without a choice; IllegalMove changes nothing.

        When this ends the deal, `to_act` is -1, the deal is scored and its end logged.
        """
        ...

    def scores(self) -> list[int]:
        """The match's scores so far, one number per side (per seat where sides form in play)."""
        ...

    def sheet(self) -> dict[str, Any]:
        """The score sheet of a finished deal: ``points`` per side, and ``lines``.

        The lines as `engine.sheets.listing` gives them, with key, clause, words and points.
        """
        ...

    def result(self, stop: str) -> dict[str, Any] | None:
        """After the end of the deal: the match's result, or None when another deal follows.

        `stop` is empty if another deal can follow, else the reason why none can (``decks``,
        ``position``): then the answer is a result. Logs the end of the match.
        """
        ...

    def next(self, deck: Sequence[int]) -> Deal:
        """The following deal of the match, dealt from `deck` (index 0 is the top)."""
        ...

    def view(self, seat: int) -> dict[str, Any]:
        """What `seat` may know, JSON-able and fresh; the spectators' view for seat -1."""
        ...

    def copy(self, log: list[Event]) -> Deal:
        """An independent copy that logs into `log`."""
        ...


class Game:
    """The definition of a game. One instance, without state, exported as ``GAME``."""

    name: ClassVar[str]
    title: ClassVar[str]
    summary: ClassVar[str]
    document: ClassVar[str]  # name of the rules document, without path
    variants: ClassVar[tuple[Variant, ...]]
    options: ClassVar[tuple[Option, ...]]
    version: ClassVar[int] = 1  # of the rules; one more whenever a match could go another way
    history: ClassVar[tuple[Change, ...]] = ()  # its versions, the first first

    @property
    def tables(self) -> tuple[str, ...]:
        """Names of the table forms, in the order of `TABLES`."""
        used = {table for variant in self.variants for table in variant.tables}
        return tuple(table for table in TABLES if table in used)

    def option(self, name: str) -> Option:
        """The option called `name`; KeyError if there is none."""
        for option in self.options:
            if option.name == name:
                return option
        raise KeyError(name)

    def check_options(self, variant: str, table: str, options: Mapping[str, Value]) -> None:
        """ValueError for a forbidden combination of options. By default all go together."""

    def rules(self, fmt: Format) -> Any:  # noqa: ARG002 - games that override it need it
        """What `fmt.rules` gives: derived once per format object, never changed."""
        return None

    def pack(self, fmt: Format) -> list[int]:
        """The fresh deck of the format (docs/rules/README.md, "Deck and shuffle")."""
        raise NotImplementedError

    def first(self, fmt: Format, deck: Sequence[int], log: list[Event]) -> Deal:
        """The first deal of a match."""
        raise NotImplementedError

    def position(self, fmt: Format, state: Mapping[str, Any], log: list[Event]) -> Deal:
        """The deal of a `state` of the rules document (without ``seed``); ValueError if wrong."""
        raise NotImplementedError

    def restore(
        self, fmt: Format, view: Mapping[str, Any], rng: Random, log: list[Event]
    ) -> tuple[Deal, dict[str, Any] | None]:
        """A deal that looks the same to the view's seat, hidden cards dealt by `rng`.

        And the result, if the match is over.
        """
        raise NotImplementedError

    def tell(self, fmt: Format, event: Event) -> Telling:
        """An event in words."""
        raise NotImplementedError

    def known(self, view: Mapping[str, Any]) -> list[str]:  # noqa: ARG002 - games that override it need it
        """Cards in other hands that the view rightly shows, as having been seen there."""
        return []

    def cards(self, view: Mapping[str, Any]) -> list[str]:
        """All cards of a spectators' view, wherever they are: to check that none is lost."""
        raise NotImplementedError

    def tally(self, fmt: Format, view: Mapping[str, Any]) -> list[Line]:  # noqa: ARG002 - games that override it need it
        """What the deal would score if it ended as a spectators' `view` shows it.

        A line for each thing that counts, as in the score sheet: its key and clause, what it is
        for, and the points by side, as `Match.scores` goes. Every view of a format gives the same
        lines in the same order, with other points; after the last move of a deal those of the
        sheet, by their keys. What a view does not tell (a bonus for how the deal was ended) is left
        out. A game without a tally leaves this alone: viewers then show the scores of the match
        only.
        """
        return []

    def describe_game(self) -> dict[str, Any]:
        """The game as JSON: for pages, REST and the command line."""
        return {
            "name": self.name,
            "title": self.title,
            "summary": self.summary,
            "document": self.document,
            "version": self.version,
            "history": [change._asdict() for change in self.history],
            "tables": [
                {
                    "name": name,
                    "title": TABLES[name].title,
                    "seats": TABLES[name].seats,
                    "sides": [list(side) for side in TABLES[name].sides],
                }
                for name in self.tables
            ],
            "variants": [
                {
                    "name": variant.name,
                    "title": variant.title,
                    "meaning": variant.meaning,
                    "tables": list(variant.tables),
                }
                for variant in self.variants
            ],
            "options": [option.describe() for option in self.options],
        }


class NewDeal(Deal, Protocol):
    """A deal that has not been dealt yet."""

    def start(self, deck: Sequence[int]) -> None:
        """Deal from `deck` (index 0 is the top), and make all steps without a choice."""
        ...


class Parts(NamedTuple):
    """The functions that a game of this house consists of; `rules` is what `Game.rules` gives."""

    rules: Callable[[Format], Any]
    deal: Callable[[Any, list[Event]], NewDeal]  # rules, log: the first deal of a match
    from_state: Callable[[Any, Mapping[str, Any], list[Event]], Deal]
    restore: Callable[
        [Any, Mapping[str, Any], Random, list[Event]], tuple[Deal, dict[str, Any] | None]
    ]
    tell: Callable[[Format, Event], Telling]
    tally: Callable[[Any, Mapping[str, Any]], list[Line]]


class GameOfParts(Game):
    """A game whose methods are functions of its modules, so that it says only what is its own."""

    parts: ClassVar[Parts]

    def piles(self, view: Mapping[str, Any]) -> Sequence[Sequence[str]]:
        """The piles of a spectators' view besides hands and stock."""
        raise NotImplementedError

    def cards(self, view: Mapping[str, Any]) -> list[str]:
        """All cards of a spectators' view."""
        piles = [*view["hands"], view["stock_cards"], *self.piles(view)]
        return [card for pile in piles for card in pile]

    def rules(self, fmt: Format) -> Any:
        """The format's numbers, limits and switches."""
        return self.parts.rules(fmt)

    def first(self, fmt: Format, deck: Sequence[int], log: list[Event]) -> Deal:
        """The first deal of a match."""
        deal = self.parts.deal(fmt.rules, log)
        deal.start(deck)
        return deal

    def position(self, fmt: Format, state: Mapping[str, Any], log: list[Event]) -> Deal:
        """A `state` of the rules document."""
        return self.parts.from_state(fmt.rules, state, log)

    def restore(
        self, fmt: Format, view: Mapping[str, Any], rng: Random, log: list[Event]
    ) -> tuple[Deal, dict[str, Any] | None]:
        """A deal that looks the same as a view of the rules document."""
        return self.parts.restore(fmt.rules, view, rng, log)

    def tell(self, fmt: Format, event: Event) -> Telling:
        """An event in words."""
        return self.parts.tell(fmt, event)

    def tally(self, fmt: Format, view: Mapping[str, Any]) -> list[Line]:
        """What the deal would score if it ended as the view shows it."""
        return self.parts.tally(fmt.rules, view)
