"""The lines between platform and bot, as types with a description of each key.

For the bots of one game: `MoveMessage[CassinoView, CassinoEvent]`, `DealMessage[CassinoSheet]`.
"""

from typing import Annotated, Generic, Literal, NotRequired, TypedDict, TypeVar

from engine.json_types import Result

View = TypeVar("View")
Event = TypeVar("Event")
Sheet = TypeVar("Sheet")


class Times(TypedDict):
    """The clock of a seat."""

    move_ms: Annotated[int, "The free time of each decision, in ms."]
    bank_ms: Annotated[int, "The additional time for the whole match, in ms."]


class TimeLeft(TypedDict):
    """The clock of a seat at a decision."""

    bank_ms: Annotated[int, "The rest of the additional time, in ms."]


class StartMessage(TypedDict):
    """The first line of a match. The bot answers with `ready`."""

    type: Literal["start"]
    protocol: Annotated[int, "The version of the protocol."]
    format: Annotated[str, "The format of the match: game, variant, table form and options."]
    seat: Annotated[int, "The bot's seat, from 0."]
    sides: Annotated[list[list[int]], "The seats of each side."]
    players: Annotated[list[str], "The names of the players, by seat."]
    clock: Annotated[Times, "The clock of the seat."]
    rng: Annotated[str, "A text from which the bot may derive its random numbers."]


class ReadyMessage(TypedDict):
    """A bot's answer to `start`."""

    type: Literal["ready"]


class MoveMessage(TypedDict, Generic[View, Event]):
    """A question: the seat must move. The bot answers with a move."""

    type: Literal["move"]
    n: Annotated[int, "The number of the decision, from 0 over all seats of the match."]
    view: Annotated[View, "The position as the seat sees it."]
    legal: Annotated[list[str], "The legal moves, at most 512."]
    truncated: Annotated[bool, "Whether more moves are legal than `legal` lists."]
    events: Annotated[list[Event], "The events since the seat's last decision, as it saw them."]
    clock: Annotated[TimeLeft, "The clock of the seat."]


class AnswerMessage(TypedDict):
    """A bot's answer to a question."""

    move: Annotated[str, "The move."]
    note: NotRequired[Annotated[str, "A comment for the replay, cut off at 500 characters."]]
    n: NotRequired[Annotated[int, "The number of the question."]]


class DealMessage(TypedDict, Generic[Sheet]):
    """A deal ended. The bot does not answer."""

    type: Literal["deal"]
    deal: Annotated[int, "The number of the deal, from 0."]
    dealer: Annotated[int, "The seat that dealt."]
    sheet: Annotated[Sheet, "The score sheet of the deal."]


class EndMessage(TypedDict):
    """The match ended. The bot does not answer."""

    type: Literal["end"]
    result: Annotated[Result, "The result of the match."]
