"""Choose a host's next work fairly. `FairQueue` uses no threads, clock or database.

A person waits for each piece of work, and users' bots may sleep for all of their time. So threads
are shared by the waiting person and by the authors of the bots:

- A person, or the bots of an author, get at most half of the threads, and at most one thread for
  background work.
- Work with users' bots, and background work, get at most all threads but one.
- House bots come first, then users' bots, then background work; but no kind is passed over more
  than `MAX_PASSED` times in a row.
- Within a kind, the person or author with the fewest threads comes first, then the one served
  least recently.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Final, Literal

MAX_PASSED: Final = 8
"""Number of times in a row that a kind of work may be passed over although it could begin."""

Kind = Literal["table", "hint", "comparison", "opinion"]
BACKGROUND: Final[frozenset[Kind]] = frozenset({"comparison", "opinion"})


@dataclass(frozen=True, slots=True)
class Work:
    """A piece of work: a table whose bots are to move, a hint, a comparison, an opinion."""

    kind: Kind
    key: int
    """The primary key of the table, hint or opinion."""
    person: str = field(compare=False)
    """The waiting person."""
    authors: frozenset[str] = field(default=frozenset(), compare=False)
    """The authors of the bots; empty if only house bots play."""

    @property
    def background(self) -> bool:
        """Whether the match continues without it."""
        return self.kind in BACKGROUND

    @property
    def rank(self) -> int:
        """Lower ranks come first. 0: only house bots; 1: users' bots; 2: background."""
        return 2 if self.background else int(bool(self.authors))


class FairQueue:
    """Waiting and running work; not thread-safe, so the caller locks."""

    def __init__(self, threads: int) -> None:
        """`threads`: the number of pieces done at the same time."""
        self._threads = threads
        self._half = max(1, threads // 2)
        self._waiting: dict[Work, None] = {}
        self._running: set[Work] = set()
        self._served: dict[str, int] = {}
        self._picks = 0
        self._passed = [0, 0, 0]

    def add(self, work: Work) -> None:
        """Queue work, unless it is queued already. Running work is queued for a repetition."""
        self._waiting.setdefault(work)

    def next(self) -> Work | None:
        """The work to begin now; None if there is none, or none may take a thread."""
        startable = [work for work in self._waiting if self._may_begin(work)]
        if not startable:
            return None
        ranks = sorted({work.rank for work in startable})
        overdue = [rank for rank in ranks if self._passed[rank] >= MAX_PASSED]
        rank = overdue[0] if overdue else ranks[0]
        for other in ranks:
            self._passed[other] += 1
        self._passed[rank] = 0
        chosen = min((work for work in startable if work.rank == rank), key=self._precedence)
        del self._waiting[chosen]
        self._running.add(chosen)
        self._picks += 1
        self._served[chosen.person] = self._picks
        return chosen

    def done(self, work: Work) -> None:
        """Remove work that has ended."""
        self._running.remove(work)
        if all(other.person != work.person for other in (*self._waiting, *self._running)):
            self._served.pop(work.person, None)

    @property
    def waiting(self) -> list[Work]:
        """The work that has not begun, in order of arrival."""
        return list(self._waiting)

    def _may_begin(self, work: Work) -> bool:
        running = self._running
        if work in running or len(running) >= self._threads:
            return False
        if work.rank and sum(other.rank > 0 for other in running) >= max(1, self._threads - 1):
            return False
        if _most_threads(work, running) >= self._half:
            return False
        background = [other for other in running if other.background]
        return not work.background or (
            len(background) < self._half and not _most_threads(work, background)
        )

    def _precedence(self, work: Work) -> tuple[int, int]:
        return _most_threads(work, self._running), self._served.get(work.person, 0)


def _most_threads(work: Work, running: Collection[Work]) -> int:
    """The most threads that the work's person or one of its authors uses."""
    persons = sum(other.person == work.person for other in running)
    authors = (sum(author in other.authors for other in running) for author in work.authors)
    return max(persons, *authors, 0)
