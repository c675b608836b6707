"""The JSON of Zwicker (ZWI-51 to ZWI-53)."""

from typing import Annotated, Literal, NotRequired, TypedDict

from engine.json_types import (
    EndEvent,
    Hand,
    Hands,
    JsonTypes,
    MoveEvent,
    RedealEvent,
    Seat,
    Sheet,
    Totals,
    View,
)

Zwicks = Annotated[list[int], "The seat that made each zwick of the deal, in order."]


class ItemJson(TypedDict):
    """A card or a build on the table."""

    id: Annotated[str, "The item as moves name it."]
    kind: Annotated[Literal["card", "sum"], "A loose card or a build."]
    cards: Annotated[list[str], "Its cards, in card order."]
    value: Annotated[int | None, "Its value; null if the player who takes it chooses."]
    by: Annotated[int | None, "The seat that laid the last card on a build; null for a card."]


class ZwickerView(View):
    """What a seat sees. Every seat is a side."""

    table: Annotated[list[ItemJson], "The open cards and builds, in item order."]
    captured: Annotated[list[list[str]], "The captured cards of each seat, in card order."]
    captured_counts: Annotated[list[int], "The number of captured cards, by seat."]
    zwicks: Zwicks
    last_capture: Annotated[int | None, "The seat that captured last in this deal."]
    target: Annotated[int, "The score that ends the match; 0: none."]
    deals: Annotated[int, "The match ends after this many deals at the latest."]


class DealEvent(TypedDict):
    """The cards were dealt."""

    type: Literal["deal"]
    dealer: Annotated[int, "The seat that dealt."]
    table: Annotated[list[str], "The cards laid on the table."]
    hand: NotRequired[Hand]
    hidden: NotRequired[Hands]


class ZwickEvent(TypedDict):
    """A capture emptied the table."""

    type: Literal["zwick"]
    seat: Seat


class RestEvent(TypedDict):
    """Cards were left on the table at the end of the deal."""

    type: Literal["rest"]
    seat: Annotated[int | None, "The seat that gets them; null if they belong to nobody."]
    cards: Annotated[list[str], "The cards, in card order."]


class ScoreEvent(TypedDict):
    """The deal was scored."""

    type: Literal["score"]
    points: Annotated[list[int], "The points of the deal, by seat."]
    zwicks: Zwicks
    scores: Totals


class ZwickerSheet(Sheet):
    """The score sheet of a deal."""

    captured_counts: Annotated[list[int], "The number of captured cards, by seat."]
    zwicks: Zwicks


ZwickerEvent = DealEvent | MoveEvent | ZwickEvent | RedealEvent | RestEvent | ScoreEvent | EndEvent
TYPES = JsonTypes(ZwickerView, ZwickerEvent, ZwickerSheet)
