"""How dramatic a match was to watch, as a number and as a mark with its reason. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, Literal

from tournaments.standings.leads import Leads

SWING: Final = 100
"""What a change of the lead counts; how close the end was counts less than that."""
MOST: Final = 30_000


def drama(scores: Sequence[Sequence[int]]) -> int:
    """A number from 0 on, higher for more drama. `scores`: by side, after each deal.

    A tie is no lead; who leads after one that led before has not taken the lead from anybody.

    >>> drama([[5, 2], [5, 9], [11, 9]]), drama([[5, 2], [11, 2]]), drama([])
    (281, 18, 0)
    """
    if not scores or len(scores[-1]) < 2:
        return 0
    first, second, *_ = sorted(scores[-1], reverse=True)
    largest = max(abs(score) for row in scores for score in row)
    near = 1 - min(1, (first - second) / largest) if largest else 1
    return min(MOST, SWING * _swings(scores) + round((SWING - 1) * near))


def _swings(scores: Sequence[Sequence[int]]) -> int:
    """How often a side has taken the lead from another."""
    leaders = [row.index(max(row)) for row in scores if row.count(max(row)) == 1]
    return sum(one != other for one, other in pairwise(leaders))


# --- marks --------------------------------------------------------------------------------------

Kind = Literal["fault", "last", "turned", "changes", "close", "shared", "clear"]
"""Why a deal group was worth watching; the first that fits is told."""
BEHIND: Final = 3
"""A match was turned round if its winner was behind by the target divided by this."""
CHANGES: Final = 4
"""As many changes of the lead are told."""
NEAR: Final = 10
"""A match was close if less than the target divided by this decided it."""


@dataclass(frozen=True, slots=True)
class Course:
    """One match of a deal group. All sequences go by the group's sides, not by the match's."""

    scores: Sequence[int]
    ranks: Sequence[int]
    faulted: Sequence[bool]
    leads: Leads | None
    """Its `behind` goes by the group's sides, too; None where nobody counted."""

    @property
    def winner(self) -> int | None:
        """The side that won alone."""
        return self.ranks.index(1) if self.ranks.count(1) == 1 else None

    @property
    def margin(self) -> int:
        """Points between the winner and the next; of a drawn match 0."""
        first, second, *_ = sorted(self.scores, reverse=True)
        if self.winner is not None:
            return self.scores[self.winner] - max(
                score for side, score in enumerate(self.scores) if side != self.winner
            )
        return first - second


@dataclass(frozen=True, slots=True)
class Mark:
    """What made a deal group worth watching."""

    kind: Kind
    match: int
    """Which of its matches shows it, from 0."""
    side: int | None = None
    """Whom it is about: who made the fault, or who won."""
    count: int = 0
    """Points, or changes of the lead."""


def mark(group: Sequence[Course], target: int) -> Mark:
    """The mark of a deal group. `target`: points that win a match; 0: the highest score counts.

    >>> mark([Course([26, 20], [1, 2], [False, False], None)], 21)
    Mark(kind='clear', match=0, side=0, count=6)
    """
    for find in (_fault, _last, _turned, _changes, _close):
        found = [each for n, course in enumerate(group) if (each := find(n, course, target))]
        if found:
            return max(found, key=lambda each: each.count if find in (_turned, _changes) else 0)
    wins = Counter(course.winner for course in group).most_common(2)
    side = wins[0][0]
    if side is None or (len(wins) > 1 and wins[0][1] == wins[1][1]):
        best = min(range(len(group)), key=lambda n: group[n].margin)
        return Mark("shared", best, None, group[best].margin)
    largest = max(range(len(group)), key=lambda n: (group[n].winner == side, group[n].margin))
    return Mark("clear", largest, side, group[largest].margin)


def _fault(n: int, course: Course, _target: int) -> Mark | None:
    side = next((side for side, faulted in enumerate(course.faulted) if faulted), None)
    return None if side is None else Mark("fault", n, side)


def _last(n: int, course: Course, _target: int) -> Mark | None:
    turned = course.leads is not None and course.leads.turned
    if course.winner is None or not (turned or course.margin == 1):
        return None
    return Mark("last", n, course.winner, course.margin)


def _turned(n: int, course: Course, target: int) -> Mark | None:
    if course.winner is None or course.leads is None or not course.leads.behind:
        return None
    behind = course.leads.behind[course.winner]
    much = behind * BEHIND >= _scale(course, target) and behind > 0
    return Mark("turned", n, course.winner, behind) if much else None


def _changes(n: int, course: Course, _target: int) -> Mark | None:
    changes = course.leads.changes if course.leads else 0
    return Mark("changes", n, course.winner, changes) if changes >= CHANGES else None


def _close(n: int, course: Course, target: int) -> Mark | None:
    near = 0 <= course.margin * NEAR < _scale(course, target)
    return Mark("close", n, course.winner, course.margin) if near else None


def _scale(course: Course, target: int) -> int:
    return target or max(map(abs, course.scores))
