"""Moves of the expert's levels, as `house:expert-1` to `-5` play them with enough time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from random import Random
from typing import Any, Protocol

from cardroom_base.core.worker_pool import WorkerPool
from engine import Match
from engine.search import consider, level

Events = list[dict[str, Any]]


class Mover(Protocol):
    """Computes a level's move for the seat whose turn it is; `rng` is the seat's own."""

    def __call__(self, match: Match, level_number: int, rng: Random) -> str: ...


def move_inline(match: Match, level_number: int, rng: Random) -> str:
    """Compute the move in the calling thread."""
    move, _ = _choose_move(*_knowledge(match), level_number, rng)
    return move


@contextmanager
def open_mover(processes: int) -> Iterator[Mover]:
    """A mover that computes in worker processes or, if `processes` is 1, in the calling thread."""
    if processes == 1:
        yield move_inline
        return
    with WorkerPool(processes) as pool:

        def move_in_process(match: Match, level_number: int, rng: Random) -> str:
            move, state = pool.submit(_choose_move, *_knowledge(match), level_number, rng).result()
            rng.setstate(state)
            return move

        yield move_in_process
        pool.kill()  # after a second Ctrl-C, nobody needs the running moves


def _knowledge(match: Match) -> tuple[dict[str, Any], list[str], Events]:
    seat = match.turn
    return match.view(seat), match.legal_moves(), match.events(seat)


def _choose_move(
    view: dict[str, Any], legal: list[str], seen: Events, level_number: int, rng: Random
) -> tuple[str, Any]:
    """(the move, the state of `rng` after it)."""
    strength = level(level_number, view["game"])
    candidates = strength.moves_considered(legal, rng)
    if len(candidates) == 1:
        return candidates[0], rng.getstate()
    return consider(view, candidates, rng, strength.playouts, seen=seen)[0].move, rng.getstate()
