"""Tie-breaks between entrants with equal points, as chess has them.

The models are FIDE's tie-break regulations, adapted to deal groups and to tables of more than two
sides: an opponent is a member of another side; a meeting is one pairing, however many deal groups
it has; where a meeting has several opponents, their mean counts. Rounds that an entrant sat out,
and pairings that are void as a whole, count for its own Buchholz and Sonneborn–Berger as if it had
met a virtual opponent with as many points as itself, at most half a point a deal group (C.07 in
force since 1 March 2026, article 16.4), and with the success that the bye or the void gave.
Opponents' points are those of the standings, byes and void groups included
(`tournaments.unplayed`).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TypeAlias

from tournaments.deal_groups import Entrant
from tournaments.standings.scores import Tally, exact_sum

Tallies: TypeAlias = Mapping[Entrant, Tally]
Values: TypeAlias = dict[Entrant, float | None]
"""More is better; None for all if it does not apply to them."""


@dataclass(frozen=True, slots=True)
class TieBreak:
    """One way to break a tie."""

    title: str
    short: str
    """For the head of a column."""

    meaning: str
    """One sentence, for people."""

    values: Callable[[Tallies, Sequence[Entrant]], Values]
    """All sums, and those that are equal so far → the value of each of these."""

    opponents: bool = True
    """Whether it needs to know who met whom."""


def parted(
    tallies: Tallies, tied: Sequence[Entrant], tie_break: TieBreak
) -> tuple[Values, list[list[Entrant]]]:
    """The value of each, and the blocks that stay equal, best first.

    Those that stay equal in a smaller block are compared again there: with fewer rivals the direct
    encounter may break the tie.
    """
    values = tie_break.values(tallies, tied)
    blocks: dict[float, list[Entrant]] = {}
    for entrant in tied:
        blocks.setdefault(values[entrant] or 0.0, []).append(entrant)
    if len(blocks) == 1:
        return values, [list(tied)]
    smaller = [parted(tallies, block, tie_break)[1] for _, block in sorted(blocks.items())[::-1]]
    return values, [block for blocks_ in smaller for block in blocks_]


def _each(
    value: Callable[[Tallies, Entrant], float],
) -> Callable[[Tallies, Sequence[Entrant]], Values]:
    """A tie-break that looks at one entrant at a time."""

    def values(tallies: Tallies, tied: Sequence[Entrant]) -> Values:
        return {entrant: round(value(tallies, entrant), 6) for entrant in tied}

    return values


def _buchholz(tallies: Tallies, entrant: Entrant) -> float:
    return exact_sum(_opponents(tallies, entrant))


def _buchholz_cut_1(tallies: Tallies, entrant: Entrant) -> float:
    return exact_sum(sorted(_opponents(tallies, entrant))[1:])


def _sonneborn_berger(tallies: Tallies, entrant: Entrant) -> float:
    own = tallies[entrant]
    weighed = [
        exact_sum(
            tallies[other].points * exact_sum(shares) / len(shares) for other, shares in met.items()
        )
        / len(met)
        for met in own.shares.values()
    ]
    return exact_sum(weighed + [own.virtual * share for share in own.unmet])


def _opponents(tallies: Tallies, entrant: Entrant) -> list[float]:
    """Per meeting the mean points of the opponents; for a round without one the virtual's."""
    own = tallies[entrant]
    met = [
        exact_sum(tallies[other].points for other in opponents) / len(opponents)
        for opponents in own.shares.values()
    ]
    return met + [own.virtual] * len(own.unmet)


def _direct(tallies: Tallies, tied: Sequence[Entrant]) -> Values:
    """Shares won against the others of the block, summed, if all of them have met each other."""
    sums: Values = {}
    for entrant in tied:
        shares = [tallies[entrant].against(other) for other in tied if other != entrant]
        won = [share for share in shares if share is not None]
        if not won or len(won) < len(shares):
            return dict.fromkeys(tied)
        sums[entrant] = round(exact_sum(won), 6)
    return sums


TIE_BREAKS: Mapping[str, TieBreak] = MappingProxyType(
    {
        "direct": TieBreak(
            "Direct encounter",
            "Direct",
            "What those with equal points scored against each other: the share of matches won "
            "against each, summed, if all of them have met; those still equal are compared again "
            "without the others.",
            _direct,
        ),
        "buchholz": TieBreak(
            "Buchholz",
            "Buch",
            "The points of all opponents, summed, each once per pairing: "
            "higher for those who met stronger ones.",
            _each(_buchholz),
        ),
        "buchholz-cut-1": TieBreak(
            "Buchholz cut 1",
            "Buch−1",
            "Buchholz without the weakest opponent, whom chance alone may have given.",
            _each(_buchholz_cut_1),
        ),
        "sonneborn-berger": TieBreak(
            "Sonneborn–Berger",
            "SB",
            "The points of all opponents, each times the share won against it: wins against the "
            "strong count more.",
            _each(_sonneborn_berger),
        ),
        "difference": TieBreak(
            "Score difference",
            "Diff",
            "The mean over deal groups of what the side scored less what the others scored on "
            "average.",
            _each(lambda tallies, entrant: tallies[entrant].difference),
            opponents=False,
        ),
        "wins": TieBreak(
            "Groups won",
            "Wins",
            "Deal groups in which nobody else had as many points; void ones count as the mean of "
            "the others.",
            _each(lambda tallies, entrant: tallies[entrant].wins),
            opponents=False,
        ),
    }
)
"""Every tie-break by the name under which tournaments keep it."""

DEFAULT = ("difference", "wins")
"""The tie-breaks, unless others are chosen."""
