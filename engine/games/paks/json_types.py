"""The JSON of Paks' views, events and score sheets (docs/rules/paks.md, section 5)."""

from typing import Annotated, Literal, NotRequired, TypedDict

from engine.json_types import (
    EndEvent,
    HiddenCard,
    JsonTypes,
    MoveEvent,
    NewHands,
    Seat,
    Sheet,
    Totals,
    View,
)

Phase = Literal["pak", "steal", "deal_over"]


class PaksView(View):
    """What a seat sees."""

    phase: Annotated[
        Phase,
        "Whether the seat may make a pak or steal; `deal_over` after the end of the deal.",
    ]
    compulsory: Annotated[
        bool,
        "True throughout a turn that began with a hidden draw (PAK-16), even after the pak has "
        "been made.",
    ]
    drawn: Annotated[
        str | None, "The card drawn in this turn, if all saw it or the viewer drew it."
    ]
    shown: Annotated[
        list[list[str]],
        "The cards of each hand that all seats know (PAK-42), by seat; the same for all viewers.",
    ]
    board: Annotated[list[str], "The open cards, in card order."]
    paks: Annotated[
        list[list[list[str]]],
        "The paks of each seat in number order, each a list of cards in card order.",
    ]
    used_suits: Annotated[
        list[str], "The suits of this turn's pak and then of its thefts, in that order."
    ]


class DealStartEvent(NewHands):
    """The cards were dealt."""

    type: Literal["deal_start"]
    board: Annotated[list[str], "The open cards, in card order."]


class DrawEvent(TypedDict):
    """A seat drew a card."""

    type: Literal["draw"]
    seat: Seat
    card: NotRequired[Annotated[str, "The card; left out if the draw is hidden (PAK-16)."]]
    hidden: NotRequired[HiddenCard]


class FeedEvent(TypedDict):
    """The card that a seat drew went to the board, which ended the turn."""

    type: Literal["feed"]
    seat: Seat
    card: Annotated[str, "The card."]


class ShowEvent(TypedDict):
    """A seat passed and showed its hand."""

    type: Literal["show"]
    seat: Seat
    hand: Annotated[list[str], "The whole hand, in card order."]


class Thrown(TypedDict):
    """The number of paks that each side throws off, by suit."""

    C: Annotated[int, "Clubs."]
    D: Annotated[int, "Diamonds."]
    H: Annotated[int, "Hearts."]
    S: Annotated[int, "Spades."]


class DealEndEvent(TypedDict):
    """The deal was scored."""

    type: Literal["deal_end"]
    thrown: Annotated[Thrown, "The number of paks that each side throws off, by suit."]
    points: Annotated[list[int], "The points of the deal, by side."]
    scores: Totals


class PaksSheet(Sheet):
    """The score sheet of a deal."""

    thrown: Annotated[Thrown, "The number of paks that each side throws off, by suit."]


PaksEvent = DealStartEvent | DrawEvent | FeedEvent | MoveEvent | ShowEvent | DealEndEvent | EndEvent
TYPES = JsonTypes(PaksView, PaksEvent, PaksSheet)
