"""The forecast of a tournament at home."""

from __future__ import annotations

from rich.table import Table

from bots.cli.common import out, show_json
from tournaments.course.forecast import Field, forecast, with_groups
from tournaments.home.setup import Setup

FACTORS = (1, 2, 4)
"""By how much the deal groups are multiplied, a forecast for each."""


def show_forecasts(setup: Setup, *, as_json: bool = False) -> None:
    """Print what the tournament will be like, as it is and with more deal groups.

    ValueError where it cannot be forecast. Nothing is known about the bots: strengths are drawn.
    """
    field = Field.unknown(len(setup.names))
    found = []
    for factor in FACTORS:
        plans = with_groups(setup.plans, factor)
        groups = ", then ".join(str(plan.groups) for plan in plans)
        found.append((groups, forecast(plans, setup.conditions.sizes, field, seed=setup.seed)))
    if as_json:
        show_json(
            [
                {
                    "groups": groups,
                    "runs": each.runs,
                    "matches": each.matches.mean,
                    "rounds": each.rounds.mean,
                    "best_wins": each.best_wins,
                    "best_wins_error": round(each.error, 4),
                    "best_in_top_3": each.best_in_top,
                }
                for groups, each in found
            ]
        )
        return
    table = Table(box=None, pad_edge=False)
    for column in ("deal groups", "matches", "rounds", "best wins", "in first 3"):
        table.add_column(column, justify="right")
    for groups, each in found:
        table.add_row(
            groups,
            f"{each.matches.mean:.0f}",
            f"{each.rounds.mean:g}",
            f"{each.best_wins:.0%} ±{each.error:.0%}",
            f"{each.best_in_top:.0%}",
        )
    out.print(table)
