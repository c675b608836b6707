"""Measures the cost of claiming matches and storing their results, without playing them.

`python -m tests.benchmarks.storing` prints processor time per match of the worker process that
claims and stores it, of PostgreSQL's backend of this worker, and of the housekeeper that advances
tournaments. It measures many small tournaments and one old ladder, on SQLite and PostgreSQL, with
one worker process and with four.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from multiprocessing import get_context
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from tests.servers import start_postgres

FORMAT = "cassino/standard/1v1?deals=1"
AUTHORS = 20
BOTS = 300
"""The number of bots on the ladder."""
CLAIMERS = (1, 4)


@dataclass(frozen=True)
class StoringCost:
    """Processor milliseconds per match."""

    database: str
    scene: str
    claimers: int
    matches: int
    worker: float
    server: float
    """PostgreSQL's backends that serve the workers; 0 with SQLite."""
    housekeeper: float
    """The housekeeper and its backend together."""


def main() -> None:
    parser = argparse.ArgumentParser(prog="tests.benchmarks.storing", description=__doc__)
    parser.add_argument("--ladder", type=int, default=50_000, help="finished matches of the ladder")
    parser.add_argument(
        "--matches", type=int, default=1000, help="matches that each measurement stores"
    )
    parser.add_argument("--database", choices=("sqlite", "postgresql"), help="only this one")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.here:
        for cost in _measure(arguments.database, arguments.ladder, arguments.matches):
            print(json.dumps(asdict(cost)), flush=True)
        return
    print("database    what                claimers  worker  server  housekeeper   (ms a match)")
    for name in (arguments.database,) if arguments.database else ("sqlite", "postgresql"):
        with site_environment(name) as environment:
            _run(environment, name, arguments.ladder, arguments.matches)


def _run(environment: dict[str, str], name: str, ladder: int, matches: int) -> None:
    """Measure in a process with the site's environment."""
    command = [sys.executable, "-m", "tests.benchmarks.storing", "--here", "--database", name]
    command += ["--ladder", str(ladder), "--matches", str(matches)]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as child:
        for line in child.stdout or ():
            cost = StoringCost(**json.loads(line))
            print(
                f"{cost.database:11} {cost.scene:20}{cost.claimers:8}{cost.worker:8.1f}"
                f"{cost.server:8.1f}{cost.housekeeper:13.1f}",
                flush=True,
            )
    if child.returncode:
        sys.exit(child.returncode)


@contextmanager
def site_environment(database: str) -> Iterator[dict[str, str]]:
    """The environment of a new site."""
    with tempfile.TemporaryDirectory(prefix="cardroom-storing-") as folder:
        own = {"CARDROOM_VAR": folder, "DJANGO_SETTINGS_MODULE": "tests.settings"}
        environment = {k: v for k, v in os.environ.items() if k != "DATABASE_URL"} | own
        if database == "sqlite":
            yield environment
            return
        with start_postgres() as server:
            yield environment | {"DATABASE_URL": server.database()}


# --- in the site's process ------------------------------------------------------------------------


def _measure(database: str, ladder: int, matches: int) -> Iterator[StoringCost]:
    import django

    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    call_command("adopt_rules", stdout=io.StringIO())
    bots = _bots()
    outcome = _outcome()
    for claimers in CLAIMERS:
        _small_tournaments(bots, matches)
        yield _cost(database, "small tournaments", claimers, matches, outcome)
        _end_all()
    _old_ladder(bots, ladder)
    for claimers in CLAIMERS:
        yield _cost(database, f"ladder of {ladder:,}", claimers, matches, outcome)


def _bots() -> list[Any]:
    from tests import factories as make

    authors = [make.user() for _ in range(AUTHORS)]
    return [make.bot(authors[i % AUTHORS]) for i in range(BOTS)]


def _outcome() -> Any:
    """A real outcome, which is stored for all matches."""
    from tests import factories as make
    from tournaments.models import Match

    tournament = make.tournament(2, start=True)
    return make.outcome(Match.objects.filter(tournament=tournament)[0])


def _small_tournaments(bots: list[Any], matches: int) -> None:
    """Start round robins of five bots by several organizers, with twice as many matches."""
    from tests import factories as make

    size = 5 * 4 // 2 * 2 * 2  # pairings, deal groups, rotations
    for number in range(2 * matches // size + 1):
        entrants = [bots[(5 * number + i) % len(bots)] for i in range(5)]
        make.tournament(entrants, by=entrants[0].owner, groups=2, seed=None, start=True)


def _end_all() -> None:
    from tournaments.models import Match, Tournament

    Tournament.objects.filter(state="running").update(state="cancelled")
    Match.objects.filter(state="waiting").update(state="void")


def _old_ladder(bots: list[Any], matches: int) -> None:
    """Create a running ladder with this number of finished matches."""
    from cardroom_base.db.db_time import now
    from tests import factories as make
    from tournaments import actions
    from tournaments.models import (
        Attempt,
        DealGroup,
        DealGroupSide,
        Entry,
        Match,
        Rating,
        Seat,
        SideResult,
        StoredRecord,
        Tournament,
    )

    _end_all()
    ladder = make.tournament(bots, stages=[{"system": "ladder", "groups": 2}], seed=None)
    entries = list(ladder.entries.order_by("number"))
    for number, entry in enumerate(entries, 1):
        entry.seeding, entry.groups = number, 1000
    Entry.objects.bulk_update(entries, ["seeding", "groups"])
    rules = _edition()
    Tournament.objects.filter(pk=ladder.pk).update(state="running", rules=rules, started=now())
    stage, time_now, step = ladder.stages.get(), now(), 2000
    record = b"r" * 2000
    for first in range(0, matches // 2, step):
        deal_groups = DealGroup.objects.bulk_create(
            DealGroup(
                tournament=ladder,
                stage=stage,
                round=k // 32 + 1,
                pairing=k % 32 // 2 + 1,
                group=k % 2 + 1,
                number=k + 1,
                seed=f"seed {k}",
                commitment="",
                finished=time_now,
            )
            for k in range(first, min(first + step, matches // 2))
        )
        pairs = [
            (entries[k % len(entries)], entries[(k + 1 + k // 7 % 50) % len(entries)])
            for k in range(first, first + len(deal_groups))
        ]
        DealGroupSide.objects.bulk_create(
            DealGroupSide(deal_group=deal_group, index=i, entry=side)
            for deal_group, sides in zip(deal_groups, pairs, strict=True)
            for i, side in enumerate(sides)
        )
        new_matches = Match.objects.bulk_create(
            Match(
                deal_group=deal_group,
                tournament=ladder,
                rotation=rotation,
                format=ladder.format,
                state="finished",
                finished=time_now,
                ordinal=1_000_000 + 2 * k + rotation,
            )
            for k, deal_group in enumerate(deal_groups, first)
            for rotation in (0, 1)
        )
        seats, results = list[Seat](), list[SideResult]()
        for k, match in enumerate(new_matches):
            for i, side in enumerate(pairs[k // 2]):
                at = i ^ match.rotation
                seats.append(
                    Seat(match=match, index=at, side=at, entry=side, version_id=side.version_id)
                )
                results.append(SideResult(match=match, side=i, score=i, rank=2 - i))
        Seat.objects.bulk_create(seats)
        SideResult.objects.bulk_create(results)
        StoredRecord.objects.bulk_create(
            StoredRecord(match=match, content=record, moves=40) for match in new_matches
        )
        Attempt.objects.bulk_create(
            Attempt(
                match=match,
                number=1,
                worker="w/1",
                outcome="stored",
                lease_until=time_now,
                finished=time_now,
            )
            for match in new_matches
        )
    Rating.objects.bulk_create(
        [
            Rating(
                pool="cassino/standard/1v1",
                version_id=entry.version_id,
                fitted=1500 + entry.pk % 300,
                low=1470.0,
                high=1530.0 + entry.pk % 90,
            )
            for entry in entries
        ],
        ignore_conflicts=True,
    )
    _analyse()
    actions.advance(ladder.pk)


def _analyse() -> None:
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")


def _edition() -> str:
    from engine import rules

    return rules.editions()["cassino"]


def _cost(database: str, scene: str, claimers: int, matches: int, outcome: Any) -> StoringCost:
    from django.db import connections

    connections.close_all()
    context = get_context("fork")
    stop, results = context.Event(), context.Queue()
    housekeeper = context.Process(target=_advance_tournaments, args=(stop, results))
    housekeeper.start()
    workers = [
        context.Process(target=_claim, args=(number, matches // claimers, outcome, results))
        for number in range(claimers)
    ]
    for worker in workers:
        worker.start()
    worker_results = [results.get(timeout=900) for _ in workers]
    stop.set()
    _, _, keeper_cpu, keeper_server = results.get(timeout=900)
    for process in (*workers, housekeeper):
        process.join()
    stored = sum(result[1] for result in worker_results)
    cpu = sum(result[2] for result in worker_results)
    server = sum(result[3] for result in worker_results)
    ms = 1000 / stored
    return StoringCost(
        database, scene, claimers, stored, cpu * ms, server * ms, (keeper_cpu + keeper_server) * ms
    )


def _claim(number: int, count: int, outcome: Any, results: Any) -> None:
    """Claim and store this number of matches, as a worker process does."""
    from tournaments import worker

    def play(self: Any, leases: Any, sandbox: Any) -> Any:
        leases.begin_match(self.attempt, self.match, self.clock)
        return outcome

    assignment: Any = worker.Assignment
    assignment.play = play
    sandbox: Any = SimpleNamespace(trusted=False)
    node = f"worker@bench/{number}"
    getattr(worker, "plan_once", lambda: None)()
    worker.play_batch(node, sandbox)  # the first call does work that is done only once
    stored, spent, server = 0, 0.0, 0.0
    until = time.monotonic() + 300
    while stored < count and time.monotonic() < until:
        before, before_server = time.process_time(), server_seconds()
        batch_size = worker.play_batch(node, sandbox)
        if not batch_size:  # no match waits; a worker would sleep
            time.sleep(0.05)
            continue
        stored += batch_size
        spent += time.process_time() - before
        server += server_seconds() - before_server
    results.put(("worker", stored, spent, server))


def _advance_tournaments(stop: Any, results: Any) -> None:
    """Advance tournaments as the housekeeper does."""
    before, before_server = time.process_time(), server_seconds()
    answer_requests = _answer_requests()
    while not stop.is_set():
        answer_requests()
        time.sleep(0.25)
    spent, server = time.process_time() - before, server_seconds() - before_server
    results.put(("house", 0, spent, server))


def _answer_requests() -> Callable[[], object]:
    from cardroom import housekeeping

    return getattr(housekeeping, "answer_requests", lambda: None)


def server_seconds() -> float:
    """Processor time of PostgreSQL's backend of this process; 0 with SQLite."""
    from django.db import connection

    if connection.vendor == "sqlite":
        return 0.0
    connection.ensure_connection()
    pid = connection.connection.info.backend_pid
    return int(Path(f"/proc/{pid}/schedstat").read_text().split()[0]) / 1e9


if __name__ == "__main__":
    main()
