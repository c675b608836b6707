"""Splits Zwicker's moves into parts that people pick, and explains refusals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from engine.cards import CODE
from engine.declarations import join_words
from engine.english import capital, card_sign, number_word
from engine.fishing_needs import CountedCards, Majority, Scoring
from engine.fishing_parts import FishingComposer
from engine.games.zwicker.items import CARD, parse_build
from engine.games.zwicker.options import JOKER, ZwickerRules
from engine.move_parts import Composed, Refusal, Refuse


class ZwickerComposer(FishingComposer):
    """Splits a move into a card, and items, the table, or the value of a build."""

    clearing = "zwick"
    one_card, one_item, taking = "ZWI-8", "ZWI-16", "ZWI-10"
    laying = "ZWI-15"
    rules: ZwickerRules

    def scores(self) -> Scoring:
        """The items that score, for the panel of needs (ZWI-38 to ZWI-40)."""
        packs = self.rules.packs
        counted = [
            CountedCards("ten_of_diamonds", card_sign("TD"), ["TD"], 10, packs),
            CountedCards("seven_of_diamonds", card_sign("7D"), ["7D"], 1, packs),
            CountedCards("seven_of_spades", card_sign("7S"), ["7S"], 1, packs),
            CountedCards("aces", "aces", ["AC", "AD", "AH", "AS"], 2, 4 * packs),
        ]
        if not self.rules.wild:
            for text, points in (("X30", 7), ("X25", 6), ("X20", 5), ("X15", 4)):
                counted.append(CountedCards(f"joker_{text}", card_sign(text), [text], points, 1))
        cards = 52 * packs + len(self.rules.jokers)
        majorities = [Majority("cards", "cards", frozenset(), 1, cards)]
        return Scoring(self.view, counted, majorities, ("zwicks", "zwick", 3))

    def takes_build(self, card: str, declared: str) -> bool:
        """Whether a card takes a build declared ``=value`` (ZWI-10)."""
        return int(declared[1:]) in self.rules.values[CODE[card]]

    def item_words(self, item: Mapping[str, Any]) -> str:
        """The name of an item in sentences: ``7♦``, ``the build of nine``."""
        if item["kind"] == "card":
            return card_sign(item["id"])
        return f"the build of {number_word(item['value'])}"

    def compose(self, move: str) -> Composed:
        """Split and describe a trail, a capture or a build, given as text (ZWI-47)."""
        card_match = CARD.match(move)
        card = card_match[0] if card_match else ""
        kind, body = move[len(card) : len(card) + 1], move[len(card) + 1 :]
        if not kind:
            return self.trail(card, "ZWI-15")
        if kind == "x":
            clears = CODE[card] != JOKER or self.rules.joker_zwick  # ZWI-26
            return self.capture(card, body.split(","), "ZWI-10", clears=clears)
        item, _, value = body.rpartition("=")
        return self.build(card, item, f"={value}", number_word(int(value)), "ZWI-16")

    # ── why not ──────────────────────────────────────────────────────────────────────────────────

    def why_not_taken(self, item: str) -> Refusal:
        words = self.items[item].words
        if self.rules.joker_table == "never" and self._has_joker(item):
            return Refusal(f"{capital(words)} stays. {_JOKERS['ZWI-24']}", "ZWI-24")
        return Refusal(f"{capital(words)} stays. No card in your hand takes it.", "ZWI-10")

    def why_not_laid(self, cards: Sequence[str], items: Sequence[str]) -> Refusal:
        """Why cards cannot be laid on the table: with ``trail=forced``, they must take (ZWI-15)."""
        if not cards and not items:
            reason = "Each card in your hand can take something, so you may not"
            return Refusal(f"{reason} lay any of them on the table here.", "ZWI-15")
        if cards:
            reason = "It can take something, so you may not lay it on the table here."
            return Refusal(f"{capital(card_sign(cards[0]))} stays in your hand. {reason}", "ZWI-15")
        return super().why_not_laid(cards, items)

    def why_not_taken_by(self, card: str, items: Sequence[str], refuse: Refuse) -> Refusal:
        error = refuse(f"{card}x{self.items_text(items)}")
        clause = error.clause if error else ""
        if clause == "ZWI-27":
            return Refusal("Here a joker takes only one item.", "ZWI-27")
        if len(items) > 1:
            words = join_words([self.items[item].words for item in items])
            reason = "they cannot be divided into groups of one value that it can have"
            return Refusal(
                f"{capital(card_sign(card))} does not take {words} together: {reason}.", "ZWI-13"
            )
        words = capital(self.items[items[0]].words)
        if clause in _JOKERS:
            return Refusal(f"{words} stays. {_JOKERS[clause]}", clause)
        card_values = self.rules.values[CODE[card]]
        if min(self._values(items[0])) > max(card_values):
            return Refusal(f"{words} stays. It is more than {card_sign(card)} takes.", "ZWI-10")
        numbers = "a value it can have"
        if card != "X":
            numbers = join_words([number_word(value) for value in card_values], "or")
        return Refusal(f"{words} stays. No other items make {numbers} together with it.", "ZWI-10")

    def why_not_built(self, card: str, item: str, declared: str, refuse: Refuse) -> Refusal | None:
        error = refuse(f"{card}>{item}{declared}")
        if error is None:
            return None
        value = number_word(int(declared[1:]))
        if error.clause == "ZWI-36":
            reason = f"You cannot build {value}, because you would keep no card that takes it."
            return Refusal(reason, "ZWI-36")
        words = self.items[item].words
        return Refusal(
            f"{capital(card_sign(card))} on {words} does not make {value}.", error.clause
        )

    def _values(self, item: str) -> Sequence[int]:
        """The possible values of an item in a sum."""
        parsed = parse_build(item)
        return self.rules.values[CODE[item]] if parsed is None else (parsed[1],)

    def _has_joker(self, item: str) -> bool:
        parsed = parse_build(item)
        return JOKER in (parsed[0] if parsed else [CODE[item]])


_JOKERS = {
    "ZWI-24": "Here an item with a joker in it cannot be taken.",
    "ZWI-25": "Here only a joker can take an item with a joker in it.",
}
