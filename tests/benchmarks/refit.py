"""What ratings cost a site that has many results: the first fit, and each turn after ten more.

A turn is the refit of one pool, with reading its results and storing the ratings.

`python -m tests.benchmarks.refit [results]` makes a site of 520 bots in a temporary folder, with
100,000 results in one game and a sixth as many in others, and prints seconds of processor time.
A third of the game is 2v2 with rotating partners: 2,000 teams with a parameter of their own, the
dearest that there is. `--copies` is a site without.
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
class Cup:
    """A tournament of the site: results of one table form."""

    format: str
    share: float
    """Its results, in parts of what was asked for."""
    bots: int = BOTS
    """How many bots play in it."""
    partners: str = "copies"


CUPS = (
    Cup("spoon-eye/standard/1v1", 0.5),
    Cup("spoon-eye/standard/ffa4", 0.2),
    Cup("spoon-eye/standard/2v2", 0.3, 260, "rotating"),
    Cup("zwicker/grupp/ffa3", 0.04, 120),
    Cup("zwicker/grupp/1v1", 0.04, 120),
    Cup("cassino/standard/1v1", 0.05, 64),
    Cup("cassino/standard/2v2", 0.04, 64),
)
"""Eleven pools: every format, every game of them, and all together."""


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


class Filling:
    """Rows of a site, made without its actions."""

    def __init__(self) -> None:
        self._random = np.random.default_rng(1)
        self._strength = self._random.normal(0, SPREAD, BOTS) * np.log(10) / 400
        self._versions = self._bots()
        self._deal_groups = 0

    def _bots(self) -> list[int]:
        from django.contrib.auth.models import User

        from bots.models import Bot, BotVersion, StoredPackage

        StoredPackage.objects.create(digest="0" * 64, content=b"", unpacked_size=0)
        users = kept(User, (User(username=f"author{i}") for i in range(AUTHORS)))
        bots = kept(
            Bot,
            (
                Bot(slug=f"bot-{i}", name=f"Bot {i}", owner_id=users[i % AUTHORS])
                for i in range(BOTS)
            ),
        )
        versions = (
            BotVersion(bot_id=bot, number=1, package_id="0" * 64, status="ready") for bot in bots
        )
        return kept(BotVersion, versions)

    def play(self, cup: Cup, results: int) -> None:
        """Results of a tournament, in deal groups of a match for each side's turn."""
        from engine import Format
        from tournaments.models import DealGroup, Entry, Match, Seat, SideResult, Stage, Tournament

        sides = Format.parse(cup.format).sides
        groups = max(1, results // len(sides))
        made = Tournament.objects.create(
            slug=f"cup-{Tournament.objects.count()}",
            name=cup.format,
            format=cup.format,
            partners=cup.partners,
            state="running",
            seed="a benchmark",
        )
        stage = Stage.objects.create(tournament=made)
        bots = self._random.permutation(BOTS)[: cup.bots]
        entries = dict(
            zip(
                bots.tolist(),
                kept(
                    Entry,
                    (
                        Entry(
                            tournament=made,
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
        deal_groups = kept(
            DealGroup,
            (
                DealGroup(tournament=made, stage=stage, round=n, number=n, seed="", commitment="")
                for n in range(1, groups + 1)
            ),
        )
        seated, ranks = self._draw(cup, sides, groups, bots)
        matches = kept(
            Match,
            (
                Match(
                    deal_group_id=deal_groups[n // len(sides)],
                    tournament=made,
                    rotation=n % len(sides),
                    format=cup.format,
                    state="finished",
                    finished=made.created,
                )
                for n in range(len(seated))
            ),
        )
        side_of = {seat: side for side, seats in enumerate(sides) for seat in seats}
        kept(
            Seat,
            (
                Seat(
                    match_id=match,
                    index=seat,
                    side=side_of[seat],
                    entry_id=entries[bot],
                    version_id=self._versions[bot],
                )
                for match, row in zip(matches, seated.tolist(), strict=True)
                for seat, bot in enumerate(row)
            ),
        )
        kept(
            SideResult,
            (
                SideResult(match_id=match, side=side, score=0, rank=rank)
                for match, row in zip(matches, ranks.tolist(), strict=True)
                for side, rank in enumerate(row)
            ),
        )

    def _draw(
        self, cup: Cup, sides: Any, groups: int, bots: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """([matches, seats] bots, [matches, sides] ranks), match after match of each group."""
        width = len(sides[0]) if cup.partners == "rotating" else 1
        players = np.array(
            [self._random.choice(bots, len(sides) * width, replace=False) for _ in range(groups)]
        ).reshape(groups, len(sides), width)
        turns = np.stack([np.roll(players, turn, axis=1) for turn in range(len(sides))], axis=1)
        turns = turns.reshape(-1, len(sides), width)
        strength = self._strength[turns].mean(axis=2)
        latent = strength + self._random.gumbel(size=strength.shape)
        ranks = np.argsort(np.argsort(-latent, axis=1), axis=1) + 1
        ranks[self._random.random(len(ranks)) < 0.05] = 1  # some are ties
        seated = np.empty((len(turns), sum(map(len, sides))), dtype=np.int64)
        for side, seats in enumerate(sides):
            for place, seat in enumerate(seats):
                seated[:, seat] = turns[:, side, place % width]
        return seated, ranks


def kept(model: type[Model], rows: Iterator[Any]) -> list[int]:
    """Store rows; their primary keys."""
    keys: list[int] = []
    while some := list(islice(rows, 5000)):
        keys += [row.pk for row in model._default_manager.bulk_create(some, batch_size=500)]
    return keys


def taken_in() -> None:
    """Number the matches, mixed, and rate whoever played, as the live ratings would."""
    from tournaments.models import Ledger, Match, Rating, Seat
    from tournaments.projections import pools_of

    Ledger.objects.get_or_create(pk=1)
    matches = np.array(Match.objects.order_by("pk").values_list("pk", flat=True))
    order = np.random.default_rng(2).permutation(len(matches))
    numbered = [Match(pk=int(matches[at]), ordinal=ordinal) for ordinal, at in enumerate(order, 1)]
    Match.objects.bulk_update(numbered, ["ordinal"], batch_size=500)
    Ledger.objects.update(ordinal=len(matches))
    sat = Seat.objects.order_by().values_list("match__format", "version").distinct()
    rated = sorted({(pool, version) for text, version in sat for pool in pools_of(text)})
    kept(Rating, (Rating(pool=pool, version_id=version) for pool, version in rated))


def seconds(act: Callable[[], Any]) -> float:
    """Of processor time, those of the database's own process not among them."""
    began = time.process_time()
    act()
    return time.process_time() - began


def measured(results: int, cups: Sequence[Cup]) -> list[tuple[str, float]]:
    """(what, seconds) of the fits of a site of so many results."""
    from tournaments import projections

    filling = Filling()
    for cup in cups:
        filling.play(cup, int(cup.share * results))
    taken_in()
    found = [("first fit of all pools", seconds(projections.refresh))]
    for cup in (cups[0], cups[0], cups[2], cups[5]):
        filling.play(cup, 10)
        found.append((f"ten results more of {cup.format}: live ratings", seconds(take_in_all)))
        found += turns()
    return found


def take_in_all() -> None:
    """Move the live ratings by what is new."""
    from tournaments import projections

    while projections.update_live():
        pass


def turns() -> list[tuple[str, float]]:
    """(pools, seconds) of each turn until all pools are fitted."""
    from tournaments import projections
    from tournaments.models import PoolFit

    found: list[tuple[str, float]] = []
    while True:
        before = set(PoolFit.objects.values_list("pool", "ordinal"))
        spent = seconds(projections.refresh_next)
        pools = sorted(
            pool for pool, _ in set(PoolFit.objects.values_list("pool", "ordinal")) - before
        )
        if not pools:
            return found
        found.append((f"  turn: {', '.join(pools)}", spent))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("results", type=int, nargs="?", default=100_000)
    parser.add_argument("--copies", action="store_true", help="no partners but copies of one bot")
    asked = parser.parse_args()
    cups = [replace(cup, partners="copies") if asked.copies else cup for cup in CUPS]
    with site():
        found = measured(asked.results, cups)
    table = Table(title="What fits cost a site")
    table.add_column("what")
    table.add_column("CPU s", justify="right")
    for what, spent in found:
        table.add_row(what, f"{spent:.2f}")
    Console(width=100).print(table)


if __name__ == "__main__":
    main()
