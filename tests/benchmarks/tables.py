"""Measures people's tables: the time to a bot's move, and the cost of tables that wait.

    python -m tests.benchmarks.tables [--moves 200] [--tables 200] [--seconds 60]

It starts a temporary site (`manage.py up`). An answer takes from the browser's move until a long
poll returns the bot's move. The cost of waiting is processor seconds per minute of each service
while many tables wait for people.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from pathlib import Path
from random import Random
from statistics import median
from typing import Any

from cardroom.processes import descendants
from tests.play.browsers import Browser
from tests.sites import Site

FORMAT = "cassino/standard/1v1?deals=20&target=0"
LIMITS = {
    "CARDROOM_MAX_TABLES_PER_GUEST": "100000",
    "CARDROOM_MAX_TABLES_PER_ADDRESS": "100000",
}
TICKS = os.sysconf("SC_CLK_TCK")


def answers(site: Site, moves: int, bot: str) -> list[float]:
    """Milliseconds from sending a move until the bot's move arrives, for this number of moves."""
    browser, rng = Browser(site.url), Random(1)
    state = browser.create(FORMAT, **{"seat-1": bot})
    times: list[float] = []
    while len(times) < moves and state["result"] is None:
        if state["turn"] != 0:
            state = browser.wait(state)
            continue
        move = rng.choice(state["decision"]["moves"])["move"]
        start, number = time.perf_counter(), state["n"]
        state = browser.wait(browser.move(state, move))
        if state["n"] == number + 2:
            times.append((time.perf_counter() - start) * 1e3)
    return times


def spread(times: list[float]) -> str:
    """Median, high quantiles and maximum as text."""
    ordered = sorted(times)
    quantiles = [
        ordered[min(len(ordered) - 1, int(len(ordered) * share))] for share in (0.95, 0.99)
    ]
    return (
        f"median {median(ordered):.0f} ms, 95 % {quantiles[0]:.0f}, 99 % {quantiles[1]:.0f}, "
        f"max {ordered[-1]:.0f} ({len(ordered)} moves)"
    )


def processor_seconds(pid: int) -> float:
    """Processor seconds of a process and its running descendants."""
    total = 0
    for process in (pid, *descendants(pid)):
        try:
            fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        total += sum(map(int, fields[11:15]))
    return total / TICKS


def cost_of_waiting(site: Site, tables: int, seconds: float) -> dict[str, float]:
    """Processor seconds per minute of each service while this number of tables waits for people."""
    for _ in range(tables):
        browser = Browser(site.url)
        state: dict[str, Any] = browser.create(FORMAT, **{"seat-1": "house:random"})
        browser.wait(browser.move(state, state["decision"]["moves"][0]["move"]))
    time.sleep(65)  # idle bots are stopped after a minute
    before = costs(site)
    time.sleep(seconds)
    return {name: (cost - before[name]) / seconds * 60 for name, cost in costs(site).items()}


def costs(site: Site) -> dict[str, float]:
    """Processor seconds of each service so far."""
    return {name: processor_seconds(pid) for name, pid in site.services().items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--moves", type=int, default=200)
    parser.add_argument("--tables", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=60.0)
    arguments = parser.parse_args()
    settings = "tests.benchmarks.tables_settings"
    with tempfile.TemporaryDirectory(prefix="cardroom-tables-") as folder:
        site = Site(Path(folder), LIMITS, settings=settings)
        try:
            site.up(workers=1)
            print(f"load of this machine: {os.getloadavg()[0]:.1f} of {os.cpu_count()} processors")
            answers(site, 5, "house:random")
            for bot in ("house:random", "house:greedy", "house:cassino"):
                before = costs(site)
                times = answers(site, arguments.moves, bot)
                spent = {name: cost - before[name] for name, cost in costs(site).items()}
                print(f"{bot} answers: {spread(times)}")
                print(
                    ", ".join(
                        f"{name} {seconds / len(times) * 1e3:.1f}"
                        for name, seconds in spent.items()
                    ),
                    end="",
                )
                print(" ms of processor time for each pair of moves")
            tables = arguments.tables
            for name, cost in cost_of_waiting(site, tables, arguments.seconds).items():
                print(f"{tables} tables wait: {name} {cost:.2f} s of processor time a minute")
        finally:
            site.end()


if __name__ == "__main__":
    main()
