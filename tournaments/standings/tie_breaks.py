"""Tie-breaks between entrants with equal points.

They follow FIDE's tie-break regulations, adapted to deal groups and to tables of more than two
sides. An opponent is a member of another side. A meeting is one pairing with all its deal groups;
if it has several opponents, their mean counts. For an entrant's own Buchholz and Sonneborn–Berger,
a round sat out or a void pairing counts as a meeting with a virtual opponent. That opponent has as
many points as the entrant, at most half a point per deal group (C.07 in force since 1 March 2026,
article 16.4); the result is the score of the bye or the void pairing. Opponents' points include
byes and void groups (`tournaments.unplayed`).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TypeAlias

from tournaments.deal_groups import Entrant
from tournaments.standings.scores import ScoreSums, stable_sum

AllSums: TypeAlias = Mapping[Entrant, ScoreSums]
Values: TypeAlias = dict[Entrant, float | None]
"""The value of each entrant; higher is better. All None if the tie-break does not apply."""


@dataclass(frozen=True, slots=True)
class TieBreak:
    title: str
    short: str
    """The header of its column."""

    meaning: str
    """One sentence for pages."""

    values: Callable[[AllSums, Sequence[Entrant]], Values]
    """The function that computes the values of some entrants with equal points (its second
    argument) from the sums of all entrants."""

    needs_shares: bool = True
    """Whether it needs `ScoreSums.shares`."""


def split_ties(
    score_sums: AllSums, tied: Sequence[Entrant], tie_break: TieBreak
) -> tuple[Values, list[list[Entrant]]]:
    """(the value of each tied entrant, the blocks of entrants that stay tied, best first).

    Smaller blocks are compared again: with fewer rivals the direct encounter may break the tie.
    """
    values = tie_break.values(score_sums, tied)
    blocks: dict[float, list[Entrant]] = {}
    for entrant in tied:
        blocks.setdefault(values[entrant] or 0.0, []).append(entrant)
    if len(blocks) == 1:
        return values, [list(tied)]
    finer = [
        split_ties(score_sums, block, tie_break)[1] for _, block in sorted(blocks.items())[::-1]
    ]
    return values, [block for blocks_ in finer for block in blocks_]


def _for_each(
    value: Callable[[AllSums, Entrant], float],
) -> Callable[[AllSums, Sequence[Entrant]], Values]:
    """`TieBreak.values` of a tie-break that computes the value of each entrant alone."""

    def values(score_sums: AllSums, tied: Sequence[Entrant]) -> Values:
        return {entrant: round(value(score_sums, entrant), 6) for entrant in tied}

    return values


def _buchholz(score_sums: AllSums, entrant: Entrant) -> float:
    return stable_sum(_opponents_points(score_sums, entrant))


def _buchholz_cut_1(score_sums: AllSums, entrant: Entrant) -> float:
    return stable_sum(sorted(_opponents_points(score_sums, entrant))[1:])


def _sonneborn_berger(score_sums: AllSums, entrant: Entrant) -> float:
    own = score_sums[entrant]
    meeting_values = [
        stable_sum(
            score_sums[other].points * stable_sum(shares) / len(shares)
            for other, shares in shares_by_opponent.items()
        )
        / len(shares_by_opponent)
        for shares_by_opponent in own.shares.values()
    ]
    return stable_sum(meeting_values + [own.virtual * share for share in own.virtual_scores])


def _opponents_points(score_sums: AllSums, entrant: Entrant) -> list[float]:
    """For each meeting the opponents' mean points; for each round without an opponent the points
    of the virtual opponent."""
    own = score_sums[entrant]
    opponents_points = [
        stable_sum(score_sums[other].points for other in opponents) / len(opponents)
        for opponents in own.shares.values()
    ]
    return opponents_points + [own.virtual] * len(own.virtual_scores)


def _direct_encounter(score_sums: AllSums, tied: Sequence[Entrant]) -> Values:
    """The sum of the shares won against the others of the block, if all of them have met."""
    sums: Values = {}
    for entrant in tied:
        shares = [score_sums[entrant].against(other) for other in tied if other != entrant]
        known_shares = [share for share in shares if share is not None]
        if not known_shares or len(known_shares) < len(shares):
            return dict.fromkeys(tied)
        sums[entrant] = round(stable_sum(known_shares), 6)
    return sums


TIE_BREAKS: Mapping[str, TieBreak] = MappingProxyType(
    {
        "direct": TieBreak(
            "Direct encounter",
            "Direct",
            "The share of matches won against each entrant with equal points, summed, if all of "
            "them have met; entrants that are still equal are compared again without the others.",
            _direct_encounter,
        ),
        "buchholz": TieBreak(
            "Buchholz",
            "Buch",
            "The points of all opponents, summed, each once per pairing: "
            "stronger opponents give a higher value.",
            _for_each(_buchholz),
        ),
        "buchholz-cut-1": TieBreak(
            "Buchholz cut 1",
            "Buch−1",
            "Buchholz without the weakest opponent, who may have been paired by chance.",
            _for_each(_buchholz_cut_1),
        ),
        "sonneborn-berger": TieBreak(
            "Sonneborn–Berger",
            "SB",
            "The points of all opponents, each times the share won against it: wins against the "
            "strong count more.",
            _for_each(_sonneborn_berger),
        ),
        "difference": TieBreak(
            "Score difference",
            "Diff",
            "The side's score minus the mean score of the others, averaged over deal groups.",
            _for_each(lambda score_sums, entrant: score_sums[entrant].difference),
            needs_shares=False,
        ),
        "wins": TieBreak(
            "Groups won",
            "Wins",
            "Deal groups in which nobody else had as many points; void ones count as the mean of "
            "the others.",
            _for_each(lambda score_sums, entrant: score_sums[entrant].won_with_void),
            needs_shares=False,
        ),
    }
)
"""By the name that tournaments store."""

DEFAULT = ("difference", "wins")
