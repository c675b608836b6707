# ruff: noqa: SLF001 - this package sets the private fields of its own deals
"""Create a Cassino deal from a view (CAS-48), or from a `state` as in the examples of its rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from engine.cards import CODE, FIRST_JOKER, mask_cards, mask_of, pack
from engine.determinize import deal_hidden
from engine.events import Event
from engine.fishing import STATE_KEYS, VIEW_KEYS, check_playable, read_hidden, read_open
from engine.games.cassino import scoring
from engine.games.cassino.deal import ROUND, CassinoDeal
from engine.games.cassino.items import PAIR, SUM, CassinoItem, insert, parse_build
from engine.games.cassino.options import CassinoRules
from engine.score_sheet import total
from engine.states import check_keys, read_card_rows, read_table_items, state_from_view


def from_state(rules: CassinoRules, state: Mapping[str, Any], log: list[Event]) -> CassinoDeal:
    """The deal of a `state`; ValueError names the malformed field."""
    check_keys(state, (*STATE_KEYS, "sweeps"))
    deal = _open_state(rules, state, log)
    read_hidden(deal, state, ROUND * rules.seats)
    check_playable(deal, pack(), _open_piles(deal), rules.text)  # CAS-2
    if rules.end != "highest" and max(deal.totals_before) >= rules.target:
        raise ValueError(f"scores: a side already has the target of {rules.target}.")
    return deal


def _open_state(rules: CassinoRules, state: Mapping[str, Any], log: list[Event]) -> CassinoDeal:
    deal = CassinoDeal(rules, log)
    sides = len(rules.sides)
    read_open(deal, state, rules.deals, "sweeps", "sides")
    for text, by in read_table_items(state, rules.seats):
        insert(deal.table, parse_item(rules, text, by))
    deal.captured = [mask_of(pile) for pile in read_card_rows(state, "captured", sides)]
    if sum(map(len, read_card_rows(state, "captured", sides))) != sum(
        pile.bit_count() for pile in deal.captured
    ):
        raise ValueError("captured: a card occurs twice.")
    deal.totals_before = deal.totals[:]
    return deal


def parse_item(rules: CassinoRules, text: object, by: int) -> CassinoItem:
    """The item that a text names. Raises ValueError if no move could have made it."""
    card = CODE.get(text, FIRST_JOKER) if isinstance(text, str) else FIRST_JOKER
    if card < FIRST_JOKER:
        return rules.loose[card]
    parsed = parse_build(text) if isinstance(text, str) else None
    if parsed is None:
        raise ValueError(
            f"{text!r} is not an item. Write an item as 6D, [3D+4C=7] or [JC+JD:J], and sort the "
            "cards of a build by rank, then by suit (C D H S)."
        )
    cards, number, rank = parsed
    if not (_is_pair_build(rules, cards, rank) if number == 0 else _is_sum(rules, cards, number)):
        raise ValueError(
            f"{text} cannot be built: its cards do not make the value or rank that it declares, "
            "or the value is too high."
        )
    return CassinoItem(PAIR if number == 0 else SUM, cards, number, rank, by)


def _is_sum(rules: CassinoRules, cards: Sequence[int], number: int) -> bool:
    """Whether the cards' numbers add up to `number` (CAS-18, CAS-20, CAS-43).

    An ace counts 1, because an ace of 14 would leave no room for another card.
    """
    numbers = [rules.number[card >> 2] for card in cards]
    return 0 not in numbers and sum(numbers) == number <= rules.top


def _is_pair_build(rules: CassinoRules, cards: Sequence[int], rank: int) -> bool:
    """Whether the cards can form a pair build of `rank`.

    Either all have this rank (CAS-17, CAS-19), or the others were a sum build that a card of the
    rank takes (CAS-21).
    """
    rank_count = sum([card >> 2 == rank for card in cards])
    other_numbers = [rules.number[card >> 2] for card in cards if card >> 2 != rank]
    if not other_numbers:
        return rank_count > 1
    if 0 in other_numbers or rank_count == 0:
        return False
    missing = rules.takes[rank] - sum(other_numbers)
    if missing == 0:
        return len(other_numbers) > 1
    # If an ace takes fourteen, some aces may belong to the sum, as 1 each; another must lie on it.
    return rank == 0 and rules.ace_high and 0 < missing < rank_count


def restore(
    rules: CassinoRules, view: Mapping[str, Any], rng: Random, log: list[Event]
) -> tuple[CassinoDeal, dict[str, Any] | None]:
    """A deal that is consistent with the seat's view, and the result if the match is over."""
    is_over = view["to_act"] is None
    deal = _open_state(rules, state_from_view(view, (*VIEW_KEYS, "sweeps")), log)
    deal_hidden(deal, view, pack(), _open_piles(deal), rng)
    if not is_over:
        return deal, None
    deal.turn = deal.to_act = -1
    return deal, _final_result(deal)


def _final_result(deal: CassinoDeal) -> dict[str, Any]:
    """The result, as far as a view after the end determines it.

    With `end=declare` a match can end by a claim (CAS-36) while cards are left. A view does not
    show the claim, so the scores rank such a match.
    """
    rules = deal.rules
    piles = (deal.captured, deal.cleared)
    if any(deal.hands) or deal.stock:
        return scoring.stopped(rules, deal.number, deal.totals)
    deal._sheet = scoring.lines(rules, deal.captured, deal.cleared)
    points = total(deal._sheet, len(deal.captured))
    deal.totals_before = [
        total_after - gained for total_after, gained in zip(deal.totals, points, strict=True)
    ]
    result = scoring.outcome(rules, deal.number, deal.totals_before, deal.totals, piles, "position")
    assert result is not None  # noqa: S101 - a reason to stop always gives a result
    return result


def _open_piles(deal: CassinoDeal) -> list[list[int]]:
    """The open cards: the table and the captured cards."""
    table = [list(entry.cards) for entry in deal.table]
    return table + [mask_cards(pile) for pile in deal.captured]
