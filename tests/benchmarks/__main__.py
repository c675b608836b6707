"""`make bench`: runs all measurements and prints a table of ratios."""

from __future__ import annotations

import argparse

from rich.console import Console
from rich.table import Table

from tests.benchmarks import (
    environments,
    fits,
    freaks,
    matches,
    playouts,
    rated,
    referee,
    sandbox_start,
)
from tests.benchmarks.measure import Ratio


def report(lines: list[Ratio]) -> Table:
    """The ratios as a table."""
    table = Table(title="Cardroom against its peers, medians of one run")
    for column in ("what", "unit", "ours", "peer", "ratio", "must", "against"):
        table.add_column(column, justify="right" if column in ("ours", "peer", "ratio") else "left")
    for line in lines:
        figures = (f"{line.ours:,.1f}", f"{line.peer:,.1f}", f"{line.ratio:.2f}×")
        table.add_row(line.what, line.unit, *figures, line.must, line.peer_name)
    return table


def main() -> None:
    parser = argparse.ArgumentParser(prog="make bench", description=__doc__)
    parser.add_argument(
        "--quick", action="store_true", help="few and short rounds, to test that it runs"
    )
    quick = parser.parse_args().quick
    rounds, budget_s = (1, 0.2) if quick else (7, 1.5)
    lines = playouts.run(rounds, budget_s)  # also compiles the engine
    lines += environments.run(1 if quick else 3, budget_s / 3)
    lines += referee.run(rounds) + sandbox_start.run(2 if quick else 25)
    lines += matches.run(rounds) + rated.run(4.0 if quick else 60.0) + freaks.run(rounds)
    lines += fits.run((20_000,) if quick else (100_000, 1_000_000))
    Console(width=140).print(report(lines))


if __name__ == "__main__":
    main()
