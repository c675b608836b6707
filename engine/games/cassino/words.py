"""Cassino's events as sentences, for replays and transcripts (CAS-51)."""

from __future__ import annotations

import re
from typing import Any

from engine import words
from engine.cards import CODE, RANKS, TEXT, name
from engine.events import Event
from engine.formats import Format, listed
from engine.game import Telling
from engine.games.cassino.items import parse_build


def tell(fmt: Format, event: Event) -> Telling:
    """One sentence for an event, with the clause it rests on and the items it touched."""
    kind, data, _ = event
    if kind == "move":
        return _move(fmt, data["seat"], data["move"])
    if kind == "deal":
        dealer = words.place(fmt.seats, data["dealer"])
        lies = words.the_cards([CODE[card] for card in data["table"]])
        return Telling(f"{dealer} deals; {lies} lie face up.", "CAS-3", tuple(data["table"]))
    if kind == "redeal":
        return Telling("All hands are empty: the dealer gives four more to each.", "CAS-4")
    if kind == "sweep":
        return Telling("The table is empty: a sweep.", "CAS-27")
    if kind == "rest":
        return _rest(fmt, data)
    if kind == "score":
        return _score(fmt, data)
    return _end(fmt, data["result"])


def _move(fmt: Format, seat: int, move: str) -> Telling:
    who = words.place(fmt.seats, seat)
    if move == "out":
        return Telling(f"{who} claims the win.", "CAS-36")
    card = f"the {name(CODE[move[:2]])}"
    rest = move[3:]
    if not rest:
        return Telling(f"{who} trails {card}.", "CAS-26", (move,))
    if move[2] == "x":
        items = rest.split(",")
        taken = listed([_item(item) for item in items])
        marks = tuple(part for item in items for part in re.findall("[A2-9TJQK][CDHS]", item))
        return Telling(f"{who} takes {taken} with {card}.", "CAS-9", (move[:2], *marks))
    return _build(who, card, move)


def _build(who: str, card: str, move: str) -> Telling:
    target, sign, declared = re.split("([=:])(?=[^=:]*$)", move[3:])
    loose = target in CODE
    under = _item(target)
    cards = [CODE[part] for part in re.findall("[A2-9TJQK][CDHS]", target)]
    made = sorted([*cards, CODE[move[:2]]])
    mark = f"[{'+'.join(TEXT[c] for c in made)}{sign}{declared}]"
    if sign == "=":
        number = words.number_word(int(declared))
        verb, clause = ("builds", "CAS-18") if loose else ("raises it to", "CAS-20")
        return Telling(f"{who} lays {card} on {under} and {verb} {number}.", clause, (mark,))
    plural = words.rank_plural(RANKS.index(declared))
    if loose:
        return Telling(f"{who} lays {card} on {under} and builds {plural}.", "CAS-17", (mark,))
    parsed = parse_build(target)
    clause = "CAS-19" if parsed and parsed[1] == 0 else "CAS-21"
    return Telling(f"{who} adds {card} to {under}: a build of {plural}.", clause, (mark,))


def _item(text: str) -> str:
    if text in CODE:
        return f"the {name(CODE[text])}"
    parsed = parse_build(text)
    if parsed is None:
        return text
    _, number, rank = parsed
    return f"the build of {words.number_word(number) if number else words.rank_plural(rank)}"


def _rest(fmt: Format, data: dict[str, Any]) -> Telling:
    cards = tuple(data["cards"])
    if data["side"] is None:
        return Telling("Nobody captured: what is left belongs to nobody.", "CAS-28", cards)
    who = words.side_name(fmt.sides, data["side"])
    left = "card goes" if len(cards) == 1 else f"{words.number_word(len(cards))} cards go"
    return Telling(f"The last {left} to {who}, who captured last.", "CAS-28", cards)


def _score(fmt: Format, data: dict[str, Any]) -> Telling:
    got = [
        f"{words.side_name(fmt.sides, side)} {words.count_of(points, 'point')}"
        for side, points in enumerate(data["points"])
    ]
    return Telling(f"The deal scores {listed(got)}.", "CAS-29")


def _end(fmt: Format, result: dict[str, Any]) -> Telling:
    winners = listed([words.side_name(fmt.sides, side) for side in result["winners"]])
    sentence, clause = _ENDINGS[result["reason"]]
    won = f"{winners} wins"
    if len(result["winners"]) > 1:
        won = f"a draw between {winners}"
    elif len(fmt.sides[result["winners"][0]]) > 1:
        won = f"{winners} win"
    return Telling(f"{sentence}: {won}.", clause)


_ENDINGS = {
    "target": ("The target is reached", "CAS-33"),
    "count": ("Several have the target, and the deal is counted again", "CAS-35"),
    "claim": ("The claim is right", "CAS-36"),
    "false_claim": ("The claim is wrong", "CAS-38"),
    "deals": ("The last deal is played", "CAS-39"),
    "decks": ("No deck is left", "CAS-39"),
    "position": ("The position is played out", "CAS-39"),
}
