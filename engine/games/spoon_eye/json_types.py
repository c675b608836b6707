"""The JSON of Spoon Eye's views, events and score sheets (docs/rules/spoon-eye.md, section 5)."""

from typing import Annotated, Literal, NotRequired, TypedDict

from engine.json_types import (
    EndEvent,
    HiddenCard,
    JsonTypes,
    MoveEvent,
    NewHands,
    Seat,
    Sheet,
    View,
)

Phase = Literal["start", "play", "take", "steal", "deal_over"]
Effect = Literal["3", "4", "9"]


class Won(TypedDict):
    """The cards that a side has won."""

    single: Annotated[list[str], "The cards that count once, in card order."]
    double: Annotated[list[str], "The doubled cards, in card order."]


class Raised(TypedDict):
    """A mast that was raised, while its owner chooses another one to take."""

    seat: Annotated[int, "The owner of the mast."]
    by: Annotated[int, "The seat that played the last card."]
    cards: Annotated[list[str], "The cards of the mast, from the bottom up."]


class SheetSoFar(TypedDict):
    """The score of a side in the finished deals."""

    base: Annotated[int, "The points below the line."]
    bonus: Annotated[int, "The points above the line."]


class SpoonEyeView(View):
    """What a seat sees."""

    phase: Annotated[
        Phase,
        "The kind of the next move: draw or move a crow's nest, play a card, take a mast, "
        "steal a crow's nest; `deal_over` after the end of the deal.",
    ]
    known: Annotated[
        list[list[str]],
        "The cards that the viewer knows to be in each hand, by seat (SPO-57); the viewer's own "
        "entry stays empty.",
    ]
    masts: Annotated[
        list[list[list[str]]],
        "The masts of each seat from left to right, each from the bottom up.",
    ]
    values: Annotated[list[list[int]], "The values of the masts, in the same order."]
    won: Annotated[list[Won], "The cards won in this deal, by side."]
    raised: Annotated[Raised | None, "The raised mast in phase `take`; else null."]
    pending: Annotated[
        Effect | None,
        "In phase `take`, the card whose effect follows after the choice; null if none does.",
    ]
    first: Annotated[bool, "True in the first turn of the deal."]
    nest_run: Annotated[
        list[int], "The number of crow's nest moves in a row that each seat has made so far."
    ]
    sheet: Annotated[list[SheetSoFar], "The score of the finished deals, by side."]


class DealStartEvent(NewHands):
    """The cards were dealt."""

    type: Literal["deal_start"]
    masts: Annotated[list[list[list[str]]], "The masts of each seat, from left to right."]


class DrawEvent(TypedDict):
    """A seat drew a card."""

    type: Literal["draw"]
    seat: Seat
    card: NotRequired[Annotated[str, "The card; only the seat that drew it gets this key."]]
    hidden: NotRequired[HiddenCard]


class RaiseEvent(TypedDict):
    """A mast was raised."""

    type: Literal["raise"]
    seat: Annotated[int, "The owner of the mast."]
    cards: Annotated[list[str], "The cards of the mast, from the bottom up."]


class SwapEvent(TypedDict):
    """Two seats swapped their hands (SPO-45)."""

    type: Literal["swap"]
    seats: Annotated[list[int], "The two seats."]


class DealEndEvent(TypedDict):
    """The deal was scored."""

    type: Literal["deal_end"]
    base: Annotated[list[int], "The points below the line, by side."]
    bonus: Annotated[list[int], "The points above the line, by side."]


class SpoonEyeSheet(Sheet):
    """The score sheet of a deal. `points` are those below the line (SPO-46)."""

    base: Annotated[list[int], "The points below the line, by side."]
    bonus: Annotated[list[int], "The points above the line, by side."]


SpoonEyeEvent = (
    DealStartEvent | DrawEvent | MoveEvent | RaiseEvent | SwapEvent | DealEndEvent | EndEvent
)
TYPES = JsonTypes(SpoonEyeView, SpoonEyeEvent, SpoonEyeSheet)
