"""A preloaded process is like a newly started one, except for its imported libraries."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from cardroom.processes import die_with_parent
from tests import preloaded
from tests.faults.networks import switch
from tests.preloaded import PreloadedProcess
from tests.sites import ROOT, command_line, running_descendants

DESCRIBE = """
import json, os, signal, sys
print(json.dumps([
    __name__, sys.argv, sys.path, sys.orig_argv, dict(os.environ), os.getcwd(), sys.stdin.read(),
    [str(signal.getsignal(number)) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGPIPE)],
    os.getsid(0) == os.getpid(), os.getppid(), sorted(os.listdir("/proc/self/fd"))[:3],
    sys.stdout.encoding, sys.stdout.errors, sys.stdout.write_through, sys.stderr.errors,
]))
print("an error", file=sys.stderr)
sys.exit(7)
"""

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="other systems start all processes")


def describe(kind: type[subprocess.Popen[Any]], command: list[str], folder: Path) -> list[Any]:
    environment = os.environ | {"PYTHONPATH": "/one:/two", "NAME": "ü"}
    with kind(
        [sys.executable, *command],
        env=environment,
        cwd=folder,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session="-m" in command,
        preexec_fn=die_with_parent,
    ) as process:
        output, errors = process.communicate("some input")
    return [process.returncode, errors, *json.loads(output)]


@pytest.mark.parametrize("command", [["describe.py"], ["-m", "describe"], ["-c", DESCRIBE]])
def test_a_program_begins_alike(command: list[str], tmp_path: Path) -> None:
    (tmp_path / "describe.py").write_text(DESCRIBE)
    words = [*command, "an argument"]
    expected = describe(subprocess.Popen, words, tmp_path)
    assert describe(PreloadedProcess, words, tmp_path) == expected
    assert expected[0] == 7


def test_a_signal_ends_it() -> None:
    process = PreloadedProcess([sys.executable, "-c", "import time; time.sleep(100)"])
    assert "time.sleep" in command_line(process.pid)
    assert process.pid in running_descendants()
    process.send_signal(signal.SIGTERM)
    assert process.wait(60) == -signal.SIGTERM


def test_it_has_its_libraries_but_nothing_of_the_site() -> None:
    program = "import sys; print('celery.apps.worker' in sys.modules, 'cardroom' in sys.modules)"
    assert preloaded.run([sys.executable, "-c", program]).stdout == "True False\n"
    assert not preloaded.original_process() & running_descendants().keys()


@pytest.mark.parametrize("kind", ["copied", "started as usual"])
def test_it_runs_in_a_network(kind: str) -> None:
    environment = os.environ if kind == "copied" else os.environ | {"LD_PRELOAD": ""}
    program = "import os; print(os.stat('/proc/self/ns/net').st_ino)"
    with switch() as net:
        if net is None:
            pytest.skip("This process may not create networks.")
        network = net.plug_in("host")
        inode = network.stat().st_ino
        process = preloaded.run([sys.executable, "-c", program], network=network, env=environment)
    assert int(process.stdout) == inode != Path("/proc/self/ns/net").stat().st_ino


def test_it_dies_with_its_parent() -> None:
    program = f"""
import sys
sys.path[:0] = [{str(ROOT)!r}, {str(ROOT / "platform")!r}]
from cardroom.processes import die_with_parent
from tests.preloaded import PreloadedProcess
sleep = "import time; print(1, flush=True); time.sleep(100)"
PreloadedProcess([sys.executable, "-c", sleep], preexec_fn=die_with_parent).wait()
"""
    parent = subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, preexec_fn=die_with_parent
    )
    assert parent.stdout is not None
    assert parent.stdout.readline() == b"1\n"
    parent.kill()
    assert parent.stdout.read() == b""  # all processes that could write have ended
    parent.wait()
    parent.stdout.close()
