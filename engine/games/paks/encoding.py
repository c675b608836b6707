"""Views and moves of Paks as numbers."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from engine.cards import SUITS
from engine.encoding import BaseEncoding, append_names, squash

if TYPE_CHECKING:
    from engine.game import Format

_PHASES: Final = ("pak", "steal")
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

    def put(self, row: array[float], view: Mapping[str, Any]) -> None:
        seat, count = view["seat"], len(self.cards)
        if view["phase"] in _PHASES:
            row[self.phase_at + _PHASES.index(view["phase"])] = 1.0
        row[self.compulsory_at] = float(view["compulsory"])
        for suit in view["used_suits"]:
            row[self.used_at + SUITS.index(suit)] = 1.0
        if view["drawn"] is not None:
            row[self.drawn_at + self.places[view["drawn"]]] = 1.0
        self.put_cards(row, self.board_at, view["board"])
        for other in range(self.seats):
            place = (other - seat) % self.seats
            self.put_cards(row, self.shown_at + place * count, view["shown"][other])
            for pak in view["paks"][other]:
                self.put_cards(row, self.paks_at + place * count, pak)
                for card in pak:
                    row[self.sizes_at + place * count + self.places[card]] = squash(len(pak), 4)
                index = self.suits_at + place * 4 + SUITS.index(pak[0][1])
                row[index] += (1 - row[index]) / 4

    def describe(self, view: Mapping[str, Any], legal: Sequence[str]) -> array[float]:
        seat, paks = view["seat"], view["paks"]
        rows, places = self.blank_rows(legal)
        for row_start, move in places:
            kind, _, arguments = move.partition(":")
            rows[row_start + self.kind_at + _KINDS.index(kind)] = 1.0
            if not arguments:
                continue
            played, _, target = arguments.partition(">")
            self.put_cards(rows, row_start + self.plays_at, played.split("+"))
            if kind == "pak":
                self.put_cards(rows, row_start + self.takes_at, (target,))
                continue
            owner, _, numbers = target.partition(":")
            chosen = [int(number) - 1 for number in numbers.split("+")]
            for number in chosen:
                self.put_cards(rows, row_start + self.takes_at, paks[int(owner)][number])
            rows[row_start + self.owner_at + (int(owner) - seat) % self.seats] = 1.0
            rows[row_start + self.count_at] = squash(len(chosen), 2)
            rows[row_start + self.first_at] = squash(chosen[0], 8)
        return rows
