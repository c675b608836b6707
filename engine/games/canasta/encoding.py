"""Views and moves of Canasta as numbers."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from engine.cards import RANKS
from engine.encoding import BaseEncoding, append_names, squash

if TYPE_CHECKING:
    from engine.game import Format

_PHASES: Final = {"choose": 0, "meld": 1, "answer": 2}
_FLAGS: Final[tuple[str, ...]] = (
    "drew",
    "committed",
    "refused",
    "asked",
    "melded",
    "settled",
    "discard",
)
_SYMBOLS: Final = RANKS + "X"
_PLACE: Final = {symbol: place for place, symbol in enumerate(_SYMBOLS)}
_MELDS: Final = 4  # a side's melds of one rank that give the number 1; few formats allow several
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

    def put(self, row: array[float], view: Mapping[str, Any], own: int) -> None:
        seat: int = view["seat"]
        phase = _PHASES.get(view["phase"], -1)
        if phase >= 0:
            row[self.phase_at + phase] = 1.0
        chairs: list[int] = view["chairs"]
        for chair in chairs:
            row[self.chairs_at + (chair - seat) % self.seats] = 1.0
        self._put_pile(row, view["pile"])
        melds: list[list[dict[str, Any]]] = view["melds"]
        for side, side_melds in enumerate(melds):
            self._put_melds(row, (side - own) % len(melds) * len(_SYMBOLS), side_melds)
        self.put_by_seat(row, self.red3_at, seat, view["red3"], 2)
        self.put_by_side(row, self.minimum_at, view, own, view["minimum"], 90)
        opened: list[bool] = view["opened"]
        for side, has_opened in enumerate(opened):
            if has_opened:
                row[self.opened_at + (side - own) % len(melds)] = 1.0
        step: dict[str, Any] = view["step"]
        for place, flag in enumerate(_FLAGS):
            if step[flag]:
                row[self.flags_at + place] = 1.0
        counted: int = step["counted"]
        row[self.counted_at] = squash(counted, 60)
        need: int = step["need"]
        row[self.need_at] = squash(need, 60)
        pending: int = step["pending"]
        row[self.waiting_at] = squash(pending, 8)

    def _put_pile(self, row: array[float], pile: dict[str, Any]) -> None:
        size: int = pile["size"]
        row[self.pile_at] = squash(size, 8)
        top: str | None = pile["top"]
        if top is not None:
            row[self.top_at + self.places[top]] = 1.0
        if pile["frozen"]:
            row[self.frozen_at] = 1.0
        if pile["frozen_for_me"]:
            row[self.frozen_for_me_at] = 1.0
        cards: list[str] | None = pile["cards"]
        if cards is not None:
            row[self.open_at] = 1.0
            self.put_cards(row, self.inside_at, cards)

    def _put_melds(self, row: array[float], first: int, melds: list[dict[str, Any]]) -> None:
        """The melds of a side, whose columns begin at `first`.

        Melds of equal rank (`tworank`) share their numbers.
        """
        last_rank = ""
        for meld in melds:
            rank: str = meld["rank"]
            place = first + _PLACE[rank]
            cards: list[str] = meld["cards"]
            wild: int = meld["wild"]
            naturals = (len(cards) - wild) / 12
            wilds = wild / 12
            canasta_kind: str | None = meld["canasta"]
            canasta = _CANASTA[canasta_kind] if canasta_kind else 0.0
            number = 1 / _MELDS
            if rank == last_rank:
                naturals += row[self.natural_at + place]
                wilds += row[self.wild_at + place]
                canasta = max(canasta, row[self.canasta_at + place])
                number += row[self.melds_at + place]
            last_rank = rank
            row[self.natural_at + place] = naturals if naturals < 1 else 1.0
            if wilds:
                row[self.wild_at + place] = wilds if wilds < 1 else 1.0
            if canasta:
                row[self.canasta_at + place] = canasta
            row[self.melds_at + place] = number if number < 1 else 1.0

    def describe(self, view: Mapping[str, Any], legal: Sequence[str]) -> array[float]:
        seat: int = view["seat"]
        top: str | None = view["pile"]["top"]
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
                rows[row_start + self.rank_at + _PLACE[rank]] = 1.0
            if number:
                rows[row_start + self.number_at] = squash(int(number), 2)
            for symbol in used:
                rows[row_start + self.uses_at + _PLACE[symbol]] += 1 / 3
        return rows
