"""Views and moves of Paks as numbers."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from engine.cards import SUITS
from engine.encoding import BaseEncoding, append_names, squash

if TYPE_CHECKING:
    from engine.game import Format

_PHASES: Final = {"pak": 0, "steal": 1}
_SUIT: Final = {symbol: place for place, symbol in enumerate(SUITS)}
_KINDS: Final = ("end", "pass", "pak", "steal")


class PaksEncoding(BaseEncoding):
    def __init__(self, fmt: Format) -> None:
        super().__init__(fmt, 1)
        cards, seats, names = self.cards, self.seat_names, self.names
        of_seats = [f"{seat} {card}" for seat in seats for card in cards]
        self.phase_at: int = append_names(names, "phase", _PHASES)
        self.compulsory_at: int = append_names(names, "compulsory")
        self.used_at: int = append_names(names, "used suit", SUITS)
        self.drawn_at: int = append_names(names, "drawn", cards)
        self.board_at: int = append_names(names, "board", cards)
        self.shown_at: int = append_names(names, "shown", of_seats)
        self.paks_at: int = append_names(names, "in a pak", of_seats)
        self.sizes_at: int = append_names(names, "size of its pak", of_seats)
        self.suits_at: int = append_names(
            names, "paks", [f"{seat} {suit}" for seat in seats for suit in SUITS]
        )
        moves = self.move_names
        self.kind_at: int = append_names(moves, "kind", _KINDS)
        self.plays_at: int = append_names(moves, "plays", cards)
        self.takes_at: int = append_names(moves, "takes", cards)
        self.owner_at: int = append_names(moves, "takes from", seats)
        self.count_at: int = append_names(moves, "paks taken")
        self.first_at: int = append_names(moves, "place of the first")

    def put(self, row: array[float], view: Mapping[str, Any], own: int) -> None:  # noqa: ARG002 - it has no numbers by side
        seat: int = view["seat"]
        seats, count = self.seats, len(self.cards)
        phase = _PHASES.get(view["phase"], -1)
        if phase >= 0:
            row[self.phase_at + phase] = 1.0
        if view["compulsory"]:
            row[self.compulsory_at] = 1.0
        used_suits: list[str] = view["used_suits"]
        for suit in used_suits:
            row[self.used_at + _SUIT[suit]] = 1.0
        drawn: str | None = view["drawn"]
        if drawn is not None:
            row[self.drawn_at + self.places[drawn]] = 1.0
        self.put_cards(row, self.board_at, view["board"])
        shown: list[list[str]] = view["shown"]
        paks: list[list[list[str]]] = view["paks"]
        for other in range(seats):
            place = (other - seat) % seats
            self.put_cards(row, self.shown_at + place * count, shown[other])
            sizes_at = self.sizes_at + place * count
            suits_at = self.suits_at + place * len(SUITS)
            cards_in_paks: list[str] = []
            for pak in paks[other]:
                cards_in_paks += pak
                size = squash(len(pak), 4)
                for card in pak:
                    row[sizes_at + self.places[card]] = size
                index = suits_at + _SUIT[pak[0][1]]
                row[index] += (1 - row[index]) / 4
            self.put_cards(row, self.paks_at + place * count, cards_in_paks)

    def describe(self, view: Mapping[str, Any], legal: Sequence[str]) -> array[float]:
        seat: int = view["seat"]
        paks: list[list[list[str]]] = view["paks"]
        rows, places = self.blank_rows(legal)
        for row_start, move in places:
            kind, _, arguments = move.partition(":")
            rows[row_start + self.kind_at + _KINDS.index(kind)] = 1.0
            if not arguments:
                continue
            played, _, target = arguments.partition(">")
            self.put_cards(rows, row_start + self.plays_at, played.split("+"))
            if kind == "pak":
                self.put_cards(rows, row_start + self.takes_at, [target])
                continue
            owner, _, numbers = target.partition(":")
            chosen = [int(number) - 1 for number in numbers.split("+")]
            taken = [card for number in chosen for card in paks[int(owner)][number]]
            self.put_cards(rows, row_start + self.takes_at, taken)
            rows[row_start + self.owner_at + (int(owner) - seat) % self.seats] = 1.0
            rows[row_start + self.count_at] = squash(len(chosen), 2)
            rows[row_start + self.first_at] = squash(chosen[0], 8)
        return rows
