"""Explains in one sentence why no move of Canasta contains the cards and melds that were picked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from engine.english import capital, card_sign, count_of
from engine.errors import IllegalMove
from engine.games.canasta import moves
from engine.games.canasta.card_kinds import (
    BLACK,
    JOKER,
    KINDS,
    RANKED,
    SYMBOLS,
    TWO,
    is_wild,
    kind_name,
    kind_names,
)
from engine.move_parts import MovePart, Refusal, Refuse

_WILDS = (TWO, JOKER)


class TurnFacts(NamedTuple):
    """The facts on which refusals depend.

    `top`: the kind of the pile's top card; -1 if the pile is empty.
    """

    view: Mapping[str, Any]
    side: int
    top: int
    hand_counts: Counter[int]  # by kind: the number of cards in the hand
    minimum: int  # the points that the seat's first meld needs


def why_not(facts: TurnFacts, picked: Sequence[MovePart], refuse: Refuse) -> Refusal | None:
    """Why no legal move has all parts of `picked`, although moves have each smaller subset."""
    phase = facts.view["phase"]
    if phase == moves.PHASE_ANSWER:
        return Refusal("First answer your partner's question.", "CAN-86")
    kinds = [SYMBOLS.index(part.name) for part in picked if part.kind == "hand"]
    places = [part for part in picked if part.kind != "hand"]
    if any(part.kind == "choice" for part in places):
        return None
    if phase == moves.PHASE_CHOOSE:
        return _why_not_chosen(facts, kinds, places, refuse)
    if len(places) > 1:
        return Refusal("Cards go to one place at a time.", "CAN-36")
    if not places:
        return _why_not_used(facts, kinds, refuse)
    if places[0].kind == "stock":
        action = "drawn" if facts.view["step"]["drew"] else "taken the pile"
        return Refusal(f"You have already {action}.", "CAN-12")
    if places[0].kind == "pile":
        return _why_not_discarded(facts, kinds, refuse)
    if places[0].kind == "meld":
        return _why_not_added(facts, kinds, places[0], refuse)
    return _why_not_opened(facts, kinds, refuse) if places[0].kind == "new" else None


# ── drawing and taking ───────────────────────────────────────────────────────────────────────────


def _why_not_chosen(
    facts: TurnFacts, kinds: Sequence[int], places: Sequence[MovePart], refuse: Refuse
) -> Refusal | None:
    """Why parts fit no move in part 1 of the turn (CAN-12)."""
    picked_places = [part.kind for part in places]
    if "stock" in picked_places:
        if len(picked_places) + len(kinds) > 1:
            return Refusal("To draw, pick only the stock.", "CAN-16")
        return None
    if "pile" in picked_places and len(picked_places) + len(kinds) == 1:
        return _why_not_taken(facts, refuse)
    ranks = [_rank(part) for part in places if part.kind == "meld"]
    if "pile" not in picked_places and facts.top not in ranks and facts.top not in kinds:
        return Refusal("First draw a card, or take the pile.", "CAN-12")
    if len(picked_places) + len(kinds) == 1:
        return _why_not_taken(facts, refuse)
    return _how_to_take(facts)


def _why_not_taken(facts: TurnFacts, refuse: Refuse) -> Refusal:
    """Why no move takes the pile."""
    top, pile = facts.top, facts.view["pile"]
    if top < 0:
        return Refusal("There is no pile to take.", "CAN-17")
    if top == BLACK or top not in RANKED:
        return Refusal(f"A pile with {card_sign(pile['top'])} on top cannot be taken.", "CAN-31")
    pair = facts.hand_counts[top] > 1
    if pile["frozen_for_me"] and not pair:
        return _how_to_take(facts)
    with_wild = facts.hand_counts[top] == 1 and (facts.hand_counts[TWO] or facts.hand_counts[JOKER])
    symbol = SYMBOLS[top]
    candidates = ["take", f"take:{symbol}{symbol}", *[f"take:{symbol}{SYMBOLS[w]}" for w in _WILDS]]
    if not _has_meld(facts, top) or pile["frozen_for_me"]:
        candidates = candidates[1:2] if pair else candidates[2:] if with_wild else []
    for move in candidates:
        error = refuse(move)
        if error is not None and error.clause not in ("CAN-28", "CAN-29", "CAN-41"):
            return _as_refusal(facts, error)
    return _how_to_take(facts)


def _how_to_take(facts: TurnFacts) -> Refusal:
    """A sentence about the cards that can take the pile."""
    ranks = kind_names(facts.top)
    if facts.view["pile"]["frozen_for_me"]:
        return Refusal(
            f"The pile is frozen: only two {ranks} from your hand can take it.", "CAN-27"
        )
    sentence = f"You can take the pile with two {ranks}, or with one and a wild card"
    meld = f", or by laying {card_sign(facts.view['pile']['top'])} off on your {ranks}"
    return Refusal(f"{sentence}{meld if _has_meld(facts, facts.top) else ''}.", "CAN-28")


# ── melding and discarding ───────────────────────────────────────────────────────────────────────


def _why_not_used(facts: TurnFacts, kinds: Sequence[int], refuse: Refuse) -> Refusal | None:
    """Why a card in the hand, or several together, cannot be used."""
    if len(kinds) == 1:
        error = refuse(f"-{SYMBOLS[kinds[0]]}")
        return None if error is None else _as_refusal(facts, error)
    naturals = {kind for kind in kinds if not is_wild(kind)}
    if len(naturals) > 1:
        return Refusal("A meld has cards of one rank, and wild cards.", "CAN-36")
    kind = next(iter(naturals), -1)
    if kind >= 0 and _has_meld(facts, kind):
        return Refusal(f"Add cards to your {kind_names(kind)} one at a time.", "CAN-41")
    return _why_not_opened(facts, kinds, refuse)


def _why_not_opened(facts: TurnFacts, kinds: Sequence[int], refuse: Refuse) -> Refusal:
    """Why these cards do not open a meld."""
    naturals = [kind for kind in kinds if not is_wild(kind)]
    wilds = [kind for kind in kinds if is_wild(kind)]
    if len(set(naturals)) == 1 and len(naturals) + len(wilds) == 3 and len(wilds) < 2:
        symbols = "".join([SYMBOLS[kind] for kind in (*naturals, *wilds)])
        error = refuse(f"{symbols[0]}:{symbols}")
        if error is not None and error.clause != "CAN-41":
            return _as_refusal(facts, error)
    if len(kinds) > 3:
        return Refusal("Open a meld with three cards; then add the others.", "CAN-37")
    cards_text = "two cards of its rank and a third, of its rank or wild"
    return Refusal(f"A meld is opened with {cards_text}.", "CAN-37")


def _why_not_discarded(facts: TurnFacts, kinds: Sequence[int], refuse: Refuse) -> Refusal | None:
    """Why the picked card, or any card, cannot be discarded."""
    if len(kinds) > 1:
        return Refusal("You discard only one card.", "CAN-13")
    for kind in kinds or range(KINDS):
        error = refuse(f"-{SYMBOLS[kind]}") if facts.hand_counts[kind] else None
        if error is not None:
            return _as_refusal(facts, error)
    return None


def _why_not_added(
    facts: TurnFacts, kinds: Sequence[int], place: MovePart, refuse: Refuse
) -> Refusal | None:
    """Why the picked cards, or any cards, cannot be added to a meld."""
    side, _, name = place.name.partition(":")
    rank = _rank(place)
    if int(side) != facts.side:
        return Refusal("You can add only to your own side's melds.", "CAN-36")
    if len(kinds) > 1:
        return Refusal("Cards are added to a meld one at a time.", "CAN-82")
    if kinds and kinds[0] != rank and not is_wild(kinds[0]):
        return Refusal(f"{capital(place.words)} take {kind_names(rank)} and wild cards.", "CAN-36")
    for kind in kinds or (rank, *_WILDS):
        error = refuse(f"{name}:{SYMBOLS[kind]}") if facts.hand_counts[kind] else None
        if error is not None:
            return _as_refusal(facts, error)
    return Refusal(f"You hold no {kind_name(rank)} and no wild card to add.", "CAN-36")


# ── sentences ────────────────────────────────────────────────────────────────────────────────────


def _rank(meld: MovePart) -> int:
    """The kind of a meld's rank: kings for ``0:K#2``."""
    return SYMBOLS.index(meld.name.partition(":")[2][0])


def _has_meld(facts: TurnFacts, kind: int) -> bool:
    return any(meld["rank"] == SYMBOLS[kind] for meld in facts.view["melds"][facts.side])


def _as_refusal(facts: TurnFacts, error: IllegalMove) -> Refusal:
    """The engine's refusal as a sentence addressed to the seat."""
    sentence_for = _SENTENCES.get(error.clause)
    sentence = sentence_for(facts) if sentence_for else f"{capital(error.reason)}."
    return Refusal(sentence, error.clause)


def _text_on_lack(facts: TurnFacts) -> str:
    lack = count_of(facts.view["step"]["need"], "point")
    if facts.view["step"]["pending"]:
        waiting = "You get the rest of the pile once your first meld is worth enough"
        return f"{waiting}; it still needs {lack}."
    return f"Your first meld still needs {lack}."


def _text_on_duty(facts: TurnFacts) -> str:
    if facts.view["step"]["refused"]:
        return "The answer was no: you may not go out in this turn."
    return "You must go out in this turn, and this move would prevent it."


_SENTENCES: dict[str, Callable[[TurnFacts], str]] = {
    "CAN-13": lambda _: "A red three is never discarded.",
    "CAN-30": lambda _: "With one card in hand, you may not take a pile of one card.",
    "CAN-32": lambda _: "The meld would have more than three wild cards.",
    "CAN-33": lambda facts: (
        f"Your first meld must be worth {facts.minimum} points, and this move would prevent it."
    ),
    "CAN-35": _text_on_lack,
    "CAN-38": lambda _: "A meld has at most three wild cards.",
    "CAN-40": lambda _: "You meld black threes only when you go out, and at least three of them.",
    "CAN-45": lambda _: "Your side may not go out yet, so you must keep a card.",
    "CAN-46": lambda _: "Too few cards would be left to end the turn, and you may not go out.",
    "CAN-57": _text_on_duty,
    "CAN-63": lambda _: "This turn has no discard.",
}
