"""Views and moves of Spoon Eye as numbers."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from engine.encoding import BaseEncoding, append_names, squash
from engine.games.spoon_eye.options import ROW

if TYPE_CHECKING:
    from engine.game import Format

_PHASES: Final = ("start", "play", "take", "steal")
_EFFECTS: Final = ("3", "4", "9")
_KINDS: Final = ("draw", "pass", "play", "move", "steal", "take")
_SPOTS: Final = "1234LR"  # the masts of a row, and its ends
_FULL: Final = 21.0


class SpoonEyeEncoding(BaseEncoding):
    def __init__(self, fmt: Format) -> None:
        super().__init__(fmt, 1)
        cards, seats, sides, names = self.cards, self.seat_names, self.side_names, self.names
        masts = [f"{seat} {mast + 1}" for seat in seats for mast in range(ROW)]
        self.phase_at: int = append_names(names, "phase", _PHASES)
        self.pending_at: int = append_names(names, "pending", _EFFECTS)
        self.first_at: int = append_names(names, "first turn")
        self.runs_at: int = append_names(names, "moves in a row", seats)
        self.known_at: int = append_names(
            names, "known", [f"{seat} {card}" for seat in seats for card in cards]
        )
        self.masts_at: int = append_names(
            names, "mast", [f"{mast} {card}" for mast in masts for card in cards]
        )
        self.tops_at: int = append_names(
            names, "top", [f"{seat} {card}" for seat in seats for card in cards]
        )
        self.values_at: int = append_names(names, "value", masts)
        self.heights_at: int = append_names(names, "height", masts)
        self.won_at: int = append_names(
            names, "won", [f"{side} {card}" for side in sides for card in cards]
        )
        self.double_at: int = append_names(
            names, "doubled", [f"{side} {card}" for side in sides for card in cards]
        )
        self.raised_at: int = append_names(names, "raised", cards)
        self.owner_at: int = append_names(names, "raised mast of", seats)
        self.base_at: int = append_names(names, "base", sides)
        self.bonus_at: int = append_names(names, "bonus", sides)
        spots = [f"{seat} {spot}" for seat in seats for spot in _SPOTS]
        moves = self.move_names
        self.kind_at: int = append_names(moves, "kind", _KINDS)
        self.plays_at: int = append_names(moves, "plays", cards)
        self.from_at: int = append_names(moves, "from", spots)
        self.to_at: int = append_names(moves, "to", spots)
        self.sum_at: int = append_names(moves, "value of the target")

    def put(self, row: array[float], view: Mapping[str, Any]) -> None:
        seat, count = view["seat"], len(self.cards)
        if view["phase"] in _PHASES:
            row[self.phase_at + _PHASES.index(view["phase"])] = 1.0
        if view["pending"] is not None:
            row[self.pending_at + _EFFECTS.index(view["pending"])] = 1.0
        row[self.first_at] = float(view["first"])
        self.put_by_seat(row, self.runs_at, seat, view["nest_run"], 2)
        for other in range(self.seats):
            place = (other - seat) % self.seats
            self.put_cards(row, self.known_at + place * count, view["known"][other])
            self._put_masts(row, place, view["masts"][other], view["values"][other])
        own = self.own_side(view)
        for side, won in enumerate(view["won"]):
            place = (side - own) % self.sides * count
            self.put_cards(row, self.won_at + place, won["single"])
            self.put_cards(row, self.double_at + place, won["double"])
        if view["raised"] is not None:
            self.put_cards(row, self.raised_at, view["raised"]["cards"])
            row[self.owner_at + (view["raised"]["seat"] - seat) % self.seats] = 1.0
        sheet = view["sheet"]
        self.put_by_side(row, self.base_at, view, [line["base"] for line in sheet], self.target)
        self.put_by_side(row, self.bonus_at, view, [line["bonus"] for line in sheet], self.target)

    def _put_masts(
        self, row: array[float], place: int, masts: Sequence[list[str]], values: Sequence[int]
    ) -> None:
        count = len(self.cards)
        for number, mast in enumerate(masts):
            spot = place * ROW + number
            self.put_cards(row, self.masts_at + spot * count, mast)
            self.put_cards(row, self.tops_at + place * count, mast[-1:])
            row[self.values_at + spot] = values[number] / _FULL
            row[self.heights_at + spot] = squash(len(mast), 3)

    def describe(self, view: Mapping[str, Any], legal: Sequence[str]) -> array[float]:
        seat, values = view["seat"], view["values"]
        rows, places = self.blank_rows(legal)
        for row_start, move in places:
            head, _, target = move.partition(">")
            kind, _, source = head.partition(":")
            if kind == "take":
                source, target = "", source
            elif kind not in _KINDS:  # the card of a play
                self.put_cards(rows, row_start + self.plays_at, (kind,))
                kind = "play"
            rows[row_start + self.kind_at + _KINDS.index(kind)] = 1.0
            if source:
                rows[row_start + self.from_at + self._spot(seat, source)] = 1.0
            if target and target != "none":
                rows[row_start + self.to_at + self._spot(seat, target)] = 1.0
                if target[2] not in "LR":
                    value = values[int(target[0])][int(target[2]) - 1]
                    rows[row_start + self.sum_at] = value / _FULL
        return rows

    def _spot(self, seat: int, text: str) -> int:
        """The index of ``seat:mast`` among the spots of all seats, the viewer's first."""
        return (int(text[0]) - seat) % self.seats * len(_SPOTS) + _SPOTS.index(text[2])
