"""Points for void deal groups and for rounds without an opponent. Pure.

A deal group is void if its result was withdrawn, or if it will never be played. The rules:

- For each of its entrants, a void group counts as the mean of that entrant's other groups in the
  same division, so the points per group do not change. Without other groups it gives half a point.
- A pairing whose groups are all void is not a meeting: the two may meet again, and tie-breaks use a
  virtual opponent, as for a round sat out. It is not a bye. A pairing with at least one group that
  counts is an ordinary meeting.
- The points of other entrants do not change.

So the winner of a voided group does not fall behind, and its loser only gets rid of the defeat. If
points do not decide the places (knock-out, ladder), void groups do not count at all.

We know of no FIDE rule for results that are withdrawn. The nearest rules are about games that were
never played. In a round robin, the results of a player who leaves before half of the games are
removed for everybody (General Regulations for Competitions, 6.6). Tie-breaks use a virtual opponent
for a round without one (C.07 in force since 1 March 2026, article 16.4: as many points as the
entrant itself, at most a draw for each round).
"""

from typing import Final

SCORING: Final = 2
"""The version of these rules. In version 1 void groups gave no points, and a virtual opponent had
as many points as the entrant itself, without a limit (C.07 of 2024). Old archives are verified by
version 1."""

UNKNOWN: Final = 0.5
"""Points for a void group of an entrant without any group that counts: a draw."""


def void_share(points: float, groups: int) -> float:
    """Points for one void group; `points`: the points in the `groups` that count."""
    return points / groups if groups else UNKNOWN


def virtual_points(points: float, max_points: float) -> float:
    """Points of the virtual opponent; `max_points`: the entrant's maximum possible points."""
    return min(points, max_points / 2)
