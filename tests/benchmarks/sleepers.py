"""Measures how long people wait for house bots while hostile bots play at other tables.

    python -m tests.benchmarks.sleepers [--moves 40] [--sleepers 5] [--hungry 3]

It starts a temporary site, as `tests.benchmarks.tables` does. The bots at the first guest's tables
sleep for all their time; at the second guest's tables seven bots hold 120 MiB each; a third guest
plays against `house:greedy`. It prints the third guest's waiting times before and meanwhile, the
memory of all bots, and the number of the other guests' moves. It never fails because of time.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path
from statistics import median

from bots.sandbox.process_stats import memory
from cardroom.processes import descendants
from tests.benchmarks.tables import LIMITS, answers, spread
from tests.play.browsers import Browser
from tests.sites import Site

BOTS = {
    "Sleeper": """
import time

class Bot:
    clock = None

    def choose(self, view, legal):
        time.sleep(1.8 + self.clock["bank_ms"] / 1000)
        return legal[0]
""",
    "Hungry": """
import os
kept = os.urandom(1 << 20) * 120

def choose(view, legal):
    return legal[0]
""",
}
SLEEPY = "cassino/standard/2v2?deals=20&target=0"
LARGE = "zwicker/grupp/ffa8?deals=20"
INSTALL = "from tests.benchmarks.sleepers import install; install()"


def install() -> None:
    """Create the two bots, checked and ready, in the site's own process."""
    from tests import factories

    for name, source in BOTS.items():
        owner = factories.user(f"author-of-{name.lower()}")
        factories.bot(owner, name, content=source.encode(), formats=("cassino/*/*", "zwicker/*/*"))


class Guest:
    """A guest at several tables who always plays the first move of the list."""

    def __init__(self, site: Site, text: str, bot: str, tables: int) -> None:
        seats = 4 if text == SLEEPY else 8
        bots = {f"seat-{seat}": bot for seat in range(1, seats)}
        self.first = Browser(site.url)
        self.tables = [self._sit(text, bots) for _ in range(tables)]
        self.moves = 0
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._play, daemon=True)
        self._thread.start()

    def _sit(self, text: str, bots: dict[str, str]) -> Browser:
        """Create a table in the same session."""
        self.first.create(text, **bots)
        other = Browser(self.first.url, self.first.path)
        other.cookies, other._opener = self.first.cookies, self.first._opener
        return other

    def _play(self) -> None:
        while not self._stop.wait(0.1):
            for browser in self.tables:
                with suppress(Exception):
                    state = browser.state()
                    if state["decision"]:
                        browser.move(state, state["decision"]["moves"][0]["move"])
                        self.moves += 1

    def end(self) -> None:
        """Stop playing."""
        self._stop.set()
        self._thread.join()


def held_mib(site: Site) -> float:
    """The memory of all bots of the table host, in MiB."""
    return sum(memory(pid).held_kib for pid in descendants(site.services()["tables"])) / 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--moves", type=int, default=40)
    parser.add_argument("--sleepers", type=int, default=5)
    parser.add_argument("--hungry", type=int, default=3)
    parser.add_argument("--memory", type=int, default=1024, help="MB for all bots of the host")
    arguments = parser.parse_args()
    limits = LIMITS | {"CARDROOM_TABLE_MEMORY_MB": str(arguments.memory)}
    with tempfile.TemporaryDirectory(prefix="cardroom-sleepers-") as folder:
        site = Site(Path(folder), limits, settings="tests.benchmarks.tables_settings")
        try:
            site.run("migrate")
            site.run("shell", "-c", INSTALL)  # before a worker could check them itself
            site.up(workers=1)
            print(f"load of this machine: {os.getloadavg()[0]:.1f} of {os.cpu_count()} processors")
            answers(site, 5, "house:greedy")
            times_alone = answers(site, arguments.moves, "house:greedy")
            print(f"house:greedy answers without other guests: {spread(times_alone)}")
            guests = [
                Guest(site, SLEEPY, "sleeper", arguments.sleepers),
                Guest(site, LARGE, "hungry", arguments.hungry),
            ]
            time.sleep(15)
            before = [guest.moves for guest in guests]
            start = time.monotonic()
            times = answers(site, arguments.moves, "house:greedy")
            print(f"beside sleepers and memory: {spread(times)}")
            print(f"ratio of the medians: {median(times) / median(times_alone):.1f}")
            print(f"all bots of the host hold {held_mib(site):.0f} MiB of {arguments.memory} MB")
            seconds = time.monotonic() - start
            for guest, moves_before in zip(guests, before, strict=True):
                moves = guest.moves - moves_before
                print(f"moves of the other guests meanwhile: {moves} in {seconds:.0f} s")
                guest.end()
        finally:
            site.end()


if __name__ == "__main__":
    main()
