"""Interfaces of a game: `Game` (one object per game) and `Deal` (one object per deal in play).

A match is a chain of deals. Each deal carries all state that the match needs for the following
deals (scores, dealer, number, sheets), and `Deal.next` makes the following deal from it. The match
itself (engine/match.py) provides decks, stores the log and the finished deals, and contains no
rules. `Deal` is a protocol, so a game's deal can be compiled or not, and needs no base class.

`Format` is in this module because games and formats refer to each other. Its code is
``game/variant/table`` and, after ``?``, the options that differ from the defaults, sorted by name:
``cassino/royal/2v2?sweeps=false&target=11``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from random import Random
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol

from engine import registry
from engine.declarations import TABLES, Declaration, Value, spell
from engine.move_parts import Composer

if TYPE_CHECKING:
    from engine.cards import CardGroup
    from engine.encoding_protocol import Encoding
    from engine.events import Event
    from engine.json_types import JsonTypes
    from engine.score_sheet import ScoreLine

MAX_TEXT = 600
"""Maximum length of a format's code: 1.5 times that of the longest, with all options changed."""


LONG = 50
"""If a format with a target allows this many deals or more, `goal` names only the target."""


class Telling(NamedTuple):
    """An event as text: an English sentence, its clause, and the cards or items put down or taken.

    The sentence is empty if there is nothing to report.

    `marked`: the sentence with its seats and verbs marked, which `english.sentence_for` converts to
    the sentence for a seat (*you lay*). `english.make_telling` fills both; without `marked`, the
    sentence is the same for every reader.
    """

    sentence: str
    clause: str = ""
    marks: tuple[str, ...] = ()
    marked: str = ""


class Deal(Protocol):
    """One deal in play. It performs steps without a choice itself, before its methods return."""

    number: int  # the deal's number in the match, from 0
    dealer: int  # seat
    turn: int  # the seat whose turn it is; -1 after the end
    to_act: int  # the seat that must move now (not `turn` in some phases); -1 after the end
    truncated: bool  # after `legal`: more moves exist than were listed
    log: list[Event]  # the match's log; the deal appends to it

    def legal(self) -> list[str]:
        """The moves of the seat to act in the order of the rules, at most `engine.deals.LISTED`."""
        ...

    def check(self, move: str) -> None:
        """Raise IllegalMove if `move` is not legal; a direct test that lists no moves."""
        ...

    def play(self, move: str) -> None:
        """Make a move, then all steps without a choice, and log them.

        If this ends the deal, score it, log its end, and set `to_act` to -1. If the move is not
        legal, raise IllegalMove and change nothing.
        """
        ...

    def scores(self) -> list[int]:
        """The match's scores so far, by side (by seat if sides form in play)."""
        ...

    def sheet(self) -> Mapping[str, Any]:
        """The score sheet of a finished deal: ``points`` by side, and ``lines``.

        `engine.score_sheet.listing` makes the lines, with key, clause, text and points.
        """
        ...

    def result(self, stop: str) -> dict[str, Any] | None:
        """After the end of the deal, the match's result; None if another deal follows.

        If there is a result, log the end of the match. `stop`: the reason why no deal can follow
        (``decks``, ``position``), so that there must be a result; empty if one can.
        """
        ...

    def next(self, deck: Sequence[int]) -> Deal:
        """The following deal of the match, dealt from `deck` (index 0 is the top)."""
        ...

    def view(self, seat: int) -> Mapping[str, Any]:
        """The knowledge of `seat`, as a new JSON-like dict; that of spectators if `seat` is -1.

        A built-in game declares the keys (`Game.json_types`).
        """
        ...

    def copy(self, log: list[Event]) -> Deal:
        """An independent copy that logs to `log`."""
        ...


class Adviser(Protocol):
    """A game's help for the search. It sees the deal with all cards, as the search guesses them.
    `weigh` should use only the knowledge of the seat to act; otherwise players in playouts would
    see hidden cards."""

    horizon: int
    """The minimum number of turns after the decision before a playout calls `worth`."""
    doubt: float
    """The usual error, in points, of differences between moves in `weigh`."""

    def weigh(self, deal: Deal) -> list[float]:
        """The value of each listed move for the seat to act, in points.

        The search uses only the differences between moves.
        """
        ...

    def worth(self, deal: Deal, before: Sequence[int]) -> list[float]:
        """The points that the deal is expected to give by its end, in the order of `Deal.scores`.

        `before`: the scores before the deal. If the deal is over, the points must be exact.
        """
        ...


class Game(Declaration):
    """The definition of a game. One stateless instance is exported as ``GAME``.

    A game declares its `name`, `title`, `summary`, `document`, `variants`, `options`, `version` and
    `history` (engine/declarations.py), and has the methods below.
    """

    open_moves: ClassVar[bool] = False
    """Whether all seats see the text of each move. If not, other seats see only the moves that an
    event of the log shows to all."""

    goal_text: ClassVar[str] = "Most points"
    """The goal of a deal: the first words of `goal`."""
    beginner_tip: ClassVar[str] = ""
    """A sentence for beginners, which `goal` appends."""

    def goal(self, fmt: Format) -> str:
        """The goal of the game under this format's options."""
        deals, target = fmt.options.get("deals", 0), fmt.options.get("target", 0)
        if deals == 1:
            sentence = f"{self.goal_text} in this one deal."
        elif not target:
            sentence = f"{self.goal_text} in {deals} deals." if deals else f"{self.goal_text}."
        elif isinstance(deals, int) and 0 < deals < LONG:
            sentence = f"First to {target:,} points, or most after {deals} deals."
        else:
            sentence = f"First to {target:,} points."
        return f"{sentence} {self.beginner_tip}".rstrip()

    def rules(self, fmt: Format) -> Any:  # noqa: ARG002 - games that override it need it
        """The value of `fmt.rules`, which a game derives once for each format and never changes."""
        return None

    def pack(self, fmt: Format) -> list[int]:
        """The ordered pack of the format (docs/rules/README.md, "Deck and shuffle")."""
        raise NotImplementedError

    def first(self, fmt: Format, deck: Sequence[int], log: list[Event]) -> Deal:
        """The first deal of a match."""
        raise NotImplementedError

    def position(self, fmt: Format, state: Mapping[str, Any], log: list[Event]) -> Deal:
        """The deal of a `state` of the rules document (without ``seed``), or ValueError."""
        raise NotImplementedError

    def restore(
        self, fmt: Format, view: Mapping[str, Any], rng: Random, log: list[Event]
    ) -> tuple[Deal, dict[str, Any] | None]:
        """A deal that agrees with the view, and the result if the match is over, else None.

        `rng` deals the hidden cards.
        """
        raise NotImplementedError

    def tell(self, fmt: Format, event: Event) -> Telling:
        """The text of an event."""
        raise NotImplementedError

    def composer(self, fmt: Format, view: Mapping[str, Any], names: Sequence[str]) -> Composer:
        """The parts from which people compose moves, for the `view` of a seat
        (engine/move_parts.py).

        `names`: the names of all seats. Without an override, people choose from the list of moves.
        """
        return Composer(fmt.rules, view, names)

    def known(self, view: Mapping[str, Any]) -> list[str]:  # noqa: ARG002 - games that override it need it
        """Cards in other hands that the view may show, because the seat saw them earlier."""
        return []

    def cards(self, view: Mapping[str, Any]) -> list[str]:
        """All cards of a spectators' view, wherever they are, to check that none is lost."""
        raise NotImplementedError

    def tally(self, fmt: Format, view: Mapping[str, Any]) -> list[ScoreLine]:  # noqa: ARG002 - games that override it need it
        """The score sheet if the deal ended in the state of a spectators' `view`.

        It has a line for each scoring item, as in the score sheet: key, clause, description, and
        points in the order of `Match.scores`. Every view of a format has the same lines in the same
        order, with other points; after the last move of a deal, the points equal the sheet's, by
        key. Lines that a view cannot determine (a bonus for how the deal ended) are omitted. A game
        without a tally does not override this: viewers then show only the match's scores.
        """
        return []

    def adviser(self, fmt: Format) -> Adviser | None:  # noqa: ARG002 - games that override it need it
        """The game's adviser for engine/search.

        If this returns None, the search uses the adviser that engine/search/advisers registers
        under the game's name, if there is one.
        """
        return None

    def encoding(self, fmt: Format) -> Encoding | None:  # noqa: ARG002 - games that override it need it
        """The encoding of the format's views and moves as numbers (engine/encoding.py).

        If this returns None, `encoding_of` makes a generic encoding.
        """
        return None

    def json_types(self) -> JsonTypes | None:
        """The types of views, events and score sheets, for JSON Schema and descriptions of keys.

        None if the game does not declare them.
        """
        return None

    def preview(self, view: Mapping[str, Any]) -> list[CardGroup]:  # noqa: ARG002 - games that override it need it
        """The table of a spectators' `view` for a small picture: a few groups, the most important
        first. Empty groups are not drawn."""
        return []

    def worth(self, view: Mapping[str, Any], side: int) -> float:  # noqa: ARG002 - games that override it need it
        """A rough value, in points, of the cards that a side holds in a seat's `view`.

        The house bot ``greedy`` uses it to compare moves with equal scores.
        """
        return 0.0

    def standing(self, fmt: Format, view: Mapping[str, Any]) -> list[int] | None:  # noqa: ARG002 - games that override it need it
        """The scores by side if deal and match ended in the state of a spectators' `view`.

        None if they are the scores before the deal plus the points of its tally. A game overrides
        this if its scores are settled otherwise.
        """
        return None


def for_people(title: str, people: str) -> str:
    """The title of a game with its table form.

    >>> for_people("Cassino", "in pairs"), for_people("Canasta", "one against two")
    ('Cassino in pairs', 'Canasta, one against two')
    """
    if people in title:
        return title
    has_preposition = people.startswith(("for ", "in "))
    with_comma = not has_preposition or "," in title or " for " in title
    return f"{title}{',' if with_comma else ''} {people}"


class Format:
    """A game, a variant, a table form and all options with their values. Immutable, hashable.

    >>> fmt = Format.parse("cassino/royal/2v2?target=11&sweeps=false&deals=50")
    >>> str(fmt)  # sorted, without default values
    'cassino/royal/2v2?sweeps=false&target=11'
    >>> fmt.seats, fmt.sides, fmt.options["target"]
    (4, ((0, 2), (1, 3)), 11)
    >>> fmt == Format("cassino", "royal", "2v2", {"sweeps": False, "target": 11})
    True
    """

    __slots__ = ("_options", "_rules", "_spec", "_text", "game", "sides", "table", "variant")

    game: str
    variant: str
    table: str
    sides: tuple[tuple[int, ...], ...]

    def __init__(
        self, game: str, variant: str, table: str, options: Mapping[str, Value] | None = None
    ) -> None:
        spec = _game(game)
        form = spec.form(variant, table)
        resolved = spec.resolve(variant, table, options or {})
        spec.check_options(variant, table, resolved)
        changed = [
            f"{name}={spell(value)}"
            for name, value in sorted(resolved.items())
            if value != spec.option(name).default_for(variant, table)
        ]
        set_slot = partial(object.__setattr__, self)  # the one place that fills read-only slots
        set_slot("game", game)
        set_slot("variant", variant)
        set_slot("table", table)
        set_slot("sides", form.sides)
        set_slot("_spec", spec)
        set_slot("_options", MappingProxyType(resolved))
        set_slot(
            "_text", f"{game}/{variant}/{table}" + ("?" + "&".join(changed) if changed else "")
        )
        set_slot("_rules", None)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"A format is read-only: {name} cannot be changed to {value!r}.")

    @classmethod
    def parse(cls, text: str) -> Format:
        """The format with this code; ValueError names the fault and the alternatives.

        Formats are immutable: equal codes may return the same object.
        """
        if isinstance(text, str):
            cached = _PARSED.get(text)
            if cached is not None and cached.spec is registry.game(cached.game):
                return cached
        parsed = cls._parse(text)
        if len(_PARSED) >= _MAX_CACHED:
            _PARSED.clear()
        _PARSED[text] = parsed
        return parsed

    @classmethod
    def _parse(cls, text: str) -> Format:
        if not isinstance(text, str):
            raise ValueError(f"A format is text such as cassino/standard/1v1, not {text!r:.80}.")  # noqa: TRY004 - bad input is a ValueError by contract
        if len(text) > MAX_TEXT:
            raise ValueError(f"A format has at most {MAX_TEXT} characters; this has {len(text):,}.")
        path, mark, query = text.partition("?")
        parts = path.split("/")
        if len(parts) != 3 or not text.isprintable():
            raise ValueError(
                f"{text!r:.200} is not a format. A format is game/variant/table, "
                "such as cassino/standard/1v1 or cassino/royal/2v2?target=11."
            )
        game, variant, table = parts
        spec = registry.game(game)
        spec.form(variant, table)
        options: dict[str, Value] = {}
        for part in query.split("&") if mark else ():
            name, equals, value = part.partition("=")
            if not equals:
                raise ValueError(f"{part!r} is not an option. An option is name=value: deals=1.")
            if name in options:
                raise ValueError(f"Option {name} is given twice; leave one of them out.")
            options[name] = spec.option_for(name, variant, table).parse(value)
        return cls(game, variant, table, options)

    @property
    def options(self) -> Mapping[str, Value]:
        """Every option of the variant with its value. Read-only."""
        return self._options

    def number(self, option: str) -> int:
        """The value of an option that is a whole number."""
        value = self._options[option]
        assert isinstance(value, int)  # noqa: S101 - the option's declaration fixes its type
        return value

    @property
    def seats(self) -> int:
        return TABLES[self.table].seats

    @property
    def words(self) -> str:
        """The title of variant and table form, without options.

        >>> Format.parse("cassino/royal/2v2").words
        'Royal Cassino in pairs'
        """
        title = next(
            variant.title for variant in self.spec.variants if variant.name == self.variant
        )
        return for_people(title, TABLES[self.table].people)

    @property
    def spec(self) -> Game:
        """The game's definition."""
        return self._spec

    @property
    def rules(self) -> Any:
        """Data that the game derives once from the options (tables, limits), for its own use."""
        if self._rules is None:
            object.__setattr__(self, "_rules", self._spec.rules(self))
        return self._rules

    def side(self, seat: int) -> int:
        """The side of a seat at the start of a deal."""
        return next(side for side, seats in enumerate(self.sides) if seat in seats)

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"Format.parse({self._text!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Format) and self._text == other._text

    def __hash__(self) -> int:
        return hash(self._text)

    def __copy__(self) -> Format:
        return self

    def __deepcopy__(self, memo: object) -> Format:
        return self

    def __reduce__(self) -> tuple[Callable[[str], Format], tuple[str]]:
        return Format.parse, (self._text,)

    _options: Mapping[str, Value]
    _rules: Any
    _spec: Game
    _text: str


_MAX_CACHED = 256  # cached formats, with the data that their games derive
_PARSED: dict[str, Format] = {}


def _game(name: str) -> Game:
    game = registry.game(name)
    if not isinstance(game, Game):
        raise TypeError(f"The game {name} must be an engine.game.Game, not {game!r:.80}.")
    return game
