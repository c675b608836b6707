"""The filter on the real kernel: a real sandbox refuses the calls that the tables refuse."""

from __future__ import annotations

import errno
import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from bots.sandbox import Program, Sandbox, SeatClosed, syscalls
from tests.bots.sandbox.conftest import Opener, ask
from tests.bots.sandbox.test_attacks import attacker
from tests.bots.sandbox.test_seccomp import ALLOW, KILL, NOTHING, TABLES, numbers, rules

pytestmark = [
    pytest.mark.sandbox,
    pytest.mark.skipif(os.uname().machine != "x86_64", reason="the numbers are x86_64's"),
]

# Makes calls with arguments and returns each one's errno, 0 for success.
CALLER = """
import ctypes, json

def choose(view, legal):
    function = ctypes.CDLL(None, use_errno=True).syscall
    function.restype = ctypes.c_long
    found = []
    for number, *arguments in json.load(open("/tmp/bot/calls.json")):
        result = function(*map(ctypes.c_ulong, (number, *arguments)))
        found.append(ctypes.get_errno() if result == -1 else result)
    return json.dumps(found)
"""


def errors_of(seat: Opener, calls: list[tuple[int, ...]]) -> list[int]:
    errors: list[int] = json.loads(ask(seat(CALLER, **{"calls.json": json.dumps(calls).encode()})))
    return errors


def error_number(verdict: str) -> int:
    """The errno of a verdict."""
    return 0 if verdict == NOTHING else int(getattr(errno, verdict))


def test_refused_calls(seat: Opener) -> None:
    expected: dict[int, int] = {}
    checked_numbers = set(numbers(syscalls.CHECKED, "x86_64").values())
    for table, (verdict, _) in TABLES.items():
        table_numbers = numbers(table, "x86_64").values()
        checked_numbers.update(table_numbers)
        if verdict != ALLOW:
            expected |= dict.fromkeys(table_numbers, error_number(verdict))
    # The kernel exempts its uprobes from filters, and ends other callers by SIGILL.
    checked_numbers |= {335, 336}
    expected |= {number: errno.ENOSYS for number in range(600) if number not in checked_numbers}
    errors = errors_of(seat, [(number, 0, 0, 0, 0, 0, 0) for number in expected])
    assert dict(zip(expected, errors, strict=True)) == expected


def test_calls_that_reveal_mount_numbers_are_refused(seat: Opener) -> None:
    """The numbers are written here, so that no change of the tables allows the calls."""
    calls = {"statx": 332, "name_to_handle_at": 303, "statmount": 457, "listmount": 458}
    errors = errors_of(seat, [(number, 0, 0, 0, 0, 0, 0) for number in calls.values()])
    assert set(errors) <= {errno.ENOSYS, errno.EPERM}, dict(zip(calls, errors, strict=True))


def test_refused_arguments(seat: Opener) -> None:
    checked = numbers(syscalls.CHECKED, "x86_64")
    cases = [case for case in rules("x86_64", "python") if case[2] not in (ALLOW, KILL)]
    assert len(cases) > 80
    calls = [
        (checked[name], *(argument % 2**64 for argument in arguments))
        for name, arguments, _ in cases
    ]
    errors = errors_of(seat, calls)
    expected = [error_number(verdict) for *_, verdict in cases]
    differences = [
        case for case, wanted, error in zip(cases, expected, errors, strict=True) if wanted != error
    ]
    assert differences == []


@pytest.mark.parametrize("status", [128, 137, 143, 193, 255, -1])
@pytest.mark.parametrize("call", ["exit", "exit_group"])
def test_an_exit_status_is_never_taken_for_a_signal(call: str, status: int, seat: Opener) -> None:
    bot = seat(attacker(f"syscall({numbers(syscalls.CHECKED, 'x86_64')[call]}, {status})"))
    with pytest.raises(SeatClosed):
        ask(bot)
    ending = bot.close()
    assert (ending.code, ending.signal) == (None, 31)


@pytest.mark.parametrize("status", [0, 3, 127, 256])
def test_other_statuses_are_reported(status: int, seat: Opener) -> None:
    bot = seat(attacker(f"os._exit({status})"))
    with pytest.raises(SeatClosed):
        ask(bot)
    assert (bot.close().code, bot.close().signal) == (status % 256, None)


# Signals that a bot sends itself; they do not kill the first process of a namespace.
SELF_KILL = {
    "raise": "import signal; signal.raise_signal(9)",
    "raise-stop": "import signal; signal.raise_signal(19)",
    "tkill": "syscall(200, 1, 9)",
    "tgkill": "syscall(234, 1, 1, 9)",
    "tgkill-thread": (
        "import threading as t\n"
        "one = t.Thread(target=lambda: syscall(234, 1, t.get_native_id(), 9))\n"
        "one.start()\n"
        "one.join()"
    ),
    "timers": (
        "import signal, time\n"
        "for kind in (0, 1, 2):\n"
        "    signal.setitimer(kind, 0.001)\n"
        "until = time.process_time() + 0.03\n"
        "while time.process_time() < until:\n"
        "    pass"
    ),
    "less-processor-time": (
        "import resource\n"
        "try:\n"
        "    resource.setrlimit(resource.RLIMIT_CPU, (1, 1))\n"
        "except (OSError, ValueError):\n"
        "    return 'alive'\n"
        "return 'limited'"
    ),
}


@pytest.mark.parametrize("name", SELF_KILL)
def test_a_bot_cannot_fake_a_kill_from_outside(name: str, seat: Opener) -> None:
    bot = seat(attacker(SELF_KILL[name] + "\nreturn 'alive'"))
    assert ask(bot) == "done 'alive'"


def test_pages_made_read_only_stay_counted(small_seat: Opener) -> None:
    """RLIMIT_DATA does not count read-only pages, so Python bots cannot make pages read-only."""
    bot = small_seat(
        attacker(
            "import ctypes, mmap\n"
            "kept = []\n"
            "try:\n"
            "    for _ in range(200):\n"
            "        one = mmap.mmap(-1, 1 << 20, flags=mmap.MAP_PRIVATE | 0x20)\n"
            "        one.write(b'x' * (1 << 20))\n"
            "        address = ctypes.addressof(ctypes.c_char.from_buffer(one))\n"
            "        libc().mprotect(ctypes.c_void_p(address), 1 << 20, mmap.PROT_READ)\n"
            "        kept.append(one)\n"
            "except (OSError, MemoryError):\n"
            "    pass\n"
            "return len(kept)"
        )
    )
    assert 30 < int(ask(bot).split()[1]) <= 96


THREADS = r"""
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
static char line[70000];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;
static void *work(void *unused) {
    usleep(2000);
    pthread_mutex_lock(&lock);
    count++;
    pthread_mutex_unlock(&lock);
    return unused;
}
int main(void) {
    while (fgets(line, sizeof line, stdin)) {
        pthread_t threads[8];
        if (strstr(line, "start")) {
            puts("{\"type\":\"ready\"}");
        } else {
            for (int i = 0; i < 8; i++) pthread_create(threads + i, 0, work, 0);
            for (int i = 0; i < 8; i++) pthread_join(threads[i], 0);
            printf("{\"move\":\"%d joined\"}\n", count);
        }
        fflush(stdout);
    }
    return 0;
}
"""
NODE = b"""
const { Worker, isMainThread, parentPort } = require("worker_threads");
if (!isMainThread) parentPort.postMessage(8);
else require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
  if (JSON.parse(line).type === "start") return console.log('{"type":"ready"}');
  require("zlib").gzip(Buffer.alloc(1000), () => {
    new Worker(__filename).on("message", (n) => console.log(`{"move":"${n} joined"}`));
  });
});
"""


@pytest.mark.parametrize("flags", [[], ["-static"]])
def test_threads_of_c(flags: list[str], sandbox: Sandbox, tmp_path: Path) -> None:
    if not shutil.which("cc"):
        pytest.skip("no C compiler")
    (tmp_path / "bot.c").write_text(THREADS)
    subprocess.run(["cc", "-pthread", *flags, "-o", "bot", "bot.c"], cwd=tmp_path, check=True)
    content = (tmp_path / "bot").read_bytes()
    bot = sandbox.open(Program({"bot": content}, ("./bot",)), name="c")
    assert ask(bot) == "8 joined"


def test_threads_of_node(sandbox: Sandbox) -> None:
    if not shutil.which("node", path="/usr/bin:/usr/local/bin"):
        pytest.skip("node is not installed")
    bot = sandbox.open(Program({"bot.js": NODE}, ("node", "bot.js")), name="node")
    assert ask(bot, timeout_s=30.0) == "8 joined"


def test_threads_and_callbacks_of_python(seat: Opener) -> None:
    bot = seat(
        attacker(
            "import concurrent.futures as f, ctypes, decimal, hashlib, sqlite3\n"
            "with f.ThreadPoolExecutor(8) as pool:\n"
            "    total = sum(pool.map(abs, range(-50, 50)))\n"
            "kind = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)\n"
            "seen = []\n"
            "libc().qsort((ctypes.c_int * 2)(2, 1), 2, 4, kind(lambda a, b: seen.append(1) or 0))\n"
            "return total, len(seen), sqlite3.connect(':memory:').execute('select 1').fetchall()"
        )
    )
    assert ask(bot) == "done (2500, 1, [(1,)])"
