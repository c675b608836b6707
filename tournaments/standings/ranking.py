"""Rank entrants by points and tie-breaks."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from operator import attrgetter
from typing import Any

from tournaments.deal_groups import Entrant, MatchResult
from tournaments.standings.scores import ScoreSums, SitOuts, VoidCounts, sum_scores
from tournaments.standings.tie_breaks import DEFAULT, TIE_BREAKS, TieBreak, split_ties
from tournaments.unplayed import SCORING


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the standings."""

    place: int
    """1 is best; equal entrants share a place (1, 1, 3)."""

    entrant: Entrant

    points: float
    """The sum over deal groups, each 0 to 1 (`deal_groups.group_score`), with points for byes and
    void groups."""

    groups: int
    """Deal groups with at least one finished match."""

    won: int
    """Groups with more points than all others."""

    drawn: int
    """Groups in which it shared the most points with another."""

    lost: int
    """Groups in which another had more points."""

    matches: int
    """Finished matches."""

    difference: float
    """Mean score difference per deal group (`deal_groups.score_differences`)."""

    faults: int
    """Matches in which the entrant committed a fault."""

    byes: float = 0.0
    """The part of `points` for rounds without an opponent."""

    void: int = 0
    """Void deal groups."""

    for_void: float = 0.0
    """The part of `points` for void deal groups: each counts as the mean of the others."""

    stage: int = 1
    """The last stage that the entrant played; the row counts only this stage."""

    tie_breaks: tuple[float | None, ...] = ()
    """Values of the tie-breaks in their order; None: a tie-break does not apply."""

    @property
    def share(self) -> float:
        """Points per deal group without byes and void groups, 0 to 1; 0 before the first group."""
        points_of_groups = self.points - self.byes - self.for_void
        return points_of_groups / self.groups if self.groups else 0.0

    def as_json(self, tie_breaks: Sequence[str]) -> dict[str, Any]:
        """Place, figures, and tie-breaks by name; does not include the entrant."""
        values = dict(zip(_FIGURES, _figures_of(self), strict=True))
        values["tie_breaks"] = dict(zip(tie_breaks, self.tie_breaks, strict=True))
        return values


_FIGURES = tuple(field.name for field in fields(Row) if field.name not in ("entrant", "tie_breaks"))
_figures_of = attrgetter(*_FIGURES)


def standings(
    entrants: Sequence[Entrant],
    groups: Iterable[Sequence[MatchResult]],
    tie_breaks: Sequence[str] = DEFAULT,
    *,
    meetings: Sequence[Hashable] | None = None,
    sit_outs: Mapping[Entrant, SitOuts] | None = None,
    void: Mapping[Entrant, VoidCounts] | None = None,
    scoring: int = SCORING,
) -> list[Row]:
    """The standings, best first, with a row for every entrant.

    `groups` holds the finished matches of each deal group; empty groups are skipped. Entrants are
    ordered by points, then by each tie-break. Entrants that are equal in all of them share a place,
    in the order of `entrants`.

    `meetings`: for each deal group, a key of its pairing; without it, all groups of the same sides
    are one meeting. `sit_outs` (byes) and `void`: by entrant. `scoring`: the version of the rules
    for void groups (`tournaments.unplayed`).

    Raises ValueError for a result of an entrant that is not in `entrants`, and for an unknown
    tie-break.
    """
    if unknown := [name for name in tie_breaks if name not in TIE_BREAKS]:
        names = ", ".join(TIE_BREAKS)
        raise ValueError(f"There is no tie-break {unknown[0]}; there are: {names}.")
    needs_shares = any(TIE_BREAKS[name].needs_shares for name in tie_breaks)
    score_sums = sum_scores(
        entrants,
        groups,
        meetings,
        sit_outs or {},
        void or {},
        needs_shares=needs_shares,
        scoring=scoring,
    )
    values: dict[Entrant, tuple[float | None, ...]] = dict.fromkeys(entrants, ())
    blocks = _by_points(score_sums)
    for name in tie_breaks:
        blocks = _refine(score_sums, blocks, TIE_BREAKS[name], values)
    rows: list[Row] = []
    for block in blocks:
        place = 1 + len(rows)
        rows += [_row(place, entrant, score_sums[entrant], values[entrant]) for entrant in block]
    return rows


def _by_points(score_sums: Mapping[Entrant, ScoreSums]) -> list[list[Entrant]]:
    """Blocks of entrants with equal points, best first."""
    blocks: dict[float, list[Entrant]] = {}
    for entrant, total in score_sums.items():
        blocks.setdefault(total.points, []).append(entrant)
    return [blocks[points] for points in sorted(blocks, reverse=True)]


def _refine(
    score_sums: Mapping[Entrant, ScoreSums],
    blocks: Sequence[Sequence[Entrant]],
    tie_break: TieBreak,
    by_entrant: dict[Entrant, tuple[float | None, ...]],
) -> list[list[Entrant]]:
    """Split the blocks by one tie-break, and append its values to `by_entrant`."""
    finer: list[list[Entrant]] = []
    for block in blocks:
        values, parts = split_ties(score_sums, block, tie_break)
        finer += parts
        for entrant in block:
            by_entrant[entrant] += (values[entrant],)
    return finer


def _row(
    place: int, entrant: Entrant, total: ScoreSums, tie_breaks: tuple[float | None, ...]
) -> Row:
    return Row(
        place=place,
        entrant=entrant,
        points=total.points,
        groups=total.groups,
        won=total.won,
        drawn=total.drawn,
        lost=total.lost,
        matches=total.matches,
        difference=total.difference,
        faults=total.faults,
        byes=total.bye_points,
        void=total.void.groups,
        for_void=round(total.void_points, 6),
        tie_breaks=tie_breaks,
    )
