"""The JSON of Canasta's views, events and score sheets (CAN-94 to CAN-97)."""

from typing import Annotated, Literal, NotRequired, TypedDict

from engine.json_types import JsonTypes, NewHands, Seat, Sheet, Totals, View

Phase = Literal["choose", "meld", "answer", "over"]
Reason = Annotated[
    Literal["out", "stock", "red3"],
    "Why the deal ended: a seat went out, the stock is empty, or its last card was a red three.",
]
Rank = Annotated[str, "The rank of the meld; `3` is black threes."]
Number = Annotated[int, "The number of the meld among the side's melds of its rank, from 1."]
Count = Annotated[int, "The number of cards."]


class MeldJson(TypedDict):
    """A meld on the table."""

    rank: Rank
    cards: Annotated[list[str], "Its cards, in card order."]
    wild: Annotated[int, "The number of wild cards among them."]
    canasta: Annotated[
        Literal["natural", "mixed"] | None, "The kind of canasta; null for fewer than seven cards."
    ]


class PileJson(TypedDict):
    """The discard pile; while cards are pending (CAN-35), these cards instead."""

    size: Count
    top: Annotated[str | None, "The top card; null for an empty pile and for pending cards."]
    frozen: Annotated[bool, "Whether it is frozen for everybody; false for pending cards."]
    frozen_for_me: Annotated[
        bool, "Whether it is frozen for everybody, or under CAN-26 for this seat's side."
    ]
    cards: Annotated[
        list[str] | None,
        "Its cards from the bottom to the top; null if the seat may not look (CAN-96 item 1).",
    ]


class StepJson(TypedDict):
    """The turn in progress."""

    drew: Annotated[bool, "Whether the seat has drawn."]
    counted: Annotated[
        int,
        "The points melded in this turn towards the minimum; 0 if the side had melds before it.",
    ]
    need: Annotated[
        int,
        "The points still missing from the minimum; before the first meld, all of them (CAN-87).",
    ]
    pending: Annotated[int, "The number of pending cards, red threes included (CAN-35)."]
    committed: Annotated[bool, "Whether the seat must go out in this turn."]
    refused: Annotated[bool, "Whether the partner said no, so that the seat may not go out."]
    asked: Annotated[bool, "Whether the seat has asked its partner whether it may go out."]
    melded: Annotated[
        bool, "Whether the seat has melded in part 2; the move `R` is then illegal (CAN-24)."
    ]
    settled: Annotated[
        bool,
        "Whether the seat has melded while no cards were pending; it may then not ask (CAN-56).",
    ]
    discard: Annotated[bool, "Whether the turn has a discard; false under CAN-63 `meld`."]


class CanastaView(View):
    """What a seat sees. A resting seat has an empty `hand`. In table form `1v2`, `scores` and
    `minimum` go by seat, and `sides` changes (CAN-76)."""

    chairs: Annotated[list[int], "The seats that play in this deal, in order; others rest."]
    phase: Annotated[
        Phase,
        "The kind of the next move: draw or take the pile, meld or discard, answer the partner; "
        "`over` between the end of a deal and the next one.",
    ]
    pile: Annotated[PileJson, "The discard pile."]
    melds: Annotated[
        list[list[MeldJson]],
        "The melds of each side in rank order (`3` after `A`), equal ranks in number order.",
    ]
    red3: Annotated[list[int], "The number of red threes on the table, by seat."]
    minimum: Annotated[
        list[int],
        "The points that a first meld needs, in the order of `scores`, even after it was made.",
    ]
    opened: Annotated[list[bool], "Whether each side has a meld on the table."]
    step: Annotated[
        StepJson,
        "The turn in progress, all of it public; in phase `answer` that of the seat that asked.",
    ]
    red3_cards: NotRequired[
        Annotated[list[list[str]], "The red threes on the table, by seat; for spectators only."]
    ]


class DealEvent(NewHands):
    """The cards were dealt."""

    type: Literal["deal"]
    chairs: Annotated[list[int], "The seats that play in this deal, in order."]


class UpcardEvent(TypedDict):
    """The pile was begun."""

    type: Literal["upcard"]
    cards: Annotated[list[str], "The cards in the order turned up."]


Red3Event = TypedDict(
    "Red3Event",
    {
        "type": Literal["red3"],
        "seat": Seat,
        "cards": Annotated[list[str], "The red threes that the seat laid on the table."],
        "from": Annotated[
            Literal["deal", "draw", "pile"], "Where the seat got them; `draw` for the move `R`."
        ],
    },
)
Red3Event.__doc__ = "A seat laid red threes on the table; the draw of replacements follows."


class OwnCards(TypedDict):
    """What only one seat sees of an event."""

    cards: Annotated[list[str], "The cards drawn."]


class DrawEvent(TypedDict):
    """A seat drew cards."""

    type: Literal["draw"]
    seat: Seat
    count: Annotated[int, "The number of cards that went into the hand."]
    cards: NotRequired[
        Annotated[list[str], "The cards; only the seat that drew them gets this key."]
    ]
    hidden: NotRequired[
        Annotated[
            dict[str, OwnCards],
            "For spectators: what each seat saw, by seat. Bots never get this key.",
        ]
    ]


TakeEvent = TypedDict(
    "TakeEvent",
    {
        "type": Literal["take"],
        "seat": Seat,
        "top": Annotated[str, "The top card of the pile, which is melded."],
        "with": Annotated[list[str], "The cards from the hand that are melded with it."],
        "size": Annotated[int, "The number of cards in the pile, its top card included."],
        "rank": Rank,
        "number": Number,
    },
)
TakeEvent.__doc__ = "A seat took the pile."


class PileEvent(TypedDict):
    """The rest of the pile went into the seat's hand."""

    type: Literal["pile"]
    seat: Seat
    count: Count


class SidesEvent(TypedDict):
    """The sides of `1v2` were formed."""

    type: Literal["sides"]
    lone: Annotated[int, "The seat that plays alone."]
    pair: Annotated[list[int], "The seats that play together."]


class MeldEvent(TypedDict):
    """A seat melded or laid off cards."""

    type: Literal["meld"]
    seat: Seat
    rank: Rank
    number: Number
    cards: Annotated[list[str], "The cards from the hand."]


class CanastaMadeEvent(TypedDict):
    """A meld became a canasta."""

    type: Literal["canasta"]
    seat: Seat
    rank: Rank
    kind: Annotated[Literal["natural", "mixed"], "Its kind."]


class AskEvent(TypedDict):
    """A seat asked its partner whether it may go out."""

    type: Literal["ask"]
    seat: Seat
    to: Annotated[int, "The partner who must answer."]


class AnswerEvent(TypedDict):
    """The partner answered."""

    type: Literal["answer"]
    seat: Seat
    yes: Annotated[bool, "Whether the seat that asked may, and must, go out in this turn."]


class DiscardEvent(TypedDict):
    """A seat discarded."""

    type: Literal["discard"]
    seat: Seat
    card: Annotated[str, "The card."]
    frozen: Annotated[bool, "Whether the pile is now frozen."]


class PassEvent(TypedDict):
    """A seat passed."""

    type: Literal["pass"]
    seat: Seat


class OutEvent(TypedDict):
    """A seat went out."""

    type: Literal["out"]
    seat: Seat
    concealed: Annotated[bool, "Whether it went out concealed (CAN-52)."]


class EndEvent(TypedDict):
    """The deal ended."""

    type: Literal["end"]
    reason: Reason


class SidePoints(TypedDict):
    """The points of a side in the deal."""

    melds: Annotated[int, "Cards melded."]
    canastas: Annotated[int, "Canastas."]
    red3: Annotated[int, "Red threes."]
    out: Annotated[int, "Going out."]
    hands: Annotated[int, "Cards left in hands, at most 0."]
    total: Annotated[int, "The sum."]


class ScoreEvent(TypedDict):
    """The deal was scored."""

    type: Literal["score"]
    sides: Annotated[list[SidePoints], "The points of each side."]
    hands: Annotated[list[list[str]], "The cards left in the hands, by seat."]
    scores: Totals


class MatchEvent(TypedDict):
    """The match ended."""

    type: Literal["match"]
    scores: Annotated[list[int], "The final scores."]
    winner: NotRequired[Annotated[int, "The side that won; left out for a draw."]]
    draw: NotRequired[Annotated[list[int], "The sides that share the win, if several do."]]
    settlement: Annotated[list[int], "What each side gets from the others."]
    reason: Annotated[
        Literal["target", "deals", "decks", "position"],
        "Why the match ended: a side reached the target, the last deal was played, no further deck "
        "was given, or the match began from a position and had one deal.",
    ]


class CanastaSheet(Sheet):
    """The score sheet of a deal."""

    reason: Reason
    out: Annotated[int | None, "The seat that went out."]
    concealed: Annotated[bool, "Whether it went out concealed."]
    sides: Annotated[list[list[int]], "The seats of each side at the end of the deal."]


CanastaEvent = (
    DealEvent
    | UpcardEvent
    | Red3Event
    | DrawEvent
    | TakeEvent
    | PileEvent
    | SidesEvent
    | MeldEvent
    | CanastaMadeEvent
    | AskEvent
    | AnswerEvent
    | DiscardEvent
    | PassEvent
    | OutEvent
    | EndEvent
    | ScoreEvent
    | MatchEvent
)
TYPES = JsonTypes(CanastaView, CanastaEvent, CanastaSheet)
