"""Two housekeepers in separate processes share the outbox's requests, on PostgreSQL."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.db import connection

from cardroom import housekeeping
from cardroom.processes import die_with_parent
from cardroom_base.db import outbox
from tests import factories as make
from tests.preloaded import PreloadedProcess
from tests.servers import wait_for
from tests.sites import ROOT
from tournaments import actions, projections
from tournaments.models import Match, Tournament
from tournaments.queue.task_names import ADVANCE_TASK

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has one writer at a time"),
]

HOUSEKEEPER = """
import json, sys
from pathlib import Path
import django
django.setup()
from cardroom import housekeeping
from cardroom_base.db import outbox
from tests.servers import wait_for
from tournaments import tasks
from tournaments.queue.task_names import ADVANCE_TASK

folder, name, other = Path(sys.argv[1]), *sys.argv[2:]
advanced = []

def meet(where):
    (folder / f"{name} {where}").touch()
    wait_for((folder / f"{other} {where}").exists, f"{other} does not come", 300)

def advance(tournament):
    tasks.advance_tournament(tournament)
    advanced.append(tournament)
    if len(advanced) == 1:
        meet("in a transaction")

housekeeping._SHORT_TASKS[ADVANCE_TASK] = advance
meet("at the start")
while outbox.has_unsent(ADVANCE_TASK):
    housekeeping.run("advance", housekeeping.answer_requests)
print(json.dumps(advanced))
"""
"""It holds its first tournament until the other housekeeper holds one, too, and prints the
tournaments that it advanced."""

Start = Callable[[str, str], subprocess.Popen[str]]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Start a housekeeper that waits for another one."""
    processes: list[subprocess.Popen[str]] = []
    config = connection.settings_dict
    url = f"postgres://{config['USER']}@{config['HOST']}:{config['PORT']}/{config['NAME']}"

    def start_housekeeper(name: str, other: str) -> subprocess.Popen[str]:
        process = PreloadedProcess(
            [sys.executable, "-c", HOUSEKEEPER, str(tmp_path), name, other],
            env={
                **os.environ,
                "PYTHONPATH": os.pathsep.join((str(ROOT), str(ROOT / "platform"))),
                "DATABASE_URL": f"{url}?options=-c%20idle_in_transaction_session_timeout%3D0",
                "DJANGO_SETTINGS_MODULE": "tests.settings",
            },
            stdout=subprocess.PIPE,
            text=True,
            preexec_fn=die_with_parent,
        )
        processes.append(process)
        return process

    yield start_housekeeper
    for process in processes:
        process.kill()
        process.wait()


@pytest.fixture
def cups(monkeypatch: pytest.MonkeyPatch) -> list[Tournament]:
    """Tournaments with a finished first round and an unpaired second one."""
    monkeypatch.setattr(outbox, "relay", lambda _: 0)  # there is no broker
    stages = [{"system": "swiss", "groups": 1, "settings": {"rounds": 2}}]
    cups = [make.tournament(4, stages=stages, start=True) for _ in range(4)]
    while claimed := actions.claim("test/1", 10):
        for attempt in claimed:
            actions.store_result(attempt.pk, make.outcome(attempt.match))
    return cups


def assert_paired_once(cups: list[Tournament]) -> None:
    for cup in cups:
        places = list(cup.deal_groups.order_by("number").values_list("round", "pairing"))
        assert places == [(1, 1), (1, 2), (2, 1), (2, 2)]
        assert cup.matches.count() == 8
    assert not outbox.has_unsent(ADVANCE_TASK)
    while projections.update_live():
        pass
    counted = Match.objects.filter(state="finished").order_by("ordinal")
    assert list(counted.values_list("ordinal", flat=True)) == list(range(1, 17))


def test_two_housekeepers_share_the_work(start: Start, cups: list[Tournament]) -> None:
    outputs = []
    for process in (start("one", "two"), start("two", "one")):
        assert process.stdout is not None
        outputs.append(process.stdout)
    one, two = (json.loads(output.read()) for output in outputs)
    assert one
    assert two
    assert sorted(one + two) == sorted(cup.pk for cup in cups)
    assert_paired_once(cups)


def test_work_of_a_killed_housekeeper_is_done_by_another(
    start: Start, cups: list[Tournament], tmp_path: Path
) -> None:
    (tmp_path / "two at the start").touch()
    killed = start("one", "two")
    wait_for((tmp_path / "one in a transaction").exists, "The housekeeper does not begin", 300)
    housekeeping.run("advance", housekeeping.answer_requests)
    assert outbox.has_unsent(ADVANCE_TASK)  # the first housekeeper holds one
    killed.kill()

    def finish() -> bool:
        housekeeping.run("advance", housekeeping.answer_requests)
        return not outbox.has_unsent(ADVANCE_TASK)

    wait_for(finish, "The tournament is not advanced", 300)
    assert_paired_once(cups)
