"""Views and moves of Spoon Eye as numbers."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from engine.encoding import ONE, BaseEncoding, Shares, Squashed, one_hot
from engine.games.spoon_eye.options import ROW

if TYPE_CHECKING:
    from engine.game import Format

_PHASES: Final = {"start": 0, "play": 1, "take": 2, "steal": 3}
_EFFECTS: Final = ("3", "4", "9")
_KINDS: Final = ("draw", "pass", "play", "move", "steal", "take")
_SPOTS: Final = "1234LR"  # the masts of a row, and its ends
_FULL: Final = 21


class SpoonEyeEncoding(BaseEncoding):
    def __init__(self, fmt: Format) -> None:
        super().__init__(fmt, 1)
        cards, seats, sides, row = self.cards, self.seat_names, self.side_names, self.row
        masts = [f"{seat} {mast + 1}" for seat in seats for mast in range(ROW)]
        self.phase_at: int = row.add("phase", numbers=_PHASES)
        self.pending_at: int = row.add("pending", numbers=_EFFECTS)
        self.first_at: int = row.add("first turn")
        self.runs_at: int = row.add("moves in a row", seats)
        self.known_at: int = row.add("known", seats, cards)
        self.masts_at: int = row.add("mast", masts, cards)
        self.tops_at: int = row.add("top", seats, cards)
        self.values_at: int = row.add("value", masts)
        self.heights_at: int = row.add("height", masts)
        self.won_at: int = row.add("won", sides, cards)
        self.double_at: int = row.add("doubled", sides, cards)
        self.raised_at: int = row.add("raised", numbers=cards)
        self.owner_at: int = row.add("raised mast of", numbers=seats)
        self.base_at: int = row.add("base", sides)
        self.bonus_at: int = row.add("bonus", sides)
        self.phases: list[bytes] = one_hot(len(_PHASES))
        self.effects: list[bytes] = one_hot(len(_EFFECTS))
        self.by_2: Squashed = Squashed(2)
        self.by_3: Squashed = Squashed(3)
        self.shares: Shares = Shares(_FULL)
        spots = [f"{seat} {spot}" for seat in seats for spot in _SPOTS]
        row = self.move_row
        self.kind_at: int = row.add("kind", numbers=_KINDS)
        self.plays_at: int = row.add("plays", numbers=cards)
        self.from_at: int = row.add("from", numbers=spots)
        self.to_at: int = row.add("to", numbers=spots)
        self.sum_at: int = row.add("value of the target")
        self.kinds: list[bytes] = one_hot(len(_KINDS))
        self.spots: list[bytes] = one_hot(len(spots))

    def put(self, row: list[bytes], view: Mapping[str, Any], own: int) -> None:
        seat: int = view["seat"]
        seats, sides = self.seats, self.sides
        phase = _PHASES.get(view["phase"], -1)
        if phase >= 0:
            row[self.phase_at] = self.phases[phase]
        pending: str | None = view["pending"]
        if pending is not None:
            row[self.pending_at] = self.effects[_EFFECTS.index(pending)]
        if view["first"]:
            row[self.first_at] = ONE
        self.put_by_seat(row, self.runs_at, seat, view["nest_run"], self.by_2)
        known: list[list[str]] = view["known"]
        masts: list[list[list[str]]] = view["masts"]
        values: list[list[int]] = view["values"]
        for other in range(seats):
            place = (other - seat) % seats
            row[self.known_at + place] = self.kept_cards_block(known[other])
            self._put_masts(row, place, masts[other], values[other])
        won: list[dict[str, list[str]]] = view["won"]
        for side, cards in enumerate(won):
            place = (side - own) % sides
            row[self.won_at + place] = self.kept_cards_block(cards["single"])
            row[self.double_at + place] = self.kept_cards_block(cards["double"])
        raised: dict[str, Any] | None = view["raised"]
        if raised is not None:
            row[self.raised_at] = self.kept_cards_block(raised["cards"])
            owner: int = raised["seat"]
            row[self.owner_at] = self.one_seat[(owner - seat) % seats]
        sheet: list[dict[str, int]] = view["sheet"]
        base = [line["base"] for line in sheet]
        bonus = [line["bonus"] for line in sheet]
        self.put_by_side(row, self.base_at, view, own, base, self.by_target)
        self.put_by_side(row, self.bonus_at, view, own, bonus, self.by_target)

    def _put_masts(
        self, row: list[bytes], place: int, masts: list[list[str]], values: list[int]
    ) -> None:
        tops: list[str] = []
        spot = place * ROW
        for number, mast in enumerate(masts):
            row[self.masts_at + spot] = self.kept_cards_block(mast)
            tops.append(mast[-1])
            row[self.values_at + spot] = self.shares.of(values[number])
            row[self.heights_at + spot] = self.by_3.of(len(mast))
            spot += 1
        row[self.tops_at + place] = self.kept_cards_block(tops)

    def describe(self, view: Mapping[str, Any], legal: Sequence[str]) -> array[float]:
        seat: int = view["seat"]
        values: list[list[int]] = view["values"]
        blocks: list[bytes] = []
        for move in legal:
            row = self.move_row.zeros[:]
            head, _, target = move.partition(">")
            kind, _, source = head.partition(":")
            if kind == "take":
                source, target = "", source
            elif kind not in _KINDS:  # the card of a play
                row[self.plays_at] = self.one_card[kind]
                kind = "play"
            row[self.kind_at] = self.kinds[_KINDS.index(kind)]
            if source:
                row[self.from_at] = self.spots[self._spot(seat, source)]
            if target and target != "none":
                row[self.to_at] = self.spots[self._spot(seat, target)]
                if target[2] not in "LR":
                    value = values[int(target[0])][int(target[2]) - 1]
                    row[self.sum_at] = self.shares.of(value)
            blocks += row
        return array("f", b"".join(blocks))

    def _spot(self, seat: int, text: str) -> int:
        """The index of ``seat:mast`` among the places of all seats; the viewer's come first."""
        return (int(text[0]) - seat) % self.seats * len(_SPOTS) + _SPOTS.index(text[2])
