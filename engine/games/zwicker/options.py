"""Zwicker's variants and options, and the values derived from them.

Source: docs/rules/zwicker.md, section 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from engine.cards import CODE, FIRST_JOKER
from engine.deals import BaseRules
from engine.declarations import Option, Value, Variant, deals_option, switch
from engine.fishing_policy import POINT, Weights
from engine.game import Format
from engine.games.zwicker.items import HIGHEST, ZwickerItem, loose_item

GRUPP: Final = "grupp"
CHRISTIANSEN: Final = "christiansen"
VARIANTS = (  # ZWI-1
    Variant(
        GRUPP,
        "Zwicker after Grupp",
        "Wild jokers; ace 11, jack 12, queen 13, king 14.",
        ("1v1", "ffa3", "ffa4", "ffa5", "ffa6", "ffa7", "ffa8"),
    ),
    Variant(
        CHRISTIANSEN,
        "Zwicker of the Christiansen family",
        "Ace, jack, queen and king have two values; jokers 15, 20, 25 and 30.",
        ("1v1", "ffa3", "ffa4"),
    ),
)
OPTIONS = (
    deals_option("ZWI-43"),
    switch(
        "joker_single", "true: a played joker takes only one item.", "ZWI-27", variants=(GRUPP,)
    ),
    Option(
        "joker_table",
        "any",
        "Who may take a joker from the table.",
        "ZWI-24, 25",
        ("any", "joker", "never"),
        variants=(GRUPP,),
    ),
    switch(
        "joker_zwick",
        "false: clearing the table with a joker is not a zwick.",
        "ZWI-26",
        on=True,
        variants=(GRUPP,),
    ),
    Option(
        "settle",
        "none",
        "How points are settled at the end.",
        "ZWI-44, 45",
        ("none", "differences", "last-pays"),
    ),
    Option(
        "target",
        50,
        "Points needed to win. 0 means a fixed number of deals.",
        "ZWI-41, 43",
        low=0,
        high=9999,
        defaults=((CHRISTIANSEN, "*", 100),),
    ),
    Option(
        "tie",
        "deal",
        "If sides are tied at the top: another deal, or a drawn match.",
        "ZWI-42",
        ("deal", "draw"),
    ),
    Option(
        "trail",
        "free",
        "forced: a card that can capture may not be trailed.",
        "ZWI-15",
        ("free", "forced"),
    ),
)

JOKER: Final = CODE["X"]
WILD: Final = tuple(range(2, 15))  # the possible values of a wild joker (ZWI-20)
TOP: Final = 14  # the largest value of a build in Grupp's game (ZWI-17)
# By rank: the possible values of a card in Grupp's game (ZWI-14) and in that of the Christiansen
# family (ZWI-31).
_GRUPP_VALUES: Final = ((11,), *((pips,) for pips in range(2, 11)), (12,), (13,), (14,))
_CHRISTIANSEN_VALUES: Final = (
    (1, 11),
    *((pips,) for pips in range(2, 11)),
    (2, 12),
    (3, 13),
    (4, 14),
)
_CARD_POINTS: Final = {  # by card text: the points that a captured card scores (ZWI-38, ZWI-40)
    "7D": 1,
    "7S": 1,
    "TD": 10,
    "AC": 2,
    "AD": 2,
    "AH": 2,
    "AS": 2,
    "X30": 7,
    "X25": 6,
    "X20": 5,
    "X15": 4,
}
_PRINTED_JOKERS: Final = ("X15", "X20", "X25", "X30")  # the jokers with a printed value (ZWI-2)


def check_options(options: Mapping[str, Value]) -> None:
    """Raise ValueError if `tie` needs a target and there is none (ZWI-43)."""
    if options["target"] == 0 and options["tie"] != "deal":
        raise ValueError(
            f"target=0 plays exactly `deals` deals, so tie={options['tie']} cannot apply. "
            "Leave out tie or give a target of 1 or more."
        )


class ZwickerRules(BaseRules):
    def __init__(self, fmt: Format) -> None:
        super().__init__(fmt)
        options = fmt.options
        self.wild: bool = fmt.variant == GRUPP
        self.packs: int = 2 if fmt.seats > 4 else 1  # ZWI-1, ZWI-2
        self.jokers: tuple[str, ...] = ("X",) * 6 if self.wild else _PRINTED_JOKERS
        # the cards that a seat gets in each round of dealing (ZWI-3 to ZWI-5)
        self.round: int = 4 if self.wild else (6 if fmt.seats == 4 else 8)
        self.laid: int = 4 if self.wild else 8  # the cards dealt to the table
        self.joker_single: bool = bool(options.get("joker_single", False))
        self.joker_table: str = str(options.get("joker_table", "any"))
        self.joker_zwick: bool = bool(options.get("joker_zwick", True))
        self.settle: str = str(options["settle"])
        self.draw: bool = options["tie"] == "draw"
        self.forced: bool = options["trail"] == "forced"
        # the possible values of builds: bit v for value v
        self.builds: int = (2 << (TOP if self.wild else HIGHEST)) - 2
        by_rank = _GRUPP_VALUES if self.wild else _CHRISTIANSEN_VALUES
        # by card: the possible values, on the table and when it is played (ZWI-13, ZWI-14, ZWI-20,
        # ZWI-21, ZWI-31, ZWI-32)
        self.values: list[tuple[int, ...]] = [
            *(by_rank[card >> 2] for card in range(FIRST_JOKER)),
            WILD,
            *((int(text[1:]),) for text in _PRINTED_JOKERS),
        ]
        self.loose: list[ZwickerItem] = [
            loose_item(card, values) for card, values in enumerate(self.values)
        ]
        self.weights: Weights = self._weights()

    def _weights(self) -> Weights:
        """The approximate points of each card, for playouts (ZWI-38 to ZWI-40).

        Every captured card counts 1/18 point towards most cards. A wild joker in the hand counts 3
        points, because it can take any item.
        """
        weights = [POINT // 18] * len(self.values)
        for text, points in _CARD_POINTS.items():
            weights[CODE[text]] += points * POINT
        held_weights = [0] * len(self.values)
        held_weights[JOKER] = 3 * POINT
        return Weights(weights, 3 * POINT, held_weights)

    def takes_joker(self, card: int) -> bool:
        """Whether `card` may take wild jokers and builds that contain one (ZWI-24, ZWI-25)."""
        return self.joker_table == "any" or (self.joker_table == "joker" and card == JOKER)
