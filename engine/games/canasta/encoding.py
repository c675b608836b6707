"""Views and moves of Canasta as numbers."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from engine.cards import RANKS
from engine.encoding import ONE, BaseEncoding, Squashed, keep, one_hot, sets, zeros

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


class CanastaEncoding(BaseEncoding):
    def __init__(self, fmt: Format) -> None:
        super().__init__(fmt, 1)
        cards, seats, sides, row = self.cards, self.seat_names, self.side_names, self.row
        self.phase_at: int = row.add("phase", numbers=_PHASES)
        self.chairs_at: int = row.add("plays this deal", numbers=seats)
        self.pile_at: int = row.add("pile")
        self.top_at: int = row.add("top of the pile", numbers=cards)
        self.frozen_at: int = row.add("frozen")
        self.frozen_for_me_at: int = row.add("frozen for the own side")
        self.open_at: int = row.add("pile may be looked through")
        self.inside_at: int = row.add("in the pile", numbers=cards)
        self.natural_at: int = row.add("natural cards melded", sides, _SYMBOLS)
        self.wild_at: int = row.add("wild cards melded", sides, _SYMBOLS)
        self.canasta_at: int = row.add("canasta", sides, _SYMBOLS)
        self.melds_at: int = row.add("melds", sides, _SYMBOLS)
        self.red3_at: int = row.add("red threes", seats)
        self.minimum_at: int = row.add("minimum", sides)
        self.opened_at: int = row.add("opened", sides)
        self.flags_at: int = row.add("step", numbers=_FLAGS)
        self.counted_at: int = row.add("counted")
        self.need_at: int = row.add("need")
        self.waiting_at: int = row.add("pending")
        self.phases: list[bytes] = one_hot(len(_PHASES))
        self.flags: list[bytes] = sets(len(_FLAGS))
        self.by_2: Squashed = Squashed(2)
        self.by_60: Squashed = Squashed(60)
        self.by_90: Squashed = Squashed(90)
        self._melds: dict[tuple[int, ...], list[bytes]] = {}  # cache of `_meld_blocks`
        row = self.move_row
        self.kind_at: int = row.add("kind", numbers=_KINDS)
        self.rank_at: int = row.add("meld of", numbers=_SYMBOLS)
        self.number_at: int = row.add("number of the meld")
        self.uses_at: int = row.add("uses", numbers=_SYMBOLS)
        self.asks_at: int = row.add("asks", numbers=seats)
        self.kinds: list[bytes] = one_hot(len(_KINDS))
        self.ranks: list[bytes] = one_hot(len(_SYMBOLS))
        self._uses: dict[str, bytes] = {}  # cache of `_uses_block`

    def put(self, row: list[bytes], view: Mapping[str, Any], own: int) -> None:
        seat: int = view["seat"]
        phase = _PHASES.get(view["phase"], -1)
        if phase >= 0:
            row[self.phase_at] = self.phases[phase]
        row[self.chairs_at] = self.seats_block(seat, view["chairs"])
        self._put_pile(row, view["pile"])
        melds: list[list[dict[str, Any]]] = view["melds"]
        for side, side_melds in enumerate(melds):
            if side_melds:
                place = (side - own) % len(melds)
                blocks = self._meld_blocks(side_melds)
                row[self.natural_at + place] = blocks[0]
                row[self.wild_at + place] = blocks[1]
                row[self.canasta_at + place] = blocks[2]
                row[self.melds_at + place] = blocks[3]
        self.put_by_seat(row, self.red3_at, seat, view["red3"], self.by_2)
        self.put_by_side(row, self.minimum_at, view, own, view["minimum"], self.by_90)
        opened: list[bool] = view["opened"]
        for side, has_opened in enumerate(opened):
            if has_opened:
                row[self.opened_at + (side - own) % len(melds)] = ONE
        step: dict[str, Any] = view["step"]
        flags = 0
        for place, flag in enumerate(_FLAGS):
            if step[flag]:
                flags |= 1 << place
        row[self.flags_at] = self.flags[flags]
        row[self.counted_at] = self.by_60.of(step["counted"])
        row[self.need_at] = self.by_60.of(step["need"])
        row[self.waiting_at] = self.by_8.of(step["pending"])

    def _put_pile(self, row: list[bytes], pile: dict[str, Any]) -> None:
        row[self.pile_at] = self.by_8.of(pile["size"])
        top: str | None = pile["top"]
        if top is not None:
            row[self.top_at] = self.one_card[top]
        if pile["frozen"]:
            row[self.frozen_at] = ONE
        if pile["frozen_for_me"]:
            row[self.frozen_for_me_at] = ONE
        cards: list[str] | None = pile["cards"]
        if cards is not None:
            row[self.open_at] = ONE
            row[self.inside_at] = self.kept_cards_block(cards)

    def _meld_blocks(self, melds: list[dict[str, Any]]) -> list[bytes]:
        """The melds of a side: natural cards, wild cards, canastas, number of melds."""
        codes: list[int] = []
        for meld in melds:
            cards: list[str] = meld["cards"]
            wild: int = meld["wild"]
            kind: str | None = meld["canasta"]
            rank: str = meld["rank"]
            code = len(cards) - wild << 16 | wild << 8 | _PLACE[rank] << 2
            if kind is not None:
                code |= 2 if kind == "natural" else 1
            codes.append(code)
        key = tuple(codes)
        blocks = self._melds.get(key)
        return blocks if blocks is not None else keep(self._melds, key, _count_melds(codes))

    def describe(self, view: Mapping[str, Any], legal: Sequence[str]) -> array[float]:
        seat: int = view["seat"]
        top: str | None = view["pile"]["top"]
        top_rank = top[0] if top else ""
        blocks: list[bytes] = []
        for move in legal:
            row = self.move_row.zeros[:]
            head, colon, used = move.partition(":")
            head, _, number = head.partition("#")
            rank = ""
            if head in _SYMBOLS:  # a meld
                kind, rank = ("open" if len(used) > 1 else "add"), head
            elif head == "ask":
                kind = "ask"
                if colon:
                    row[self.asks_at] = self.one_seat[(int(used) - seat) % self.seats]
                used = ""
            elif head[0] == "-":
                kind, used = "discard", head[1:].replace("R", "")
            else:
                kind = head
                rank = top_rank if kind == "take" else ""
            row[self.kind_at] = self.kinds[_KINDS.index(kind)]
            if rank:
                row[self.rank_at] = self.ranks[_PLACE[rank]]
            if number:
                row[self.number_at] = self.by_2.of(int(number))
            row[self.uses_at] = self._uses_block(used)
            blocks += row
        return array("f", b"".join(blocks))

    def _uses_block(self, symbols: str) -> bytes:
        block = self._uses.get(symbols)
        if block is None:
            numbers = zeros(len(_SYMBOLS))
            for symbol in symbols:
                numbers[_PLACE[symbol]] += 1 / 3
            block = keep(self._uses, symbols, numbers.tobytes())
        return block


def _count_melds(codes: list[int]) -> list[bytes]:
    """Melds of equal rank (`tworank`) share their numbers."""
    naturals, wilds, canastas, melds = (zeros(len(_SYMBOLS)) for _ in range(4))
    last_place = -1
    for code in codes:
        place = code >> 2 & 63
        natural = (code >> 16) / 12
        wild = (code >> 8 & 255) / 12
        canasta = (code & 3) / 2
        number = 1 / _MELDS
        if place == last_place:
            natural += naturals[place]
            wild += wilds[place]
            canasta = max(canasta, canastas[place])
            number += melds[place]
        last_place = place
        naturals[place] = natural if natural < 1 else 1.0
        if wild:
            wilds[place] = wild if wild < 1 else 1.0
        if canasta:
            canastas[place] = canasta
        melds[place] = number if number < 1 else 1.0
    return [naturals.tobytes(), wilds.tobytes(), canastas.tobytes(), melds.tobytes()]
