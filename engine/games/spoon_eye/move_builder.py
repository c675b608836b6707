"""Splits Spoon Eye's moves into parts that people pick, and explains refusals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from engine.cards import CODE, TEXT
from engine.declarations import join_words
from engine.english import capital, card_parts, card_sign, cards_label, count_of
from engine.errors import IllegalMove
from engine.games.spoon_eye import masts, moves
from engine.games.spoon_eye.options import FULL, SpoonEyeRules
from engine.move_parts import (
    DONE,
    ENDS,
    NEXT,
    NOW,
    Composed,
    Composer,
    MovePart,
    Need,
    Refusal,
    Refuse,
    TurnStep,
)

_ORDINALS = ("first", "second", "third", "fourth")
_END_NAMES = {moves.LEFT: "left", moves.RIGHT: "right"}
_STEPS = {
    "start": (
        TurnStep("start", "draw or move a crow's nest", NOW),
        TurnStep("play", "play a card", NEXT),
    ),
    "take": (TurnStep("play", "play a card", DONE), TurnStep("take", "take a mast", NOW)),
    "steal": (TurnStep("play", "play a card", DONE), TurnStep("steal", "take a crow's nest", NOW)),
}
# The additional effect of a card played from the hand, by rank (SPO-25 to SPO-27).
_EFFECT_TEXTS = {
    2: " Then you draw one more card.",
    3: " Then you play one more card, if you can.",
    8: " Then you take a crow's nest, if one fits.",
}


class SpoonEyeComposer(Composer):
    """Splits a move into a card or crow's nest, and the mast or new place it goes to."""

    rules: SpoonEyeRules

    def __init__(self, rules: SpoonEyeRules, view: Mapping[str, Any], names: Sequence[str]) -> None:
        super().__init__(rules, view, names)
        self.hand_cards: list[str] = view["hand"]
        self.hand: dict[str, MovePart] = card_parts(self.hand_cards)
        self.phase: str = view["phase"]
        self.stock: MovePart = MovePart("stock", "the stock", (("stock",),))
        self.masts: dict[moves.Place, MovePart] = {}
        self.nests: dict[moves.Place, MovePart] = {}
        for seat, row in enumerate(view["masts"]):
            for index, mast in enumerate(row):
                words, where = self._mast_name((seat, index)), (("masts", seat, index),)
                nest = f"{card_sign(mast[-1])} of {words}"
                self.masts[seat, index] = MovePart(f"mast:{seat}:{index + 1}", words, where)
                self.nests[seat, index] = MovePart(f"nest:{seat}:{index + 1}", nest, where)

    def _mast_name(self, place: moves.Place) -> str:
        return f"{self.possessive(place[0])} {_ORDINALS[place[1]]} mast"

    def pickable_parts(self) -> list[MovePart]:
        """The hand, the stock, all masts, and the crow's nests that can be taken."""
        nests = [part for (seat, _), part in self.nests.items() if self._is_liftable(seat)]
        stock = [self.stock] if self.view["stock"] else []
        return [*self.hand.values(), *stock, *self.masts.values(), *nests]

    def _is_liftable(self, seat: int) -> bool:
        """Whether the crow's nests in a seat's row can be taken in this phase."""
        return self.phase == ("start" if seat == self.seat else "steal")

    def steps(self) -> list[TurnStep]:
        """The steps of the turn; empty if the only choice is a card to play."""
        return list(_STEPS.get(self.phase, ()))

    # ── moves ────────────────────────────────────────────────────────────────────────────────────

    def compose(self, move: str) -> Composed:
        """Split and describe a move, given as text."""
        parsed = moves.parse(move)
        if parsed is None:  # the text is not a move of this game
            return super().compose(move)
        if parsed.kind == "draw":
            sentence = "You draw a card and leave the crow's nests where they are."
            composed = Composed(
                (self.stock,),
                sentence,
                "SPO-37",
                label="Draw a card",
                leads="Then you play a card.",
                deed="draw a card",
            )
        elif parsed.kind == "pass":
            composed = Composed(
                (MovePart("choice:pass", "pass"),),
                "You cannot play a card, so you pass.",
                "SPO-16",
                label="Pass",
                leads="No card in your hand fits anywhere.",
                deed="pass",
            )
        elif parsed.kind == "play":
            composed = self._play(parsed)
        elif parsed.kind == "take":
            composed = self._take(parsed.target)
        else:
            composed = self._lift(parsed)
        if self._ends_deal(parsed):
            composed = composed._replace(effect=ENDS, warning="No card is left: the deal ends.")
        return composed._replace(step=self.phase)

    def _play(self, parsed: moves.SpoonEyeMove) -> Composed:
        """Describe a card that the seat plays onto a mast or as a new one (SPO-13, SPO-15)."""
        card = self.hand_cards[[CODE[text] for text in self.hand_cards].index(parsed.card)]
        sentence = f"You lay {card_sign(card)} {self._destination(parsed.card, parsed.target)}"
        effect_text = _EFFECT_TEXTS.get(parsed.card >> 2, "")
        if not self.view["stock"] and parsed.card >> 2 == 2:
            effect_text = ""
        parts = (self.hand[card], self._part_at(parsed.target))
        label = f"Put {card_sign(card)} {self._label_target(parsed.target, 'on')}"
        leads = self._leads(parsed.card, parsed.target) + effect_text
        decides = self._decides(parsed.card, parsed.target)
        deed = f"add {card_sign(card)} {self._deed_target(parsed.target)}"
        sentence += effect_text
        return Composed(parts, sentence, "SPO-15", "", "", "", label, leads, decides, deed)

    def _lift(self, parsed: moves.SpoonEyeMove) -> Composed:
        """Describe a crow's nest that the seat moves (SPO-37) or takes from another (SPO-27)."""
        card = self._nest_card(parsed.source)
        preposition = "to" if parsed.kind == "move" else "on"
        destination = self._destination(CODE[card], parsed.target, preposition)
        parts = (self.nests[parsed.source], self._part_at(parsed.target))
        source = self.masts[parsed.source].words
        if parsed.kind == "move":
            sentence = f"You move {card_sign(card)} from {source} {destination}"
            clause, verb = "SPO-37", "Move"
        else:
            sentence = f"You take {card_sign(card)} from {source} and lay it {destination}"
            clause, verb = "SPO-27", "Take"
        target = self._deed_target(parsed.target)
        return Composed(
            parts,
            sentence,
            clause,
            label=f"{verb} {card_sign(card)} {self._label_target(parsed.target, 'to')}",
            leads=self._leads(CODE[card], parsed.target),
            decides=self._decides(CODE[card], parsed.target),
            deed=f"{verb.lower()} {card_sign(card)} from {source} {target}",
        )

    def _take(self, place: moves.Place) -> Composed:
        """Describe the mast that the seat takes after a raising, or none (SPO-20, SPO-21)."""
        if place[0] < 0:
            none = MovePart("choice:none", "take no mast")
            leads = "You win only the raised mast."
            return Composed(
                (none,),
                "You take no mast.",
                "SPO-20",
                label="Take no mast",
                leads=leads,
                deed="take no mast",
            )
        part, count = self.masts[place], len(self._mast(place))
        sentence = f"You take {part.words}, worth {self._value(place)}."
        leads = f"You also win {part.words}: {count_of(count, 'more card')}."
        label = f"Take {cards_label([TEXT[card] for card in self._mast(place)])}"
        deed = f"take {part.words}"
        return Composed((part,), sentence, "SPO-20", label=label, leads=leads, deed=deed)

    def _deed_target(self, place: moves.Place) -> str:
        """The end of a deed: ``to your first mast``, ``to a new mast on the left``."""
        if place[1] < 0:
            return f"to a new mast on the {_END_NAMES[place[1]]}"
        return f"to {self.masts[place].words}"

    def _label_target(self, place: moves.Place, preposition: str) -> str:
        """The end of a button's label: the mast by its value, if no other mast has that value."""
        if place[1] < 0:
            return f"down on the {_END_NAMES[place[1]]}"
        value = self._value(place)
        equal_masts = [other for other in self.masts if self._value(other) == value]
        if len(equal_masts) == 1:
            return f"{preposition} the {value}"
        if len([other for other in equal_masts if other[0] == place[0]]) == 1:
            return f"{preposition} {self.possessive(place[0])} {value}"
        return f"{preposition} {self.masts[place].words}"

    def _leads(self, card: int, place: moves.Place) -> str:
        """A sentence about the consequence of a card put at a place (SPO-19 to SPO-21)."""
        if place[1] < 0:
            return f"A new mast of {masts.value((card,))}."
        value = self._value_with(card, place)
        if value < FULL:
            missing = FULL - value
            return f"The mast will be worth {value}: {missing} more wins it."
        size = count_of(len(self._mast(place)) + 1, "card")
        winner = "you win" if place[0] == self.seat else f"{self.names[place[0]]} wins"
        side_of = self.rules.side_of
        is_own_side = side_of[place[0]] == side_of[self.seat]
        plunder_text = "may take an opponent's" if is_own_side else "one of yours"
        return f"That makes 21: {winner} this mast ({size}) and {plunder_text}."

    def _decides(self, card: int, place: moves.Place) -> str:
        """The key of the need (`needs`) that a card put at a place fulfils; empty if none."""
        if place[1] < 0 or self._value_with(card, place) != FULL:
            return ""
        return f"mast:{place[0]}:{place[1] + 1}"

    # ── needs and the prompt ─────────────────────────────────────────────────────────────────────

    def needs(self) -> list[Need]:
        """The seat's masts that a card in its hand brings to exactly 21 (SPO-19)."""
        needs = []
        for place, part in self.masts.items():
            fitting = [card for card in self.hand if self._value_with(CODE[card], place) == FULL]
            if place[0] == self.seat and fitting:
                cards = join_words([card_sign(card) for card in fitting], "or")
                words = f"{capital(cards)} makes your {self._value(place)} a 21"
                needs.append(Need(part.key, words))
        return needs

    def prompt(self, legal: Sequence[str]) -> str:
        """A sentence about the choice of this phase."""
        kinds = {parsed.kind for parsed in map(moves.parse, legal) if parsed}
        if self.phase == "start":
            return "Draw a card, or move a crow's nest." if "move" in kinds else "Draw a card."
        if self.phase == "take":
            none = ", or take none" if "take:none" in legal else ""
            return f"Pick another mast to take{none}."
        if self.phase == "steal":
            return "Pick an opponent's crow's nest, and a place for it in your row."
        return "Pick a card, and put it on a mast or start a new one."

    def _destination(self, card: int, place: moves.Place, preposition: str = "on") -> str:
        """The end of a sentence: the card's place, and the value of the mast with it."""
        if place[1] < 0:
            return f"down as a new mast on the {_END_NAMES[place[1]]}."
        value = self._value_with(card, place)
        if value < FULL:
            return f"{preposition} {self.masts[place].words}: {value}."
        player = "you win" if place[0] == self.seat else f"{self.names[place[0]]} wins"
        return f"{preposition} {self.masts[place].words}. That makes 21, and {player} it."

    def _part_at(self, place: moves.Place) -> MovePart:
        if place[1] >= 0:
            return self.masts[place]
        side = _END_NAMES[place[1]]
        where = (("masts", self.seat),)
        return MovePart(f"new:{side[0].upper()}", f"a new mast on the {side}", where)

    def _ends_deal(self, parsed: moves.SpoonEyeMove) -> bool:
        """Whether the move ends the deal, as far as the seat knows (SPO-31)."""
        view = self.view
        plays_card = parsed.kind == "play"
        passes = parsed.kind == "pass"  # SPO-32: cards that cannot be played do not count
        cards_left = sum(view["hand_sizes"]) - (len(self.hand_cards) if passes else int(plays_card))
        if view["stock"] or cards_left or parsed.kind in ("draw", "move"):
            return False
        if parsed.kind == "take":
            return bool(view["pending"] != "9")
        if plays_card and parsed.card >> 2 == 8:
            return False
        if passes or parsed.target[1] < 0:
            return True
        card = parsed.card if plays_card else CODE[self._nest_card(parsed.source)]
        return self._value_with(card, parsed.target) < FULL

    def _mast(self, place: moves.Place) -> list[int]:
        return [CODE[card] for card in self.view["masts"][place[0]][place[1]]]

    def _nest_card(self, place: moves.Place) -> str:
        nest: str = self.view["masts"][place[0]][place[1]][-1]
        return nest

    def _value(self, place: moves.Place) -> int:
        return masts.value(tuple(self._mast(place)))

    def _value_with(self, card: int, place: moves.Place) -> int:
        """The value of a mast with one more card."""
        return masts.Mast(tuple(self._mast(place))).value_with(card)

    # ── refusals ─────────────────────────────────────────────────────────────────────────────────

    def why_not(self, picked: Sequence[MovePart], refuse: Refuse) -> Refusal | None:
        if len(picked) == 1:
            return self._why_unused(picked[0])
        first, last = picked[0], picked[-1]
        if first.kind == last.kind == "hand":
            return Refusal("You play one card at a time.", "SPO-13")
        if first.kind == last.kind:
            return Refusal("Pick one mast at a time.", "SPO-13")
        source = next((part for part in picked if part.kind in ("hand", "nest")), None)
        target = next((part for part in picked if part.kind in ("mast", "new")), None)
        if len(picked) > 2 or source is None or target is None:
            return None
        return self._why_misfit(source, target, refuse)

    def _why_misfit(self, source: MovePart, target: MovePart, refuse: Refuse) -> Refusal | None:
        """Why a card or crow's nest cannot go to this target."""
        place = target.name if target.kind == "mast" else f"{self.seat}:{target.name}"
        prefix = {"start": "move:", "steal": "steal:"}.get(self.phase, "")
        refused_move = refuse(f"{prefix}{source.name}>{place}")
        if refused_move is None:
            return None
        if refused_move.clause != "SPO-10":
            return _as_refusal(refused_move)
        mast_place = _place_of(target.name)
        card = source.name if source.kind == "hand" else self._nest_card(_place_of(source.name))
        value = self._value_with(CODE[card], mast_place)
        sentence = (
            f"{card_sign(card)} on {target.words} would make {value}, but {FULL} is the maximum."
        )
        return Refusal(sentence, "SPO-10")

    def _why_unused(self, part: MovePart) -> Refusal | None:
        """Why a single part has no use in this phase."""
        if part.kind == "hand":
            return self._why_card_waits(part)
        if part.kind == "stock":
            return Refusal("You have already drawn.", "SPO-13")
        if self.phase == "take":
            return self._why_mast_not_taken(_place_of(part.name))
        if part.kind == "nest":
            sentence = (
                f"{capital(part.words)} fits on none of your masts: each would exceed {FULL}."
            )
            return Refusal(sentence, "SPO-10")
        if part.kind == "mast":
            return self._why_mast_not_reached(part)
        return None

    def _why_card_waits(self, part: MovePart) -> Refusal:
        if self.phase == "start":
            return Refusal("First draw, or move a crow's nest.", "SPO-37")
        if self.phase == "take":
            return Refusal("A mast was raised: first pick another mast to take.", "SPO-20")
        if self.phase == "steal":
            return Refusal("The nine comes first: take a crow's nest.", "SPO-27")
        sentence = (
            f"{part.words} fits nowhere: each mast would exceed {FULL}, and your row is full."
        )
        return Refusal(sentence, "SPO-10")

    def _why_mast_not_taken(self, place: moves.Place) -> Refusal:
        raised = self.view["raised"]
        side_of = self.rules.side_of
        if side_of[place[0]] == side_of[self.seat]:
            return Refusal("You can take a mast only from an opponent.", "SPO-20")
        player = self.names[raised["by"]]
        return Refusal(f"{player} made your mast 21, so you take one of {player}'s.", "SPO-54")

    def _why_mast_not_reached(self, part: MovePart) -> Refusal:
        """Why no card can be laid on a mast."""
        is_own_mast = _place_of(part.name)[0] == self.seat
        if self.phase == "start":
            if not is_own_mast:
                return Refusal("You can move crow's nests only within your own row.", "SPO-37")
            sentence = "None of your other crow's nests fits on"
        elif self.phase == "steal":
            if not is_own_mast:
                return Refusal("A crow's nest that you take must go to your own row.", "SPO-27")
            sentence = "No opponent's crow's nest fits on"
        else:
            sentence = "No card in your hand fits on"
        value = self._value(_place_of(part.name))
        return Refusal(f"{sentence} {part.words}, worth {value}.", "SPO-10")


def _place_of(name: str) -> moves.Place:
    """Seat and mast of a part's name: ``1:2`` is the second mast of seat 1."""
    seat, _, number = name.partition(":")
    return int(seat), int(number) - 1


def _as_refusal(error: IllegalMove) -> Refusal:
    """The reason and clause of the engine's error, as a refusal."""
    return Refusal(f"{capital(error.reason)}.", error.clause)
