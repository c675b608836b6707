"""A seat's usage and endings, and bots in other languages."""

from __future__ import annotations

import hashlib
import os
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

import pytest

import bots
from bots.referee.outcome import SeatedBot
from bots.referee.referee import play_match
from bots.sandbox import BotProcess, Limits, Program, Sandbox, SeatClosed, SeatTimeout, pick_cpu
from bots.sandbox.child import readable
from engine import Format
from tests.bots.sandbox.conftest import MOVE, START, Opener, ask

pytestmark = pytest.mark.sandbox

SPIN = """
import time
def choose(view, legal):
    until = time.process_time() + 0.1
    while time.process_time() < until:
        pass
    return "a"
"""


def test_processor_time_is_counted_while_it_runs_and_in_the_end(seat: Opener) -> None:
    bot = seat(SPIN)
    ask(bot)
    during = bot.usage()
    assert during.cpu_ms >= 100
    assert during.peak_memory_kib > 5000
    bot.close()
    assert bot.usage().cpu_ms >= during.cpu_ms
    assert bot.usage().peak_memory_kib >= during.peak_memory_kib


def test_waiting_for_a_busy_core_is_not_work() -> None:
    cpu = pick_cpu(0)
    if cpu is None:
        pytest.skip("no pinning on this system")
    with Sandbox(cpu=cpu) as sandbox:
        rivals = [sandbox.open(Program({"bot.py": SPIN.encode()}), name=n) for n in "ab"]
        for bot in rivals:
            bot.send(START)
            bot.receive(10.0)
        delays = [bot.run_delay_ns() for bot in rivals]
        for bot in rivals:
            bot.send(MOVE)
        for bot in rivals:
            bot.receive(10.0)
        waits = [bot.run_delay_ns() - was for bot, was in zip(rivals, delays, strict=True)]
    assert sum(waits) > 0


def test_a_bot_begins_with_its_first_line(seat: Opener) -> None:
    """Before, nobody watches its memory."""
    bot = seat("def choose(view, legal): return legal[0]")
    assert not readable(bot._process.stdout, 100)
    assert ask(bot) == "a"


def test_no_delay_after_the_end(seat: Opener) -> None:
    bot = seat(SPIN)
    bot.close()
    assert bot.run_delay_ns() == 0


def test_a_late_answer_still_comes_after_a_timeout(seat: Opener) -> None:
    bot = seat("import time\ndef choose(view, legal):\n    time.sleep(0.2)\n    return 'a'")
    bot.send(START)
    bot.receive(10.0)
    bot.send(MOVE)
    with pytest.raises(SeatTimeout):
        bot.receive(0.01)
    assert bot.receive(10.0) == b'{"move":"a"}'
    assert bot.close().reason == "exited"


def test_the_log_can_be_read_during_the_match(seat: Opener) -> None:
    bot = seat("def choose(view, legal):\n    print('thinking')\n    return 'a'")
    ask(bot)
    assert bot.stderr() == b"thinking\n"


def test_import_error_is_in_the_log(seat: Opener) -> None:
    bot = seat("import numpy_of_my_own")
    with pytest.raises(SeatClosed):
        ask(bot)
    ending = bot.close()
    assert (ending.reason, ending.code) == ("exited", 1)
    assert "exited with status 1" in ending.text
    assert b"ModuleNotFoundError: No module named 'numpy_of_my_own'" in bot.stderr()
    assert b'"/tmp/bot/bot.py", line 1' in bot.stderr()
    assert b"runner" not in bot.stderr()


def test_engine_can_be_imported(seat: Opener) -> None:
    assert ask(seat("import engine\ndef choose(v, l): return engine.__file__")).startswith(
        "/cardroom/engine/"
    )


SCRIPT = b"""#!/usr/bin/env python3
import json, os, sys
for line in sys.stdin:
    if json.loads(line)["type"] == "start":
        print('{"type":"ready"}', flush=True)
        continue
    try:
        os.fork()
        print('{"move":"forked"}', flush=True)
    except PermissionError:
        print('{"move":"alone"}', flush=True)
"""


def test_programs_of_other_kinds_run_as_they_are(sandbox: Sandbox) -> None:
    program = Program({"play/bot": SCRIPT}, ("./play/bot",))
    bot = sandbox.open(program, name="script")
    assert ask(bot) == "alone"
    assert bot.close().reason == "exited"


def test_node(sandbox: Sandbox) -> None:
    if not shutil.which("node", path="/usr/bin:/usr/local/bin"):
        pytest.skip("node is not installed")
    source = b"""
    const lines = require("readline").createInterface({ input: process.stdin });
    lines.on("line", (line) => {
      const { type, legal } = JSON.parse(line);
      console.log(JSON.stringify(type === "start" ? { type: "ready" } : { move: legal[1] }));
    });
    """
    bot = sandbox.open(Program({"bot.js": source}, ("node", "bot.js")), name="node")
    assert ask(bot, timeout_s=30.0) == "b"


def test_compiled(sandbox: Sandbox, tmp_path: Path) -> None:
    if not shutil.which("cc"):
        pytest.skip("no C compiler")
    (tmp_path / "bot.c").write_text("""
        #include <stdio.h>
        #include <string.h>
        static char line[70000];
        int main(void) {
            while (fgets(line, sizeof line, stdin)) {
                int start = strstr(line, "start") != 0;
                puts(start ? "{\\"type\\":\\"ready\\"}" : "{\\"move\\":\\"a\\"}");
                fflush(stdout);
            }
            return 3;
        }
    """)
    subprocess.run(["cc", "bot.c", "-o", "bot"], cwd=tmp_path, check=True)
    binary = (tmp_path / "bot").read_bytes()
    bot = sandbox.open(Program({"bot": binary}, ("./bot",)), name="c")
    assert ask(bot) == "a"
    assert bot.close().code == 3


def test_a_missing_program(sandbox: Sandbox) -> None:
    bot = sandbox.open(Program({}, ("no-such-program",)), name="nobody")
    with pytest.raises(SeatClosed):
        ask(bot)
    assert bot.close().code == 127
    assert b"cannot start 'no-such-program': No such file" in bot.stderr()


def test_floods_of_a_program_on_stdout(sandbox: Sandbox) -> None:
    script = b"#!/usr/bin/env python3\nimport os\nwhile True: os.write(1, b'garbage\\n' * 1000)"
    bot = sandbox.open(Program({"bot": script}, ("./bot",)), name="flood")
    with pytest.raises(SeatClosed):  # noqa: PT012 - which line is the last one does not matter
        while True:
            assert bot.receive(10.0) == b"garbage"
    assert bot.close().reason == "output"


def test_large_packages_arrive_whole(sandbox: Sandbox) -> None:
    data = bytes(range(256)) * 4096 * 4  # 4 MiB, far more than a pipe holds
    source = (
        b"import hashlib\n"
        b"def choose(view, legal):\n"
        b"    return hashlib.sha256(open('data.bin', 'rb').read()).hexdigest()"
    )
    bot = sandbox.open(Program({"bot.py": source, "data.bin": data}), name="large")
    assert ask(bot) == hashlib.sha256(data).hexdigest()


def test_hashes_and_random_numbers_repeat(sandbox: Sandbox) -> None:
    source = b"import random\ndef choose(v, l): return f'{hash(\"x\")} {random.random()}'"
    moves = {ask(sandbox.open(Program({"bot.py": source}), name="bot")) for _ in range(3)}
    assert len(moves) == 1


def test_endings_are_explained() -> None:
    with Sandbox(Limits(memory_mib=64)) as sandbox:
        bot = sandbox.open(Program({"bot.py": b"kept = bytearray(1 << 28)"}), name="bot")
        with pytest.raises(SeatClosed):
            ask(bot)
        assert bot.close().text == (
            "The bot exited with status 1; its log ends with a MemoryError. It may use 64 MiB."
        )


def test_a_kill_without_a_known_cause_is_the_bots_fault(seat: Opener) -> None:
    bot = seat("def choose(view, legal): return 'a'")
    ask(bot)
    os.kill(bot._process.pid, signal.SIGKILL)
    with pytest.raises(SeatClosed):
        bot.receive(10.0)
    ending = bot.close()
    assert (ending.reason, ending.signal) == ("crashed", signal.SIGKILL)
    assert "Nothing shows that this machine" in ending.text


@pytest.mark.parametrize("path", ["/etc/x", "../x", "a/../../x", "a//b", "./x", "", "a\0b"])
def test_files_outside_the_folder_are_refused(path: str) -> None:
    with pytest.raises(ValueError, match="not a path inside"):
        Program({path: b""})


ORDINARY = """
import os, sys
from bots.sandbox import Program, Sandbox, SeatClosed, detect
assert os.geteuid() != 0
print(detect().level)
source = b'''
import os
def choose(view, legal):
    found = []
    for attack in (lambda: os.fork(), lambda: os.listdir("/proc"), lambda: open("/tmp/x", "w"),
                   lambda: __import__("socket").socket(), lambda: os.setuid(0)):
        try:
            found.append(attack())
        except OSError as error:
            found.append("denied")
    return str(found)
'''
with Sandbox(warm=1) as sandbox:
    seat = sandbox.open(Program({"bot.py": source}), name="bot")
    seat.send(b'{"type":"start"}')
    seat.receive(10)
    seat.send(b'{"type":"move","view":{},"legal":[],"events":[]}')
    print(seat.receive(10).decode())
    print(seat.close().reason)
"""


def test_as_an_ordinary_user() -> None:
    """The isolation without root, with a copy of the sources that the user may read."""
    python, switch = Path("/usr/bin/python3"), shutil.which("setpriv")
    if os.geteuid() != 0 or not switch or not python.exists():
        pytest.skip("needs root to become somebody else, setpriv and /usr/bin/python3")
    version_check = [str(python), "-c", "import sys; sys.exit(sys.version_info < (3, 11))"]
    if subprocess.run(version_check, check=False).returncode:
        pytest.skip("/usr/bin/python3 is older than Python 3.11")
    project = Path(bots.__path__[0]).parent
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        for name in ("bots", "engine"):
            shutil.copytree(project / name, folder / name, ignore=shutil.ignore_patterns("*.so"))
        for path in (folder, *folder.rglob("*")):
            os.chown(path, 65534, 65534)
        process = subprocess.run(
            [switch, "--reuid=65534", "--regid=65534", "--clear-groups", python, "-c", ORDINARY],
            env={"PATH": "/usr/bin:/bin", "HOME": place, "PYTHONDONTWRITEBYTECODE": "1"},
            cwd=place,
            capture_output=True,
            text=True,
            check=False,
        )
    denied = '{"move":"' + str(["denied"] * 5) + '"}'
    assert process.stdout.splitlines() == ["full", denied, "exited"], process.stderr


def state(bot: BotProcess) -> str:
    return Path(f"/proc/{bot._process.pid}/stat").read_text().rpartition(")")[2].split()[0]


@pytest.mark.parametrize("trusted", [False, True])
def test_a_paused_bot_computes_nothing_and_answers_once_resumed(trusted: bool) -> None:
    source = b"""
import threading
def think():
    while True: pass
threading.Thread(target=think, daemon=True).start()
def choose(view, legal): return legal[0]
"""
    with Sandbox(trusted=trusted) as sandbox:
        bot = sandbox.open(Program({"bot.py": source}), name="thinker")
        assert ask(bot) == "a"
        bot.pause()
        bot.pause()
        bot.send(MOVE)
        with pytest.raises(SeatTimeout):
            bot.receive(0.05)
        assert state(bot) == "T"
        cpu_ns = bot.cpu_ns()
        with pytest.raises(SeatTimeout):
            bot.receive(0.05)
        assert bot.cpu_ns() == cpu_ns > 0
        bot.resume()
        assert bot.receive(10.0) == b'{"move":"a"}'
        bot.pause()
        assert bot.close(grace_s=60.0).reason == "exited"
        assert bot.cpu_ns() == 0


def test_a_paused_bot_receives_the_end(seat: Opener) -> None:
    bot = seat("""
        class Bot:
            def choose(self, view, legal): return legal[0]
            def end(self, result): print("heard", result)
    """)
    ask(bot)
    bot.pause()
    bot.send(b'{"type":"end","result":"won"}')
    assert bot.close(grace_s=60.0).reason == "exited"
    assert bot.stderr() == b"heard won\n"


def test_a_bot_that_computes_out_of_turn_is_paused() -> None:
    """A bot that only answers is not paused."""
    thinker = b"""
import threading, time
free = threading.Event()
def think():
    while True:
        free.wait()
threading.Thread(target=think, daemon=True).start()
def choose(view, legal):
    free.clear()
    threading.Timer(0.001, free.set).start()
    return legal[0]
"""
    slow = b"import time\ndef choose(view, legal):\n    time.sleep(0.03)\n    return legal[0]\n"
    fmt = Format.parse("cassino/standard/1v1?deals=1")
    sources = {"thinker": thinker, "slow": slow}
    players = [SeatedBot(name, Program({"bot.py": source})) for name, source in sources.items()]
    paused: list[str] = []

    class RecordingSandbox(Sandbox):
        def open(self, program: Program, *, name: str) -> BotProcess:
            live = super().open(program, name=name)
            original = live.pause

            def pause() -> None:
                paused.append(name)
                original()

            live.pause = pause  # type: ignore[method-assign]  # a spy
            return live

    with RecordingSandbox() as sandbox:
        outcome = play_match(fmt, "s", players, sandbox=sandbox)
    assert outcome.faults == []
    assert [seat.moves for seat in outcome.seats] == [24, 24]
    assert set(paused) == {"seat0"}


def test_a_trusted_bot_may_be_reaped_elsewhere() -> None:
    with Sandbox(trusted=True) as sandbox:
        bot = sandbox.open(Program({"bot.py": SPIN.encode()}), name="bot")
        pid = bot._process.popen.pid
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        bot.close()  # and still frees everything
    assert bot._process.popen.returncode == -signal.SIGKILL


def test_a_crashed_bot_reports_its_last_known_memory(seat: Opener) -> None:
    bot = seat("import os\ndef choose(view, legal): os.abort()")
    bot.send(b'{"type":"start","rng":"x"}')
    assert bot.receive(10.0) == b'{"type":"ready"}'
    assert bot.enforce_memory_limit()
    with pytest.raises(SeatClosed):
        ask(bot)
    assert bot.close().reason == "crashed"
    assert bot.usage().peak_memory_kib > 5000


def test_computing_is_distinguished_from_waiting_for_input(seat: Opener) -> None:
    bot = seat(
        "class Bot:\n"
        "    def choose(self, view, legal): return legal[0]\n"
        "    def deal(self, sheet):\n"
        "        while True: pass\n"
    )
    ask(bot)
    wait_for_state(bot, runs=False)
    bot.send(b'{"type":"deal","sheet":{}}')
    wait_for_state(bot, runs=True)
    bot.close(grace_s=0)
    assert not bot.runs()


def test_a_bot_stopped_by_the_machine_is_recognized(seat: Opener) -> None:
    bot = seat("def choose(view, legal):\n    return legal[0]\n")
    ask(bot)
    assert not bot.suspended()
    bot.pause()
    assert not bot.suspended(), "the test stopped it"
    bot.resume()
    pid = bot._process.pid
    os.kill(pid, signal.SIGSTOP)
    while not bot.suspended():
        time.sleep(0.001)
    os.kill(pid, signal.SIGCONT)
    while bot.suspended():
        time.sleep(0.001)
    bot.close()
    assert not bot.suspended()


def wait_for_state(bot: BotProcess, *, runs: bool) -> None:
    """Wait until the bot computes or does not compute."""
    while bot.runs() is not runs:
        time.sleep(0.001)
