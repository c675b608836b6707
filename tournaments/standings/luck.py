"""The luck of the cards in a deal group and in a tournament.

In every match of a deal group each side gets the same cards, while the entrants change sides. So a
score splits into the worth of the side's cards, the entrant's play with any cards, and a rest:

    score - mean score of the match = cards(side) + play(entrant) + rest

Every entrant plays every side once, so the two effects are means over the matches of the group, and
independent of each other (a Latin square). "Cards" include the side's place in the order of play.

For a tournament, each entrant's skill (one number) is fitted to its play in all groups; the
residuals belong to the rest. The rest per degree of freedom estimates the noise. Each effect is
reduced by the noise for each of its own degrees of freedom.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from tournaments.deal_groups import Entrant, MatchResult, SideEntrants, members


@dataclass(frozen=True, slots=True)
class GroupLuck:
    """The luck and play of one deal group, in points per match."""

    entrants: tuple[SideEntrants, ...]
    """In the order of the group's first match."""

    cards: tuple[float, ...]
    """By side: the points above the match's mean that its cards brought; the sum is 0."""

    play: tuple[float, ...]
    """By entrant: its points above the mean, averaged over all the cards; the sum is 0."""

    rest: tuple[tuple[float, ...], ...]
    """By match and side: the residual."""


@dataclass(frozen=True, slots=True)
class Split:
    """The shares of cards and play in the scores of a tournament."""

    groups: int
    """Deal groups used: complete and without faults."""

    variance: float
    """Variance of a side's score around the mean of its match, in points squared."""

    cards: float
    """Share of the variance, 0 to 1, that the cards explain."""

    players: float
    """Share that lasting differences between the entrants explain."""

    rest: float
    """The remaining share."""

    skills: dict[Entrant, float]
    """By entrant: points per match above the mean of all."""


def card_worth(scores: Sequence[Sequence[float]]) -> tuple[float, ...]:
    """The worth of each side's cards, from `scores[match][side]` of a deal group."""
    centred = [_centred(row) for row in scores]
    return tuple(_rounded(sum(column) / len(centred)) for column in zip(*centred, strict=True))


def group_luck(matches: Sequence[MatchResult]) -> GroupLuck | None:
    """Split a deal group; None unless it is complete and without faults.

    Faults are excluded because the platform's fallback moves played for the bot.
    """
    if not _is_square(matches):
        return None
    entrants = matches[0].entrants
    centred = [_centred(match.scores) for match in matches]
    cards = card_worth([match.scores for match in matches])
    totals = dict.fromkeys(entrants, 0.0)
    for match, row in zip(matches, centred, strict=True):
        for entrant, score in zip(match.entrants, row, strict=True):
            totals[entrant] += score
    play = {entrant: total / len(matches) for entrant, total in totals.items()}
    rest = tuple(
        tuple(
            _rounded(score - cards[side] - play[match.entrants[side]])
            for side, score in enumerate(row)
        )
        for match, row in zip(matches, centred, strict=True)
    )
    return GroupLuck(entrants, cards, tuple(_rounded(play[entrant]) for entrant in entrants), rest)


def split_luck(groups: Iterable[Sequence[MatchResult]]) -> Split | None:
    """The split of a tournament; None if there are too few deal groups to estimate the noise."""
    lucks = [luck for luck in map(group_luck, groups) if luck is not None]
    entrants = sorted(
        {member for luck in lucks for side in luck.entrants for member in members(side)}, key=str
    )
    index = {name: i for i, name in enumerate(entrants)}
    normal, target = np.zeros((len(entrants), len(entrants))), np.zeros(len(entrants))
    total = cards = 0.0
    cells = degrees = card_degrees = 0
    for luck in lucks:
        count = len(luck.cards)
        rows = _rows(luck, index)
        normal += count * rows.T @ rows
        target += count * rows.T @ np.array(luck.play)
        cards += count * _squares(luck.cards)
        total += count * (_squares(luck.cards) + _squares(luck.play))
        total += sum(_squares(row) for row in luck.rest)
        cells += count * count
        degrees += count * (count - 1)
        card_degrees += count - 1
    if not lucks:
        return None
    skills = np.linalg.pinv(normal, hermitian=True) @ target
    player_degrees = int(np.linalg.matrix_rank(normal, hermitian=True))
    rest_degrees = degrees - card_degrees - player_degrees
    if rest_degrees <= 0 or total <= 0:
        return None
    players = float(skills @ target)
    noise = max(total - cards - players, 0.0) / rest_degrees
    card_share = max(cards - card_degrees * noise, 0.0) / total
    player_share = max(players - player_degrees * noise, 0.0) / total
    return Split(
        groups=len(lucks),
        variance=total / cells,
        cards=card_share,
        players=player_share,
        rest=max(1.0 - card_share - player_share, 0.0),
        skills=dict(zip(entrants, (skills - skills.mean()).tolist(), strict=True)),
    )


def _is_square(matches: Sequence[MatchResult]) -> bool:
    """Whether every entrant played every side exactly once, and nobody committed a fault."""
    if not matches or any(match.faulting_sides for match in matches):
        return False
    sides = len(matches[0].entrants)
    columns = zip(*(match.entrants for match in matches), strict=True)
    return len(matches) == sides and all(
        set(column) == set(matches[0].entrants) for column in columns
    )


def _rows(
    luck: GroupLuck, index: dict[Entrant, int]
) -> "np.ndarray[tuple[int, int], np.dtype[np.float64]]":
    """The design matrix [sides, entrants] of a group.

    The row of a side gives equal weights to its members, together 1; then the mean row is
    subtracted.
    """
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


def _rounded(value: float) -> float:
    """Round, so that terms that cancel give exactly 0."""
    return round(value, 9) + 0.0
