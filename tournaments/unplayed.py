"""What a meeting counts that did not take place: deal groups that are void, rounds sat out. Pure.

A deal group is void when its result was taken back, or when it will never be played. The rule:

- A void group counts for every entrant of it as the mean of the groups that count for that entrant
  in the same division: its points per group stay what its other results make them. An entrant of
  whose groups none counts gets half a point for each.
- A pairing that is void as a whole is no meeting: the two may meet again, and tie-breaks that look
  at opponents see a virtual one, as for a round sat out. It is no bye. A pairing of which some
  groups count is a meeting like any other.
- The points of others stay as they are.

So whoever wins a group that is voided does not fall behind for want of it, and whoever loses it
gains no more than being rid of it. Where places do not go by points (a knock-out, a ladder), void
groups just do not count.

We know of no rule of FIDE for results that are taken back. Nearest are its rules for games that
were never played. In a round robin the results of a player who leaves before half of the games are
left out for everybody, and the others are compared without them (General Regulations for
Competitions, 6.6). Tie-breaks put a virtual opponent in the place of a round without one (C.07 in
force since 1 March 2026, article 16.4: as many points as the entrant itself, at most a draw for
each round).
"""

from typing import Final

SCORING: Final = 2
"""The version of these rules. By version 1 void groups counted nothing, and a virtual opponent had
as many points as the entrant itself, however many (C.07 of 2024). Archives of that time are still
verified by it."""

UNKNOWN: Final = 0.5
"""Points for a void group of an entrant of whose groups none counts: a draw."""


def void_share(gained: float, groups: int) -> float:
    """Points for one void group; `gained`: in the `groups` that count."""
    return gained / groups if groups else UNKNOWN


def virtual_points(points: float, most: float) -> float:
    """Points of the opponent in a round without one; `most`: what the entrant itself could have."""
    return min(points, most / 2)
