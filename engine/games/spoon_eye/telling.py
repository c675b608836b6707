"""Spoon Eye's events as sentences, for replays and transcripts."""

from __future__ import annotations

from typing import Any, Final

from engine import english
from engine.cards import TEXT, name
from engine.declarations import join_words
from engine.events import Event
from engine.game import Format, Telling
from engine.games.spoon_eye import moves

_ORDINALS: Final = ("first", "second", "third", "fourth")


def tell(fmt: Format, event: Event) -> Telling:
    """A sentence for an event, with its clause and the cards that it concerns."""
    kind, data, _ = event
    if kind == "move":
        return _move(fmt, data["seat"], data["move"])
    if kind == "draw":
        return english.make_telling(fmt.seats, f"@{data['seat']} ~draws a card.", "SPO-13")
    if kind == "raise":
        sentence = f"@{data['seat']} ~raises a mast of 21."
        return english.make_telling(fmt.seats, sentence, "SPO-19", tuple(data["cards"]))
    if kind == "swap":
        seats_text = english.seats_marked(data["seats"])
        return english.make_telling(fmt.seats, f"Three sevens: {seats_text} swap hands.", "SPO-45")
    if kind == "deal_start":
        cards = tuple(card for row in data["masts"] for mast in row for card in mast)
        sentence = f"@{data['dealer']} ~deals four masts and four cards to each player."
        return english.make_telling(fmt.seats, sentence, "SPO-5", cards)
    if kind == "deal_end":
        return _score(fmt, data)
    result = data["result"]
    return english.ending(fmt, result["winners"], result["reason"], _CLAUSES)


def _move(fmt: Format, seat: int, move: str) -> Telling:
    parsed = moves.parse(move)
    assert parsed is not None  # noqa: S101 - logged moves are legal
    sentence, clause = _sentence(seat, parsed)
    marks = (TEXT[parsed.card],) if parsed.kind == "play" else ()
    return english.make_telling(fmt.seats, f"@{seat} {sentence}.", clause, marks)


def _sentence(seat: int, parsed: moves.SpoonEyeMove) -> tuple[str, str]:
    """The predicate, with the ``@`` and ``~`` of `english.make_telling`, and the clause."""
    if parsed.kind == "draw":
        return "~leaves the crow's nests where they are", "SPO-37"
    if parsed.kind == "pass":
        return "cannot play a card and ~passes", "SPO-16"
    if parsed.kind == "play":
        return f"~lays the {name(parsed.card)} {_target_text(seat, parsed.target)}", "SPO-15"
    if parsed.kind == "take":
        if parsed.target[0] < 0:
            return "~takes no mast", "SPO-20"
        return f"~plunders {_mast_text(seat, parsed.target)}", "SPO-20"
    nest_text = f"the crow's nest of {_mast_text(seat, parsed.source)}"
    if parsed.kind == "move":
        return f"~moves {nest_text} onto {_mast_text(seat, parsed.target)}", "SPO-37"
    return f"~steals {nest_text} and ~lays it {_target_text(seat, parsed.target)}", "SPO-27"


def _target_text(seat: int, place: tuple[int, int]) -> str:
    if place[1] == moves.LEFT:
        return "down as a new mast on the left"
    if place[1] == moves.RIGHT:
        return "down as a new mast on the right"
    return f"on {_mast_text(seat, place)}"


def _mast_text(seat: int, place: tuple[int, int]) -> str:
    """``~their own second mast``, ``@1's first mast``."""
    owner = "~their own" if place[0] == seat else f"@{place[0]}'s"
    return f"{owner} {_ORDINALS[place[1]]} mast"


def _score(fmt: Format, data: dict[str, Any]) -> Telling:
    bonuses = any(data["bonus"])
    sides_text = []
    for side, base in enumerate(data["base"]):
        bonus_text = f" (bonus {data['bonus'][side]:+d})" if bonuses else ""
        points = english.count_of(base, "point")
        sides_text.append(f"{english.seats_marked(fmt.sides[side])} {points}{bonus_text}")
    clause = "SPO-46" if bonuses else "SPO-34"
    return english.make_telling(fmt.seats, f"The deal scores {join_words(sides_text)}.", clause)


_CLAUSES: Final = {  # by the reason for the end of the match
    "target": "SPO-48",
    **dict.fromkeys(("deals", "decks", "position"), "SPO-51"),
}
