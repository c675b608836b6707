"""Results as data: scores, ranks, winners, settlement, reason.

The ranks of a result are final: `with_faults` has already ranked sides with a fault last, so
readers need not consider faults again.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

FORFEIT = "forfeit"


def ranks(scores: Sequence[int], winners: Collection[int] = (), last: int = -1) -> list[int]:
    """Ranks by score, best first, ties as 1, 1, 3.

    `winners` share rank 1 regardless of score; `last` (a side) comes after all others.

    >>> ranks([21, 19, 21])
    [1, 3, 1]
    >>> ranks([21, 19, 21], winners=[2]), ranks([21, 19, 21], last=0)
    ([2, 3, 1], [3, 2, 1])
    """
    keys = [(side in winners, side != last, score) for side, score in enumerate(scores)]
    if winners:
        best = (True, True, 0)
        keys = [best if side in winners else key for side, key in enumerate(keys)]
    return [1 + sum(other > key for other in keys) for key in keys]


def reason(stop: str, *, reached: bool, last: bool) -> str:
    """The reason why the match ends after a deal; empty if another deal follows.

    `reached`: whether a side has reached the target. `last`: whether it was the last deal. `stop`:
    the reason why no deal can follow; empty if one can.
    """
    if reached:
        return "target"
    return "deals" if last else stop


def differences(totals: Sequence[int]) -> list[int]:
    """A settlement in which each pair of sides pays its difference; the sum is 0.

    >>> differences([55, 20, 20])
    [70, -35, -35]
    """
    return [len(totals) * total - sum(totals) for total in totals]


def result(
    scores: Sequence[int],
    ranking: Sequence[int],
    reason: str,
    settlement: Sequence[int] | None = None,
) -> dict[str, Any]:
    """The result of a match; every list is indexed by side."""
    return {
        "scores": list(scores),
        "ranks": list(ranking),
        "winners": [side for side, rank in enumerate(ranking) if rank == 1],
        "settlement": None if settlement is None else list(settlement),
        "reason": reason,
    }


def with_faults(
    outcome: dict[str, Any] | None, scores: Sequence[int], faulty: Collection[int]
) -> dict[str, Any]:
    """The result if the sides `faulty` committed faults: they share the last rank.

    The other sides keep their order, and nobody pays. `outcome`: the result of the play, or None if
    a fault ended the match (reason ``forfeit``). `scores`: the scores at the end.
    """
    play_ranks = outcome["ranks"] if outcome else ranks(scores)
    keys = [(side in faulty, 0 if side in faulty else rank) for side, rank in enumerate(play_ranks)]
    ranking = [1 + sum(other < key for other in keys) for key in keys]
    reason = outcome["reason"] if outcome else FORFEIT
    return result(scores, ranking, reason)
