"""Real brokers: delivery to workers, Celery's tools, and a site without a broker."""

from __future__ import annotations

import logging
import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
import redis
from celery import Celery, current_app
from kombu import Connection, Consumer, Queue

from cardroom.brokers import celery_url, transport_options
from cardroom.processes import die_with_parent
from cardroom_base.db import outbox
from tests import preloaded
from tests.preloaded import PreloadedProcess
from tests.rabbitmq import start_rabbitmq
from tests.servers import Redis, breakable, fill_memory, free_port, hang, start_redis, wait_for
from tests.sites import ROOT, Site, migrate

PATIENCE = float(os.environ.get("CARDROOM_FAULT_PATIENCE", "120"))
"""The time limit in seconds for steps that take a few."""
CREATE = """
import django, sys
django.setup()
from tests import factories as make
bots = [make.house_bot(f"house:{sys.argv[1]}{n}", make.source(f"{n}")) for n in "ab"]
make.tournament(bots, name=sys.argv[1], groups=int(sys.argv[2]), start=True)
"""


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("redis://:secret@host:6379/1", "redis://:secret@host:6379/1"),
        ("unix:///run/redis.sock?db=2", "redis+socket:///run/redis.sock?virtual_host=2"),
        ("rediss://host", "rediss://host?ssl_cert_reqs=required"),
        ("rediss://host/0?ssl_cert_reqs=none", "rediss://host/0?ssl_cert_reqs=none"),
        ("amqp://me:secret@host//", "amqp://me:secret@host//"),
    ],
)
def test_broker_urls_become_celerys(url: str, expected: str) -> None:
    assert celery_url(url) == expected


@pytest.fixture(scope="module")
def rabbit() -> Iterator[str]:
    with start_rabbitmq() as url:
        yield url


@pytest.fixture(params=["redis", "rabbitmq"])
def broker(request: pytest.FixtureRequest) -> str:
    """The address of a real broker."""
    if request.param == "redis":
        return str(request.getfixturevalue("redis_server").url)
    return str(request.getfixturevalue("rabbit"))


@contextmanager
def app_at(url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Celery]:
    """An application with this broker, which the outbox uses meanwhile."""
    app = Celery("test", broker=url, set_as_current=False)
    app.conf.broker_transport_options = transport_options(url)
    app.conf.broker_connection_timeout = 2
    with monkeypatch.context() as patch:
        patch.setattr(outbox, "current_app", app)
        yield app
    app.close()


@pytest.mark.redis
def test_the_length_of_a_queue(broker: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with app_at(broker, monkeypatch) as app:
        assert outbox.queue_length("nobody-knows-it") == 0
        for _ in range(3):
            app.send_task("some.task", queue="long", retry=False)
        wait_for(lambda: outbox.queue_length("long") == 3, "The messages do not arrive")


@pytest.mark.redis
@pytest.mark.parametrize("harm", [fill_memory, hang, None], ids=["full", "hanging", "dead"])
@pytest.mark.django_db(transaction=True)
def test_a_broken_broker_does_not_delay_senders(harm: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The message stays in the outbox for the next relay."""
    with start_redis() as server, app_at(server.url, monkeypatch), breakable(server) as lists:
        monkeypatch.setattr(outbox, "_broken_until", 0.0)
        if harm is None:
            server.kill()
        else:
            harm(lists)
        outbox.announce("some.task")
        assert outbox.has_unsent("some.task")
        assert outbox._broken_until > 0.0
        if harm is None:
            server.start()
        else:
            os.kill(server.process.pid, signal.SIGCONT)
            lists.config_set("maxmemory", "0")
        assert outbox.relay() == 1


def receive(connection: Connection, channel: Any, prefetch: int) -> list[Any]:
    """Start a consumer with this prefetch limit; returns its list of messages.

    The list has a message already, and later ones are added to it.
    """
    messages: list[Any] = []
    channel.basic_qos(0, prefetch, False)
    queue = Queue("long", channel=channel)
    Consumer(channel, [queue], on_message=messages.append).consume()
    wait_for(lambda: drain(connection) and messages, "No message arrives")
    drain(connection)
    return messages


def drain(connection: Connection) -> bool:
    """Deliver the messages that have arrived; returns true."""
    with suppress(TimeoutError):
        connection.drain_events(timeout=0.1)
    return True


@pytest.mark.redis
def test_a_lost_acknowledgement_does_not_block_a_consumer(monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker takes messages again after Redis hung."""
    with (
        start_redis() as server,
        app_at(server.url, monkeypatch) as app,
        app.connection_for_read() as connection,
        breakable(server) as lists,
    ):
        for _ in range(2):
            app.send_task("some.task", queue="long", retry=False)
        messages = receive(connection, connection.default_channel, prefetch=1)
        hang(lists)
        messages[0].ack_log_error(logging.getLogger(), connection.connection_errors)
        os.kill(server.process.pid, signal.SIGCONT)
        wait_for(lambda: drain(connection) and len(messages) == 2, "It takes no more")


@pytest.mark.redis
def test_an_unacknowledged_message_does_not_stop_a_close_without_redis(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Celery closes it this way before it reconnects; an error would end the worker."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))  # kombu stores the message there
    with start_redis() as server, app_at(server.url, monkeypatch) as app:
        app.send_task("some.task", queue="long", retry=False)
        connection = app.connection_for_read()
        assert receive(connection, connection.default_channel, prefetch=2)
        control: Any = app.control  # the stubs lack its mailbox
        control.mailbox.Node("worker@test", channel=connection.channel()).listen()
        server.kill()
        connection.collect(socket_timeout=5.0)
        connection.close()


# --- real processes -------------------------------------------------------------------------------


class SplitSite(Site):
    """A site with separately started parts, as in docs/04."""

    stack: ExitStack

    def python(self, *arguments: str) -> str:
        """The output of a Python program."""
        process = preloaded.run(
            [sys.executable, *arguments],
            env=self.env() | {"PYTHONPATH": f"{ROOT}:{ROOT / 'platform'}"},
        )
        assert process.returncode == 0, process.stderr[-3000:]
        return process.stdout

    def celery(self, *arguments: str) -> str:
        """The output of a Celery command."""
        return self.python("-m", "celery", "--app", "cardroom", *arguments)

    def start(self, name: str, *arguments: str) -> subprocess.Popen[bytes]:
        """Start a worker or beat, which ends with the test."""
        with (self.var / f"{name}.log").open("ab") as log:
            process = PreloadedProcess(
                [sys.executable, "-m", "celery", "--app", "cardroom", *arguments],
                env=self.env()
                | {"PYTHONPATH": f"{ROOT}:{ROOT / 'platform'}", "PYTHONUNBUFFERED": "1"},
                stdout=log,
                stderr=subprocess.STDOUT,
                preexec_fn=die_with_parent,
            )
        self.stack.callback(process.wait, 60)
        self.stack.callback(process.send_signal, signal.SIGTERM)
        return process

    def start_all(self) -> list[subprocess.Popen[bytes]]:
        """A worker, a housekeeper and a beat."""
        plain = ("--without-gossip", "--without-mingle", "--loglevel", "INFO")
        return [
            self.start(
                *("worker", "worker", "--queues", "matches,checks", "--hostname", "worker@test"),
                *("--concurrency", "1", *plain),
            ),
            self.start(
                *("keeper", "worker", "--queues", "housekeeping", "--hostname", "keeper@test"),
                *("--concurrency", "3", "--pool", "threads", *plain),
            ),
            self.start("beat", "beat"),
        ]

    def log_of(self, name: str) -> str:
        """The log of a part."""
        return (self.var / f"{name}.log").read_text(errors="replace")

    def is_over(self) -> bool:
        """Whether no tournament runs."""
        running = "SELECT COUNT(*) FROM tournaments_tournament WHERE state = 'running'"
        with closing(sqlite3.connect(self.var / "cardroom.sqlite3", timeout=30)) as database:
            return bool(database.execute(running).fetchone() == (0,))

    def logs(self) -> str:
        """The ends of all logs."""
        return "".join(path.read_text()[-3000:] for path in self.var.glob("*.log"))


@contextmanager
def machine_at(var: Path, **environment: str) -> Iterator[SplitSite]:
    machine = SplitSite(var, environment)
    migrate(var)
    with ExitStack() as machine.stack:
        yield machine


NODES = ("worker@test", "keeper@test")


@pytest.mark.sandbox
@pytest.mark.long
def test_a_site_plays_with_rabbitmq_under_celerys_tools(tmp_path: Path, rabbit: str) -> None:
    with machine_at(tmp_path, CARDROOM_BROKER_URL=rabbit) as machine:
        parts = machine.start_all()
        wait_for(
            lambda: all("ready." in machine.log_of(name) for name in ("worker", "keeper")),
            "The services do not start",
            PATIENCE,
        )
        machine.python("-c", CREATE, "first", "2")
        wait_for(machine.is_over, f"The tournament does not end: {machine.logs()}", PATIENCE)
        assert_seen_by_tools(machine, rabbit)
        assert [part.poll() for part in parts] == [None] * 3


@pytest.mark.redis
@pytest.mark.sandbox
@pytest.mark.long
def test_a_tournament_from_before_redis_started_is_played(tmp_path: Path) -> None:
    server = Redis(free_port(), subprocess.Popen(["true"]))
    with machine_at(tmp_path, REDIS_URL=server.url) as machine:
        parts = machine.start_all()
        machine.python("-c", CREATE, "first", "1")
        assert not machine.is_over()
        server.start()
        machine.stack.callback(server.kill)
        wait_for(machine.is_over, f"The tournament does not end: {machine.logs()}", PATIENCE)
        assert_seen_by_tools(machine, server.url)
        assert [part.poll() for part in parts] == [None] * 3
        for name in ("worker", "keeper", "beat"):
            assert "Traceback" not in machine.log_of(name)


def assert_seen_by_tools(machine: SplitSite, url: str) -> None:
    """Celery's `inspect`, remote control and events see both workers."""
    output = machine.celery("inspect", "--timeout", "20", "-d", ",".join(NODES), "--json", "stats")
    assert all(node in output for node in NODES)
    with Celery("test", broker=url, set_as_current=False) as app:
        app.conf.broker_transport_options = transport_options(url)
        inspect = app.control.inspect(NODES, timeout=20)
        for replies in (inspect.active(), inspect.ping()):
            assert set(replies or ()) == set(NODES)
        hostnames: set[str] = set()
        until = time.monotonic() + PATIENCE
        with app.connection() as connection:
            handlers = {"worker-heartbeat": lambda event: hostnames.add(event["hostname"])}
            receiver = app.events.Receiver(connection, handlers=handlers)
            while hostnames != set(NODES) and time.monotonic() < until:
                with suppress(TimeoutError):
                    receiver.capture(limit=1, timeout=5)
        assert hostnames == set(NODES), machine.logs()


@pytest.mark.redis
def test_foreign_messages_in_a_queue_are_dropped(tmp_path: Path) -> None:
    """An unknown task leaves a line in the log. A message that is not JSON ends the worker, which
    continues with the next message after a restart."""
    with (
        start_redis() as server,
        machine_at(tmp_path, REDIS_URL=server.url) as machine,
        redis.Redis.from_url(server.url) as lists,
    ):
        keeper = (
            "worker",
            "--queues",
            "housekeeping",
            "--pool",
            "threads",
            "-n",
            "keeper@test",
            "-l",
            "INFO",
        )
        worker = machine.start("keeper", *keeper)
        wait_for(
            lambda: "ready." in machine.log_of("keeper"), "The keeper does not start", PATIENCE
        )
        with Connection(celery_url(server.url)) as to:
            current_app.send_task("no.such.task", queue="housekeeping", connection=to, retry=False)
        warning = "Received unregistered task"
        wait_for(
            lambda: warning in machine.log_of("keeper"), "The unknown task is not logged", PATIENCE
        )
        assert worker.poll() is None
        lists.lpush("housekeeping", b"\x80no JSON")
        assert worker.wait(PATIENCE) != 0
        machine.start("keeper", *keeper)
        wait_for(
            lambda: machine.log_of("keeper").count("ready.") == 2,
            "The keeper does not start",
            PATIENCE,
        )
        wait_for(lambda: not lists.llen("housekeeping"), "The queue is not emptied", PATIENCE)
