"""Compute the drama of a match, a number, and the highlight of a deal group. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, Literal

from tournaments.standings.leads import Leads

SWING: Final = 100
"""Each change of the lead adds this much drama; a close result adds less."""
MAX_DRAMA: Final = 30_000


def drama(scores: Sequence[Sequence[int]]) -> int:
    """The drama of a match, 0 to `MAX_DRAMA`.

    `scores[deal][side]`: the total of each side after each deal. If a side leads, is caught, and
    leads again, the lead has not changed.

    >>> drama([[5, 2], [5, 9], [11, 9]]), drama([[5, 2], [11, 2]]), drama([])
    (281, 18, 0)
    """
    if not scores or len(scores[-1]) < 2:
        return 0
    first, second, *_ = sorted(scores[-1], reverse=True)
    largest = max(abs(score) for row in scores for score in row)
    closeness = 1 - min(1, (first - second) / largest) if largest else 1
    return min(MAX_DRAMA, SWING * _swings(scores) + round((SWING - 1) * closeness))


def _swings(scores: Sequence[Sequence[int]]) -> int:
    """The number of times that a side took the lead from another."""
    leaders = [row.index(max(row)) for row in scores if row.count(max(row)) == 1]
    return sum(leader != other for leader, other in pairwise(leaders))


# --- highlights ---------------------------------------------------------------------------------

Kind = Literal["fault", "last_play", "comeback", "changes", "close", "shared", "clear"]
"""Kinds of highlights; a deal group gets the first kind that applies:

- fault: a side committed a fault
- last_play: the last play changed the leader, or the winner won by one point
- comeback: the winner had been far behind (`COMEBACK_DIVISOR`)
- changes: the lead changed often (`MIN_CHANGES`)
- close: the margin was small (`CLOSE_DIVISOR`)
- clear: one side won more matches of the group than every other side, and more than were drawn
- shared: no side did
"""
COMEBACK_DIVISOR: Final = 3
"""In a comeback, the winner was behind by at least the target divided by this number."""
MIN_CHANGES: Final = 4
"""Minimum number of changes of the lead for a highlight."""
CLOSE_DIVISOR: Final = 10
"""In a close match, the margin was less than the target divided by this number."""


@dataclass(frozen=True, slots=True)
class MatchSummary:
    """A match of a deal group. All sequences are indexed by the group's sides, not by the match's
    seating."""

    scores: Sequence[int]
    ranks: Sequence[int]
    faulted: Sequence[bool]
    leads: Leads | None
    """None if leads were not recorded."""

    @property
    def winner(self) -> int | None:
        """The only side with rank 1, if there is one."""
        return self.ranks.index(1) if self.ranks.count(1) == 1 else None

    @property
    def margin(self) -> int:
        """The winner's score minus the best other score; 0 for a draw.

        Negative if another side scored more but committed a fault.
        """
        first, second, *_ = sorted(self.scores, reverse=True)
        if self.winner is not None:
            return self.scores[self.winner] - max(
                score for side, score in enumerate(self.scores) if side != self.winner
            )
        return first - second


@dataclass(frozen=True, slots=True)
class Highlight:
    """The reason why a deal group is worth watching."""

    kind: Kind
    match: int
    """The index of the match that shows it."""
    side: int | None = None
    """The side at fault, or the winner."""
    count: int = 0
    """For `comeback`, the winner's largest deficit in points; for `changes`, the changes of the
    lead; for `fault`, 0; otherwise the margin in points."""


def highlight(group: Sequence[MatchSummary], target: int) -> Highlight:
    """The highlight of a deal group. `target`: the points that win a match; 0: there is no target,
    so the highest score replaces it.

    >>> highlight([MatchSummary([26, 20], [1, 2], [False, False], None)], 21)
    Highlight(kind='clear', match=0, side=0, count=6)
    """
    for find in (_find_fault, _find_last_play, _find_comeback, _find_changes, _find_close):
        hits = [
            hit for number, summary in enumerate(group) if (hit := find(number, summary, target))
        ]
        if hits:
            return max(
                hits, key=lambda hit: hit.count if find in (_find_comeback, _find_changes) else 0
            )
    wins = Counter(summary.winner for summary in group).most_common(2)
    side = wins[0][0]
    if side is None or (len(wins) > 1 and wins[0][1] == wins[1][1]):
        best = min(range(len(group)), key=lambda number: group[number].margin)
        return Highlight("shared", best, None, group[best].margin)
    largest = max(
        range(len(group)), key=lambda number: (group[number].winner == side, group[number].margin)
    )
    return Highlight("clear", largest, side, group[largest].margin)


def _find_fault(number: int, summary: MatchSummary, _target: int) -> Highlight | None:
    side = next((side for side, faulted in enumerate(summary.faulted) if faulted), None)
    return None if side is None else Highlight("fault", number, side)


def _find_last_play(number: int, summary: MatchSummary, _target: int) -> Highlight | None:
    turned = summary.leads is not None and summary.leads.turned
    if summary.winner is None or not (turned or summary.margin == 1):
        return None
    return Highlight("last_play", number, summary.winner, summary.margin)


def _find_comeback(number: int, summary: MatchSummary, target: int) -> Highlight | None:
    if summary.winner is None or summary.leads is None or not summary.leads.behind:
        return None
    behind = summary.leads.behind[summary.winner]
    far_behind = behind * COMEBACK_DIVISOR >= _scale(summary, target) and behind > 0
    return Highlight("comeback", number, summary.winner, behind) if far_behind else None


def _find_changes(number: int, summary: MatchSummary, _target: int) -> Highlight | None:
    changes = summary.leads.changes if summary.leads else 0
    return Highlight("changes", number, summary.winner, changes) if changes >= MIN_CHANGES else None


def _find_close(number: int, summary: MatchSummary, target: int) -> Highlight | None:
    is_close = 0 <= summary.margin * CLOSE_DIVISOR < _scale(summary, target)
    return Highlight("close", number, summary.winner, summary.margin) if is_close else None


def _scale(summary: MatchSummary, target: int) -> int:
    return target or max(map(abs, summary.scores))
