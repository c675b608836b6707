"""Splits Cassino's moves into parts that people pick, and explains refusals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from engine.cards import CODE, RANKS, TEXT
from engine.declarations import join_words
from engine.english import article, capital, card_sign, number_word, rank_name, rank_plural
from engine.fishing_needs import CountedCards, Majority, Scoring
from engine.fishing_parts import FishingComposer
from engine.games.cassino.items import parse_build
from engine.games.cassino.options import CassinoRules
from engine.move_parts import MATCH, Composed, MovePart, Refusal, Refuse


class CassinoComposer(FishingComposer):
    """Splits a move into a card, and items, the table, or the declaration of a build."""

    clearing = "sweep"
    one_card, one_item, taking = "CAS-6", "CAS-22", "CAS-9"
    laying = "CAS-26"
    rules: CassinoRules

    def scores(self) -> Scoring:
        """The items that score, for the panel of needs (CAS-29 to CAS-32)."""
        spades = [TEXT[card] for card in range(3, 52, 4)]
        rules = self.rules
        counted = [CountedCards("big_cassino", card_sign("TD"), ["TD"], 2, 1)]
        if not rules.spade or rules.spade_plus:
            counted.append(CountedCards("little_cassino", card_sign("2S"), ["2S"], 1, 1))
        aces = ["AC", "AD", "AH", *([] if rules.spade and not rules.spade_plus else ["AS"])]
        counted.append(CountedCards("aces", "aces", aces, 1, len(aces)))
        majorities = [Majority("cards", "cards", frozenset(), 3, 52)]
        if rules.spade:
            counted.append(CountedCards("spades", "spades", spades, 1, len(spades)))
        else:
            majorities.append(Majority("spades", "spades", frozenset(spades), 1, len(spades)))
        swept = ("sweeps", "sweep", int(rules.sweeps))
        return Scoring(self.view, counted, majorities, swept)

    def takes_build(self, card: str, declared: str) -> bool:
        """Whether a card takes a build declared ``=number`` (CAS-18) or ``:rank`` (CAS-17)."""
        rank = CODE[card] >> 2
        if declared[0] == "=":
            return self.rules.takes[rank] == int(declared[1:])
        return rank == RANKS.index(declared[1])

    def item_words(self, item: Mapping[str, Any]) -> str:
        """The name of an item in sentences: ``7♦``, ``the build of nine``."""
        if item["kind"] == "card":
            return card_sign(item["id"])
        if item["kind"] == "pair":
            return f"the build of {rank_plural(RANKS.index(item['rank']))}"
        return f"the build of {number_word(item['value'])}"

    def compose(self, move: str) -> Composed:
        """Split and describe a trail, a capture, a build or a claim, given as text (CAS-45)."""
        if move == "out":
            warning = "The match ends immediately. If the claim is wrong, your side loses."
            claim = MovePart("choice:out", "claim the win")
            sentence = "You claim the win."
            leads = f"You win if your side is sure to have {self.rules.target} points."
            return Composed(
                (claim,),
                sentence,
                "CAS-36",
                MATCH,
                warning,
                label="Claim the win",
                leads=leads,
                deed="claim the win",
            )
        card, kind, body = move[:2], move[2:3], move[3:]
        if not kind:
            return self.trail(card, "CAS-26")
        if kind == "x":
            return self.capture(card, body.split(","), "CAS-9", clears=True)
        item_end = body.rfind("]") + 1 or 2
        declared = body[item_end:]  # the same card on the same item may be two builds (CAS-23)
        clause = "CAS-18" if declared[0] == "=" else "CAS-17"
        return self.build(card, body[:item_end], declared, _value_text(declared), clause)

    # ── why not ──────────────────────────────────────────────────────────────────────────────────

    def why_not_taken(self, item: str) -> Refusal:
        words = self.items[item].words
        rank = self._rank_only(item)
        reason, clause = "No card in your hand takes it, alone or with others.", "CAS-9"
        if rank >= 0:
            taker, clause = article(rank_name(rank)), self._rank_clause(item)
            reason = f"only {taker} takes it, and you have none."
            reason = (
                f"{capital(taker)} has no number: {reason}" if item in CODE else capital(reason)
            )
        return Refusal(f"{capital(words)} stays. {reason}", clause)

    def why_not_taken_by(self, card: str, items: Sequence[str], refuse: Refuse) -> Refusal:
        error = refuse(f"{card}x{self.items_text(items)}")
        rank = CODE[card] >> 2
        if error is not None and error.clause == "CAS-13":
            return Refusal(f"Here a face may not take exactly two {rank_plural(rank)}.", "CAS-13")
        if len(items) == 1:
            return self._single_refusal(rank, items[0])
        words = join_words([self.items[item].words for item in items])
        sums = f"they cannot be divided into groups of {number_word(self.rules.takes[rank])}"
        return Refusal(f"{card_sign(card)} does not take {words} together: {sums}.", "CAS-11")

    def _single_refusal(self, rank: int, item: str) -> Refusal:
        """A refusal: a card of `rank` can neither take `item` alone nor be laid on it."""
        words, only_rank = capital(self.items[item].words), self._rank_only(item)
        number, value = self.rules.takes[rank], self._value(item)
        clause = "CAS-9"
        if only_rank >= 0 and only_rank != rank:
            taker = article(rank_name(only_rank))
            reason, clause = f"Only {taker} takes it.", self._rank_clause(item)
            if item in CODE:
                reason = f"{capital(taker)} has no number, so only {taker} takes it."
        elif not number:
            name, clause = rank_name(rank), "CAS-13"
            reason = f"{capital(article(name))} has no number and takes only {name}s."
        elif value > number:
            reason = f"It is more than {article(rank_name(rank))} takes."
        else:
            reason = f"No other items make {number_word(number)} together with it."
        return Refusal(f"{words} stays. {reason}", clause)

    def why_not_built(self, card: str, item: str, declared: str, refuse: Refuse) -> Refusal | None:
        error = refuse(f"{card}>{item}{declared}") if declared != "out" else None
        if error is None:
            return None
        value = _value_text(declared)
        words = self.items[item].words
        return Refusal(f"{card_sign(card)} on {words} does not make {value}.", error.clause)

    def _value(self, item: str) -> int:
        """The number of an item in sums; 0 if it has none."""
        return self.view["table"][self.table_ids.index(item)].get("value") or 0

    def _rank_only(self, item: str) -> int:
        """The rank of the only cards that take an item (CAS-13, CAS-17); -1 if it has a number."""
        parsed = parse_build(item)
        if parsed is not None:
            return parsed[2]
        return -1 if self._value(item) else CODE[item] >> 2

    def _rank_clause(self, item: str) -> str:
        return "CAS-13" if item in CODE else "CAS-17"


def _value_text(declared: str) -> str:
    """The declared value of a build as a word: ``nine`` for ``=9``, ``fours`` for ``:4``."""
    if declared[0] == "=":
        return number_word(int(declared[1:]))
    return rank_plural(RANKS.index(declared[1]))
