"""Reports of tournaments at home, for people and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from rich.table import Table

from bots.cli.common import PlainTable, out, show_json
from engine.english import count_of
from tournaments.course.course import Division
from tournaments.course.forecast import Field, forecast, multiply_groups
from tournaments.home.course import Report
from tournaments.home.setup import PlayedMatch, Setup
from tournaments.ratings.elo import interval_text
from tournaments.standings import TIE_BREAKS, Row


def print_report(report: Report) -> None:
    """Print standings, cross table, ratings and faults."""
    setup = report.setup
    groups = len({match.plan.group for match in report.matches})
    out.print(
        f"{setup.fmt}, seed {setup.seed}: {count_of(groups, 'deal group')}, "
        f"{count_of(len(report.matches), 'match', 'matches')}\n"
    )
    if len(report.divisions) > 1:
        for division in report.divisions:
            out.print(f"{_title(division)}\n")
            out.print(_standings(setup, division.rows))
            out.print()
        out.print("All stages\n")
    out.print(_standings(setup, report.standings, with_stages=len(setup.plans) > 1))
    out.print()
    out.print(_cross_table(report))
    out.print()
    out.print(_ratings(report))
    _print_faults(report)


def _title(division: Division) -> str:
    """`Stage 2: Swiss, division 1 of 4`."""
    words = f"Stage {division.stage}: {division.system.title}"
    divisions = division.plan.divisions
    return f"{words}, division {division.number} of {divisions}" if divisions > 1 else words


def _standings(setup: Setup, rows: Sequence[Row], *, with_stages: bool = False) -> Table:
    """`with_stages`: add a column with the stage of each row."""
    names = [name for name in setup.tie_breaks if name not in {"difference", "wins"}]
    headings = [TIE_BREAKS[name].short for name in names]
    counts = ("points", "groups", "won", "drawn", "lost", "diff")
    stage = ("stage",) if with_stages else ()
    table = _table("place", "bot", *stage, *counts, *headings, "faults")
    for row in rows:
        values = dict(zip(setup.tie_breaks, row.tie_breaks, strict=True))
        table.add_row(
            str(row.place),
            str(row.entrant),
            *([str(row.stage)] if with_stages else []),
            f"{row.points:.2f}",
            str(row.groups),
            str(row.won),
            str(row.drawn),
            str(row.lost),
            f"{row.difference:+.1f}",
            *("·" if (value := values[name]) is None else f"{value:g}" for name in names),
            str(row.faults),
        )
    return table


def _cross_table(report: Report) -> Table:
    order = list(report.cross_table)
    table = _table("", "bot", *(str(place) for place in range(1, len(order) + 1)))
    for place, entrant in enumerate(order, start=1):
        cells = [
            f"{cell.points:g}/{cell.groups}"
            if (cell := report.cross_table[entrant].get(other))
            else "·"
            for other in order
        ]
        table.add_row(str(place), str(entrant), *cells)
    return table


def _ratings(report: Report) -> Table:
    table = _table("", "bot", "Elo", "95 %", "matches")
    for place, rating in enumerate(report.fit.ratings.values(), start=1):
        table.add_row(
            str(place),
            str(rating.entrant),
            f"{rating.rating:.0f}",
            interval_text(rating.low, rating.high),
            str(rating.games),
        )
    return table


def _table(*columns: str) -> Table:
    table = PlainTable()
    for column in columns:
        table.add_column(column, justify="left" if column == "bot" else "right")
    return table


def _print_faults(report: Report) -> None:
    faults = [(match, fault) for match in report.matches for fault in match.outcome.faults]
    for match, fault in faults[:5]:
        name = match.outcome.seats[fault.seat].name
        words = f"\n{match.plan.name}: {name} failed at move {fault.move}: {fault.kind}."
        out.print(f"{words} {fault.detail}", style="red")
        if fault.received:
            out.print(f"It sent '{fault.received}'.")
    if len(faults) > 5:
        out.print(f"… and {len(faults) - 5} more faults.", style="red")


def as_json(report: Report) -> dict[str, Any]:
    """The report as JSON for programs."""
    setup = report.setup
    return {
        "format": str(setup.fmt),
        "seed": setup.seed,
        "standings": [_row(setup, row) for row in report.standings],
        "stages": [
            {
                "stage": division.stage,
                "division": division.number,
                "system": division.plan.system,
                "standings": [_row(setup, row) for row in division.rows],
            }
            for division in report.divisions
        ],
        "cross_table": _cells(report),
        "ratings": [
            {
                "bot": rating.entrant,
                "rating": round(rating.rating, 3),
                "low": None if rating.low is None else round(rating.low, 3),
                "high": None if rating.high is None else round(rating.high, 3),
                "matches": rating.games,
                "groups": rating.groups,
            }
            for rating in report.fit.ratings.values()
        ],
        "matches": [_match(match) for match in report.matches],
    }


def _row(setup: Setup, row: Row) -> dict[str, Any]:
    return {"place": row.place, "bot": row.entrant, **row.as_json(setup.tie_breaks)}


def _cells(report: Report) -> dict[str, dict[str, dict[str, float]]]:
    return {
        str(entrant): {str(opponent): asdict(cell) for opponent, cell in cells.items()}
        for entrant, cells in report.cross_table.items()
    }


def _match(match: PlayedMatch) -> dict[str, Any]:
    return {
        "name": match.plan.name,
        "stage": match.plan.stage,
        "division": match.plan.division,
        "round": match.plan.round,
        "seed": match.plan.seed,
        "players": [seat.name for seat in match.outcome.seats],
        "scores": list(match.result.scores),
        "ranks": list(match.result.ranks),
        "faults": [fault.as_json("fallback") for fault in match.outcome.faults],
    }


FACTORS = (1, 2, 4)
"""Multiples of the number of deal groups; each gets a forecast."""


def print_forecasts(setup: Setup, *, as_json: bool = False) -> None:
    """Print forecasts of the tournament, as it is and with more deal groups.

    The strengths of the bots are unknown, so random ones are used. ValueError if the tournament
    cannot be forecast.
    """
    field = Field.unknown(len(setup.names))
    forecasts = []
    for factor in FACTORS:
        plans = multiply_groups(setup.plans, factor)
        groups = ", then ".join(str(plan.groups) for plan in plans)
        forecasts.append((groups, forecast(plans, setup.conditions.sizes, field, seed=setup.seed)))
    if as_json:
        show_json(
            [
                {
                    "groups": groups,
                    "runs": estimate.runs,
                    "matches": estimate.matches.mean,
                    "rounds": estimate.rounds.mean,
                    "best_wins": estimate.best_wins,
                    "best_wins_error": round(estimate.error, 4),
                    "best_in_top_3": estimate.best_in_top,
                }
                for groups, estimate in forecasts
            ]
        )
        return
    table = PlainTable()
    for column in ("deal groups", "matches", "rounds", "best wins", "in top 3"):
        table.add_column(column, justify="right")
    for groups, estimate in forecasts:
        table.add_row(
            groups,
            f"{estimate.matches.mean:.0f}",
            f"{estimate.rounds.mean:g}",
            f"{estimate.best_wins:.0%} ±{estimate.error:.0%}",
            f"{estimate.best_in_top:.0%}",
        )
    out.print(table)
