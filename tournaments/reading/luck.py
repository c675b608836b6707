"""The luck of the cards in a tournament and in a match."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from cardroom_base.core.answers import UNSENT, description
from tournaments.models import Match, Seat, SideResult, Tournament
from tournaments.reading.content_cache import AS_OF
from tournaments.reading.course import paired_groups
from tournaments.reading.entry_names import names_of
from tournaments.reading.results import results_by_group
from tournaments.standings.luck import Split, card_worth, split_luck

MAX_GROUPS = 5000
"""The maximum number of deal groups used. A longer tournament uses its last ones."""


@dataclass(frozen=True, slots=True)
class Skill:
    """The score of an entry, adjusted for its cards."""

    entry: str = field(metadata=description("The entry's title."))
    bot: str = field(metadata=description("Slug of the entry's (first) bot."))
    points: float = field(metadata=description("Points per match above the mean of all entries."))
    owner: int | None = field(metadata=UNSENT)
    """Primary key of the owner of `bot`."""


@dataclass(frozen=True, slots=True)
class Luck:
    """How much of the variance of scores the cards explain, and how much the play.

    Only complete deal groups without faults count.
    """

    tournament: str
    as_of: datetime | None = field(metadata=description(AS_OF))
    groups: int = field(metadata=description("Number of deal groups used."))
    variance: float | None = field(
        metadata=description("Variance of a side’s score around the mean of its match.")
    )
    cards: float | None = field(
        metadata=description("Share of the variance that the cards explain, 0 to 1.")
    )
    players: float | None = field(
        metadata=description("Share that lasting differences between entries explain.")
    )
    rest: float | None = field(metadata=description("The remaining share."))
    skills: list[Skill] = field(metadata=description("The best first."))


class MatchScore(NamedTuple):
    """The score of a side in one match of a deal group, and its bots."""

    match: int
    """Primary key."""
    player: str
    """The bots of the side, copies listed once."""
    score: int


class SideLuck(NamedTuple):
    """The worth of a side's cards in a match."""

    side: int
    here: MatchScore
    others: list[MatchScore]
    """The scores of the same side in the other matches of the deal group."""
    cards: float
    """The worth of its cards in points above the mean of the match; the sum over the sides is 0."""


def luck_of(tournament: Tournament, split: Split | None, at: datetime | None) -> Luck:
    """Add the entries' names to a `Split`.

    Without a split, the figures are 0 or None, and `skills` is empty.
    """
    if split is None:
        return Luck(tournament.slug, at, 0, None, None, None, None, [])
    names = names_of(tournament)
    ranked = sorted(split.skills.items(), key=lambda item: -item[1])
    skills = [
        Skill(names[pk].title, names[pk].members[0].slug, points, names[pk].members[0].owner)
        for pk, points in ranked
    ]
    shares = (split.variance, split.cards, split.players, split.rest)
    return Luck(tournament.slug, at, split.groups, *shares, skills)


def tournament_luck(tournament: Tournament) -> Split | None:
    """Split a tournament's scores into cards, play and rest; None if too few deal groups count.

    The keys of its `skills` are primary keys of entries.
    """
    finished = tournament.deal_groups.filter(finished__isnull=False, retired__isnull=True)
    numbers = finished.order_by("-number").values_list("number", flat=True)
    last_omitted = list(numbers[MAX_GROUPS : MAX_GROUPS + 1])
    # Start from the deal groups: their numbers have an index, and ladders have many older matches.
    deal_groups = tournament.deal_groups.filter(
        retired__isnull=True, number__gt=last_omitted[0] if last_omitted else 0
    )
    return split_luck(group.matches for group in paired_groups(deal_groups))


def match_luck(match: Match) -> list[SideLuck]:
    """The luck of each side of a finished match; empty unless its whole deal group was played
    without a fault."""
    matches = _match_scores(match.deal_group_id)
    own_match = [scores for scores in matches if scores[0].match == match.pk]
    if not own_match or len(matches) != len(own_match[0]):
        return []
    others = [scores for scores in matches if scores is not own_match[0]]
    cards = card_worth([[side.score for side in scores] for scores in matches])
    return [
        SideLuck(side, here, [scores[side] for scores in others], cards[side])
        for side, here in enumerate(own_match[0])
    ]


def _match_scores(deal_group: int) -> list[list[MatchScore]]:
    """The finished matches of a deal group by rotation; empty if a bot committed a fault."""
    rows = SideResult.objects.filter(match__deal_group=deal_group)
    results = results_by_group(rows).get(deal_group, [])
    if any(result.faults for result in results):
        return []
    seats = Seat.objects.filter(match__in=[result.match for result in results]).order_by("index")
    names: dict[tuple[int, int], list[str]] = {}
    for match, side, version, bot in seats.values_list(
        "match", "side", "version__number", "version__bot__name"
    ):
        names.setdefault((match, side), []).append(f"{bot} v{version}")
    return [
        [MatchScore(match, _team(names[match, side]), score) for side, score in enumerate(scores)]
        for match, _, scores, *_ in results
    ]


def _team(names: Sequence[str]) -> str:
    return " & ".join(dict.fromkeys(names))
