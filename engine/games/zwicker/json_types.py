"""The JSON of Zwicker's views, events and score sheets (ZWI-51 to ZWI-53)."""

from typing import Annotated, Literal, TypedDict

from engine.fishing_json_types import DealEvent, FishingSheet, FishingView
from engine.json_types import EndEvent, JsonTypes, MoveEvent, RedealEvent, Seat, Totals

Zwicks = Annotated[list[int], "The seat that made each zwick of the deal, in order."]


class ItemJson(TypedDict):
    """A card or a build on the table."""

    id: Annotated[str, "The item as moves name it."]
    kind: Annotated[Literal["card", "sum"], "A loose card or a build."]
    cards: Annotated[list[str], "Its cards, in card order."]
    value: Annotated[int | None, "Its value; null if the player who takes it chooses."]
    by: Annotated[int | None, "The seat that laid the last card on a build; null for a card."]


class ZwickerView(FishingView):
    """What a seat sees. Every seat is a side."""

    table: Annotated[list[ItemJson], "The open cards and builds, in item order."]
    zwicks: Zwicks


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


class ZwickerSheet(FishingSheet):
    """The score sheet of a deal."""

    zwicks: Zwicks


ZwickerEvent = DealEvent | MoveEvent | ZwickEvent | RedealEvent | RestEvent | ScoreEvent | EndEvent
TYPES = JsonTypes(ZwickerView, ZwickerEvent, ZwickerSheet)
