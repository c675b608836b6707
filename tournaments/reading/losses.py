"""Where a bot loses points, summed up over its analysed matches in a game."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from django.db.models import Exists, OuterRef

from bots.models import Bot
from engine.search.findings import PHASES
from tournaments.models import Analysis, Seat

LATEST: Final = 50
"""Matches that are summed up: those analysed last."""


@dataclass
class Lost:
    """Decisions, and what they cost together."""

    decisions: int = 0
    cost: float = 0.0
    stake: float = 0.0
    """What there was to lose; 0 where that was not kept."""
    matches: int = 0
    """0 where matches are not counted."""

    def add(self, decisions: int, cost: float, stake: float = 0.0, matches: int = 0) -> None:
        """Some more."""
        self.decisions += decisions
        self.cost += cost
        self.stake += stake
        self.matches += matches

    @property
    def mean(self) -> float:
        """Points lost with a decision."""
        return self.cost / self.decisions if self.decisions else 0.0

    @property
    def accuracy(self) -> float | None:
        """As `engine.search.findings.accuracy`, of all matches together."""
        if self.stake <= 0:
            return None
        return 100 * max(0.0, min(1.0, 1 - self.cost / self.stake))


@dataclass
class Losses:
    """What a bot loses, by what."""

    whole: Lost = field(default_factory=Lost)
    phases: dict[str, Lost] = field(default_factory=lambda: {phase: Lost() for phase in PHASES})
    acts: dict[str, Lost] = field(default_factory=dict)
    """By the verb of the move's sentence."""
    against: dict[str, Lost] = field(default_factory=dict)
    """By the opponents' names."""
    versions: dict[int, Lost] = field(default_factory=dict)
    """By the bot's own version."""


class _Sat(NamedTuple):
    """Who sat on a seat."""

    seat: int
    side: int
    bot: int
    name: str
    version: int


def losses_of(bot: Bot, game: str) -> Losses:
    """Over the matches of the game that were analysed last and that lists show."""
    sat = Seat.objects.filter(match=OuterRef("pk"), version__bot=bot)
    rows = Analysis.objects.filter(
        Exists(sat),
        record__match__format__startswith=f"{game}/",
        record__match__tournament__trial=False,
        trouble="",
        finished__isnull=False,
    )
    found = dict(rows.order_by("-asked", "-pk").values_list("pk", "seats")[:LATEST])
    seats = Seat.objects.filter(match__in=found).order_by("match", "index")
    by_match: dict[int, list[_Sat]] = {}
    columns = "match", "index", "side", "version__bot", "version__bot__name", "version__number"
    for match, *seat in seats.values_list(*columns):
        by_match.setdefault(match, []).append(_Sat(*seat))
    made = Losses()
    for match, judged in found.items():
        _add(made, bot.pk, by_match.get(match, []), {each["seat"]: each for each in judged})
    return made


def _add(
    made: Losses,
    bot: int,
    seats: Iterable[_Sat],
    judged: Mapping[int, Mapping[str, Any]],
) -> None:
    sat = list(seats)
    own = [each for each in sat if each.bot == bot]
    sides = {each.side for each in own}
    others = sorted({each.name for each in sat if each.side not in sides})
    opponents = " and ".join(others) or "itself"
    once = 1  # a match counts once, however often the bot sat there
    for one in own:
        each = judged.get(one.seat)
        if each is None:
            continue
        sums = each["decisions"], each["cost"], each["stake"], once
        made.whole.add(*sums)
        made.against.setdefault(opponents, Lost()).add(*sums)
        made.versions.setdefault(one.version, Lost()).add(*sums)
        for key, table in (("phases", made.phases), ("acts", made.acts)):
            for name, (count, cost) in each[key].items():
                table.setdefault(name, Lost()).add(count, cost)
        once = 0
