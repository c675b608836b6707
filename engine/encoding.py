"""Views and moves as numbers, for programs that learn.

An encoding converts the view of a seat and its legal moves to numbers from -1 to 1. It uses no
other data. Each built-in game has its own (``engine/games/GAME/encoding.py``); other games may
declare one, or get `HashedEncoding`. The viewer's seat and side always come first, then the others
in order, so that one net can play every seat.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from engine.cards import TEXT
from engine.deals import digest
from engine.encoding_protocol import Encoding

if TYPE_CHECKING:
    from engine.game import Format


def zeros(length: int) -> array[float]:
    """Zeros; an array, since numpy reads it without copying and bots may lack numpy."""
    return array("f", bytes(4 * length))


def squash(number: float, scale: float) -> float:
    """A number of any size between -1 and 1; `scale` becomes one half.

    >>> squash(0, 10), squash(10, 10), squash(-30, 10)
    (0.0, 0.5, -0.75)
    """
    return number / (abs(number) + scale)


def append_names(names: list[str], prefix: str, parts: Iterable[str] = ("",)) -> int:
    """Append names, one for each part; returns the index of the first."""
    first_index = len(names)
    names += [f"{prefix} {part}".rstrip() for part in parts]
    return first_index


class BaseEncoding:
    """The numbers that all games share: hand, sizes, scores, the dealer, the seat to act.

    A game's encoding appends its names to those of this class, and overrides `put` and `describe`.
    """

    def __init__(self, fmt: Format, version: int) -> None:
        pack = fmt.spec.pack(fmt)
        kinds = sorted(set(pack))
        self.version: int = version
        self.names: list[str] = []
        self.move_names: list[str] = []
        self.seats: int = fmt.seats
        self.sides: int = len(fmt.sides)
        self.pack: int = len(pack)
        self.cards: list[str] = [TEXT[card] for card in kinds]
        self.places: dict[str, int] = {TEXT[card]: place for place, card in enumerate(kinds)}
        self.share: list[float] = [1 / pack.count(card) for card in kinds]
        self.distinct: bool = len(kinds) == len(pack)
        self.target: float = float(fmt.options.get("target") or 0)
        if not self.target:
            self.target = 4 * fmt.spec.lead_sd[fmt.seats > 2]
        self.seat_names: list[str] = [f"seat +{number}" for number in range(fmt.seats)]
        self.side_names: list[str] = [f"side +{number}" for number in range(self.sides)]
        self.dealer_at: int = append_names(self.names, "dealer", self.seat_names)
        self.turn_at: int = append_names(self.names, "turn", self.seat_names)
        self.acts_at: int = append_names(self.names, "acts", self.seat_names)
        self.partner_at: int = append_names(self.names, "own side", self.seat_names)
        self.size_at: int = append_names(self.names, "hand size", self.seat_names)
        self.score_at: int = append_names(self.names, "score", self.side_names)
        self.deal_at: int = append_names(self.names, "deal")
        self.stock_at: int = append_names(self.names, "stock")
        self.hand_at: int = append_names(self.names, "hand", self.cards)

    def observe(self, view: Mapping[str, Any]) -> array[float]:
        row = zeros(len(self.names))
        seat: int = view["seat"]
        for offset, key in (
            (self.dealer_at, "dealer"),
            (self.turn_at, "turn"),
            (self.acts_at, "to_act"),
        ):
            if view[key] is not None:
                row[offset + (view[key] - seat) % self.seats] = 1.0
        for partner in view["sides"][self.own_side(view)]:
            row[self.partner_at + (partner - seat) % self.seats] = 1.0
        for other, size in enumerate(view["hand_sizes"]):
            row[self.size_at + (other - seat) % self.seats] = squash(size, 8)
        self.put_by_side(row, self.score_at, view, view["scores"], self.target)
        row[self.deal_at] = squash(view["deal"], 4)
        row[self.stock_at] = view["stock"] / self.pack
        self.put_cards(row, self.hand_at, view["hand"])
        self.put(row, view)
        return row

    def put(self, row: array[float], view: Mapping[str, Any]) -> None:
        """Set the numbers of the game's own names."""
        raise NotImplementedError

    def describe(self, view: Mapping[str, Any], legal: Sequence[str]) -> array[float]:
        raise NotImplementedError

    def blank_rows(self, legal: Sequence[str]) -> tuple[array[float], list[tuple[int, str]]]:
        """Zeros for the rows of all legal moves, and (index of its row's first number, move)."""
        width = len(self.move_names)
        places = [(number * width, move) for number, move in enumerate(legal)]
        return zeros(width * len(legal)), places

    def own_side(self, view: Mapping[str, Any]) -> int:
        """The viewer's side, as an index of the view's lists by side."""
        seat = view["seat"]
        for side, seats in enumerate(view["sides"]):
            if seat in seats:
                return side
        raise ValueError(f"Seat {seat} is in no side: only views of seats are encoded.")

    def put_cards(self, row: array[float], offset: int, cards: Sequence[str]) -> None:
        """For each kind of card, add the share of its copies that are in `cards`."""
        places, copy_shares = self.places, self.share
        if self.distinct:
            for card in cards:
                place = places.get(card, -1)
                if place >= 0:
                    row[offset + place] = 1.0
            return
        for card in cards:
            place = places.get(card, -1)
            if place >= 0:
                row[offset + place] += copy_shares[place]

    def put_by_side(
        self,
        row: array[float],
        offset: int,
        view: Mapping[str, Any],
        numbers: Sequence[float],
        scale: float,
    ) -> None:
        """Set one number per side, the viewer's first; per seat if `numbers` has one for each."""
        count = len(numbers)
        first: int = self.own_side(view) if count == len(view["sides"]) else view["seat"]
        for place in range(min(count, self.sides)):
            row[offset + place] = squash(numbers[(first + place) % count], scale)

    def put_by_seat(
        self, row: array[float], offset: int, seat: int, numbers: Sequence[float], scale: float
    ) -> None:
        """Set one number per seat, that of `seat` first."""
        count = len(numbers)
        for place in range(min(count, self.seats)):
            row[offset + place] = squash(numbers[(seat + place) % count], scale)


BUCKETS: Final = 256
MOVE_BUCKETS: Final = 64

_CARD: Final = re.compile(r"X(?:15|20|25|30)?|[A2-9TJQK][CDHS]")
_WORD: Final = re.compile(r"[A-Za-z]+|[0-9]+")
VIEW_KEYS: Final = (
    "game",
    "format",
    "seat",
    "sides",
    "deal",
    "dealer",
    "turn",
    "to_act",
    "hand",
    "hand_sizes",
    "stock",
    "scores",
)
"""The keys that the views of all games have."""


class HashedEncoding(BaseEncoding):
    """The encoding of a game that declares none: cards by kind, everything else by its hash.

    A fact of the view, such as ``phase: lay``, adds to one of `BUCKETS` numbers, which it may share
    with others. A net learns less from it than from a game's own encoding.
    """

    def __init__(self, fmt: Format) -> None:
        super().__init__(fmt, 1)
        self.seen_at: int = append_names(self.names, "elsewhere", self.cards)
        self.facts_at: int = append_names(
            self.names, "fact", [str(index) for index in range(BUCKETS)]
        )
        self.first_at: int = append_names(self.move_names, "first card", self.cards)
        self.others_at: int = append_names(self.move_names, "other card", self.cards)
        self.words_at: int = append_names(
            self.move_names, "word", [str(index) for index in range(MOVE_BUCKETS)]
        )
        self.length_at: int = append_names(self.move_names, "length")

    def put(self, row: array[float], view: Mapping[str, Any]) -> None:
        for key, value in view.items():
            if key not in VIEW_KEYS:
                self._put_fact(row, key, value)
        for index in range(self.seen_at, len(row)):
            row[index] = max(-1.0, min(1.0, row[index]))

    def _put_fact(self, row: array[float], path: str, value: Any) -> None:
        if value is None:
            return
        if isinstance(value, Mapping):
            for key, item in value.items():
                self._put_fact(row, f"{path}.{key}", item)
        elif isinstance(value, (list, tuple)):
            for index, item in enumerate(value):
                # Lists of cards are sets: their order is that of the cards.
                item_path = (
                    path if isinstance(item, str) and item in self.places else f"{path}.{index}"
                )
                self._put_fact(row, item_path, item)
        elif isinstance(value, str):
            place = self.places.get(value, -1)
            if place >= 0:
                row[self.seen_at + place] += self.share[place]
            row[self.facts_at + digest(f"{path}={value}") % BUCKETS] += 0.5
        else:
            number = float(value) if isinstance(value, bool) else squash(value, 8)
            row[self.facts_at + digest(path) % BUCKETS] += number

    def describe(self, view: Mapping[str, Any], legal: Sequence[str]) -> array[float]:  # noqa: ARG002 - as other encodings
        rows, places = self.blank_rows(legal)
        for offset, move in places:
            cards = _CARD.findall(move)
            self.put_cards(rows, offset + self.first_at, cards[:1])
            self.put_cards(rows, offset + self.others_at, cards[1:])
            for order, word in enumerate(_WORD.findall(_CARD.sub("", move))):
                rows[offset + self.words_at + digest(f"{order} {word}") % MOVE_BUCKETS] = 1.0
            rows[offset + self.length_at] = squash(len(move), 16)
            for place in range(offset, offset + len(self.move_names)):
                rows[place] = min(1.0, rows[place])
        return rows


def encoding_of(fmt: Format) -> Encoding:
    """The encoding that the format's game declares, or else a `HashedEncoding`."""
    return fmt.spec.encoding(fmt) or HashedEncoding(fmt)
