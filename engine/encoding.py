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
    return number / (scale + number if number >= 0 else scale - number)


def append_names(names: list[str], prefix: str, parts: Iterable[str] = ("",)) -> int:
    """Append names, one for each part; returns the index of the first."""
    first_index = len(names)
    names += [f"{prefix} {part}".rstrip() for part in parts]
    return first_index


_RUN: Final = 13
"""The number of neighbouring kinds of cards whose numbers one slice sets."""


class BaseEncoding:
    """The numbers that all games share: hand, sizes, scores, the dealer, the seat to act.

    A game's encoding appends its names to those of this class, and overrides `put` and `describe`.
    """

    def __init__(self, fmt: Format, version: int) -> None:
        pack = fmt.spec.pack(fmt)
        kinds = sorted(set(pack))
        self.version: int = version
        self._zeros: array[float] = zeros(0)  # copied for each view, which is faster
        self.names: list[str] = []
        self.move_names: list[str] = []
        self.seats: int = fmt.seats
        self.sides: int = len(fmt.sides)
        self.pack: int = len(pack)
        self.cards: list[str] = [TEXT[card] for card in kinds]
        self.places: dict[str, int] = {TEXT[card]: place for place, card in enumerate(kinds)}
        self.share: list[float] = [1 / pack.count(card) for card in kinds]
        # By card text: the bit of the kind of card, for `put_cards`. Kinds after the last whole
        # run, and kinds that have more or fewer copies than the first, have no bit.
        self.bits: dict[str, int] = {
            TEXT[card]: 1 << place
            for place, card in enumerate(kinds[: len(kinds) // _RUN * _RUN])
            if pack.count(card) == pack.count(kinds[0])
        }
        # Cache of `_new_run`, indexed by the bits of a run.
        self.runs: list[array[float] | None] = [None] * (1 << _RUN)
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
        if len(self._zeros) != len(self.names):
            self._zeros = zeros(len(self.names))
        row = self._zeros[:]
        seats = self.seats
        seat: int = view["seat"]
        sides: list[list[int]] = view["sides"]
        own = side_of(seat, sides)
        dealer: int | None = view["dealer"]
        if dealer is not None:
            row[self.dealer_at + (dealer - seat) % seats] = 1.0
        turn: int | None = view["turn"]
        if turn is not None:
            row[self.turn_at + (turn - seat) % seats] = 1.0
        acts: int | None = view["to_act"]
        if acts is not None:
            row[self.acts_at + (acts - seat) % seats] = 1.0
        for partner in sides[own]:
            row[self.partner_at + (partner - seat) % seats] = 1.0
        self.put_by_seat(row, self.size_at, seat, view["hand_sizes"], 8)
        self.put_by_side(row, self.score_at, view, own, view["scores"], self.target)
        number: int = view["deal"]
        row[self.deal_at] = squash(number, 4)
        stock: int = view["stock"]
        row[self.stock_at] = stock / self.pack
        self.put_cards(row, self.hand_at, view["hand"])
        self.put(row, view, own)
        return row

    def put(self, row: array[float], view: Mapping[str, Any], own: int) -> None:
        """Set the numbers of the game's own names; `own` is the viewer's side."""
        raise NotImplementedError

    def describe(self, view: Mapping[str, Any], legal: Sequence[str]) -> array[float]:
        raise NotImplementedError

    def blank_rows(self, legal: Sequence[str]) -> tuple[array[float], list[tuple[int, str]]]:
        """Zeros for the rows of all legal moves; and each move with the start of its row."""
        width = len(self.move_names)
        places = [(number * width, move) for number, move in enumerate(legal)]
        return zeros(width * len(legal)), places

    def put_cards(self, row: array[float], offset: int, cards: list[str]) -> None:
        """Set the number of each kind of card: the share of its copies that are in `cards`.

        The numbers must be 0 before. Most are set in runs of neighbours, which takes half the time.
        """
        bits_of = self.bits
        bits = 0
        others: list[str] | None = None  # further copies, and kinds without a bit
        for card in cards:
            with_card = bits | bits_of.get(card, 0)
            if with_card != bits:
                bits = with_card
            elif others is None:
                others = [card]
            else:
                others.append(card)
        place = offset
        while bits:
            run = bits & (1 << _RUN) - 1
            if run:
                numbers = self.runs[run]
                if numbers is None:
                    numbers = self._new_run(run)
                row[place : place + _RUN] = numbers
            bits >>= _RUN
            place += _RUN
        if others is not None:
            for card in others:
                place = self.places.get(card, -1)
                if place >= 0:
                    row[offset + place] += self.share[place]

    def _new_run(self, run: int) -> array[float]:
        """The numbers of a run of kinds: for each kind with a bit in `run`, one copy's share."""
        share = self.share[0]
        numbers = array("f", [share if run >> place & 1 else 0.0 for place in range(_RUN)])
        self.runs[run] = numbers
        return numbers

    def put_by_side(
        self,
        row: array[float],
        offset: int,
        view: Mapping[str, Any],
        own: int,
        numbers: list[int],
        scale: float,
    ) -> None:
        """Set one number per side, that of side `own` first.

        If `numbers` has a number for each seat instead, that of the viewing seat comes first.
        """
        count = len(numbers)
        first: int = own if count == len(view["sides"]) else view["seat"]
        for place in range(min(count, self.sides)):
            number = numbers[(first + place) % count]
            if number:
                row[offset + place] = squash(number, scale)

    def put_by_seat(
        self, row: array[float], offset: int, seat: int, numbers: list[int], scale: float
    ) -> None:
        """Set one number per seat, that of `seat` first."""
        count = len(numbers)
        for place in range(min(count, self.seats)):
            number = numbers[(seat + place) % count]
            if number:
                row[offset + place] = squash(number, scale)


def side_of(seat: int, sides: list[list[int]]) -> int:
    """The side of a seat, as an index of a view's lists by side."""
    for side, seats in enumerate(sides):
        for other in seats:  # compiled, quicker than `in`
            if other == seat:
                return side
    raise ValueError(f"Seat {seat} is in no side: only views of seats are encoded.")


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

    def put(self, row: array[float], view: Mapping[str, Any], own: int) -> None:  # noqa: ARG002 - as other encodings
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
            cards: list[str] = _CARD.findall(move)
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
