"""The JSON of Cassino's views, events and score sheets (CAS-48 to CAS-51)."""

from typing import Annotated, Literal, NotRequired, TypedDict

from engine.fishing_json_types import DealEvent, FishingSheet, FishingView
from engine.json_types import EndEvent, JsonTypes, MoveEvent, RedealEvent, Seat, Totals

Sweeps = Annotated[list[int], "The side that made each sweep of the deal, in order."]


class ItemJson(TypedDict):
    """A card or a build on the table."""

    id: Annotated[str, "The item as moves name it."]
    kind: Annotated[
        Literal["card", "sum", "pair"], "A loose card, a build of a sum, or a build of a rank."
    ]
    cards: Annotated[list[str], "Its cards, in card order."]
    value: NotRequired[
        Annotated[
            int | None,
            "Its number (1 for an ace); null for a card without one; left out for a `pair`.",
        ]
    ]
    rank: NotRequired[Annotated[str, "The rank of a `pair`; left out for other items."]]
    by: Annotated[
        int | None,
        "The seat that laid the last card on a build, for information; no rule depends on it.",
    ]


class CassinoView(FishingView):
    """What a seat sees."""

    table: Annotated[list[ItemJson], "The open cards and builds, in item order."]
    sweeps: Sweeps


class SweepEvent(TypedDict):
    """A capture emptied the table."""

    type: Literal["sweep"]
    seat: Seat


class RestEvent(TypedDict):
    """Cards were left on the table at the end of the deal."""

    type: Literal["rest"]
    side: Annotated[int | None, "The side that gets them; null if they belong to nobody."]
    cards: Annotated[list[str], "The cards, in card order."]


class ScoreEvent(TypedDict):
    """The deal was scored; there is no such event after a claim."""

    type: Literal["score"]
    points: Annotated[list[int], "The points of the deal, by side."]
    sweeps: Sweeps
    scores: Totals


class CassinoSheet(FishingSheet):
    """The score sheet of a deal."""

    sweeps: Sweeps


CassinoEvent = DealEvent | MoveEvent | SweepEvent | RedealEvent | RestEvent | ScoreEvent | EndEvent
TYPES = JsonTypes(CassinoView, CassinoEvent, CassinoSheet)
