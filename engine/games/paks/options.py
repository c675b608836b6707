"""Paks' formats and options, and the values derived from them.

Source: docs/rules/paks.md, sections 1 and 2.
"""

from __future__ import annotations

from typing import Final

from engine.deals import BaseRules
from engine.declarations import Option, Variant, deals_option
from engine.game import Format

TABLES = ("1v1", "ffa3", "2v2", "3v3")  # PAK-1
VARIANTS = (Variant("standard", "Paks", "The only variant of the game.", TABLES),)
OPTIONS = (
    deals_option("PAK-41"),
    Option("target", 500, "Points that end the match.", "PAK-38", low=50, high=5000),
)
SEATS: Final = 6  # the largest number of seats (PAK-1)
HAND: Final = 5  # cards dealt to each seat (PAK-5)
BOARD: Final = 3  # cards dealt to the board (PAK-5)


class PaksRules(BaseRules):
    def __init__(self, fmt: Format) -> None:
        super().__init__(fmt)
        self.packs: int = 1 if fmt.seats == 2 else 2  # PAK-2
