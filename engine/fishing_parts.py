"""Splits moves of Cassino and Zwicker into parts: a card in the hand, and items or the table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from engine.cards import CardGroup
from engine.declarations import join_words
from engine.english import capital, card_parts, card_sign, card_signs, cards_label
from engine.fishing_needs import Scoring
from engine.move_parts import ENDS, Composed, Composer, MovePart, Need, Refusal, Refuse


def table_groups(view: Mapping[str, Any]) -> list[CardGroup]:
    """The loose cards of a view's table, then each build with its value below."""
    items = view["table"]
    loose_cards = tuple([item["cards"][0] for item in items if item["kind"] == "card"])
    builds = [
        CardGroup(
            str(item["value"]) if item["kind"] == "sum" else f"{item['rank']} {item['rank']}",
            tuple(item["cards"]),
            fanned=True,
        )
        for item in items
        if item["kind"] != "card"
    ]
    return [CardGroup("on the table", loose_cards), *builds]


class FishingComposer(Composer):
    """Splits a move into parts. `items`: the parts that stand for items on the table, by text."""

    clearing: str = ""  # the game's term for clearing the table
    one_card: str = ""  # clause: a seat plays one card per turn
    one_item: str = ""  # clause: a build is made on one item
    taking: str = ""  # clause: the items that a card takes
    laying: str = ""  # clause: laying a card on the table

    def __init__(self, rules: Any, view: Mapping[str, Any], names: Sequence[str]) -> None:
        super().__init__(rules, view, names)
        self.hand_cards: list[str] = view["hand"]
        self.table_ids: list[str] = [item["id"] for item in view["table"]]
        self.hand: dict[str, MovePart] = card_parts(self.hand_cards)
        self.items: dict[str, MovePart] = self._item_parts()
        self.table: MovePart = MovePart("table", "the table", (("table",),))
        self.scoring: Scoring = self.scores()

    def scores(self) -> Scoring:
        """The possible scores in this deal, as the seat knows them."""
        raise NotImplementedError

    def _item_parts(self) -> dict[str, MovePart]:
        """Parts for the items; equal items share one. Builds with equal names also list their
        cards."""
        items = {item["id"]: item for item in self.view["table"]}
        names_by_id = {key: self.item_words(item) for key, item in items.items()}
        counts = Counter(names_by_id.values())
        parts: dict[str, MovePart] = {}
        for key, item in items.items():
            name = names_by_id[key]
            if counts[name] > 1:
                name += f" ({card_signs(item['cards'])})"
            paths = tuple(
                [("table", index) for index, other in enumerate(self.table_ids) if other == key]
            )
            parts[key] = MovePart(f"item:{key}", name, paths)
        return parts

    def item_words(self, item: Mapping[str, Any]) -> str:
        """The words for an item in a sentence: ``7♥``, ``the build of nine``."""
        raise NotImplementedError

    def pickable_parts(self) -> list[MovePart]:
        return [*self.hand.values(), *self.items.values(), self.table]

    def trail(self, card: str, clause: str) -> Composed:
        """A card is laid on the table."""
        sentence = f"You lay {card_sign(card)} on the table."
        return self.with_warning(
            Composed(
                (self.hand[card], self.table),
                sentence,
                clause,
                label=f"Leave {cards_label([card])}",
                deed=f"leave {card_sign(card)} on the table",
                leads="It takes nothing, and others may take it.",
            )
        )

    def capture(self, card: str, items: Sequence[str], clause: str, *, clears: bool) -> Composed:
        """A card takes items; `clears`: whether clearing the table scores here."""
        parts = [self.items[item] for item in items]
        sentence = f"{capital(card_sign(card))} takes {join_words([part.words for part in parts])}."
        swept = len(items) == len(self.table_ids)
        if clears and swept:
            sentence += f" The table is empty: a {self.clearing}."
        taken_cards = [text for item in items for text in self.cards_of(item)]
        won_cards = [*taken_cards, card]
        return self.with_warning(
            Composed(
                (self.hand[card], *parts),
                sentence,
                clause,
                label=f"Take {cards_label(taken_cards)}",
                deed=f"take {join_words([part.words for part in parts])} with {card_sign(card)}",
                leads=self.scoring.points_sentence(won_cards, swept=clears and swept),
                decides=self.scoring.decided_need(won_cards, swept=clears and swept),
            )
        )

    def build(self, card: str, item: str, declared: str, value: str, clause: str) -> Composed:
        """A card is laid on an item to build `value`, which is written `declared` in moves."""
        item_part = self.items[item]
        sentence = f"You lay {card_sign(card)} on {item_part.words} and say {value}."
        choice = MovePart(f"choice:{declared}", f"say {value}")
        return self.with_warning(
            Composed(
                (self.hand[card], item_part, choice),
                sentence,
                clause,
                label=f"Build {value}: {cards_label([card])} on {cards_label(self.cards_of(item))}",
                leads=self._takers_sentence(card, declared, value),
                deed=f"build {value} with {card_sign(card)} on {item_part.words}",
            )
        )

    def _takers_sentence(self, card: str, declared: str, value: str) -> str:
        """A sentence on the cards that can take the build."""
        takers = [text for text in self.hand_cards if self.takes_build(text, declared)]
        if card in takers:
            takers.remove(card)
        if not takers:
            return f"Anybody with a card that takes {value} may take it."
        return (
            f"You hold {join_words([card_sign(text) for text in takers], 'or')} to take it later."
        )

    def takes_build(self, card: str, declared: str) -> bool:
        """Whether a card takes a build of the value `declared`."""
        raise NotImplementedError

    def cards_of(self, item: str) -> list[str]:
        cards: list[str] = self.view["table"][self.table_ids.index(item)]["cards"]
        return cards

    def needs(self) -> list[Need]:
        return self.scoring.needs()

    def prompt(self, legal: Sequence[str]) -> str:
        """A sentence about the choice: a card, and the items that it takes."""
        can_trail = any(move in self.hand for move in legal)
        return f"Pick a card and the items that it takes{', or the table' if can_trail else ''}."

    def with_warning(self, composed: Composed) -> Composed:
        """The move, with a warning if it plays the last card of the deal."""
        others = sum(self.view["hand_sizes"]) - len(self.hand_cards)
        if self.view["stock"] or others or len(self.hand_cards) > 1:
            return composed
        return composed._replace(effect=ENDS, warning="It is the last card: the deal ends.")

    def split(self, picked: Sequence[MovePart]) -> tuple[list[str], list[str], str]:
        """(names of the picked cards in the hand, names of the picked items, the last choice)."""
        cards = [part.name for part in picked if part.kind == "hand"]
        items = [part.name for part in picked if part.kind == "item"]
        choices = [part.name for part in picked if part.kind == "choice"]
        return cards, items, choices[-1] if choices else ""

    def spell(self, picked: Sequence[MovePart]) -> str:
        """The text of the trail, capture or build that has exactly these parts; else empty."""
        cards, items, declared = self.split(picked)
        if len(cards) != 1 or (self.table in picked and (items or declared)):
            return ""
        if declared:
            return f"{cards[0]}>{items[0]}{declared}" if len(items) == 1 else ""
        return f"{cards[0]}x{self.items_text(items)}" if items else ""

    def items_text(self, items: Sequence[str]) -> str:
        """The picked items in table order, as in the text of a capture."""
        return ",".join(sorted(items, key=self.table_ids.index))

    # ── refusals ─────────────────────────────────────────────────────────────────────────────────

    def why_not(self, picked: Sequence[MovePart], refuse: Refuse) -> Refusal | None:
        cards, items, declared = self.split(picked)
        if len(cards) > 1:
            return Refusal("You play only one card per turn.", self.one_card)
        if self.table in picked:
            return self.why_not_laid(cards, items)
        if declared and len(items) > 1:
            return Refusal("You can lay a card on only one item.", self.one_item)
        if declared:
            return (
                self.why_not_built(cards[0], items[0], declared, refuse)
                if cards and items
                else None
            )
        if cards:
            return self.why_not_taken_by(cards[0], items, refuse) if items else None
        if len(items) > 1:
            words = join_words([self.items[item].words for item in items])
            return Refusal(f"No card in your hand takes {words} together.", self.taking)
        return self.why_not_taken(items[0]) if items else None

    def why_not_laid(self, _cards: Sequence[str], _items: Sequence[str]) -> Refusal:
        """Why these cards cannot be laid on the table; if there are none, why the hand cannot."""
        sentence = "A card that you lay on the table takes nothing and builds nothing."
        return Refusal(sentence, self.laying)

    def why_not_built(self, card: str, item: str, declared: str, refuse: Refuse) -> Refusal | None:
        """Why laying `card` on `item` does not make a build of the value `declared`."""
        raise NotImplementedError

    def why_not_taken_by(self, card: str, items: Sequence[str], refuse: Refuse) -> Refusal | None:
        """Why `card` does not take `items`."""
        raise NotImplementedError

    def why_not_taken(self, item: str) -> Refusal:
        """Why no card in the hand takes the item or can be laid on it."""
        raise NotImplementedError
