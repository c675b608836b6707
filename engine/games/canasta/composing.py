"""What people pick in Canasta, step by step (CAN-12), and what a step brings.

Rules know kinds, not cards (CAN-84): so all kings of a hand are one part, of which a move may need
several. Why something cannot be played: whynot.py.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from engine.cards import CODE
from engine.declarations import listed
from engine.english import article, count_of, number_word, sign
from engine.games.canasta import moves, whynot
from engine.games.canasta.card_kinds import (
    BLACK,
    KIND,
    POINTS,
    RED,
    SYMBOLS,
    freezes,
    kind_name,
    kind_names,
)
from engine.games.canasta.options import Rules
from engine.parts import (
    BINDS,
    DONE,
    ENDS,
    NEXT,
    NOW,
    OUT,
    Composed,
    Composer,
    Part,
    Path,
    Refusal,
    Refuse,
    Step,
)

_STEPS = (("draw", "draw or take the pile"), ("meld", "meld"), ("discard", "discard"))
_GOES_OUT = "You go out with this, and the deal ends."


class CanastaComposer(Composer):
    """Canasta's moves taken apart: cards by their kind, and stock, pile, melds."""

    rules: Rules

    def __init__(self, rules: Rules, view: Mapping[str, Any], names: Sequence[str]) -> None:
        super().__init__(rules, view, names)
        self.kinds: list[int] = [KIND[CODE[card]] for card in view["hand"]]
        self.side: int = self._own_side()
        self.top: int = KIND[CODE[view["pile"]["top"]]] if view["pile"]["top"] else -1
        self.hand: dict[int, Part] = self._hand_parts()
        self.melds: dict[str, Part] = self._meld_parts()
        self.stock: Part = Part("stock", "the stock", (("stock",),))
        self.pile: Part = Part("pile", "the pile", (("pile",),))
        self.new: Part = Part("new:meld", "a new meld", (("melds", self.side),))
        self.melding: bool = view["phase"] == moves.MELDING

    def _own_side(self) -> int:
        sides = [at for at, side in enumerate(self.view["sides"]) if self.seat in side]
        return sides[0] if sides else 0  # who rests is on no side that plays

    def _hand_parts(self) -> dict[int, Part]:
        """The cards of the hand by their kind."""
        where: dict[int, list[Path]] = {}
        for at, kind in enumerate(self.kinds):
            where.setdefault(kind, []).append(("hand", at))
        return {
            kind: Part(f"hand:{SYMBOLS[kind]}", article(kind_name(kind)), tuple(at))
            for kind, at in where.items()
        }

    def _meld_parts(self) -> dict[str, Part]:
        """All melds by side, rank and number: ``0:K``, ``1:K#2``."""
        parts: dict[str, Part] = {}
        for side, melds in enumerate(self.view["melds"]):
            numbers: Counter[str] = Counter()
            for at, meld in enumerate(melds):
                rank = meld["rank"]
                numbers[rank] += 1
                name = meld_name(side, rank, numbers[rank])
                words = f"{self._whose(side)} {kind_names(SYMBOLS.index(rank))}"
                if numbers[rank] > 1:
                    words += f" (meld {numbers[rank]})"
                parts[name] = Part(f"meld:{name}", words, (("melds", side, at),))
        return parts

    def _whose(self, side: int) -> str:
        if side == self.side:
            return "your"
        return f"{listed([self.names[seat] for seat in self.view['sides'][side]])}'s"

    def things(self) -> list[Part]:
        """The hand, stock and pile, all melds."""
        drawn = [self.stock] if self.view["stock"] else []
        return [*self.hand.values(), *drawn, self.pile, *self.melds.values()]

    def steps(self) -> list[Step]:
        """CAN-12."""
        if self.view["phase"] == moves.ANSWER:
            return [Step("answer", "answer", NOW)]
        states = (DONE, NOW, NEXT) if self.melding else (NOW, NEXT, NEXT)
        return [Step(*step, state) for step, state in zip(_STEPS, states, strict=True)]

    # ── moves ────────────────────────────────────────────────────────────────────────────────────

    def compose(self, move: str) -> Composed:
        """CAN-82."""
        if move == "draw":
            return self._draw()
        if move == "pass":
            return self._pass()
        if move in ("yes", "no"):
            return self._answer(move)
        if move == "R":
            tabled = (self.hand[RED], Part("red3", "your red threes", (("red3", self.seat),)))
            return Composed(tabled, "You table a red three.", "CAN-24", step="meld")
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
        """CAN-16. CAN-63: a red three may be the last stock card."""
        count = min(self.rules.draw, self.view["stock"])
        said = f"You draw {article('card') if count == 1 else number_word(count) + ' cards'}."
        warning = ""
        last = self.rules.last3 in ("end", "untabled") and not self.rules.red3discard
        if last and count == self.view["stock"]:
            warning = "It is the last of the stock: if it is a red three, the deal ends at once."
        return Composed((self.stock,), said, "CAN-16", "", warning, "draw")

    def _pass(self) -> Composed:
        """CAN-60, CAN-63, CAN-64."""
        part = (Part("choice:pass", "pass"),)
        if self.melding and self.view["step"]["discard"] and self.view["stock"]:
            return Composed(part, "You end your turn without a discard.", "CAN-64", step="discard")
        step, clause = ("discard", "CAN-63") if self.melding else ("draw", "CAN-60")
        return Composed(part, "You pass.", clause, ENDS, "You pass, and the deal ends.", step)

    def _answer(self, move: str) -> Composed:
        """CAN-57."""
        asker = self.names[self.view["turn"]]
        duty = "must go out" if move == "yes" else "may not go out"
        warning = f"Your answer binds: {asker} {duty} in this turn."
        part = (Part(f"choice:{move}", move),)
        return Composed(part, f"You say {move} to {asker}.", "CAN-57", BINDS, warning, "answer")

    def _ask(self, move: str) -> Composed:
        """CAN-56 to CAN-58."""
        partners = [seat for seat in self.view["sides"][self.side] if seat in self.view["chairs"]]
        others = [seat for seat in partners if seat != self.seat]
        named = move.partition(":")[2]
        asked = self.names[int(named) if named else others[0]]
        warning = "The answer binds: after yes you must go out in this turn, after no you may not."
        part = (Part(f"choice:{move}", f"ask {asked}"),)
        said = f"You ask {asked} whether you may go out."
        return Composed(part, said, "CAN-56", BINDS, warning, "meld")

    def _discard(self, kind: int) -> Composed:
        """CAN-13, CAN-25."""
        said = f"You discard {article(kind_name(kind))}."
        if freezes(kind) and not self.view["pile"]["frozen"]:
            said += " It freezes the pile."
        composed = Composed((self.hand[kind], self.pile), said, "CAN-13", step="discard")
        if len(self.kinds) == 1:
            return composed._replace(effect=OUT, warning=_GOES_OUT)
        if self.view["stock"]:
            return composed
        if self.rules.stop:
            return composed._replace(effect=ENDS, warning="The stock is empty: the deal ends.")
        warning = "The stock is empty: the deal ends unless the next seat takes the pile."
        return composed._replace(warning=warning)

    def _take(self, number: int, kinds: Sequence[int]) -> Composed:
        """CAN-17, CAN-27 to CAN-29."""
        pile = self.view["pile"]
        name = meld_name(self.side, SYMBOLS[self.top], number)
        meld = self.melds.get(name, self.new)
        size = "the pile" if pile["size"] == 1 else f"the pile of {pile['size']} cards"
        top = sign(pile["top"])
        if kinds:
            said = f"You take {size}: {top} with {counted_words(kinds)}"
            said += "" if meld is self.new else f", to {meld.words}"
        else:
            said = f"You take {size} and lay {top} off on {meld.words}"
        worth = POINTS[self.top] if self.rules.topcounts else 0
        composed = Composed(
            (self.pile, *[self.hand[kind] for kind in kinds], meld),
            f"{said}.{self._missing(kinds, worth)}",
            "CAN-17" if kinds else "CAN-29",
            step="draw",
        )
        out = len(kinds) == len(self.kinds) and pile["size"] == 1
        return composed._replace(effect=OUT, warning=_GOES_OUT) if out else composed

    def _meld(self, kind: int, number: int, kinds: Sequence[int]) -> Composed:
        """CAN-36, CAN-40, CAN-44."""
        name = meld_name(self.side, SYMBOLS[kind], number)
        meld = self.melds.get(name, self.new)
        cards = counted_words(kinds)
        said = f"You meld {cards}." if meld is self.new else f"You add {cards} to {meld.words}."
        said += self._canasta(meld, len(kinds)) + self._missing(kinds, 0)
        parts = (*[self.hand[each] for each in kinds], meld)
        composed = Composed(parts, said, "CAN-36", step="meld")
        if len(kinds) == len(self.kinds) and not self.view["step"]["pending"]:
            return composed._replace(effect=OUT, warning=_GOES_OUT)
        if kind == BLACK:
            warning = "Black threes bind: you must go out in this turn."
            return composed._replace(clause="CAN-40", effect=BINDS, warning=warning)
        return composed

    def _canasta(self, meld: Part, more: int) -> str:
        """Whether a meld of the table becomes a canasta."""
        if meld is self.new:
            return ""
        _, side, at = meld.where[0]
        size = len(self.view["melds"][side][at]["cards"])
        return " It becomes a canasta." if size < 7 <= size + more else ""

    def _missing(self, kinds: Sequence[int], worth: int) -> str:
        """CAN-33, CAN-34: what the first meld of the turn lacks after these cards."""
        need: int = self.view["step"]["need"]
        left = need - worth - sum([POINTS[kind] for kind in kinds])
        if need <= 0 or left <= 0:
            return ""
        return f" Your first meld then lacks {count_of(left, 'point')}."

    # ── why not ──────────────────────────────────────────────────────────────────────────────────

    def why_not(self, picked: Sequence[Part], refuse: Refuse) -> Refusal | None:
        """Why the parts go into no move."""
        least = self.view["minimum"][self.seat if self.rules.found else self.side]
        now = whynot.Now(self.view, self.side, self.top, Counter(self.kinds), least)
        return whynot.why_not(now, picked, refuse)


def meld_name(side: int, rank: str, number: int) -> str:
    """A meld by its side, rank and number, as its part is called."""
    return f"{side}:{rank}" + (f"#{number}" if number > 1 else "")


def counted_words(kinds: Sequence[int]) -> str:
    """Cards by their kind: ``two kings and a joker``."""
    counts = Counter(kinds)
    return listed(
        [
            article(kind_name(kind)) if count == 1 else f"{number_word(count)} {kind_names(kind)}"
            for kind, count in counts.items()
        ]
    )
