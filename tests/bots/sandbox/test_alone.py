"""Two real sandboxes at once: one tries to pass bits by what both share, the other to read them.

Each way is tried twice, with the filter and without: a test whose bits did not come through without
it would show nothing.
"""

from __future__ import annotations

import json
import os
import struct
from collections.abc import Iterator

import pytest

from bots.sandbox import BotProcess, Program, Sandbox, pick_cpu, seccomp
from bots.sandbox.seccomp import Runtime
from tests.benchmarks.channels import PIPES
from tests.bots.sandbox.conftest import START, ask

pytestmark = [
    pytest.mark.sandbox,
    pytest.mark.skipif(os.uname().machine != "x86_64", reason="the numbers are x86_64's"),
]

BITS = "1001101"
ALLOW_ALL = struct.pack("=HBBI", 0x06, 0, 0, 0x7FFF0000)
# The source of both bots. The question is "arm" or "look" for the reader, a bit for the sender.
BOT = """
import ctypes, fcntl, mmap, os, signal, struct, threading, time
import engine
PATH = engine.__file__
FOLDER = os.path.dirname(PATH)
{state}
def syscall(number, *arguments):
    result = ctypes.CDLL(None, use_errno=True).syscall(number, *arguments)
    if result == -1:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result

def page():
    \"\"\"The address of the shared file's first page in this process.\"\"\"
    with open(PATH, "rb") as file:
        libc = ctypes.CDLL(None)
        libc.mmap.restype = ctypes.c_void_p
        place = libc.mmap(None, 4096, mmap.PROT_READ, mmap.MAP_SHARED, file.fileno(), 0)
    return ctypes.c_void_p(place)

def send(bit):
{send}

def arm():
{arm}

def look():
{look}

def choose(view, legal):
    try:
        if legal[0] in ("arm", "look"):
            return str(globals()[legal[0]]())
        return str(send(legal[0] == "1"))
    except OSError as error:
        return repr(error)
"""
# name -> state, send, arm, look; `look` returns the bit as a truth value.
LOCK_FILE = "file = os.open(PATH, os.O_RDONLY)"
LOCK_WORD = "struct.pack('hhqqi4x', {kind}, 0, 0, 0, 0)"
LOCK_HELD = LOCK_WORD.format(kind="fcntl.F_RDLCK if bit else fcntl.F_UNLCK")
LOCK_REQUEST = LOCK_WORD.format(kind="fcntl.F_WRLCK")
LOCK_QUERY = "struct.unpack('h', fcntl.fcntl(file, {get}, {asked})[:2])[0] != fcntl.F_UNLCK"
WAIT_STATE = """
word = None
woken = []
def wait():
    try:
        value = ctypes.c_int.from_address(word.value).value
        limit = struct.pack("qq", 0, 300_000_000)
        woken.append(syscall(202, word, 0, value, limit, None, 0) == 0)
    except TimeoutError:
        woken.append(False)
    except OSError as error:
        woken.append(repr(error))
waiter = None
"""
WAIT_ARM = """
global word, waiter
word = word or page()
waiter = threading.Thread(target=wait)
waiter.start()
"""
WAIT_LOOK = "waiter.join(); return woken[-1]"
CHANNELS = {
    "flock": (
        LOCK_FILE,
        "fcntl.flock(file, fcntl.LOCK_SH if bit else fcntl.LOCK_UN)",
        "pass",
        """
try:
    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
except BlockingIOError:
    return True
fcntl.flock(file, fcntl.LOCK_UN)
return False
""",
    ),
    "posix-lock": (
        LOCK_FILE,
        f"fcntl.fcntl(file, fcntl.F_SETLK, {LOCK_HELD})",
        "pass",
        "return " + LOCK_QUERY.format(get="fcntl.F_GETLK", asked=LOCK_REQUEST),
    ),
    "open-file-lock": (
        LOCK_FILE,
        f"fcntl.fcntl(file, 37, {LOCK_HELD})",
        "pass",
        "return " + LOCK_QUERY.format(get=36, asked=LOCK_REQUEST),
    ),
    "lock-on-a-device": (
        "file = os.open('/dev/null', os.O_RDWR)",
        "fcntl.lockf(file, fcntl.LOCK_EX if bit else fcntl.LOCK_UN)",
        "pass",
        "return " + LOCK_QUERY.format(get="fcntl.F_GETLK", asked=LOCK_REQUEST),
    ),
    "futex": (
        WAIT_STATE,
        """
global word
word = word or page()
for _ in range(100):
    if bit and syscall(202, word, 1, 1, None, None, 0):
        break
    time.sleep(0.001)
""",
        WAIT_ARM,
        WAIT_LOOK,
    ),
    "end-of-a-thread": (
        WAIT_STATE,
        """
global word
word = word or page()
threading.stack_size(65536)
for _ in range(4 if bit else 0):
    threading.Thread(target=syscall, args=(218, word)).start()
    time.sleep(0.01)
""",
        WAIT_ARM,
        WAIT_LOOK,
    ),
    "directory-notification": (
        "seen = []\n"
        "signal.signal(signal.SIGIO, lambda *_: seen.append(1))\n"
        "folder = os.open(FOLDER, os.O_RDONLY)",
        "bit and open(PATH, 'rb').read(1)",
        "seen.clear(); fcntl.fcntl(folder, 1026, 1)",
        "return bool(seen)",
    ),
    "inotify": (
        "watch = None",
        "bit and open(PATH, 'rb').read(1)",
        """
global watch
if watch is None:
    watch = syscall(294, os.O_NONBLOCK)
    syscall(254, watch, PATH.encode(), 1)
""",
        """
try:
    return watch and bool(os.read(watch, 4096))
except BlockingIOError:
    return False
""",
    ),
    "numbers-of-pipes": (
        PIPES,
        "[pipe() for _ in range(400 if bit else 0)]",
        "global last; last = pipe()",
        "return 200 < (pipe() - last) % 1024 < 600",
    ),
}


def source(name: str) -> bytes:
    state, *bodies = CHANNELS[name]
    parts = zip(("send", "arm", "look"), bodies, strict=True)
    indented = {
        part: "\n".join("    " + line for line in body.strip().splitlines()) for part, body in parts
    }
    return BOT.format(state=state, **indented).encode()


@pytest.fixture(scope="module")
def one_core_sandbox() -> Iterator[Sandbox]:
    """A sandbox whose bots share one core, like the seats of a match."""
    with Sandbox(cpu=pick_cpu(0)) as factory:
        yield factory


def send(bot: BotProcess, message: str) -> str:
    bot.send(json.dumps({"type": "move", "view": {}, "legal": [message], "events": []}).encode())
    move = json.loads(bot.receive(10.0))["move"]
    assert isinstance(move, str)
    return move


def pass_bits(factory: Sandbox, name: str) -> list[str]:
    """Send each bit; return the reader's answers."""
    program = Program({"bot.py": source(name)})
    sender, reader = (factory.open(program, name=part) for part in ("sender", "reader"))
    for bot in (sender, reader):
        bot.send(START)
        assert bot.receive(10.0) == b'{"type":"ready"}'
    answers = []
    for bit in BITS:
        send(reader, "arm")
        send(sender, bit)
        answers.append(send(reader, "look"))
    sender.close()
    reader.close()
    return answers


@pytest.mark.parametrize("name", CHANNELS)
def test_no_bit_comes_through(name: str, one_core_sandbox: Sandbox) -> None:
    assert len(set(pass_bits(one_core_sandbox, name))) == 1


@pytest.mark.parametrize("name", CHANNELS)
def test_without_the_filter_all_bits_come_through(
    name: str, one_core_sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    def allow_all(runtime: Runtime, machine: str | None = None) -> bytes:
        return ALLOW_ALL

    monkeypatch.setattr(seccomp, "build", allow_all)
    assert pass_bits(one_core_sandbox, name) == [str(bit == "1") for bit in BITS]


def test_pending_signals_are_limited(one_core_sandbox: Sandbox) -> None:
    """The kernel counts them by user; seats of an ordinary user share one large limit."""
    source = b"""
import ctypes, signal
def choose(view, legal):
    signal.pthread_sigmask(signal.SIG_BLOCK, [40])
    sent = 0
    while sent < 1000 and ctypes.CDLL(None).syscall(234, 1, 1, 40) == 0:
        sent += 1
    return str(sent)
"""
    bot = one_core_sandbox.open(Program({"bot.py": source}), name="sender")
    assert 0 < int(ask(bot)) <= 128
