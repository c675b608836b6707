"""Whose work a host does next. A queue without threads, clock and database: `Turns`.

Somebody waits for each piece of work, and strangers' bots may sleep through all the time that they
have. So the threads are shared, by the person who waits and by the authors of the bots:

- One person, or the bots of one author, has half of the threads at most, and one at most of those
  that work in the background.
- Where strangers' bots are asked, or nobody waits at the table, all threads but one may be taken.
- The house's bots come first, then strangers', then the background; but none of the three is
  passed over more than `PATIENCE` times in a row.
- Within each, whoever has the fewest threads comes first, then whoever was served longest ago.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Final, Literal

PATIENCE: Final = 8
"""So often others may go first while there is a thread for it."""

Kind = Literal["table", "hint", "comparison", "opinion"]
BACKGROUND: Final[frozenset[Kind]] = frozenset({"comparison", "opinion"})


@dataclass(frozen=True, slots=True)
class Work:
    """One piece of work: a table whose bots are to move, a hint, a comparison, an opinion."""

    kind: Kind
    key: int
    """The number of the table, of the hint, of the opinion."""
    person: str = field(compare=False)
    """Who waits for it."""
    authors: frozenset[str] = field(default=frozenset(), compare=False)
    """Whose bots are asked; empty: the house's only."""

    @property
    def background(self) -> bool:
        """Whether the match goes on without it."""
        return self.kind in BACKGROUND

    @property
    def rank(self) -> int:
        """0: the house's bots and people who wait; 1: strangers' bots; 2: the background."""
        return 2 if self.background else int(bool(self.authors))


class Turns:
    """What waits and what is being done; the caller locks."""

    def __init__(self, threads: int) -> None:
        """`threads`: how many pieces are done at the same time."""
        self._threads = threads
        self._half = max(1, threads // 2)
        self._waiting: dict[Work, None] = {}
        self._running: set[Work] = set()
        self._served: dict[str, int] = {}
        self._picks = 0
        self._passed = [0, 0, 0]

    def add(self, work: Work) -> None:
        """Have it done; once more if it is being done, and only once if it waits already."""
        self._waiting.setdefault(work)

    def next(self) -> Work | None:
        """The work to begin now; None: there is none, or none that may take a thread."""
        able = [work for work in self._waiting if self._may_begin(work)]
        if not able:
            return None
        ranks = sorted({work.rank for work in able})
        late = [rank for rank in ranks if self._passed[rank] >= PATIENCE]
        rank = late[0] if late else ranks[0]
        for other in ranks:
            self._passed[other] += 1
        self._passed[rank] = 0
        chosen = min((work for work in able if work.rank == rank), key=self._precedence)
        del self._waiting[chosen]
        self._running.add(chosen)
        self._picks += 1
        self._served[chosen.person] = self._picks
        return chosen

    def done(self, work: Work) -> None:
        """It is no longer being done."""
        self._running.remove(work)
        if all(each.person != work.person for each in (*self._waiting, *self._running)):
            self._served.pop(work.person, None)

    @property
    def waiting(self) -> list[Work]:
        """What has not been begun, in the order in which it came."""
        return list(self._waiting)

    def _may_begin(self, work: Work) -> bool:
        running = self._running
        if work in running or len(running) >= self._threads:
            return False
        if work.rank and sum(each.rank > 0 for each in running) >= max(1, self._threads - 1):
            return False
        if _most_held(work, running) >= self._half:
            return False
        beside = [each for each in running if each.background]
        return not work.background or (len(beside) < self._half and not _most_held(work, beside))

    def _precedence(self, work: Work) -> tuple[int, int]:
        return _most_held(work, self._running), self._served.get(work.person, 0)


def _most_held(work: Work, running: Collection[Work]) -> int:
    """How many threads the person has, or one of the authors, whoever has the most."""
    persons = sum(each.person == work.person for each in running)
    authors = (sum(author in each.authors for each in running) for author in work.authors)
    return max(persons, *authors, 0)
