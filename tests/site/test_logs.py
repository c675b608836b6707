"""Lines of logs: one for each message, with strangers' text made harmless."""

from __future__ import annotations

import io
import json
import logging
import os
import sys
from typing import Any

import pytest
from celery.beat import SchedulingError
from django.db import OperationalError, connection
from django.test import Client
from kombu.exceptions import OperationalError as QueueError
from redis.exceptions import ConnectionError as RedisAway

from cardroom import logs
from cardroom.json_logs import JsonLines
from cardroom.logs import Console, Lines
from cardroom_base.core import log_context
from cardroom_base.core.safe_text import is_harmless

POISON = "\x1b[2J\x9b\u202e\n2026-11-22 INFO all is well"


def record(error: Any = None) -> logging.LogRecord:
    return logging.LogRecord("site", logging.INFO, "", 1, "Not found: %s", (POISON,), error)


def test_a_message_is_one_harmless_line(settings: Any) -> None:
    line = Lines("{levelname} {message}", style="{").format(record())
    assert line == r"INFO Not found: \x1b[2J\x9b\u202e\n2026-11-22 INFO all is well"
    assert settings.LOGGING["formatters"]["line"]["()"] == "cardroom.logs.Lines"


def test_a_traceback_keeps_its_lines() -> None:
    try:
        raise ValueError(POISON)
    except ValueError:
        text = Lines("%(message)s").format(record(sys.exc_info()))
    assert text.count("\n") > 2
    assert all(char == "\n" or is_harmless(char) for char in text)


SECRET = "0f1e2d3c4b5a697887766554"


@pytest.mark.parametrize(
    "text",
    [
        "GET /play/k/?invitation={}",
        "Internal Server Error: /play/k/state/?after=3&invitation={}&version=2",
        "POST /login/?next=/play/k/%3Finvitation%3D{}",
        "refused {{'token': 'x', 'invitation': '{}'}}",
        "<QueryDict: {{'invitation': ['{}']}}>",
        "Service Unavailable: /password/reset/key/4-{}/",
        "https://cards.example.org/confirm-email/Mw:{}/ failed",
    ],
)
def test_secrets_of_links_are_masked(text: str) -> None:
    line = Lines("%(message)s")
    message = text.format(SECRET)
    record = logging.LogRecord("site", logging.INFO, "", 1, "%s", (message,), None)
    assert SECRET not in line.format(record)
    assert "***" in line.format(record)
    try:
        raise ValueError(message)
    except ValueError:
        error_record = logging.LogRecord("site", logging.ERROR, "", 1, "No", (), sys.exc_info())
    assert SECRET not in line.format(error_record)


@pytest.mark.django_db
def test_the_access_log_has_a_line_for_each_request_without_its_query(
    client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO):
        client.get(f"/play/none/?invitation={SECRET}", REMOTE_ADDR="192.0.2.7")
        client.get("/bots/", {"q": "private"})
    lines = [record.getMessage() for record in caplog.records if record.name == "cardroom.access"]
    assert len(lines) == 2
    assert lines[0].startswith('192.0.2.7 "GET /play/none/" 404, ')
    assert SECRET not in caplog.text
    assert "private" not in caplog.text


@pytest.mark.django_db
@pytest.mark.parametrize(
    "address", ["/play/none/?invitation=x", "/login/?next=/play/?invitation=x"]
)
def test_referrers_do_not_reveal_invitations(client: Client, address: str) -> None:
    assert client.get(address)["Referrer-Policy"] == "strict-origin"


# --- as JSON --------------------------------------------------------------------------------------


def test_json_has_an_object_with_context_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_context, "_node", "worker@here")
    line = JsonLines().format(record())
    assert line.isascii()
    assert line.isprintable()
    entry = json.loads(line)
    worker = f"worker@here/{os.getpid()}"
    assert entry.pop("time").endswith("+00:00")
    assert entry == {
        "level": "INFO",
        "logger": "site",
        "message": f"Not found: {POISON}",
        "worker": worker,
    }
    try:
        raise ValueError(f"{POISON} 'invitation': '{SECRET}'")
    except ValueError:
        error_record = record(sys.exc_info())
    # Django adds the request to its records, and some of Cardroom's code the match.
    error_record.__dict__ |= {"request": object(), "kind": "foreign", "attempt": 8}
    with log_context.add_log_fields(match=7, attempt=1), log_context.add_log_fields(match=9):
        line = JsonLines().format(error_record)
    assert line.isprintable()
    assert SECRET not in line
    entry = json.loads(line)
    assert entry["traceback"].startswith("Traceback")
    assert {
        name: entry.get(name) for name in ("match", "attempt", "worker", "request", "kind")
    } == {
        "match": 9,
        "attempt": 8,
        "worker": worker,
        "request": None,
        "kind": None,
    }
    assert "match" not in log_context.current_fields()


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("peer", "request_id", "is_accepted"),
    [
        ("10.0.0.1", "7b-1", True),
        ("10.0.0.1", f"x\n{POISON}", False),
        ("192.0.2.7", "7b-1", False),
    ],
)
def test_log_and_response_have_the_request_id(
    settings: Any, monkeypatch: pytest.MonkeyPatch, peer: str, request_id: str, is_accepted: bool
) -> None:
    """A proxy may choose the ID, a stranger may not."""
    settings.TRUSTED_PROXIES = ["10.0.0.1"]
    lines: list[str] = []
    formatter = JsonLines()
    monkeypatch.setattr(
        "cardroom.middleware.access.handle", lambda r: lines.append(formatter.format(r))
    )
    monkeypatch.setattr("cardroom.middleware.access.level", logging.INFO)
    response = Client().get(
        f"/play/none/?invitation={SECRET}", REMOTE_ADDR=peer, HTTP_X_REQUEST_ID=request_id
    )
    (entry,) = map(json.loads, lines)
    assert entry["request_id"] == response["X-Request-ID"]
    assert (response["X-Request-ID"] == request_id) is is_accepted
    assert response["X-Request-ID"].isprintable()


# --- repeated messages ---------------------------------------------------------------------------


class FakeTime:
    """A fake of `time`."""

    now = 0.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> FakeTime:
    fake = FakeTime()
    monkeypatch.setattr(logs, "time", fake)
    return fake


class Log:
    """A console of a process with its output."""

    def __init__(self) -> None:
        self.console = Console()
        self.console.setFormatter(Lines("{levelname} {name}: {message}", style="{"))
        self.console.setStream(io.StringIO())

    def write(self, name: str, level: int, text: str, *arguments: Any, **fields: Any) -> None:
        error = fields.pop("error", None)
        info = (type(error), error, error.__traceback__) if error else None
        record = logging.getLogger(name).makeRecord(
            name, level, "", 1, text, arguments, info, extra=fields or None
        )
        self.console.handle(record)

    @property
    def lines(self) -> list[str]:
        return self.console.stream.getvalue().splitlines()  # type: ignore[no-any-return]  # ours


@pytest.fixture
def log(clock: FakeTime) -> Log:
    return Log()


def with_traceback(error: Exception) -> Exception:
    """The error with a traceback."""
    try:
        raise error
    except Exception as caught:  # noqa: BLE001 - any
        return caught


def test_the_site_uses_this_console(settings: Any) -> None:
    assert settings.LOGGING["handlers"]["console"]["()"] == "cardroom.logs.Console"


def test_errors_of_an_unavailable_database_are_logged_once_a_minute(
    log: Log, clock: FakeTime
) -> None:
    for number in range(1000):
        unavailable = with_traceback(OperationalError("connection refused\nIs the server running?"))
        clock.now = number * 0.1
        log.write(
            "celery.app.trace", logging.ERROR, f"Task play[{number}] raised", error=unavailable
        )
        log.write("tournaments.worker", logging.WARNING, "Match %d waits: %s", number, unavailable)
    assert len(log.lines) == 4
    first = "ERROR celery.app.trace: The database cannot be reached: connection refused"
    assert log.lines[0] == first
    assert log.lines[2] == f"{first} (599 more like this since the last line)"
    assert log.lines[1].startswith("WARNING tournaments.worker: Match 0 waits: connection refused")


def test_an_unavailable_broker_is_named(log: Log) -> None:
    log.write(
        "django.request", logging.ERROR, "Internal", error=with_traceback(RedisAway("refused"))
    )
    assert log.lines == ["ERROR django.request: The message broker cannot be reached: refused"]


def test_a_job_that_beat_cannot_send_has_no_traceback(log: Log) -> None:
    error = SchedulingError("Couldn't apply scheduled task sweep: refused")
    error.__context__ = QueueError("refused")
    log.write("celery.beat", logging.ERROR, "Message Error: %s\n%s", error, ["stack"], error=error)
    line = f"ERROR celery.beat: The message broker cannot be reached: {error}"
    assert log.lines == [line]


@pytest.mark.django_db
def test_a_mistake_in_sql_keeps_its_traceback(log: Log) -> None:
    with pytest.raises(OperationalError) as error, connection.cursor() as cursor:
        cursor.execute("SELECT nothing_of_the_kind FROM nowhere")
    if connection.vendor != "sqlite":
        pytest.skip("only SQLite calls it an operational error")
    log.write("site", logging.ERROR, "No.", error=error.value)
    assert "Traceback" in log.lines[1]


def test_other_errors_and_lines_are_not_dropped(log: Log) -> None:
    for number in range(3):
        for kind in (ValueError, KeyError):
            log.write(
                "site", logging.ERROR, "It failed.", error=with_traceback(kind(f"at {number}"))
            )
        log.write("site", logging.WARNING, "Match %d is lost: %s", number, "gone")
        log.write("site", logging.INFO, "All is well.")
        log.write("site", logging.WARNING, "Foreign: %s", f"text {number}", kind="foreign")
    titles = [line for line in log.lines if line.startswith(("ERROR", "WARNING", "INFO"))]
    assert titles == [
        "ERROR site: It failed.",
        "ERROR site: It failed.",
        "WARNING site: Match 0 is lost: gone",
        "INFO site: All is well.",
        "WARNING site: Foreign: text 0",
        "WARNING site: Match 1 is lost: gone",
        "INFO site: All is well.",
        "WARNING site: Match 2 is lost: gone",
        "INFO site: All is well.",
    ]
    assert sum(line.startswith("Traceback") for line in log.lines) == 2


def test_the_number_of_remembered_kinds_is_limited(log: Log) -> None:
    for number in range(logs.MAX_KINDS + 10):
        log.write("site", logging.WARNING, f"Strange {number}")
    assert len(log.console._kinds) == logs.MAX_KINDS
