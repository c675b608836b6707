"""Spoon Eye's events as sentences, for replays and transcripts."""

from __future__ import annotations

from typing import Any, Final

from engine import english
from engine.cards import TEXT, name
from engine.declarations import listed
from engine.events import Event
from engine.game import Format, Telling
from engine.games.spoon_eye import moves

_NUMBER: Final = ("first", "second", "third", "fourth")


def tell(fmt: Format, event: Event) -> Telling:
    """One sentence for an event, with the clause it rests on and the cards it touched."""
    kind, data, _ = event
    if kind == "move":
        return _move(fmt, data["seat"], data["move"])
    if kind == "draw":
        return Telling(f"{english.place(fmt.seats, data['seat'])} draws a card.", "SPO-13")
    if kind == "raise":
        who = english.place(fmt.seats, data["seat"])
        return Telling(f"{who} raises a mast of 21.", "SPO-19", tuple(data["cards"]))
    if kind == "swap":
        who = listed([english.place(fmt.seats, seat) for seat in data["seats"]])
        return Telling(f"Three sevens: {who} swap hands.", "SPO-45")
    if kind == "deal_start":
        dealer = english.place(fmt.seats, data["dealer"])
        cards = tuple(card for row in data["masts"] for mast in row for card in mast)
        return Telling(f"{dealer} deals four masts and four cards to each.", "SPO-5", cards)
    if kind == "deal_end":
        return _score(fmt, data)
    ended = data["result"]
    return english.ending(fmt, ended["winners"], ended["reason"], _CLAUSES)


def _move(fmt: Format, seat: int, move: str) -> Telling:
    who = english.place(fmt.seats, seat)
    parsed = moves.parse(move)
    assert parsed is not None  # noqa: S101 - logged moves are legal
    if parsed.kind == "draw":
        return Telling(f"{who} leaves the crow's nests where they are.", "SPO-37")
    if parsed.kind == "pass":
        return Telling(f"{who} can play no card and passes.", "SPO-16")
    if parsed.kind == "play":
        card = f"the {name(parsed.card)}"
        on = _on(fmt, seat, parsed.target)
        return Telling(f"{who} lays {card} {on}.", "SPO-15", (TEXT[parsed.card],))
    if parsed.kind == "take":
        if parsed.target[0] < 0:
            return Telling(f"{who} takes no mast.", "SPO-20")
        return Telling(f"{who} plunders {_mast(fmt, seat, parsed.target)}.", "SPO-20")
    crow = f"the crow's nest of {_mast(fmt, seat, parsed.source)}"
    if parsed.kind == "move":
        return Telling(f"{who} moves {crow} onto {_mast(fmt, seat, parsed.target)}.", "SPO-37")
    return Telling(f"{who} steals {crow} and lays it {_on(fmt, seat, parsed.target)}.", "SPO-27")


def _on(fmt: Format, seat: int, place: tuple[int, int]) -> str:
    if place[1] == moves.LEFT:
        return "down as a new mast on the left"
    if place[1] == moves.RIGHT:
        return "down as a new mast on the right"
    return f"on {_mast(fmt, seat, place)}"


def _mast(fmt: Format, seat: int, place: tuple[int, int]) -> str:
    """``their own second mast``, ``North's first mast``."""
    whose = "their own" if place[0] == seat else f"{english.place(fmt.seats, place[0])}'s"
    return f"{whose} {_NUMBER[place[1]]} mast"


def _score(fmt: Format, data: dict[str, Any]) -> Telling:
    bonuses = any(data["bonus"])
    got = []
    for side, base in enumerate(data["base"]):
        bonus = f" (bonus {data['bonus'][side]:+d})" if bonuses else ""
        points = english.count_of(base, "point")
        got.append(f"{english.side_name(fmt.sides, side)} {points}{bonus}")
    return Telling(f"The deal scores {listed(got)}.", "SPO-46" if bonuses else "SPO-34")


_CLAUSES: Final = {
    "target": "SPO-48",
    **dict.fromkeys(("deals", "decks", "position"), "SPO-51"),
}
