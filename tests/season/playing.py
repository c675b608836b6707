"""Plays tournaments of bots with known strengths by the site's actions, without processes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from bots.models import Bot
from bots.referee.outcome import MatchOutcome, SeatReport
from engine import Format, Match, Record
from tests import factories as make
from tournaments import actions
from tournaments.models import Match as StoredMatch
from tournaments.models import Seat, Tournament
from tournaments.pairing import SYSTEMS
from tournaments.ratings.elo import SCALE

BASE = 100_000
"""Added to all numbers, so that none is negative."""


@dataclass(frozen=True, slots=True)
class SeasonTournament:
    """A tournament of a season."""

    table: str
    """A table form, such as `2v2`."""

    stages: list[dict[str, Any]] = field(default_factory=lambda: [{}])
    partners: str = "copies"
    entries: int = 0
    """The number of bots that enter; 0: all."""

    @property
    def format(self) -> str:
        return f"season/plain/{self.table}"

    @property
    def endless(self) -> bool:
        """Whether the organizer must end it."""
        return SYSTEMS[self.stages[0].get("system", "round-robin")].endless


def play_tournament(
    cup: SeasonTournament, bots: Sequence[Bot], strengths: Mapping[int, float]
) -> Tournament:
    """Create, enter, start and play a cup to its end; `strengths` by version, in Elo points."""
    tournament = make.tournament(
        (), format=cup.format, stages=cup.stages, partners=cup.partners, seed=f"{cup}"[:64]
    )
    entrants = bots[: cup.entries or len(bots)]
    if cup.partners == Tournament.Partners.FIXED:
        size = max(map(len, Format.parse(cup.format).sides))
        for start in range(0, len(entrants) - size + 1, size):
            actions.enter_team(tournament, entrants[start : start + size], None)
    else:
        for bot in entrants:
            actions.enter(tournament, bot, None)
    tournament = actions.start(tournament, None)
    if not cup.endless:
        return play_on(tournament, strengths)
    play_on(tournament, strengths, max_matches=10 * len(entrants))
    return actions.finish(tournament, None)


def play_on(
    tournament: Tournament, strengths: Mapping[int, float], *, max_matches: int = 1_000_000
) -> Tournament:
    """Play waiting matches until there are none, or `max_matches` were played."""
    chance = Random(tournament.seed)
    count = 0
    while count < max_matches:
        attempts = actions.claim("season/1", 500)
        if not attempts:
            if not actions.advance(tournament.pk):
                break
            continue
        count += len(attempts)
        for attempt in attempts:
            assert actions.store_result(attempt.pk, outcome(attempt.match, strengths, chance))
    tournament.refresh_from_db()
    return tournament


def outcome(match: StoredMatch, strengths: Mapping[int, float], chance: Random) -> MatchOutcome:
    """A match by the Plackett–Luce model: a side scores its mean strength plus Gumbel noise."""
    fmt = Format.parse(match.format)
    seats = list(Seat.objects.filter(match=match).select_related("version__bot").order_by("index"))
    play = Match(fmt, match.deal_group.seed)
    for seat in seats:
        side = fmt.sides[fmt.side(seat.index)]
        number = 0
        if seat.index == side[0]:
            members = {seats[index].version_id for index in side}
            strength = sum(strengths[version] for version in members) / len(members)
            noise = -math.log(-math.log(chance.random() or 0.5)) * SCALE / math.log(10)
            number = BASE + round(10 * (strength + noise))
        play.play(str(number))
    names = [seat.version.bot.name for seat in seats]
    record = Record.of(play, [{"name": name} for name in names])
    reports = [SeatReport(name, 1.0, 1.0, 0.0, 0, b"", 1, None) for name in names]
    return MatchOutcome(record, reports)


def all_cups(tables: Sequence[str], groups: int) -> Iterator[SeasonTournament]:
    """Tournaments with every pairing system, suitable table form and kind of partners.

    Some have several stages. Trials are excluded, because organizers cannot choose them.
    """
    for table in tables:
        sides = Format.parse(f"season/plain/{table}").sides
        kinds = ["copies", "fixed", "rotating"] if max(map(len, sides)) > 1 else ["copies"]
        for system in SYSTEMS.values():
            if (len(sides) > 2 and not system.wide_tables) or system.name == "trial":
                continue
            for partners in kinds:
                if partners != "rotating" or system.rotating_partners:
                    yield SeasonTournament(
                        table, [{"system": system.name, "groups": groups}], partners
                    )
    swiss, final = {"system": "swiss", "groups": groups}, {"system": "knock-out", "take": 4}
    yield SeasonTournament("1v1", [swiss, final])
    yield SeasonTournament(
        "1v1", [{"groups": groups, "divisions": 2}, {"take": 4, "groups": groups}]
    )
