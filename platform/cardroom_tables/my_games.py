"""A person's finished games and skills, shown only to that person."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any, Final

from django.db.models import F, QuerySet

from cardroom_tables.guests import Person
from cardroom_tables.models import Table, TableSeat
from cardroom_tables.reading import format_of
from engine import Format
from engine.search.card_luck import leads

MAX_GAMES: Final = 20
"""Number of the latest games that are listed."""
RECENT_OUTCOMES: Final = 5
"""Number of the latest games against the same players that a page lists at the end of a game."""
MAX_MEASURED: Final = 200
"""Number of the latest games that skills are measured from."""
MIN_GAMES: Final = 5
"""A skill needs this many games of a form; with fewer, its error would be unreliable."""
Z: Final = 1.959964


@dataclass(frozen=True, slots=True)
class FinishedGame:
    """A person's finished game."""

    table: Table
    format: dict[str, Any]
    others: list[str]
    """The names at the other seats."""
    scores: list[int]
    outcome: str
    """`won`, `lost` or `drawn`."""


def games_of(person: Person) -> tuple[list[FinishedGame], int]:
    """The person's latest games, newest first, and the number won in a row."""
    tables = _finished(person)[:MAX_GAMES]
    games = [_game(table, person) for table in tables]
    streak = 0
    for game in (game for game in games if game.table.source is None):
        if game.outcome != "won":
            break
        streak += 1
    return games, streak


def recent_outcomes(table: Table, person: Person) -> list[str]:
    """Outcomes of a person's latest games of this form against the same players, oldest first."""
    form = table.format.partition("?")[0]
    tables = _finished(person).filter(source__isnull=True, format__startswith=form)[:MAX_GAMES]
    opponents = _others(table, person)
    same_opponents = [other for other in tables if _others(other, person) == opponents]
    return [_game(other, person).outcome for other in reversed(same_opponents[:RECENT_OUTCOMES])]


def _others(table: Table, person: Person) -> list[str]:
    return sorted(seat.bot or seat.name for seat in table.seats.all() if not person.has(seat))


def _game(table: Table, person: Person) -> FinishedGame:
    seats = sorted(table.seats.all(), key=lambda seat: seat.index)
    own_seat = next(seat for seat in seats if person.has(seat))
    fmt = Format.parse(table.format)
    result: dict[str, Any] = table.result or {}
    winners = result["winners"]
    won = _side(fmt.sides, own_seat.index, len(result["ranks"])) in winners
    outcome = "lost" if not won else "won" if len(winners) == 1 else "drawn"
    others = [seat.name for seat in seats if seat is not own_seat]
    return FinishedGame(table, format_of(fmt), others, result["scores"], outcome)


def _side(sides: Sequence[Sequence[int]], seat: int, count: int) -> int:
    """The index of a seat's result: its side, or the seat if sides form in play."""
    if count != len(sides):
        return seat
    return next(number for number, seats in enumerate(sides) if seat in seats)


@dataclass(frozen=True, slots=True)
class PersonSkill:
    """A person's lead over the mean of the others in one form of game, in points per deal.

    `cards`: the part of the lead `ahead` that the cards were worth, measured with the game's
    playout policy in all seats. Its mean is 0, so the remainder `played` is as unbiased as `ahead`,
    with a smaller error (`engine.search.card_luck`).
    """

    format: dict[str, Any]
    games: int
    ahead: float
    cards: float
    error: float
    """Half of the 95 % interval of `played`."""

    @property
    def played(self) -> float:
        return self.ahead - self.cards

    @property
    def words(self) -> str:
        low, high = self.played - self.error, self.played + self.error
        if low <= 0 <= high:
            return "Too few deals to know whether you play better or worse than the others."
        return f"You play {'better' if low > 0 else 'worse'} than the others at these tables."


def skills_of(person: Person) -> list[PersonSkill]:
    """Skills by form of game, the most played first; without continuations, and without games whose
    card luck is not known yet."""
    tables = _finished(person).filter(source__isnull=True, compared__gte=F("deals"), deals__gt=0)
    by_format: dict[str, list[tuple[float, float, int]]] = {}
    for table in tables[:MAX_MEASURED]:
        if (lead := _lead(table, person)) is not None:
            by_format.setdefault(table.format.partition("?")[0], []).append(lead)
    measurable = [(pool, games) for pool, games in by_format.items() if len(games) >= MIN_GAMES]
    return [
        _skill(pool, games) for pool, games in sorted(measurable, key=lambda lead: -len(lead[1]))
    ]


def _lead(table: Table, person: Person) -> tuple[float, float, int] | None:
    """(lead, worth of the cards, number of deals); None if unknown."""
    result: dict[str, Any] = table.result or {}
    scores = result["scores"]
    if any(len(worth) != len(scores) for worth in table.luck):
        return None
    own_seat = next(seat for seat in table.seats.all() if person.has(seat))
    place = _side(Format.parse(table.format).sides, own_seat.index, len(scores))
    return leads(scores)[place], sum(worth[place] for worth in table.luck), table.deals


def _skill(pool: str, games: Sequence[tuple[float, float, int]]) -> PersonSkill:
    """Means per deal; the error is the error of a ratio of two sums over games."""
    deals = sum(count for *_, count in games)
    ahead, cards = (sum(game[index] for game in games) / deals for index in (0, 1))
    residuals = [lead - worth - (ahead - cards) * count for lead, worth, count in games]
    n = len(games)
    deviation = sqrt(n / (n - 1) * sum(residual * residual for residual in residuals)) / deals
    error = t_quantile(n - 1) * deviation
    return PersonSkill(format_of(Format.parse(pool)), n, ahead, cards, error)


def t_quantile(freedom: int) -> float:
    """The 0.975 quantile of Student's t, within a hundredth from four degrees of freedom on
    (Abramowitz and Stegun, 26.7.5)."""
    first = (Z**3 + Z) / 4
    second = (5 * Z**5 + 16 * Z**3 + 3 * Z) / 96
    third = (3 * Z**7 + 19 * Z**5 + 17 * Z**3 - 15 * Z) / 384
    return Z + first / freedom + second / freedom**2 + third / freedom**3


def _finished(person: Person) -> QuerySet[Table]:
    """A person's finished tables, newest first, with their seats."""
    own_seats = TableSeat.objects.filter(person.own_seats(), kind=TableSeat.Kind.PERSON)
    tables = Table.objects.filter(
        pk__in=own_seats.values("table"), state=Table.State.FINISHED, result__isnull=False
    )
    return tables.prefetch_related("seats").order_by("-finished", "-pk")
