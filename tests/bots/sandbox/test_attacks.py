"""What a hostile bot may try; each attack is denied, limited or ended, and leaves nothing."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

import bots
from bots.sandbox import LineTooLong, Program, Sandbox, SeatClosed, SeatTimeout
from tests.bots.sandbox.conftest import MOVE, START, Opener, alive, ask

pytestmark = pytest.mark.sandbox

# How Python reports a refusal; anything else would be a mistake in the attack.
REFUSALS = {
    "AssertionError",
    "FileNotFoundError",
    "ModuleNotFoundError",
    "OSError",
    "PermissionError",
    "ValueError",
    "gaierror",
}
MARK = "cardroom-attack"
PROJECT = Path(bots.__path__[0]).parent

# A bot whose move tells how the attack in {} went: "done ..." or "denied ...".
ATTACKER = """
import os, sys

def libc():
    import ctypes
    return ctypes.CDLL(None, use_errno=True)

def syscall(number, *arguments):
    import ctypes
    library = libc()
    result = library.syscall(number, *arguments)
    if result == -1:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))
    return result

def attack():
{body}

def choose(view, legal):
    try:
        return "done %.200r" % (attack(),)
    except BaseException as error:
        return "denied %s %s" % (type(error).__name__, error)
"""


def attacker(body: str) -> str:
    """The source of a bot that runs `body`."""
    lines = body.strip("\n").splitlines()
    return ATTACKER.format(body="\n".join("    " + line for line in lines))


# x86_64 numbers; on another machine they name other calls, so these run there only.
NUMBERS = {
    "unshare": "syscall(272, 0x10000000)",
    "setns": "syscall(308, 0, 0)",
    "clone-process": "syscall(56, 17, 0, 0, 0, 0)",
    "clone-user-namespace": "syscall(56, 0x10000011, 0, 0, 0, 0)",
    "clone3": "syscall(435, ctypes_struct(), 88)",
    "io_uring": "syscall(425, 8, bytes(120))",
    "keyctl": "syscall(250, 0, -3, 0)",
    "add_key": "syscall(248, b'user', b'x', b'y', 1, -3)",
    "bpf": "syscall(321, 0, bytes(64), 64)",
    "userfaultfd": "syscall(323, 0)",
    "perf_event_open": "syscall(298, bytes(128), 0, -1, -1, 0)",
    "process_vm_readv": "syscall(310, 1, None, 0, None, 0, 0)",
    "memfd_create": "syscall(319, b'x', 0)",
    "shmget": "syscall(29, 0, 1 << 20, 0o1600)",
    "execveat": "syscall(322, -100, b'/usr/bin/true', None, None, 0)",
    "pidfd_open": "syscall(434, 1, 0)",
    "open_by_handle_at": "syscall(304, 3, bytes(16), 0)",
    "mount": "syscall(165, b'none', b'/tmp', b'tmpfs', 0, None)",
    "pivot_root": "syscall(155, b'/tmp', b'/tmp')",
    "chroot": "syscall(161, b'/tmp')",
    "move_mount": "syscall(429, -100, b'/usr', -100, b'/tmp', 0)",
    "ptrace": "syscall(101, 0, 0, 0, 0)",
    "x32-getpid": "syscall(0x40000000 + 39)",
    "unknown-call": "syscall(9999)",
    "personality": "syscall(135, 0x0040000)",
}

DENIED = {
    # other people's data
    "read-passwd": "open('/etc/passwd').read()",
    "read-shadow": "open('/etc/shadow').read()",
    "read-project": f"open({str(PROJECT / 'bots' / '__init__.py')!r}).read()",
    "list-home": "os.listdir('/root') + os.listdir('/home')",
    "list-proc": "os.listdir('/proc')",
    "read-parent-environment": "open('/proc/1/environ').read()",
    "import-project": "__import__('bots')",
    "import-installed": "__import__('django')",
    # network
    "connect": "import socket; return socket.create_connection(('1.1.1.1', 53), 2)",
    "loopback": "import socket; return socket.create_connection(('127.0.0.1', 80), 2)",
    "listen": "import socket; return socket.create_server(('127.0.0.1', 0))",
    "udp": "import socket; return socket.socket(socket.AF_INET, socket.SOCK_DGRAM)",
    "dns": "import socket; return socket.getaddrinfo('example.org', 80)",
    "unix-socket": "import socket; return socket.socket(socket.AF_UNIX)",
    "abstract-socket": "import socket; socket.socket(socket.AF_UNIX).bind('\\0x')",
    "netlink": "import socket; return socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)",
    "socketpair": "import socket; return socket.socketpair()",
    # processes
    "exec": "os.execv('/usr/bin/true', ['true'])",
    "fork": "os.fork()",
    "system": "assert os.system('true') == 0",
    "subprocess": "import subprocess; return subprocess.run(['/usr/bin/true'])",
    "posix_spawn": "os.posix_spawn('/usr/bin/true', ['true'], {})",
    "multiprocessing": "import multiprocessing as m; m.Process(target=print).start()",
    "kill-all": "os.kill(-1, 9)",
    "kill-init": "os.kill(1, 9)",
    "daemon": "os.setsid()",
    # rights
    "become-root": "os.setuid(0)",
    "change-groups": "os.setgroups([0])",
    "raise-memory": "import resource as r; r.setrlimit(r.RLIMIT_DATA, (1 << 40, 1 << 40))",
    "raise-threads": "import resource as r; r.setrlimit(r.RLIMIT_NPROC, (999, 999))",
    "raise-priority": "os.setpriority(os.PRIO_PROCESS, 0, -5)",
    "lower-others": "os.nice(5)",
    "leave-core": "os.sched_setaffinity(0, {0})",
    "real-time": "os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))",
    "outlive-parent": "assert libc().prctl(1, 0) == 0",
    "undo-filter": "assert libc().prctl(22, 0, 0) == 0",
    "be-dumpable": "assert libc().prctl(4, 1) == 0",
    "type-into-terminal": "import fcntl; fcntl.ioctl(0, 0x5412, b'x')",
    "steal-terminal": "import fcntl; fcntl.ioctl(2, 0x540E, 0)",
    # files
    "write-usr": f"open('/usr/{MARK}', 'w')",
    "write-root": f"open('/{MARK}', 'w')",
    "write-dev": f"open('/dev/{MARK}', 'w')",
    "write-shm": f"open('/dev/shm/{MARK}', 'w')",
    "write-tmp": f"open('/tmp/{MARK}', 'w')",
    "write-beside-bot": f"open('/tmp/bot/{MARK}', 'w')",
    "unnamed-file": "os.open('/tmp', os.O_TMPFILE | os.O_RDWR)",
    "change-engine": "open(__import__('engine').__file__, 'a')",
    "remove-engine": "os.unlink(__import__('engine').__file__)",
    "rename": "os.rename('/tmp/bot/bot.py', '/tmp/bot/other.py')",
    "symlink": f"os.symlink('/etc/passwd', '/tmp/bot/{MARK}')",
    "hard-link": f"os.link('/usr/bin/env', '/tmp/bot/{MARK}')",
    "make-folder": f"os.mkdir('/tmp/{MARK}')",
    "make-device": f"os.mknod('/tmp/{MARK}', 0o20666, 0x103)",
    "make-fifo": f"os.mkfifo('/tmp/{MARK}')",
    "set-uid-bit": "os.chmod('/tmp/bot/bot.py', 0o4755)",
    "read-disk": "open('/dev/vda', 'rb').read(1)",
    "read-kernel-memory": "open('/dev/mem', 'rb').read(1)",
    "open-terminal": "open('/dev/tty')",
    "new-terminal": "os.openpty()",
    # memory that common limits do not count
    "shared-memory": "import mmap; return mmap.mmap(-1, 1 << 20)",
    "growing-mapping": "import mmap; return mmap.mmap(-1, 1 << 30, flags=0x122)",
    "huge-pages": "import mmap; return mmap.mmap(-1, 1 << 21, flags=0x40022)",
    "posix-shared-memory": "import _posixshmem as p; p.shm_open('/x', os.O_CREAT | os.O_RDWR, 0)",
}


@pytest.mark.parametrize("name", DENIED)
def test_is_denied(name: str, seat: Opener) -> None:
    *before, last = DENIED[name].split("; ")
    body = [*before, last if last.startswith("return ") or "=" in last else f"return {last}"]
    if last.startswith("assert"):
        body = [*before, last]
    bot = seat(attacker("\n".join(body)))

    answer = ask(bot)
    assert answer.startswith("denied ")
    assert answer.split()[1] in REFUSALS, answer
    # The bot itself lives on: an attack that fails is no reason to lose the game.
    bot.send(MOVE)
    assert bot.receive(5.0)
    assert not any(Path(place, MARK).exists() for place in ("/", "/tmp", "/dev/shm", "/usr"))


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="the call numbers are x86_64's")
@pytest.mark.parametrize("name", NUMBERS)
def test_raw_call_is_denied_or_ends_the_bot(name: str, seat: Opener) -> None:
    call = NUMBERS[name].replace("ctypes_struct()", "(17).to_bytes(88, 'little')")
    bot = seat(attacker(f"return {call}"))
    try:
        answer = ask(bot)
    except SeatClosed:
        assert bot.close().signal == 31  # SIGSYS: a call of another architecture's table
        assert name.startswith("x32")
        return
    assert answer.startswith(("denied PermissionError", "denied OSError [Errno 38]"))


def test_environment_tells_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CARDROOM_SECRET", "s3cret")
    source = attacker("return sorted(os.environ.items())").encode()
    with Sandbox() as fresh:
        answer = ask(fresh.open(Program({"bot.py": source}), name="nosy"))
    assert "HOME" in answer
    assert "s3cret" not in answer
    assert str(Path.home()) not in answer


def test_sees_neither_other_seats_nor_their_files(seat: Opener) -> None:
    one = seat("def choose(view, legal): return legal[0]", **{"secret.txt": b"plan"})
    ask(one)
    other = seat(attacker("return os.listdir('/tmp'), os.listdir('/tmp/bot'), os.getpid()"))
    assert ask(other) == "done (['bot'], ['bot.py'], 1)"


def test_has_no_rights_and_its_own_user(seat: Opener) -> None:
    bot = seat("def choose(view, legal): return 'x'")
    ask(bot)
    status = Path(f"/proc/{bot._process.pid}/status").read_text()
    fields = dict(line.split(":\t", 1) for line in status.splitlines() if ":\t" in line)
    assert int(fields["CapEff"], 16) == int(fields["CapPrm"], 16) == 0
    assert int(fields["CapBnd"], 16) == 0
    assert fields["NoNewPrivs"] == "1"
    assert fields["Seccomp"] == "2"
    if os.geteuid() == 0:
        assert int(fields["Uid"].split()[0]) >= 0x7000_0000
        assert fields["Groups"].split() in ([], [fields["Gid"].split()[0]])


def test_two_seats_are_different_users(seat: Opener) -> None:
    if os.geteuid() != 0:
        pytest.skip("an ordinary user has one user for all seats; namespaces part them")
    pids = [seat("def choose(view, legal): return 'x'")._process.pid for _ in range(2)]
    assert len({Path(f"/proc/{pid}").stat().st_uid for pid in pids}) == 2


def test_no_descriptor_but_the_three_pipes(seat: Opener) -> None:
    bot = seat(
        attacker(
            "import stat\n"
            "found = []\n"
            "for fd in range(64):\n"
            "    try:\n"
            "        found.append(stat.S_IFMT(os.fstat(fd).st_mode))\n"
            "    except OSError:\n"
            "        pass\n"
            "return [kind not in (stat.S_IFIFO, stat.S_IFCHR) for kind in found].count(True)"
        )
    )
    assert ask(bot) == "done 0"


def test_bounded_memory_fast(small_seat: Opener) -> None:
    bot = small_seat("def choose(view, legal): return str(len(bytearray(1 << 30)))")
    with pytest.raises(SeatClosed):
        ask(bot)
    ending = bot.close()
    assert ending.reason == "memory"
    assert "96 MiB" in ending.text
    assert b"MemoryError" in bot.stderr()


def test_bounded_memory_slow(small_seat: Opener) -> None:
    bot = small_seat(
        attacker(
            "kept = []\n"
            "try:\n"
            "    while True:\n"
            "        kept.append(bytearray(100_000))\n"
            "except MemoryError:\n"
            "    return len(kept) * 100_000 >> 20"
        )
    )
    answer = ask(bot)
    assert answer.startswith("done ")
    assert 40 < int(answer.split()[1]) <= 96
    assert bot.usage().peak_memory_kib < 110 * 1024


def test_bounded_memory_by_threads_and_mappings(small_seat: Opener) -> None:
    bot = small_seat(
        attacker(
            "import mmap\n"
            "kept = []\n"
            "try:\n"
            "    while True:\n"
            "        kept.append(mmap.mmap(-1, 1 << 20, flags=mmap.MAP_PRIVATE | 0x20))\n"
            "        kept[-1].write(b'x' * (1 << 20))\n"
            "except (OSError, MemoryError):\n"
            "    return len(kept)"
        )
    )
    assert 30 < int(ask(bot).split()[1]) <= 96


def test_bounded_pipes(seat: Opener) -> None:
    bot = seat(attacker("kept = [os.pipe() for _ in range(1000)]"))
    assert "Too many open files" in ask(bot)


def test_bounded_threads(small_seat: Opener) -> None:
    bot = small_seat(
        attacker(
            "import threading, time\n"
            "count = 1\n"
            "try:\n"
            "    while count < 100:\n"
            "        threading.Thread(target=time.sleep, args=(60,), daemon=True).start()\n"
            "        count += 1\n"
            "except RuntimeError:\n"
            "    pass\n"
            "return count"
        )
    )
    assert ask(bot) == "done 6"


def test_threads_are_allowed_and_end_with_the_seat(seat: Opener) -> None:
    bot = seat(
        attacker(
            "import threading, time\n"
            "for _ in range(3):\n"
            "    threading.Thread(target=time.sleep, args=(600,)).start()\n"
            "return 'started'"
        )
    )
    assert ask(bot) == "done 'started'"
    started = time.monotonic()
    bot.close()
    assert time.monotonic() - started < 5


def test_bounded_files_of_its_own(small_seat: Opener) -> None:
    bot = small_seat("def choose(view, legal): return 'x'", **{"big.bin": bytes(6 << 20)})
    with pytest.raises(SeatClosed):
        ask(bot)
    assert bot.close().reason == "disk"
    assert b"unpacked" in bot.stderr()


def test_own_file_cannot_grow_past_the_disk(small_seat: Opener) -> None:
    bot = small_seat(
        attacker(
            "with open('data.bin', 'r+b', buffering=0) as file:\n"
            "    for _ in range(100):\n"
            "        assert file.write(bytes(100_000)) == 100_000\n"
            "return 'grew'"
        ),
        **{"data.bin": b"x"},
    )
    assert ask(bot).startswith("denied ")


def test_huge_log_is_cut_and_blocks_nobody(seat: Opener) -> None:
    bot = seat(
        """
        import os
        def choose(view, legal):
            for number in range(2000):
                os.write(2, b"%06d" % number + b"x" * 4089 + b"\\n")
            return "still here"
        """
    )
    assert ask(bot) == "still here"
    log = bot.stderr()
    assert len(log) <= 65_536
    assert b"001999" in log


def test_endless_answers_end_the_bot(small_seat: Opener) -> None:
    bot = small_seat(
        """
        import os
        def choose(view, legal):
            for fd in range(3, 9):
                try:
                    while True:
                        os.write(fd, b'{"move":"a"}\\n' * 1000)
                except OSError:
                    pass
            return "a"
        """
    )
    bot.send(START)
    bot.receive(5.0)
    bot.send(MOVE)
    with pytest.raises(SeatClosed):  # noqa: PT012 - which line is the last one does not matter
        for _ in range(1_000_000):
            bot.receive(5.0)
    ending = bot.close()
    assert ending.reason == "output"
    assert "1000000 bytes" in ending.text


def test_answer_without_newline(seat: Opener) -> None:
    bot = seat("def choose(view, legal): return 'x' * 200_000")
    bot.send(START)
    bot.receive(5.0)
    bot.send(MOVE)
    with pytest.raises(LineTooLong) as caught:
        bot.receive(5.0)
    assert caught.value.prefix.startswith(b'{"move":"xxx')
    assert len(caught.value.prefix) == 65_536


def test_writing_to_stdout_goes_to_the_log(seat: Opener) -> None:
    bot = seat(
        """
        import os, sys
        print("at import")
        def choose(view, legal):
            print("printed")
            os.write(1, b"raw\\n")
            sys.__stdout__.write("original\\n")
            sys.__stdout__.flush()
            return "a"
        """
    )
    assert ask(bot) == "a"
    bot.close()
    assert sorted(bot.stderr().split()) == [b"at", b"import", b"original", b"printed", b"raw"]


def test_reading_stdin_does_not_steal_messages(seat: Opener) -> None:
    bot = seat(attacker("import sys\nreturn sys.stdin.read(), os.read(0, 100)"))
    assert ask(bot).startswith(("done ('', b'')", "denied"))


def test_spinning_ends_at_the_wall(seat: Opener) -> None:
    bot = seat("def choose(view, legal):\n    while True: pass")
    bot.send(START)
    bot.receive(5.0)
    bot.send(MOVE)
    with pytest.raises(SeatTimeout):
        bot.receive(0.05)
    ending = bot.close()
    assert ending.reason == "killed"
    assert ending.signal == 9


def test_spinning_ends_at_the_processor_limit(small_seat: Opener) -> None:
    bot = small_seat("def choose(view, legal):\n    while True: pass")
    with pytest.raises(SeatClosed):
        ask(bot, timeout_s=60.0)
    ending = bot.close()
    assert ending.reason == "cpu"
    assert "2 s of processor time" in ending.text
    assert bot.usage().cpu_ms > 1000


def test_ignoring_signals_helps_nothing(seat: Opener) -> None:
    bot = seat(
        """
        import signal, time
        for number in range(1, 65):
            try:
                signal.signal(number, signal.SIG_IGN)
            except (OSError, ValueError):
                pass
        def choose(view, legal):
            while True:
                try:
                    time.sleep(60)
                except BaseException:
                    pass
        """
    )
    bot.send(START)
    bot.receive(5.0)
    bot.send(MOVE)
    with pytest.raises(SeatTimeout):
        bot.receive(0.05)
    assert bot.close().reason == "killed"


def test_sleeping_at_exit_holds_nobody_up(seat: Opener) -> None:
    bot = seat(
        """
        import atexit, threading, time
        atexit.register(time.sleep, 60)
        threading.Thread(target=time.sleep, args=(60,)).start()
        class Stubborn:
            def __del__(self):
                time.sleep(60)
        kept = Stubborn()
        def choose(view, legal):
            return "a"
        """
    )
    ask(bot)
    started = time.monotonic()
    ending = bot.close()
    assert time.monotonic() - started < 5
    assert ending.reason == "exited"


def test_sleeping_at_the_end_of_the_match_is_cut(seat: Opener) -> None:
    bot = seat(
        """
        import time
        class Bot:
            def choose(self, view, legal):
                return "a"
            def end(self, result):
                time.sleep(60)
        """
    )
    ask(bot)
    bot.send(b'{"type":"end","result":{}}')
    started = time.monotonic()
    assert bot.close().reason == "killed"
    assert time.monotonic() - started < 5


@pytest.mark.parametrize("fds", ["(0,)", "(1,)", "(2,)", "(3,4)", "range(64)"])
def test_closing_descriptors_ends_at_worst_the_bot(fds: str, seat: Opener) -> None:
    bot = seat(
        f"""
        import os, time
        def choose(view, legal):
            for fd in {fds}:
                try:
                    os.close(fd)
                except OSError:
                    pass
            return "a"
        """
    )
    bot.send(START)
    bot.receive(5.0)
    bot.send(MOVE)
    try:
        assert bot.receive(5.0) == b'{"move":"a"}'
    except SeatClosed:
        assert fds in ("(3,4)", "range(64)")
    pid = bot._process.pid
    bot.close()
    assert not alive(pid)


def test_closing_outputs_and_living_on_is_no_hiding(seat: Opener) -> None:
    bot = seat(
        """
        import os, time
        def choose(view, legal):
            os.closerange(0, 64)
            while True:
                time.sleep(60)
        """
    )
    bot.send(START)
    bot.receive(5.0)
    bot.send(MOVE)
    pid = bot._process.pid
    with pytest.raises((SeatClosed, SeatTimeout)):
        bot.receive(0.2)
    assert bot.close().reason == "killed"
    assert not alive(pid)


def test_killing_itself_is_a_crash_of_its_own(seat: Opener) -> None:
    bot = seat("import ctypes\ndef choose(view, legal): ctypes.string_at(0)")
    with pytest.raises(SeatClosed):
        ask(bot)
    ending = bot.close()
    assert (ending.reason, ending.signal) == ("crashed", 11)
    assert "Segmentation" in ending.text


def test_deep_recursion_ends_only_the_bot(seat: Opener) -> None:
    bot = seat(
        """
        import sys
        sys.setrecursionlimit(10**9)
        def choose(view, legal):
            return choose(view, list(map(lambda one: choose(view, legal), legal)))
        """
    )
    with pytest.raises(SeatClosed):
        ask(bot)
    assert bot.close().reason in ("crashed", "memory", "exited")


def test_page_tables_are_bounded(seat: Opener) -> None:
    """Reading a byte of every 2 MiB of a large mapping costs a page table each, counted nowhere."""
    bot = seat(
        attacker(
            "import mmap\n"
            "return mmap.mmap(-1, 1 << 40, flags=mmap.MAP_PRIVATE | 0x20, prot=mmap.PROT_READ)"
        )
    )
    assert ask(bot).startswith("denied ")
