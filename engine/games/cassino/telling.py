"""Cassino's events as sentences, for replays and transcripts (CAS-51)."""

from __future__ import annotations

import re
from typing import Any

from engine import english
from engine.cards import CODE, RANKS, TEXT
from engine.declarations import join_words
from engine.events import Event
from engine.game import Format, Telling
from engine.games.cassino.items import parse_build


def tell(fmt: Format, event: Event) -> Telling:
    """A sentence for an event, with its clause and the items that it concerns."""
    kind, data, _ = event
    if kind == "move":
        return _move(fmt, data["seat"], data["move"])
    if kind == "deal":
        cards = english.the_cards([CODE[card] for card in data["table"]])
        sentence = f"@{data['dealer']} ~deals; {cards} lie face up."
        return english.make_telling(fmt.seats, sentence, "CAS-3", tuple(data["table"]))
    if kind == "redeal":
        return Telling("Each player gets four new cards.", "CAS-4")
    if kind == "sweep":
        return Telling("The table is empty: a sweep.", "CAS-27")
    if kind == "rest":
        return _last_cards(fmt, data)
    if kind == "score":
        sentence = f"The deal scores {english.points_of(fmt, data['points'])}."
        return english.make_telling(fmt.seats, sentence, "CAS-29")
    result = data["result"]
    return english.ending(fmt, result["winners"], result["reason"], _CLAUSES)


def _move(fmt: Format, seat: int, move: str) -> Telling:
    if move == "out":
        return english.make_telling(fmt.seats, f"@{seat} ~claims the win.", "CAS-36")
    card = english.the_card(move[:2])
    body = move[3:]
    if not body:
        return english.make_telling(fmt.seats, f"@{seat} ~trails {card}.", "CAS-26", (move,))
    if move[2] == "x":
        items = body.split(",")
        items_text = join_words([_item(item) for item in items])
        marks = tuple(part for item in items for part in re.findall("[A2-9TJQK][CDHS]", item))
        sentence = f"@{seat} ~takes {items_text} with {card}."
        return english.make_telling(fmt.seats, sentence, "CAS-9", (move[:2], *marks))
    sentence, clause, mark = _build(card, move)
    return english.make_telling(fmt.seats, f"@{seat} {sentence}.", clause, (mark,))


def _build(card: str, move: str) -> tuple[str, str, str]:
    """The predicate for a build, its clause, and the item that it makes.

    The predicate contains the ``@`` and ``~`` of `english.make_telling`.
    """
    target, separator, declared = re.split("([=:])(?=[^=:]*$)", move[3:])
    is_loose = target in CODE
    item_text = _item(target)
    cards = [CODE[part] for part in re.findall("[A2-9TJQK][CDHS]", target)]
    build_cards = sorted([*cards, CODE[move[:2]]])
    mark = f"[{'+'.join(TEXT[c] for c in build_cards)}{separator}{declared}]"
    if separator == "=":
        number = english.number_word(int(declared))
        verb, clause = ("~builds", "CAS-18") if is_loose else ("~raises it to", "CAS-20")
        return f"~lays {card} on {item_text} and {verb} {number}", clause, mark
    plural = english.rank_plural(RANKS.index(declared))
    if is_loose:
        return f"~lays {card} on {item_text} and ~builds {plural}", "CAS-17", mark
    parsed = parse_build(target)
    clause = "CAS-19" if parsed and parsed[1] == 0 else "CAS-21"
    return f"~adds {card} to {item_text}: a build of {plural}", clause, mark


def _item(text: str) -> str:
    if text in CODE:
        return english.the_card(text)
    parsed = parse_build(text)
    if parsed is None:
        return text
    _, number, rank = parsed
    return f"the build of {english.number_word(number) if number else english.rank_plural(rank)}"


def _last_cards(fmt: Format, data: dict[str, Any]) -> Telling:
    cards = tuple(data["cards"])
    if data["side"] is None:
        return Telling("Nobody captured: the cards left belong to nobody.", "CAS-28", cards)
    return english.last_cards(fmt, fmt.sides[data["side"]], cards, "CAS-28")


_CLAUSES = {
    "target": "CAS-33",
    "count": "CAS-35",
    "claim": "CAS-36",
    "false_claim": "CAS-38",
    **dict.fromkeys(("deals", "decks", "position"), "CAS-39"),
}
