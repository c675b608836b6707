"""Canasta's variants and options (section 1 of the rules), and what follows from them."""

from __future__ import annotations

from typing import Final

from engine.declarations import Option, Value, Variant
from engine.game import Format

FOURS = ("2v2", "3v2-rest", "3v3-rest")
# CAN-4, CAN-6, CAN-7 (who sits where is settled before a match), CAN-70, CAN-77, CAN-78
TABLES = (*FOURS, "1v1", "ffa3", "1v2", "3v3", "2v2v2")
VARIANTS = (
    Variant("classic", "Canasta", "The rules since 1951.", TABLES),
    Variant("pre-1951", "Canasta before 1951", "The four older usages.", TABLES),  # CAN-80
    Variant("english", "English Canasta", "A black three may be the up-card.", TABLES),
    Variant("us-official", "Canasta, official US", "Stricter going out.", TABLES),
    # CAN-77, CAN-79, CAN-81
    Variant("draw-two", "Canasta for two, drawing two", "Two drawn, two canastas.", ("1v1",)),
    Variant("windows-2.5", "Canasta 2.5 for Windows", "A program's defaults.", ("1v1",)),
    # CAN-78
    Variant("as-four", "Canasta for six as for four", "Two packs, to 5000.", ("3v3", "2v2v2")),
)
_BOOL = (False, True)
_TRUE = (True, False)
OPTIONS = (
    Option(
        "canastas",
        default=1,
        meaning="Canastas that a side needs to go out.",
        clause="CAN-50",
        values=(1, 2),
        defaults=(("draw-two", "*", 2),),
    ),
    Option(
        "concealed",
        default="side",
        meaning="Whose canasta makes going out concealed.",
        clause="CAN-54",
        values=("side", "own"),
        defaults=(("us-official", "*", "own"),),
    ),
    Option(
        "concexempt",
        default=False,
        meaning="Drawing and going out concealed needs no minimum.",
        clause="CAN-55",
        values=_BOOL,
        defaults=(("us-official", "*", True),),
    ),
    Option(
        "coverblack3",
        default=True,
        meaning="false: a black three as up-card stays on top.",
        clause="CAN-9",
        values=_TRUE,
        defaults=(("pre-1951", "*", False), ("english", "*", False)),
    ),
    Option(
        "deals",
        default=50,
        meaning="The match ends after this many deals at the latest.",
        clause="CAN-66",
        low=1,
        high=1000,
    ),
    Option(
        "direction",
        default="cw",
        meaning="Deal and play go clockwise or counter-clockwise.",
        clause="CAN-5",
        values=("cw", "ccw"),
    ),
    Option(
        "draw",
        default=1,
        meaning="Cards drawn from the stock in a turn.",
        clause="CAN-16",
        values=(1, 2),
        defaults=(("draw-two", "*", 2), ("*", "1v2", 2)),
    ),
    Option(
        "endstock",
        default="chain",
        meaning="What follows the last stock card.",
        clause="CAN-60",
        values=("chain", "stop"),
        defaults=(("*", "1v2", "stop"),),
    ),
    Option(
        "hand",
        default=11,
        meaning="Cards dealt to each.",
        clause="CAN-8",
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
        default="end",
        meaning="What a red three as the last stock card does.",
        clause="CAN-63",
        values=("end", "normal", "meld", "untabled"),
    ),
    Option(
        "lay",
        default=True,
        meaning="false: no taking the pile by laying off on a canasta.",
        clause="CAN-29",
        values=_TRUE,
    ),
    Option(
        "nocanasta",
        default=False,
        meaning="Without a canasta a side's melds count against it.",
        clause="CAN-65",
        values=_BOOL,
    ),
    Option(
        "onecard",
        default=True,
        meaning="false: one card in hand may not take one card.",
        clause="CAN-30",
        values=_TRUE,
        defaults=(("us-official", "*", False),),
    ),
    Option(
        "packs",
        default=2,
        meaning="Packs of 54 cards.",
        clause="CAN-1",
        values=(2, 3),
        defaults=(("as-four", "*", 2), ("*", "3v3", 3), ("*", "2v2v2", 3)),
    ),
    Option(
        "pair",
        default="frozen",
        meaning="When only a natural pair takes the pile.",
        clause="CAN-27",
        values=("frozen", "always"),
        defaults=(("windows-2.5", "*", "always"),),
    ),
    Option(
        "red3",
        default="four",
        meaning="Bonus scale for red threes.",
        clause="CAN-22",
        values=("four", "six"),
        defaults=(("as-four", "*", "four"), ("*", "3v3", "six"), ("*", "2v2v2", "six")),
    ),
    Option(
        "red3discard",
        default=False,
        meaning="A red three may be kept and discarded.",
        clause="CAN-24",
        values=_BOOL,
    ),
    Option(
        "red3draw",
        default=True,
        meaning="A red three drawn is replaced.",
        clause="CAN-19",
        values=_TRUE,
    ),
    Option(
        "red3minus",
        default=False,
        meaning="Red threes count against a side without a meld.",
        clause="CAN-22",
        values=_BOOL,
    ),
    Option(
        "startfrozen",
        default=True,
        meaning="The pile is frozen for a side without a meld.",
        clause="CAN-26",
        values=_TRUE,
    ),
    Option(
        "target",
        default=5000,
        meaning="A side at or above it after a deal ends the match.",
        clause="CAN-66",
        low=1,
        high=1_000_000,
        defaults=(
            ("as-four", "*", 5000),
            ("*", "1v2", 7500),
            ("*", "3v3", 10_000),
            ("*", "2v2v2", 7500),
        ),
    ),
    Option(
        "top150",
        default=False,
        meaning="150 points needed from 7000.",
        clause="CAN-33",
        values=_BOOL,
        defaults=(("as-four", "*", False), ("*", "3v3", True)),
    ),
    Option(
        "topcounts",
        default=True,
        meaning="The top discard counts to the minimum.",
        clause="CAN-34",
        values=_TRUE,
    ),
    Option(
        "tworank",
        default=False,
        meaning="A side may have several melds of one rank.",
        clause="CAN-41",
        values=_BOOL,
        defaults=(("pre-1951", "*", True),),
    ),
    Option(
        "wildblack3",
        default=False,
        meaning="Wild cards may be in a meld of black threes.",
        clause="CAN-40",
        values=_BOOL,
        defaults=(("pre-1951", "*", True),),
    ),
    Option(
        "wildcanasta",
        default=False,
        meaning="A finished canasta takes any number of wild cards.",
        clause="CAN-38",
        values=_BOOL,
        defaults=(("pre-1951", "*", True),),
    ),
)
SEATS: Final = 6  # most seats
RESTS: Final = ("3v2-rest", "3v3-rest")


class Rules:
    """What Canasta derives once from a format; never changed afterwards."""

    def __init__(self, fmt: Format) -> None:
        options = fmt.options
        self.text: str = str(fmt)
        self.table: str = fmt.table
        self.seats: int = fmt.seats
        self.sides: list[list[int]] = [list(side) for side in fmt.sides]
        self.found: bool = fmt.table == "1v2"  # sides found in play; scores by seat (CAN-70)
        self.rests: bool = fmt.table in RESTS
        self.playing: int = 4 if self.rests else fmt.seats
        self.step: int = 1 if options["direction"] == "cw" else -1  # CAN-5
        self.packs: int = _number(options["packs"])
        self.hand: int = _number(options["hand"])
        self.draw: int = _number(options["draw"])
        self.canastas: int = _number(options["canastas"])
        self.target: int = _number(options["target"])
        self.deals: int = _number(options["deals"])
        self.six: bool = options["red3"] == "six"
        self.top150: bool = bool(options["top150"])
        self.stop: bool = options["endstock"] == "stop"
        self.lay: bool = bool(options["lay"])
        self.pair: bool = options["pair"] == "always"
        self.wildcanasta: bool = bool(options["wildcanasta"])
        self.wildblack3: bool = bool(options["wildblack3"])
        self.coverblack3: bool = bool(options["coverblack3"])
        self.tworank: bool = bool(options["tworank"])
        self.own: bool = options["concealed"] == "own"
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
        """CAN-6: the seats of deal `number`, by chair."""
        seats = list(range(self.playing))
        resting = (-1, 2, 0)[number % 3]
        if not self.rests or resting < 0:
            return seats
        seats[resting] = 4
        if self.table == "3v3-rest":
            seats[resting + 1] = 5
        return seats

    def opener(self, number: int) -> int:
        """CAN-5, CAN-69: the chair that acts first in deal `number`; the one before it deals."""
        return self.step * number % self.playing

    def minimum(self, score: int) -> int:
        """CAN-33: what the first meld must be worth, by the score before the deal."""
        if score < 0:
            return 15
        if score < 1500:
            return 50
        if score < 3000:
            return 90
        return 150 if self.top150 and score >= 7000 else 120


def _number(value: Value) -> int:
    assert isinstance(value, int)  # noqa: S101 - the option's specification says so
    return value
