# ruff: noqa: SLF001 - a copy's private fields are filled by its own class or package
"""Cassino deals from outside: the `state` of the examples (section 6), and views (CAS-48)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from engine.cards import CODE, FIRST_JOKER, TEXT, mask_cards, mask_of, parse_cards
from engine.events import Event
from engine.games.cassino import scoring
from engine.games.cassino.deal import ROUND, CassinoDeal
from engine.games.cassino.items import PAIR, SUM, Item, insert, parse_build
from engine.games.cassino.options import Rules
from engine.states import card_rows, integer

_KEYS = (
    *("table", "hands", "stock", "turn", "dealer", "deal", "captured", "scores"),
    *("sweeps", "last_capture", "by"),
)


def from_state(rules: Rules, state: Mapping[str, Any], log: list[Event]) -> CassinoDeal:
    """The deal of a `state`; ValueError names the field that is malformed."""
    unknown = sorted(set(state) - set(_KEYS))
    if unknown:
        raise ValueError(f"A position has no {unknown[0]!r}. It has {', '.join(_KEYS)} and seed.")
    deal = _open_state(rules, state, log)
    hands = card_rows(state, "hands", rules.seats)
    for seat, hand in enumerate(hands):
        deal.hands[seat] = sorted(hand)
    deal.stock = parse_cards(state.get("stock", []))
    if len(deal.stock) % (ROUND * rules.seats):
        raise ValueError(
            f"stock has {len(deal.stock)} cards; it must be a multiple of {ROUND * rules.seats}."
        )
    _once(deal)
    if not deal.hands[deal.turn]:
        raise ValueError(f"Seat {deal.turn} is to move and must have a card: hands[{deal.turn}].")
    if rules.end != "highest" and max(deal.before) >= rules.target:
        raise ValueError(f"scores: a side already has the target of {rules.target}.")
    return deal


def _open_state(rules: Rules, state: Mapping[str, Any], log: list[Event]) -> CassinoDeal:
    """The public part of a position."""
    deal = CassinoDeal(rules, log)
    sides = len(rules.sides)
    deal.number = integer(state, "deal", 0, rules.deals - 1)
    deal.dealer = integer(state, "dealer", rules.seats - 1, rules.seats - 1)
    deal.turn = deal.to_act = integer(state, "turn", 0, rules.seats - 1)
    by = state.get("by") or []
    ids = state.get("table", [])
    if not isinstance(ids, list) or not isinstance(by, list) or len(by) > len(ids):
        raise ValueError("table and by are lists; by goes in the order of table.")
    for at, text in enumerate(ids):
        owner = by[at] if at < len(by) else None
        if owner is not None and owner not in range(rules.seats):
            raise ValueError(f"by: there is no seat {owner!r}.")
        insert(deal.table, item(rules, text, -1 if owner is None else owner))
    deal.captured = [mask_of(pile) for pile in card_rows(state, "captured", sides)]
    if sum(map(len, card_rows(state, "captured", sides))) != sum(
        pile.bit_count() for pile in deal.captured
    ):
        raise ValueError("captured: a card is there twice.")
    deal.sweeps = _sides(state.get("sweeps", []), sides)
    last = state.get("last_capture")
    deal.last_capture = -1 if last is None else _sides([last], sides)[0]
    scores = state.get("scores") or [0] * sides
    if len(scores) != sides or not all(type(score) is int for score in scores):
        raise ValueError(f"scores is a list of {sides} whole numbers, not {scores!r}.")
    deal.before = list(scores)
    deal.totals = list(scores)
    return deal


def item(rules: Rules, text: object, by: int) -> Item:
    """The item written `text`; ValueError if no play could have made it."""
    card = CODE.get(text, FIRST_JOKER) if isinstance(text, str) else FIRST_JOKER
    if card < FIRST_JOKER:
        return rules.loose[card]
    parsed = parse_build(text) if isinstance(text, str) else None
    if parsed is None:
        raise ValueError(
            f"{text!r} is not an item. Items are written 6D, [3D+4C=7] or [JC+JD:J], "
            "the cards of a build in card order."
        )
    cards, number, rank = parsed
    if not (_pair_made(rules, cards, rank) if number == 0 else _sum_made(rules, cards, number)):
        raise ValueError(f"{text} cannot be built: its cards do not make what it declares.")
    return Item(PAIR if number == 0 else SUM, cards, number, rank, by)


def _sum_made(rules: Rules, cards: Sequence[int], number: int) -> bool:
    """CAS-18, CAS-20, CAS-43: the numbers add up (an ace counts 1; 14 would be too much)."""
    numbers = [rules.number[card >> 2] for card in cards]
    return 0 not in numbers and sum(numbers) == number <= rules.top


def _pair_made(rules: Rules, cards: Sequence[int], rank: int) -> bool:
    """CAS-17, CAS-19, or CAS-21: cards of the rank on a sum build of its number."""
    own = sum([card >> 2 == rank for card in cards])
    others = [rules.number[card >> 2] for card in cards if card >> 2 != rank]
    if not others:
        return own > 1
    if 0 in others or own == 0:
        return False
    missing = rules.takes[rank] - sum(others)
    if missing == 0:
        return len(others) > 1
    # aces that went into a sum of fourteen as ones, before an ace made it a pair build
    return rank == 0 and rules.ace_high and 0 < missing < own


def restore(
    rules: Rules, view: Mapping[str, Any], rng: Random, log: list[Event]
) -> tuple[CassinoDeal, dict[str, Any] | None]:
    """A deal that looks the same to the view's seat; and the result if the match is over."""
    over = view["to_act"] is None
    table = [entry["id"] for entry in view["table"]]
    state = {
        "table": table,
        "by": [entry["by"] for entry in view["table"]],
        "turn": 0 if over else view["to_act"],
        **{key: view[key] for key in ("dealer", "deal", "captured", "scores", "sweeps")},
        "last_capture": view["last_capture"],
    }
    deal = _open_state(rules, state, log)
    _deal_hidden(deal, view, rng)
    _once(deal)
    if not over:
        return deal, None
    deal.turn = deal.to_act = -1
    return deal, _ended(deal)


def _deal_hidden(deal: CassinoDeal, view: Mapping[str, Any], rng: Random) -> None:
    """Own cards where they are, the others at random among all that are not seen."""
    if view["seat"] is None:  # spectators see all
        deal.hands = [parse_cards(hand) for hand in view["hands"]]
        deal.stock = parse_cards(view["stock_cards"])
        return
    own = parse_cards(view["hand"])
    seen = mask_of(own)
    for pile in deal.captured:
        seen |= pile
    for entry in deal.table:
        seen |= entry.mask
    unseen = [card for card in range(52) if not seen >> card & 1]
    sizes = [0 if seat == view["seat"] else n for seat, n in enumerate(view["hand_sizes"])]
    drawn = rng.sample(unseen, sum(sizes) + view["stock"])
    for seat, size in enumerate(sizes):
        deal.hands[seat] = sorted(drawn[:size])
        del drawn[:size]
    deal.hands[view["seat"]] = sorted(own)
    deal.stock = drawn


def _ended(deal: CassinoDeal) -> dict[str, Any]:
    """The result that a view after the end lets one infer.

    A view does not tell who claimed: a match that ended with cards in hand gets the ranks of its
    scores.
    """
    rules = deal.rules
    piles = (deal.captured, deal.sweeps)
    if any(deal.hands) or deal.stock:
        return scoring.stopped(rules, deal.number, deal.totals)
    deal._sheet = scoring.lines(rules, deal.captured, deal.sweeps)
    points = scoring.total(deal._sheet, len(deal.captured))
    deal.before = [new - got for new, got in zip(deal.totals, points, strict=True)]
    ended = scoring.outcome(rules, deal.number, deal.before, deal.totals, piles, "position")
    assert ended is not None  # noqa: S101 - with a reason to stop there is always a result
    return ended


def _sides(values: object, sides: int) -> list[int]:
    if not isinstance(values, list) or any(
        type(side) is not int or not 0 <= side < sides for side in values
    ):
        raise ValueError(f"sweeps and last_capture name sides 0 to {sides - 1}, not {values!r}.")
    return list(values)


def _once(deal: CassinoDeal) -> None:
    """CAS-2: one pack of 52: no joker, no card twice."""
    cards = [card for hand in deal.hands for card in hand] + deal.stock
    for entry in deal.table:
        cards += entry.cards
    seen = 0
    for card in cards + [card for pile in deal.captured for card in mask_cards(pile)]:
        if card >= FIRST_JOKER:
            raise ValueError("Cassino has no jokers.")
        if seen >> card & 1:
            raise ValueError(f"{TEXT[card]} is there twice; one pack of 52 is used.")
        seen |= 1 << card
