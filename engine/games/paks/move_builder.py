"""Splits Paks' moves into parts that people pick, and explains refusals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from engine.cards import CODE, SUIT_NAMES, SUITS, parse_cards
from engine.declarations import join_words
from engine.english import MOST_NAMED, SUIT_SIGNS, card_parts, card_sign, card_signs, cards_label
from engine.games.paks.force import force, price
from engine.games.paks.options import PaksRules
from engine.games.paks.scoring import count, worth
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

_STEPS = (("pak", "make a pak"), ("steal", "steal"), ("end", "end the turn"))


class PaksComposer(Composer):
    """Splits a move into cards of one suit, and a board card or another player's paks."""

    rules: PaksRules

    def __init__(self, rules: PaksRules, view: Mapping[str, Any], names: Sequence[str]) -> None:
        super().__init__(rules, view, names)
        self.hand_cards: list[str] = view["hand"]
        self.hand: dict[str, MovePart] = card_parts(self.hand_cards)
        self.board: dict[str, MovePart] = card_parts(view["board"], "board")
        self.paks: dict[str, MovePart] = self._pak_parts()
        self.stealing: bool = view["phase"] == "steal"

    def _pak_parts(self) -> dict[str, MovePart]:
        """The parts of all paks by owner and number; paks with equal names show their number."""
        names = {
            f"{owner}:{index + 1}": f"{self.possessive(owner)} pak of {card_signs(pak)}"
            for owner, row in enumerate(self.view["paks"])
            for index, pak in enumerate(row)
        }
        name_counts = Counter(names.values())
        parts: dict[str, MovePart] = {}
        for name, words in names.items():
            owner, number = [int(text) for text in name.split(":")]
            number_text = f" (number {number})" if name_counts[words] > 1 else ""
            parts[name] = MovePart(
                f"pak:{name}", words + number_text, (("paks", owner, number - 1),)
            )
        return parts

    def pickable_parts(self) -> list[MovePart]:
        """The hand, the board and all paks."""
        return [*self.hand.values(), *self.board.values(), *self.paks.values()]

    def steps(self) -> list[TurnStep]:
        """The steps: a pak, thefts, the end."""
        states = (DONE, NOW, NEXT) if self.stealing else (NOW, NEXT, NEXT)
        return [TurnStep(*step, state) for step, state in zip(_STEPS, states, strict=True)]

    def compose(self, move: str) -> Composed:
        """Split and describe a move, given as text."""
        if move == "end":
            ended = self._ending("end", "end your turn", "You end your turn.", "PAK-23")
            return ended._replace(
                label="End the turn", leads=self._after_turn(), deed="end the turn"
            )
        if move == "pass":
            sentence = "You cannot make a pak, so you show your hand and pass."
            passed = self._ending("pass", "show your hand and pass", sentence, "PAK-17")
            return passed._replace(
                label="Show your hand and pass",
                leads="Everybody sees that you cannot make a pak.",
                deed="pass",
            )
        kind, _, arguments = move.partition(":")
        group, _, target = arguments.partition(">")
        cards = group.split("+")
        hand = [self.hand[card] for card in cards]
        verb = ("takes", "steals") if len(cards) == 1 else ("take", "steal")
        if kind == "pak":
            sentence = f"{card_signs(cards)} {verb[0]} {card_sign(target)}: a pak."
            pak_cards = [*cards, target]
            label = f"Make a pak: {cards_label(cards)} {verb[0]} {card_sign(target)}"
            if len(pak_cards) > MOST_NAMED:
                label = f"Make a pak of {len(pak_cards)} cards"
            return Composed(
                (*hand, self.board[target]),
                sentence,
                "PAK-18",
                step="pak",
                label=label,
                leads=self._worth(pak_cards),
                deed=f"make a pak of {card_signs(pak_cards)}",
                decides=f"suit:{target[1]}",
            )
        owner, _, numbers = target.partition(":")
        paks = [self.paks[f"{owner}:{number}"] for number in numbers.split("+")]
        sentence = f"{card_signs(cards)} {verb[1]} {join_words([pak.words for pak in paks])}."
        rows = self.view["paks"][int(owner)]
        stolen = [card for number in numbers.split("+") for card in rows[int(number) - 1]]
        return Composed(
            (*hand, *paks),
            sentence,
            "PAK-27" if len(paks) == 1 else "PAK-29",
            step="steal",
            label=f"Steal {cards_label(stolen)} with {cards_label(cards)}",
            leads=self._worth([*stolen, *cards]),
            deed=f"steal {join_words([pak.words for pak in paks])} with {card_signs(cards)}",
            decides=f"suit:{cards[0][1]}",
        )

    def _worth(self, pak: Sequence[str]) -> str:
        """A sentence about a pak's final value, and the price to steal it (PAK-36, PAK-27)."""
        points = worth([CODE[card] for card in pak])
        return f"Worth {points}. Stealing it takes more than {_price(pak)}."

    def _after_turn(self) -> str:
        if not self.view["stock"]:
            return "Nobody draws any more."
        return f"{self.names[(self.seat + 1) % len(self.names)]} draws next."

    def needs(self) -> list[Need]:
        """The points that each side keeps in each suit if the deal ends now (PAK-33, PAK-37)."""
        sides = self.rules.sides
        own_side = self.rules.side_of[self.seat]
        order = [own_side, *[side for side in range(len(sides)) if side != own_side]]
        counted = count(
            self.rules, [[parse_cards(pak) for pak in row] for row in self.view["paks"]]
        )
        needs = []
        for suit, letter in enumerate(SUITS):
            suit_paks = [pak for row in self.view["paks"] for pak in row if pak[0][1] == letter]
            if suit_paks:
                points = " – ".join([str(counted.suit_points[side][suit]) for side in order])
                needs.append(Need(f"suit:{letter}", f"{SUIT_SIGNS[letter]} {points}"))
        return needs

    def prompt(self, legal: Sequence[str]) -> str:
        """A sentence about the next step: a pak, or thefts."""
        if self.stealing:
            steals = any(move.startswith("steal:") for move in legal)
            return "Steal a pak, or end your turn." if steals else "End your turn."
        return "Pick cards of one suit, and the board card that they take."

    def _ending(self, key: str, words: str, sentence: str, clause: str) -> Composed:
        """Describe a move that ends the turn; it ends the deal if the stock is empty (PAK-31)."""
        parts = (MovePart(f"choice:{key}", words),)
        if self.view["stock"]:
            return Composed(parts, sentence, clause, step="end")
        return Composed(parts, sentence, clause, ENDS, "The stock is empty: the deal ends.", "end")

    def spell(self, picked: Sequence[MovePart]) -> str:
        """The text of the pak or theft with exactly these parts; empty if there is none."""
        cards, board, paks = _names_by_kind(picked)
        group = "+".join(sorted(cards, key=CODE.__getitem__))
        if cards and len(board) == 1 and not paks:
            return f"pak:{group}>{board[0]}"
        owners = {pak.partition(":")[0] for pak in paks}
        if not cards or board or len(owners) != 1:
            return ""
        numbers = sorted([int(pak.partition(":")[2]) for pak in paks])
        return f"steal:{group}>{owners.pop()}:{'+'.join(map(str, numbers))}"

    # ── why not ──────────────────────────────────────────────────────────────────────────────────

    def why_not(self, picked: Sequence[MovePart], refuse: Refuse) -> Refusal | None:  # noqa: ARG002 - the view says enough
        cards, board, paks = _names_by_kind(picked)
        if len(cards) + len(board) + len(paks) < len(picked):
            return None  # a choice is picked
        if len({self._suit(part) for part in picked}) > 1:
            return self._suits_differ(cards, board)
        if len(board) > 1:
            return Refusal("A pak takes one card from the board.", "PAK-21")
        if len({pak.partition(":")[0] for pak in paks}) > 1:
            return Refusal("Paks are stolen from one player at a time.", "PAK-29")
        suit = self._suit(picked[0])
        if self.stealing:
            return self._why_not_stolen(suit, paks, board)
        if paks:
            return Refusal("First make a pak; then you may steal.", "PAK-24")
        return self._why_not_taken(suit, board)

    def _suits_differ(self, cards: Sequence[str], board: Sequence[str]) -> Refusal:
        if len(cards) > 1:
            return Refusal("Cards played together must be of one suit.", "PAK-18")
        if board:
            return Refusal(
                f"Only {_suit_name(board[0])} can take {card_signs(board[:1])}.", "PAK-18"
            )
        return Refusal("Only cards of its own suit can steal a pak.", "PAK-27")

    def _why_not_stolen(self, suit: str, paks: Sequence[str], board: Sequence[str]) -> Refusal:
        """Why no pak of this suit, or none of `paks`, can be stolen."""
        if board:
            return Refusal(
                "You have made your pak of this turn: now steal, or end the turn.", "PAK-21"
            )
        name = SUIT_NAMES[SUITS.index(suit)]
        if suit in self.view["used_suits"]:
            return Refusal(
                f"You have already used {name} in this turn: steal in another suit.", "PAK-26"
            )
        if any(pak.startswith(f"{self.seat}:") for pak in paks):
            return Refusal("You can steal only other players' paks.", "PAK-25")
        rows = self.view["paks"]
        of_suit = [
            pak
            for owner, row in enumerate(rows)
            for pak in row
            if owner != self.seat and pak[0][1] == suit
        ]
        if not of_suit:
            return Refusal(f"Nobody else has a pak of {name}.", "PAK-25")
        if not paks:
            cost = min([_price(pak) for pak in of_suit])
            return self._too_weak(suit, cost, f"the cheapest pak of {name}", "PAK-27")
        cost = sum(
            [_price(rows[int(owner)][int(index) - 1]) for owner, _, index in _split_pak_names(paks)]
        )
        return self._too_weak(
            suit, cost, join_words([self.paks[pak].words for pak in paks]), "PAK-27"
        )

    def _why_not_taken(self, suit: str, board: Sequence[str]) -> Refusal:
        """Why no card of this suit, or not this board card, can be taken."""
        if board:
            return self._too_weak(suit, _price(board), card_sign(board[0]), "PAK-18")
        board_cards = [card for card in self.board if card[1] == suit]
        name = SUIT_NAMES[SUITS.index(suit)]
        if not board_cards:
            return Refusal(f"There are no {name} on the board.", "PAK-18")
        cheapest = min(board_cards, key=lambda card: _price([card]))
        return self._too_weak(suit, _price([cheapest]), card_sign(cheapest), "PAK-18")

    def _too_weak(self, suit: str, cost: int, target: str, clause: str) -> Refusal:
        """A refusal: all cards of the suit together have too little force for `target`."""
        cards = [CODE[card] for card in self.hand_cards if card[1] == suit]
        name = SUIT_NAMES[SUITS.index(suit)]
        if not cards:
            return Refusal(f"You hold no {name}.", clause)
        count = f"All your {name} together have a force of {force(cards)}"
        return Refusal(f"{count}, but {target} takes more than {cost}.", clause)

    def _suit(self, part: MovePart) -> str:
        if part.kind != "pak":
            return part.name[1]
        owner, _, number = part.name.partition(":")
        pak: list[str] = self.view["paks"][int(owner)][int(number) - 1]
        return pak[0][1]


def _names_by_kind(picked: Sequence[MovePart]) -> tuple[list[str], list[str], list[str]]:
    """The names of the picked hand cards, board cards and paks."""
    cards, board, paks = [
        [part.name for part in picked if part.kind == kind] for kind in ("hand", "board", "pak")
    ]
    return cards, board, paks


def _split_pak_names(paks: Sequence[str]) -> list[tuple[str, str, str]]:
    return [pak.partition(":") for pak in paks]


def _price(cards: Sequence[str]) -> int:
    return price([CODE[card] for card in cards])


def _suit_name(card: str) -> str:
    return SUIT_NAMES[SUITS.index(card[1])]
