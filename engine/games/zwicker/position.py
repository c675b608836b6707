"""Read Zwicker deals from a `state` of the examples in docs/rules/zwicker.md, or from a view."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from engine.cards import CODE, pack
from engine.determinize import deal_hidden
from engine.events import Event
from engine.fishing import STATE_KEYS, VIEW_KEYS, check_playable, read_hidden, read_open
from engine.games.zwicker import scoring
from engine.games.zwicker.deal import ZwickerDeal
from engine.games.zwicker.items import ZwickerItem, insert, parse_build
from engine.games.zwicker.options import JOKER, TOP, ZwickerRules
from engine.states import check_keys, read_card_rows, read_table_items, state_from_view


def full_pack(rules: ZwickerRules) -> list[int]:
    """All cards of the format: one or two packs, each with its jokers last (ZWI-2)."""
    return pack(rules.jokers) * rules.packs


def from_state(rules: ZwickerRules, state: Mapping[str, Any], log: list[Event]) -> ZwickerDeal:
    """The deal of a `state`; ValueError names the malformed field."""
    check_keys(state, (*STATE_KEYS, "zwicks"))
    deal = _open_state(rules, state, log)
    read_hidden(deal, state, 1 if rules.wild else rules.round * rules.seats)
    check_playable(deal, full_pack(rules), _open_piles(deal), rules.text)
    return deal


def _open_state(rules: ZwickerRules, state: Mapping[str, Any], log: list[Event]) -> ZwickerDeal:
    deal = ZwickerDeal(rules, log)
    read_open(deal, state, rules.deals, "zwicks", "seats")
    for text, by in read_table_items(state, rules.seats):
        insert(deal.table, parse_item(rules, text, by))
    deal.captured = [sorted(pile) for pile in read_card_rows(state, "captured", rules.seats)]
    return deal


def parse_item(rules: ZwickerRules, text: object, by: int) -> ZwickerItem:
    """The item with this text; ValueError if no play could have made it."""
    if isinstance(text, str) and text in CODE:
        return rules.loose[CODE[text]]
    parsed = parse_build(text) if isinstance(text, str) else None
    if parsed is None:
        raise ValueError(
            f"{text!r} is not an item. Write an item as 6D or [3D+4C=7], and sort the cards of a "
            "build by rank, then by suit (C D H S), jokers last."
        )
    cards, value = parsed
    if not (_is_sum(rules, cards, value) if rules.wild else _is_reachable(rules, cards, value)):
        raise ValueError(
            f"{text} cannot be built: its cards do not make the value that it declares."
        )
    return ZwickerItem(cards, (value,), by)


def _is_sum(rules: ZwickerRules, cards: Sequence[int], value: int) -> bool:
    """Whether the cards of a build can add up to `value`, at most 14 (ZWI-17, ZWI-22).

    Each joker counts 2 or more.
    """
    lowest_value = sum([rules.values[card][0] for card in cards])
    return value <= TOP and (value == lowest_value or (JOKER in cards and value > lowest_value))


def _is_reachable(rules: ZwickerRules, cards: Sequence[int], value: int) -> bool:
    """Whether sums and differences of the cards can make `value` (ZWI-35).

    Some card of the pack must have this value, so that it can take the build (ZWI-36).
    """
    totals = {0}
    for card in cards:
        card_values = rules.values[card]
        totals = {
            total + sign * card_value
            for total in totals
            for card_value in card_values
            for sign in (1, -1)
        }
    return value in totals and any(value in rules.values[card] for card in full_pack(rules))


def restore(
    rules: ZwickerRules, view: Mapping[str, Any], rng: Random, log: list[Event]
) -> tuple[ZwickerDeal, dict[str, Any] | None]:
    """A deal that agrees with the seat's view, and the result if the match is over."""
    is_over = view["to_act"] is None
    deal = _open_state(rules, state_from_view(view, (*VIEW_KEYS, "zwicks")), log)
    deal_hidden(deal, view, full_pack(rules), _open_piles(deal), rng)
    if not is_over:
        return deal, None
    deal.turn = deal.to_act = -1
    deal._sheet = scoring.lines(rules, deal.captured, deal.cleared)  # noqa: SLF001 - filled by its own package
    return deal, scoring.outcome(rules, deal.number, deal.totals, "position")


def _open_piles(deal: ZwickerDeal) -> list[list[int]]:
    """The open cards: the table and the captured cards."""
    return [*(list(entry.cards) for entry in deal.table), *deal.captured]
