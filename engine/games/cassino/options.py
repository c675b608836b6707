"""Cassino's variants and options, and the values derived from them.

Source: docs/rules/cassino.md, section 1. Two, three or four play; four always play as two pairs
(CAS-1), so there is no table form `ffa4`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from engine.deals import BaseRules
from engine.declarations import Option, Value, Variant, deals_option, switch
from engine.fishing_policy import POINT, Weights
from engine.game import Format
from engine.games.cassino.items import CassinoItem, loose_items

TABLES = ("1v1", "ffa3", "2v2")  # CAS-1
ROYAL = ("royal", "royal-spade")
SPADE = ("spade", "royal-spade")
VARIANTS = (
    Variant("standard", "Cassino", "Jack, queen and king have no number.", TABLES),
    Variant("royal", "Royal Cassino", "Jack 11, queen 12, king 13.", TABLES),
    Variant("spade", "Spade Cassino", "Every spade scores; to 61.", TABLES),
    # CAS-44
    Variant("royal-spade", "Royal Spade Cassino", "Royal numbers with the spade scores.", TABLES),
)
OPTIONS = (
    switch("ace_high", "The ace counts 1 or 14.", "CAS-42", variants=ROYAL),
    deals_option("CAS-39"),
    Option(
        "end",
        "highest",
        "Who wins when the target is passed.",
        "CAS-33, 35, 36",
        ("highest", "count", "declare"),
    ),
    switch("face_pairs", "false: a face may not take exactly two faces.", "CAS-13", on=True),
    Option("settle", "none", "Whether stakes are paid at the end.", "CAS-40", ("none", "stakes")),
    switch(
        "spade_plus", "Ace and two of spades keep their ordinary point.", "CAS-31", variants=SPADE
    ),
    switch("sweeps", "false: sweeps score nothing.", "CAS-32", on=True),
    Option(
        "target",
        21,
        "Points needed to win. 0 means a fixed number of deals.",
        "CAS-33, 39",
        low=0,
        high=999,
        defaults=(("spade", "*", 61), ("royal-spade", "*", 61)),
    ),
    Option(
        "tie",
        "deal",
        "If sides are tied at the top: another deal, or a drawn match.",
        "CAS-34",
        ("deal", "draw"),
    ),
)

FACES: Final = 10  # the rank of the jack; ranks from here on are faces


def check_options(options: Mapping[str, Value]) -> None:
    """Raise ValueError if an option needs a target and there is none (CAS-39, CAS-40)."""
    if options["target"] != 0:
        return
    for name, default in (("end", "highest"), ("settle", "none"), ("tie", "deal")):
        if options[name] != default:
            raise ValueError(
                f"target=0 plays exactly `deals` deals, so {name}={options[name]} cannot apply. "
                f"Leave out {name} or give a target of 1 or more."
            )


class CassinoRules(BaseRules):
    def __init__(self, fmt: Format) -> None:
        super().__init__(fmt)
        options = fmt.options
        royal = fmt.variant in ROYAL
        self.ace_high: bool = bool(options.get("ace_high", False))
        self.end: str = str(options["end"])
        self.face_pairs: bool = bool(options["face_pairs"])
        self.stakes: bool = options["settle"] == "stakes"
        self.spade: bool = fmt.variant in SPADE
        self.spade_plus: bool = bool(options.get("spade_plus", False))
        self.sweeps: bool = bool(options["sweeps"])
        self.draw: bool = options["tie"] == "draw"
        # by rank: the number of a card on the table; 0 if it has none (CAS-8, CAS-41)
        highest = 13 if royal else 10
        self.number: list[int] = [rank + 1 if rank < highest else 0 for rank in range(13)]
        # by rank: the number that a card takes when it is played; 0 if it has none (CAS-42)
        self.takes: list[int] = self.number[:]
        # the largest number of a sum build (CAS-43)
        self.top: int = highest
        if self.ace_high:
            self.takes[0] = 14
            self.top = 14
        self.loose: list[CassinoItem] = loose_items(self.number)
        self.weights: Weights = self._weights()

    def holder(self, number: int) -> int:
        """The rank of the cards that take a sum build of this number (CAS-16, CAS-43)."""
        return 0 if number == 14 else number - 1

    def _weights(self) -> Weights:
        """The approximate points of each card in a captured pile (CAS-29 to CAS-32), for playouts.

        A card is worth 1/9 point towards most cards, and a spade 1/6 more towards most spades.
        """
        weights = [POINT // 9] * 52
        for spade in range(3, 52, 4):
            weights[spade] += POINT if self.spade else POINT // 6
        if not self.spade or self.spade_plus:
            weights[3] += POINT
            weights[7] += POINT  # Little Cassino
        else:
            for spade in (3, 7, 43):  # ace, two and jack of spades count twice (CAS-31)
                weights[spade] += POINT
        for card, points in ((0, 1), (1, 1), (2, 1), (37, 2)):  # aces, Big Cassino
            weights[card] += points * POINT
        return Weights(weights, POINT if self.sweeps else 0, [0] * 52)
