"""Read Spoon Eye deals from a `state` or a view (docs/rules/spoon-eye.md, sections 5 and 6)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import TYPE_CHECKING, Any, Final, cast

from engine.cards import TEXT, mask_cards, mask_of, pack, parse_cards
from engine.determinize import deal_hidden
from engine.events import Event
from engine.games.spoon_eye import masts, moves, scoring
from engine.games.spoon_eye.deal import SpoonEyeDeal
from engine.games.spoon_eye.options import FULL, ROW, SpoonEyeRules
from engine.states import check_keys, check_pack, read_boolean, read_heading, read_integer

if TYPE_CHECKING:
    from engine.games.spoon_eye.json_types import Phase

_KEYS: Final = (
    "hands",
    "masts",
    "stock",
    "won",
    "turn",
    "to_act",
    "phase",
    "dealer",
    "deal",
    "raised",
    "pending",
    "first",
    "nest_run",
    "known",
    "scores",
)
_PHASES: Final = ("start", "play", "take", "steal")
_EFFECTS: Final = ("3", "4", "9")
_MAX_SCORE: Final = 100_000


def from_state(rules: SpoonEyeRules, state: Mapping[str, Any], log: list[Event]) -> SpoonEyeDeal:
    """The deal of a `state`; ValueError names the malformed field."""
    check_keys(state, _KEYS)
    deal = _open_state(rules, state, log)
    deal.hands = [sorted(parse_cards(hand)) for hand in _read_rows(state, "hands", rules.seats)]
    deal.stock = parse_cards(state.get("stock") or [])
    check_pack(pack(), [*deal.hands, deal.stock, *_open_piles(deal)], rules.text)  # SPO-1
    deal.known = _known_cards(deal, state)
    _check_phase(deal, has_card=bool(deal.hands[deal.turn]))
    return deal


def _open_state(rules: SpoonEyeRules, state: Mapping[str, Any], log: list[Event]) -> SpoonEyeDeal:
    seats, sides = rules.seats, len(rules.sides)
    deal = SpoonEyeDeal(rules, log)
    read_heading(deal, state, rules.deals)
    deal.to_act = read_integer(state, "to_act", deal.turn, seats - 1)
    deal.phase = cast("Phase", _read_choice(state, "phase", "play", _PHASES))
    deal.masts = [
        _read_masts(seat, row) for seat, row in enumerate(_read_rows(state, "masts", seats))
    ]
    for side, pile in enumerate(_read_rows(state, "won", sides)):
        won = pile or {"single": [], "double": []}
        if not isinstance(won, Mapping) or set(won) != {"single", "double"}:
            raise ValueError('won must have {"single": cards, "double": cards} for each side.')
        deal.single[side] = _read_mask(won["single"])
        deal.double[side] = _read_mask(won["double"])
    deal.raised = _read_raised(rules, state.get("raised"))
    deal.pending = _read_choice(state, "pending", "", _EFFECTS)
    deal.is_first_turn = read_boolean(state, "first")
    runs = _read_rows(state, "nest_run", seats)
    deal.nest_run = [read_integer({"nest_run": run or 0}, "nest_run", 0, rules.run) for run in runs]
    for side, entry in enumerate(_read_rows(state, "scores", sides)):
        deal.below[side], deal.above[side] = _read_score(entry or {"base": 0, "bonus": 0})
    return deal


def _read_masts(seat: int, row: object) -> list[masts.Mast]:
    """A seat's masts; ValueError if they cannot occur in play."""
    if not isinstance(row, list) or len(row) > ROW:
        raise ValueError(
            f"masts of seat {seat} must be a list of at most {ROW} lists of cards (SPO-12)."
        )
    cards_by_mast = [tuple(parse_cards(mast)) for mast in row]
    for mast in cards_by_mast:
        if not mast or masts.value(mast) >= FULL:
            raise ValueError(
                f"masts of seat {seat}: {' '.join(TEXT[card] for card in mast) or 'an empty mast'} "
                f"cannot stand, because a mast is worth 1 to {FULL - 1} (SPO-10, SPO-19)."
            )
    return [masts.Mast(cards) for cards in cards_by_mast]


def _read_raised(rules: SpoonEyeRules, raised: object) -> tuple[int, int, masts.Cards] | None:
    if raised is None:
        return None
    if not isinstance(raised, Mapping) or set(raised) != {"seat", "by", "cards"}:
        raise ValueError('raised must be {"seat": owner, "by": player, "cards": [...]} or null.')
    mast = tuple(parse_cards(raised["cards"]))
    if masts.value(mast) != FULL:
        raise ValueError(f"raised: the cards are worth {masts.value(mast)}, not {FULL} (SPO-19).")
    high = rules.seats - 1
    return read_integer(raised, "seat", 0, high), read_integer(raised, "by", 0, high), mast


def _read_score(entry: object) -> tuple[int, int]:
    if not isinstance(entry, Mapping) or set(entry) != {"base", "bonus"}:
        raise ValueError('scores must have {"base": points, "bonus": points} for each side.')
    base = read_integer(entry, "base", 0, _MAX_SCORE)
    bonus = entry["bonus"]
    if type(bonus) is not int or abs(bonus) > _MAX_SCORE:
        raise ValueError(f"scores: a bonus must be a whole number, not {bonus!r}.")
    return base, bonus


def _known_cards(deal: SpoonEyeDeal, state: Mapping[str, Any]) -> list[list[int]]:
    """The cards that each viewer knows in each hand, as bit masks (SPO-57).

    ValueError if a hand does not contain them.
    """
    seats = deal.rules.seats
    known: list[list[int]] = []
    for viewer, hands in enumerate(_read_rows(state, "known", seats)):
        masks = [
            _read_mask(cards) for cards in _read_rows({"known": hands or None}, "known", seats)
        ]
        for seat, mask in enumerate(masks):
            if mask & ~(0 if seat == viewer else mask_of(deal.hands[seat])):
                raise ValueError(f"known: seat {viewer} cannot know these cards of seat {seat}.")
        known.append(masks)
    return known


def _check_phase(deal: SpoonEyeDeal, *, has_card: bool) -> None:
    """Raise ValueError if the deal cannot be in its phase. Play skips phases without a choice."""
    phase = deal.phase
    if (deal.raised is not None) != (phase == "take"):
        raise ValueError("raised must be given in the phase take, and in no other.")
    if deal.pending and phase != "take":
        raise ValueError("pending must be left out, except in the phase take.")
    actor = deal.turn if deal.raised is None else deal.raised[0]
    if deal.raised is not None and deal.raised[1] != deal.turn:
        raise ValueError("raised: by must be the seat whose turn it is.")
    if deal.to_act != actor:
        raise ValueError(f"to_act: in the phase {phase} seat {actor} is to act.")
    if phase == "play" and not has_card:
        raise ValueError(f"Seat {deal.turn} is to play, so hands[{deal.turn}] must have a card.")
    if phase == "start" and not (deal.stock and deal.may_move_nest() and moves.nest_moves(deal)):
        raise ValueError("The phase start needs a stock and a crow's nest to move (SPO-37).")
    if phase == "take" and not moves.seats_to_plunder(deal):
        raise ValueError("The phase take needs a mast that can be taken (SPO-20).")
    if phase == "steal" and not moves.steals(deal):
        raise ValueError("The phase steal needs a crow's nest that fits (SPO-28).")


def restore(
    rules: SpoonEyeRules, view: Mapping[str, Any], rng: Random, log: list[Event]
) -> tuple[SpoonEyeDeal, dict[str, Any] | None]:
    """A deal that agrees with the seat's view, and the result if the match is over.

    A view does not show what the other seats know about hands (SPO-57). In this deal they know
    nothing about them.
    """
    is_over = view["to_act"] is None
    state = {key: view[key] for key in _KEYS if key in view and key != "known"}
    state["scores"] = view["sheet"]
    if is_over:
        state.update(turn=0, to_act=0, phase="play")
    deal = _open_state(rules, state, log)
    seats = rules.seats
    known_cards = [_read_mask(cards) for cards in _read_rows(view, "known", seats)]  # SPO-57
    known_rows = [mask_cards(mask) for mask in known_cards]
    deal_hidden(deal, view, pack(), _open_piles(deal), rng, known_rows)
    if view["seat"] is not None:
        deal.known[view["seat"]] = known_cards
    if not is_over:
        _check_phase(deal, has_card=True)
        return deal, None
    deal.phase = "deal_over"
    deal.turn = deal.to_act = -1
    result = scoring.outcome(rules, deal.number, deal.below, deal.above, "position")
    return deal, result


def _open_piles(deal: SpoonEyeDeal) -> list[list[int]]:
    """The open cards: masts, including a raised one, and won cards."""
    piles = [list(mast.cards) for row in deal.masts for mast in row]
    piles += [mask_cards(pile) for pile in (*deal.single, *deal.double)]
    return [*piles, list(deal.raised[2]) if deal.raised else []]


def _read_rows(state: Mapping[str, Any], key: str, count: int) -> Sequence[Any]:
    """A field's `count` entries, one per seat or side; empty lists if it is missing or null.

    ValueError if the field is not a list of this length.
    """
    rows = state.get(key)
    if rows is None:
        return [[] for _ in range(count)]
    if not isinstance(rows, list) or len(rows) != count:
        raise ValueError(f"{key} is a list of {count} entries, not {rows!r:.80}.")
    return rows


def _read_mask(cards: object) -> int:
    """A list of card texts as a bit mask; ValueError if a card occurs twice."""
    codes = parse_cards(cards)
    mask = mask_of(codes)
    if mask.bit_count() != len(codes):
        raise ValueError(f"A card occurs twice in {cards!r:.80}.")
    return mask


def _read_choice(state: Mapping[str, Any], key: str, default: str, values: Sequence[str]) -> str:
    value = state.get(key)
    if value is None:
        return default
    if value not in values:
        raise ValueError(f"{key} is one of {', '.join(values)}, not {value!r}.")
    return str(value)
