"""Attacks of hostile bots at a seat; `tests/hostile` plays whole matches."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
from pathlib import Path

import pytest

from bots.package.syntax import _CHILD
from bots.sandbox import LineTooLong, Program, Sandbox, SeatClosed, SeatTimeout
from tests.bots.sandbox.conftest import MOVE, START, Opener, ask, is_running

pytestmark = pytest.mark.sandbox

# A bot whose move reports the result of the attack in {}: "done ..." or "denied ...".
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


def test_the_environment_has_no_information(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CARDROOM_SECRET", "s3cret")
    source = attacker("return sorted(os.environ.items())").encode()
    with Sandbox() as sandbox:
        move = ask(sandbox.open(Program({"bot.py": source}), name="nosy"))
    assert "HOME" in move
    assert "s3cret" not in move
    assert str(Path.home()) not in move


def test_other_seats_and_their_files_are_invisible(seat: Opener) -> None:
    one = seat("def choose(view, legal): return legal[0]", **{"secret.txt": b"plan"})
    ask(one)
    other = seat(attacker("return os.listdir('/tmp'), os.listdir('/tmp/bot'), os.getpid()"))
    assert ask(other) == "done (['bot'], ['bot.py'], 1)"


def test_a_bot_has_no_capabilities_and_its_own_user(seat: Opener) -> None:
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


def test_a_crash_starts_no_handler_of_core_dumps(seat: Opener) -> None:
    """The kernel starts it for every limit but 1: as root, outside the sandbox."""
    if resource.getrlimit(resource.RLIMIT_CORE)[1] == 0:
        pytest.skip("this process may not raise the limit from 0 to 1")
    bot = seat(attacker("import resource\nreturn resource.getrlimit(resource.RLIMIT_CORE)"))
    assert ask(bot) == "done (1, 1)"
    compiler = [sys.executable, "-c", f"{_CHILD}print(resource.getrlimit(resource.RLIMIT_CORE))"]
    assert subprocess.check_output([*compiler, "bot.py"], input=b"") == b"null\n(1, 1)\n"


def test_two_seats_are_different_users(seat: Opener) -> None:
    if os.geteuid() != 0:
        pytest.skip("an ordinary user has one user for all seats; namespaces part them")
    pids = [seat("def choose(view, legal): return 'x'")._process.pid for _ in range(2)]
    assert len({Path(f"/proc/{pid}").stat().st_uid for pid in pids}) == 2


def test_a_bot_has_only_three_descriptors(seat: Opener) -> None:
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


def test_memory_taken_fast_is_limited(small_seat: Opener) -> None:
    bot = small_seat("def choose(view, legal): return str(len(bytearray(1 << 30)))")
    with pytest.raises(SeatClosed):
        ask(bot)
    ending = bot.close()
    assert ending.reason == "exited"  # it got an error and exited; its log may contain that error
    assert "ends with a MemoryError. It may use 96 MiB" in ending.text
    assert b"MemoryError" in bot.stderr()


def test_memory_taken_slowly_is_limited(small_seat: Opener) -> None:
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
    move = ask(bot)
    assert move.startswith("done ")
    assert 40 < int(move.split()[1]) <= 96
    assert bot.usage().peak_memory_kib < 110 * 1024


def test_memory_of_threads_and_mappings_is_limited(small_seat: Opener) -> None:
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


def test_descriptors_are_limited(seat: Opener) -> None:
    bot = seat(attacker("kept = [os.eventfd(0) for _ in range(1000)]"))
    assert "Too many open files" in ask(bot)


def test_threads_are_limited(small_seat: Opener) -> None:
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


def test_threads_end_with_the_seat(seat: Opener) -> None:
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


def test_own_files_are_limited(small_seat: Opener) -> None:
    bot = small_seat("def choose(view, legal): return 'x'", **{"big.bin": bytes(6 << 20)})
    with pytest.raises(SeatClosed):
        ask(bot)
    assert bot.close().reason == "disk"
    assert b"unpacked" in bot.stderr()


def test_an_own_file_cannot_exceed_the_disk(small_seat: Opener) -> None:
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


def test_a_huge_log_is_cut_without_blocking(seat: Opener) -> None:
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
    bot.receive(60.0)
    bot.send(MOVE)
    with pytest.raises(SeatClosed):  # noqa: PT012 - which line is the last one does not matter
        for _ in range(1_000_000):
            bot.receive(60.0)
    ending = bot.close()
    assert ending.reason == "output"
    assert "1000000 bytes" in ending.text


def test_an_endless_line_ends_the_bot(seat: Opener) -> None:
    bot = seat("def choose(view, legal): return 'x' * 200_000")
    bot.send(START)
    bot.receive(60.0)
    bot.send(MOVE)
    with pytest.raises(LineTooLong) as caught:
        bot.receive(60.0)
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


def test_spinning_ends_at_the_deadline(seat: Opener) -> None:
    bot = seat("def choose(view, legal):\n    while True: pass")
    bot.send(START)
    bot.receive(60.0)
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


def test_a_bot_that_ignores_signals_ends(seat: Opener) -> None:
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
    bot.receive(60.0)
    bot.send(MOVE)
    with pytest.raises(SeatTimeout):
        bot.receive(0.05)
    assert bot.close().reason == "killed"


def test_sleeping_at_exit_delays_no_one(seat: Opener) -> None:
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
def test_closing_descriptors_ends_only_the_bot(fds: str, seat: Opener) -> None:
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
    bot.receive(60.0)
    bot.send(MOVE)
    try:
        assert bot.receive(60.0) == b'{"move":"a"}'
    except SeatClosed:
        assert fds in ("(3,4)", "range(64)")
    pid = bot._process.pid
    bot.close()
    assert not is_running(pid)


def test_a_bot_that_closes_its_outputs_still_ends(seat: Opener) -> None:
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
    bot.receive(60.0)
    bot.send(MOVE)
    pid = bot._process.pid
    with pytest.raises((SeatClosed, SeatTimeout)):
        bot.receive(0.2)
    assert bot.close().reason == "killed"
    assert not is_running(pid)


def test_killing_itself_is_a_crash_of_the_bot(seat: Opener) -> None:
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
    """Each 2 MiB of a large mapping that is read costs a page table, which no limit counts."""
    bot = seat(
        attacker(
            "import mmap\n"
            "return mmap.mmap(-1, 1 << 40, flags=mmap.MAP_PRIVATE | 0x20, prot=mmap.PROT_READ)"
        )
    )
    assert ask(bot).startswith("denied ")
