"""Canasta's variants and options, and the values derived from them.

Source: docs/rules/canasta.md, section 1.
"""

from __future__ import annotations

from typing import Final

from engine.deals import BaseRules
from engine.declarations import Option, Variant, deals_option, switch
from engine.game import Format

FOURS = ("2v2", "3v2-rest", "3v3-rest")
# CAN-4, CAN-6, CAN-7 (seats are assigned before a match), CAN-70, CAN-77, CAN-78
TABLES = (*FOURS, "1v1", "ffa3", "1v2", "3v3", "2v2v2")
VARIANTS = (
    Variant("classic", "Canasta", "The rules since 1951.", TABLES),
    Variant("pre-1951", "Canasta before 1951", "The four older practices.", TABLES),  # CAN-80
    Variant("english", "English Canasta", "A black three may be the up-card.", TABLES),
    Variant("us-official", "Canasta, official US", "Stricter rules for going out.", TABLES),
    # CAN-77, CAN-79, CAN-81
    Variant("draw-two", "Canasta for two, drawing two", "Two drawn, two canastas.", ("1v1",)),
    Variant("windows-2.5", "Canasta 2.5 for Windows", "A program's defaults.", ("1v1",)),
    # CAN-78
    Variant("as-four", "Canasta for six as for four", "Two packs, to 5000.", ("3v3", "2v2v2")),
)
OPTIONS = (
    Option(
        "canastas",
        1,
        "Canastas that a side needs to go out.",
        "CAN-50",
        (1, 2),
        defaults=(("draw-two", "*", 2),),
    ),
    Option(
        "concealed",
        "side",
        "Whose canasta makes going out concealed.",
        "CAN-54",
        ("side", "own"),
        defaults=(("us-official", "*", "own"),),
    ),
    switch(
        "concexempt",
        "A seat that draws and goes out concealed needs no minimum.",
        "CAN-55",
        defaults=(("us-official", "*", True),),
    ),
    switch(
        "coverblack3",
        "false: a black three as up-card stays on top.",
        "CAN-9",
        on=True,
        defaults=(("pre-1951", "*", False), ("english", "*", False)),
    ),
    deals_option("CAN-66", high=1000),
    Option(
        "direction",
        "cw",
        "Deal and play go clockwise or counter-clockwise.",
        "CAN-5",
        ("cw", "ccw"),
    ),
    Option(
        "draw",
        1,
        "Cards drawn from the stock in a turn.",
        "CAN-16",
        (1, 2),
        defaults=(("draw-two", "*", 2), ("*", "1v2", 2)),
    ),
    Option(
        "endstock",
        "chain",
        "How the deal continues after the last stock card.",
        "CAN-60",
        ("chain", "stop"),
        defaults=(("*", "1v2", "stop"),),
    ),
    Option(
        "hand",
        11,
        "Cards dealt to each seat.",
        "CAN-8",
        low=1,
        high=15,
        defaults=(
            ("as-four", "*", 11),
            ("*", "1v1", 15),
            *(("*", table, 13) for table in ("ffa3", "1v2", "3v3", "2v2v2")),
        ),
    ),
    Option(
        "last3",
        "end",
        "The effect of a red three as the last stock card.",
        "CAN-63",
        ("end", "normal", "meld", "untabled"),
    ),
    switch(
        "lay",
        "false: the pile cannot be taken by laying its top card off on a canasta.",
        "CAN-29",
        on=True,
    ),
    switch("nocanasta", "Without a canasta a side's melds count against it.", "CAN-65"),
    switch(
        "onecard",
        "false: a seat with one card may not take a pile of one card.",
        "CAN-30",
        on=True,
        defaults=(("us-official", "*", False),),
    ),
    Option(
        "packs",
        2,
        "Packs of 54 cards.",
        "CAN-1",
        (2, 3),
        defaults=(("as-four", "*", 2), ("*", "3v3", 3), ("*", "2v2v2", 3)),
    ),
    Option(
        "pair",
        "frozen",
        "When only a natural pair takes the pile.",
        "CAN-27",
        ("frozen", "always"),
        defaults=(("windows-2.5", "*", "always"),),
    ),
    Option(
        "red3",
        "four",
        "Bonus scale for red threes.",
        "CAN-22",
        ("four", "six"),
        defaults=(("as-four", "*", "four"), ("*", "3v3", "six"), ("*", "2v2v2", "six")),
    ),
    switch("red3discard", "A red three may be kept and discarded.", "CAN-24"),
    switch("red3draw", "A drawn red three is replaced from the stock.", "CAN-19", on=True),
    switch("red3minus", "Red threes count against a side without a meld.", "CAN-22"),
    switch("startfrozen", "The pile is frozen for a side without a meld.", "CAN-26", on=True),
    Option(
        "target",
        5000,
        "The match ends when a side has at least this score after a deal.",
        "CAN-66",
        low=1,
        high=1_000_000,
        defaults=(
            ("as-four", "*", 5000),
            ("*", "1v2", 7500),
            ("*", "3v3", 10_000),
            ("*", "2v2v2", 7500),
        ),
    ),
    switch(
        "top150",
        "From a score of 7000, the first meld must be worth 150 points.",
        "CAN-33",
        defaults=(("as-four", "*", False), ("*", "3v3", True)),
    ),
    switch("topcounts", "The top discard counts towards the minimum.", "CAN-34", on=True),
    switch(
        "tworank",
        "A side may have several melds of one rank.",
        "CAN-41",
        defaults=(("pre-1951", "*", True),),
    ),
    switch(
        "wildblack3",
        "Wild cards may be in a meld of black threes.",
        "CAN-40",
        defaults=(("pre-1951", "*", True),),
    ),
    switch(
        "wildcanasta",
        "A finished canasta takes any number of wild cards.",
        "CAN-38",
        defaults=(("pre-1951", "*", True),),
    ),
)
SEATS: Final = 6  # the largest number of seats
RESTS: Final = ("3v2-rest", "3v3-rest")  # table forms in which seats rest


class CanastaRules(BaseRules):
    def __init__(self, fmt: Format) -> None:
        super().__init__(fmt)
        options = fmt.options
        self.table: str = fmt.table
        self.finds_sides: bool = fmt.table == "1v2"  # sides form in play; scores by seat (CAN-70)
        self.rests: bool = fmt.table in RESTS
        self.partners: list[list[int]] = [  # by seat
            [other for other in self.sides[side] if other != seat]
            for seat, side in enumerate(self.side_of)
        ]
        self.playing: int = 4 if self.rests else fmt.seats
        self.step: int = 1 if options["direction"] == "cw" else -1  # CAN-5
        self.packs: int = fmt.number("packs")
        self.hand: int = fmt.number("hand")
        self.draw: int = fmt.number("draw")
        self.canastas: int = fmt.number("canastas")
        self.red3_six: bool = options["red3"] == "six"
        self.top150: bool = bool(options["top150"])
        self.stop: bool = options["endstock"] == "stop"
        self.lay: bool = bool(options["lay"])
        self.pair: bool = options["pair"] == "always"
        self.wildcanasta: bool = bool(options["wildcanasta"])
        self.wildblack3: bool = bool(options["wildblack3"])
        self.coverblack3: bool = bool(options["coverblack3"])
        self.tworank: bool = bool(options["tworank"])
        self.own_canasta_counts: bool = options["concealed"] == "own"
        self.exempt: bool = bool(options["concexempt"])
        self.onecard: bool = bool(options["onecard"])
        self.last3: str = str(options["last3"])
        self.nocanasta: bool = bool(options["nocanasta"])
        self.red3draw: bool = bool(options["red3draw"])
        self.red3discard: bool = bool(options["red3discard"])
        self.topcounts: bool = bool(options["topcounts"])
        self.startfrozen: bool = bool(options["startfrozen"])
        self.red3minus: bool = bool(options["red3minus"])

    def chairs(self, number: int) -> list[int]:
        """The seats that play in deal `number`, in the order of their chairs (CAN-6)."""
        seats = list(range(self.playing))
        resting = (-1, 2, 0)[number % 3]
        if not self.rests or resting < 0:
            return seats
        seats[resting] = 4
        if self.table == "3v3-rest":
            seats[resting + 1] = 5
        return seats

    def opener(self, number: int) -> int:
        """The chair that acts first in deal `number`; the previous chair deals (CAN-5, CAN-69)."""
        return self.step * number % self.playing

    def minimum(self, score: int) -> int:
        """The minimum points of the first meld of a side with `score` before the deal (CAN-33)."""
        if score < 0:
            return 15
        if score < 1500:
            return 50
        if score < 3000:
            return 90
        return 150 if self.top150 and score >= 7000 else 120
