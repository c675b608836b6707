"""The cost of a refit, from results as arrays to ratings with their intervals.

`OPENBLAS_NUM_THREADS=1 python -m tests.tournaments.ratings.times [results]` prints the table; a
million without a number.
"""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass

from rich.console import Console
from rich.table import Table as Shown

from tests.tournaments.ratings.simulate import Ladder, results_of
from tournaments.ratings.fit import fit

CASES = {
    "1v1": Ladder(64, 2, 1, rotated=True, seats=(1, 1), partners="rotating", effects=30),
    "ffa4": Ladder(64, 4, 1, rotated=True, seats=(1,) * 4, partners="rotating", effects=30),
    "2v2, rotating": Ladder(
        64, 2, 1, rotated=True, seats=(2, 2), partners="rotating", bonds=30, effects=30
    ),
}
"""Ladders of 64 entrants; in the last two nearly every match is distinct."""


@dataclass(frozen=True, slots=True)
class Refit:
    """Figures of one refit."""

    results: int
    distinct: int
    parameters: int
    counting: float
    """Seconds of processor time, which other processes do not affect."""
    fitting: float
    """The same."""


def refit(ladder: Ladder, results: int) -> Refit:
    """Measure a refit of at least a number of results."""
    played = results_of(ladder, results)
    began = time.process_time()
    table = played.table(ladder.entrants)
    counting_end = time.process_time()
    fit(table)
    distinct = sum(len(bucket.counts) for bucket in table.buckets)
    seconds = (counting_end - began, time.process_time() - counting_end)
    return Refit(table.games, distinct, table.parameters, *seconds)


def times_table(refits: dict[str, Refit]) -> Shown:
    """The times of each case."""
    table = Shown(title="What a refit costs")
    table.add_column("table form")
    for column in ("results", "distinct", "parameters", "counting, CPU s", "fitting, CPU s"):
        table.add_column(column, justify="right")
    for name, refit_times in refits.items():
        sizes = (
            f"{size:,}"
            for size in (refit_times.results, refit_times.distinct, refit_times.parameters)
        )
        table.add_row(name, *sizes, f"{refit_times.counting:.1f}", f"{refit_times.fitting:.1f}")
    return table


def main() -> None:
    results = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    Console(width=100).print(
        times_table({name: refit(ladder, results) for name, ladder in CASES.items()})
    )


if __name__ == "__main__":
    main()
