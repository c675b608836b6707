"""Canasta's events as sentences, for replays and transcripts (CAN-97)."""

from __future__ import annotations

from typing import Any

from engine import english
from engine.cards import CODE, RANKS
from engine.events import Event
from engine.game import Format, Telling

Sentence = tuple[str, str, tuple[str, ...]]
"""A sentence with the marks of `english.make_telling`, its clause, and the cards put down."""


def tell(fmt: Format, event: Event) -> Telling:
    """A sentence for an event, with its clause and the cards that the event put down."""
    kind, data, _ = event
    if kind == "score":
        points = english.points_of(fmt, [entry["total"] for entry in data["sides"]])
        return english.make_telling(fmt.seats, f"The deal scores {points}.", "CAN-65")
    if kind == "match":
        winners = data.get("draw") or [data["winner"]]
        return english.ending(fmt, winners, data["reason"], _DRAWN if "draw" in data else _WON)
    if kind == "sides":
        return _sides(fmt, data)
    if kind == "upcard":
        return _upcard(data["cards"])
    if kind == "end":
        return _ENDS[data["reason"]]
    subject = f"@{data['dealer'] if kind == 'deal' else data['seat']}"
    if kind in ("deal", "draw", "pile", "red3", "discard"):
        sentence, clause, marks = _cards(subject, kind, data)
    elif kind in ("take", "meld", "canasta"):
        sentence, clause, marks = _melded(subject, kind, data)
    else:
        sentence, clause, marks = _spoken(subject, kind, data)
    return english.make_telling(fmt.seats, sentence, clause, marks)


def _upcard(cards: list[str]) -> Telling:
    if not cards:
        return Telling("No card is left to turn up.", "CAN-10")
    cards_text = english.the_cards([CODE[card] for card in cards])
    verb = "is" if len(cards) == 1 else "are"
    return Telling(f"{_capital(cards_text)} {verb} turned up.", "CAN-9", tuple(cards))


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _cards(subject: str, kind: str, data: dict[str, Any]) -> Sentence:
    """Dealing, drawing, red threes, discards."""
    if kind == "deal":
        return f"{subject} ~deals.", "CAN-8", ()
    if kind == "draw":
        count = english.number_word(data["count"]) if data["count"] else "no"
        noun = "card" if data["count"] == 1 else "cards"
        return f"{subject} ~draws {count} {noun}.", "CAN-16", ()
    if kind == "pile":
        count = english.count_of(data["count"], "card")
        return f"The rest of the pile ({count}) comes to {subject}'s hand.", "CAN-17", ()
    if kind == "red3":
        threes = english.the_cards([CODE[card] for card in data["cards"]])
        clause = {"deal": "CAN-11", "draw": "CAN-19", "pile": "CAN-20"}[data["from"]]
        return f"{subject} ~tables {threes}.", clause, tuple(data["cards"])
    card = english.the_card(data["card"])
    frozen = "; the pile is frozen" if data["frozen"] else ""
    return f"{subject} ~discards {card}{frozen}.", "CAN-13", (data["card"],)


def _melded(subject: str, kind: str, data: dict[str, Any]) -> Sentence:
    """Taking the pile, melds, canastas."""
    ranks = english.rank_plural(RANKS.index(data["rank"]))
    if kind == "canasta":
        return f"A {data['kind']} canasta of {ranks} for {subject}.", "CAN-44", ()
    if kind == "meld":
        cards_text = english.the_cards([CODE[card] for card in data["cards"]])
        if len(data["cards"]) > 1:
            return f"{subject} ~melds {cards_text}.", "CAN-36", tuple(data["cards"])
        return f"{subject} ~adds {cards_text} to the {ranks}.", "CAN-36", tuple(data["cards"])
    top = english.the_card(data["top"])
    size = english.count_of(data["size"], "card")
    marks = (data["top"], *data["with"])
    if not data["with"]:
        sentence = f"{subject} ~takes the pile of {size} and ~lays {top} off on the {ranks}."
        return sentence, "CAN-29", marks
    hand_cards = english.the_cards([CODE[card] for card in data["with"]])
    return f"{subject} ~takes the pile of {size}: {top} with {hand_cards}.", "CAN-17", marks


def _spoken(subject: str, kind: str, data: dict[str, Any]) -> Sentence:
    """Questions, answers, passing, going out."""
    if kind == "ask":
        return f"{subject} ~asks @{data['to']}: may I go out?", "CAN-56", ()
    if kind == "answer":
        return f"{subject} ~says {'yes' if data['yes'] else 'no'}.", "CAN-57", ()
    if kind == "pass":
        return f"{subject} ~passes.", "CAN-60", ()
    concealed = " concealed" if data["concealed"] else ""
    return f"{subject} ~goes out{concealed}.", "CAN-52" if concealed else "CAN-49", ()


def _sides(fmt: Format, data: dict[str, Any]) -> Telling:
    pair = english.seats_marked(data["pair"])
    sentence = f"@{data['lone']} took the pile first and ~plays alone against {pair}."
    return english.make_telling(fmt.seats, sentence, "CAN-71")


_ENDS = {
    "out": Telling("The deal is over.", "CAN-49"),
    "stock": Telling("The stock is gone, and the deal is over.", "CAN-60"),
    "red3": Telling("The last stock card was a red three: the deal is over.", "CAN-63"),
}
_WON = dict.fromkeys(("target", "deals", "decks", "position"), "CAN-66")
_DRAWN = dict.fromkeys(_WON, "CAN-67")
