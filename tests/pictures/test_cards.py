"""The drawings of the cards."""

from __future__ import annotations

from xml.etree import ElementTree as ET

from cardroom.pictures import cards
from engine.cards import TEXT

_SVG = "{http://www.w3.org/2000/svg}"


def test_the_file_is_up_to_date() -> None:
    assert cards.FILE.read_text() == cards.card_symbols(), "run `python -m cardroom.pictures.cards`"


def test_every_card_has_a_symbol() -> None:
    root = ET.fromstring(cards.card_symbols())
    names = [symbol.get("id") for symbol in root.iter(f"{_SVG}symbol")]
    assert sorted(filter(None, names)) == sorted([*TEXT, "back"])


def test_every_reference_has_a_target_in_the_file() -> None:
    root = ET.fromstring(cards.card_symbols())
    ids = {element.get("id") for element in root.iter()}
    references = {use.get("href", "").removeprefix("#") for use in root.iter(f"{_SVG}use")}
    assert references <= ids


def test_the_file_contains_no_styles() -> None:
    root = ET.fromstring(cards.card_symbols())
    assert not any(e.get("class") or e.get("style") or e.tag == f"{_SVG}style" for e in root.iter())


def test_the_lattice_stays_within_its_field() -> None:
    numbers = cards._lattice().replace("M", " ").split()
    points = list(zip(map(int, numbers[::2]), map(int, numbers[1::2]), strict=True))
    assert all(8 <= x <= 92 and 8 <= y <= 132 for x, y in points)
