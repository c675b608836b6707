"""Where luck went: what the cards did to each match, and to a tournament as a whole.

In a deal group the same cards come to the same sides in every match while the entrants move on. So
a score splits into the worth of the side's cards, what its player makes of any cards, and a rest:

    score - mean score of the match = cards(side) + play(entrant) + rest

Every entrant plays every side once, so the two effects are means over the matches of the group, and
independent of each other (a Latin square). "Cards" include the side's place in the order of play.

Over a tournament, what entrants did is fitted by one number each; what that leaves is the rest. Its
size also says how much of the two effects is only noise, which is subtracted from them, degree of
freedom by degree of freedom, before the shares are given.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from tournaments.deal_groups import Entrant, MatchResult, Side, members


@dataclass(frozen=True, slots=True)
class GroupLuck:
    """The split of one deal group, in points of score a match."""

    entrants: tuple[Side, ...]
    """In the order of the group's first match."""

    cards: tuple[float, ...]
    """For each side: how much more than the mean of the match its cards brought; the sum is 0."""

    play: tuple[float, ...]
    """For each entrant: how much more than the mean it made of all the cards; the sum is 0."""

    rest: tuple[tuple[float, ...], ...]
    """For each match and side: what neither explains."""


@dataclass(frozen=True, slots=True)
class Split:
    """What moved the scores of a tournament's matches."""

    groups: int
    """Complete deal groups without faults behind it."""

    variance: float
    """Of a side's score around the mean of its match, in points squared."""

    cards: float
    """Share of it, 0 to 1, that the cards explain."""

    players: float
    """Share that lasting differences between the entrants explain."""

    rest: float
    """What is left: plans that failed or held with these cards, chance in the play."""

    skills: dict[Entrant, float]
    """For each entrant: points a match above the mean of all."""


def cards_of(scores: Sequence[Sequence[float]]) -> tuple[float, ...]:
    """What each side's cards were worth, from `scores[match][side]` of a deal group's matches."""
    centred = [_centred(row) for row in scores]
    return tuple(_clean(sum(column) / len(centred)) for column in zip(*centred, strict=True))


def group_luck(matches: Sequence[MatchResult]) -> GroupLuck | None:
    """Split a deal group; None unless it is complete and without faults.

    What the platform's fallback scored in place of a faulting bot tells nothing about cards.
    """
    if not _is_square(matches):
        return None
    entrants = matches[0].entrants
    centred = [_centred(match.scores) for match in matches]
    cards = cards_of([match.scores for match in matches])
    totals = dict.fromkeys(entrants, 0.0)
    for match, row in zip(matches, centred, strict=True):
        for entrant, score in zip(match.entrants, row, strict=True):
            totals[entrant] += score
    play = {entrant: total / len(matches) for entrant, total in totals.items()}
    rest = tuple(
        tuple(
            _clean(score - cards[side] - play[match.entrants[side]])
            for side, score in enumerate(row)
        )
        for match, row in zip(matches, centred, strict=True)
    )
    return GroupLuck(entrants, cards, tuple(_clean(play[each]) for each in entrants), rest)


def split(groups: Iterable[Sequence[MatchResult]]) -> Split | None:
    """The split of a tournament; None while there are too few deal groups to tell noise apart."""
    found = [luck for luck in map(group_luck, groups) if luck is not None]
    names = sorted(
        {member for luck in found for side in luck.entrants for member in members(side)}, key=str
    )
    index = {name: i for i, name in enumerate(names)}
    normal, target = np.zeros((len(names), len(names))), np.zeros(len(names))
    total = cards = 0.0
    cells = free = of_cards = 0
    for luck in found:
        n = len(luck.cards)
        rows = _rows(luck, index)
        normal += n * rows.T @ rows
        target += n * rows.T @ np.array(luck.play)
        cards += n * _squares(luck.cards)
        total += n * (_squares(luck.cards) + _squares(luck.play))
        total += sum(_squares(row) for row in luck.rest)
        cells, free, of_cards = cells + n * n, free + n * (n - 1), of_cards + n - 1
    if not found:
        return None
    skills = np.linalg.pinv(normal, hermitian=True) @ target
    of_players = int(np.linalg.matrix_rank(normal, hermitian=True))
    of_rest = free - of_cards - of_players
    if of_rest <= 0 or total <= 0:
        return None
    players = float(skills @ target)
    noise = max(total - cards - players, 0.0) / of_rest
    told = max(cards - of_cards * noise, 0.0) / total
    made = max(players - of_players * noise, 0.0) / total
    return Split(
        groups=len(found),
        variance=total / cells,
        cards=told,
        players=made,
        rest=max(1.0 - told - made, 0.0),
        skills=dict(zip(names, (skills - skills.mean()).tolist(), strict=True)),
    )


def _is_square(matches: Sequence[MatchResult]) -> bool:
    """Whether every entrant played every side exactly once, and nobody made a fault."""
    if not matches or any(match.faults for match in matches):
        return False
    sides = len(matches[0].entrants)
    columns = zip(*(match.entrants for match in matches), strict=True)
    return len(matches) == sides and all(
        set(column) == set(matches[0].entrants) for column in columns
    )


def _rows(
    luck: GroupLuck, index: dict[Entrant, int]
) -> "np.ndarray[tuple[int, int], np.dtype[np.float64]]":
    """One row for each side of the group: the mean of its members minus the mean of all sides."""
    rows = np.zeros((len(luck.entrants), len(index)))
    for row, side in zip(rows, luck.entrants, strict=True):
        for member in members(side):
            row[index[member]] += 1 / len(members(side))
    centred: np.ndarray[tuple[int, int], np.dtype[np.float64]] = rows - rows.mean(axis=0)
    return centred


def _centred(row: Sequence[float]) -> list[float]:
    mean = sum(row) / len(row)
    return [score - mean for score in row]


def _squares(values: Sequence[float]) -> float:
    return sum(value * value for value in values)


def _clean(value: float) -> float:
    """Round off the last bits: what cancels is 0."""
    return round(value, 9) + 0.0
