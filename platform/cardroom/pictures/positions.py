"""Which cards of a spectators' view a picture shows, and what it says beside them.

A game of ours says it in a few lines; of any other only the hand of the seat to act is shown.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

View = Mapping[str, Any]


class Group(NamedTuple):
    """Cards that lie together: `words` above them, and whether they overlap like a fan."""

    words: str
    cards: tuple[str, ...]
    fanned: bool = False


def hand_of(view: View) -> Group | None:
    """The hand of the seat to act, or None where nobody acts or hands are not shown."""
    seat = view.get("to_act")
    hands = view.get("hands")
    if seat is None or not hands or not hands[seat]:
        return None
    cards = tuple(hands[seat])
    return Group("holds", cards, fanned=len(cards) > 4)


def groups_of(view: View) -> list[Group]:
    """What lies on the table, in the order in which it is read."""
    find = _GAMES.get(str(view.get("game")))
    return [group for group in find(view) if group.cards] if find else []


def _fishing(view: View) -> list[Group]:
    """Cassino and Zwicker: loose cards, then the builds."""
    items: Sequence[View] = view["table"]
    loose = tuple(item["cards"][0] for item in items if item["kind"] == "card")
    builds = [
        Group(_build(item), tuple(item["cards"]), fanned=True)
        for item in items
        if item["kind"] != "card"
    ]
    return [Group("on the table", loose), *builds]


def _build(item: View) -> str:
    """What takes it: the tag that the table has as well."""
    return str(item["value"]) if item["kind"] == "sum" else f"{item['rank']} {item['rank']}"


def _canasta(view: View) -> list[Group]:
    """The pile's top card, then the longest melds."""
    pile = view["pile"]
    melds = [tuple(meld["cards"]) for side in view["melds"] for meld in side]
    longest = sorted(melds, key=len, reverse=True)[:MOST_MELDS]
    top = Group("frozen pile" if pile["frozen"] else "pile", (pile["top"],) if pile["top"] else ())
    return [top, *(Group("meld", cards, fanned=True) for cards in longest)]


def _spoon_eye(view: View) -> list[Group]:
    """The masts that stand highest, each with its sum."""
    masts = [
        (value, tuple(mast))
        for masts, values in zip(view["masts"], view["values"], strict=True)
        for mast, value in zip(masts, values, strict=True)
    ]
    highest = sorted(masts, key=lambda mast: -mast[0])[:MOST_MELDS]
    return [Group(str(value), cards, fanned=True) for value, cards in highest]


def _paks(view: View) -> list[Group]:
    """The board, then the longest paks."""
    paks = [tuple(pak) for own in view["paks"] for pak in own]
    longest = sorted(paks, key=len, reverse=True)[:MOST_MELDS]
    return [
        Group("board", tuple(view["board"])),
        *(Group("pak", pak, fanned=True) for pak in longest),
    ]


MOST_MELDS: Final = 4
"""Melds, masts, paks of a picture: with more the cards get too small to be read."""

_GAMES: Final[Mapping[str, Callable[[View], list[Group]]]] = {
    "cassino": _fishing,
    "zwicker": _fishing,
    "canasta": _canasta,
    "spoon-eye": _spoon_eye,
    "paks": _paks,
}
