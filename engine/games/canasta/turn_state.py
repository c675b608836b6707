"""The facts about a turn that the tests in turn_end.py use (CAN-87)."""

from __future__ import annotations

from typing import Final

from engine.games.canasta.card_kinds import BLACK, POINTS, RED, UNKNOWN, is_wild
from engine.games.canasta.options import CanastaRules

NO_CARDS: Final[list[int]] = []  # shared by all situations, so nobody changes it
CANASTA: Final = 7  # the number of cards in a canasta (CAN-44)
MeldCounts = tuple[tuple[int, int], ...]  # (naturals, wild cards) of a side's melds of one rank


class TurnState:
    """The state of a turn, now or after a move that is tested (CAN-87)."""

    __slots__ = (
        "committed",
        "counted",
        "counts",
        "exempt",
        "had_meld",
        "has_discard",
        "meld_counts",
        "melded",
        "minimum",
        "pending",
        "refused",
        "rules",
        "size",
    )

    def __init__(
        self,
        rules: CanastaRules,
        counts: list[int],
        meld_counts: list[MeldCounts],
        minimum: int,
        size: int = -1,
    ) -> None:
        self.rules: CanastaRules = rules
        self.counts: list[int] = counts  # by kind: the number of cards in the hand
        self.size: int = sum(counts) if size < 0 else size  # the number of cards in the hand
        self.meld_counts: list[MeldCounts] = meld_counts  # by kind: the side's melds
        self.minimum: int = minimum  # points that the first meld needs (M in CAN-87)
        self.pending: list[int] = NO_CARDS  # kinds of pending cards without red threes (Q)
        self.counted: int = 0  # points melded towards the minimum (S)
        self.had_meld: bool = False  # the side had its first meld before this turn
        self.melded: bool = False  # the seat has melded or taken the pile in this turn
        self.has_discard: bool = True  # the turn has a discard (false in CAN-63 with `last3=meld`)
        self.committed: bool = False  # the seat must go out in this turn
        self.refused: bool = False  # the seat may not go out in this turn
        self.exempt: bool = False  # the seat needs no minimum to go out concealed (CAN-55)

    def copy(self) -> TurnState:
        other = TurnState(self.rules, self.counts[:], self.meld_counts[:], self.minimum, self.size)
        other.pending = self.pending
        other.counted = self.counted
        other.had_meld = self.had_meld
        other.melded = self.melded
        other.has_discard = self.has_discard
        other.committed = self.committed
        other.refused = self.refused
        other.exempt = self.exempt
        return other

    @property
    def need(self) -> int:
        """The points that the first meld still needs; 0 if the minimum is reached."""
        return 0 if self.had_meld else max(0, self.minimum - self.counted)

    @property
    def canastas(self) -> int:
        count = 0
        for rank_melds in self.meld_counts:
            if rank_melds:
                for naturals, wilds in rank_melds:
                    count += naturals + wilds >= CANASTA
        return count

    def lay(self, kind: int, number: int, cards: tuple[int, ...], top: int = -1) -> None:
        """Meld the hand cards of these kinds, and the top card of the pile, on meld `number`.

        The meld is new if its number is one higher than the last.
        """
        wild = naturals = 0
        self.size -= len(cards)
        counts = self.counts
        for card in cards:
            counts[card] = counts[card] - 1  # when compiled, -= is slower
            if is_wild(card):
                wild += 1
            else:
                naturals += 1
            if not self.had_meld:
                self.counted += POINTS[card]  # CAN-34
        if top >= 0:
            naturals += 1
            if not self.had_meld and self.rules.topcounts:
                self.counted += POINTS[top]
        rank_melds = self.meld_counts[kind]
        if number <= len(rank_melds):
            naturals += rank_melds[number - 1][0]
            wild += rank_melds[number - 1][1]
        meld = (naturals, wild)
        self.meld_counts[kind] = (*rank_melds[: number - 1], meld, *rank_melds[number:])
        self.melded = True
        if kind == BLACK:
            self.committed = True  # CAN-40
        self.collect_pending()

    def collect_pending(self) -> None:
        """Move the pending cards into the hand if the minimum is reached (CAN-35)."""
        if self.pending and not self.need:
            for kind in self.pending:
                self.counts[kind] += 1
            self.size += len(self.pending)
            self.pending = NO_CARDS

    def table(self, replaced: int) -> None:
        """Remove a red three from the hand, and add `replaced` unknown cards: 0 or 1 (CAN-24)."""
        self.counts[RED] -= 1
        self.counts[UNKNOWN] += replaced
        self.size += replaced - 1
