"""The goals that a side has not reached yet in a deal of Canasta, and the prompt for each step."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

from engine.declarations import join_words
from engine.english import capital, count_of
from engine.games.canasta import moves
from engine.games.canasta.card_kinds import SYMBOLS, kind_names
from engine.move_parts import Need

CANASTA: Final = 7  # the number of cards in a canasta (CAN-44)


def needs_of_side(
    view: Mapping[str, Any], side: int, minimum: int, canastas: int, adds: Mapping[str, int]
) -> list[Need]:
    """The minimum (CAN-33), until the first meld is complete; then canastas (CAN-44, CAN-50).

    `minimum`: the minimum points of the first meld. `canastas`: the number of canastas that the
    side needs to go out. `adds`: the card points of the parts in the hand, by their keys.
    """
    has_turn = view["turn"] in view["sides"][side]
    begun = has_turn and view["step"]["counted"]
    if not view["opened"][side] or (begun and view["step"]["need"] > 0):
        have = view["step"]["counted"] if has_turn else 0
        return [Need("first", f"First meld: at least {minimum}", have, minimum, adds)]
    melds = view["melds"][side]
    canasta_count = sum([len(meld["cards"]) >= CANASTA for meld in melds])
    needs = []
    if canasta_count < canastas:
        needs.append(Need("canastas", f"Canastas {canasta_count} of {canastas}, needed to go out"))
    return needs + _unfinished(melds)


def _unfinished(melds: Sequence[Mapping[str, Any]]) -> list[Need]:
    """The melds that are not canastas yet, the largest first."""
    sized: list[tuple[int, Need]] = []
    numbers: Counter[str] = Counter()
    for meld in melds:
        rank, size = meld["rank"], len(meld["cards"])
        numbers[rank] += 1
        if size < CANASTA:
            ranks = capital(kind_names(SYMBOLS.index(rank)))
            need = Need(key_of(rank, numbers[rank]), f"{ranks} {size} of {CANASTA}")
            sized.append((size, need))
    return [need for _, need in sorted(sized, key=lambda row: -row[0])]


def key_of(rank: str, number: int) -> str:
    """The key of the need for a meld: ``meld:K``, or ``meld:K#2`` for the second of kings."""
    return f"meld:{rank}" + (f"#{number}" if number > 1 else "")


def prompt(view: Mapping[str, Any], legal: Sequence[str]) -> str:
    """A sentence that lists the seat's choices in this step (CAN-12)."""
    kinds = {_kind_of(move) for move in legal}
    if view["phase"] == moves.PHASE_ANSWER:
        return "Say yes or no."
    if view["phase"] != moves.PHASE_MELD:
        return "Draw a card, or take the pile." if "take" in kinds else "Draw a card."
    options = [words for kind, words in _MELDS.items() if kind in kinds]
    if view["step"]["need"] > 0 and view["step"]["counted"] and options:
        lacking = count_of(view["step"]["need"], "point")
        return f"{capital(join_words(options, 'or'))}: your first meld still needs {lacking}."
    options += [words for kind, words in _OTHERS.items() if kind in kinds]
    return f"{capital(', or '.join(options))}." if options else ""


_MELDS: Final = {"open": "meld three of a rank", "add": "add to a meld"}
_OTHERS: Final = {"discard": "pick one card to discard", "ask": "ask whether you may go out"}


def _kind_of(move: str) -> str:
    """The kind of a move: ``open`` or ``add`` (a meld), ``take``, ``ask``, ``discard`` or empty."""
    if move[:1] == "-":
        return "discard"
    name, _, cards = move.partition(":")
    if name[:4] == "take":
        return "take"
    if name == "ask":
        return "ask"
    return {3: "open", 1: "add"}.get(len(cards), "")
