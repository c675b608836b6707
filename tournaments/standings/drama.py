"""The drama of a match as a number, and the highlight of a deal group. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, Literal

from tournaments.standings.leads import Leads

SWING: Final = 100
"""Drama of each change of the lead; a close result adds less than this."""
MAX_DRAMA: Final = 30_000


def drama(scores: Sequence[Sequence[int]]) -> int:
    """The drama of a match, 0 to `MAX_DRAMA`. `scores`: by side, after each deal.

    A tie is no lead: a leader that leads again after a tie has not taken the lead.

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

Kind = Literal["fault", "last", "turned", "changes", "close", "shared", "clear"]
"""Kinds of highlights; a deal group has the first that applies."""
BEHIND: Final = 3
"""A match is `turned` if its winner was behind by the target divided by this."""
MIN_CHANGES: Final = 4
"""Minimum number of changes of the lead for a highlight."""
NEAR: Final = 10
"""A match is `close` if its margin was less than the target divided by this."""


@dataclass(frozen=True, slots=True)
class MatchCourse:
    """A match of a deal group. All sequences follow the group's sides, not the match's."""

    scores: Sequence[int]
    ranks: Sequence[int]
    faulted: Sequence[bool]
    leads: Leads | None
    """`behind` follows the group's sides, too; None if the leads were not counted."""

    @property
    def winner(self) -> int | None:
        """The only side with rank 1, if there is one."""
        return self.ranks.index(1) if self.ranks.count(1) == 1 else None

    @property
    def margin(self) -> int:
        """Points between the winner and the next side; 0 for a draw."""
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
    """The match that shows it, from 0."""
    side: int | None = None
    """The side that made the fault or won."""
    count: int = 0
    """Points, or changes of the lead."""


def highlight(group: Sequence[MatchCourse], target: int) -> Highlight:
    """The highlight of a deal group. `target`: points that win a match; 0: use the highest score.

    >>> highlight([MatchCourse([26, 20], [1, 2], [False, False], None)], 21)
    Highlight(kind='clear', match=0, side=0, count=6)
    """
    for find in (_find_fault, _find_last, _find_turned, _find_changes, _find_close):
        hits = [hit for number, course in enumerate(group) if (hit := find(number, course, target))]
        if hits:
            return max(
                hits, key=lambda hit: hit.count if find in (_find_turned, _find_changes) else 0
            )
    wins = Counter(course.winner for course in group).most_common(2)
    side = wins[0][0]
    if side is None or (len(wins) > 1 and wins[0][1] == wins[1][1]):
        best = min(range(len(group)), key=lambda number: group[number].margin)
        return Highlight("shared", best, None, group[best].margin)
    largest = max(
        range(len(group)), key=lambda number: (group[number].winner == side, group[number].margin)
    )
    return Highlight("clear", largest, side, group[largest].margin)


def _find_fault(number: int, course: MatchCourse, _target: int) -> Highlight | None:
    side = next((side for side, faulted in enumerate(course.faulted) if faulted), None)
    return None if side is None else Highlight("fault", number, side)


def _find_last(number: int, course: MatchCourse, _target: int) -> Highlight | None:
    turned = course.leads is not None and course.leads.turned
    if course.winner is None or not (turned or course.margin == 1):
        return None
    return Highlight("last", number, course.winner, course.margin)


def _find_turned(number: int, course: MatchCourse, target: int) -> Highlight | None:
    if course.winner is None or course.leads is None or not course.leads.behind:
        return None
    behind = course.leads.behind[course.winner]
    far_behind = behind * BEHIND >= _scale(course, target) and behind > 0
    return Highlight("turned", number, course.winner, behind) if far_behind else None


def _find_changes(number: int, course: MatchCourse, _target: int) -> Highlight | None:
    changes = course.leads.changes if course.leads else 0
    return Highlight("changes", number, course.winner, changes) if changes >= MIN_CHANGES else None


def _find_close(number: int, course: MatchCourse, target: int) -> Highlight | None:
    is_close = 0 <= course.margin * NEAR < _scale(course, target)
    return Highlight("close", number, course.winner, course.margin) if is_close else None


def _scale(course: MatchCourse, target: int) -> int:
    return target or max(map(abs, course.scores))
