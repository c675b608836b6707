"""A ladder for every table form and every way to find partners: are the intervals honest?

`python -m tests.tournaments.ratings.ladders [ladders of each]` prints the table.
"""

from __future__ import annotations

import sys

from rich.console import Console
from rich.table import Table

from tests.tournaments.ratings.simulate import Coverage, Ladder, coverage

FORMS: dict[str, tuple[int, ...]] = {
    "1v1": (1, 1),
    "1v2, ffa3": (1, 1, 1),
    "ffa4": (1, 1, 1, 1),
    "ffa5": (1,) * 5,
    "ffa6": (1,) * 6,
    "ffa7": (1,) * 7,
    "ffa8": (1,) * 8,
    "2v2": (2, 2),
    "2v2v2": (2, 2, 2),
    "3v3": (3, 3),
    "3v2-rest": (3, 2),
}
"""Seats of each side in every table form of the games."""

COPIES = {
    name: Ladder(16 if len(seats) > 4 else 10, len(seats), 4, rotated=True, effects=30.0)
    for name, seats in FORMS.items()
}
TEAMS = {name: seats for name, seats in FORMS.items() if max(seats) > 1}
FIXED = {
    name: Ladder(
        8 * max(seats), len(seats), 4, rotated=True, seats=seats, partners="fixed", bonds=30.0
    )
    for name, seats in TEAMS.items()
}
ROTATING = {
    name: Ladder(12, len(seats), 4, rotated=True, seats=seats, partners="rotating", bonds=30.0)
    for name, seats in TEAMS.items()
}
LADDERS = {
    **{f"{name}, copies": ladder for name, ladder in COPIES.items()},
    **{f"{name}, fixed teams": ladder for name, ladder in FIXED.items()},
    **{f"{name}, rotating": ladder for name, ladder in ROTATING.items()},
    "1v1, alone, no groups": Ladder(10, 2, 4),
    "1v1, luck of the cards": Ladder(10, 2, 4, rotated=True, luck=200.0),
    "1v1, ties": Ladder(10, 2, 6, ties=0.4),
    "ffa3, luck of the cards": Ladder(10, 3, 2, rotated=True, luck=200.0),
    "ffa4, ties": Ladder(10, 4, 5, rotated=True, ties=0.3),
    "2v2, rotating, no bonds": Ladder(12, 2, 4, rotated=True, seats=(2, 2), partners="rotating"),
    "2v2, rotating, luck": Ladder(
        12, 2, 4, rotated=True, seats=(2, 2), partners="rotating", luck=150.0
    ),
}


def share(held: int, total: int) -> str:
    """A coverage in per cent."""
    return f"{100 * held / total:.1f} %" if total else "–"


def table(coverages: dict[str, Coverage]) -> Table:
    """The coverage of each kind of ladder."""
    output = Table(title="How many 95 % intervals hold the truth")
    output.add_column("table form, partners")
    for column in ("bots", "intervals", "teams", "team intervals"):
        output.add_column(column, justify="right")
    for name, coverage_of in coverages.items():
        bots, teams = (
            share(coverage_of.held, coverage_of.total),
            share(coverage_of.teams_held, coverage_of.teams),
        )
        output.add_row(name, bots, str(coverage_of.total), teams, str(coverage_of.teams))
    return output


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 600
    Console(width=100).print(table({k: coverage(ladder, count) for k, ladder in LADDERS.items()}))


if __name__ == "__main__":
    main()
