"""The standings."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from tournaments.deal_groups import Entrant, MatchResult
from tournaments.standings.scores import SitOuts, Tally, Void, tallied
from tournaments.standings.tie_breaks import DEFAULT, TIE_BREAKS, TieBreak, parted
from tournaments.unplayed import SCORING


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the standings."""

    place: int
    """1 is best; entrants that are equal in everything share a place (1, 1, 3)."""

    entrant: Entrant

    points: float
    """Group points summed: each deal group gives 0 to 1 (mean share of sides left behind)."""

    groups: int
    """Deal groups with at least one finished match."""

    won: int
    """Groups in which nobody had as many points."""

    drawn: int
    """Groups in which the best points were shared."""

    lost: int
    """Groups in which another had more points."""

    matches: int
    """Finished matches."""

    difference: float
    """Mean score difference per deal group (own score minus the mean of the other sides')."""

    faults: int
    """Matches in which the entrant made a fault."""

    byes: float = 0.0
    """The part of the points that is for rounds in which it sat out."""

    void: int = 0
    """Deal groups that do not count and will not be played."""

    for_void: float = 0.0
    """The part of the points that is for them: each counts as the mean of the others."""

    stage: int = 1
    """The stage that decides the place, the last one played, which all other figures are of."""

    tie_breaks: tuple[float | None, ...] = ()
    """The value of each tie-break, in their order; None: it does not apply (direct encounter)."""

    @property
    def share(self) -> float:
        """Points per deal group, 0 to 1; 0 before the first."""
        gained = self.points - self.byes - self.for_void
        return gained / self.groups if self.groups else 0.0

    def as_json(self, tie_breaks: Sequence[str]) -> dict[str, Any]:
        """Place and figures, tie-breaks by name; the caller adds whose row it is."""
        figures = asdict(self)
        del figures["entrant"]
        return figures | {"tie_breaks": dict(zip(tie_breaks, self.tie_breaks, strict=True))}


def standings(
    entrants: Sequence[Entrant],
    groups: Iterable[Sequence[MatchResult]],
    tie_breaks: Sequence[str] = DEFAULT,
    *,
    meetings: Sequence[Hashable] | None = None,
    sit_outs: Mapping[Entrant, SitOuts] | None = None,
    void: Mapping[Entrant, Void] | None = None,
    scoring: int = SCORING,
) -> list[Row]:
    """The standings: best first, a row for every entrant, even those that have not played.

    `groups` holds the finished matches of each deal group; groups without any are skipped. Order:
    points, then the tie-breaks one after another; what is equal in all of them shares a place and
    stands in the order of `entrants`.

    `meetings` says which deal groups belong to one pairing, by a name of it for each group; without
    it all groups of the same sides are one. `sit_outs` are the byes and `void` what does not count,
    both by entrant; `scoring`: by which rules (`tournaments.unplayed`).

    Raises ValueError for a result of somebody who is not among `entrants`, and for an unknown
    tie-break.
    """
    if unknown := [name for name in tie_breaks if name not in TIE_BREAKS]:
        known = ", ".join(TIE_BREAKS)
        raise ValueError(f"There is no tie-break {unknown[0]}; there are: {known}.")
    opponents = any(TIE_BREAKS[name].opponents for name in tie_breaks)
    tallies = tallied(
        entrants,
        groups,
        meetings,
        sit_outs or {},
        void or {},
        opponents=opponents,
        scoring=scoring,
    )
    found: dict[Entrant, tuple[float | None, ...]] = dict.fromkeys(entrants, ())
    blocks = _by_points(tallies)
    for name in tie_breaks:
        blocks = _refined(tallies, blocks, TIE_BREAKS[name], found)
    rows: list[Row] = []
    for block in blocks:
        place = 1 + len(rows)
        rows += [_row(place, entrant, tallies[entrant], found[entrant]) for entrant in block]
    return rows


def _by_points(tallies: Mapping[Entrant, Tally]) -> list[list[Entrant]]:
    """Those with equal points together, best first."""
    blocks: dict[float, list[Entrant]] = {}
    for entrant, tally in tallies.items():
        blocks.setdefault(tally.points, []).append(entrant)
    return [blocks[points] for points in sorted(blocks, reverse=True)]


def _refined(
    tallies: Mapping[Entrant, Tally],
    blocks: Sequence[Sequence[Entrant]],
    tie_break: TieBreak,
    found: dict[Entrant, tuple[float | None, ...]],
) -> list[list[Entrant]]:
    """The blocks split by one tie-break, whose values are added to `found`."""
    finer: list[list[Entrant]] = []
    for block in blocks:
        values, parts = parted(tallies, block, tie_break)
        finer += parts
        for entrant in block:
            found[entrant] += (values[entrant],)
    return finer


def _row(place: int, entrant: Entrant, tally: Tally, tie_breaks: tuple[float | None, ...]) -> Row:
    return Row(
        place=place,
        entrant=entrant,
        points=tally.points,
        groups=tally.groups,
        won=tally.won,
        drawn=tally.drawn,
        lost=tally.lost,
        matches=tally.matches,
        difference=tally.difference,
        faults=tally.faults,
        byes=tally.byes,
        void=tally.void.groups,
        for_void=round(tally.for_void, 6),
        tie_breaks=tie_breaks,
    )
