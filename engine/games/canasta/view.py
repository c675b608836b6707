"""The view of a deal (CAN-94 to CAN-96)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.cards import TEXT, texts
from engine.games.canasta.state import CanastaState

if TYPE_CHECKING:
    from engine.games.canasta.json_types import CanastaView, PileJson, StepJson


def seat_view(deal: CanastaState, seat: int) -> CanastaView:
    """What a seat sees, without hidden cards (CAN-95); all cards if `seat` is -1."""
    rules = deal.rules
    is_over = deal.turn < 0
    view: CanastaView = {
        "game": "canasta",
        "format": rules.text,
        "seat": None if seat < 0 else seat,
        "deal": deal.number,
        "dealer": deal.dealer,
        "chairs": deal.chairs[:],
        "turn": None if is_over else deal.turn,
        "to_act": None if is_over else deal.to_act,
        "phase": deal.phase,
        "hand": deal.hand_of(seat),
        "hand_sizes": [len(hand) for hand in deal.hands],
        "stock": deal.stock_left,
        "pile": _pile(deal, seat),
        "sides": [side[:] for side in deal.sides],
        "melds": [[meld.view() for meld in melds] for melds in deal.melds],
        "red3": [len(cards) for cards in deal.red3],
        "scores": deal.totals[:],
        "minimum": [rules.minimum(total) for total in deal.totals],
        "opened": [bool(melds) for melds in deal.melds],
        "step": _step(deal),
    }
    if seat < 0:
        deal.show_all(view)
        view["red3_cards"] = [texts(cards) for cards in deal.red3]
    return view


def _pile(deal: CanastaState, seat: int) -> PileJson:
    """The discard pile, or its pending cards (CAN-35)."""
    cards = deal.pending or deal.pile
    resting = seat >= 0 and seat not in deal.chairs
    hidden = seat >= 0 and (deal.discarded[seat] or resting)  # CAN-6, CAN-96 item 1
    side = deal.side_of(seat) if seat >= 0 else -1
    return {
        "size": len(cards),
        "top": TEXT[cards[-1]] if cards and not deal.pending else None,
        "frozen": deal.frozen,
        "frozen_for_me": deal.frozen if side < 0 else deal.frozen_for(side),
        "cards": None if hidden else texts(cards),
    }


def _step(deal: CanastaState) -> StepJson:
    """The turn in progress, which is public."""
    need = 0
    if deal.turn >= 0 and not deal.had_meld:
        need = max(0, deal.minimum_of(deal.turn) - deal.counted)
    return {
        "drew": deal.drew,
        "counted": deal.counted,
        "need": need,
        "pending": len(deal.pending),
        "committed": deal.committed,
        "refused": deal.refused,
        "asked": deal.asked,
        "melded": deal.stepped,
        "settled": deal.settled,
        "discard": deal.has_discard,
    }
