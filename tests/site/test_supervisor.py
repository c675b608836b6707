"""The supervisor and services that die. `test_up.py` tests whole sites."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from cardroom.supervisor import RESTART_DELAYS, STEADY_SECONDS, Service, Supervisor

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(("seconds", "is_named"), [(0.1, True), (STEADY_SECONDS + 1, False)])
def test_a_service_that_dies_repeatedly_is_named_with_its_log(
    seconds: float, is_named: bool, tmp_path: Path
) -> None:
    messages: list[str] = []
    worker = Service("worker", ["false"])
    supervisor = Supervisor([worker, Service("web", ["true"])], tmp_path, messages.append)
    supervisor.log_path(worker).write_text("Traceback\nModuleNotFoundError: No module named 'x'\n")
    assert supervisor.crash_report() == ""
    for _ in RESTART_DELAYS:
        supervisor._plan_restart(worker, 1, worker.started + seconds)
    assert len(messages) == len(RESTART_DELAYS)
    report = supervisor.crash_report()
    assert bool(report) == is_named
    if is_named:
        assert report.startswith(f"worker ended {len(RESTART_DELAYS)} times in a row.")
        assert report.endswith("No module named 'x'")


SUPERVISOR = """
import os, signal, sys, threading
from pathlib import Path
from cardroom.supervisor import Service, Supervisor

def report(text):
    print(text)
    if text.startswith("Waiting"):
        threading.Thread(target=os.kill, args=(os.getpid(), signal.SIGINT)).start()

folder = Path(sys.argv[1])
ready = folder / "ready"
command = ["sh", "-c", "trap '' TERM; touch $0; while :; do sleep 0.1; done", str(ready)]
worker = Service(
    "worker", command, ready=ready.exists, work_seconds=100_000, work=lambda: "2 matches"
)
supervisor = Supervisor([worker], folder, report)
supervisor.start()
supervisor.stop()
print("left" if worker.process else "gone")
"""


def test_ctrl_c_kills_a_draining_service(tmp_path: Path) -> None:
    """In a separate process, because a stopping supervisor ends all descendants of its process."""
    process = subprocess.run(
        [sys.executable, "-c", SUPERVISOR, str(tmp_path)],
        env=os.environ | {"PYTHONPATH": f"{ROOT}:{ROOT / 'platform'}"},
        capture_output=True,
        text=True,
        check=True,
    )
    first, *others = process.stdout.splitlines()
    assert first.startswith("Waiting up to 100000 s for 2 matches to end;")
    assert others == ["worker did not end in time and was killed.", "gone"]


COPIER = """
import sys, time
from pathlib import Path
from cardroom.supervisor import Service, Supervisor

folder = Path(sys.argv[1])
sys.path.insert(0, str(folder))
sys.modules["imported_before"] = sys.modules["short.__main__"] = sys
command = [sys.executable, "-m", "short", "--name", "worker"]
service = Service("worker", command, forks=True)
supervisor = Supervisor([service], folder, print, {"PYTHONPATH": str(folder)})
supervisor.start()
log = supervisor.log_path(service)
while log.read_text().count("end") < 2:
    supervisor.tick()
    time.sleep(0.02)
supervisor.stop()
"""
SHORT = """
import os, signal, sys
own_session = os.getsid(0) == os.getpid()
stops = signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
title = open("/proc/self/cmdline", "rb").read().replace(b"\\0", b" ")
print("imported_before" in sys.modules, own_session, stops, *sys.argv[1:], os.environ["PYTHONPATH"])
print("-m short --name worker" in title.decode())
print("end")
sys.exit(3)
"""


def test_a_service_starts_as_a_copy_and_restarts_as_a_program(tmp_path: Path) -> None:
    """In a separate process, because the test changes its signals and modules.

    The supervisor changes the first variable of the environment for its services.
    """
    package = tmp_path / "short"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "__main__.py").write_text(SHORT)
    first_variable = {"PYTHONPATH": f"{ROOT}:{ROOT / 'platform'}"}
    subprocess.run(
        [sys.executable, "-c", COPIER, str(tmp_path)],
        env=first_variable | os.environ | first_variable,
        check=True,
    )
    first, title, _, second, *_ = (tmp_path / "worker.log").read_text().splitlines()
    assert first == f"True True True --name worker {tmp_path}"
    assert title == "True", "`ps` shows another command"
    assert second == f"False True True --name worker {tmp_path}"
