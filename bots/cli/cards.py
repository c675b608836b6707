"""Show cards in the terminal with suit symbols, in four colours."""

from __future__ import annotations

import re

from rich.text import Text

_CARD = re.compile(r"(?<![A-Z0-9])(?:([A2-9TJQK])([CDHS])|(X)(\d*))(?![A-Z0-9])")
_SUITS = {"C": ("♣", "green"), "D": ("♦", "blue"), "H": ("♥", "red"), "S": ("♠", "bold")}


def coloured(text: str, *, spelled: bool = False) -> Text:
    """The text with every card in the colour of its suit and with the suit's symbol.

    `spelled`: keep the spelling of bots and records, so that the text can be searched and copied.
    """
    styled = Text()
    end = 0
    for card in _CARD.finditer(text):
        styled.append(text[end : card.start()])
        if card[3]:
            styled.append(card[0] if spelled else f"★{card[4]}", style="magenta")
        else:
            sign, style = _SUITS[card[2]]
            styled.append(card[0] if spelled else card[1] + sign, style=style)
        end = card.end()
    return styled.append(text[end:])
