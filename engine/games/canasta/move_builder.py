"""Splits Canasta's moves into parts that people pick, step by step (CAN-12).

Moves use kinds, not cards (CAN-84), so all kings of a hand are one part, which a move may name
several times. whynot.py explains refusals.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from engine.cards import CODE
from engine.declarations import join_words
from engine.english import article, card_sign, cards_label, count_of, number_word
from engine.games.canasta import moves, needs, whynot
from engine.games.canasta.card_kinds import (
    BLACK,
    JOKER,
    KIND,
    KINDS,
    POINTS,
    RANKED,
    RED,
    SYMBOLS,
    TWO,
    freezes,
    is_wild,
    kind_name,
    kind_names,
)
from engine.games.canasta.needs import CANASTA
from engine.games.canasta.options import CanastaRules
from engine.games.canasta.scoring import BONUS
from engine.move_parts import (
    BINDS,
    DONE,
    ENDS,
    NEXT,
    NOW,
    OUT,
    Composed,
    Composer,
    MovePart,
    Need,
    Path,
    Refusal,
    Refuse,
    TurnStep,
)

_STEPS = (("draw", "draw or take the pile"), ("meld", "meld"), ("discard", "discard"))
_NATURAL_FIRST = (*[kind for kind in range(KINDS) if not is_wild(kind)], TWO, JOKER)
_GOES_OUT = "You go out with this, and the deal ends."


class CanastaComposer(Composer):
    """Splits a move into cards, by kind, and the stock, the pile or melds."""

    rules: CanastaRules

    def __init__(self, rules: CanastaRules, view: Mapping[str, Any], names: Sequence[str]) -> None:
        super().__init__(rules, view, names)
        self.kinds: list[int] = [KIND[CODE[card]] for card in view["hand"]]
        self.side: int = self._own_side()
        self.top: int = KIND[CODE[view["pile"]["top"]]] if view["pile"]["top"] else -1
        self.hand: dict[int, MovePart] = self._hand_parts()
        self.melds: dict[str, MovePart] = self._meld_parts()
        self.stock: MovePart = MovePart("stock", "the stock", (("stock",),))
        self.pile: MovePart = MovePart("pile", "the pile", (("pile",),))
        self.new: MovePart = MovePart("new:meld", "a new meld", (("melds", self.side),))
        self.melding: bool = view["phase"] == moves.PHASE_MELD

    def _own_side(self) -> int:
        sides = [index for index, side in enumerate(self.view["sides"]) if self.seat in side]
        return sides[0] if sides else 0  # a resting seat is on no playing side

    def _hand_parts(self) -> dict[int, MovePart]:
        """The parts of the hand's cards, by kind."""
        paths: dict[int, list[Path]] = {}
        for index, kind in enumerate(self.kinds):
            paths.setdefault(kind, []).append(("hand", index))
        return {
            kind: MovePart(f"hand:{SYMBOLS[kind]}", article(kind_name(kind)), tuple(kind_paths))
            for kind, kind_paths in paths.items()
        }

    def _meld_parts(self) -> dict[str, MovePart]:
        """The parts of all melds, by side, rank and number: ``0:K``, ``1:K#2``."""
        parts: dict[str, MovePart] = {}
        for side, melds in enumerate(self.view["melds"]):
            numbers: Counter[str] = Counter()
            for index, meld in enumerate(melds):
                rank = meld["rank"]
                numbers[rank] += 1
                name = meld_name(side, rank, numbers[rank])
                words = f"{self._owner_text(side)} {kind_names(SYMBOLS.index(rank))}"
                if numbers[rank] > 1:
                    words += f" (meld {numbers[rank]})"
                parts[name] = MovePart(f"meld:{name}", words, (("melds", side, index),))
        return parts

    def _owner_text(self, side: int) -> str:
        if side == self.side:
            return "your"
        return f"{join_words([self.names[seat] for seat in self.view['sides'][side]])}'s"

    def pickable_parts(self) -> list[MovePart]:
        """The hand, stock and pile, and all melds."""
        stock = [self.stock] if self.view["stock"] else []
        return [*self.hand.values(), *stock, self.pile, *self.melds.values()]

    def steps(self) -> list[TurnStep]:
        """The steps of a turn (CAN-12)."""
        if self.view["phase"] == moves.PHASE_ANSWER:
            return [TurnStep("answer", "answer", NOW)]
        states = (DONE, NOW, NEXT) if self.melding else (NOW, NEXT, NEXT)
        return [TurnStep(*step, state) for step, state in zip(_STEPS, states, strict=True)]

    # ── moves ────────────────────────────────────────────────────────────────────────────────────

    def compose(self, move: str) -> Composed:
        """Split and describe a move, given as text (CAN-82)."""
        composed = self._composed(move)
        return composed._replace(deed=composed.label[:1].lower() + composed.label[1:])

    def _composed(self, move: str) -> Composed:
        if move == "draw":
            return self._draw()
        if move == "pass":
            return self._pass()
        if move in ("yes", "no"):
            return self._answer(move)
        if move == "R":
            parts = (self.hand[RED], MovePart("red3", "your red threes", (("red3", self.seat),)))
            card = self._lowest([RED])
            leads = "It counts for your side at the end."
            return Composed(
                parts,
                "You table a red three.",
                "CAN-24",
                step="meld",
                label=f"Table {cards_label(card)}",
                leads=leads,
            )
        if move[0] == "-":
            return self._discard(SYMBOLS.index(move[1]))
        if move[:3] == "ask":
            return self._ask(move)
        name, _, cards = move.partition(":")
        kinds = [SYMBOLS.index(card) for card in cards]
        number = int(name.partition("#")[2] or "1")
        if move[:4] == "take":
            return self._take(number, kinds)
        return self._meld(SYMBOLS.index(move[0]), number, kinds)

    def _draw(self) -> Composed:
        """Describe the draw (CAN-16). The last stock card may be a red three (CAN-63)."""
        count = min(self.rules.draw, self.view["stock"])
        sentence = f"You draw {article('card') if count == 1 else number_word(count) + ' cards'}."
        warning = ""
        last = self.rules.last3 in ("end", "untabled") and not self.rules.red3discard
        if last and count == self.view["stock"]:
            warning = "It is the last card of the stock. A red three ends the deal immediately."
        label = "Draw a card" if count == 1 else f"Draw {number_word(count)} cards"
        leads = "Then you meld, or discard a card."
        return Composed((self.stock,), sentence, "CAN-16", "", warning, "draw", label, leads)

    def _pass(self) -> Composed:
        """Describe a pass (CAN-60, CAN-63, CAN-64)."""
        part = (MovePart("choice:pass", "pass"),)
        if self.melding and self.view["step"]["discard"] and self.view["stock"]:
            sentence = "You end your turn without a discard."
            return Composed(
                part,
                sentence,
                "CAN-64",
                step="discard",
                label="End the turn",
                leads="You keep all your cards.",
            )
        step, clause = ("discard", "CAN-63") if self.melding else ("draw", "CAN-60")
        warning, leads = "You pass, and the deal ends.", "Nobody goes out."
        return Composed(part, "You pass.", clause, ENDS, warning, step, "Pass", leads)

    def _answer(self, move: str) -> Composed:
        """Describe the answer to a partner's question (CAN-57)."""
        asker = self.names[self.view["turn"]]
        duty = "must go out" if move == "yes" else "may not go out"
        warning = f"Your answer binds: {asker} {duty} in this turn."
        part = (MovePart(f"choice:{move}", move),)
        leads = f"{asker} {duty} in this turn."
        label = f"Say {move}"
        sentence = f"You say {move} to {asker}."
        return Composed(part, sentence, "CAN-57", BINDS, warning, "answer", label, leads)

    def _ask(self, move: str) -> Composed:
        """Describe the question to a partner (CAN-56 to CAN-58)."""
        partners = [seat for seat in self.view["sides"][self.side] if seat in self.view["chairs"]]
        others = [seat for seat in partners if seat != self.seat]
        seat_text = move.partition(":")[2]
        partner = self.names[int(seat_text) if seat_text else others[0]]
        warning = "The answer binds: after yes you must go out in this turn, after no you may not."
        part = (MovePart(f"choice:{move}", f"ask {partner}"),)
        sentence = f"You ask {partner} whether you may go out."
        leads = f"{partner} decides whether you go out in this turn."
        return Composed(part, sentence, "CAN-56", BINDS, warning, "meld", f"Ask {partner}", leads)

    def _discard(self, kind: int) -> Composed:
        """Describe a discard (CAN-13), which may freeze the pile (CAN-25)."""
        sentence = f"You discard {article(kind_name(kind))}."
        if freezes(kind) and not self.view["pile"]["frozen"]:
            sentence += " It freezes the pile."
        card = self._lowest([kind])
        frozen = freezes(kind) and not self.view["pile"]["frozen"]
        ends = "It freezes the pile, and your turn ends" if frozen else "Your turn ends"
        composed = Composed(
            (self.hand[kind], self.pile),
            sentence,
            "CAN-13",
            step="discard",
            label=f"Discard {cards_label(card)}",
            leads=f"{ends}: you keep {count_of(len(self.kinds) - 1, 'card')}.",
        )
        if len(self.kinds) == 1:
            return composed._replace(effect=OUT, warning=_GOES_OUT)
        if self.view["stock"]:
            return composed
        if self.rules.stop:
            return composed._replace(effect=ENDS, warning="The stock is empty: the deal ends.")
        warning = "The stock is empty: the deal ends unless the next seat takes the pile."
        return composed._replace(warning=warning)

    def _take(self, number: int, kinds: Sequence[int]) -> Composed:
        """Describe a move that takes the pile (CAN-17, CAN-27 to CAN-29)."""
        pile = self.view["pile"]
        name = meld_name(self.side, SYMBOLS[self.top], number)
        meld = self.melds.get(name, self.new)
        size = "the pile" if pile["size"] == 1 else f"the pile of {pile['size']} cards"
        top = card_sign(pile["top"])
        if kinds:
            sentence = f"You take {size}: {top} with {counted_words(kinds)}"
            sentence += "" if meld is self.new else f", added to {meld.words}"
        else:
            sentence = f"You take {size} and lay {top} off on {meld.words}"
        worth = POINTS[self.top] if self.rules.topcounts else 0
        composed = Composed(
            (self.pile, *[self.hand[kind] for kind in kinds], meld),
            f"{sentence}.{self._missing(kinds, worth)}",
            "CAN-17" if kinds else "CAN-29",
            step="draw",
            label=f"Take the pile{' with ' + cards_label(self._lowest(kinds)) if kinds else ''}",
            leads=self._pile_leads(kinds, worth),
            decides=self._decided(self.top, number),
        )
        out = len(kinds) == len(self.kinds) and pile["size"] == 1
        return composed._replace(effect=OUT, warning=_GOES_OUT) if out else composed

    def _meld(self, kind: int, number: int, kinds: Sequence[int]) -> Composed:
        """Describe a meld (CAN-36, CAN-40, CAN-44)."""
        name = meld_name(self.side, SYMBOLS[kind], number)
        meld = self.melds.get(name, self.new)
        cards = counted_words(kinds)
        sentence = f"You meld {cards}." if meld is self.new else f"You add {cards} to {meld.words}."
        sentence += self._canasta(meld, len(kinds)) + self._missing(kinds, 0)
        parts = (*[self.hand[card] for card in kinds], meld)
        verb, suffix = ("Meld", "") if meld is self.new else ("Add", f" to {meld.words}")
        composed = Composed(
            parts,
            sentence,
            "CAN-36",
            step="meld",
            label=f"{verb} {cards_label(self._lowest(kinds))}{suffix}",
            leads=self._meld_leads(meld, kinds),
            decides=self._decided(kind, number),
        )
        if len(kinds) == len(self.kinds) and not self.view["step"]["pending"]:
            return composed._replace(effect=OUT, warning=_GOES_OUT)
        if kind == BLACK:
            warning = "Black threes bind: you must go out in this turn."
            return composed._replace(clause="CAN-40", effect=BINDS, warning=warning)
        return composed

    def _lowest(self, kinds: Sequence[int]) -> list[str]:
        """The hand's cards that a move with these kinds uses: the lowest of each (CAN-84)."""
        hand: list[str] = sorted(self.view["hand"], key=CODE.__getitem__)
        lowest_cards = []
        for kind in kinds:
            card = next(text for text in hand if KIND[CODE[text]] == kind)
            hand.remove(card)
            lowest_cards.append(card)
        return lowest_cards

    def _pile_leads(self, kinds: Sequence[int], worth: int) -> str:
        other_count = self.view["pile"]["size"] - 1
        sentence = f"{count_of(other_count, 'card')} from the pile go into your hand."
        if other_count == 1:
            sentence = "The other card in the pile goes into your hand."
        missing = self._missing(kinds, worth)
        return f"{sentence if other_count else 'No other card lies in the pile.'}{missing}"

    def _meld_leads(self, meld: MovePart, kinds: Sequence[int]) -> str:
        """A sentence about the points of the first meld, or the size of the meld, afterwards."""
        need: int = self.view["step"]["need"]
        if need > 0:
            minimum = self._minimum()
            points_now = minimum - need
            points_after = points_now + sum([POINTS[kind] for kind in kinds])
            enough = " That is enough." if points_after >= minimum else ""
            return f"{points_now} of {minimum} points now, {points_after} with these.{enough}"
        size, wild = 0, any(is_wild(kind) for kind in kinds)
        if meld is not self.new:
            _, side, index = meld.where[0]
            cards = self.view["melds"][side][index]["cards"]
            size = len(cards)
            wild = wild or any(is_wild(KIND[CODE[card]]) for card in cards)
        points_after = size + len(kinds)
        if size < CANASTA <= points_after:
            name = "mixed" if wild else "natural"
            return f"A {name} canasta: {BONUS[name]} points."
        return (
            f"{points_after} of {CANASTA} for a canasta."
            if points_after < CANASTA
            else "The canasta grows."
        )

    def _minimum(self) -> int:
        """The minimum points of the first meld of the side; in `1v2`, of the seat (CAN-33)."""
        minimum: int = self.view["minimum"][self.seat if self.rules.finds_sides else self.side]
        return minimum

    def _decided(self, kind: int, number: int) -> str:
        """The key of the need that a meld of this kind advances."""
        if self.view["step"]["need"] > 0:
            return "first"
        return needs.key_of(SYMBOLS[kind], number) if kind in RANKED else ""

    # ── several melds in one go ──────────────────────────────────────────────────────────────────

    def chains(self, move: str) -> bool:
        """Whether the move melds, and the hand has more cards for the meld."""
        name, _, cards = move.partition(":")
        if not cards or name[:3] in ("ask", "tak"):
            return False
        used = Counter([SYMBOLS.index(card) for card in cards])
        remaining = Counter(self.kinds) - used
        return bool(remaining[SYMBOLS.index(name[0])] or remaining[TWO] or remaining[JOKER])

    def together(self, moves: Sequence[str], legal: Sequence[str]) -> list[str]:
        """The legal additions of single cards to the meld of `moves` (CAN-41, CAN-82).

        Only cards of the current hand count. A first meld that reaches the minimum may bring others
        from the pile (CAN-35).
        """
        name = moves[0].partition(":")[0]
        remaining = Counter(self.kinds) - Counter(_melded(moves))
        additions = [move for move in legal if move.partition(":")[0] == name]
        return [move for move in additions if move != name and remaining[SYMBOLS.index(move[-1])]]

    def compose_all(self, moves: Sequence[str]) -> Composed:
        """A single meld of all these cards."""
        name = moves[0].partition(":")[0]
        kinds = sorted(_melded(moves), key=_NATURAL_FIRST.index)
        return self._meld(SYMBOLS.index(name[0]), int(name.partition("#")[2] or "1"), kinds)

    # ── what counts ──────────────────────────────────────────────────────────────────────────────

    def needs(self) -> list[Need]:
        """The side's first meld; after it, the cards that its melds lack to become canastas."""
        if self.seat not in self.view["chairs"]:
            return []  # a resting seat
        adds = {part.key: POINTS[kind] for kind, part in self.hand.items() if kind != RED}
        if self.rules.topcounts and self.top >= 0 and not self.melding:
            adds[self.pile.key] = POINTS[self.top]  # CAN-34
        return needs.needs_of_side(self.view, self.side, self._minimum(), self.rules.canastas, adds)

    def prompt(self, legal: Sequence[str]) -> str:
        """A sentence about the step of the turn and its alternatives."""
        return needs.prompt(self.view, legal)

    def _canasta(self, meld: MovePart, added: int) -> str:
        """A sentence if a meld of the table becomes a canasta, else empty."""
        if meld is self.new:
            return ""
        _, side, index = meld.where[0]
        size = len(self.view["melds"][side][index]["cards"])
        return " It becomes a canasta." if size < CANASTA <= size + added else ""

    def _missing(self, kinds: Sequence[int], worth: int) -> str:
        """A sentence about the points that the first meld lacks after these cards; else empty."""
        need: int = self.view["step"]["need"]
        missing = need - worth - sum([POINTS[kind] for kind in kinds])
        if need <= 0 or missing <= 0:
            return ""
        return f" Your first meld still needs {count_of(missing, 'point')}."

    # ── why not ──────────────────────────────────────────────────────────────────────────────────

    def why_not(self, picked: Sequence[MovePart], refuse: Refuse) -> Refusal | None:
        facts = whynot.TurnFacts(
            self.view, self.side, self.top, Counter(self.kinds), self._minimum()
        )
        return whynot.why_not(facts, picked, refuse)


def _melded(moves: Sequence[str]) -> list[int]:
    """The kinds of the cards that several melds use."""
    return [SYMBOLS.index(card) for move in moves for card in move.partition(":")[2]]


def meld_name(side: int, rank: str, number: int) -> str:
    """The name of a meld's part: ``0:K``, or ``0:K#2`` for the side's second meld of kings."""
    return f"{side}:{rank}" + (f"#{number}" if number > 1 else "")


def counted_words(kinds: Sequence[int]) -> str:
    """Cards as a phrase: ``two kings and a joker``."""
    counts = Counter(kinds)
    return join_words(
        [
            article(kind_name(kind)) if count == 1 else f"{number_word(count)} {kind_names(kind)}"
            for kind, count in counts.items()
        ]
    )
