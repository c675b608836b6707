"""Views and moves of Paks as numbers."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from engine.cards import SUITS
from engine.encoding import ONE, BaseEncoding, Squashed, keep, one_hot, sets, squash, zeros

if TYPE_CHECKING:
    from engine.game import Format

_PHASES: Final = {"pak": 0, "steal": 1}
_SUIT: Final = {symbol: place for place, symbol in enumerate(SUITS)}
_KINDS: Final = ("end", "pass", "pak", "steal")


class PaksEncoding(BaseEncoding):
    def __init__(self, fmt: Format) -> None:
        super().__init__(fmt, 1)
        cards, seats, row = self.cards, self.seat_names, self.row
        self.phase_at: int = row.add("phase", numbers=_PHASES)
        self.compulsory_at: int = row.add("compulsory")
        self.used_at: int = row.add("used suit", numbers=SUITS)
        self.drawn_at: int = row.add("drawn", numbers=cards)
        self.board_at: int = row.add("board", numbers=cards)
        self.shown_at: int = row.add("shown", seats, cards)
        self.paks_at: int = row.add("in a pak", seats, cards)
        self.sizes_at: int = row.add("size of its pak", seats, cards)
        self.suits_at: int = row.add("paks", seats, SUITS)
        self.phases: list[bytes] = one_hot(len(_PHASES))
        self.suits: list[bytes] = sets(len(SUITS))
        self._paks: dict[str, list[bytes]] = {}  # cache of `_pak_blocks`
        row = self.move_row
        self.kind_at: int = row.add("kind", numbers=_KINDS)
        self.plays_at: int = row.add("plays", numbers=cards)
        self.takes_at: int = row.add("takes", numbers=cards)
        self.owner_at: int = row.add("takes from", numbers=seats)
        self.count_at: int = row.add("paks taken")
        self.first_at: int = row.add("place of the first")
        self.kinds: list[bytes] = one_hot(len(_KINDS))
        self.by_2: Squashed = Squashed(2)

    def put(self, row: list[bytes], view: Mapping[str, Any], own: int) -> None:  # noqa: ARG002 - it has no numbers by side
        seat: int = view["seat"]
        seats = self.seats
        phase = _PHASES.get(view["phase"], -1)
        if phase >= 0:
            row[self.phase_at] = self.phases[phase]
        if view["compulsory"]:
            row[self.compulsory_at] = ONE
        used_suits: list[str] = view["used_suits"]
        used = 0
        for suit in used_suits:
            used |= 1 << _SUIT[suit]
        row[self.used_at] = self.suits[used]
        drawn: str | None = view["drawn"]
        if drawn is not None:
            row[self.drawn_at] = self.one_card[drawn]
        row[self.board_at] = self.kept_cards_block(view["board"])
        shown: list[list[str]] = view["shown"]
        paks: list[list[list[str]]] = view["paks"]
        for other in range(seats):
            place = (other - seat) % seats
            row[self.shown_at + place] = self.kept_cards_block(shown[other])
            if paks[other]:
                blocks = self._pak_blocks(paks[other])
                row[self.paks_at + place] = blocks[0]
                row[self.sizes_at + place] = blocks[1]
                row[self.suits_at + place] = blocks[2]

    def _pak_blocks(self, paks: list[list[str]]) -> list[bytes]:
        """The paks of a seat: their cards, the sizes of the cards' paks, the paks by suit."""
        key = "|".join([" ".join(pak) for pak in paks])
        blocks = self._paks.get(key)
        if blocks is not None:
            return blocks
        cards: list[str] = []
        sizes = zeros(len(self.cards))
        suits = zeros(len(SUITS))
        for pak in paks:
            cards += pak
            size = squash(len(pak), 4)
            for card in pak:
                sizes[self.places[card]] = size
            suit = _SUIT[pak[0][1]]
            suits[suit] += (1 - suits[suit]) / 4
        return keep(self._paks, key, [self.cards_block(cards), sizes.tobytes(), suits.tobytes()])

    def describe(self, view: Mapping[str, Any], legal: Sequence[str]) -> array[float]:
        seat: int = view["seat"]
        paks: list[list[list[str]]] = view["paks"]
        blocks: list[bytes] = []
        for move in legal:
            row = self.move_row.zeros[:]
            kind, _, arguments = move.partition(":")
            row[self.kind_at] = self.kinds[_KINDS.index(kind)]
            if arguments:
                played, _, target = arguments.partition(">")
                row[self.plays_at] = self.kept_cards_block(played.split("+"))
                if kind == "pak":
                    row[self.takes_at] = self.kept_cards_block([target])
                else:
                    self._put_theft(row, target, seat, paks)
            blocks += row
        return array("f", b"".join(blocks))

    def _put_theft(
        self, row: list[bytes], target: str, seat: int, paks: list[list[list[str]]]
    ) -> None:
        owner, _, numbers = target.partition(":")
        chosen = [int(number) - 1 for number in numbers.split("+")]
        taken = [card for number in chosen for card in paks[int(owner)][number]]
        row[self.takes_at] = self.kept_cards_block(taken)
        row[self.owner_at] = self.one_seat[(int(owner) - seat) % self.seats]
        row[self.count_at] = self.by_2.of(len(chosen))
        row[self.first_at] = self.by_8.of(chosen[0])
