"""Rules that Cassino and Zwicker share: a card from the hand takes items from the table.

Each game defines which items a card takes and which builds are possible; engine/sums.py has the
search for sums that both use.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

from engine.cards import TEXT, parse_cards, texts
from engine.deals import CODES, LISTED, BaseDeal, BaseRules, digest
from engine.errors import IllegalMove
from engine.events import Event
from engine.score_sheet import ScoreLine, added, listing, total
from engine.states import check_pack, checked_numbers, read_card_rows, read_heading, read_scores

if TYPE_CHECKING:
    from engine.json_types import Heading

TRAIL: Final = 0
CAPTURE: Final = 1
BUILD: Final = 2
"""A build that declares a number."""

_MAX_SEATS: Final = 8
NUMBER_SHIFT: Final = 9  # lowest bit of the number in a coded move (`coded`)
TARGET_SHIFT: Final = 14  # lowest bit of the items in a coded move


def coded(kind: int, card: int, target: int = 0, number: int = 0) -> int:
    """A legal move as one integer (a *coded move*), which is cheaper than its text.

    `card`: the card played. `target`: the set of items captured (a bit mask with the first item
    of the table as the highest bit), or the index of the item built on. `number`: the number that a
    build declares. From the lowest bit: three bits of kind, six of card, five of number, `target`.

    >>> code = coded(CAPTURE, 25, target=0b1010)
    >>> f"{code:b}"
    '101000000011001001'
    >>> kind_of(code) == CAPTURE, card_of(code), number_of(code), f"{target_of(code):b}"
    (True, 25, 0, '1010')
    """
    return target << TARGET_SHIFT | number << NUMBER_SHIFT | card << 3 | kind


def trail_code(card: int) -> int:
    """The coded move that trails a card."""
    return card << 3 | TRAIL


def capture_code(card: int, taken_items: int) -> int:
    """The coded move that captures a set of items."""
    return taken_items << TARGET_SHIFT | card << 3 | CAPTURE


def build_code(card: int, place: int) -> int:
    """The coded move that lays a card on the item at `place`, without the number it declares."""
    return place << TARGET_SHIFT | card << 3 | BUILD


def kind_of(code: int) -> int:
    """The kind of a coded move: `TRAIL`, `CAPTURE`, or one of the game's own kinds, up to 7."""
    return code & 7


def card_of(code: int) -> int:
    """The card that a coded move plays."""
    return code >> 3 & 63


def number_of(code: int) -> int:
    """The number that a coded build declares."""
    return code >> NUMBER_SHIFT & 31


def target_of(code: int) -> int:
    """The set of items that a coded move captures, or the index of the item it builds on."""
    return code >> TARGET_SHIFT


class TableItem:
    """A loose card or a build; it never changes, so copies of a deal share it.

    `first`: the lowest card. `id`: the text of the item. `next_text`: the text with a comma, for
    the second and later items of a capture. `by`: the seat that laid the last card on a build; -1
    for a loose card.
    """

    __slots__ = ("_code", "by", "cards", "first", "id", "next_text")

    def __init__(self, cards: Sequence[int], text: str, by: int) -> None:
        self.cards: tuple[int, ...] = tuple(cards)
        self.first: int = cards[0]
        self.id: str = text
        self.next_text: str = "," + text
        self.by: int = by
        self._code: int = -1

    @property
    def code(self) -> int:
        """The number that the item adds to the codes of moves that name it (`stable_code`)."""
        if self._code < 0:
            self._code = digest(self.id)
        return self._code


Item = TypeVar("Item", bound=TableItem)  # mypyc compiles it as `TableItem`, so access is fast

_TRAILED: Final[list[list[Event]]] = [  # by seat and card; deals share these events
    [("move", {"seat": seat, "move": text}, None) for text in TEXT] for seat in range(_MAX_SEATS)
]
_CAPTURE_TEXT: Final = [f"{text}x" for text in TEXT]  # by card
_LAYING: Final = [f"{text}>" for text in TEXT]  # by card
_DECLARED: Final = [f"={number}" for number in range(32)]
# Texts with one or two loose cards on the table occur in most positions, so they are stored.
_LOOSE_CAPTURES: Final = [[taker + text for text in TEXT] for taker in _CAPTURE_TEXT]  # by cards
# By card, first and second loose card; made on first use.
_LOOSE_PAIRS: Final[list[list[list[str] | None]]] = [[None] * len(TEXT) for _ in TEXT]
# By card, loose card and number; made on first use.
_LOOSE_BUILDS: Final[list[list[list[str] | None]]] = [[None] * len(TEXT) for _ in TEXT]
# By card: the part of a move's code to which `stable_code` adds those of items and numbers.
_CAPTURE_CODE: Final = [digest(f"{text}x") for text in TEXT]
_BUILD_CODE: Final = [digest(f"{text}>") for text in TEXT]
_TRAIL_CODE: Final = [digest(text) for text in TEXT]
_DECLARED_CODE: Final = [[digest(f"{kind} {number}") for number in range(32)] for kind in range(8)]


def build_text(table: list[Item], code: int) -> str:
    """The text of a build that declares a number, in the notation that both games share."""
    item = table[target_of(code)]
    number = number_of(code)
    if len(item.cards) > 1:
        return laying_text(table, code, _DECLARED[number])
    row = _LOOSE_BUILDS[card_of(code)]
    texts_by_number = row[item.first]
    if texts_by_number is None:
        texts_by_number = row[item.first] = [""] * len(_DECLARED)
    text = texts_by_number[number]
    if not text:
        text = texts_by_number[number] = laying_text(table, code, _DECLARED[number])
    return text


def laying_text(table: list[Item], code: int, declared: str) -> str:
    """The text of a build. `declared`: its end, such as ``=9``."""
    return f"{_LAYING[card_of(code)]}{table[target_of(code)].id}{declared}"


def capture_text(table: list[Item], code: int) -> str:
    """The text of a capture, in the notation that both games share."""
    card = card_of(code)
    mask = target_of(code)
    count = len(table)
    last_bit = mask.bit_length()  # the first item taken
    first = table[count - last_bit]
    is_loose = len(first.cards) == 1
    mask ^= 1 << (last_bit - 1)
    if not mask:
        return _LOOSE_CAPTURES[card][first.first] if is_loose else _CAPTURE_TEXT[card] + first.id
    last_bit = mask.bit_length()
    second = table[count - last_bit]
    if is_loose and len(second.cards) == 1:
        text = _loose_pair_text(card, first.first, second.first)
    else:
        text = f"{_CAPTURE_TEXT[card]}{first.id}{second.next_text}"
    mask ^= 1 << (last_bit - 1)
    while mask:
        last_bit = mask.bit_length()
        text += table[count - last_bit].next_text
        mask ^= 1 << (last_bit - 1)
    return text


def _loose_pair_text(card: int, first: int, second: int) -> str:
    """The text of a capture of two loose cards."""
    row = _LOOSE_PAIRS[card]
    texts_by_second = row[first]
    if texts_by_second is None:
        texts_by_second = row[first] = [""] * len(TEXT)
    text = texts_by_second[second]
    if not text:
        text = texts_by_second[second] = f"{_LOOSE_CAPTURES[card][first]},{TEXT[second]}"
    return text


def stable_code(table: list[Item], code: int) -> int:
    """The code of a move that is stable between positions (`Match.codes`).

    It is the sum of the digests of the parts of the move's text. `code`: the coded move.
    """
    kind = kind_of(code)
    card = card_of(code)
    if kind == TRAIL:
        return _TRAIL_CODE[card]
    target = target_of(code)
    if kind != CAPTURE:
        item_code = table[target].code if table else 0
        return (_BUILD_CODE[card] + item_code + _DECLARED_CODE[kind][number_of(code)]) & CODES
    total = _CAPTURE_CODE[card]
    for item in reversed(table):
        if target & 1:
            total = (total + item.code) & CODES
        target >>= 1
    return total


def add_first_captures(codes: list[int], cards: list[int], sets: list[list[int]]) -> int:
    """Append the first capture of each card to `codes`, as coded moves.

    Return the largest number of captures of a card. `sets`: for each card, the sets of items that
    it takes.
    """
    max_captures = 0
    for index, masks in enumerate(sets):
        if masks:
            codes.append(capture_code(cards[index], masks[0]))
            if len(masks) > max_captures:
                max_captures = len(masks)
    return max_captures


def add_later_captures(
    codes: list[int], cards: list[int], sets: list[list[int]], max_captures: int
) -> None:
    """Append the second capture of each card, then the third of each, until the list is full."""
    if max_captures < 2:
        return
    for number in range(1, max_captures):
        if len(codes) > LISTED:
            return
        for index, masks in enumerate(sets):
            if number < len(masks):
                codes.append(capture_code(cards[index], masks[number]))


def add_walked_captures(
    codes: list[int], walks: list[tuple[int, Iterator[int]]]
) -> list[tuple[int, Iterator[int]]]:
    """Append the next capture of each card, from its walk (`sums.walk_targets`).

    Return the walks that are not finished.
    """
    unfinished: list[tuple[int, Iterator[int]]] = []
    for card, walk in walks:
        if len(codes) > LISTED:
            break
        mask = next(walk, 0)
        if mask:
            codes.append(capture_code(card, mask))
            unfinished.append((card, walk))
    return unfinished


def place_of(table: list[Item], text: str) -> int:
    """The index of the first item with this text, -1 if there is none."""
    for place, item in enumerate(table):
        if item.id == text:
            return place
    return -1


def mask_of_places(places: Sequence[int], count: int) -> int:
    """The bit mask of the items at `places`, on a table with `count` items."""
    mask = 0
    for place in places:
        mask |= 1 << (count - 1 - place)
    return mask


def absent_item_error(
    move: str, text: str, *, card: bool, build: bool, missing: str, grammar: str
) -> IllegalMove:
    """The error for a move that names an item `text` that is not on the table.

    `card`, `build`: whether the text is in the notation of a card or of a build. If it is in one of
    them, the error cites the clause `missing`, otherwise `grammar`.
    """
    if card:
        return IllegalMove(move, missing, f"{text} is not a loose card on the table")
    if build:
        return IllegalMove(move, missing, f"the build {text} is not on the table")
    return IllegalMove(move, grammar, f"{text[:60]!r} is not the text of a card or a build")


class FishingDeal(BaseDeal):
    """The state that Cassino and Zwicker share; each game adds its table and captured piles.

    Sides score points; if all seats play alone, each seat is a side. `cleared`: the sides that
    cleared the table (by a sweep or a zwick), in order.
    """

    __slots__ = ("_codes", "_legal_moves", "_sheet", "cleared", "last_capture", "totals")

    def __init__(self, seats: int, sides: int, log: list[Event]) -> None:
        super().__init__(seats, log)
        self.cleared: list[int] = []
        self.last_capture: int = -1  # the side that captured last
        self.totals: list[int] = [0] * sides  # the points of finished deals
        self._legal_moves: list[str] | None = None
        self._codes: list[int] | None = None
        self._sheet: list[ScoreLine] = []

    def copy_fishing(self, other: FishingDeal) -> None:
        """Copy the shared state to `other`; the copies share only immutable data."""
        self.copy_base(other)
        other.cleared = self.cleared[:]
        other.last_capture = self.last_capture
        other.totals = self.totals
        other._legal_moves = self._legal_moves
        other._codes = self._codes
        other._sheet = self._sheet

    # ── moves: each game lists coded moves, and spells one from its code ─────────────────────────

    def coded(self) -> list[int]:
        """The legal moves of the seat to act, as coded moves (`coded`)."""
        raise NotImplementedError

    def spell(self, codes: list[int]) -> list[str]:
        """The texts of coded moves."""
        raise NotImplementedError

    def read(self, move: str) -> int:
        """The coded move for the text of a legal move; IllegalMove for others, with the clause."""
        raise NotImplementedError

    def make_move(self, code: int, move: str) -> None:
        """Make a coded move. `move` is its text, which may be empty in a quiet deal."""
        raise NotImplementedError

    def legal(self) -> list[str]:
        if self._legal_moves is None:
            self._legal_moves = self.spell(self.coded())
        return self._legal_moves

    def check(self, move: str) -> None:
        self.read(move)

    def play(self, move: str) -> None:
        code = self._listed(move)
        self.make_move(code if code >= 0 else self.read(move), move)

    def _listed(self, move: str) -> int:
        """The code of the listed move with this text; -1 if there is none."""
        if self._legal_moves is not None and self._codes is not None:
            for place, text in enumerate(self._legal_moves):
                if text == move:
                    return self._codes[place]
        return -1

    def count(self) -> int:
        return len(self.coded())

    def play_at(self, place: int) -> None:
        code = self.coded()[place]
        self.make_move(code, "" if self.quiet else self.spell([code])[0])

    def log_deal(self, table: Sequence[TableItem]) -> None:
        """Log the beginning of the deal: all seats see the table, and each seat its hand."""
        if self.quiet:
            return
        data = {"dealer": self.dealer, "table": [item.id for item in table]}
        self.log.append(("deal", data, self.own_hands()))

    def log_move(self, code: int, move: str) -> None:
        """Log a move, and clear the cached list of moves."""
        self._legal_moves = self._codes = None
        self.truncated = False
        if self.quiet:
            return
        if kind_of(code) == TRAIL:
            self.log.append(_TRAILED[self.turn][card_of(code)])
        else:
            self.log.append(("move", {"seat": self.turn, "move": move}, None))

    def log_rest(self, owner: str, taker: int, cards: Sequence[int]) -> None:
        """Log that the remaining cards go to `taker`; -1 if nobody gets them.

        `owner`: the key of the event: ``side`` or ``seat``.
        """
        if self.quiet:
            return
        data = {owner: None if taker < 0 else taker, "cards": texts(cards)}
        self.log.append(("rest", data, None))

    def score_deal(self, sheet: list[ScoreLine], clearing: str) -> None:
        """Score the finished deal. `clearing`: as in `open_view`."""
        self._sheet = sheet
        points = total(sheet, len(self.totals))
        self.totals = added(self.totals, points)
        self.turn = self.to_act = -1
        if self.quiet:
            return
        scored: dict[str, Any] = {
            "points": points,
            clearing: self.cleared[:],
            "scores": self.totals[:],
        }
        self.log.append(("score", scored, None))

    def scores(self) -> list[int]:
        """The match's totals by side, from the finished deals."""
        return self.totals[:]

    def open_view(
        self,
        game: str,
        clearing: str,
        rules: BaseRules,
        items: Sequence[Mapping[str, Any]],
        captured: list[list[str]],
        seat: int,
    ) -> dict[str, Any]:
        """The view of a seat: all open cards and its hand; all cards if `seat` is -1.

        `clearing`: the key of `cleared` in this game's JSON, ``sweeps`` or ``zwicks``. `items`,
        `captured`: the table and the captured piles, as views show them.
        """
        view: dict[str, Any] = {
            **self.heading(game, rules.text, rules.sides, seat),
            "hand": self.hand_of(seat),
            "hand_sizes": [len(hand) for hand in self.hands],
            "stock": self.stock_left,
            "table": items,
            "captured": captured,
            "captured_counts": [len(pile) for pile in captured],
            clearing: self.cleared[:],
            "last_capture": None if self.last_capture < 0 else self.last_capture,
            "scores": self.totals[:],
            "target": rules.target,
            "deals": rules.deals,
        }
        if seat < 0:
            self.show_all(cast("Heading", view))
        return view

    def sheet_json(self, counts: Sequence[int], clearing: str) -> dict[str, Any]:
        """The score sheet as JSON. `counts`: the number of captured cards of each side.

        `clearing`: as in `open_view`.
        """
        return {
            "points": total(self._sheet, len(counts)),
            "lines": listing(self._sheet),
            "captured_counts": list(counts),
            clearing: self.cleared[:],
            "scores": self.totals[:],
        }


STATE_KEYS: Final = (
    "table",
    "hands",
    "stock",
    "turn",
    "dealer",
    "deal",
    "captured",
    "scores",
    "last_capture",
    "by",
)
"""The fields of a `state`, except the list of sides that cleared the table."""
VIEW_KEYS: Final = ("dealer", "deal", "captured", "scores", "last_capture")
"""The fields of a `state` that have the same form in a view."""


def read_open(
    deal: FishingDeal, state: Mapping[str, Any], deals: int, clearing: str, sides: str
) -> None:
    """Read the open fields except the table and the captured piles; ValueError names a wrong field.

    `deals`: the number of deals in a match. `sides`: for messages, "sides" or "seats", according to
    the game's scoring.
    """
    read_heading(deal, state, deals)
    count = len(deal.totals)
    deal.cleared = checked_numbers(state.get(clearing) or [], count, f"{clearing} names {sides}")
    last_capture = state.get("last_capture")
    if last_capture is not None:
        deal.last_capture = checked_numbers(
            [last_capture], count, f"last_capture is one of the {sides}"
        )[0]
    deal.totals = read_scores(state, count)


def read_hidden(deal: FishingDeal, state: Mapping[str, Any], multiple: int) -> None:
    """Read hands and stock; ValueError unless the stock has a multiple of `multiple` cards."""
    deal.hands = [sorted(hand) for hand in read_card_rows(state, "hands", len(deal.hands))]
    deal.stock = parse_cards(state.get("stock", []))
    if len(deal.stock) % multiple:
        raise ValueError(f"stock has {len(deal.stock)} cards; it must be a multiple of {multiple}.")


def check_playable(
    deal: FishingDeal, pack: Sequence[int], piles: Sequence[Sequence[int]], text: str
) -> None:
    """Raise ValueError if a card occurs too often, or the seat to move has no card.

    `piles`: the open cards. `text`: the format's code.
    """
    check_pack(pack, [*deal.hands, deal.stock, *piles], text)
    if not deal.hands[deal.turn]:
        raise ValueError(f"Seat {deal.turn} is to move, so hands[{deal.turn}] must have a card.")
