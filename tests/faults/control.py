"""A process inside a site that executes commands of the fault tests.

It reads commands with arguments, one JSON line each, and writes a JSON line with each result:

- `prepare` creates bots; `start GROUPS PAUSE` starts a tournament of them; `count` counts what
  faults could have damaged.
- `create GROUPS PAUSE` starts the tournament of `test_kills.py`, `report` describes its outcome,
  and `play_alone GROUPS REDEALS` plays it in this process, undisturbed.

PAUSE: milliseconds that bots sleep before each move. REDEALS: how often the deal groups of each
place were redealt, as in `report`.
"""

from __future__ import annotations

import json
import sys
import zlib
from collections.abc import Callable
from itertools import product
from typing import Any

import django

django.setup()

from django.db import connections, transaction  # noqa: E402 - Django must be set up first
from django.db.models import Count, QuerySet  # noqa: E402 - as above

from bots.models import Bot  # noqa: E402 - as above
from bots.sandbox import Sandbox  # noqa: E402 - as above
from cardroom import housekeeping  # noqa: E402 - as above
from cardroom_base.core.names import RANDOM  # noqa: E402 - as above
from seeds.demo import seed_house_bots  # noqa: E402 - as above
from tests import factories as make  # noqa: E402 - as above
from tests.faults.counting import count  # noqa: E402 - as above
from tournaments import projections, reading, worker  # noqa: E402 - as above
from tournaments.actions.redeals import redeal  # noqa: E402 - as above
from tournaments.models import (  # noqa: E402 - as above
    Attempt,
    DealGroup,
    Match,
    Rating,
    RatingChange,
    SideResult,
    StoredRecord,
    Tournament,
)

PLACE = ("round", "pairing", "group")
"""The fields that identify the place of a deal group."""

PAUSES = (4, 20, 100)
"""Pauses of the bots of `prepare`, in milliseconds."""

# It sleeps, so that a match takes long enough to be interrupted, and its moves follow from a seed.
SLOW_BOT = """
import random, time

class Bot:
    def start(self, info):
        self.random = random.Random(info["rng"] + "%s")

    def choose(self, view, legal):
        time.sleep(%s / 1000)
        return self.random.choice(legal)
"""


def create(groups: int, pause: int) -> None:
    """Start a tournament of four bots."""
    seed_house_bots()
    bots = [make.house_bot(f"house:{name}", (SLOW_BOT % (name, pause)).encode()) for name in "abc"]
    bots.append(Bot.objects.get(name=RANDOM))
    make.tournament(
        bots,
        name="Faults",
        format="cassino/standard/1v1?deals=2",
        groups=groups,
        seed="faults",
        start=True,
    )


def prepare() -> None:
    """Create bots, before a worker could check them."""
    seed_house_bots()
    for name, pause in product("abc", PAUSES):
        owner = make.user(f"author-{name}{pause}")
        make.bot(owner, f"{name}{pause}", content=(SLOW_BOT % (name, pause)).encode())


def start(groups: int, pause: int) -> None:
    """Start a rated tournament of three authors' bots, which need a sandbox."""
    bots = [Bot.objects.get(name=f"{name}{pause}") for name in "abc"]
    make.tournament(bots, groups=groups, seed=None, start=True)


def redeal_groups(redeals: list[list[int]]) -> None:
    """Redeal the deal groups of these places as often as the disturbed site did."""
    tournament = Tournament.objects.get()
    for *values, times in redeals:
        place = dict(zip(PLACE, values, strict=True))
        for _ in range(times):
            with transaction.atomic():
                redeal(
                    tournament,
                    [tournament.deal_groups.get(**place, retired=None)],
                    "A test.",
                    reset_failures=False,
                )


def play_all() -> None:
    """Play all waiting matches, and the matches that follow from them."""
    with Sandbox(warm=2) as sandbox:
        while worker.play_batch("alone/1", sandbox) or housekeeping.answer_requests():
            pass


def report() -> dict[str, Any]:
    """The outcome of the tournament."""
    projections.refresh()
    live_before = list(Rating.objects.order_by("pk").values_list("pool", "version", "live"))
    fits = list(
        Rating.objects.order_by("pool", "version__bot__name").values_list(
            "pool", "version__bot__name", "matches", "groups", "fitted", "low", "high"
        )
    )
    changes = RatingChange.objects.count()
    projections.rebuild()
    live_after = list(Rating.objects.order_by("pk").values_list("pool", "version", "live"))
    tournament = Tournament.objects.get()
    return {
        "state": tournament.state,
        "results": results(),
        "standings": standings(tournament),
        "fits": fits,
        "rating_changes": changes,
        "rebuild_matches": sorted(live_before) == sorted(live_after),
        "matches": counting_matches().count(),
        "rotations_complete": all(
            sorted(deal_group.matches.values_list("rotation", flat=True)) == [0, 1]
            for deal_group in DealGroup.objects.all()
        ),
        "redeals": [
            list(row)
            for row in DealGroup.objects.filter(retired__isnull=False)
            .order_by(*PLACE)
            .values_list(*PLACE)
            .annotate(Count("pk"))
        ],
        "records": StoredRecord.objects.count(),
        "side_results": SideResult.objects.count(),
        "stored_attempts": Attempt.objects.filter(outcome="stored").count(),
        "other_attempts": Attempt.objects.exclude(outcome="stored").count(),
        "running_attempts": Attempt.objects.filter(outcome="running").count(),
        "ordinals": sorted(counting_matches().values_list("ordinal", flat=True)),
    }


def counting_matches() -> QuerySet[Match]:
    """The matches whose deal groups were not redealt."""
    return Match.objects.filter(deal_group__retired=None)


def results() -> list[Any]:
    """The part of the results that does not depend on workers, times and numbers of attempts."""
    rows = []
    for match in counting_matches().order_by(*(f"deal_group__{key}" for key in PLACE), "rotation"):
        record = (
            json.loads(zlib.decompress(match.record.content)) if match.state == "finished" else {}
        )
        record.pop("clock_ms", None)
        record["players"] = [player["name"] for player in record.get("players", ())]
        sides = match.results.values_list("side", "score", "rank", "faulted")
        place = [getattr(match.deal_group, key) for key in PLACE]
        rows.append([place, match.rotation, match.state, list(sides), record])
    return rows


def standings(tournament: Tournament) -> list[Any]:
    """The standings, with names of bots."""
    names = dict(tournament.entries.values_list("pk", "bot__name"))
    rows = reading.tournament_standings(tournament)
    return [[row.place, names[int(row.entrant)], row.points, row.difference] for row in rows]


def play_alone(groups: int, redeals: list[list[int]]) -> dict[str, Any]:
    """Play the tournament of `create` in this process."""
    create(groups, 0)
    redeal_groups(redeals)
    play_all()
    return report()


COMMANDS: dict[str, Callable[..., Any]] = {
    "prepare": prepare,
    "start": start,
    "count": count,
    "create": create,
    "play_alone": play_alone,
    "report": report,
}


def execute_commands() -> None:
    """Execute commands until the input ends."""
    output, sys.stdout = sys.stdout, sys.stderr
    for line in sys.stdin:
        command, *arguments = json.loads(line)
        result = COMMANDS[command](*arguments)
        connections.close_all()  # the database may stop or restart before the next command
        print(json.dumps(result), file=output, flush=True)


if __name__ == "__main__":
    execute_commands()
