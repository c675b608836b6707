"""Undecided scores in Cassino and Zwicker: counted cards, majorities, a cleared table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from engine.declarations import listed
from engine.english import capital, count_of, sign
from engine.move_parts import Need


class CountedCards(NamedTuple):
    """Cards that score individually: `points` each; `copies`: their number in the pack."""

    key: str
    words: str
    cards: Sequence[str]
    points: int
    copies: int


class Majority(NamedTuple):
    """Points for taking most of `cards` (empty: of all cards); `total`: how many the pack has."""

    key: str
    words: str
    cards: frozenset[str]
    points: int
    total: int


class Scoring:
    """The score of a deal as a seat knows it, from the captured piles."""

    def __init__(
        self,
        view: Mapping[str, Any],
        counted: Sequence[CountedCards],
        majorities: Sequence[Majority],
        clearing: tuple[str, str, int],
    ) -> None:
        """`clearing`: the view's key for the sides that cleared the table, the game's term for
        clearing it, and the points for that (0: none)."""
        self.counted: Sequence[CountedCards] = counted
        self.majorities: Sequence[Majority] = majorities
        self.clearing: tuple[str, str, int] = clearing
        self.view: Mapping[str, Any] = view
        sides = [at for at, side in enumerate(view["sides"]) if view["seat"] in side]
        self.own: int = sides[0]
        self.has_partner: bool = len(view["sides"][self.own]) > 1

    def needs(self) -> list[Need]:
        """Majorities, cards, then clearing the table, as far as they are still undecided."""
        needs = [need for majority in self.majorities for need in self._majority(majority)]
        needs += [need for counted in self.counted for need in self._counted(counted)]
        key, words, points = self.clearing
        if points:
            times = self._counts_by_side(self.view[key])
            needs.append(Need(key, f"{capital(words)}s {self._against(times)}"))
        return needs

    def decides(self, gained: Sequence[str], *, swept: bool) -> str:
        """The key of the most valuable need that the capture affects; empty if none."""
        open_keys = {need.key for need in self.needs()}
        worth = {
            counted.key: counted.points * sum([card in counted.cards for card in gained])
            for counted in self.counted
        }
        if swept:
            worth[self.clearing[0]] = self.clearing[2]
        best = max(worth, key=worth.__getitem__, default="")
        if best and worth[best] and best in open_keys:
            return best
        for majority in self.majorities:
            if majority.key in open_keys and (not majority.cards or majority.cards & set(gained)):
                return majority.key
        return ""

    def leads(self, gained: Sequence[str], *, swept: bool) -> str:
        """A sentence about a capture: its points, and the side's number of cards afterwards."""
        sentences = []
        for counted in self.counted:
            cards = [card for card in gained if card in counted.cards]
            if cards:
                verb = "scores" if len(cards) == 1 else "score"
                named = listed([sign(card) for card in cards])
                sentences.append(f"{capital(named)} {verb} {counted.points * len(cards)}")
        if swept and self.clearing[2]:
            sentences.append(f"The {self.clearing[1]} scores {self.clearing[2]}")
        count = len(self.view["captured"][self.own]) + len(gained)
        whose = "your side" if self.has_partner else "you"
        sentences.append(f"That takes {whose} to {count_of(count, 'card')}")
        return f"{'. '.join(sentences)}."

    # ── needs, while they are undecided ──────────────────────────────────────────────────────────

    def _majority(self, majority: Majority) -> list[Need]:
        piles = self.view["captured"]
        counts = [
            len(pile) if not majority.cards else sum([card in majority.cards for card in pile])
            for pile in piles
        ]
        own, rest = counts[self.own], majority.total - sum(counts)
        others = [count for side, count in enumerate(counts) if side != self.own]
        best = max(others)
        second = sorted(counts)[-2]
        if not rest or max(counts) > second + rest:
            return []  # nobody can catch up
        sentence = f"{capital(majority.words)} {self._against(counts)}"
        if own + rest <= best:
            return [Need(majority.key, f"{sentence}, {rest} left")]
        # With this many more, the others cannot reach the same count even with all the rest.
        more = max(0, (best + rest - own) // 2 + 1)
        verb = "wins" if more == 1 else "win"
        return [Need(majority.key, f"{sentence}: {more} more {verb} the {majority.points}")]

    def _counted(self, counted: CountedCards) -> list[Need]:
        piles = self.view["captured"]
        row = [sum([card in counted.cards for card in pile]) for pile in piles]
        if sum(row) >= counted.copies:
            return []
        words = f"{capital(counted.words)} +{counted.points}"
        if counted.copies > 1:
            words = f"{capital(counted.words)} {self._against(row)}"
        held = [sign(card) for card in self.view["hand"] if card in counted.cards]
        on_table = [
            sign(c) for item in self.view["table"] for c in item["cards"] if c in counted.cards
        ]
        where = "you hold" if held else "on the table" if on_table else ""
        if where and counted.copies == 1:
            words += f", {'in your hand' if held else where}"
        elif held:
            words += f", you hold {listed(held)}"
        elif on_table:
            words += f", {listed(on_table)} on the table"
        return [Need(counted.key, words)]

    def _counts_by_side(self, sides: Sequence[int]) -> list[int]:
        """How often each side occurs in `sides`."""
        return [sides.count(side) for side in range(len(self.view["sides"]))]

    def _against(self, counts: Sequence[int]) -> str:
        """The counts, that of the own side first: ``23 – 13``."""
        others = [str(n) for side, n in enumerate(counts) if side != self.own]
        return " – ".join([str(counts[self.own]), *others])
