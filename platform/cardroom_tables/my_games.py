"""What somebody sees of their own finished games: how each went, and how well they play."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any, Final

from django.db.models import F, QuerySet

from cardroom_tables.guests import Person
from cardroom_tables.match_cache import parsed
from cardroom_tables.models import Table, TableSeat
from cardroom_tables.reading import format_of
from engine.search.luck import leads

SHOWN: Final = 20
"""The last games that somebody is shown."""
RECENT: Final = 5
"""The last games against the same others that are told beside the end of one."""
MEASURED: Final = 200
"""The last games from which it is told how well somebody plays."""
ENOUGH: Final = 5
"""Games of a form before anything is told: with fewer the error says nothing, either."""
Z: Final = 1.959964


@dataclass(frozen=True, slots=True)
class Game:
    """A finished game of somebody, as they are shown it; nobody else is."""

    table: Table
    format: dict[str, Any]
    others: list[str]
    """Who else sat there."""
    scores: list[int]
    outcome: str
    """`won`, `lost` or `drawn`."""


def games_of(person: Person) -> tuple[list[Game], int]:
    """The last games of somebody, newest first, and how many of them were won in a row; one that
    goes on from a record does not count."""
    found = _finished(person)[:SHOWN]
    games = [_game(table, person) for table in found]
    streak = 0
    for game in (each for each in games if each.table.source is None):
        if game.outcome != "won":
            break
        streak += 1
    return games, streak


def record_of(table: Table, person: Person) -> list[str]:
    """How somebody's last games of this form against the same others went, the oldest first."""
    form = table.format.partition("?")[0]
    found = _finished(person).filter(source__isnull=True, format__startswith=form)[:SHOWN]
    wanted = _others(table, person)
    same = [each for each in found if _others(each, person) == wanted]
    return [_game(each, person).outcome for each in reversed(same[:RECENT])]


def _others(table: Table, person: Person) -> list[str]:
    return sorted(seat.bot or seat.name for seat in table.seats.all() if not person.has(seat))


def _game(table: Table, person: Person) -> Game:
    seats = sorted(table.seats.all(), key=lambda seat: seat.index)
    own = next(seat for seat in seats if person.has(seat))
    fmt = parsed(table.format)
    result: dict[str, Any] = table.result or {}
    winners = result["winners"]
    won = _side(fmt.sides, own.index, len(result["ranks"])) in winners
    outcome = "lost" if not won else "won" if len(winners) == 1 else "drawn"
    others = [seat.name for seat in seats if seat is not own]
    return Game(table, format_of(fmt), others, result["scores"], outcome)


def _side(sides: Sequence[Sequence[int]], seat: int, count: int) -> int:
    """The side of a seat; where sides form in play, results go by seat."""
    if count != len(sides):
        return seat
    return next(number for number, seats in enumerate(sides) if seat in seats)


@dataclass(frozen=True, slots=True)
class Skill:
    """How far somebody was ahead of the mean of the others, in points a deal, in one form of game.

    `cards` is what the cards alone were worth, the same quick players in all seats. They are worth
    nothing on average, so `played`, which is what is left, is as true as `ahead`, and tells it
    sooner (`engine.search.luck`).
    """

    format: dict[str, Any]
    games: int
    ahead: float
    cards: float
    error: float
    """Of `played`: half of its 95 % interval."""

    @property
    def played(self) -> float:
        return self.ahead - self.cards

    @property
    def words(self) -> str:
        """What may be said of it."""
        low, high = self.played - self.error, self.played + self.error
        if low <= 0 <= high:
            return "Nobody can tell yet from this whether you play better or worse than the others."
        return f"You play {'better' if low > 0 else 'worse'} than the others at these tables."


def skills_of(person: Person) -> list[Skill]:
    """By form of game, the most played first; games that go on from a record do not count, nor do
    those whose cards have not been weighed yet."""
    tables = _finished(person).filter(source__isnull=True, compared__gte=F("deals"), deals__gt=0)
    found: dict[str, list[tuple[float, float, int]]] = {}
    for table in tables[:MEASURED]:
        if (each := _ahead(table, person)) is not None:
            found.setdefault(table.format.partition("?")[0], []).append(each)
    enough = [(pool, games) for pool, games in found.items() if len(games) >= ENOUGH]
    return [_skill(pool, games) for pool, games in sorted(enough, key=lambda each: -len(each[1]))]


def _ahead(table: Table, person: Person) -> tuple[float, float, int] | None:
    """How far one was ahead, how far the cards put one, of how many deals; None: unknown."""
    result: dict[str, Any] = table.result or {}
    scores = result["scores"]
    if any(len(worth) != len(scores) for worth in table.luck):
        return None
    own = next(seat for seat in table.seats.all() if person.has(seat))
    place = _side(parsed(table.format).sides, own.index, len(scores))
    return leads(scores)[place], sum(worth[place] for worth in table.luck), table.deals


def _skill(pool: str, games: Sequence[tuple[float, float, int]]) -> Skill:
    """Means a deal; the error is that of a ratio of two sums over games."""
    deals = sum(count for *_, count in games)
    ahead, cards = (sum(game[which] for game in games) / deals for which in (0, 1))
    rest = [own - worth - (ahead - cards) * count for own, worth, count in games]
    n = len(games)
    deviation = sqrt(n / (n - 1) * sum(each * each for each in rest)) / deals
    error = students(n - 1) * deviation
    return Skill(format_of(parsed(pool)), n, ahead, cards, error)


def students(freedom: int) -> float:
    """The 0.975 quantile of Student's t, within a hundredth from four degrees of freedom on
    (Abramowitz and Stegun, 26.7.5)."""
    first = (Z**3 + Z) / 4
    second = (5 * Z**5 + 16 * Z**3 + 3 * Z) / 96
    third = (3 * Z**7 + 19 * Z**5 + 17 * Z**3 - 15 * Z) / 384
    return Z + first / freedom + second / freedom**2 + third / freedom**3


def _finished(person: Person) -> QuerySet[Table]:
    """Newest first, with their seats."""
    mine = TableSeat.objects.filter(person.mine(), kind=TableSeat.Kind.PERSON)
    tables = Table.objects.filter(
        pk__in=mine.values("table"), state=Table.State.FINISHED, result__isnull=False
    )
    return tables.prefetch_related("seats").order_by("-finished", "-pk")
