"""The JSON that bots and readers of records get, as types with a description of each key.

Each game adds its view, events and score sheet in a module `json_types` of its own.
`bots.schemas` makes JSON Schema, tables for the documentation and comments in starter bots of
them. Compiled modules lose such descriptions, so these modules stay interpreted, and others import
them for type checking only.
"""

from typing import Annotated, Any, Literal, NamedTuple, NotRequired, TypedDict

Seat = Annotated[int, "The seat that did it."]
Hand = Annotated[list[str], "The seat's own hand, in card order; only its owner gets this key."]
Totals = Annotated[list[int], "The match's score after the deal, by side."]


class JsonTypes(NamedTuple):
    """The JSON of a game. `event` is a union of types whose key `type` names the kind."""

    view: Any
    event: Any
    sheet: Any


class Heading(TypedDict):
    """The first keys of a view, and the keys that only spectators get."""

    game: Annotated[str, "The game."]
    format: Annotated[str, "The format of the match: game, variant, table form and options."]
    seat: Annotated[int | None, "The viewing seat; null for spectators."]
    sides: Annotated[list[list[int]], "The seats of each side."]
    deal: Annotated[int, "The number of the deal, from 0."]
    dealer: Annotated[int, "The seat that dealt."]
    turn: Annotated[int | None, "The seat whose turn it is; null when the deal is over."]
    to_act: Annotated[int | None, "The seat that must move now; null when the deal is over."]
    hands: NotRequired[Annotated[list[list[str]], "All hands, by seat; for spectators only."]]
    stock_cards: NotRequired[
        Annotated[list[str], "The stock, its top card first; for spectators only."]
    ]


class View(Heading):
    """The keys that the views of all built-in games have."""

    hand: Annotated[list[str], "The seat's cards, in card order; empty for spectators."]
    hand_sizes: Annotated[list[int], "The number of cards in each hand, by seat."]
    stock: Annotated[int, "The number of cards left in the stock."]
    scores: Annotated[list[int], "The match's score so far, by side."]


ScoreItem = TypedDict(
    "ScoreItem",
    {
        "key": Annotated[str, "The name of the item for programs; it never changes."],
        "clause": Annotated[str, "The clause of the rules."],
        "for": Annotated[str, "A description of the item."],
        "points": Annotated[list[int], "The points by side."],
    },
)
ScoreItem.__doc__ = "A scoring item of a deal."


class Sheet(TypedDict):
    """The keys that the score sheets of all built-in games have."""

    points: Annotated[list[int], "The points of the deal, by side."]
    lines: Annotated[list[ScoreItem], "The scoring items."]
    scores: Totals


class Result(TypedDict):
    """The result of a match. All lists go by side."""

    scores: Annotated[list[int], "The final scores."]
    ranks: Annotated[list[int], "The ranks from 1; sides with a fault share the last."]
    winners: Annotated[list[int], "The sides with rank 1."]
    settlement: Annotated[
        list[int] | None, "What each side gets from the others; null if the game pays nothing."
    ]
    reason: Annotated[
        str,
        "Why the match ended: `target` (a side reached it), `deals` (the last deal was played), "
        "`decks` (no further deck was given), `position` (the match began from a position and had "
        "one deal), `forfeit` (a fault), or a reason of the game.",
    ]


# Events that several games have.


class OwnHand(TypedDict):
    """What only one seat sees of an event."""

    hand: Annotated[list[str], "The seat's hand, in card order."]


Hands = Annotated[
    dict[str, OwnHand], "For spectators: what each seat saw, by seat. Bots never get this key."
]


class OwnCard(TypedDict):
    """What only one seat sees of an event."""

    card: Annotated[str, "The card drawn."]


HiddenCard = Annotated[
    dict[str, OwnCard], "For spectators: what each seat saw, by seat. Bots never get this key."
]


class NewHands(TypedDict):
    """The keys of every event with which a deal begins."""

    dealer: Annotated[int, "The seat that dealt."]
    hand: NotRequired[Hand]
    hidden: NotRequired[Hands]


class MoveEvent(TypedDict):
    """A seat moved."""

    type: Literal["move"]
    seat: Seat
    move: Annotated[str, "The move as it was played."]


class RedealEvent(TypedDict):
    """All hands were empty, and each seat got new cards."""

    type: Literal["redeal"]
    hand: NotRequired[Hand]
    hidden: NotRequired[Hands]


class EndEvent(TypedDict):
    """The match ended."""

    type: Literal["end"]
    result: Annotated[Result, "The result of the match."]


# Records (engine/record.py).


class Player(TypedDict):
    """The player of a seat. Programs may add keys of their own."""

    name: Annotated[str, "The player's name."]
    package: NotRequired[Annotated[str, "The SHA-256 digest of the bot's package."]]
    person: NotRequired[
        Annotated[
            bool | str,
            "true: a person played the seat. A name: this person began, and a bot took over.",
        ]
    ]
    since: NotRequired[
        Annotated[int | None, "The move from which the bot played for the person, from 0."]
    ]


class FaultEntry(TypedDict):
    """The first fault of a seat. Programs may add keys of their own."""

    seat: Annotated[int, "The seat of the fault."]
    kind: Annotated[
        Literal["start", "crash", "time", "extra", "garbage", "illegal"], "The kind of the fault."
    ]
    move: NotRequired[Annotated[int, "The number of the decision, from 0; 0 for `start`."]]
    received: NotRequired[Annotated[str, "The first 200 characters that the bot sent."]]
    detail: NotRequired[
        Annotated[str, "What happened and what to do; for `illegal` also the clause of the rules."]
    ]
    policy: NotRequired[
        Annotated[
            Literal["fallback", "forfeit"],
            "Whether the platform played on for the seat, or the match ended.",
        ]
    ]


class RecordJson(TypedDict):
    """A match: seed and moves, from which everything else follows."""

    cardroom: Annotated[Literal[1], "The version of the format of records."]
    format: Annotated[str, "The format of the match: game, variant, table form and options."]
    seed: Annotated[str, "The text from which the cards of all deals follow."]
    rng: NotRequired[
        Annotated[str, "The text from which the bots' random numbers follow; default: `seed`."]
    ]
    rules: NotRequired[Annotated[str, "The version of the game's rules and a digest of its code."]]
    players: Annotated[list[Player], "The players, by seat."]
    moves: Annotated[list[str], "All moves, in order."]
    clock_ms: Annotated[list[int], "The thinking time of each move, in ms; may be empty."]
    notes: Annotated[dict[str, str], "The bots' notes, by the number of the move from 0."]
    faults: Annotated[list[FaultEntry], "The faults, in order; at most one per seat."]
    result: Annotated[Result | None, "The result; null while the match is unfinished."]
