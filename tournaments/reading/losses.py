"""The decisions by which a bot loses points, summed over its analysed matches in a game."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from django.db.models import Exists, OuterRef

from bots.models import Bot
from cardroom_base.core.answers import description
from engine.search.findings import PHASES
from tournaments.models import Analysis, Seat
from tournaments.visibility import public_unfrozen_tournaments

LATEST: Final = 50
"""Maximum number of matches that are summed: those whose analyses were requested last."""
MAX_ROWS: Final = 500
"""Maximum rows of a table: those with most decisions."""


@dataclass(frozen=True, slots=True)
class Lost:
    """The decisions of one kind, and the points that they lost."""

    of: str = field(
        metadata=description(
            "A part of the deal, a verb, names of opponents or the number of a version; "
            "empty: all, or moves without a verb."
        )
    )
    decisions: int
    points: float = field(
        metadata=description("Mean points that a decision loses against the expert's move.")
    )
    accuracy: float | None = field(metadata=description("Accuracy, 0 to 100; null if unknown."))


@dataclass(frozen=True, slots=True)
class Losses:
    """The points that a bot loses in a game, by phase, verb, opponent and version."""

    bot: str
    game: str
    matches: int = field(
        metadata=description(f"Number of analysed matches: the last ones, at most {LATEST}.")
    )
    whole: Lost
    phases: list[Lost]
    acts: list[Lost] = field(metadata=description("Losses by the verb of the move's sentence."))
    against: list[Lost]
    versions: list[Lost]


@dataclass
class _Sum:
    """The sum of some decisions."""

    decisions: int = 0
    cost: float = 0.0
    stake: float = 0.0
    """The points that could have been lost; 0 if that was not stored."""

    def add(self, decisions: int, cost: float, stake: float = 0.0) -> None:
        self.decisions += decisions
        self.cost += cost
        self.stake += stake

    def row(self, of: str) -> Lost:
        """The row of a table. The accuracy is that of `engine.search.findings.accuracy`, over all
        matches together."""
        accuracy = None
        if self.stake > 0:
            accuracy = round(100 * max(0.0, min(1.0, 1 - self.cost / self.stake)), 2)
        points = round(self.cost / self.decisions, 4) if self.decisions else 0.0
        return Lost(of, self.decisions, points, accuracy)


@dataclass
class _LossSums:
    """A bot's losses: in all, and by phase, verb, opponent and version."""

    matches: int = 0
    whole: _Sum = field(default_factory=_Sum)
    phases: dict[str, _Sum] = field(default_factory=lambda: {phase: _Sum() for phase in PHASES})
    acts: dict[str, _Sum] = field(default_factory=dict)
    against: dict[str, _Sum] = field(default_factory=dict)
    versions: dict[str, _Sum] = field(default_factory=dict)


class _SeatedVersion(NamedTuple):
    """A seat of a match, and the version on it."""

    seat: int
    side: int
    bot: int
    name: str
    version: int


def losses_of(bot: Bot, game: str) -> Losses:
    """The bot's losses in the latest analysed matches of the game that everybody may see;
    rows with most decisions come first."""
    seat = Seat.objects.filter(match=OuterRef("pk"), version__bot=bot)
    rows = Analysis.objects.filter(
        Exists(seat),
        record__match__format__startswith=f"{game}/",
        record__match__tournament__in=public_unfrozen_tournaments().values("pk"),
        trouble="",
        finished__isnull=False,
    )
    analyses = dict(rows.order_by("-asked", "-pk").values_list("pk", "seats")[:LATEST])
    seats = Seat.objects.filter(match__in=analyses).order_by("match", "index")
    players: dict[int, list[_SeatedVersion]] = {}
    columns = "match", "index", "side", "version__bot", "version__bot__name", "version__number"
    for match, *columns_of_seat in seats.values_list(*columns):
        players.setdefault(match, []).append(_SeatedVersion(*columns_of_seat))
    sums = _LossSums()
    for match, seat_losses in analyses.items():
        by_seat = {seat["seat"]: seat for seat in seat_losses}
        _add_match(sums, bot.pk, players.get(match, []), by_seat)
    tables = (sums.phases, sums.acts, sums.against, sums.versions)
    return Losses(bot.slug, game, sums.matches, sums.whole.row(""), *map(_rows, tables))


def _rows(table: Mapping[str, _Sum]) -> list[Lost]:
    ranked = sorted(table.items(), key=lambda item: (-item[1].decisions, item[0]))
    return [total.row(of) for of, total in ranked[:MAX_ROWS]]


def _add_match(
    sums: _LossSums,
    bot: int,
    players: Iterable[_SeatedVersion],
    seat_losses: Mapping[int, Mapping[str, Any]],
) -> None:
    """Add a match; it counts once, even if the bot played on several seats."""
    own = [player for player in players if player.bot == bot]
    sides = {player.side for player in own}
    others = sorted({player.name for player in players if player.side not in sides})
    opponents = " and ".join(others) or "itself"
    seats = [(player, seat_losses[player.seat]) for player in own if player.seat in seat_losses]
    sums.matches += bool(seats)
    for player, seat in seats:
        figures = seat["decisions"], seat["cost"], seat["stake"]
        sums.whole.add(*figures)
        sums.against.setdefault(opponents, _Sum()).add(*figures)
        sums.versions.setdefault(str(player.version), _Sum()).add(*figures)
        for key, table in (("phases", sums.phases), ("acts", sums.acts)):
            for name, (count, cost) in seat[key].items():
                table.setdefault(name, _Sum()).add(count, cost)
