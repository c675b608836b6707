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
from typing import TYPE_CHECKING, Any, Final, TypeVar

from engine.cards import TEXT
from engine.deals import digest
from engine.encoding_protocol import Encoding

if TYPE_CHECKING:
    from engine.game import Format

Key = TypeVar("Key")
Value = TypeVar("Value")


def zeros(length: int) -> array[float]:
    """Zeros; an array, since numpy reads it without copying and bots may lack numpy."""
    return array("f", bytes(4 * length))


def squash(number: float, scale: float) -> float:
    """A number of any size between -1 and 1; `scale` becomes one half.

    >>> squash(0, 10), squash(10, 10), squash(-30, 10)
    (0.0, 0.5, -0.75)
    """
    return number / (scale + number if number >= 0 else scale - number)


# ── blocks ───────────────────────────────────────────────────────────────────────────────────────
#
# Rows of numbers are joined from blocks, the bytes of neighbouring numbers. Most blocks are looked
# up, which is faster than setting each number of a row.


def block_of(numbers: Iterable[float]) -> bytes:
    return array("f", numbers).tobytes()


ZERO: Final = block_of([0.0])
ONE: Final = block_of([1.0])


def one_hot(count: int) -> list[bytes]:
    """By place: a block of `count` numbers, of which the one at that place is 1."""
    return [block_of([float(other == place) for other in range(count)]) for place in range(count)]


def sets(count: int) -> list[bytes]:
    """By bit mask: a block of `count` numbers, of which those with a bit are 1."""
    return [
        block_of([float(bits >> place & 1) for place in range(count)]) for bits in range(1 << count)
    ]


class Layout:
    """The names of a row's numbers, and the blocks of a row of zeros."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.zeros: list[bytes] = []

    def add(self, title: str, blocks: Iterable[str] = ("",), numbers: Iterable[str] = ("",)) -> int:
        """Add blocks, each with the same numbers; returns the index of the first.

        A number's name consists of the title and the labels of its block and of itself.
        """
        first_index = len(self.zeros)
        numbers = list(numbers)
        for label in blocks:
            block_title = f"{title} {label}".rstrip()
            self.names += [f"{block_title} {number}".rstrip() for number in numbers]
            self.zeros.append(bytes(4 * len(numbers)))
        return first_index


_SMALL: Final = 128


class NumberBlocks:
    """The blocks of whole numbers, each computed once."""

    def __init__(self) -> None:
        self._small: list[bytes | None] = [None] * _SMALL
        self._others: dict[int, bytes] = {}

    def value(self, number: int) -> float:
        raise NotImplementedError

    def of(self, number: int) -> bytes:
        block = self._small[number] if 0 <= number < _SMALL else self._others.get(number)
        return block if block is not None else self._add(number)

    def _add(self, number: int) -> bytes:
        block = block_of([self.value(number)])
        if 0 <= number < _SMALL:
            self._small[number] = block
        else:
            keep(self._others, number, block)
        return block


class Squashed(NumberBlocks):
    """Numbers of any size (`squash`)."""

    def __init__(self, scale: float) -> None:
        super().__init__()
        self.scale: float = scale

    def value(self, number: int) -> float:
        return squash(number, self.scale)


class Shares(NumberBlocks):
    """Numbers as shares of their maximum."""

    def __init__(self, maximum: float) -> None:
        super().__init__()
        self.maximum: float = maximum

    def value(self, number: int) -> float:
        return number / self.maximum


class Steps(NumberBlocks):
    """Counts; each step takes the same share of the distance that is left to 1."""

    def __init__(self, share: int) -> None:
        super().__init__()
        self.share: int = share

    def value(self, number: int) -> float:
        numbers = zeros(1)
        for _ in range(number):
            numbers[0] += (1 - numbers[0]) / self.share
        return numbers[0]


_KEPT: Final = 2048


def keep(cache: dict[Key, Value], key: Key, value: Value) -> Value:
    """Store a value, and return it. A full cache is emptied first."""
    if len(cache) >= _KEPT:
        cache.clear()
    cache[key] = value
    return value


_RUN: Final = 13
"""The number of neighbouring kinds of cards whose numbers are looked up together."""


class BaseEncoding:
    """The numbers that all games share: hand, sizes, scores, the dealer, the seat to act.

    A game's encoding adds to `row` and `move_row`, and overrides `put` and `describe`.
    """

    def __init__(self, fmt: Format, version: int) -> None:
        pack = fmt.spec.pack(fmt)
        kinds = sorted(set(pack))
        self.version: int = version
        self.row: Layout = Layout()  # of views
        self.move_row: Layout = Layout()
        self.names: list[str] = self.row.names
        self.move_names: list[str] = self.move_row.names
        self.seats: int = fmt.seats
        self.sides: int = len(fmt.sides)
        self.cards: list[str] = [TEXT[card] for card in kinds]
        self.places: dict[str, int] = {TEXT[card]: place for place, card in enumerate(kinds)}
        self.share: list[float] = [1 / pack.count(card) for card in kinds]
        # By card text: the bit of the kind of card, for `cards_block`. Kinds that have more or
        # fewer copies than the first have no bit.
        self.bits: dict[str, int] = {
            TEXT[card]: 1 << place
            for place, card in enumerate(kinds)
            if pack.count(card) == pack.count(kinds[0])
        }
        # Caches of `_new_run`: for each run of kinds, a table that is indexed by the run's bits.
        whole_runs, rest = divmod(len(kinds), _RUN)
        table: list[bytes | None] = [None] * (1 << _RUN)
        self.runs: list[list[bytes | None]] = [table] * whole_runs
        if rest:
            self.runs.append([None] * (1 << rest))
        self._sets_of_cards: dict[tuple[str, ...], bytes] = {}  # cache of `kept_cards_block`
        self.no_cards: bytes = bytes(4 * len(kinds))
        self.one_card: dict[str, bytes] = dict(zip(self.cards, one_hot(len(kinds)), strict=True))
        target = float(fmt.options.get("target") or 0)
        if not target:
            target = 4 * fmt.spec.lead_sd[fmt.seats > 2]
        self.by_target: Squashed = Squashed(target)
        self.by_4: Squashed = Squashed(4)
        self.by_8: Squashed = Squashed(8)
        self.stock_shares: Shares = Shares(len(pack))
        self.one_seat: list[bytes] = one_hot(fmt.seats)
        self.sets_of_seats: list[bytes] = sets(fmt.seats)
        self.seat_names: list[str] = [f"seat +{number}" for number in range(fmt.seats)]
        self.side_names: list[str] = [f"side +{number}" for number in range(self.sides)]
        self.dealer_at: int = self.row.add("dealer", numbers=self.seat_names)
        self.turn_at: int = self.row.add("turn", numbers=self.seat_names)
        self.acts_at: int = self.row.add("acts", numbers=self.seat_names)
        self.partner_at: int = self.row.add("own side", numbers=self.seat_names)
        self.size_at: int = self.row.add("hand size", self.seat_names)
        self.score_at: int = self.row.add("score", self.side_names)
        self.deal_at: int = self.row.add("deal")
        self.stock_at: int = self.row.add("stock")
        self.hand_at: int = self.row.add("hand", numbers=self.cards)

    def observe(self, view: Mapping[str, Any]) -> array[float]:
        row = self.row.zeros[:]
        seats = self.seats
        seat: int = view["seat"]
        sides: list[list[int]] = view["sides"]
        own = side_of(seat, sides)
        dealer: int | None = view["dealer"]
        if dealer is not None:
            row[self.dealer_at] = self.one_seat[(dealer - seat) % seats]
        turn: int | None = view["turn"]
        if turn is not None:
            row[self.turn_at] = self.one_seat[(turn - seat) % seats]
        acts: int | None = view["to_act"]
        if acts is not None:
            row[self.acts_at] = self.one_seat[(acts - seat) % seats]
        row[self.partner_at] = self.seats_block(seat, sides[own])
        self.put_by_seat(row, self.size_at, seat, view["hand_sizes"], self.by_8)
        self.put_by_side(row, self.score_at, view, own, view["scores"], self.by_target)
        row[self.deal_at] = self.by_4.of(view["deal"])
        row[self.stock_at] = self.stock_shares.of(view["stock"])
        row[self.hand_at] = self.cards_block(view["hand"])
        self.put(row, view, own)
        return array("f", b"".join(row))

    def put(self, row: list[bytes], view: Mapping[str, Any], own: int) -> None:
        """Set the blocks of the game's own names; `own` is the viewer's side."""
        raise NotImplementedError

    def describe(self, view: Mapping[str, Any], legal: Sequence[str]) -> array[float]:
        raise NotImplementedError

    def cards_block(self, cards: list[str]) -> bytes:
        """For each kind of card, the share of its copies that are in `cards`."""
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
        blocks: list[bytes] = []
        for table in self.runs:
            run = bits & (1 << _RUN) - 1
            block = table[run]
            blocks.append(block if block is not None else self._new_run(table, run))
            bits >>= _RUN
        block = b"".join(blocks)
        return block if others is None else self._with_others(block, others)

    def _new_run(self, table: list[bytes | None], run: int) -> bytes:
        """For each kind of a run, one copy's share if it has a bit in `run`."""
        share = self.share[0]
        length = len(table).bit_length() - 1
        block = block_of([share if run >> place & 1 else 0.0 for place in range(length)])
        table[run] = block
        return block

    def _with_others(self, block: bytes, others: list[str]) -> bytes:
        numbers = array("f", block)
        for card in others:
            place = self.places.get(card, -1)
            if place >= 0:
                numbers[place] += self.share[place]
        return numbers.tobytes()

    def kept_cards_block(self, cards: list[str]) -> bytes:
        """`cards_block` of cards that stay the same for several moves."""
        if not cards:
            return self.no_cards
        key = tuple(cards)
        block = self._sets_of_cards.get(key)
        if block is None:
            block = keep(self._sets_of_cards, key, self.cards_block(cards))
        return block

    def seats_block(self, viewer: int, seats: list[int]) -> bytes:
        """1 for each seat that is in `seats`, that of the viewer first."""
        bits = 0
        for seat in seats:
            bits |= 1 << (seat - viewer) % self.seats
        return self.sets_of_seats[bits]

    def put_by_side(
        self,
        row: list[bytes],
        first: int,
        view: Mapping[str, Any],
        own: int,
        numbers: list[int],
        blocks: NumberBlocks,
    ) -> None:
        """Set one block per side, that of side `own` first.

        If `numbers` has a number for each seat instead, that of the viewing seat comes first.
        """
        count = len(numbers)
        start: int = own if count == len(view["sides"]) else view["seat"]
        for place in range(min(count, self.sides)):
            row[first + place] = blocks.of(numbers[(start + place) % count])

    def put_by_seat(
        self, row: list[bytes], first: int, seat: int, numbers: list[int], blocks: NumberBlocks
    ) -> None:
        """Set one block per seat, that of `seat` first."""
        count = len(numbers)
        for place in range(min(count, self.seats)):
            row[first + place] = blocks.of(numbers[(seat + place) % count])


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
        self.seen_at: int = self.row.add("elsewhere", numbers=self.cards)
        self.facts_at: int = self.row.add("fact", numbers=map(str, range(BUCKETS)))
        self.first_at: int = self.move_row.add("first card", numbers=self.cards)
        self.others_at: int = self.move_row.add("other card", numbers=self.cards)
        self.words_at: int = self.move_row.add("word", numbers=map(str, range(MOVE_BUCKETS)))
        self.length_at: int = self.move_row.add("length")

    def put(self, row: list[bytes], view: Mapping[str, Any], own: int) -> None:  # noqa: ARG002 - as other encodings
        seen, facts = zeros(len(self.cards)), zeros(BUCKETS)
        for key, value in view.items():
            if key not in VIEW_KEYS:
                self._put_fact(seen, facts, key, value)
        row[self.seen_at], row[self.facts_at] = _clipped(seen), _clipped(facts)

    def _put_fact(self, seen: array[float], facts: array[float], path: str, value: Any) -> None:
        if value is None:
            return
        if isinstance(value, Mapping):
            for key, item in value.items():
                self._put_fact(seen, facts, f"{path}.{key}", item)
        elif isinstance(value, (list, tuple)):
            for index, item in enumerate(value):
                # Lists of cards are sets: their order is that of the cards.
                item_path = (
                    path if isinstance(item, str) and item in self.places else f"{path}.{index}"
                )
                self._put_fact(seen, facts, item_path, item)
        elif isinstance(value, str):
            place = self.places.get(value, -1)
            if place >= 0:
                seen[place] += self.share[place]
            facts[digest(f"{path}={value}") % BUCKETS] += 0.5
        else:
            number = float(value) if isinstance(value, bool) else squash(value, 8)
            facts[digest(path) % BUCKETS] += number

    def describe(self, view: Mapping[str, Any], legal: Sequence[str]) -> array[float]:  # noqa: ARG002 - as other encodings
        rows: list[bytes] = []
        for move in legal:
            row = self.move_row.zeros[:]
            cards: list[str] = _CARD.findall(move)
            words = zeros(MOVE_BUCKETS)
            for order, word in enumerate(_WORD.findall(_CARD.sub("", move))):
                words[digest(f"{order} {word}") % MOVE_BUCKETS] = 1.0
            row[self.first_at] = self.cards_block(cards[:1])
            row[self.others_at] = _clipped(array("f", self.cards_block(cards[1:])))
            row[self.words_at] = words.tobytes()
            row[self.length_at] = block_of([squash(len(move), 16)])
            rows += row
        return array("f", b"".join(rows))


def _clipped(numbers: array[float]) -> bytes:
    return block_of([max(-1.0, min(1.0, number)) for number in numbers])


def encoding_of(fmt: Format) -> Encoding:
    """The encoding that the format's game declares, or else a `HashedEncoding`."""
    return fmt.spec.encoding(fmt) or HashedEncoding(fmt)
