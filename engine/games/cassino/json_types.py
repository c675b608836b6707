"""The JSON of Cassino (CAS-48 to CAS-51)."""

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


class CassinoView(View):
    """What a seat sees."""

    table: Annotated[list[ItemJson], "The open cards and builds, in item order."]
    captured: Annotated[list[list[str]], "The captured cards of each side, in card order."]
    captured_counts: Annotated[list[int], "The number of captured cards, by side."]
    sweeps: Sweeps
    last_capture: Annotated[int | None, "The side that captured last in this deal."]
    target: Annotated[int, "The score that ends the match; 0: none."]
    deals: Annotated[int, "The match ends after this many deals at the latest."]


class DealEvent(TypedDict):
    """The cards were dealt."""

    type: Literal["deal"]
    dealer: Annotated[int, "The seat that dealt."]
    table: Annotated[list[str], "The cards laid on the table."]
    hand: NotRequired[Hand]
    hidden: NotRequired[Hands]


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


class CassinoSheet(Sheet):
    """The score sheet of a deal."""

    captured_counts: Annotated[list[int], "The number of captured cards, by side."]
    sweeps: Sweeps


CassinoEvent = DealEvent | MoveEvent | SweepEvent | RedealEvent | RestEvent | ScoreEvent | EndEvent
TYPES = JsonTypes(CassinoView, CassinoEvent, CassinoSheet)
