"""The state of a seat's turn that the tests of section 10 use (CAN-87)."""

from __future__ import annotations

from typing import Final

from engine.games.canasta.card_kinds import BLACK, POINTS, RED, UNKNOWN, is_wild
from engine.games.canasta.options import CanastaRules

CANASTA: Final = 7  # cards (CAN-44)
Shape = tuple[tuple[int, int], ...]  # a side's melds of one rank: (naturals, wild cards) of each


class TurnState:
    """The state of the current turn, now or after a tested step (CAN-87)."""

    __slots__ = (
        "committed",
        "counted",
        "discard",
        "exempt",
        "had",
        "melded",
        "minimum",
        "n",
        "pending",
        "refused",
        "rules",
        "shapes",
        "size",
    )

    def __init__(
        self, rules: CanastaRules, n: list[int], shapes: list[Shape], minimum: int, size: int = -1
    ) -> None:
        self.rules: CanastaRules = rules
        self.n: list[int] = n  # hand, counted by kind
        self.size: int = sum(n) if size < 0 else size  # cards in hand
        self.shapes: list[Shape] = shapes  # the side's melds, by kind
        self.minimum: int = minimum  # M
        self.pending: list[int] = []  # Q: kinds, red threes left out
        self.counted: int = 0  # S
        self.had: bool = False  # the side had its first meld before this turn
        self.melded: bool = False  # something was melded or taken in this turn
        self.discard: bool = True  # the turn has a discard (not CAN-63 `meld`)
        self.committed: bool = False
        self.refused: bool = False
        self.exempt: bool = False

    def copy(self) -> TurnState:
        other = TurnState(self.rules, self.n[:], self.shapes[:], self.minimum, self.size)
        other.pending = self.pending
        other.counted = self.counted
        other.had = self.had
        other.melded = self.melded
        other.discard = self.discard
        other.committed = self.committed
        other.refused = self.refused
        other.exempt = self.exempt
        return other

    @property
    def need(self) -> int:
        """Points missing for the first meld."""
        return 0 if self.had else max(0, self.minimum - self.counted)

    @property
    def canastas(self) -> int:
        count = 0
        for shape in self.shapes:
            if shape:
                for a, w in shape:
                    count += a + w >= CANASTA
        return count

    def lay(self, kind: int, number: int, cards: tuple[int, ...], top: int = -1) -> None:
        """Meld the hand cards of these kinds, and the top card of the pile, on meld `number`.

        The meld is new if its number is one higher than the last.
        """
        wild = naturals = 0
        self.size -= len(cards)
        n = self.n
        for card in cards:
            n[card] = n[card] - 1  # when compiled, -= is slower
            if is_wild(card):
                wild += 1
            else:
                naturals += 1
            if not self.had:
                self.counted += POINTS[card]  # CAN-34
        if top >= 0:
            naturals += 1
            if not self.had and self.rules.topcounts:
                self.counted += POINTS[top]
        shape = self.shapes[kind]
        a, w = shape[number - 1] if number <= len(shape) else (0, 0)
        laid = (a + naturals, w + wild)
        self.shapes[kind] = (*shape[: number - 1], laid, *shape[number:]) if shape else (laid,)
        self.melded = True
        if kind == BLACK:
            self.committed = True  # CAN-40
        self.arrive()

    def arrive(self) -> None:
        """CAN-35: move the rest of the pile to the hand once the minimum is reached."""
        if self.pending and not self.need:
            for kind in self.pending:
                self.n[kind] += 1
            self.size += len(self.pending)
            self.pending = []

    def table(self, replaced: int) -> None:
        """CAN-24: remove a red three from the hand, and add one unknown card or none."""
        self.n[RED] -= 1
        self.n[UNKNOWN] += replaced
        self.size += replaced - 1
