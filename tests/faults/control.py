"""What the fault tests do inside a site: a process that takes commands to its end.

Each line it reads is a command with its arguments, as JSON; it answers with a line of JSON.
`prepare` makes some bots, `cup GROUPS PAUSE` starts a tournament of strangers' bots,
`count` answers what came of everything. Of the tests that kill: `create GROUPS PAUSE` starts their
tournament, `report` answers what is in the database, `alone GROUPS DEALT` does all of it in this
one process, with nothing in the way. PAUSE: milliseconds that bots think over each move. DEALT: how
often the deal groups of each place were dealt anew, as `report` tells it.
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
from tests.faults.counting import counted  # noqa: E402 - as above
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
"""What names the place of a deal group."""

PAUSES = (4, 20, 100)
"""Of the bots of `cup`, in milliseconds."""

# Thinks a little, so that a match takes long enough to be interrupted, and plays by its seed.
SLOW = """
import random, time

class Bot:
    def start(self, info):
        self.random = random.Random(info["rng"] + "%s")

    def choose(self, view, legal):
        time.sleep(%s / 1000)
        return self.random.choice(legal)
"""


def create(groups: int, pause: int) -> None:
    """A tournament of four bots."""
    seed_house_bots()
    bots = [make.house_bot(f"house:{name}", (SLOW % (name, pause)).encode()) for name in "abc"]
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
    """The bots of `cup`: made before a worker could check them."""
    seed_house_bots()
    for name, pause in product("abc", PAUSES):
        owner = make.user(f"author-{name}{pause}")
        make.bot(owner, f"{name}{pause}", content=(SLOW % (name, pause)).encode())


def cup(groups: int, pause: int) -> None:
    """A rated tournament of three strangers' bots, who need a sandbox."""
    bots = [Bot.objects.get(name=f"{name}{pause}") for name in "abc"]
    make.tournament(bots, groups=groups, seed=None, start=True)


def deal_anew(dealt: list[list[int]]) -> None:
    """Give the deal groups of these places new cards, as often as a disturbed site did."""
    cup = Tournament.objects.get()
    for *place, times in dealt:
        slot = dict(zip(PLACE, place, strict=True))
        for _ in range(times):
            with transaction.atomic():
                redeal(
                    cup,
                    [cup.deal_groups.get(**slot, retired=None)],
                    "A test.",
                    reset_failures=False,
                )


def play_alone() -> None:
    """Play what waits, and what follows from it."""
    with Sandbox(warm=2) as sandbox:
        while worker.play_batch("alone/1", sandbox) or housekeeping.answer_requests():
            pass


def report() -> dict[str, Any]:
    """What came of it."""
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
    cup = Tournament.objects.get()
    return {
        "state": cup.state,
        "results": results(),
        "standings": standings(cup),
        "fits": fits,
        "rating_changes": changes,
        "rebuilt_the_same": sorted(live_before) == sorted(live_after),
        "matches": counting().count(),
        "whole": all(
            sorted(deal_group.matches.values_list("rotation", flat=True)) == [0, 1]
            for deal_group in DealGroup.objects.all()
        ),
        "dealt": [
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
        "ordinals": sorted(counting().values_list("ordinal", flat=True)),
    }


def counting() -> QuerySet[Match]:
    """The matches whose deal groups have not got new cards."""
    return Match.objects.filter(deal_group__retired=None)


def results() -> list[Any]:
    """Everything that must not depend on who played a match, when, and how often it was tried."""
    found = []
    for match in counting().order_by(*(f"deal_group__{key}" for key in PLACE), "rotation"):
        record = (
            json.loads(zlib.decompress(match.record.content)) if match.state == "finished" else {}
        )
        record.pop("clock_ms", None)
        record["players"] = [player["name"] for player in record.get("players", ())]
        sides = match.results.values_list("side", "score", "rank", "faulted")
        place = [getattr(match.deal_group, key) for key in PLACE]
        found.append([place, match.rotation, match.state, list(sides), record])
    return found


def standings(cup: Tournament) -> list[Any]:
    """The table, by names."""
    names = dict(cup.entries.values_list("pk", "bot__name"))
    rows = reading.tournament_standings(cup)
    return [[row.place, names[int(row.entrant)], row.points, row.difference] for row in rows]


def alone(groups: int, dealt: list[list[int]]) -> dict[str, Any]:
    """The tournament of `create`, with everybody else away."""
    create(groups, 0)
    deal_anew(dealt)
    play_alone()
    return report()


COMMANDS: dict[str, Callable[..., Any]] = {
    "prepare": prepare,
    "cup": cup,
    "count": counted,
    "create": create,
    "alone": alone,
    "report": report,
}


def obey() -> None:
    """Do what is asked, until nobody asks any more."""
    answers, sys.stdout = sys.stdout, sys.stderr
    for line in sys.stdin:
        command, *arguments = json.loads(line)
        answer = COMMANDS[command](*arguments)
        connections.close_all()  # whatever happens to the database until the next one
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    obey()
