"""The encoding of Cassino and Zwicker, in which a card from the hand takes items of the table."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from engine.cards import RANKS
from engine.encoding import ONE, ZERO, BaseEncoding, Shares, Squashed, Steps, keep, one_hot, zeros

if TYPE_CHECKING:
    from engine.game import Format

HIGHEST: Final = 30
"""The largest number that a build can have in these games."""
_KINDS: Final = ("trail", "capture", "sum build", "pair build", "out")
_TRAIL, _CAPTURE, _SUM, _PAIR, _OUT = one_hot(len(_KINDS))


class FishingEncoding(BaseEncoding):
    """Cassino and Zwicker. `clearing`: the view's key for the sides that cleared the table."""

    def __init__(self, fmt: Format, version: int, clearing: str) -> None:
        super().__init__(fmt, version)
        cards, sides, row = self.cards, self.side_names, self.row
        self.clearing: str = clearing
        self.loose_at: int = row.add("loose", numbers=cards)
        self.sum_at: int = row.add("number of its sum build", numbers=cards)
        self.pair_at: int = row.add("in a pair build", numbers=cards)
        self.own_builds_at: int = row.add("in a build of the own side", numbers=cards)
        self.items_at: int = row.add("items")
        self.captured_at: int = row.add("captured", sides, cards)
        self.counts_at: int = row.add("number captured", sides)
        self.cleared_at: int = row.add(clearing, sides)
        self.last_at: int = row.add("last capture", sides)
        self.by_16: Squashed = Squashed(16)
        self.thirds: Steps = Steps(3)
        self.no_sums: array[float] = zeros(len(cards))
        row = self.move_row
        self.kind_at: int = row.add("kind", numbers=_KINDS)
        self.plays_at: int = row.add("plays", numbers=cards)
        self.takes_at: int = row.add("takes", numbers=cards)
        self.number_at: int = row.add("number")
        self.taken_at: int = row.add("items taken")
        self.builds_at: int = row.add("takes a build of", map(str, range(HIGHEST + 1)))
        self.clears_at: int = row.add("clears the table")
        self.shares: Shares = Shares(HIGHEST)
        self.halves: Steps = Steps(2)
        self._moves: dict[str, bytes] = {}  # cache of `_describe`

    def put(self, row: list[bytes], view: Mapping[str, Any], own: int) -> None:
        sides = self.sides
        own_seats: list[int] = view["sides"][own]
        table: list[dict[str, Any]] = view["table"]
        loose: list[str] = []
        pairs: list[str] = []
        own_builds: list[str] = []
        sums: array[float] | None = None
        for item in table:
            text: str = item["id"]
            if text in self.places:  # a loose card
                loose.append(text)
                continue
            cards: list[str] = item["cards"]
            if item["kind"] == "pair":
                pairs += cards
            else:
                number: int = item["value"] or 0
                if sums is None:
                    sums = self.no_sums[:]
                for card in cards:
                    sums[self.places[card]] = number / HIGHEST
            if item["by"] in own_seats:
                own_builds += cards
        row[self.loose_at] = self.cards_block(loose)
        if sums is not None:
            row[self.sum_at] = sums.tobytes()
        row[self.pair_at] = self.kept_cards_block(pairs)
        row[self.own_builds_at] = self.kept_cards_block(own_builds)
        row[self.items_at] = self.by_8.of(len(table))
        captured: list[list[str]] = view["captured"]
        for side, pile in enumerate(captured):
            row[self.captured_at + (side - own) % sides] = self.kept_cards_block(pile)
        self.put_by_side(row, self.counts_at, view, own, view["captured_counts"], self.by_16)
        cleared: list[int] = view[self.clearing]
        if cleared:
            for side in range(sides):
                block = self.thirds.of(cleared.count(side))
                row[self.cleared_at + (side - own) % sides] = block
        last: int | None = view["last_capture"]
        if last is not None:
            row[self.last_at + (last - own) % sides] = ONE

    def describe(self, view: Mapping[str, Any], legal: Sequence[str]) -> array[float]:
        table: list[dict[str, Any]] = view["table"]
        items: dict[str, dict[str, Any]] = {item["id"]: item for item in table}
        on_table = len(table)
        blocks: list[bytes] = []
        for move in legal:
            block = self._moves.get(move)
            if block is None:
                block = keep(self._moves, move, self._describe(move, items))
            clears = "x" in move and move.count(",") + 1 == on_table
            blocks.append(block)
            blocks.append(ONE if clears else ZERO)
        return array("f", b"".join(blocks))

    def _describe(self, move: str, items: dict[str, dict[str, Any]]) -> bytes:
        """The row of a move without its last number. Items with equal ids are equal."""
        row = self.move_row.zeros[:-1]
        played, taking, named = move.partition("x")
        names: list[str] = []
        if taking:
            names = named.split(",")
            row[self.kind_at] = _CAPTURE
        else:
            played, laying, named = move.partition(">")
            if laying:
                # CARD>ITEM=9 makes a sum build, CARD>ITEM:9 a pair build. An item that is a
                # build ends with a bracket and may itself contain = or :.
                cut = named.rfind("]") + 1 or max(named.find("="), named.find(":"))
                names, suffix = [named[:cut]], named[cut:]
                paired = suffix[0] == ":"
                row[self.kind_at] = _PAIR if paired else _SUM
                number = RANKS.index(suffix[1]) + 1 if paired else int(suffix[1:])
                row[self.number_at] = self.shares.of(number)
            else:
                row[self.kind_at] = _OUT if move == "out" else _TRAIL
        row[self.plays_at] = self.cards_block([played])
        taken: list[str] = []
        builds: list[int] = []
        for name in names:
            item = items[name]
            taken += item["cards"]
            if item["kind"] == "sum":
                builds.append(item["value"] or 0)
        row[self.takes_at] = self.cards_block(taken)
        row[self.taken_at] = self.by_4.of(len(names))
        for number in builds:
            row[self.builds_at + number] = self.halves.of(builds.count(number))
        return b"".join(row)
