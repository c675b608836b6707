"""Zwicker's variants and options (section 1 of the rules), and the values derived from them."""

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
WILD: Final = tuple(range(2, 15))  # ZWI-20
TOP: Final = 14  # ZWI-17: the largest build of Grupp's game
# ZWI-14, by rank
_SINGLE: Final = ((11,), *((pips,) for pips in range(2, 11)), (12,), (13,), (14,))
# ZWI-31, by rank
_DOUBLE: Final = ((1, 11), *((pips,) for pips in range(2, 11)), (2, 12), (3, 13), (4, 14))
_COUNTED: Final = {
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
_PRINTED: Final = ("X15", "X20", "X25", "X30")  # ZWI-2


def check_options(options: Mapping[str, Value]) -> None:
    """ZWI-43: without a target no side can tie at it."""
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
        self.jokers: tuple[str, ...] = ("X",) * 6 if self.wild else _PRINTED
        self.round: int = 4 if self.wild else (6 if fmt.seats == 4 else 8)  # ZWI-3 to ZWI-5
        self.laid: int = 4 if self.wild else 8
        self.joker_single: bool = bool(options.get("joker_single", False))
        self.joker_table: str = str(options.get("joker_table", "any"))
        self.joker_zwick: bool = bool(options.get("joker_zwick", True))
        self.settle: str = str(options["settle"])
        self.draw: bool = options["tie"] == "draw"
        self.forced: bool = options["trail"] == "forced"
        # The possible values of builds, bit v for value v.
        self.builds: int = (2 << (TOP if self.wild else HIGHEST)) - 2
        by_rank = _SINGLE if self.wild else _DOUBLE
        # By card: its possible values, on the table and when played, by ZWI-13, ZWI-14, ZWI-20,
        # ZWI-21, ZWI-31, ZWI-32.
        self.values: list[tuple[int, ...]] = [
            *(by_rank[card >> 2] for card in range(FIRST_JOKER)),
            WILD,
            *((int(text[1:]),) for text in _PRINTED),
        ]
        self.loose: list[ZwickerItem] = [
            loose_item(card, values) for card, values in enumerate(self.values)
        ]
        self.weights: Weights = self._weights()

    def _weights(self) -> Weights:
        """Approximate values of cards by ZWI-38 to ZWI-40; a joker in hand can take any item."""
        weights = [POINT // 18] * len(self.values)
        for text, points in _COUNTED.items():
            weights[CODE[text]] += points * POINT
        held_weights = [0] * len(self.values)
        held_weights[JOKER] = 3 * POINT
        return Weights(weights, 3 * POINT, held_weights)

    def takes_joker(self, card: int) -> bool:
        """ZWI-24, ZWI-25: whether `card` may take wild jokers, and builds that contain one."""
        return self.joker_table == "any" or (self.joker_table == "joker" and card == JOKER)
