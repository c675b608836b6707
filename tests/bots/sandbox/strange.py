"""Strange ways for a bot to end: sources of `bot.py`, by name."""

from __future__ import annotations

import itertools
import textwrap
from collections.abc import Iterator

# Numbers of x86_64; elsewhere they mean other calls, which serve the purpose, too.
HELPERS = """
import ctypes, os, signal, sys, threading, time

libc = ctypes.CDLL(None, use_errno=True)

def exit_thread(status):
    libc.syscall(60, status)

def exit_group(status):
    libc.syscall(231, status)

def elsewhere(action, *arguments):
    thread = threading.Thread(target=action, args=arguments, daemon=True)
    thread.start()
    thread.join(0.05)

def last(status):
    # The first thread ends with this status, another one with the next.
    threading.Thread(target=lambda: (time.sleep(0.002), exit_thread(status + 1))).start()
    exit_thread(status)

def to_oneself(number):
    libc.syscall(234, os.getpid(), threading.get_native_id(), number)
    signal.raise_signal(number)

def interval(which, number):
    if number:
        signal.signal(number, signal.SIG_DFL)
    signal.setitimer(which, 0.001)
    spin(0.02)

def spin(seconds):
    until = time.process_time() + seconds
    while time.process_time() < until:
        pass

def timer(number):
    # struct sigevent: value, signal, how (SIGEV_SIGNAL)
    event = (ctypes.c_int * 16)(0, 0, number, 0)
    made = ctypes.c_int()
    libc.syscall(222, 1, event, ctypes.byref(made))
    libc.syscall(223, made, 0, (ctypes.c_long * 4)(0, 0, 0, 1_000_000), None)
    time.sleep(0.01)

def arrival(number):
    # A signal of one's choice for data that comes to a pipe.
    import fcntl
    reading, writing = os.pipe()
    for command, value in ((10, number), (8, os.getpid()), (4, 0o20000)):
        try:
            fcntl.fcntl(reading, command, value)
        except OSError:
            pass
    os.write(writing, b"x")
    time.sleep(0.005)

def lower(name, value, then):
    import resource
    try:
        resource.setrlimit(getattr(resource, name), (value, value))
        libc.prlimit(0, getattr(resource, name), (ctypes.c_ulong * 2)(value, value), None)
    except (OSError, ValueError):
        pass
    then()

def shut(*fds):
    for fd in fds:
        try:
            os.close(fd)
        except OSError:
            pass

def say(data):
    for fd in range(3, 9):
        try:
            os.write(fd, data)
        except OSError:
            pass

def grow():
    kept = []
    while True:
        kept.append(bytearray(1 << 20))
"""
PLACES = {
    "import": "{tools}\n{act}\ndef choose(view, legal): return 'a'\n",
    "start": "{tools}\nclass Bot:\n    def start(self, info):\n        {act}\n"
    "    def choose(self, view, legal): return 'a'\n",
    "choose": "{tools}\ndef choose(view, legal):\n    {act}\n    return 'a'\n",
}

SOME_STATUSES = (0, 1, 2, 86, 87, 88, 126, 127, 128, 129, 134, 137, 139, 143, 152, 192, 193, 255)
ALL_STATUSES = tuple(range(256))


def endings(statuses: tuple[int, ...], signals: tuple[int, ...]) -> Iterator[str]:
    """A line of Python for each ending."""
    for status in statuses:
        yield f"exit_group({status})"
        yield f"exit_thread({status})"
        yield f"elsewhere(exit_group, {status})"
        yield f"last({status})"
    for number in signals:
        yield f"to_oneself({number})"
        yield f"elsewhere(to_oneself, {number})"
        yield f"timer({number})"
        yield f"arrival({number})"
    yield from OTHER_ENDINGS
    for fds in itertools.permutations((0, 1, 2, 3, 4)):
        for next_step in ("pass", "time.sleep(9)", "os._exit(137)"):
            if fds[0] < fds[1] or next_step == "pass":
                yield f"shut{fds}; {next_step}"


OTHER_ENDINGS = (
    "signal.alarm(1); time.sleep(0.01)",
    "interval(signal.ITIMER_REAL, signal.SIGALRM)",
    "interval(signal.ITIMER_VIRTUAL, signal.SIGVTALRM)",
    "interval(signal.ITIMER_PROF, signal.SIGPROF)",
    "lower('RLIMIT_CPU', 0, lambda: spin(0.05))",
    "lower('RLIMIT_AS', 1 << 20, grow)",
    "lower('RLIMIT_DATA', 1 << 20, grow)",
    "lower('RLIMIT_STACK', 4096, lambda: exec('f = lambda: f()\\nf()'))",
    "lower('RLIMIT_NOFILE', 0, lambda: open('/dev/null'))",
    "lower('RLIMIT_FSIZE', 0, lambda: os.write(os.open('bot.py', os.O_WRONLY), b'x'))",
    "lower('RLIMIT_SIGPENDING', 0, lambda: to_oneself(34))",
    "say(b'{\"move\"')",
    "say(b'{\"move\"'); exit_group(137)",
    'say(b\'{"move":"a"}\\n\' * 3); exit_group(3)',
    "say(b'y' * 70_000)",
    "say(b'locked\\n'); exit_group(87)",
    "say(b'cardroom runner 2\\nlocked\\n'); exit_group(88)",
    "say(b'\\n' * 3000); exit_group(137)",
    "os.write(2, b'MemoryError\\n' * 9000); exit_group(86)",
    "os.abort()",
    "ctypes.string_at(0)",
    "ctypes.CFUNCTYPE(None)(ctypes.addressof(ctypes.c_char_p(b'\\x0f\\x0b')))()",
    "libc.syscall(15)",
    "libc.syscall(0x40000000 + 39)",
    "libc.syscall(231, 0x89)",
    "libc.syscall(60, -1)",
    "libc.prctl(1, 9)",
    "libc.prctl(22, 1)",
    "os.kill(os.getpid(), 9)",
    "os.kill(0, 9)",
    "os.kill(-1, 9)",
    "os.kill(os.getppid(), 9)",
    "sys.exit(137)",
    "raise KeyboardInterrupt",
    "raise MemoryError",
    "sys.setrecursionlimit(10**9); exec('f = lambda: f()\\nf()')",
    "grow()",
    'exec(\'while True: os.write(2, b"x" * 4096); say(b"y" * 70_000)\')',
    "time.sleep(9)",
    "elsewhere(time.sleep, 9); exit_thread(0)",
)


def sources(statuses: tuple[int, ...], signals: tuple[int, ...]) -> dict[str, bytes]:
    """`bot.py` for each ending, by place and ending; places alternate."""
    places = itertools.cycle(PLACES)
    return {
        f"{place}: {act}": textwrap.dedent(PLACES[place]).format(tools=HELPERS, act=act).encode()
        for act, place in zip(endings(statuses, signals), places, strict=False)
    }


COMMANDS: dict[str, tuple[str, ...]] = {
    "true": ("true",),
    "false": ("false",),
    "status 200": ("sh", "-c", "exit 200"),
    "status 137": ("sh", "-c", "echo '{}'; exit 137"),
    "kills itself": ("sh", "-c", "kill -9 $$; kill -15 $$; echo x"),
    "limits itself": ("sh", "-c", "ulimit -t 0; while :; do :; done"),
    "execs again": ("sh", "-c", "exec sh -c 'exec false'"),
    "no program": ("no-such-program",),
    "a folder": ("./",),
    "no binary": ("./cut",),
    "no interpreter": ("./lost",),
    "is silent": ("sleep", "9"),
    "reads nothing": ("sh", "-c", "exec <&-; sleep 9"),
    "shuts all": ("sh", "-c", "exec <&- >&- 2>&-; sleep 9"),
    "floods": ("yes",),
}
FILES = {"cut": b"\x7fELF\x02\x01\x01" + bytes(40), "lost": b"#!/no/such/interpreter\n"}
