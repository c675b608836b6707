"""Two housekeepers share what the outbox requests: on PostgreSQL, in processes of their own."""

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
from tests.servers import wait_for
from tests.sites import ROOT
from tournaments import actions, projections
from tournaments.models import Match, Tournament
from tournaments.queue.messages import ADVANCE_TASK

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
from tournaments.queue.messages import ADVANCE_TASK

folder, own, other = Path(sys.argv[1]), *sys.argv[2:]
advanced = []

def meet(where):
    (folder / f"{own} {where}").touch()
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
"""It prints the tournaments that it advanced, and holds the first one until the other housekeeper
holds one, too."""

Start = Callable[[str, str], subprocess.Popen[str]]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Start a housekeeper that waits for another one."""
    started: list[subprocess.Popen[str]] = []
    known = connection.settings_dict
    url = f"postgres://{known['USER']}@{known['HOST']}:{known['PORT']}/{known['NAME']}"

    def run(own: str, other: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-c", HOUSEKEEPER, str(tmp_path), own, other],
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
        started.append(process)
        return process

    yield run
    for process in started:
        process.kill()
        process.wait()


@pytest.fixture
def cups(monkeypatch: pytest.MonkeyPatch) -> list[Tournament]:
    """Tournaments whose first round is played, and whose second is still to be paired."""
    monkeypatch.setattr(outbox, "relay", lambda _: 0)  # there is no broker
    stages = [{"system": "swiss", "groups": 1, "settings": {"rounds": 2}}]
    cups = [make.tournament(4, stages=stages, start=True) for _ in range(4)]
    while claimed := actions.claim("test/1", 10):
        for attempt in claimed:
            actions.store_result(attempt.pk, make.outcome(attempt.match))
    return cups


def must_be_paired_once(cups: list[Tournament]) -> None:
    for cup in cups:
        places = list(cup.deal_groups.order_by("number").values_list("round", "pairing"))
        assert places == [(1, 1), (1, 2), (2, 1), (2, 2)]
        assert cup.matches.count() == 8
    assert not outbox.has_unsent(ADVANCE_TASK)
    while projections.update_live():
        pass
    counted = Match.objects.filter(state="finished").order_by("ordinal")
    assert list(counted.values_list("ordinal", flat=True)) == list(range(1, 17))


def test_each_of_two_does_a_part_and_nothing_is_done_twice(
    start: Start, cups: list[Tournament]
) -> None:
    shares = []
    for process in (start("one", "two"), start("two", "one")):
        assert process.stdout is not None
        shares.append(process.stdout)
    one, two = (json.loads(share.read()) for share in shares)
    assert one
    assert two
    assert sorted(one + two) == sorted(cup.pk for cup in cups)
    must_be_paired_once(cups)


def test_what_a_killed_one_held_is_done_by_another(
    start: Start, cups: list[Tournament], tmp_path: Path
) -> None:
    (tmp_path / "two at the start").touch()
    killed = start("one", "two")
    wait_for((tmp_path / "one in a transaction").exists, "It does not begin", 300)
    housekeeping.run("advance", housekeeping.answer_requests)
    assert outbox.has_unsent(ADVANCE_TASK)  # it holds one
    killed.kill()

    def done() -> bool:
        housekeeping.run("advance", housekeeping.answer_requests)
        return not outbox.has_unsent(ADVANCE_TASK)

    wait_for(done, "What it held is not done", 300)
    must_be_paired_once(cups)
