"""Spoon Eye's variants and options, and the values derived from them.

Source: docs/rules/spoon-eye.md, section 2.
"""

from __future__ import annotations

from typing import Final

from engine.deals import BaseRules
from engine.declarations import Option, Variant, deals_option, switch
from engine.game import Format

TABLES = ("1v1", "ffa3", "ffa4", "2v2")  # SPO-1, SPO-52, SPO-56
VARIANTS = (
    Variant("basic", "Spoon Eye", "One deal; the side that wins the most cards wins.", TABLES),
    Variant("standard", "Standard Spoon Eye", "Nest moves, doubled cards; to 100.", TABLES),
)
_ON = (("standard", "*", True),)  # `Option.defaults`: on in the variant `standard`
OPTIONS = (
    switch("bonus", "Suit bonuses above the line.", "SPO-47", defaults=_ON),
    deals_option("SPO-51", default=1, defaults=(("standard", "*", 50),)),
    switch("double", "Some won cards count twice.", "SPO-41 to SPO-44", defaults=_ON),
    switch(
        "nest", "A crow's nest may be moved in place of a turn.", "SPO-37, SPO-38", defaults=_ON
    ),
    switch(
        "opening", "A special card moved in the first turn has its effect.", "SPO-39", defaults=_ON
    ),
    Option("run", 4, "How many crow's nests a seat may move in a row.", "SPO-40", low=1, high=9),
    switch("sevens", "Three sevens swap hands.", "SPO-45", defaults=_ON),
    Option(
        "target",
        0,
        "Points below the line that end the match. 0 means a fixed number of deals.",
        "SPO-48",
        low=0,
        high=1000,
        defaults=(("standard", "*", 100),),
    ),
)
SEATS: Final = 4  # the largest number of seats (SPO-1)
FULL: Final = 21  # a mast of this value is raised (SPO-19); none may be worth more (SPO-10)
ROW: Final = 4  # masts in a full row (SPO-12); also the masts and cards dealt to a seat (SPO-5)


class SpoonEyeRules(BaseRules):
    def __init__(self, fmt: Format) -> None:
        super().__init__(fmt)
        options = fmt.options
        seats = fmt.seats
        # by seat: all but the seat itself and its partner, clockwise from its left (SPO-52, SPO-56)
        self.opponents: list[list[int]] = [
            [
                other
                for other in ((seat + step) % seats for step in range(1, seats))
                if self.side_of[other] != self.side_of[seat]
            ]
            for seat in range(seats)
        ]
        self.bonus: bool = bool(options["bonus"])
        self.double: bool = bool(options["double"])
        self.nest: bool = bool(options["nest"])
        self.opening: bool = bool(options["opening"])
        self.run: int = fmt.number("run")
        self.sevens: bool = bool(options["sevens"])
