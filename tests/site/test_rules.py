"""tournaments.actions.rules: editions of tournaments and of workers."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zlib
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from bots.models import WorkerNode
from cardroom_base.models import OutboxMessage
from engine import Record, rules
from tests import factories as make
from tests.sites import ROOT, migrate
from tournaments import actions
from tournaments.actions import attempts
from tournaments.actions.rules import SAME_RULES, edition_in_force
from tournaments.models import (
    Attempt,
    Decision,
    RulesInForce,
    StoredRecord,
    Tournament,
    Trial,
)
from tournaments.queue.task_names import PLAY_TASK
from tournaments.queue.waits import other_rules, tournament_wait

HERE = rules.edition("cassino")
SAME_VERSION = "1 of-another-program"
NEXT = "2 of-another-program"


@pytest.fixture
def become_program(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A function that makes this process a program with another edition of Cassino's rules."""
    editions = rules.editions()

    def become_edition(edition: str) -> None:
        monkeypatch.setattr(rules, "editions", lambda: {**editions, "cassino": edition})
        monkeypatch.setattr(rules, "edition", lambda game: {**editions, "cassino": edition}[game])

    return become_edition


def carried_entries(cup: Tournament) -> list[tuple[str, str, Any]]:
    kind = Decision.Kind.CARRIED
    return list(cup.decisions.filter(kind=kind).values_list("what", "reason", "by__username"))


def claimed_matches(cup: Tournament) -> int:
    claimed = attempts.claim("node/1", 100)
    attempts.release_attempts([attempt.pk for attempt in claimed], "A test.")
    return sum(attempt.match.tournament_id == cup.pk for attempt in claimed)


# --- one program --------------------------------------------------------------------------------


@pytest.mark.django_db
def test_tournaments_start_with_the_rules_in_force() -> None:
    draft = make.tournament(2)
    assert draft.rules == ""
    cup = actions.start(draft, None)
    assert cup.rules == HERE == RulesInForce.objects.get().edition == edition_in_force("cassino")
    make.finish_all(cup)
    assert set(Attempt.objects.values_list("rules", flat=True)) == {HERE}
    for stored in StoredRecord.objects.all():
        record = Record.from_json(zlib.decompress(stored.content))
        assert stored.rules == record.rules == HERE


@pytest.mark.django_db
def test_trials_start_with_the_rules_in_force() -> None:
    bot = make.bot()
    make.bot()
    trial = actions.start_trial(make.version(bot), None, format_text=make.FORMAT)
    assert Trial.objects.get(pk=trial.pk).tournament.rules == HERE


@pytest.mark.django_db
def test_a_worker_claims_only_matches_of_its_rules(become_program: Any) -> None:
    old = make.tournament(2, start=True)
    become_program(NEXT)
    assert claimed_matches(old) == 0
    Tournament.objects.filter(pk=old.pk).update(rules="")  # from before rules had editions
    assert claimed_matches(old) == 2
    assert set(Attempt.objects.values_list("rules", flat=True)) == {NEXT}


@pytest.mark.django_db
def test_a_program_with_the_same_version_carries_tournaments_over(become_program: Any) -> None:
    cup = make.tournament(2, start=True)
    become_program(SAME_VERSION)
    assert claimed_matches(cup) == 0
    assert actions.adopt_rules() == [
        f"Cassino: version {SAME_VERSION} is in force; the previous one was {HERE}."
    ]
    cup.refresh_from_db()
    assert (cup.rules, edition_in_force("cassino")) == (SAME_VERSION, SAME_VERSION)
    assert carried_entries(cup) == [("Cassino version 1", SAME_RULES, None)]
    assert claimed_matches(cup) == 2
    assert actions.adopt_rules() == []  # a second time changes nothing


@pytest.mark.django_db
def test_another_version_leaves_tournaments_to_old_workers(become_program: Any) -> None:
    old = make.tournament(2, start=True)
    become_program(NEXT)
    [adoption, pinned] = actions.adopt_rules()
    assert adoption.startswith(f"Cassino: version {NEXT} is in force")
    assert old.slug in pinned
    old.refresh_from_db()
    assert (old.rules, carried_entries(old)) == (HERE, [])
    new = make.tournament(2, start=True)
    assert new.rules == NEXT
    assert (claimed_matches(old), claimed_matches(new)) == (0, 2)
    become_program(HERE)
    assert (claimed_matches(old), claimed_matches(new)) == (2, 0)
    assert actions.adopt_rules()[0].startswith(f"Cassino: version {HERE} is in force")  # back
    new.refresh_from_db()
    assert new.rules == NEXT


@pytest.mark.django_db
def test_the_first_adoption_pins_running_tournaments() -> None:
    cup = make.tournament(2, start=True)
    Tournament.objects.update(rules="")
    RulesInForce.objects.all().delete()
    call_command("adopt_rules")
    cup.refresh_from_db()
    assert (cup.rules, carried_entries(cup)) == (HERE, [])
    assert RulesInForce.objects.count() == len(rules.editions())


@pytest.mark.django_db
def test_a_rerun_after_the_end_uses_the_same_version(become_program: Any) -> None:
    cup = make.finish_all(make.tournament(2, start=True))
    become_program(SAME_VERSION)
    actions.adopt_rules()
    cup.refresh_from_db()
    assert (cup.state, cup.rules) == ("finished", HERE)
    match = cup.matches.first()
    assert match is not None
    actions.rerun_match(match, None, "A test.")
    cup.refresh_from_db()
    assert (cup.state, cup.rules) == ("running", SAME_VERSION)
    assert carried_entries(cup) == [("Cassino version 1", SAME_RULES, None)]


@pytest.mark.django_db
def test_the_log_shows_that_a_tournament_was_carried_over(become_program: Any) -> None:
    organizer, staff = make.user("anna"), make.user("staff", staff=True)
    cup = make.tournament(2, by=organizer, rated=False, start=True)
    first = cup.matches.order_by("pk").first()
    assert first is not None
    make.finish(first)
    become_program(NEXT)
    actions.adopt_rules()
    OutboxMessage.objects.all().delete()
    with pytest.raises(actions.ActionError, match="Only the organizer"):
        actions.carry_over(cup, make.user(), "Why not?")
    with pytest.raises(actions.ActionError, match="Give a reason"):
        actions.carry_over(cup, organizer, " ")
    carried = actions.carry_over(cup, organizer, "The old workers are gone.")
    assert carried.rules == NEXT
    assert carried_entries(cup) == [("Cassino version 1 to 2", "The old workers are gone.", "anna")]
    assert OutboxMessage.objects.filter(task=PLAY_TASK).exists()
    first.refresh_from_db()
    assert (first.state, first.record.rules) == ("finished", HERE)  # finished matches stay
    assert claimed_matches(cup) == 1
    with pytest.raises(actions.ActionError, match="is played by the rules in force"):
        actions.carry_over(cup, staff, "Once more.")


@pytest.mark.django_db
def test_only_staff_carry_over_a_rated_tournament(become_program: Any) -> None:
    organizer, staff = make.user(), make.user(staff=True)
    cup = make.tournament(2, by=organizer, start=True)
    become_program(NEXT)
    actions.adopt_rules()
    with pytest.raises(actions.ActionError, match="is rated: only staff"):
        actions.carry_over(cup, organizer, "I am in a hurry.")
    assert actions.carry_over(cup, staff, "It cannot wait.").rules == NEXT


@pytest.mark.django_db
def test_only_running_tournaments_are_carried_over() -> None:
    cup = make.tournament(2)
    with pytest.raises(CommandError, match="only while it is running"):
        call_command("carry_over", cup.slug)
    with pytest.raises(CommandError, match="There is no tournament nowhere"):
        call_command("carry_over", "nowhere")
    actions.start(cup, None)
    Tournament.objects.filter(pk=cup.pk).update(rules=NEXT)
    call_command("carry_over", cup.slug)
    assert carried_entries(cup) == [
        ("Cassino version 2 to 1", "The site's staff decided it.", None)
    ]


@pytest.mark.django_db
def test_a_match_counts_that_was_begun_before_carrying_over(become_program: Any) -> None:
    cup = make.tournament(2, start=True)
    [attempt] = attempts.claim("node/1", 1)
    outcome = make.outcome(attempt.match)
    become_program(NEXT)
    actions.adopt_rules()
    actions.carry_over(cup, None, "A test.")
    assert attempts.store_result(attempt.pk, outcome)
    stored = StoredRecord.objects.get()
    assert (stored.rules, Attempt.objects.get().rules) == (HERE, HERE)


@pytest.mark.django_db
def test_the_wait_names_rules_without_workers() -> None:
    make.worker()
    cup = make.tournament(2, start=True)
    assert "Workers are taking them" in tournament_wait(cup).reason
    assert other_rules(cup) is None
    Tournament.objects.filter(pk=cup.pk).update(rules="7 of-long-ago")
    cup.refresh_from_db()
    wait = tournament_wait(cup)
    assert wait.seconds is None
    assert wait.reason == (
        "It is played by version 7 of Cassino’s rules; the workers have version 1. "
        "Start a worker of the old version, or carry the tournament over."
    )
    assert other_rules(cup) == RulesInForce.objects.get()
    WorkerNode.objects.update(rules={"paks": "1 x"})
    assert "the workers have none." in tournament_wait(cup).reason
    WorkerNode.objects.update(rules={"cassino": "7 of-today"})
    assert "manage.py adopt_rules" in tournament_wait(cup).reason
    make.worker("worker@there")
    WorkerNode.objects.filter(name="worker@there").update(rules={"cassino": "7 of-long-ago"})
    assert "Workers are taking them" in tournament_wait(cup).reason


@pytest.mark.django_db
def test_verify_matches_names_other_rules() -> None:
    cup = make.finish_all(make.tournament(2, start=True))
    make.outdate(StoredRecord.objects.all()[0].match)
    with pytest.raises(CommandError, match="The record is of version 7 of-long-ago of the rules"):
        call_command("verify_matches", "--tournament", cup.slug)


# --- several programs ---------------------------------------------------------------------------

MAKE = """
import django
django.setup()
from tests import factories as make
bots = [make.house_bot(f"house:{name}") for name in "ab"]
first, second = [make.tournament(bots, name=name) for name in ("first", "second")]
make.actions.start(first, None)
"""

WORKER = """
import json, sys
import django
django.setup()
from bots.sandbox import Sandbox
from engine import rules
from tournaments import actions, worker
from tournaments.models import StoredRecord, Tournament
if "adopt" in sys.argv:
    actions.adopt_rules()
if "start" in sys.argv:
    actions.start(Tournament.objects.get(name="second"), None)
with Sandbox(trusted=True, warm=0) as sandbox:
    while worker.play_batch("node/1", sandbox):
        pass
records = StoredRecord.objects.values_list("match__tournament__name", "rules")
print(json.dumps([rules.edition("cassino"), sorted(records)]))
"""
"""Plays all claimable matches; prints its edition of Cassino's rules, and the edition of each
record."""


def run(code: str, var: Path, *arguments: str, program: Path = ROOT) -> Any:
    """The JSON that a process of this program prints; it works on the site in `var`."""
    paths = map(str, (program, ROOT, ROOT / "platform"))
    process = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        env=os.environ
        | {
            "PYTHONPATH": os.pathsep.join(paths),
            "DJANGO_SETTINGS_MODULE": "tests.settings",
            "CARDROOM_VAR": str(var),
        },
        cwd=var,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert process.returncode == 0, process.stderr
    return json.loads(process.stdout) if process.stdout else None


def changed_program(folder: Path, *, version: int) -> Path:
    """A program with this version of Cassino's rules, which scores the most cards differently."""
    shutil.copytree(ROOT / "engine", folder / "engine")
    game = folder / "engine/games/cassino"
    for path, old, new in (
        (
            game / "scoring.py",
            "_majority_points(captured, uncaptured, 3)",
            "_majority_points(captured, uncaptured, 4)",
        ),
        (game / "__init__.py", "version: ClassVar[int] = 1", f"version: ClassVar[int] = {version}"),
    ):
        text = path.read_text(encoding="utf-8")
        assert text.count(old) == 1
        path.write_text(text.replace(old, new), encoding="utf-8")
    return folder


def test_old_and_new_workers_play_tournaments_of_their_rules(tmp_path: Path) -> None:
    var, new = tmp_path / "var", changed_program(tmp_path / "new", version=2)
    undeclared = changed_program(tmp_path / "undeclared", version=1)
    var.mkdir()
    migrate(var)
    run(MAKE, var)
    other_edition, records = run(WORKER, var, program=undeclared)
    assert (other_edition[:2], other_edition == HERE, records) == ("1 ", False, [])
    edition, records = run(
        WORKER, var, "adopt", program=new
    )  # deployed; the first tournament is pinned
    assert (edition[:2], records) == ("2 ", [])
    first = [["first", HERE]] * 2
    assert run(WORKER, var, "start") == [HERE, first]  # the old program starts the second
    assert run(WORKER, var, program=new) == [edition, first + [["second", edition]] * 2]
