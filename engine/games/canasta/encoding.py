"""Views and moves of Canasta as numbers."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from engine.cards import RANKS
from engine.encoding import BaseEncoding, append_names, squash

if TYPE_CHECKING:
    from engine.game import Format

_PHASES: Final = ("choose", "meld", "answer")
_FLAGS: Final = ("drew", "committed", "refused", "asked", "melded", "settled", "discard")
_SYMBOLS: Final = RANKS + "X"
_MELDS: Final = 4  # melds of a rank in a side's columns; few formats allow more than one
_KINDS: Final = (
    "draw",
    "take",
    "pass",
    "open",
    "add",
    "ask",
    "yes",
    "no",
    "discard",
    "R",
)
_CANASTA: Final = {"natural": 1.0, "mixed": 0.5}


class CanastaEncoding(BaseEncoding):
    def __init__(self, fmt: Format) -> None:
        super().__init__(fmt, 1)
        cards, seats, sides, names = self.cards, self.seat_names, self.side_names, self.names
        of_sides = [f"{side} {symbol}" for side in sides for symbol in _SYMBOLS]
        self.phase_at: int = append_names(names, "phase", _PHASES)
        self.chairs_at: int = append_names(names, "plays this deal", seats)
        self.pile_at: int = append_names(names, "pile")
        self.top_at: int = append_names(names, "top of the pile", cards)
        self.frozen_at: int = append_names(names, "frozen")
        self.frozen_for_me_at: int = append_names(names, "frozen for the own side")
        self.open_at: int = append_names(names, "pile may be looked through")
        self.inside_at: int = append_names(names, "in the pile", cards)
        self.natural_at: int = append_names(names, "natural cards melded", of_sides)
        self.wild_at: int = append_names(names, "wild cards melded", of_sides)
        self.canasta_at: int = append_names(names, "canasta", of_sides)
        self.melds_at: int = append_names(names, "melds", of_sides)
        self.red3_at: int = append_names(names, "red threes", seats)
        self.minimum_at: int = append_names(names, "minimum", sides)
        self.opened_at: int = append_names(names, "opened", sides)
        self.flags_at: int = append_names(names, "step", _FLAGS)
        self.counted_at: int = append_names(names, "counted")
        self.need_at: int = append_names(names, "need")
        self.waiting_at: int = append_names(names, "pending")
        moves = self.move_names
        self.kind_at: int = append_names(moves, "kind", _KINDS)
        self.rank_at: int = append_names(moves, "meld of", _SYMBOLS)
        self.number_at: int = append_names(moves, "number of the meld")
        self.uses_at: int = append_names(moves, "uses", _SYMBOLS)
        self.asks_at: int = append_names(moves, "asks", seats)

    def put(self, row: array[float], view: Mapping[str, Any]) -> None:
        seat = view["seat"]
        if view["phase"] in _PHASES:
            row[self.phase_at + _PHASES.index(view["phase"])] = 1.0
        for chair in view["chairs"]:
            row[self.chairs_at + (chair - seat) % self.seats] = 1.0
        self._put_pile(row, view["pile"])
        own = self.own_side(view)
        melds = view["melds"]
        for side in range(len(melds)):
            index = (side - own) % len(melds) * len(_SYMBOLS)
            for meld in melds[side]:
                self._put_meld(row, index + _SYMBOLS.index(meld["rank"]), meld)
        self.put_by_seat(row, self.red3_at, seat, view["red3"], 2)
        self.put_by_side(row, self.minimum_at, view, view["minimum"], 90)
        for side, opened in enumerate(view["opened"]):
            row[self.opened_at + (side - own) % len(melds)] = float(opened)
        step = view["step"]
        for place, flag in enumerate(_FLAGS):
            row[self.flags_at + place] = float(step[flag])
        row[self.counted_at] = squash(step["counted"], 60)
        row[self.need_at] = squash(step["need"], 60)
        row[self.waiting_at] = squash(step["pending"], 8)

    def _put_pile(self, row: array[float], pile: Mapping[str, Any]) -> None:
        row[self.pile_at] = squash(pile["size"], 8)
        if pile["top"] is not None:
            row[self.top_at + self.places[pile["top"]]] = 1.0
        row[self.frozen_at] = float(pile["frozen"])
        row[self.frozen_for_me_at] = float(pile["frozen_for_me"])
        if pile["cards"] is not None:
            row[self.open_at] = 1.0
            self.put_cards(row, self.inside_at, pile["cards"])

    def _put_meld(self, row: array[float], place: int, meld: Mapping[str, Any]) -> None:
        """Melds of equal rank (`tworank`) share their numbers."""
        wild = meld["wild"]
        index = self.natural_at + place
        row[index] = min(1.0, row[index] + (len(meld["cards"]) - wild) / 12)
        index = self.wild_at + place
        row[index] = min(1.0, row[index] + wild / 12)
        index = self.canasta_at + place
        row[index] = max(row[index], _CANASTA.get(meld["canasta"] or "", 0.0))
        index = self.melds_at + place
        row[index] = min(1.0, row[index] + 1 / _MELDS)

    def describe(self, view: Mapping[str, Any], legal: Sequence[str]) -> array[float]:
        seat, top = view["seat"], view["pile"]["top"]
        top_rank = top[0] if top else ""
        rows, places = self.blank_rows(legal)
        for row_start, move in places:
            head, colon, used = move.partition(":")
            head, _, number = head.partition("#")
            rank = ""
            if head in _SYMBOLS:  # a meld
                kind, rank = ("open" if len(used) > 1 else "add"), head
            elif head == "ask":
                kind = "ask"
                if colon:
                    rows[row_start + self.asks_at + (int(used) - seat) % self.seats] = 1.0
                used = ""
            elif head[0] == "-":
                kind, used = "discard", head[1:].replace("R", "")
            else:
                kind = head
                rank = top_rank if kind == "take" else ""
            rows[row_start + self.kind_at + _KINDS.index(kind)] = 1.0
            if rank:
                rows[row_start + self.rank_at + _SYMBOLS.index(rank)] = 1.0
            if number:
                rows[row_start + self.number_at] = squash(int(number), 2)
            for symbol in used:
                rows[row_start + self.uses_at + _SYMBOLS.index(symbol)] += 1 / 3
        return rows
