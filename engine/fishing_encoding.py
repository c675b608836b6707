"""The encoding of Cassino and Zwicker, in which a card from the hand takes items of the table."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from engine.cards import RANKS
from engine.encoding import BaseEncoding, append_names, squash

if TYPE_CHECKING:
    from engine.game import Format

HIGHEST: Final = 30
"""The largest number that a build can have in these games."""
_KINDS: Final = ("trail", "capture", "sum build", "pair build", "out")


class FishingEncoding(BaseEncoding):
    """Cassino and Zwicker. `clearing`: the view's key for the sides that cleared the table."""

    def __init__(self, fmt: Format, version: int, clearing: str) -> None:
        super().__init__(fmt, version)
        cards, sides, names = self.cards, self.side_names, self.names
        self.clearing: str = clearing
        self.loose_at: int = append_names(names, "loose", cards)
        self.sum_at: int = append_names(names, "number of its sum build", cards)
        self.pair_at: int = append_names(names, "in a pair build", cards)
        self.own_builds_at: int = append_names(names, "in a build of the own side", cards)
        self.items_at: int = append_names(names, "items")
        self.captured_at: int = append_names(
            names, "captured", [f"{side} {card}" for side in sides for card in cards]
        )
        self.counts_at: int = append_names(names, "number captured", sides)
        self.cleared_at: int = append_names(names, clearing, sides)
        self.last_at: int = append_names(names, "last capture", sides)
        moves = self.move_names
        self.kind_at: int = append_names(moves, "kind", _KINDS)
        self.plays_at: int = append_names(moves, "plays", cards)
        self.takes_at: int = append_names(moves, "takes", cards)
        self.number_at: int = append_names(moves, "number")
        self.taken_at: int = append_names(moves, "items taken")
        self.builds_at: int = append_names(moves, "takes a build of", map(str, range(HIGHEST + 1)))
        self.clears_at: int = append_names(moves, "clears the table")

    def put(self, row: array[float], view: Mapping[str, Any], own: int) -> None:
        sides = self.sides
        own_seats: list[int] = view["sides"][own]
        table: list[dict[str, Any]] = view["table"]
        loose: list[str] = []
        pairs: list[str] = []
        own_builds: list[str] = []
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
                for card in cards:
                    row[self.sum_at + self.places[card]] = number / HIGHEST
            if item["by"] in own_seats:
                own_builds += cards
        self.put_cards(row, self.loose_at, loose)
        self.put_cards(row, self.pair_at, pairs)
        self.put_cards(row, self.own_builds_at, own_builds)
        row[self.items_at] = squash(len(table), 8)
        count = len(self.cards)
        captured: list[list[str]] = view["captured"]
        for side, pile in enumerate(captured):
            self.put_cards(row, self.captured_at + (side - own) % sides * count, pile)
        self.put_by_side(row, self.counts_at, view, own, view["captured_counts"], 16)
        cleared: list[int] = view[self.clearing]
        for side in cleared:
            index = self.cleared_at + (side - own) % sides
            row[index] += (1 - row[index]) / 3
        last: int | None = view["last_capture"]
        if last is not None:
            row[self.last_at + (last - own) % sides] = 1.0

    def describe(self, view: Mapping[str, Any], legal: Sequence[str]) -> array[float]:
        table: list[dict[str, Any]] = view["table"]
        items: dict[str, dict[str, Any]] = {item["id"]: item for item in table}
        on_table = len(table)
        rows, starts = self.blank_rows(legal)
        for row_start, move in starts:
            played, taking, named = move.partition("x")
            if taking:
                names = named.split(",")
                rows[row_start + self.kind_at + 1] = 1.0
                rows[row_start + self.clears_at] = float(len(names) == on_table)
            else:
                played, laying, named = move.partition(">")
                names = []
                if laying:
                    # CARD>ITEM=9 makes a sum build, CARD>ITEM:9 a pair build. An item that is a
                    # build ends with a bracket and may itself contain = or :.
                    cut = named.rfind("]") + 1 or max(named.find("="), named.find(":"))
                    names, suffix = [named[:cut]], named[cut:]
                    paired = suffix[0] == ":"
                    rows[row_start + self.kind_at + (3 if paired else 2)] = 1.0
                    number = RANKS.index(suffix[1]) + 1 if paired else int(suffix[1:])
                    rows[row_start + self.number_at] = number / HIGHEST
                else:
                    rows[row_start + self.kind_at + (4 if move == "out" else 0)] = 1.0
            self.put_cards(rows, row_start + self.plays_at, [played])
            taken: list[str] = []
            for name in names:
                item = items[name]
                taken += item["cards"]
                if item["kind"] == "sum":
                    index = row_start + self.builds_at + (item["value"] or 0)
                    rows[index] += (1 - rows[index]) / 2
            self.put_cards(rows, row_start + self.takes_at, taken)
            rows[row_start + self.taken_at] = squash(len(names), 4)
        return rows
