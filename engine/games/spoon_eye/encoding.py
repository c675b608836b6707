"""Views and moves of Spoon Eye as numbers."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from engine.encoding import BaseEncoding, append_names, squash
from engine.games.spoon_eye.options import ROW

if TYPE_CHECKING:
    from engine.game import Format

_PHASES: Final = {"start": 0, "play": 1, "take": 2, "steal": 3}
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

    def put(self, row: array[float], view: Mapping[str, Any], own: int) -> None:
        seat: int = view["seat"]
        seats, sides, count = self.seats, self.sides, len(self.cards)
        phase = _PHASES.get(view["phase"], -1)
        if phase >= 0:
            row[self.phase_at + phase] = 1.0
        pending: str | None = view["pending"]
        if pending is not None:
            row[self.pending_at + _EFFECTS.index(pending)] = 1.0
        if view["first"]:
            row[self.first_at] = 1.0
        self.put_by_seat(row, self.runs_at, seat, view["nest_run"], 2)
        known: list[list[str]] = view["known"]
        masts: list[list[list[str]]] = view["masts"]
        values: list[list[int]] = view["values"]
        for other in range(seats):
            place = (other - seat) % seats
            self.put_cards(row, self.known_at + place * count, known[other])
            self._put_masts(row, place, masts[other], values[other])
        won: list[dict[str, list[str]]] = view["won"]
        for side, cards in enumerate(won):
            place = (side - own) % sides * count
            self.put_cards(row, self.won_at + place, cards["single"])
            self.put_cards(row, self.double_at + place, cards["double"])
        raised: dict[str, Any] | None = view["raised"]
        if raised is not None:
            self.put_cards(row, self.raised_at, raised["cards"])
            owner: int = raised["seat"]
            row[self.owner_at + (owner - seat) % seats] = 1.0
        sheet: list[dict[str, int]] = view["sheet"]
        base = [line["base"] for line in sheet]
        bonus = [line["bonus"] for line in sheet]
        self.put_by_side(row, self.base_at, view, own, base, self.target)
        self.put_by_side(row, self.bonus_at, view, own, bonus, self.target)

    def _put_masts(
        self, row: array[float], place: int, masts: list[list[str]], values: list[int]
    ) -> None:
        count = len(self.cards)
        tops: list[str] = []
        for number, mast in enumerate(masts):
            spot = place * ROW + number
            self.put_cards(row, self.masts_at + spot * count, mast)
            tops.append(mast[-1])
            row[self.values_at + spot] = values[number] / _FULL
            row[self.heights_at + spot] = squash(len(mast), 3)
        self.put_cards(row, self.tops_at + place * count, tops)

    def describe(self, view: Mapping[str, Any], legal: Sequence[str]) -> array[float]:
        seat: int = view["seat"]
        values: list[list[int]] = view["values"]
        rows, places = self.blank_rows(legal)
        for row_start, move in places:
            head, _, target = move.partition(">")
            kind, _, source = head.partition(":")
            if kind == "take":
                source, target = "", source
            elif kind not in _KINDS:  # the card of a play
                self.put_cards(rows, row_start + self.plays_at, [kind])
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
        """The index of ``seat:mast`` among the places of all seats; the viewer's come first."""
        return (int(text[0]) - seat) % self.seats * len(_SPOTS) + _SPOTS.index(text[2])
