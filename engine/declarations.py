"""The declaration of a game: its variants, table forms, options and history.

A format (`engine.game.Format`) names a game, a variant, a table form and options; a declaration
defines which of these exist.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple

from engine.figures import Figure

Value = bool | int | str


class TableForm(NamedTuple):
    """A table form: the number of seats, and the seats that score together."""

    name: str
    title: str
    people: str
    """The table form in a format's title, as in *Cassino in pairs*."""
    sides: tuple[tuple[int, ...], ...]

    @property
    def seats(self) -> int:
        return sum(map(len, self.sides))


def _each_alone(seats: int) -> tuple[tuple[int, ...], ...]:
    return tuple((seat,) for seat in range(seats))


_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight")
_LIST = (
    TableForm("1v1", "two players", "for two", _each_alone(2)),
    *(
        TableForm(
            f"ffa{n}", f"{_NUMBERS[n]} players, each alone", f"for {_NUMBERS[n]}", _each_alone(n)
        )
        for n in range(3, 9)
    ),
    TableForm("2v2", "four players, partners opposite", "in pairs", ((0, 2), (1, 3))),
    TableForm(
        "3v3",
        "six players on two sides, in alternate seats",
        "in threes",
        ((0, 2, 4), (1, 3, 5)),
    ),
    TableForm(
        "2v2v2",
        "six players in three pairs, partners opposite",
        "in three pairs",
        ((0, 3), (1, 4), (2, 5)),
    ),
    TableForm(
        "1v2",
        "three players: one against two, decided during play",
        "one against two",
        _each_alone(3),
    ),
    TableForm(
        "3v2-rest",
        "three against two: four play, one rests in turn",
        "three against two, one resting",
        ((0, 2, 4), (1, 3)),
    ),
    TableForm(
        "3v3-rest",
        "three against three: four play, two rest in turn",
        "three against three, two resting",
        ((0, 2, 4), (1, 3, 5)),
    ),
)
TABLES: Mapping[str, TableForm] = MappingProxyType({table.name: table for table in _LIST})
# Names of seats by number: seat 0 is South, then clockwise.
PLACES: Mapping[int, tuple[str, ...]] = MappingProxyType(
    {
        2: ("South", "North"),
        3: ("South", "West", "East"),
        4: ("South", "West", "North", "East"),
        5: ("South", "South-west", "North-west", "North-east", "South-east"),
        6: ("South", "South-west", "North-west", "North", "North-east", "South-east"),
        7: ("South", "South-west", "West", "North-west", "North-east", "East", "South-east"),
        8: (
            "South",
            "South-west",
            "West",
            "North-west",
            "North",
            "North-east",
            "East",
            "South-east",
        ),
    }
)


class Variant(NamedTuple):
    """A named, complete set of rules, and its table forms."""

    name: str
    title: str
    meaning: str
    tables: tuple[str, ...]


class Option(NamedTuple):
    """A rule of a game with several values.

    `values`: the choices of a named or true/false option; empty for a number, which is from `low`
    to `high`. `defaults`: exceptions to `default`, each (variant, table, value), where ``*``
    matches any; the first match applies. `variants` and `tables`: the variants and table forms that
    have the option; if empty, all have it.
    """

    name: str
    default: Value
    meaning: str
    clause: str
    values: tuple[Value, ...] = ()
    low: int = 0
    high: int = 0
    defaults: tuple[tuple[str, str, Value], ...] = ()
    variants: tuple[str, ...] = ()
    tables: tuple[str, ...] = ()

    @property
    def type(self) -> str:
        """``bool``, ``int`` or ``choice``."""
        if isinstance(self.default, bool):
            return "bool"
        return "int" if isinstance(self.default, int) else "choice"

    @property
    def allowed(self) -> str:
        """The allowed values, as text for a message."""
        if self.values:
            return join_words([spell(value) for value in self.values], "or")
        return f"a whole number from {self.low} to {self.high}"

    def applies(self, variant: str, table: str) -> bool:
        """Whether the option exists in this variant at this table."""
        return (not self.variants or variant in self.variants) and (
            not self.tables or table in self.tables
        )

    def default_for(self, variant: str, table: str) -> Value:
        for option_variant, option_table, value in self.defaults:
            if option_variant in ("*", variant) and option_table in ("*", table):
                return value
        return self.default

    def parse(self, text: str) -> Value:
        """The value that `text` denotes; ValueError lists the allowed values."""
        for value in self.values:
            if text == spell(value):
                return value
        if not self.values and text.isascii() and text.isdigit() and len(text) < 10:
            number = int(text)
            if self.low <= number <= self.high:
                return number
        raise ValueError(f"Option {self.name} cannot be {text!r}: it is {self.allowed}.")

    def describe(self) -> dict[str, Any]:
        """The option as JSON, for pages, REST and the command line."""
        return {
            "name": self.name,
            "type": self.type,
            "values": list(self.values) if self.values else None,
            "low": None if self.values else self.low,
            "high": None if self.values else self.high,
            "default": self.default,
            "defaults": [
                {"variant": variant, "table": table, "value": value}
                for variant, table, value in self.defaults
            ],
            "variants": list(self.variants) or None,
            "tables": list(self.tables) or None,
            "meaning": self.meaning,
            "clause": self.clause,
        }


def switch(
    name: str,
    meaning: str,
    clause: str,
    *,
    on: bool = False,
    defaults: tuple[tuple[str, str, Value], ...] = (),
    variants: tuple[str, ...] = (),
) -> Option:
    """An option that is true or false; `on` is its default."""
    values = (on, not on)
    return Option(name, on, meaning, clause, values, defaults=defaults, variants=variants)


def deals_option(
    clause: str,
    *,
    default: int = 50,
    high: int = 200,
    defaults: tuple[tuple[str, str, Value], ...] = (),
) -> Option:
    """The option ``deals``, which most games have."""
    meaning = "The match ends after this many deals at the latest."
    return Option("deals", default, meaning, clause, low=1, high=high, defaults=defaults)


def spell(value: Value) -> str:
    """The text of a value in a format.

    >>> spell(True), spell(21), spell("highest")
    ('true', '21', 'highest')
    """
    return str(value).lower() if isinstance(value, bool) else str(value)


def join_words(words: Sequence[str], joiner: str = "and") -> str:
    """The words as a list in a sentence.

    >>> join_words(["a", "b", "c"]), join_words(["a", "b"], "or")
    ('a, b and c', 'a or b')
    """
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} {joiner} {words[-1]}"


class Change(NamedTuple):
    """A version of a game's rules: the ISO date from which it applies, and its changes."""

    version: int
    date: str
    changes: str


class Levels(NamedTuple):
    """The expert's levels at a game, and the measured strength of opponents (docs/14-expert.md).

    `playouts`, `overlooks`: for each level, the weakest first (`engine.search.levels`).
    `rating_steps`: for each opponent of the scale, its rating in two-player deals minus that of the
    previous opponent; 0 if too few deals were played for a result. Empty if nobody measured it.
    """

    playouts: tuple[int, ...] = (12, 40, 130, 430, 1400)
    overlooks: tuple[float, ...] = (0.62, 0.47, 0.32, 0.17, 0.0)
    rating_steps: tuple[int, ...] = ()


class Declaration:
    """The constants of a game; `engine.game.Game` adds its behaviour."""

    name: ClassVar[str]
    title: ClassVar[str]
    summary: ClassVar[str]
    document: ClassVar[str]  # name of the rules document, without path
    variants: ClassVar[tuple[Variant, ...]]
    options: ClassVar[tuple[Option, ...]]
    version: ClassVar[int] = 1  # raised whenever a match could go differently
    history: ClassVar[tuple[Change, ...]] = ()  # versions of the rules, oldest first
    figures: ClassVar[tuple[Figure, ...]] = ()  # counted in each match, in the order of pages
    lead_sd: ClassVar[tuple[float, float]] = (20.0, 20.0)
    """The standard deviation, in points, of the lead after one deal between equal players: for two
    seats, and for more. Measured over 150 deals by `python -m tests.strength.lead_sd`, so accurate
    to about a tenth."""
    levels: ClassVar[Levels] = Levels()

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
        """Raise ValueError for a forbidden combination of options; by default there is none."""

    def form(self, variant: str, table: str) -> TableForm:
        """The table form `table` of a variant; ValueError if the variant does not have it."""
        variants_by_name = {entry.name: entry for entry in self.variants}
        if variant not in variants_by_name:
            raise ValueError(
                f"No variant is called {variant or 'nothing'}. "
                f"{self.title} has {join_words(list(variants_by_name))}."
            )
        if table not in self.tables:
            raise ValueError(
                f"No table form is called {table or 'nothing'}. "
                f"{self.title} has {join_words(self.tables)}."
            )
        if table not in variants_by_name[variant].tables:
            raise ValueError(
                f"{self.title} {variant} is not played at {table}. "
                f"It has {join_words(variants_by_name[variant].tables)}."
            )
        return TABLES[table]

    def option_for(self, name: str, variant: str, table: str) -> Option:
        """The option `name`; ValueError if the variant does not have it at this table."""
        try:
            option = self.option(name)
        except KeyError:
            names = [entry.name for entry in self.options if entry.applies(variant, table)]
            raise ValueError(
                f"No option is called {name or 'nothing'}. "
                f"{self.title} {variant} has {join_words(sorted(names))}."
            ) from None
        if not option.applies(variant, table):
            places = join_words([*option.variants, *option.tables])
            raise ValueError(
                f"Option {name} does not exist in {self.name}/{variant}/{table}, but only in "
                f"{places}."
            )
        return option

    def resolve(self, variant: str, table: str, values: Mapping[str, Value]) -> dict[str, Value]:
        """Every option of the variant at this table with its value, in the order of `options`.

        `values`: the values that differ from the defaults. ValueError if the variant does not have
        an option, or an option cannot have its value.
        """
        for name, value in values.items():
            self.option_for(name, variant, table).parse(spell(value))
        return {
            option.name: values.get(option.name, option.default_for(variant, table))
            for option in self.options
            if option.applies(variant, table)
        }

    def describe_game(self) -> dict[str, Any]:
        """The game as JSON, for pages, REST and the command line."""
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
