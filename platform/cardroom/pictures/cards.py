"""The cards' drawings: one SVG file of symbols, written by `python -m cardroom.pictures.cards`.

Rank signs are drawn as strokes, so cards look the same on every machine. Each symbol has two
drawings, *full* and *plain* ("mini"). The page's custom properties (``--full``, ``--mini``,
``--suit-s`` …, ``--card``, ``--back``), which the drawing inherits through ``<use>``, select one of
them and set the colours. The file has no style element and no classes: only attributes pass ``<use
href="cards.svg#9H">`` in every browser and under a strict policy.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

from engine.cards import JOKERS, RANKS, SUITS

FILE: Final = Path(__file__).parent.parent / "static" / "cardroom" / "cards.svg"
WIDTH, HEIGHT = 100, 140  # of the box that every card is drawn in

# Strokes in a box of 20 × 28.
_SIGNS: Final = {
    "A": "M1.5 28 10 1 18.5 28M5 18.6H15",
    "2": "M2 8A8 7.8 0 0 1 18 8C18 12.2 15.2 14.8 11.2 18.4L2.4 26.6H18.6",
    "3": "M2.8 1.4H17.2L9.6 11.2C14.8 10.8 18.4 14.2 18.4 18.9 18.4 23.6 14.8 26.8 9.8 26.8"
    " 5.8 26.8 2.8 24.9 1.5 21.4",
    "4": "M14 28V1.4L1.8 19.8H19",
    "5": "M16.8 1.4H4.6L3.6 12.4C5.2 10.9 7.4 10.1 9.8 10.1 14.8 10.1 18.4 13.6 18.4 18.4"
    " 18.4 23.4 14.8 26.8 9.8 26.8 5.8 26.8 2.9 24.9 1.6 21.6",
    "6": "M15 1C8 5.6 1.8 11.8 1.8 18.9A8.2 7.9 0 1 0 18.2 18.9 8.2 7.9 0 1 0 1.8 18.9",
    "7": "M1.8 1.4H18.2C12.2 9.6 8.6 18.4 7.8 28",
    "8": "M10 1.3A6.7 5.9 0 1 1 10 13.1 6.7 5.9 0 1 1 10 1.3Z"
    "M10 13.1A8.2 6.9 0 1 1 10 26.8 8.2 6.9 0 1 1 10 13.1Z",
    "9": "M5 27C12 22.4 18.2 16.2 18.2 9.1A8.2 7.9 0 1 0 1.8 9.1 8.2 7.9 0 1 0 18.2 9.1",
    "T": "M0 4.6 4.4 1.4V28"
    "M16 1.3A5.8 9 0 0 1 21.8 10V18A5.8 9 0 0 1 10.2 18V10A5.8 9 0 0 1 16 1.3Z",
    "J": "M7 1.4H18M13 1.4V19.4C13 24 10.6 26.8 7 26.8 3.8 26.8 1.6 24.8 1.2 21.4",
    "Q": "M10 1.3A8.4 10 0 0 1 18.4 11V17A8.4 10 0 0 1 1.6 17V11A8.4 10 0 0 1 10 1.3Z"
    "M10.6 19.6 19.4 28.6",
    "K": "M3 0V28M17.8 .6 3 17.4M8.2 11.6 18.6 28",
    "E": "M17.5 1.4H3V26.6H17.5M3 13.4H14.5",
    "R": "M3 28V1.4H10.2A6.8 6.8 0 0 1 10.2 15H3M10.5 15 18.5 28",
    "0": "M10 1.3A8 10 0 0 1 18 11V17A8 10 0 0 1 2 17V11A8 10 0 0 1 10 1.3Z",
    "1": "M5 5 11 1.4V28",
}
# Filled marks in a box of 24 × 24.
_MARKS: Final = {
    "S": "M12 1C9.3 6 2.3 9.6 2.3 15.2 2.3 18.2 4.5 20.3 7.2 20.3 8.9 20.3 10.2 19.5 11 18.3"
    " 10.8 20.4 9.9 22 8.2 23H15.8C14.1 22 13.2 20.4 13 18.3 13.8 19.5 15.1 20.3 16.8 20.3"
    " 19.5 20.3 21.7 18.2 21.7 15.2 21.7 9.6 14.7 6 12 1Z",
    "H": "M12 22.6C8.6 17.4 1.8 13.8 1.8 8.2 1.8 4.6 4.4 2 7.6 2 9.6 2 11.2 3.1 12 4.9"
    " 12.8 3.1 14.4 2 16.4 2 19.6 2 22.2 4.6 22.2 8.2 22.2 13.8 15.4 17.4 12 22.6Z",
    "D": "M12 .8C13.9 4.9 17 8.9 20.6 12 17 15.1 13.9 19.1 12 23.2 10.1 19.1 7 15.1 3.4 12"
    " 7 8.9 10.1 4.9 12 .8Z",
    "C": "M12 1.2A4.9 4.9 0 0 1 16.1 8.8 4.9 4.9 0 1 1 13.1 16.9C13.3 19.8 14.2 21.9 15.8 23H8.2"
    "C9.8 21.9 10.7 19.8 10.9 16.9A4.9 4.9 0 1 1 7.9 8.8 4.9 4.9 0 0 1 12 1.2Z",
    "star": "M12 0 15 8.4 24 8.6 16.8 14 19.4 22.8 12 17.6 4.6 22.8 7.2 14 0 8.6 9 8.4Z",
}
# Crown, coronet and plume, in a box of 60 × 39.
_ORNAMENTS: Final = {
    "K": "M4 29 1 8 16 17 30 0 44 17 59 8 56 29ZM4 33H56V39H4Z",
    "Q": "M6 29C5 23 3 18 0 14A4 4 0 1 1 5.5 11L15 18 19.5 8A4 4 0 1 1 25 7L30 16 35 7"
    "A4 4 0 1 1 40.5 8L45 18 54.5 11A4 4 0 1 1 60 14C57 18 55 23 54 29ZM6 33H54V39H6Z",
    "J": "M8 29C11 13 28 2 58 0 57 6 53 11 47 15L38 16 44 17.5C40 21 35 24 29 26L22 25.5 26 27.5"
    "C22 29 17 29.5 12 29ZM6 33H50V39H6Z",
}


def _number(value: float) -> str:
    return f"{value:g}"


def _use(name: str, x: float, y: float, scale: float) -> str:
    at = f"{_number(x)} {_number(y)}"
    return f'<use href="#{name}" transform="translate({at}) scale({_number(scale)})"/>'


def _in_brass(drawing: str) -> str:
    return f'<g color="var(--back-line)">{drawing}</g>'


def _symbol(name: str, colour: str, full: str, mini: str) -> str:
    """A symbol with its two drawings, in the suit's colour."""
    return (
        f'<symbol id="{name}" viewBox="0 0 {WIDTH} {HEIGHT}"><use href="#face"/>'
        f'<g color="var({colour})" fill="none" stroke="currentColor" stroke-linejoin="round">'
        f'<g display="var(--full,inline)" stroke-width="3.7">{full}</g>'
        f'<g display="var(--mini,none)" stroke-width="4">{mini}</g></g></symbol>'
    )


def _card(rank: str, suit: str) -> str:
    parts = [_use(f"r{rank}", 9, 11, 1.18), _use(suit, 8, 51, 1.04)]
    if rank == "A":
        parts.append(_use(suit, 30, 62, 2.58))
    elif rank in _ORNAMENTS:
        parts += [_use(f"o{rank}", 41, 49, 0.8), _use(suit, 42, 87, 1.83)]
    else:
        parts.append(_use(suit, 38, 74, 2.17))
    mini = _use(f"r{rank}", 20 if rank == "T" else 24, 15, 2) + _use(suit, 23, 80, 2.25)
    return _symbol(rank + suit, f"--suit-{suit.lower()}", "".join(parts), mini)


def _joker(name: str) -> str:
    value = name[1:]
    star = _in_brass(_use("star", 33, 66, 2.45))
    if not value:
        letters = (_use(f"r{sign}", 9, 11 + 24 * i, 0.607) for i, sign in enumerate("J0KER"))
        return _symbol(
            name, "--c-black", "".join(letters) + star, _in_brass(_use("star", 8, 28, 3.5))
        )
    full = "".join(_use(f"r{sign}", 5 + 24 * i, 11, 1.18) for i, sign in enumerate(value))
    mini = "".join(_use(f"r{sign}", 8 + 43 * i, 15, 2) for i, sign in enumerate(value))
    full += _use("star", 9, 53, 1) + star
    return _symbol(name, "--c-black", full, mini + _in_brass(_use("star", 23, 82, 2.25)))


def _lattice() -> str:
    """Slanted lines (one across for one down), cut at the edge of the back's field."""
    left, top, right, bottom = 8, 8, 92, 132
    lines = []
    for x in range(20, right + bottom - top, 16):  # slanting left, by the start at the top
        start = (min(x, right), top + max(0, x - right))
        end = (max(left, x - (bottom - top)), min(bottom, top + x - left))
        lines.append((start, end))
    mirrored = [((100 - a[0], a[1]), (100 - b[0], b[1])) for a, b in lines]
    return "".join(f"M{a[0]} {a[1]} {b[0]} {b[1]}" for a, b in [*lines, *mirrored])


def _back() -> str:
    return (
        f'<symbol id="back" viewBox="0 0 {WIDTH} {HEIGHT}"><use href="#face"/>'
        '<rect fill="var(--back)" x="8" y="8" width="84" height="124" rx="4"/>'
        f'<path fill="none" stroke="var(--back-line)" stroke-width="1.1" d="{_lattice()}"/>'
        '<path fill="var(--back)" d="M50 46 67 70 50 94 33 70Z"/>'
        '<path fill="none" stroke="var(--back-line)" stroke-width="2"'
        ' d="M50 46 67 70 50 94 33 70ZM50 57 59 70 50 83 41 70Z"/></symbol>'
    )


def card_symbols() -> str:
    """The whole file: 52 cards, the jokers and the back, each a symbol with its name in moves."""
    signs = [f'<path id="r{sign}" d="{path}"/>' for sign, path in _SIGNS.items()]
    marks = [
        f'<path id="{mark}" fill="currentColor" stroke="none" d="{path}"/>'
        for mark, path in _MARKS.items()
    ]
    ornaments = [
        f'<path id="o{rank}" fill="var(--back-line)" stroke="none" d="{path}"/>'
        for rank, path in _ORNAMENTS.items()
    ]
    face = (
        '<rect id="face" fill="var(--card)" stroke="var(--card-edge)" stroke-width="1.5"'
        ' x=".75" y=".75" width="98.5" height="138.5" rx="8"/>'
    )
    cards = [_card(rank, suit) for suit in SUITS for rank in RANKS]
    return "\n".join(
        [
            '<svg xmlns="http://www.w3.org/2000/svg">',
            "<!-- written by `python -m cardroom.pictures.cards`, not by hand -->",
            "<defs>",
            *signs,
            *marks,
            *ornaments,
            face,
            "</defs>",
            *cards,
            *map(_joker, JOKERS),
            _back(),
            "</svg>",
            "",
        ]
    )


if __name__ == "__main__":
    FILE.write_text(card_symbols())
    sys.stdout.write(f"{FILE} written\n")
