"""Work of processes that are killed, frozen or stopped.

Each kind of work is found again, done by another process, and counts once; a late result changes
nothing. `test_drain` stops real workers with matches and checks,
`tests/play/test_interrupted_hosts` real hosts.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from bots import actions as bot_actions
from bots.actions import CHECK_TASK
from bots.models import BotVersion, Check
from bots.referee.table_seats import BotMove
from bots.sandbox import SeatTimeout
from cardroom import tasks as site
from cardroom_base.core import drain
from cardroom_base.db import outbox
from cardroom_base.db.db_time import Now
from cardroom_base.models import OutboxMessage
from cardroom_tables import host, judging, match_cache, serving
from cardroom_tables import tasks as play
from cardroom_tables.actions import comparisons, hints, hosting, moves, opinions
from cardroom_tables.fair_queue import Kind as WorkKind
from cardroom_tables.host_task_names import COMPARE_TASK, HINT_TASK, OPINION_TASK, SEAT_TASK
from cardroom_tables.models import Comparison, ComparisonJob, Hint, Opinion, Table, TableMove
from engine import Record
from engine.search.analysis import questions
from tests import factories as make
from tests.play import hall
from tests.play.hall import Bots, guest
from tournaments import analysing, tasks
from tournaments.actions import analyses, attempts
from tournaments.actions.analyses import request_analysis
from tournaments.exports import export_files
from tournaments.models import Analysis, Attempt, Kept, Match
from tournaments.queue.task_names import ANALYSE_TASK, PLAY_TASK
from tournaments.reading import content_cache, kinds

pytestmark = pytest.mark.django_db

Late = Callable[[], object]
"""The last step of the process that began, which runs too late."""


@dataclass(frozen=True)
class InterruptedWork:
    """A kind of work, with functions that play the parts of processes."""

    task: str
    """The message that requests it; empty if the housekeeper polls."""
    prepare: Callable[[], None]
    begin: Callable[[], Late]
    """Take the work, as a worker does."""
    expire: Callable[[], None]
    """End the lease."""
    work: Callable[[], None]
    """Do it in another process."""
    results: Callable[[], int]
    """The number of stored results."""


# --- matches, checks, analyses --------------------------------------------------------------------


def add_match() -> None:
    cup = make.tournament(2, start=True)
    make.finish(cup.matches.latest("pk"))


def begin_match() -> Late:
    [attempt] = attempts.claim("one@here/1")
    return lambda: attempts.store_result(attempt.pk, make.outcome(attempt.match))


def play_match() -> None:
    make.end_retry_delays()
    [attempt] = attempts.claim("two@here/1")
    assert attempts.store_result(attempt.pk, make.outcome(attempt.match))


def stored_matches() -> int:
    first = Match.objects.earliest("pk")
    return first.attempts.filter(outcome=Attempt.Outcome.STORED).count()


def add_check() -> None:
    bot_actions.queue_version(bot_actions.register_bot(make.user(), "Magpie"), make.package(), "")


def begin_check() -> Late:
    check = bot_actions.begin_check(BotVersion.objects.get().pk, "one@here")
    assert check is not None
    return lambda: bot_actions.finish_check(check, "rejected", steps=[], summary="Too late.")


def finish_check() -> None:
    check = bot_actions.begin_check(BotVersion.objects.get().pk, "two@here")
    assert check is not None
    assert bot_actions.finish_check(check, "ready", steps=[], summary="Fine.")


def finished_match() -> Match:
    make.finish_all(make.tournament(2, start=True))
    return Match.objects.earliest("pk")


def add_analysis() -> None:
    request_analysis(finished_match(), make.user(), playouts=2)


def begin_piece() -> Late:
    piece = analyses.begin_piece()
    assert piece is not None
    return lambda: analyses.store_piece(piece, 1, [])


def analyse() -> None:
    while analysing.analyse_piece():
        pass


# --- people's tables ------------------------------------------------------------------------------


def add_table() -> None:
    table = hall.new_table()
    moves.play_move(table, guest(), 0, match_cache.position_of(table).legal_moves()[0])


def begin_table() -> Late:
    table = hosting.take(Table.objects.get().pk, "one")
    assert table is not None
    match = match_cache.position_of(table)
    move = match.legal_moves()[-1]
    match.play(move)
    bot_move = BotMove(1, move, 1, "", None)
    return lambda: hosting.store_move(table, "one", bot_move, match, 1)


def add_hint() -> None:
    hints.request_hint(hall.new_table(), guest(), 0)


def begin_hint() -> Late:
    hint = Hint.objects.take("one")
    assert hint is not None
    return lambda: hint.finish(move="late")


def add_comparison() -> None:
    hall.finished_table()


def begin_comparison() -> Late:
    job = ComparisonJob.objects.take("one")
    assert job is not None
    return lambda: comparisons.store_deal(job, 0, [], [])


def add_opinion() -> None:
    match = finished_match()
    record = Record.from_json(json.loads(zlib.decompress(match.record.content)))
    opinions.request_opinion("0" * 64, next(iter(questions(record))), hall.guest())


def begin_opinion() -> Late:
    opinion = Opinion.objects.take("one")
    assert opinion is not None
    return lambda: opinion.finish(answer={"late": True})


def host_work() -> list[Any]:
    querysets = {
        "table": Table.objects.filter(bots_turn=True),
        "hint": Hint.objects.filter(move=""),
        "comparison": Table.objects.filter(compared=0, deals__gt=0),
        "opinion": Opinion.objects.filter(answer__isnull=True),
    }
    names: list[WorkKind] = ["table", "hint", "comparison", "opinion"]
    return [
        work
        for name in names
        for work in serving.work_of(name, list(querysets[name].values_list("pk", flat=True)))
    ]


def serve() -> None:
    for work in host_work():
        assert not serving.do_work(work)


def expirer(model: Any, field: str) -> Callable[[], None]:
    return lambda: model.objects.update(**{field: Now(-60)})


def expire_table() -> None:
    Table.objects.update(lease_until=Now(-1), moved=Now(-60))


# --- content of the housekeeper -------------------------------------------------------------------


def add_kept() -> None:
    match = finished_match()
    Kept.objects.create(tournament=match.tournament, name=kinds.TABLES.name, asked=Now())


def add_export() -> None:
    match = finished_match()
    Kept.objects.create(tournament=match.tournament, name=export_files.KINDS[0].name, asked=Now())


def begin_kept() -> Late:
    row = Kept.objects.take()
    assert row is not None
    return lambda: row.give_back(mark="late")


def compute_kept() -> None:
    assert content_cache.compute_due(site.KINDS) >= 1


def computed_kept() -> int:
    return Kept.objects.filter(at__isnull=False, lease_until=None).exclude(mark="late").count() > 0


KINDS = {
    "match": InterruptedWork(
        PLAY_TASK,
        add_match,
        begin_match,
        expirer(Attempt, "lease_until"),
        play_match,
        stored_matches,
    ),
    "check": InterruptedWork(
        CHECK_TASK,
        add_check,
        begin_check,
        expirer(Check, "lease_until"),
        finish_check,
        lambda: BotVersion.objects.filter(status="ready").count(),
    ),
    "analysis": InterruptedWork(
        ANALYSE_TASK,
        add_analysis,
        begin_piece,
        expirer(Analysis, "lease_until"),
        analyse,
        lambda: Analysis.objects.filter(finished__isnull=False).count(),
    ),
    "table": InterruptedWork(
        SEAT_TASK,
        add_table,
        begin_table,
        expire_table,
        serve,
        lambda: TableMove.objects.filter(n=1).count(),
    ),
    "hint": InterruptedWork(
        HINT_TASK,
        add_hint,
        begin_hint,
        expirer(Hint, "lease_until"),
        serve,
        lambda: Hint.objects.exclude(move__in=("", "late")).count(),
    ),
    "comparison": InterruptedWork(
        COMPARE_TASK,
        add_comparison,
        begin_comparison,
        expirer(ComparisonJob, "lease_until"),
        serve,
        lambda: Comparison.objects.filter(bot="house:greedy").count(),
    ),
    "opinion": InterruptedWork(
        OPINION_TASK,
        add_opinion,
        begin_opinion,
        expirer(Opinion, "lease_until"),
        serve,
        lambda: Opinion.objects.filter(answer__isnull=False, answer__late__isnull=True).count(),
    ),
    "kept": InterruptedWork(
        "", add_kept, begin_kept, expirer(Kept, "lease_until"), compute_kept, computed_kept
    ),
    "export": InterruptedWork(
        "", add_export, begin_kept, expirer(Kept, "lease_until"), compute_kept, computed_kept
    ),
}
HOSTED = ("table", "hint", "comparison", "opinion")


@pytest.fixture(autouse=True)
def _quick(settings: Any, monkeypatch: pytest.MonkeyPatch, bots: Bots) -> Iterator[None]:
    settings.ANALYSIS_PLAYOUTS = 2
    monkeypatch.setattr(outbox, "queue_length", lambda _queue: 0)
    for kind in (*kinds.KINDS, *export_files.KINDS):
        monkeypatch.setitem(kind.__dict__, "uncached_matches", -1)
    yield
    drain.resume()
    host.close()


@pytest.fixture
def bots(monkeypatch: pytest.MonkeyPatch) -> Bots:
    fake = Bots()
    monkeypatch.setattr(host, "shared_sandbox", lambda: fake)
    return fake


def is_found_by_sweep(kind: InterruptedWork) -> bool:
    """Whether a sweep requests the work."""
    OutboxMessage.objects.all().delete()
    tasks.sweep()
    play.sweep()
    if kind.task:
        return OutboxMessage.objects.filter(task=kind.task).exists()
    return next(content_cache.due_content(site.KINDS), None) is not None


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("fault", ["killed", "frozen"])
def test_interrupted_work_is_done_once_by_another(name: str, fault: str) -> None:
    kind = KINDS[name]
    kind.prepare()
    late = kind.begin()
    kind.expire()
    assert is_found_by_sweep(kind)
    kind.work()
    assert kind.results() == 1
    if fault == "frozen":
        late()
        assert kind.results() == 1


@pytest.mark.parametrize("name", HOSTED)
def test_a_draining_host_announces_its_work_again(
    name: str, bots: Bots, monkeypatch: pytest.MonkeyPatch
) -> None:
    kind = KINDS[name]
    kind.prepare()

    def interrupt(*_: Any, stop: Any = None, **__: Any) -> Any:
        drain.begin(0)
        if stop is not None:
            stop()
        raise SeatTimeout

    def open_seat(program: Any, *, name: str) -> Any:
        seat = Bots.open(bots, program, name=name)
        seat.receive = interrupt  # type: ignore[method-assign]  # a fake
        return seat

    monkeypatch.setattr(bots, "open", open_seat)
    monkeypatch.setattr(judging, "judge", interrupt)
    [work] = host_work()
    assert serving.do_work(work), "the work is not to be repeated"
    assert kind.results() == 0
    pool = serving.WorkPool(1, serving.do_work)
    pool.stop()
    pool.submit([work])
    monkeypatch.setattr(serving, "pool", lambda: pool)
    OutboxMessage.objects.all().delete()
    serving.stop()
    [message] = OutboxMessage.objects.all()
    assert message.task == kind.task
    assert list(message.arguments.values()) == [work.key]
    drain.resume()
    monkeypatch.undo()
    monkeypatch.setattr(host, "shared_sandbox", Bots)
    serve()
    assert kind.results() == 1


def test_a_draining_worker_gives_back_its_piece_of_an_analysis(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    kind = KINDS["analysis"]
    kind.prepare()
    from engine.search.analysis import judge

    def interrupt(*arguments: Any, stop: Any, **options: Any) -> Any:
        drain.begin(0)
        stop.must_stop = True
        return judge(*arguments, stop=stop, **options)

    monkeypatch.setattr(analysing, "judge", interrupt)
    assert not analysing.analyse_piece()
    assert Analysis.objects.get().lease_until is None
    drain.resume()
    monkeypatch.setattr(analysing, "judge", judge)
    assert is_found_by_sweep(kind)
    analyse()
    assert kind.results() == 1


@pytest.mark.parametrize("name", ["kept", "export"])
def test_a_stopped_housekeeper_gives_back_content(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    kind = KINDS[name]
    kind.prepare()

    def interrupt(*_: Any, **__: Any) -> Any:
        raise KeyboardInterrupt

    for content_kind in (*kinds.KINDS, *export_files.KINDS):
        monkeypatch.setattr(type(content_kind), "store", interrupt)
    with pytest.raises(KeyboardInterrupt):
        content_cache.compute_due(site.KINDS)
    monkeypatch.undo()
    for content_kind in (*kinds.KINDS, *export_files.KINDS):
        monkeypatch.setitem(content_kind.__dict__, "uncached_matches", -1)
    assert not Kept.objects.filter(lease_until__isnull=False).exists()
    assert is_found_by_sweep(kind)
    kind.work()
    assert kind.results() == 1
