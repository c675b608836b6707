"""Read Paks deals from a `state` or a view (docs/rules/paks.md, sections 5 and 6)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from random import Random
from typing import Any

from engine.cards import SUITS, pack, parse_card, parse_cards
from engine.determinize import deal_hidden
from engine.events import Event
from engine.games.paks import scoring
from engine.games.paks.deal import OVER, PAK, STEAL, PaksDeal
from engine.games.paks.options import PaksRules
from engine.states import (
    check_keys,
    check_pack,
    read_boolean,
    read_card_rows,
    read_heading,
    read_scores,
)

_KEYS = (
    "hands",
    "shown",
    "board",
    "stock",
    "paks",
    "turn",
    "dealer",
    "deal",
    "phase",
    "compulsory",
    "drawn",
    "used_suits",
    "scores",
)


def from_state(rules: PaksRules, state: Mapping[str, Any], log: list[Event]) -> PaksDeal:
    """The deal of a `state`; ValueError names the malformed field."""
    check_keys(state, _KEYS)
    deal = _open_state(rules, state, log)
    deal.hands = [sorted(row) for row in read_card_rows(state, "hands", rules.seats)]
    deal.stock = parse_cards(state.get("stock", []))
    for seat, cards in enumerate(deal.known):
        if Counter(cards) - Counter(deal.hands[seat]):
            raise ValueError(f"shown: seat {seat} does not hold all of these cards.")
    check_pack(pack() * rules.packs, [*deal.hands, deal.stock, *_open_piles(deal)], rules.text)
    if (deal.phase == STEAL) != bool(deal.used):
        raise ValueError(
            "used_suits must name suits in the phase steal, and none in the phase pak."
        )
    return deal


def _open_state(rules: PaksRules, state: Mapping[str, Any], log: list[Event]) -> PaksDeal:
    deal = PaksDeal(rules, log)
    read_heading(deal, state, rules.deals)
    deal.phase = state.get("phase", PAK)
    if deal.phase not in (PAK, STEAL):
        raise ValueError(f"phase is {PAK} or {STEAL}, not {deal.phase!r}.")
    deal.compulsory = read_boolean(state, "compulsory")
    drawn = state.get("drawn")
    deal.drawn = -1 if drawn is None else parse_card(drawn)
    deal.known = [sorted(row) for row in read_card_rows(state, "shown", rules.seats)]
    deal.board = sorted(parse_cards(state.get("board", [])))
    deal.paks = _read_paks(state.get("paks") or [], rules.seats)
    used = state.get("used_suits", [])
    if not isinstance(used, list) or any(suit not in list(SUITS) for suit in used):
        raise ValueError(f"used_suits is a list of {', '.join(SUITS)}, not {used!r}.")
    deal.used = [SUITS.index(suit) for suit in used]
    if len(set(used)) < len(used):
        raise ValueError("used_suits must not name a suit twice (PAK-26).")
    deal.totals = read_scores(state, len(rules.sides))
    if min(deal.totals) < 0:
        raise ValueError(f"scores must be whole numbers from 0, not {deal.totals!r}.")
    return deal


def restore(
    rules: PaksRules, view: Mapping[str, Any], rng: Random, log: list[Event]
) -> tuple[PaksDeal, dict[str, Any] | None]:
    """A deal that agrees with the seat's view, and the result if the match is over."""
    is_over = view["to_act"] is None
    state = {key: view[key] for key in _KEYS if key not in ("hands", "stock")}
    if is_over:
        state.update(turn=0, phase=PAK)
    deal = _open_state(rules, state, log)
    deal_hidden(deal, view, pack() * rules.packs, _open_piles(deal), rng, deal.known)  # PAK-42
    if not is_over:
        return deal, None
    deal.turn = deal.to_act = -1
    deal.phase = OVER
    return deal, scoring.outcome(rules, deal.number, deal.totals, "position")


def _read_paks(rows: object, seats: int) -> list[list[list[int]]]:
    """The paks of each seat; ValueError unless each pak has two or more cards of one suit.

    Source: PAK-20, PAK-21. Seats that `rows` leaves out have no paks.
    """
    if not isinstance(rows, list) or len(rows) > seats:
        raise ValueError(f"paks is a list of {seats} lists of paks, and a pak is a list of cards.")
    paks: list[list[list[int]]] = []
    for row in rows:
        if not isinstance(row, list):
            raise ValueError(f"paks: {row!r} is not a list of paks.")  # noqa: TRY004 - bad input is a ValueError by contract
        paks.append([sorted(parse_cards(pak)) for pak in row])
        for pak in paks[-1]:
            if len(pak) < 2 or len({card & 3 for card in pak}) > 1:
                raise ValueError("paks: a pak must have two or more cards, all of one suit.")
    return paks + [[] for _ in range(seats - len(paks))]


def _open_piles(deal: PaksDeal) -> list[list[int]]:
    """The open cards: the board and the paks."""
    return [deal.board, *(pak for row in deal.paks for pak in row)]
