"""Zwicker's events as sentences, for replays and transcripts (ZWI-53)."""

from __future__ import annotations

from typing import Any

from engine import english
from engine.cards import CODE, TEXT
from engine.declarations import join_words
from engine.events import Event
from engine.game import Format, Telling
from engine.games.zwicker.items import CARD, parse_build


def tell(fmt: Format, event: Event) -> Telling:
    """A sentence for an event, with its clause and the items that it concerns."""
    kind, data, _ = event
    if kind == "move":
        return _move(fmt, data["seat"], data["move"])
    if kind == "deal":
        cards = join_words([_item(card) for card in data["table"]])
        sentence = f"@{data['dealer']} ~deals; {cards} lie face up."
        return english.make_telling(fmt.seats, sentence, "ZWI-3", tuple(data["table"]))
    if kind == "redeal":
        clause = "ZWI-4" if fmt.variant == "grupp" else "ZWI-5"
        return Telling("Each player gets new cards.", clause)
    if kind == "zwick":
        return Telling("The table is empty: a zwick.", "ZWI-28")
    if kind == "rest":
        return _last_cards(fmt, data)
    if kind == "score":
        sentence = f"The deal scores {english.points_of(fmt, data['points'])}."
        return english.make_telling(fmt.seats, sentence, "ZWI-38")
    result = data["result"]
    return english.ending(fmt, result["winners"], result["reason"], _CLAUSES)


def _move(fmt: Format, seat: int, move: str) -> Telling:
    card_match = CARD.match(move)
    played = card_match[0] if card_match else move
    card = _item(played)
    kind, body = move[len(played) : len(played) + 1], move[len(played) + 1 :]
    if not kind:
        return english.make_telling(fmt.seats, f"@{seat} ~trails {card}.", "ZWI-15", (move,))
    if kind == "x":
        items_text = join_words([_item(item) for item in body.split(",")])
        marks = tuple(CARD.findall(body))
        sentence = f"@{seat} ~takes {items_text} with {card}."
        return english.make_telling(fmt.seats, sentence, "ZWI-10", (played, *marks))
    target, _, value = body.rpartition("=")
    parsed = parse_build(target)
    target_cards = parsed[0] if parsed else [CODE[target]]
    build_cards = "+".join(TEXT[part] for part in sorted([*target_cards, CODE[played]]))
    number = english.number_word(int(value))
    sentence = f"@{seat} ~lays {card} on {_item(target)}: a build of {number}."
    clause = "ZWI-19" if parsed else "ZWI-16"
    return english.make_telling(fmt.seats, sentence, clause, (f"[{build_cards}={value}]",))


def _item(text: str) -> str:
    if text in CODE:
        return english.the_card(text)
    parsed = parse_build(text)
    return f"the build of {english.number_word(parsed[1])}" if parsed else text


def _last_cards(fmt: Format, data: dict[str, Any]) -> Telling:
    cards = tuple(data["cards"])
    if data["seat"] is None:
        cause = "Nobody captured: the" if fmt.variant == "grupp" else "The"
        clause = "ZWI-29" if fmt.variant == "grupp" else "ZWI-30"
        return Telling(f"{cause} cards left belong to nobody.", clause, cards)
    return english.last_cards(fmt, [data["seat"]], cards, "ZWI-29")


_CLAUSES = {"target": "ZWI-41", **dict.fromkeys(("deals", "decks", "position"), "ZWI-43")}
