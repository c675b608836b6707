"""Zwicker deals from outside: the `state` of the examples (section 8), and views (ZWI-51)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from engine.cards import CODE, TEXT, pack, parse_cards
from engine.events import Event
from engine.games.zwicker import scoring
from engine.games.zwicker.deal import ZwickerDeal
from engine.games.zwicker.items import Item, insert, parse_build
from engine.games.zwicker.options import JOKER, TOP, Rules
from engine.states import card_rows, integer

_KEYS = (
    *("table", "hands", "stock", "turn", "dealer", "deal", "captured", "scores"),
    *("zwicks", "last_capture", "by"),
)


def full_pack(rules: Rules) -> list[int]:
    """ZWI-2: pack after pack, each with its jokers last."""
    return pack(rules.jokers) * rules.packs


def from_state(rules: Rules, state: Mapping[str, Any], log: list[Event]) -> ZwickerDeal:
    """The deal of a `state`; ValueError names the field that is malformed."""
    unknown = sorted(set(state) - set(_KEYS))
    if unknown:
        raise ValueError(f"A position has no {unknown[0]!r}. It has {', '.join(_KEYS)} and seed.")
    deal = _open_state(rules, state, log)
    deal.hands = [sorted(hand) for hand in card_rows(state, "hands", rules.seats)]
    deal.stock = parse_cards(state.get("stock", []))
    whole = rules.round * rules.seats
    if not rules.wild and len(deal.stock) % whole:
        raise ValueError(f"stock has {len(deal.stock)} cards; it must be a multiple of {whole}.")
    _in_pack(deal)
    if not deal.hands[deal.turn]:
        raise ValueError(f"Seat {deal.turn} is to move and must have a card: hands[{deal.turn}].")
    return deal


def _open_state(rules: Rules, state: Mapping[str, Any], log: list[Event]) -> ZwickerDeal:
    """The public part of a position."""
    deal = ZwickerDeal(rules, log)
    deal.number = integer(state, "deal", 0, rules.deals - 1)
    deal.dealer = integer(state, "dealer", rules.seats - 1, rules.seats - 1)
    deal.turn = deal.to_act = integer(state, "turn", 0, rules.seats - 1)
    by = state.get("by") or []
    ids = state.get("table", [])
    if not isinstance(ids, list) or not isinstance(by, list) or len(by) > len(ids):
        raise ValueError("table and by are lists; by goes in the order of table.")
    for at, text in enumerate(ids):
        owner = by[at] if at < len(by) else None
        seat = -1 if owner is None else _seats([owner], rules.seats)[0]
        insert(deal.table, item(rules, text, seat))
    deal.captured = [sorted(pile) for pile in card_rows(state, "captured", rules.seats)]
    deal.zwicks = _seats(state.get("zwicks") or [], rules.seats)
    last = state.get("last_capture")
    deal.last_capture = -1 if last is None else _seats([last], rules.seats)[0]
    scores = state.get("scores") or [0] * rules.seats
    if (
        not isinstance(scores, list)
        or len(scores) != rules.seats
        or not all(type(score) is int for score in scores)
    ):
        raise ValueError(f"scores is a list of {rules.seats} whole numbers, not {scores!r}.")
    deal.totals = list(scores)
    return deal


def item(rules: Rules, text: object, by: int) -> Item:
    """The item written `text`; ValueError if no play could have made it."""
    if isinstance(text, str) and text in CODE:
        return rules.loose[CODE[text]]
    parsed = parse_build(text) if isinstance(text, str) else None
    if parsed is None:
        raise ValueError(
            f"{text!r} is not an item. Items are written 6D or [3D+4C=7], "
            "the cards of a build in card order."
        )
    cards, value = parsed
    if not (_summed(rules, cards, value) if rules.wild else _reached(rules, cards, value)):
        raise ValueError(f"{text} cannot be built: its cards do not make what it declares.")
    return Item(cards, (value,), by)


def _summed(rules: Rules, cards: Sequence[int], value: int) -> bool:
    """ZWI-17, ZWI-22: the sum, 14 at most, each joker counting 2 or more."""
    least = sum([rules.values[card][0] for card in cards])
    return value <= TOP and (value == least or (JOKER in cards and value > least))


def _reached(rules: Rules, cards: Sequence[int], value: int) -> bool:
    """ZWI-35, ZWI-36: some sums and differences make it, and some card can have it."""
    found = {0}
    for card in cards:
        own = rules.values[card]
        found = {old + sign * new for old in found for new in own for sign in (1, -1)}
    return value in found and any(value in rules.values[card] for card in full_pack(rules))


def restore(
    rules: Rules, view: Mapping[str, Any], rng: Random, log: list[Event]
) -> tuple[ZwickerDeal, dict[str, Any] | None]:
    """A deal that looks the same to the view's seat; and the result if the match is over."""
    over = view["to_act"] is None
    state = {
        "table": [entry["id"] for entry in view["table"]],
        "by": [entry["by"] for entry in view["table"]],
        "turn": 0 if over else view["to_act"],
        **{key: view[key] for key in ("dealer", "deal", "captured", "scores", "zwicks")},
        "last_capture": view["last_capture"],
    }
    deal = _open_state(rules, state, log)
    _deal_hidden(deal, view, rng)
    _in_pack(deal)
    if not over:
        return deal, None
    deal.turn = deal.to_act = -1
    deal._sheet = scoring.lines(rules, deal.captured, deal.zwicks)  # noqa: SLF001 - filled by its own package
    return deal, scoring.outcome(rules, deal.number, deal.totals, "position")


def _deal_hidden(deal: ZwickerDeal, view: Mapping[str, Any], rng: Random) -> None:
    """Own cards where they are, the others at random among all that are not seen."""
    if view["seat"] is None:  # spectators see all
        deal.hands = [parse_cards(hand) for hand in view["hands"]]
        deal.stock = parse_cards(view["stock_cards"])
        return
    own = sorted(parse_cards(view["hand"]))
    unseen = Counter(full_pack(deal.rules))
    unseen.subtract(own)
    for pile in (*deal.captured, *(entry.cards for entry in deal.table)):
        unseen.subtract(pile)
    if unseen and min(unseen.values()) < 0:
        raise ValueError("This is not a view of a seat: it shows more cards than the packs have.")
    sizes = [0 if seat == view["seat"] else n for seat, n in enumerate(view["hand_sizes"])]
    drawn = rng.sample(sorted(unseen.elements()), sum(sizes) + view["stock"])
    for seat, size in enumerate(sizes):
        deal.hands[seat] = sorted(drawn[:size])
        del drawn[:size]
    deal.hands[view["seat"]] = own
    deal.stock = drawn


def _seats(values: object, seats: int) -> list[int]:
    if not isinstance(values, list) or any(
        type(seat) is not int or not 0 <= seat < seats for seat in values
    ):
        raise ValueError(
            f"by, zwicks and last_capture name seats 0 to {seats - 1}, not {values!r}."
        )
    return list(values)


def _in_pack(deal: ZwickerDeal) -> None:
    """ZWI-2: no card is there more often than the packs have it."""
    left = Counter(full_pack(deal.rules))
    for pile in (*deal.hands, deal.stock, *deal.captured, *(entry.cards for entry in deal.table)):
        left.subtract(pile)
    for card, count in sorted(left.items()):
        if count < 0:
            raise ValueError(f"{TEXT[card]} is there more often than {deal.rules.text} has it.")
