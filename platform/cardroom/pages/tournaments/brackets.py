"""The layout of brackets on pages: parts, columns, and the lines between them."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import groupby

from tournaments.reading.brackets import Bracket, BracketPairing
from tournaments.reading.story import THIRD_PLACE


@dataclass(frozen=True, slots=True)
class Column:
    """The pairings of one round in a part of a bracket."""

    title: str
    pairings: list[BracketPairing]
    joins: str = ""
    """Lines to the next column: `halves` (two boxes to one), `straight` (one to one), or empty."""


@dataclass(frozen=True, slots=True)
class BracketPart:
    """A bracket, or one of its parts (winners, losers, final)."""

    title: str
    columns: list[Column]
    beside: list[BracketPairing] = field(default_factory=list)
    """The match for third place, which is drawn beside the tree."""


@dataclass(frozen=True, slots=True)
class DrawnBracket:
    """A bracket with its heading and layout."""

    bracket: Bracket
    title: str
    parts: list[BracketPart]
    waits: bool
    """Whether some pairings are not decided or not known yet."""

    @property
    def joined(self) -> bool:
        """Whether a final joins the winners' and the losers' bracket."""
        return len(self.parts) == 3


def draw(brackets: list[Bracket], stages: int) -> list[DrawnBracket]:
    """The brackets of a tournament with `stages` stages."""
    return [
        DrawnBracket(
            bracket,
            _heading(bracket, stages),
            _parts(bracket),
            any(p.state in {"coming", "playing"} for column in bracket.columns for p in column),
        )
        for bracket in brackets
    ]


def _heading(bracket: Bracket, stages: int) -> str:
    words = [f"Stage {bracket.stage}"] if stages > 1 else []
    if bracket.divisions > 1:
        words.append(f"division {bracket.division}")
    title = ", ".join(words)
    return f"{title}: bracket" if title else "Bracket"


def _parts(bracket: Bracket) -> list[BracketPart]:
    names = dict.fromkeys(pairing.part for column in bracket.columns for pairing in column)
    return [_part(bracket, name) for name in names]


def _part(bracket: Bracket, name: str) -> BracketPart:
    pairings_by_column = [[p for p in column if p.part == name] for column in bracket.columns]
    beside = [
        pairing
        for column in pairings_by_column
        for pairing in column
        if pairing.name == THIRD_PLACE
    ]
    rounds = [
        list(pairings)
        for column in pairings_by_column
        for _, pairings in groupby((p for p in column if p.name != THIRD_PLACE), key=_round_of)
    ]
    columns = [
        Column(_round_of(pairings[0]), pairings, _joins(pairings, following))
        for pairings, following in zip(rounds, [*rounds[1:], []], strict=True)
    ]
    titles = {"Winners": "Winners’ bracket", "Losers": "Losers’ bracket"}
    return BracketPart(titles.get(name, ""), columns, beside)


def _round_of(pairing: BracketPairing) -> str:
    """The heading of a column: `Semifinals`, `Round 2`."""
    words, _, number = pairing.name.rpartition(" ")
    if "." in number:
        return f"Round {number.split('.')[0]}"
    return f"{words}s" if number.isdigit() else pairing.name


def _joins(pairings: list[BracketPairing], following: list[BracketPairing]) -> str:
    """The lines between two columns; heats have none, because entrants advance to several."""
    if any(len(pairing.sides) > 2 for pairing in (*pairings, *following)):
        return ""
    return {2 * len(following): "halves", len(following): "straight"}.get(len(pairings), "")
