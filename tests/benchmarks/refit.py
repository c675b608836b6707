"""Measures the cost of ratings on a large site: the first fit, and each refit after ten results.

A turn is the refit of one pool, including reading its results and storing the ratings.

`python -m tests.benchmarks.refit [results]` creates a temporary site with 520 bots, with
100,000 results in one game and a sixth as many in others, and prints seconds of processor time.
A third of the game's results are 2v2 with rotating partners: 2,000 teams, each with its own
parameter, which is the most expensive case. `--copies` excludes such teams.
"""

from __future__ import annotations

import argparse
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from django.db.models import Model
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

BOTS = 520
AUTHORS = 170
SPREAD = 200.0
"""Standard deviation of the bots' strengths, in Elo points."""


@dataclass(frozen=True, slots=True)
class RatedTournament:
    """A tournament of the site: results of one table form."""

    format: str
    share: float
    """Its results as a share of the requested number."""
    bots: int = BOTS
    """The number of its entries."""
    partners: str = "copies"


CUPS = (
    RatedTournament("spoon-eye/standard/1v1", 0.5),
    RatedTournament("spoon-eye/standard/ffa4", 0.2),
    RatedTournament("spoon-eye/standard/2v2", 0.3, 260, "rotating"),
    RatedTournament("zwicker/grupp/ffa3", 0.04, 120),
    RatedTournament("zwicker/grupp/1v1", 0.04, 120),
    RatedTournament("cassino/standard/1v1", 0.05, 64),
    RatedTournament("cassino/standard/2v2", 0.04, 64),
)
"""They give eleven pools: each format, each game, and all together."""


@contextmanager
def site() -> Iterator[None]:
    """A migrated site in a temporary folder."""
    folder = Path(tempfile.mkdtemp(prefix="cardroom-bench-"))
    os.environ["CARDROOM_VAR"] = str(folder)
    os.environ["DJANGO_SETTINGS_MODULE"] = "cardroom.settings"
    import django
    from django.core.management import call_command

    django.setup()
    try:
        call_command("migrate", verbosity=0)
        yield
    finally:
        shutil.rmtree(folder, ignore_errors=True)


class SiteBuilder:
    """Creates rows of a site without its actions."""

    def __init__(self) -> None:
        self._random = np.random.default_rng(1)
        self._strength = self._random.normal(0, SPREAD, BOTS) * np.log(10) / 400
        self._versions = self._bots()
        self._deal_groups = 0

    def _bots(self) -> list[int]:
        from django.contrib.auth.models import User

        from bots.models import Bot, BotVersion, StoredPackage

        StoredPackage.objects.create(digest="0" * 64, content=b"", unpacked_size=0)
        users = store(User, (User(username=f"author{i}") for i in range(AUTHORS)))
        bots = store(
            Bot,
            (
                Bot(slug=f"bot-{i}", name=f"Bot {i}", owner_id=users[i % AUTHORS])
                for i in range(BOTS)
            ),
        )
        versions = (
            BotVersion(bot_id=bot, number=1, package_id="0" * 64, status="ready") for bot in bots
        )
        return store(BotVersion, versions)

    def play(self, cup: RatedTournament, results: int) -> None:
        """Create a tournament with results, in deal groups with a match for each rotation."""
        from engine import Format
        from tournaments.models import DealGroup, Entry, Match, Seat, SideResult, Stage, Tournament

        sides = Format.parse(cup.format).sides
        groups = max(1, results // len(sides))
        tournament = Tournament.objects.create(
            slug=f"cup-{Tournament.objects.count()}",
            name=cup.format,
            format=cup.format,
            partners=cup.partners,
            state="running",
            seed="a benchmark",
        )
        stage = Stage.objects.create(tournament=tournament)
        bots = self._random.permutation(BOTS)[: cup.bots]
        entries = dict(
            zip(
                bots.tolist(),
                store(
                    Entry,
                    (
                        Entry(
                            tournament=tournament,
                            bot_id=self._versions[bot],
                            version_id=self._versions[bot],
                            number=number,
                        )
                        for number, bot in enumerate(bots.tolist(), 1)
                    ),
                ),
                strict=True,
            )
        )
        deal_groups = store(
            DealGroup,
            (
                DealGroup(
                    tournament=tournament, stage=stage, round=n, number=n, seed="", commitment=""
                )
                for n in range(1, groups + 1)
            ),
        )
        seats, ranks = self._draw(cup, sides, groups, bots)
        matches = store(
            Match,
            (
                Match(
                    deal_group_id=deal_groups[n // len(sides)],
                    tournament=tournament,
                    rotation=n % len(sides),
                    format=cup.format,
                    state="finished",
                    finished=tournament.created,
                )
                for n in range(len(seats))
            ),
        )
        side_of = {seat: side for side, numbers in enumerate(sides) for seat in numbers}
        store(
            Seat,
            (
                Seat(
                    match_id=match,
                    index=seat,
                    side=side_of[seat],
                    entry_id=entries[bot],
                    version_id=self._versions[bot],
                )
                for match, row in zip(matches, seats.tolist(), strict=True)
                for seat, bot in enumerate(row)
            ),
        )
        store(
            SideResult,
            (
                SideResult(match_id=match, side=side, score=0, rank=rank)
                for match, row in zip(matches, ranks.tolist(), strict=True)
                for side, rank in enumerate(row)
            ),
        )

    def _draw(
        self, cup: RatedTournament, sides: Any, groups: int, bots: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Bots as [matches, seats] and ranks as [matches, sides], ordered by deal group."""
        width = len(sides[0]) if cup.partners == "rotating" else 1
        players = np.array(
            [self._random.choice(bots, len(sides) * width, replace=False) for _ in range(groups)]
        ).reshape(groups, len(sides), width)
        rotations = np.stack([np.roll(players, n, axis=1) for n in range(len(sides))], axis=1)
        rotations = rotations.reshape(-1, len(sides), width)
        strength = self._strength[rotations].mean(axis=2)
        latent = strength + self._random.gumbel(size=strength.shape)
        ranks = np.argsort(np.argsort(-latent, axis=1), axis=1) + 1
        ranks[self._random.random(len(ranks)) < 0.05] = 1  # some are ties
        seats = np.empty((len(rotations), sum(map(len, sides))), dtype=np.int64)
        for side, numbers in enumerate(sides):
            for place, seat in enumerate(numbers):
                seats[:, seat] = rotations[:, side, place % width]
        return seats, ranks


def store(model: type[Model], rows: Iterator[Any]) -> list[int]:
    """Store rows; return their primary keys."""
    keys: list[int] = []
    while batch := list(islice(rows, 5000)):
        keys += [row.pk for row in model._default_manager.bulk_create(batch, batch_size=500)]
    return keys


def number_matches() -> None:
    """Number the matches in random order and create ratings, like live ratings."""
    from tournaments.models import Ledger, Match, Rating, Seat
    from tournaments.projections import pools_of

    Ledger.objects.get_or_create(pk=1)
    matches = np.array(Match.objects.order_by("pk").values_list("pk", flat=True))
    order = np.random.default_rng(2).permutation(len(matches))
    numbered = [Match(pk=int(matches[at]), ordinal=ordinal) for ordinal, at in enumerate(order, 1)]
    Match.objects.bulk_update(numbered, ["ordinal"], batch_size=500)
    Ledger.objects.update(ordinal=len(matches))
    players = Seat.objects.order_by().values_list("match__format", "version").distinct()
    keys = sorted({(pool, version) for text, version in players for pool in pools_of(text)})
    store(Rating, (Rating(pool=pool, version_id=version) for pool, version in keys))


def seconds(act: Callable[[], Any]) -> float:
    """Processor time of a call, without the database's own process."""
    start = time.process_time()
    act()
    return time.process_time() - start


def measure(results: int, cups: Sequence[RatedTournament]) -> list[tuple[str, float]]:
    """(step, seconds) of the fits of a site with this number of results."""
    from tournaments import projections

    builder = SiteBuilder()
    for cup in cups:
        builder.play(cup, int(cup.share * results))
    number_matches()
    times = [("first fit of all pools", seconds(projections.refresh))]
    for cup in (cups[0], cups[0], cups[2], cups[5]):
        builder.play(cup, 10)
        times.append((f"ten more results of {cup.format}: live ratings", seconds(update_live)))
        times += turns()
    return times


def update_live() -> None:
    """Update the live ratings with new results."""
    from tournaments import projections

    while projections.update_live():
        pass


def turns() -> list[tuple[str, float]]:
    """(pools, seconds) of each turn until all pools are fitted."""
    from tournaments import projections
    from tournaments.models import PoolFit

    times: list[tuple[str, float]] = []
    while True:
        before = set(PoolFit.objects.values_list("pool", "ordinal"))
        spent = seconds(projections.refresh_next)
        pools = sorted(
            pool for pool, _ in set(PoolFit.objects.values_list("pool", "ordinal")) - before
        )
        if not pools:
            return times
        times.append((f"  turn: {', '.join(pools)}", spent))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("results", type=int, nargs="?", default=100_000)
    parser.add_argument("--copies", action="store_true", help="partners are copies of one bot")
    arguments = parser.parse_args()
    cups = [replace(cup, partners="copies") if arguments.copies else cup for cup in CUPS]
    with site():
        times = measure(arguments.results, cups)
    table = Table(title="The cost of fits")
    table.add_column("step")
    table.add_column("CPU s", justify="right")
    for step, spent in times:
        table.add_row(step, f"{spent:.2f}")
    Console(width=100).print(table)


if __name__ == "__main__":
    main()
