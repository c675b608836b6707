"""The moves of Paks: cards played for a target, or the end of the turn."""

from __future__ import annotations

from typing import Final

from engine.cards import TEXT
from engine.deals import CODES, digest
from engine.games.paks.force import Group

END: Final = "end"
PASS: Final = "pass"  # noqa: S105 - a move, not a password

# Parts of a move's text: its start with the first card played, a further card, the board card.
_FIRST_PAK_CARDS: Final = [f"pak:{text}" for text in TEXT]
_FIRST_THEFT_CARDS: Final = [f"steal:{text}" for text in TEXT]
_FURTHER_CARDS: Final = [f"+{text}" for text in TEXT]
_BOARD_TARGETS: Final = [f">{text}" for text in TEXT]
# The code of a move is a sum of the codes of its parts: the cards played, the board card taken, the
# owner and the numbers of the stolen paks.
_PLAYED_CODES: Final = [digest(text) for text in TEXT]
_TAKEN_CODES: Final = [digest(f">{text}") for text in TEXT]
_OWNER_CODES: Final = [digest(f">{seat}:") for seat in range(6)]
_NUMBER_CODES: Final = [digest(f"+{number}") for number in range(105)]


class Target:
    """A board card, or paks of one owner, that a group of cards can take. Immutable.

    `price`: the force that the group must exceed. `card`: the board card, or -1. `owner`: the seat
    with the paks, or -1. `paks`: their indices in the owner's row, ascending.
    """

    __slots__ = ("card", "owner", "paks", "price", "suit")

    def __init__(
        self, suit: int, price: int, card: int = -1, owner: int = -1, paks: tuple[int, ...] = ()
    ) -> None:
        self.suit: int = suit
        self.price: int = price
        self.card: int = card
        self.owner: int = owner
        self.paks: tuple[int, ...] = paks


class Play:
    """A move. Immutable.

    `kind`: ``end``, ``pass``, ``pak`` or ``steal``. `cards`: the cards played. `card`: the board
    card that a pak takes. `owner` and `paks`: the seat and the indices of the stolen paks in its
    row, ascending.
    """

    __slots__ = ("_text", "card", "cards", "kind", "owner", "paks")

    def __init__(
        self,
        kind: str,
        cards: Group = (),
        card: int = -1,
        owner: int = -1,
        paks: tuple[int, ...] = (),
    ) -> None:
        self.kind: str = kind
        self.cards: Group = cards
        self.card: int = card
        self.owner: int = owner
        self.paks: tuple[int, ...] = paks
        self._text: str = "" if cards else kind

    @property
    def text(self) -> str:
        """The text: ``end``, ``pak:4H+7H>KH``, ``steal:2C+3C>1:2``; made on first use."""
        if not self._text:
            self._text = self._spell()
        return self._text

    def _spell(self) -> str:
        first_cards = _FIRST_PAK_CARDS if self.card >= 0 else _FIRST_THEFT_CARDS
        text = ""
        for card in self.cards:
            if text:
                text += _FURTHER_CARDS[card]
            else:
                text = first_cards[card]
        if self.card >= 0:
            return text + _BOARD_TARGETS[self.card]
        return f"{text}>{self.owner}:{'+'.join([str(index + 1) for index in self.paks])}"

    @property
    def code(self) -> int:
        if not self.cards:
            return _END_CODE if self.kind == END else _PASS_CODE
        code = _TAKEN_CODES[self.card] if self.card >= 0 else _OWNER_CODES[self.owner]
        for card in self.cards:
            code = (code + _PLAYED_CODES[card]) & CODES
        for index in self.paks:
            code = (code + _NUMBER_CODES[index + 1]) & CODES
        return code


_END_CODE: Final = digest(END)
_PASS_CODE: Final = digest(PASS)
END_PLAY: Final = Play(END)
PASS_PLAY: Final = Play(PASS)


def play_for(group: Group, target: Target) -> Play:
    """The move that plays cards from the hand for a target."""
    if target.card >= 0:
        return Play("pak", group, target.card)
    return Play("steal", group, -1, target.owner, target.paks)
