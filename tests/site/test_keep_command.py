"""`manage.py keep`, and its long-lived process."""

from __future__ import annotations

import logging
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connections

from cardroom import tasks
from cardroom.management.commands import keep
from tests import factories as make
from tournaments.models import Kept
from tournaments.projections import tallies

pytestmark = pytest.mark.django_db


@pytest.fixture
def requests(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """The end of a pipe for requests; the command reads the other end."""
    monkeypatch.setattr(keep, "stop_on_signals", lambda: None)
    monkeypatch.setattr(connections, "close_all", lambda: None)
    read_end, write_end = os.pipe()
    with os.fdopen(read_end) as standard_input:
        monkeypatch.setattr(sys, "stdin", standard_input)
        yield write_end


def test_it_serves_waiting_requests_together_and_ends_with_its_parent(
    requests: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs: list[int] = []

    def count() -> int:
        runs.append(len(runs))
        if len(runs) == 1:
            os.write(requests, b"\n")
        else:
            os.close(requests)
        return 0

    monkeypatch.setattr(tallies, "count_new", count)
    os.write(requests, b"\n\n\n")
    call_command("keep", listen=True)
    assert runs == [0, 1]


def test_it_logs_its_work_so_that_json_logs_stay_json(
    requests: int,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(keep, "MAX_RUNS", 1)
    monkeypatch.setattr(tallies, "count_new", lambda: 7)
    os.write(requests, b"\n")
    with caplog.at_level(logging.INFO):
        call_command("keep", listen=True)
    os.close(requests)
    assert "7 matches counted." in caplog.text
    assert capfd.readouterr().out == ""


def test_it_ends_after_a_number_of_runs_or_idle_time(
    requests: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs: list[int] = []

    def count() -> int:
        os.write(requests, b"\n")
        runs.append(0)
        return 0

    monkeypatch.setattr(tallies, "count_new", count)
    monkeypatch.setattr(keep, "MAX_RUNS", 3)
    os.write(requests, b"\n")
    call_command("keep", listen=True)
    assert len(runs) == 3
    monkeypatch.setattr(keep, "IDLE_SECONDS", 0.0)
    os.read(sys.stdin.fileno(), 10)
    call_command("keep", listen=True)
    assert len(runs) == 3
    os.close(requests)


def test_the_housekeeper_starts_its_process_once(monkeypatch: pytest.MonkeyPatch) -> None:
    processes: list[subprocess.Popen[bytes]] = []
    popen = subprocess.Popen

    def start(command: list[str], **options: Any) -> subprocess.Popen[bytes]:
        """Start a process that reads two requests, prints their number, and ends."""
        assert command[-4:] == ["django", "keep", "--skip-checks", "--listen"]
        script = "import os; print(len(os.read(0, 1) + os.read(0, 1)))"
        processes.append(popen([sys.executable, "-c", script], stdout=subprocess.PIPE, **options))
        return processes[-1]

    monkeypatch.setattr(tasks, "_started", {})
    assert tasks.start_keeping() is False
    monkeypatch.setattr(tallies, "has_uncounted", lambda: True)
    monkeypatch.setattr(subprocess, "Popen", start)
    assert tasks.start_keeping() is tasks.start_keeping() is True
    assert len(processes) == 1
    output, pipe = processes[0].stdout, processes[0].stdin
    assert output is not None
    assert pipe is not None
    assert output.read() == b"2\n"
    processes[0].wait()
    assert tasks.start_keeping() is True
    assert len(processes) == 2
    assert pipe.closed
    tasks.stop_started()
    assert processes[1].poll() is not None
    for process in processes:
        for pipe_end in (process.stdin, process.stdout):
            if pipe_end is not None:
                pipe_end.close()


@pytest.mark.parametrize("was_killed", [True, False])
def test_content_of_a_killed_process_is_free_at_once(
    monkeypatch: pytest.MonkeyPatch, *, was_killed: bool
) -> None:
    monkeypatch.setattr(tasks, "_started", {})
    with subprocess.Popen(["sleep", "600"]) as process:
        kept = Kept.objects.create(tournament=make.tournament(), name="tables")
        Kept.objects.take(f"{socket.gethostname()}/{process.pid}/1", pk=kept.pk)
        if was_killed:
            process.kill()
            process.wait()
        assert tasks.start_keeping() is False
        kept.refresh_from_db()
        assert (kept.lease_until is None) == was_killed
        process.kill()
