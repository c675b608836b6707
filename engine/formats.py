"""Formats: which game, in which variant, at which table, with which options.

Written ``game/variant/table`` and, after ``?``, the options that differ from the defaults, sorted
by name: ``cassino/royal/2v2?sweeps=false&target=11``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from engine import registry

if TYPE_CHECKING:
    from engine.game import Game

Value = bool | int | str

MAX_TEXT = 600
"""Characters of a format's text: half as many again as the longest with every option changed."""


class Table(NamedTuple):
    """A table form: how many sit down and which seats score together."""

    name: str
    title: str
    sides: tuple[tuple[int, ...], ...]

    @property
    def seats(self) -> int:
        """Number of seats."""
        return sum(map(len, self.sides))


def _alone(seats: int) -> tuple[tuple[int, ...], ...]:
    return tuple((seat,) for seat in range(seats))


_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight")
_LIST = (
    Table("1v1", "two players", _alone(2)),
    *(Table(f"ffa{n}", f"{_NUMBERS[n]} players, each alone", _alone(n)) for n in range(3, 9)),
    Table("2v2", "four players, partners opposite", ((0, 2), (1, 3))),
    Table("3v3", "six players, two sides in alternate seats", ((0, 2, 4), (1, 3, 5))),
    Table("2v2v2", "six players, three pairs, partners opposite", ((0, 3), (1, 4), (2, 5))),
    Table("1v2", "three players, one against two, decided in play", _alone(3)),
    Table("3v2-rest", "three against two, four play, one rests in turn", ((0, 2, 4), (1, 3))),
    Table("3v3-rest", "three against three, four play, two rest in turn", ((0, 2, 4), (1, 3, 5))),
)
TABLES: Mapping[str, Table] = MappingProxyType({table.name: table for table in _LIST})


class Variant(NamedTuple):
    """A named, complete set of rules, and the tables it is played at."""

    name: str
    title: str
    meaning: str
    tables: tuple[str, ...]


class Option(NamedTuple):
    """One switch of a game.

    `values` are the choices of a named or true/false option; a number lies in `low` … `high`.
    `defaults` are exceptions to `default`: (variant, table, value), ``*`` for any, first match
    wins. `variants` and `tables` say where the option exists; empty: everywhere.
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
        """The allowed values in words."""
        if self.values:
            return listed([spell(value) for value in self.values], "or")
        return f"a whole number from {self.low} to {self.high}"

    def applies(self, variant: str, table: str) -> bool:
        """Whether the option exists in this variant at this table."""
        return (not self.variants or variant in self.variants) and (
            not self.tables or table in self.tables
        )

    def default_for(self, variant: str, table: str) -> Value:
        """The default in this variant at this table."""
        for for_variant, for_table, value in self.defaults:
            if for_variant in ("*", variant) and for_table in ("*", table):
                return value
        return self.default

    def parse(self, text: str) -> Value:
        """The value written `text`; ValueError says which there are."""
        for value in self.values:
            if text == spell(value):
                return value
        if not self.values and text.isascii() and text.isdigit() and len(text) < 10:
            number = int(text)
            if self.low <= number <= self.high:
                return number
        raise ValueError(f"Option {self.name} cannot be {text!r}: it is {self.allowed}.")

    def describe(self) -> dict[str, Any]:
        """The option as JSON: for pages, REST and the command line."""
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


def spell(value: Value) -> str:
    """A value as it is written in a format."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def listed(words: Sequence[str], joiner: str = "and") -> str:
    """``a, b and c``."""
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} {joiner} {words[-1]}"


class Format:
    """A game, a variant, a table form and every option resolved. Immutable, hashable."""

    __slots__ = ("_options", "_rules", "_spec", "_text", "game", "sides", "table", "variant")

    game: str
    variant: str
    table: str
    sides: tuple[tuple[int, ...], ...]

    def __init__(
        self, game: str, variant: str, table: str, options: Mapping[str, Value] | None = None
    ) -> None:
        spec = registry.game(game)
        form = _form(spec, variant, table)
        resolved = _resolve(spec, variant, table, options or {})
        spec.check_options(variant, table, resolved)
        changed = [
            f"{name}={spell(value)}"
            for name, value in sorted(resolved.items())
            if value != spec.option(name).default_for(variant, table)
        ]
        put: Callable[[str, Any], None] = lambda name, value: object.__setattr__(self, name, value)  # noqa: E731 - the one place that fills the read-only slots
        put("game", game)
        put("variant", variant)
        put("table", table)
        put("sides", form.sides)
        put("_spec", spec)
        put("_options", MappingProxyType(resolved))
        put("_text", f"{game}/{variant}/{table}" + ("?" + "&".join(changed) if changed else ""))
        put("_rules", None)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"A format is read-only: {name} cannot be changed to {value!r}.")

    @classmethod
    def parse(cls, text: str) -> Format:
        """The format written `text`; ValueError names what is wrong and what would do."""
        if not isinstance(text, str):
            raise ValueError(f"A format is text such as cassino/standard/1v1, not {text!r:.80}.")  # noqa: TRY004 - bad input is a ValueError by contract
        if len(text) > MAX_TEXT:
            raise ValueError(f"A format has {MAX_TEXT} characters at most, this one {len(text):,}.")
        path, mark, query = text.partition("?")
        parts = path.split("/")
        if len(parts) != 3 or not text.isprintable():
            raise ValueError(
                f"{text!r:.200} is not a format. A format is game/variant/table, "
                "such as cassino/standard/1v1 or cassino/royal/2v2?target=11."
            )
        game, variant, table = parts
        spec = registry.game(game)
        _form(spec, variant, table)
        options: dict[str, Value] = {}
        for part in query.split("&") if mark else ():
            name, equals, value = part.partition("=")
            if not equals:
                raise ValueError(f"{part!r} is not an option. An option is name=value: deals=1.")
            if name in options:
                raise ValueError(f"Option {name} is given twice; once is enough.")
            options[name] = _option(spec, name, variant, table).parse(value)
        return cls(game, variant, table, options)

    @property
    def options(self) -> Mapping[str, Value]:
        """Every option that the variant has, resolved to its value. Read-only."""
        return self._options

    @property
    def seats(self) -> int:
        """Number of seats."""
        return TABLES[self.table].seats

    @property
    def spec(self) -> Game:
        """The game's definition."""
        return self._spec

    @property
    def rules(self) -> Any:
        """What the game derives once from the options (tables, limits); its own affair."""
        if self._rules is None:
            object.__setattr__(self, "_rules", self._spec.rules(self))
        return self._rules

    def side(self, seat: int) -> int:
        """The side of a seat, as it is before the deal."""
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


def _form(spec: Game, variant: str, table: str) -> Table:
    """The table form, once variant and table are known to exist together."""
    known = {entry.name: entry for entry in spec.variants}
    if variant not in known:
        raise ValueError(
            f"No variant is called {variant or 'nothing'}. {spec.title} has {listed(list(known))}."
        )
    if table not in spec.tables:
        raise ValueError(
            f"No table form is called {table or 'nothing'}. {spec.title} has {listed(spec.tables)}."
        )
    if table not in known[variant].tables:
        raise ValueError(
            f"{spec.title} {variant} is not played at {table}. "
            f"It has {listed(known[variant].tables)}."
        )
    return TABLES[table]


def _option(spec: Game, name: str, variant: str, table: str) -> Option:
    """The option `name`, once it is known to exist in this variant at this table."""
    try:
        option = spec.option(name)
    except KeyError:
        names = [entry.name for entry in spec.options if entry.applies(variant, table)]
        raise ValueError(
            f"No option is called {name or 'nothing'}. "
            f"{spec.title} {variant} has {listed(sorted(names))}."
        ) from None
    if not option.applies(variant, table):
        where = listed([*option.variants, *option.tables])
        raise ValueError(
            f"Option {name} does not exist in {spec.name}/{variant}/{table}; only in {where}."
        )
    return option


def _resolve(spec: Game, variant: str, table: str, given: Mapping[str, Value]) -> dict[str, Value]:
    """Every option of the variant with its value, in the order of the game's list."""
    for name, value in given.items():
        _option(spec, name, variant, table).parse(spell(value))
    return {
        option.name: given.get(option.name, option.default_for(variant, table))
        for option in spec.options
        if option.applies(variant, table)
    }


def all_formats() -> list[Format]:
    """Every game × variant × table form with default options, in a stable order."""
    return [
        Format(spec.name, variant.name, table)
        for spec in registry.games()
        for variant in spec.variants
        for table in variant.tables
    ]


def games() -> list[dict[str, Any]]:
    """Every game as JSON: title, table forms, variants, options with ranges, defaults, clauses."""
    return [spec.describe_game() for spec in registry.games()]
