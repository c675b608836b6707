"""Undecided scores in Cassino and Zwicker: counted cards, majorities, a cleared table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from engine.declarations import join_words
from engine.english import capital, card_sign, count_of
from engine.move_parts import Need


class CountedCards(NamedTuple):
    """Cards that score `points` each. `copies`: the number of such cards in the pack."""

    key: str
    words: str
    cards: Sequence[str]
    points: int
    copies: int


class Majority(NamedTuple):
    """Points for taking most of `cards`; of all cards, if `cards` is empty.

    `total`: the number of such cards in the pack.
    """

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
        clearing it, and the points for each time."""
        self.counted: Sequence[CountedCards] = counted
        self.majorities: Sequence[Majority] = majorities
        self.clearing: tuple[str, str, int] = clearing
        self.view: Mapping[str, Any] = view
        sides = [index for index, side in enumerate(view["sides"]) if view["seat"] in side]
        self.own_side: int = sides[0]
        self.has_partner: bool = len(view["sides"][self.own_side]) > 1

    def needs(self) -> list[Need]:
        """Majorities, cards, then clearing the table, as far as they are still undecided."""
        needs = [need for majority in self.majorities for need in self._majority_needs(majority)]
        needs += [need for counted in self.counted for need in self._card_needs(counted)]
        key, words, points = self.clearing
        if points:
            times = self._counts_by_side(self.view[key])
            needs.append(Need(key, f"{capital(words)}s {self._score_text(times)}"))
        return needs

    def decided_need(self, gained: Sequence[str], *, swept: bool) -> str:
        """The key of the most valuable need that the capture affects; empty if none."""
        open_keys = {need.key for need in self.needs()}
        points_by_key = {
            counted.key: counted.points * sum([card in counted.cards for card in gained])
            for counted in self.counted
        }
        if swept:
            points_by_key[self.clearing[0]] = self.clearing[2]
        best_key = max(points_by_key, key=points_by_key.__getitem__, default="")
        if best_key and points_by_key[best_key] and best_key in open_keys:
            return best_key
        for majority in self.majorities:
            if majority.key in open_keys and (not majority.cards or majority.cards & set(gained)):
                return majority.key
        return ""

    def points_sentence(self, gained: Sequence[str], *, swept: bool) -> str:
        """A sentence about a capture: its points, and the side's number of cards afterwards."""
        sentences = []
        for counted in self.counted:
            cards = [card for card in gained if card in counted.cards]
            if cards:
                verb = "scores" if len(cards) == 1 else "score"
                signs = join_words([card_sign(card) for card in cards])
                sentences.append(f"{capital(signs)} {verb} {counted.points * len(cards)}")
        if swept and self.clearing[2]:
            sentences.append(f"The {self.clearing[1]} scores {self.clearing[2]}")
        count = len(self.view["captured"][self.own_side]) + len(gained)
        owner = "your side" if self.has_partner else "you"
        sentences.append(f"That takes {owner} to {count_of(count, 'card')}")
        return f"{'. '.join(sentences)}."

    # ── needs, while they are undecided ──────────────────────────────────────────────────────────

    def _majority_needs(self, majority: Majority) -> list[Need]:
        piles = self.view["captured"]
        counts = [
            len(pile) if not majority.cards else sum([card in majority.cards for card in pile])
            for pile in piles
        ]
        own_count, remaining = counts[self.own_side], majority.total - sum(counts)
        other_counts = [count for side, count in enumerate(counts) if side != self.own_side]
        highest_count = max(other_counts)
        second_count = sorted(counts)[-2]
        if not remaining or max(counts) > second_count + remaining:
            return []  # nobody can catch up
        sentence = f"{capital(majority.words)} {self._score_text(counts)}"
        if own_count + remaining <= highest_count:
            return [Need(majority.key, f"{sentence}, {remaining} left")]
        # With this many more, the others cannot reach the same count even with all the rest.
        needed = max(0, (highest_count + remaining - own_count) // 2 + 1)
        verb = "wins" if needed == 1 else "win"
        return [Need(majority.key, f"{sentence}: {needed} more {verb} the {majority.points}")]

    def _card_needs(self, counted: CountedCards) -> list[Need]:
        piles = self.view["captured"]
        counts = [sum([card in counted.cards for card in pile]) for pile in piles]
        if sum(counts) >= counted.copies:
            return []
        text = f"{capital(counted.words)} +{counted.points}"
        if counted.copies > 1:
            text = f"{capital(counted.words)} {self._score_text(counts)}"
        held_signs = [card_sign(card) for card in self.view["hand"] if card in counted.cards]
        on_table = [
            card_sign(c) for item in self.view["table"] for c in item["cards"] if c in counted.cards
        ]
        place = "you hold" if held_signs else "on the table" if on_table else ""
        if place and counted.copies == 1:
            text += f", {'in your hand' if held_signs else place}"
        elif held_signs:
            text += f", you hold {join_words(held_signs)}"
        elif on_table:
            text += f", {join_words(on_table)} on the table"
        return [Need(counted.key, text)]

    def _counts_by_side(self, sides: Sequence[int]) -> list[int]:
        """How often each side occurs in `sides`."""
        return [sides.count(side) for side in range(len(self.view["sides"]))]

    def _score_text(self, counts: Sequence[int]) -> str:
        """The counts, that of the own side first: ``23 – 13``."""
        others = [str(n) for side, n in enumerate(counts) if side != self.own_side]
        return " – ".join([str(counts[self.own_side]), *others])
