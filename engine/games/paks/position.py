"""Paks deals from outside: the `state` of the examples (section 6), and views (section 5)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from random import Random
from typing import Any

from engine.cards import FIRST_JOKER, SUITS, TEXT, pack, parse_card, parse_cards
from engine.events import Event
from engine.games.paks import scoring
from engine.games.paks.deal import OVER, PAK, STEAL, PaksDeal
from engine.games.paks.options import Rules
from engine.states import integer

_KEYS = (
    *("hands", "shown", "board", "stock", "paks", "turn", "dealer", "deal", "phase"),
    *("compulsory", "drawn", "used_suits", "scores"),
)


def from_state(rules: Rules, state: Mapping[str, Any], log: list[Event]) -> PaksDeal:
    """The deal of a `state`; ValueError names the field that is malformed."""
    unknown = sorted(set(state) - set(_KEYS))
    if unknown:
        raise ValueError(f"A position has no {unknown[0]!r}. It has {', '.join(_KEYS)} and seed.")
    deal = _open_state(rules, state, log)
    deal.hands = [sorted(row) for row in _rows(state, "hands", rules.seats)]
    deal.stock = parse_cards(state.get("stock", []))
    for seat, cards in enumerate(deal.known):
        if Counter(cards) - Counter(deal.hands[seat]):
            raise ValueError(f"shown: seat {seat} does not hold all of these cards.")
    _check_packs(deal)
    if (deal.phase == STEAL) != bool(deal.used):
        raise ValueError("used_suits names the suits used in this turn: some in phase steal only.")
    return deal


def _open_state(rules: Rules, state: Mapping[str, Any], log: list[Event]) -> PaksDeal:
    """The public part of a position."""
    deal = PaksDeal(rules, log)
    deal.number = integer(state, "deal", 0, rules.deals - 1)
    deal.dealer = integer(state, "dealer", rules.seats - 1, rules.seats - 1)
    deal.turn = deal.to_act = integer(state, "turn", 0, rules.seats - 1)
    deal.phase = state.get("phase", PAK)
    if deal.phase not in (PAK, STEAL):
        raise ValueError(f"phase is {PAK} or {STEAL}, not {deal.phase!r}.")
    compulsory = state.get("compulsory", False)
    if not isinstance(compulsory, bool):
        raise ValueError(f"compulsory is true or false, not {compulsory!r}.")  # noqa: TRY004 - bad input is a ValueError by contract
    deal.compulsory = compulsory
    drawn = state.get("drawn")
    deal.drawn = -1 if drawn is None else parse_card(drawn)
    deal.known = [sorted(row) for row in _rows(state, "shown", rules.seats)]
    deal.board = sorted(parse_cards(state.get("board", [])))
    deal.paks = _paks(state.get("paks") or [], rules.seats)
    used = state.get("used_suits", [])
    if not isinstance(used, list) or any(suit not in list(SUITS) for suit in used):
        raise ValueError(f"used_suits is a list of {', '.join(SUITS)}, not {used!r}.")
    deal.used = [SUITS.index(suit) for suit in used]
    if len(set(used)) < len(used):
        raise ValueError("used_suits: a suit is used once in a turn.")
    scores = state.get("scores") or [0] * len(rules.sides)
    if not isinstance(scores, list) or len(scores) != len(rules.sides):
        raise ValueError(f"scores is a list of {len(rules.sides)} whole numbers, not {scores!r}.")
    if not all(type(score) is int and 0 <= score < 10**9 for score in scores):
        raise ValueError(f"scores are whole numbers from 0, not {scores!r}.")
    deal.totals = list(scores)
    return deal


def restore(
    rules: Rules, view: Mapping[str, Any], rng: Random, log: list[Event]
) -> tuple[PaksDeal, dict[str, Any] | None]:
    """A deal that looks the same to the view's seat; and the result if the match is over."""
    over = view["to_act"] is None
    state = {key: view[key] for key in _KEYS if key not in ("hands", "stock")}
    if over:
        state.update(turn=0, phase=PAK)
    deal = _open_state(rules, state, log)
    _deal_hidden(deal, view, rng)
    _check_packs(deal)
    if not over:
        return deal, None
    deal.turn = deal.to_act = -1
    deal.phase = OVER
    return deal, scoring.outcome(rules, deal.number, deal.totals, "position")


def _deal_hidden(deal: PaksDeal, view: Mapping[str, Any], rng: Random) -> None:
    """Own cards and shown ones (PAK-42) where they are, the others at random."""
    if view["seat"] is None:  # spectators see all
        deal.hands = [sorted(parse_cards(hand)) for hand in view["hands"]]
        deal.stock = parse_cards(view["stock_cards"])
        return
    own = view["seat"]
    hands = [cards[:] for cards in deal.known]
    hands[own] = parse_cards(view["hand"])
    seen = Counter(deal.board)
    for cards in [*hands, *(pak for row in deal.paks for pak in row)]:
        seen.update(cards)
    unseen = sorted((Counter(pack() * deal.rules.packs) - seen).elements())
    sizes = [size - len(hands[seat]) for seat, size in enumerate(view["hand_sizes"])]
    if min(sizes) < 0 or sum(sizes) + view["stock"] != len(unseen):
        raise ValueError("This is not a view of a seat: cards are missing or too many in it.")
    rng.shuffle(unseen)
    for seat, size in enumerate(sizes):
        deal.hands[seat] = sorted(hands[seat] + unseen[:size])
        del unseen[:size]
    deal.stock = unseen


def _paks(rows: object, seats: int) -> list[list[list[int]]]:
    """PAK-20, PAK-21: each pak is two cards or more of one suit."""
    if not isinstance(rows, list) or len(rows) > seats:
        raise ValueError(f"paks is a list of {seats} lists of paks, each a list of cards.")
    found: list[list[list[int]]] = []
    for row in rows:
        if not isinstance(row, list):
            raise ValueError(f"paks: {row!r} is not a list of paks.")  # noqa: TRY004 - bad input is a ValueError by contract
        found.append([sorted(parse_cards(pak)) for pak in row])
        for pak in found[-1]:
            if len(pak) < 2 or len({card & 3 for card in pak}) > 1:
                raise ValueError("paks: a pak is two cards or more of one suit.")
    return found + [[] for _ in range(seats - len(found))]


def _rows(state: Mapping[str, Any], key: str, count: int) -> list[list[int]]:
    """A field of card lists, one per seat."""
    rows = state.get(key) or []
    if not isinstance(rows, list) or len(rows) > count:
        raise ValueError(f"{key} is a list of {count} lists of cards.")
    cards = [parse_cards(row) for row in rows]
    return cards + [[] for _ in range(count - len(cards))]


def _check_packs(deal: PaksDeal) -> None:
    """PAK-2: no joker, and no card more often than there are packs."""
    piles = [*deal.hands, deal.stock, deal.board, *(pak for row in deal.paks for pak in row)]
    packs = deal.rules.packs
    for card, number in Counter([card for pile in piles for card in pile]).items():
        if card >= FIRST_JOKER:
            raise ValueError("Paks has no jokers.")
        if number > packs:
            plural = "pack is" if packs == 1 else "packs are"
            raise ValueError(f"{TEXT[card]} is there {number} times; {packs} {plural} used.")
