"""Work that somebody has begun and does not end: killed, frozen, or told to stop.

Whatever it is, it is found again, done by another, and counts once; who goes on too late changes
nothing. Real workers with matches and checks are stopped in `test_drain`, real hosts in
`tests/play/test_interrupted_hosts`.
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
from cardroom_tables.messages import COMPARE_TASK, HINT_TASK, OPINION_TASK, SEAT_TASK
from cardroom_tables.models import Comparison, ComparisonJob, Hint, Opinion, Table, TableMove
from cardroom_tables.turns import Kind as WorkKind
from engine import Record
from engine.search.analysis import questions
from tests import factories as make
from tests.play import hall
from tests.play.hall import Bots, guest
from tournaments import analysing, tasks
from tournaments.actions import analyses, attempts
from tournaments.actions.analyses import request_analysis
from tournaments.exports import files
from tournaments.models import Analysis, Attempt, Kept, Match
from tournaments.queue.messages import ANALYSE_TASK, PLAY_TASK
from tournaments.reading import content_cache, kinds

pytestmark = pytest.mark.django_db

Late = Callable[[], object]
"""What whoever had begun does when it goes on at last."""


@dataclass(frozen=True)
class Kind:
    """A kind of work, as workers see it."""

    task: str
    """The message that asks for it; empty: the housekeeper looks by itself."""
    prepare: Callable[[], None]
    begin: Callable[[], Late]
    """Take it, as a worker does."""
    expire: Callable[[], None]
    """Time goes by."""
    work: Callable[[], None]
    """Another one does it."""
    done: Callable[[], int]
    """How often it counts."""


# --- matches, checks, analyses --------------------------------------------------------------------


def one_match() -> None:
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


def one_check() -> None:
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


def one_analysis() -> None:
    request_analysis(finished_match(), make.user(), playouts=2)


def begin_piece() -> Late:
    piece = analyses.begin_piece()
    assert piece is not None
    return lambda: analyses.store_piece(piece, 1, [])


def analyse() -> None:
    while analysing.analyse_piece():
        pass


# --- people's tables ------------------------------------------------------------------------------


def one_table() -> None:
    made = hall.table()
    moves.play_move(made, guest(), 0, match_cache.position_of(made).legal_moves()[0])


def begin_table() -> Late:
    table = hosting.take(Table.objects.get().pk, "one")
    assert table is not None
    match = match_cache.position_of(table)
    move = match.legal_moves()[-1]
    match.play(move)
    played = BotMove(1, move, 1, "", None)
    return lambda: hosting.store_move(table, "one", played, match, 1)


def one_hint() -> None:
    hints.request_hint(hall.table(), guest(), 0)


def begin_hint() -> Late:
    hint = Hint.objects.take("one")
    assert hint is not None
    return lambda: hint.finish(move="late")


def one_comparison() -> None:
    hall.finished()


def begin_comparison() -> Late:
    job = ComparisonJob.objects.take("one")
    assert job is not None
    return lambda: comparisons.store_deal(job, 0, [], [])


def one_opinion() -> None:
    match = finished_match()
    record = Record.from_json(json.loads(zlib.decompress(match.record.content)))
    opinions.request_opinion("0" * 64, next(iter(questions(record))), hall.guest())


def begin_opinion() -> Late:
    opinion = Opinion.objects.take("one")
    assert opinion is not None
    return lambda: opinion.finish(answer={"late": True})


def host_work() -> list[Any]:
    asked = {
        "table": Table.objects.filter(bots_turn=True),
        "hint": Hint.objects.filter(move=""),
        "comparison": Table.objects.filter(compared=0, deals__gt=0),
        "opinion": Opinion.objects.filter(answer__isnull=True),
    }
    kinds_of: list[WorkKind] = ["table", "hint", "comparison", "opinion"]
    return [
        work
        for kind in kinds_of
        for work in serving.work_of(kind, list(asked[kind].values_list("pk", flat=True)))
    ]


def serve() -> None:
    for work in host_work():
        assert not serving.do_work(work)


def ago(model: Any, field: str) -> Callable[[], None]:
    return lambda: model.objects.update(**{field: Now(-60)})


def table_expires() -> None:
    Table.objects.update(lease_until=Now(-1), moved=Now(-60))


# --- what the housekeeper makes -------------------------------------------------------------------


def one_kept() -> None:
    match = finished_match()
    Kept.objects.create(tournament=match.tournament, name=kinds.TABLES.name, asked=Now())


def one_export() -> None:
    match = finished_match()
    Kept.objects.create(tournament=match.tournament, name=files.KINDS[0].name, asked=Now())


def begin_kept() -> Late:
    row = Kept.objects.take()
    assert row is not None
    return lambda: row.give_back(mark="late")


def keep() -> None:
    assert content_cache.compute_due(site.KINDS) >= 1


def kept_once() -> int:
    return Kept.objects.filter(at__isnull=False, lease_until=None).exclude(mark="late").count() > 0


KINDS = {
    "match": Kind(
        PLAY_TASK, one_match, begin_match, ago(Attempt, "lease_until"), play_match, stored_matches
    ),
    "check": Kind(
        CHECK_TASK,
        one_check,
        begin_check,
        ago(Check, "lease_until"),
        finish_check,
        lambda: BotVersion.objects.filter(status="ready").count(),
    ),
    "analysis": Kind(
        ANALYSE_TASK,
        one_analysis,
        begin_piece,
        ago(Analysis, "lease_until"),
        analyse,
        lambda: Analysis.objects.filter(finished__isnull=False).count(),
    ),
    "table": Kind(
        SEAT_TASK,
        one_table,
        begin_table,
        table_expires,
        serve,
        lambda: TableMove.objects.filter(n=1).count(),
    ),
    "hint": Kind(
        HINT_TASK,
        one_hint,
        begin_hint,
        ago(Hint, "lease_until"),
        serve,
        lambda: Hint.objects.exclude(move__in=("", "late")).count(),
    ),
    "comparison": Kind(
        COMPARE_TASK,
        one_comparison,
        begin_comparison,
        ago(ComparisonJob, "lease_until"),
        serve,
        lambda: Comparison.objects.filter(bot="house:greedy").count(),
    ),
    "opinion": Kind(
        OPINION_TASK,
        one_opinion,
        begin_opinion,
        ago(Opinion, "lease_until"),
        serve,
        lambda: Opinion.objects.filter(answer__isnull=False, answer__late__isnull=True).count(),
    ),
    "kept": Kind("", one_kept, begin_kept, ago(Kept, "lease_until"), keep, kept_once),
    "export": Kind("", one_export, begin_kept, ago(Kept, "lease_until"), keep, kept_once),
}
HOSTED = ("table", "hint", "comparison", "opinion")


@pytest.fixture(autouse=True)
def _quick(settings: Any, monkeypatch: pytest.MonkeyPatch, bots: Bots) -> Iterator[None]:
    settings.ANALYSIS_PLAYOUTS = 2
    monkeypatch.setattr(outbox, "queue_length", lambda _queue: 0)
    for kind in (*kinds.KINDS, *files.KINDS):
        monkeypatch.setitem(kind.__dict__, "at_once", -1)
    yield
    drain.resume()
    host.close()


@pytest.fixture
def bots(monkeypatch: pytest.MonkeyPatch) -> Bots:
    made = Bots()
    monkeypatch.setattr(host, "shared_sandbox", lambda: made)
    return made


def swept(kind: Kind) -> bool:
    """Whether the housekeeper, having looked, has it done."""
    OutboxMessage.objects.all().delete()
    tasks.sweep()
    play.sweep()
    if kind.task:
        return OutboxMessage.objects.filter(task=kind.task).exists()
    return next(content_cache.due_content(site.KINDS), None) is not None


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("fault", ["killed", "frozen"])
def test_what_somebody_began_is_done_by_another_once(name: str, fault: str) -> None:
    kind = KINDS[name]
    kind.prepare()
    late = kind.begin()
    kind.expire()
    assert swept(kind)
    kind.work()
    assert kind.done() == 1
    if fault == "frozen":
        late()
        assert kind.done() == 1


@pytest.mark.parametrize("name", HOSTED)
def test_a_host_that_drains_announces_again_what_it_began(
    name: str, bots: Bots, monkeypatch: pytest.MonkeyPatch
) -> None:
    kind = KINDS[name]
    kind.prepare()

    def interrupted(*_: Any, stop: Any = None, **__: Any) -> Any:
        drain.begin(0)
        if stop is not None:
            stop()
        raise SeatTimeout

    def opened(program: Any, *, name: str) -> Any:
        seat = Bots.open(bots, program, name=name)
        seat.receive = interrupted  # type: ignore[method-assign]  # a test's own
        return seat

    monkeypatch.setattr(bots, "open", opened)
    monkeypatch.setattr(judging, "judge", interrupted)
    [work] = host_work()
    assert serving.do_work(work), "it is to be done again"
    assert kind.done() == 0
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
    assert kind.done() == 1


def test_a_worker_that_drains_gives_its_piece_of_an_analysis_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    kind = KINDS["analysis"]
    kind.prepare()
    from engine.search.analysis import judge as before

    def interrupted(*given: Any, stop: Any, **more: Any) -> Any:
        drain.begin(0)
        stop.must_stop = True
        return before(*given, stop=stop, **more)

    monkeypatch.setattr(analysing, "judge", interrupted)
    assert not analysing.analyse_piece()
    assert Analysis.objects.get().lease_until is None
    drain.resume()
    monkeypatch.setattr(analysing, "judge", before)
    assert swept(kind)
    analyse()
    assert kind.done() == 1


@pytest.mark.parametrize("name", ["kept", "export"])
def test_a_housekeeper_that_ends_gives_back_what_it_makes(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    kind = KINDS[name]
    kind.prepare()

    def interrupted(*_: Any, **__: Any) -> Any:
        raise KeyboardInterrupt

    for each in (*kinds.KINDS, *files.KINDS):
        monkeypatch.setattr(type(each), "store", interrupted)
    with pytest.raises(KeyboardInterrupt):
        content_cache.compute_due(site.KINDS)
    monkeypatch.undo()
    for each in (*kinds.KINDS, *files.KINDS):
        monkeypatch.setitem(each.__dict__, "at_once", -1)
    assert not Kept.objects.filter(lease_until__isnull=False).exists()
    assert swept(kind)
    kind.work()
    assert kind.done() == 1
