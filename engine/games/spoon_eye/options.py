"""Spoon Eye's variants and options (section 2 of the rules), and what follows from them."""

from __future__ import annotations

from typing import Final

from engine.declarations import Option, Value, Variant
from engine.game import Format

TABLES = ("1v1", "ffa3", "ffa4", "2v2")  # SPO-1, SPO-52, SPO-56
VARIANTS = (
    Variant("basic", "Spoon Eye", "One deal; most cards won.", TABLES),
    Variant("standard", "Standard Spoon Eye", "Nest moves, doubled cards; to 100.", TABLES),
)
_BOOL = (False, True)
_ON = (("standard", "*", True),)
OPTIONS = (
    Option(
        "bonus",
        default=False,
        meaning="Suit bonuses above the line.",
        clause="SPO-47",
        values=_BOOL,
        defaults=_ON,
    ),
    Option(
        "deals",
        default=1,
        meaning="The match ends after this many deals at the latest.",
        clause="SPO-51",
        low=1,
        high=200,
        defaults=(("standard", "*", 50),),
    ),
    Option(
        "double",
        default=False,
        meaning="Some won cards count twice.",
        clause="SPO-41 to SPO-44",
        values=_BOOL,
        defaults=_ON,
    ),
    Option(
        "nest",
        default=False,
        meaning="A crow's nest may be moved in place of a turn.",
        clause="SPO-37, SPO-38",
        values=_BOOL,
        defaults=_ON,
    ),
    Option(
        "opening",
        default=False,
        meaning="A special card moved in the first turn has its effect.",
        clause="SPO-39",
        values=_BOOL,
        defaults=_ON,
    ),
    Option(
        "run",
        default=4,
        meaning="Most crow's nest moves in a row by one seat.",
        clause="SPO-40",
        low=1,
        high=9,
    ),
    Option(
        "sevens",
        default=False,
        meaning="Three sevens swap hands.",
        clause="SPO-45",
        values=_BOOL,
        defaults=_ON,
    ),
    Option(
        "target",
        default=0,
        meaning="Points below the line that end the match. 0: play a fixed number of deals.",
        clause="SPO-48",
        low=0,
        high=1000,
        defaults=(("standard", "*", 100),),
    ),
)
SEATS: Final = 4  # most seats (SPO-1)
FULL: Final = 21  # a mast of this value is raised (SPO-19); none may be worth more (SPO-10)
ROW: Final = 4  # most masts in a row (SPO-12), dealt to each (SPO-5), and cards dealt to each hand


class Rules:
    """What Spoon Eye derives once from a format; never changed afterwards."""

    def __init__(self, fmt: Format) -> None:
        options = fmt.options
        seats = fmt.seats
        self.text: str = str(fmt)
        self.seats: int = seats
        self.sides: list[list[int]] = [list(side) for side in fmt.sides]
        self.side_of: list[int] = [fmt.side(seat) for seat in range(seats)]
        # SPO-52, SPO-56: those who are no partners, clockwise from the left
        self.opponents: list[list[int]] = [
            [
                other
                for other in ((seat + step) % seats for step in range(1, seats))
                if self.side_of[other] != self.side_of[seat]
            ]
            for seat in range(seats)
        ]
        self.bonus: bool = bool(options["bonus"])
        self.deals: int = _number(options["deals"])
        self.double: bool = bool(options["double"])
        self.nest: bool = bool(options["nest"])
        self.opening: bool = bool(options["opening"])
        self.run: int = _number(options["run"])
        self.sevens: bool = bool(options["sevens"])
        self.target: int = _number(options["target"])


def _number(value: Value) -> int:
    assert isinstance(value, int)  # noqa: S101 - the option's specification says so
    return value
