"""Read Canasta deals from a `state` (docs/rules/canasta.md, section 12) or a view (CAN-94)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any, Final

from engine.cards import TEXT, pack, parse_cards
from engine.determinize import shuffle_in_place
from engine.events import Event
from engine.games.canasta import moves, scoring
from engine.games.canasta.card_kinds import KIND, RED, freezes
from engine.games.canasta.deal import CanastaDeal
from engine.games.canasta.melds import Meld, parse_meld, sorted_melds
from engine.games.canasta.options import CanastaRules
from engine.states import check_keys, read_integer, read_scores, unused_cards

_KEYS: Final = (
    "seat",
    "phase",
    "hand",
    "hands",
    "melds",
    "pile",
    "stock",
    "stock_top",
    "frozen",
    "scores",
    "melded",
    "sides",
    "deal",
    "red3",
)


def from_state(rules: CanastaRules, state: Mapping[str, Any], log: list[Event]) -> CanastaDeal:
    """The deal of a `state`; ValueError names the malformed field.

    Fields that the rules do not list: ``deal`` (the deal's number, from 0), ``hands`` (of other
    seats, by seat as text), ``red3`` (the red threes on the table, by seat). Missing hands are
    dealt from the remaining cards.
    """
    check_keys(state, _KEYS)
    deal = CanastaDeal(rules, log, read_integer(state, "deal", 0, rules.deals - 1))
    seat = read_integer(state, "seat", deal.chairs[0], rules.seats - 1)
    if seat not in deal.chairs:
        raise ValueError(f"seat: seat {seat} rests in deal {deal.number}.")
    phase = state.get("phase", "choose")
    if phase not in ("choose", "start"):
        raise ValueError(f"phase is 'choose' or 'start', not {phase!r}.")
    _open_sides(deal, state.get("sides"))
    _open_table(deal, state)
    _open_hands(deal, state, seat)
    for other in range(rules.seats):
        deal.started[other] = other != seat or phase == "choose"
    for other in state.get("melded", []):
        if other not in deal.chairs:
            raise ValueError(f"melded must list seats that play, not {other!r}.")
        deal.melded[other] = True
    deal.begin(seat)
    return deal


def _open_sides(deal: CanastaDeal, sides: object) -> None:
    """Read the sides. They may differ from the format's only in table form `1v2` (CAN-76)."""
    if sides is None or sides == deal.sides:
        return
    pairs = ([[0], [1, 2]], [[0, 1], [2]], [[0, 2], [1]])
    if not deal.rules.finds_sides or sides not in pairs:
        raise ValueError(f"sides: {sides!r} are not sides of {deal.rules.text}.")
    deal.sides = next([side[:] for side in partition] for partition in pairs if partition == sides)
    deal.melds = [[] for _ in deal.sides]


def _open_table(deal: CanastaDeal, state: Mapping[str, Any]) -> None:
    """Read melds, pile and scores."""
    melds = state.get("melds", {})
    if not isinstance(melds, Mapping):
        raise ValueError('melds is an object by side: {"0": [["KC", "KD", "KS"]], "1": []}.')  # noqa: TRY004 - bad input is a ValueError by contract
    for side, meld_rows in melds.items():
        if str(side) not in map(str, range(len(deal.sides))):
            raise ValueError(f"melds: there is no side {side!r}.")
        for cards in meld_rows:
            deal.melds_made += 1
            deal.melds[int(side)].append(parse_meld(parse_cards(cards), deal.melds_made))
    for side, side_melds in enumerate(deal.melds):
        deal.melds[side] = sorted_melds(side_melds)
        kinds = [meld.kind for meld in side_melds]
        if not deal.rules.tworank and len(set(kinds)) < len(kinds):
            raise ValueError(f"melds: side {side} has two melds of one rank.")
    deal.pile = parse_cards(state.get("pile", []))
    deal.frozen = any(freezes(KIND[card]) for card in deal.pile)
    if bool(state.get("frozen", deal.frozen)) != deal.frozen:
        raise ValueError(
            "frozen must be true if the pile has a wild card or a red three, and else false."
        )
    deal.totals = read_scores(state, len(deal.totals))


def _open_hands(deal: CanastaDeal, state: Mapping[str, Any], seat: int) -> None:
    """Read hands, stock and red threes on the table. Deal missing cards, always in the same way."""
    rules = deal.rules
    remaining = pack(["X", "X"]) * rules.packs
    named_hands = {str(seat): state.get("hand", []), **state.get("hands", {})}
    for key, cards in named_hands.items():
        if key not in map(str, deal.chairs):
            raise ValueError(f"hands: seat {key!r} does not play.")
        deal.hands[int(key)] = sorted(parse_cards(cards))
    top = parse_cards(state.get("stock_top", []))
    tabled = [parse_cards(cards) for cards in state.get("red3", [])]
    deal.red3 = [*tabled, *([] for _ in range(rules.seats - len(tabled)))]
    placed = [*deal.hands, deal.pile, top, *deal.red3]
    for card in [card for pile in placed + _all_melds(deal) for card in pile]:
        if card not in remaining:
            raise ValueError(f"{TEXT[card]} occurs more often than in {rules.packs} packs.")
        remaining.remove(card)
    Random(0).shuffle(remaining)
    # Red threes go last, because a seat that has had a turn holds none.
    remaining.sort(key=lambda card: KIND[card] == RED)
    others = [other for other in deal.chairs if str(other) not in named_hands]
    stock = read_integer(state, "stock", len(top), 200)
    max_dealt = max(0, len(remaining) - (stock - len(top)))
    if stock < len(top) or stock - len(top) > len(remaining):
        raise ValueError(f"stock: {stock} is not the number of cards left after the named ones.")
    size = min(rules.hand, max_dealt // len(others)) if others else 0
    for other in others:
        deal.hands[other] = sorted(remaining[:size])
        del remaining[:size]
    deal.stock = top + remaining[len(remaining) - (stock - len(top)) :]


def _all_melds(deal: CanastaDeal) -> list[list[int]]:
    return [list(meld.cards) for melds in deal.melds for meld in melds]


def restore(
    rules: CanastaRules, view: Mapping[str, Any], rng: Random, log: list[Event]
) -> tuple[CanastaDeal, dict[str, Any] | None]:
    """A deal that agrees with the seat's view, and the result if the match is over.

    A view does not show which seats have melded (CAN-52). In this deal, all seats of a side with
    melds have.
    """
    deal = CanastaDeal(rules, log, view["deal"])
    is_over = view["to_act"] is None
    deal.turn, deal.to_act = (-1, -1) if is_over else (view["turn"], view["to_act"])
    deal.totals = list(view["scores"])
    deal.sides = [list(side) for side in view["sides"]]
    deal.melds = []
    for melds in view["melds"]:
        deal.melds.append([_meld(deal, meld) for meld in melds])
    _read_step(deal, view)
    _read_first_turns(deal, view)
    _deal_hidden(deal, view, rng)
    if not is_over:
        return deal, None
    return deal, scoring.outcome(rules, deal.number, deal.totals, "position")


def _meld(deal: CanastaDeal, meld: Mapping[str, Any]) -> Meld:
    deal.melds_made += 1
    return parse_meld(parse_cards(meld["cards"]), deal.melds_made)


def _read_step(deal: CanastaDeal, view: Mapping[str, Any]) -> None:
    """Read the turn in progress."""
    step = view["step"]
    deal.phase = view["phase"]
    deal.drew, deal.counted = step["drew"], step["counted"]
    deal.took = deal.phase in (moves.PHASE_MELD, moves.PHASE_ANSWER) and not deal.drew
    deal.stepped, deal.has_discard = step["melded"], step["discard"]
    deal.settled = step["settled"]
    deal.asked, deal.committed, deal.refused = step["asked"], step["committed"], step["refused"]
    if deal.turn >= 0:
        opened = bool(deal.melds[deal.side_of(deal.turn)])
        deal.had_meld = opened and not deal.counted  # melded cards count at least five (CAN-3)
    for side, seats in enumerate(deal.sides):
        for seat in seats:
            own_first = seat == deal.turn and not deal.had_meld
            deal.melded[seat] = bool(deal.melds[side]) and not own_first


def _read_first_turns(deal: CanastaDeal, view: Mapping[str, Any]) -> None:
    """Read which seats have begun a turn, and which have discarded, as far as a view shows it."""
    seat, order = view["seat"], deal.order()
    acting = order.index(deal.turn) if deal.turn >= 0 else len(order)
    pile_open = view["pile"]["cards"] is not None
    in_first_round = deal.turn >= 0 and _covers_first_round(deal, view, acting)
    if seat in order and pile_open and not in_first_round:
        in_first_round = deal.turn >= 0 and acting <= order.index(seat)
    for place, other in enumerate(order):
        deal.started[other] = not in_first_round or place <= acting
        deal.discarded[other] = place < acting or not in_first_round
    if seat in order:
        deal.discarded[seat] = not pile_open


def _covers_first_round(deal: CanastaDeal, view: Mapping[str, Any], acting: int) -> bool:
    """Whether hands and stock are so large that the deal can be in its first round."""
    rules = deal.rules
    sizes = view["hand_sizes"]
    order = deal.order()
    if any(sizes[other] != rules.hand for other in order[acting + 1 :]):
        return False
    drawn_cards = 54 * rules.packs - rules.hand * len(order) - view["stock"]
    used = (acting + 1) * rules.draw + sum(view["red3"]) + max(1, view["pile"]["size"] - acting)
    return bool(drawn_cards <= used)


def _deal_hidden(deal: CanastaDeal, view: Mapping[str, Any], rng: Random) -> None:
    """Deal the cards that the view does not show at random to hands, stock and pile."""
    rules = deal.rules
    pile_view = view["pile"]
    hidden = HiddenCards(rules, rng)
    visible = [card for cards in _all_melds(deal) for card in cards]
    pile = parse_cards(pile_view["cards"]) if pile_view["cards"] is not None else None
    if pile is None and pile_view["top"] is not None:
        visible += parse_cards([pile_view["top"]])
    visible += pile or []
    spectators = view["seat"] is None
    if not spectators:
        visible += parse_cards(view["hand"])
        hidden.see(visible)
    else:
        deal.red3 = [sorted(parse_cards(cards)) for cards in view["red3_cards"]]
        hidden.see(visible + [card for cards in deal.red3 for card in cards])
    hidden.shuffle_in_place()
    if not spectators:
        deal.red3 = [sorted(hidden.red_threes(count)) for count in view["red3"]]
    sizes = [0 if seat == view["seat"] else size for seat, size in enumerate(view["hand_sizes"])]
    if pile is None:
        open_seats = [seat for seat, size in enumerate(sizes) if size and not deal.started[seat]]
        red3_places = view["stock"] + sum([sizes[seat] for seat in open_seats])
        pile = hidden.pile(pile_view, red3_places)
    deal.pending = pile if view["step"]["pending"] else []
    deal.pile = [] if deal.pending else pile
    deal.frozen = pile_view["frozen"]
    if spectators:
        deal.hands = [parse_cards(hand) for hand in view["hands"]]
        deal.stock = parse_cards(view["stock_cards"])
        return
    if not rules.red3discard:
        hidden.red_threes_last()
    for seat in range(rules.seats):
        if deal.started[seat]:
            deal.hands[seat] = sorted(hidden.draw(sizes[seat]))
    hidden.shuffle_in_place()
    for seat in range(rules.seats):
        if not deal.started[seat]:
            deal.hands[seat] = sorted(hidden.draw(sizes[seat]))
    deal.hands[view["seat"]] = sorted(parse_cards(view["hand"]))
    deal.stock = hidden.draw(view["stock"])


class HiddenCards:
    """The cards that a seat does not see; sorted until `shuffle_in_place` is called."""

    def __init__(self, rules: CanastaRules, rng: Random) -> None:
        self.cards: list[int] = sorted(pack(["X", "X"]) * rules.packs)
        self.red3discard: bool = rules.red3discard
        self.rng: Random = rng

    def see(self, cards: Sequence[int]) -> None:
        """Remove cards that the seat sees; ValueError if the packs do not have them."""
        remaining = unused_cards(self.cards, [cards])
        if remaining is None:
            missing = next(c for c in cards if self.cards.count(c) < list(cards).count(c))
            raise ValueError(f"The view shows {TEXT[missing]} more often than the packs have it.")
        self.cards = remaining

    def shuffle_in_place(self) -> None:
        """Bring the cards into a random order."""
        shuffle_in_place(self.cards, self.rng)

    def take(self, cards: Sequence[int]) -> None:
        """Remove cards that must be present, and keep the order of the others."""
        for card in cards:
            self.cards.remove(card)

    def red_threes(self, count: int) -> list[int]:
        """Remove and return `count` red threes for a seat's table; their suits do not matter."""
        if not count:
            return []
        threes = [card for card in self.cards if KIND[card] == RED][:count]
        self.take(threes)
        return threes

    def red_threes_last(self) -> None:
        """Move red threes to the end, so that other cards are drawn first if possible."""
        reds = [card for card in self.cards if KIND[card] == RED]
        if reds:
            self.cards = [card for card in self.cards if KIND[card] != RED] + reds

    def draw(self, count: int) -> list[int]:
        """Remove and return the next `count` cards; ValueError if fewer are left."""
        if count > len(self.cards):
            raise ValueError("The view's hands, stock and pile are more cards than the packs have.")
        drawn = self.cards[:count]
        del self.cards[:count]
        return drawn

    def pile(self, pile_view: Mapping[str, Any], other_places: int) -> list[int]:
        """Remove and return cards for the pile, below the top card that the view shows.

        A frozen pile gets a card that freezes it (CAN-25). `other_places`: the number of places
        outside the pile where red threes can be.
        """
        top = parse_cards([pile_view["top"]]) if pile_view["top"] is not None else []
        size = pile_view["size"] - len(top)
        cards: list[int] = []
        if pile_view["frozen"] or not top:
            reds = [card for card in self.cards if KIND[card] == RED]
            cards += reds[: min(size, max(0, len(reds) - other_places))]
        if pile_view["frozen"] and size and not any(freezes(KIND[c]) for c in cards + top):
            cards += [card for card in self.cards if freezes(KIND[card]) and KIND[card] != RED][:1]
        self.take(cards)
        must_not_freeze = not pile_view["frozen"] and bool(top)
        last_resort = [c for c in self.cards if self._is_last_resort(c, must_not_freeze)]
        if last_resort:
            usable = [c for c in self.cards if not self._is_last_resort(c, must_not_freeze)]
            self.cards = usable + last_resort
        pile = [*cards, *self.draw(size - len(cards)), *top]
        if last_resort and must_not_freeze:
            self.shuffle_in_place()
        return pile

    def _is_last_resort(self, card: int, must_not_freeze: bool) -> bool:  # noqa: FBT001
        """Whether a card goes into the pile only if no other card is left."""
        kind = KIND[card]
        return (kind == RED and not self.red3discard) or (must_not_freeze and freezes(kind))
