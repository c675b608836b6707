"""Draws SVG from the site's own cards and text, and converts it to PNG."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from importlib.resources import files
from typing import Final
from xml.sax.saxutils import escape

import resvg_py

from cardroom.pictures.cards import HEIGHT, WIDTH, card_symbols
from engine.cards import CODE

RATIO: Final = HEIGHT / WIDTH
"""The ratio of a card's height to its width."""
SERIF: Final = "Source Serif Pro"
SANS: Final = "Source Sans Pro"
INK: Final = "#1b201d"
INK_2: Final = "#52594f"
SHEET: Final = "#fffefa"
FELT: Final = "#27614a"
FELT_INK_2: Final = "#d9e0d0"
FELT_BRASS: Final = "#efd28c"
MARK: Final = "#a87a1c"
WELL: Final = "#1a4635"

_COLOURS: Final = {
    "--card": "#fffcf2",
    "--card-edge": "#b9b29c",
    "--c-black": "#1a1e1c",
    "--back": "#22303f",
    "--back-line": "#c29a4a",
    "--suit-s": "#1a1e1c",
    "--suit-h": "#b3231b",
    "--suit-d": "#b3231b",
    "--suit-c": "#1a1e1c",
    "--full": "inline",
    "--mini": "none",
}
"""The colours of the light theme (`css/tokens.css`); pictures have only this theme."""
_FONTS: Final = (
    ("font_source_serif_pro", "SourceSerifPro-Bold.ttf"),
    ("font_source_sans_pro", "SourceSansPro-Regular.ttf"),
    ("font_source_sans_pro", "SourceSansPro-Bold.ttf"),
)
_CONTROL: Final = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
_SHAPES: Final = (
    '<circle cx="{x}" cy="{y}" r="{r}" fill="{fill}"/>',
    '<path d="M{x} {top}L{right} {y}L{x} {bottom}L{left} {y}Z" fill="{fill}"/>',
    '<path d="M{x} {top}L{right} {bottom}H{left}Z" fill="{fill}"/>',
    '<rect x="{left}" y="{top}" width="{d}" height="{d}" fill="{fill}"/>',
)
"""Disc, lozenge, triangle, square: the shapes of the sides, in order."""


class Picture:
    """A drawing under construction; every length is in pixels, from the upper left corner."""

    def __init__(self, width: int, height: int, ground: str) -> None:
        self.width = width
        self.height = height
        self._parts = [f'<rect width="{width}" height="{height}" fill="{ground}"/>']

    def rect(
        self,
        x: float,
        y: float,
        width: float,
        height: float,
        fill: str,
        *,
        edge: str = "none",
        radius: float = 0,
    ) -> None:
        """Add a filled rectangle; `edge` is the colour of its outline, which is 5 wide."""
        self._parts.append(
            f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="{radius:g}" '
            f'fill="{fill}" stroke="{edge}" stroke-width="5"/>'
        )

    def card(self, name: str, x: float, y: float, width: float) -> None:
        """Add a card by its name, such as ``9H``; a back for any other name."""
        symbol = name if name in CODE else "back"
        self._parts.append(
            f'<use href="#{symbol}" x="{x:g}" y="{y:g}" width="{width:g}" '
            f'height="{width * RATIO:g}"/>'
        )

    def text(
        self,
        text: str,
        x: float,
        y: float,
        size: float,
        fill: str,
        *,
        family: str = SANS,
        bold: bool = False,
        anchor: str = "start",
    ) -> None:
        """Add a line of text; `y` is its baseline."""
        weight = 700 if bold else 400
        generic = "serif" if family == SERIF else "sans-serif"
        self._parts.append(
            f'<text x="{x:g}" y="{y:g}" font-size="{size:g}" fill="{fill}" '
            f'font-family="{family}, {generic}" font-weight="{weight}" text-anchor="{anchor}">'
            f"{escape(_CONTROL.sub('', text))}</text>"
        )

    def shape(self, side: int, x: float, y: float, size: float, fill: str) -> None:
        """Add a side's shape around a point: a disc, a lozenge, a triangle or a square."""
        half = size / 2
        self._parts.append(
            _SHAPES[side % len(_SHAPES)].format(
                x=x,
                y=y,
                r=half,
                d=size,
                left=x - half,
                right=x + half,
                top=y - half,
                bottom=y + half,
                fill=fill,
            )
        )

    def logo(self, x: float, y: float, height: float) -> None:
        """Add the logo, a lozenge on felt."""
        scale = height / 28
        self._parts.append(
            f'<g transform="translate({x:g} {y:g}) scale({scale:g})">'
            f'<rect width="20" height="28" rx="2.5" fill="{FELT}"/>'
            f'<path d="M10 7 15 14 10 21 5 14Z" fill="none" stroke="{FELT_BRASS}" '
            'stroke-width="1.6"/></g>'
        )

    def svg(self) -> str:
        """The whole picture as SVG, including its cards."""
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{self.width}" height="{self.height}" '
            f'viewBox="0 0 {self.width} {self.height}">{_cards()}{"".join(self._parts)}</svg>'
        )

    def png(self, width: int | None = None) -> bytes:
        """The whole picture as PNG, scaled to `width` pixels if given."""
        zoom = None if width is None else width / self.width
        return bytes(resvg_py.svg_to_bytes(svg_string=self.svg(), font_files=_fonts(), zoom=zoom))


@cache
def _cards() -> str:
    """The symbols of all cards, with colours in place of variables, as no style sheet applies."""
    symbols = re.sub(r"^<svg[^>]*>|</svg>\s*$", "", card_symbols())
    return re.sub(r"var\((--[a-z-]+)(?:,[a-z]+)?\)", lambda match: _COLOURS[match[1]], symbols)


@lru_cache(maxsize=1024)
def serif_width(text: str, size: int) -> float:
    """The width of a text in the bold serif, in pixels."""
    from PIL import ImageFont  # takes 0.1 s, and most processes draw nothing

    return ImageFont.truetype(_fonts()[0], size).getlength(text)


@cache
def _fonts() -> list[str]:
    """The font files of this package; system fonts supply missing characters."""
    return [str(files(package) / "files" / name) for package, name in _FONTS]
