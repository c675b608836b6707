"""Paks' events as sentences, for replays and transcripts."""

from __future__ import annotations

from typing import Any

from engine import english
from engine.cards import CODE, SUIT_NAMES, SUITS
from engine.declarations import join_words
from engine.events import Event
from engine.game import Format, Telling


def tell(fmt: Format, event: Event) -> Telling:
    """A sentence for an event, with its clause and the cards that it concerns."""
    kind, data, _ = event
    if kind == "move":
        return _move(fmt, data["seat"], data["move"])
    if kind == "deal_end":
        return _score(fmt, data)
    if kind == "end":
        ended = data["result"]
        return english.ending(fmt, ended["winners"], ended["reason"], _CLAUSES)
    if kind == "deal_start":
        board = english.the_cards([CODE[card] for card in data["board"]])
        sentence = f"@{data['dealer']} ~deals five cards to each player; {board} lie on the board."
        return english.make_telling(fmt.seats, sentence, "PAK-5", tuple(data["board"]))
    subject = f"@{data['seat']}"
    if kind == "show":
        sentence = f"{subject} ~shows the whole hand as proof."
        return english.make_telling(fmt.seats, sentence, "PAK-17", tuple(data["hand"]))
    if "card" not in data:
        cause = "All four suits are on the board, so"
        sentence = f"{cause} {subject} ~draws from the stock and must make a pak."
        return english.make_telling(fmt.seats, sentence, "PAK-16")
    card = english.the_card(data["card"])
    if kind == "feed":
        sentence = f"{english.capital(card)} feeds the table: no card of its suit lies there."
        return Telling(sentence, "PAK-12", (data["card"],))
    return english.make_telling(fmt.seats, f"{subject} ~draws {card}.", "PAK-11", (data["card"],))


def _move(fmt: Format, seat: int, move: str) -> Telling:
    if move == "end":
        return english.make_telling(fmt.seats, f"@{seat} ~ends the turn.", "PAK-23")
    if move == "pass":
        return english.make_telling(fmt.seats, f"@{seat} cannot make a pak and ~passes.", "PAK-17")
    kind, _, arguments = move.partition(":")
    group, _, target = arguments.partition(">")
    played = tuple(group.split("+"))
    cards = english.the_cards([CODE[card] for card in played])
    if kind == "pak":
        sentence = f"@{seat} ~takes {english.the_card(target)} with {cards}: a pak."
        return english.make_telling(fmt.seats, sentence, "PAK-18", (*played, target))
    owner, _, numbers = target.partition(":")
    suit = SUIT_NAMES[CODE[played[0]] & 3]
    count = numbers.count("+") + 1
    paks = f"a pak of {suit}" if count == 1 else f"{english.number_word(count)} paks of {suit}"
    clause = "PAK-27" if count == 1 else "PAK-29"
    sentence = f"@{seat} ~steals {paks} from @{owner} with {cards}."
    return english.make_telling(fmt.seats, sentence, clause, played)


def _score(fmt: Format, data: dict[str, Any]) -> Telling:
    thrown = [
        f"{english.count_of(data['thrown'][letter], 'pak')} of {SUIT_NAMES[suit]}"
        for suit, letter in enumerate(SUITS)
        if data["thrown"][letter]
    ]
    throw_off = f"Each side throws off {join_words(thrown)}" if thrown else "Nothing is thrown off"
    points = english.points_of(fmt, data["points"])
    return english.make_telling(fmt.seats, f"{throw_off}; the deal scores {points}.", "PAK-33")


_CLAUSES = {"target": "PAK-38", **dict.fromkeys(("deals", "decks", "position"), "PAK-41")}
