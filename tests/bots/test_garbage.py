"""The garbage collector in programs that run for long."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from cardroom_base.core.garbage import THRESHOLD

ROOT = Path(__file__).resolve().parents[2]


def test_a_worker_freezes_objects_before_it_forks() -> None:
    program = (
        "import gc; from celery.signals import worker_init\n"
        "from cardroom.celery import _tune_collector\n"
        "assert any(link[1]() is _tune_collector for link in worker_init.receivers)\n"
        "_tune_collector(); print(gc.get_threshold()[0], gc.get_freeze_count() > 10_000)"
    )
    process = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT / "platform",
        env={"PYTHONPATH": str(ROOT), "CARDROOM_COMPILE": "0"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert process.stdout.split() == [str(THRESHOLD), "True"]


def test_the_command_line_freezes_objects() -> None:
    program = """
import gc, sys
from tournaments import __main__
from tournaments.home import cli
cli.main = lambda: print(gc.get_threshold()[0], gc.get_freeze_count() > 10_000)
__main__.main()
"""
    process = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        env={"CARDROOM_COMPILE": "0"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert process.stdout.split() == [str(THRESHOLD), "True"]
