"""Run Python bots inside this process: for an author's own bots at home, faster than a sandbox.

A bot gets the same calls and messages as in a sandbox, and its faults have the same kinds and
texts. Nothing is isolated, and memory is not limited. The bot's modules are loaded for each match,
and each seat has its own modules and its own `random`, as in a separate process.
"""

from __future__ import annotations

import atexit
import io
import os
import random
import re
import signal
import sys
import tempfile
from contextlib import redirect_stderr, suppress
from functools import cache
from importlib.machinery import ModuleSpec
from pathlib import Path
from time import monotonic_ns
from types import CodeType, FrameType, ModuleType
from typing import Any, Final, Self

import msgspec

from bots.package.manifest import MANIFEST
from bots.referee.clock import Stopwatch
from bots.referee.live_seat import QUICK_NS, LateAnswerError, LiveSeat
from bots.runner import runner
from bots.sandbox import Exit, Limits, LineTooLong, Program, SandboxUnavailable, SeatClosed, Usage
from bots.sandbox.ending import Facts, describe_end
from bots.sandbox.libraries import LIBRARIES
from engine.registry import GROUP, entry_points

_TICK_S: Final = 0.02
_LAST_MESSAGE_NS: Final = 100_000_000
"""Time that a bot gets for the message `end`. (In a sandbox the referee does not wait for it.)"""
_OWN_FRAMES: Final = (__file__, runner.__file__)
_decode = msgspec.json.Decoder().decode
_quote = runner.json_functions()[1]


class InProcessSeat(LiveSeat):
    """A seat that runs its bot instead of waiting for it."""

    __slots__ = ()

    process: InProcessBot

    def wait(self, watch: Stopwatch, budget_ns: int) -> tuple[bytes, int]:  # noqa: ARG002
        """Run the bot until it answers, instead of waiting for it."""
        return self.process.answer(budget_ns)

    def _prepare_question(self) -> bytes:
        return b""

    def end_turn(self) -> None:
        """Do nothing: the bot does not run between two questions."""


class InProcessSandbox:
    """Opens bots in this process, from its main thread; the end of `with` removes their files."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._folder = tempfile.TemporaryDirectory(prefix="cardroom-bots-")
        self._folders: dict[int, tuple[Program, Path]] = {}
        self._code: dict[Path, CodeType] = {}
        _ticker.start()
        sys.meta_path.insert(0, _import_guard)

    def open(self, program: Program, *, name: str) -> InProcessBot:  # noqa: ARG002 - as a sandbox
        """Open a Python bot; SandboxUnavailable for a bot with a command."""
        if program.command is not None:
            raise SandboxUnavailable("Only Python bots can be played inside this process.")
        return InProcessBot(self._unpacked(program), program, self._limits, self._code)

    def _unpacked(self, program: Program) -> Path:
        key = id(program.files)
        if key not in self._folders:
            folder = Path(self._folder.name, str(len(self._folders)))
            unpack(program, folder)
            # Holding the program keeps its id from being reused.
            self._folders[key] = program, folder
        return self._folders[key][1]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        sys.meta_path.remove(_import_guard)
        _ticker.stop()
        self._folder.cleanup()


def unpack(program: Program, folder: Path) -> None:
    """Write the files of a program below a folder."""
    for path, content in program.files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)


class InProcessBot:
    """A bot in this process: a `live_seat.BotProcessLike`."""

    def __init__(
        self, folder: Path, program: Program, limits: Limits, code: dict[Path, CodeType]
    ) -> None:
        self._limits = limits
        self._modules = _SeatModules(folder, program, code)
        self._log = _Log(limits.stderr_bytes)
        self._messages: list[bytes] = []
        self._player: runner.LoadedBot | None = None
        self._exit: Exit | None = None
        self._used_ns = 0
        self._sent = 0

    def send(self, line: bytes) -> None:
        """Store a message for the next `answer`."""
        if self._exit is not None:
            raise SeatClosed
        self._messages.append(line)

    def answer(self, budget_ns: int) -> tuple[bytes, int]:
        """The answer to the messages sent since the last one, and its cost in nanoseconds.

        Raises LateAnswerError, SeatClosed, LineTooLong.
        """
        if self._exit is not None:
            raise SeatClosed
        began_ns = monotonic_ns()
        try:
            line = self._run(budget_ns)
        except _TimeUp:
            raise LateAnswerError from None
        except BaseException as error:  # noqa: BLE001 - any error of a bot goes to its log
            self._end(error)
            raise SeatClosed from None
        spent_ns = monotonic_ns() - began_ns
        if spent_ns > QUICK_NS:
            spent_ns = max(spent_ns - _ticker.delayed_ns(), 0)
        self._used_ns += spent_ns
        if spent_ns > budget_ns:
            raise LateAnswerError
        self._check(line)
        return line, spent_ns

    def _run(self, limit_ns: int) -> bytes:
        line = b""
        modules, messages = self._modules, self._messages
        modules.enter(self._log)
        try:
            _ticker.allow(limit_ns)
            if self._player is None:
                self._player = runner.LoadedBot(modules.load(), seeds=modules.seeds)
            for message in messages:
                line = runner.answer_to(self._player, _decode(message), _quote)
        finally:
            _ticker.allow(0)
            messages.clear()
            modules.leave()
        return line.rstrip(b"\n")

    def _check(self, line: bytes) -> None:
        limits = self._limits
        if len(line) > limits.line_bytes:
            raise LineTooLong(line[: limits.line_bytes], limits.line_bytes)
        self._sent += len(line) + 1
        if self._sent > limits.output_bytes:
            self._exit = describe_end(Facts(-signal.SIGKILL, self.usage(), cut="output"), limits)
            raise SeatClosed
        if self._used_ns > limits.cpu_s * 1e9:
            self._exit = describe_end(Facts(-signal.SIGXCPU, self.usage()), limits)
            raise SeatClosed

    def _end(self, error: BaseException) -> None:
        """Log the error and set the exit, as the runner in a sandbox does."""
        status = runner.EXIT_FAILED
        if isinstance(error, SystemExit):
            caller = runner.caller(_without_our_frames(error))
            print(f"cardroom: {caller} called sys.exit()", file=self._log)
            status = _status_of(error, self._log)
        elif isinstance(error, runner.BadBotError):
            print(f"cardroom: {error}", file=self._log)
        else:
            with redirect_stderr(self._log):
                runner.report(_without_our_frames(error))
        self._exit = describe_end(Facts(status, self.usage(), log=self.stderr()), self._limits)

    def close(self) -> Exit:
        """End the bot and return how it ended."""
        if self._exit is None:
            with suppress(BaseException):  # a sandbox ignores errors in the last message, too
                self._run(_LAST_MESSAGE_NS)
            self._exit = describe_end(
                Facts(-signal.SIGKILL, self.usage(), cut="killed"), self._limits
            )
        return self._exit

    def usage(self) -> Usage:
        """The bot's processor time; 0 for its memory, which is part of this process's."""
        return Usage(self._used_ns / 1e6, 0)

    def stderr(self) -> bytes:
        """The end of the bot's log."""
        return self._log.content[-self._limits.stderr_bytes :]

    def take_output(self) -> bytes:
        """Always empty: `answer` returns all output."""
        return b""

    def enforce_memory_limit(self) -> bool:
        """Always True: memory is not limited here."""
        return True

    def mark(self, move: int) -> None:
        """Write this decision's number as a heading before the bot's next output in its log."""
        self._log.move = move

    def runs(self) -> bool:
        return False

    def suspended(self) -> bool:
        return False

    def run_delay_ns(self) -> int:
        return 0

    def cpu_ns(self) -> int:
        return self._used_ns

    def held_kib(self) -> int:
        return 0

    def pause(self) -> None: ...

    def resume(self) -> None: ...

    def receive(self, timeout_s: float) -> bytes:
        """The bot's answer; raises what `answer` raises."""
        return self.answer(int(timeout_s * 1e9))[0]


class _Log(io.TextIOBase):
    """The end of a bot's log; a heading with the decision's number precedes its output."""

    def __init__(self, length: int) -> None:
        self.move: int | None = None
        self.content = b""
        self._length = length

    def write(self, text: str) -> int:
        heading = b""
        if self.move is not None:
            inside_line = self.content and not self.content.endswith(b"\n")
            heading = b"%s-- move %d --\n" % (b"\n" if inside_line else b"", self.move)
            self.move = None
        self.content += heading + text.encode("utf-8", "replace")
        if len(self.content) > 2 * self._length:
            self.content = self.content[-self._length :]
        return len(text)


class _SeatModules:
    """The modules of one seat. While its bot runs, they replace modules of the same names in
    `sys.modules`."""

    def __init__(self, folder: Path, program: Program, code: dict[Path, CodeType]) -> None:
        self._folder = str(folder)
        self._code = code
        self._names = {path.split("/")[0].removesuffix(".py") for path in program.files}
        self._importable = self._names | set(program.needs) | _platform_packages()
        sources = [file for path, file in program.files.items() if path.endswith(".py")]
        self._absent = [
            package
            for package in _loaded_packages()
            if (package in self._names or package not in self._importable)
            and any(_imports(source, package) for source in sources)
        ]
        """Packages of this process that the bot imports, but would not find in a sandbox."""
        self._hidden: dict[str, ModuleType] = {}
        """The modules of these packages while the bot runs."""
        self._single_file = set(program.files) <= {"bot.py", MANIFEST}
        self._seat_modules: dict[str, ModuleType] = {}
        self._replaced: dict[str, ModuleType | None] = {}
        self._module_count = 0
        self.seeds = "random" not in self._names
        """Whether `random` is Python's module, not the package's; then it is seeded for the
        match."""
        if self.seeds and any(b"random" in content for content in program.files.values()):
            self._seat_modules["random"] = _new_random()

    def load(self) -> Any:
        """Run `bot.py`; its class `Bot` or function `choose`. Raises runner.BadBotError."""
        path = Path(self._folder, "bot.py")
        if path not in self._code:
            self._code[path] = compile(path.read_bytes(), str(path), "exec")
        module = ModuleType("bot")
        module.__file__ = str(path)
        sys.modules["bot"] = self._seat_modules["bot"] = module
        exec(self._code[path], module.__dict__)  # noqa: S102 - the author's own bot
        return runner.load_bot()

    def enter(self, log: _Log) -> None:
        """Install the seat's modules, folder and log in this process, until `leave`."""
        self._streams = sys.stdout, sys.stderr
        sys.stdout = sys.stderr = log
        modules = sys.modules
        for package in self._absent:
            if package in modules:
                self._hide(package)
        for name, module in self._seat_modules.items():
            self._replaced[name] = modules.get(name)
            modules[name] = module
        if not self._single_file:
            self._previous_folder = str(Path.cwd())
            sys.path.insert(0, self._folder)
            os.chdir(self._folder)
        _import_guard.importable = self._importable

    def leave(self) -> None:
        """Restore the state before `enter`."""
        _import_guard.importable = None
        sys.stdout, sys.stderr = self._streams
        if not self._single_file:
            os.chdir(self._previous_folder)
            sys.path.remove(self._folder)
            self._remember_imports()
        modules = sys.modules
        for name in self._seat_modules:
            if (previous := self._replaced.get(name)) is not None:
                modules[name] = previous
            else:
                modules.pop(name, None)
        modules.update(self._hidden)
        self._hidden.clear()

    def _hide(self, package: str) -> None:
        for name in list(sys.modules):
            if name.partition(".")[0] == package:
                self._hidden[name] = sys.modules.pop(name)

    def _remember_imports(self) -> None:
        """Remember the modules of the bot that it has imported since `enter`."""
        if len(sys.modules) == self._module_count:
            return
        self._module_count = len(sys.modules)
        for name, module in list(sys.modules.items()):
            if name.partition(".")[0] in self._names and name not in self._seat_modules:
                self._seat_modules[name] = module


class _ImportGuard:
    """While a bot runs, refuses imports of packages that a sandbox does not have."""

    importable: set[str] | None = None
    """The packages beside the standard library; None while no bot runs."""

    def find_spec(
        self, name: str, path: object = None, _target: object = None
    ) -> ModuleSpec | None:
        if path is None and self.importable is not None:
            top = name.partition(".")[0]
            # mypyc puts the shared code of compiled modules into modules with such names.
            known = top in self.importable or top in sys.stdlib_module_names
            if not known and not top.endswith("__mypyc"):
                raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return None


_import_guard: Final = _ImportGuard()


@cache
def _loaded_packages() -> set[str]:
    """The packages that this process has loaded, or that bots may load, beside the standard
    library."""
    packages = {name.partition(".")[0] for name in sys.modules} - sys.stdlib_module_names
    return {name for name in packages if not name.startswith("_")} | set(LIBRARIES)


def _imports(source: bytes, package: str) -> bool:
    """Whether an import statement in the source seems to name the package."""
    name = package.encode()
    return name in source and bool(re.search(rb"\b(?:import|from)\b.*\b%s\b" % name, source))


@cache
def _platform_packages() -> set[str]:
    """The packages that every sandbox has: the engine, and packages with games."""
    return {"engine"} | {entry.module.partition(".")[0] for entry in entry_points(group=GROUP)}


def _new_random() -> ModuleType:
    """A copy of the module `random` with its own state."""
    module = ModuleType("random")
    module.__dict__.update(random.__dict__)
    state = random.Random()
    for name in dir(state):
        if not name.startswith("_") and name in random.__dict__:
            setattr(module, name, getattr(state, name))
    return module


class _TimeUp(BaseException):
    """Raised inside a bot whose time has run out."""


class _Ticker:
    """A timer of this process that ends the bot's turn when its time runs out.

    It ticks all the time, because setting a timer for each answer would cost as much as the answer.
    """

    def __init__(self) -> None:
        self._until_ns = 0
        self._delay_ns = 0
        try:
            self._file = os.open("/proc/thread-self/schedstat", os.O_RDONLY | os.O_CLOEXEC)
        except OSError:  # this kernel has no such file
            self._file = -1

    def start(self) -> None:
        """Start ticking."""
        signal.signal(signal.SIGALRM, self._tick)
        signal.setitimer(signal.ITIMER_REAL, _TICK_S, _TICK_S)

    def stop(self) -> None:
        """Stop ticking."""
        signal.setitimer(signal.ITIMER_REAL, 0)

    def allow(self, limit_ns: int) -> None:
        """Raise _TimeUp after `limit_ns`, unless `allow(0)` comes first."""
        self._until_ns = monotonic_ns() + limit_ns if limit_ns else 0

    def _tick(self, _number: int, _frame: FrameType | None) -> None:
        if not self._until_ns:
            self._delay_ns = self._run_delay_ns()
        elif monotonic_ns() > self._until_ns:
            self._until_ns = 0
            raise _TimeUp

    def delayed_ns(self) -> int:
        """How long this thread has waited for a processor since the last tick between answers."""
        return self._run_delay_ns() - self._delay_ns

    def _run_delay_ns(self) -> int:
        try:
            return int(os.pread(self._file, 64, 0).split()[1])
        except (OSError, IndexError):
            return 0


_ticker: Final = _Ticker()
# A signal after Python has removed its handlers would kill the process.
atexit.register(_ticker.stop)


def _status_of(error: SystemExit, log: _Log) -> int:
    if isinstance(error.code, int):
        return error.code & 0xFF
    if error.code is None:
        return 0
    print(error.code, file=log)
    return runner.EXIT_FAILED


def _without_our_frames(error: BaseException) -> BaseException:
    trace = error.__traceback__
    while trace and trace.tb_frame.f_code.co_filename in _OWN_FRAMES:
        trace = trace.tb_next
    last = trace
    while last and (inner := last.tb_next):
        if inner.tb_frame.f_code.co_filename == __file__:  # such as that of the import guard
            last.tb_next = None
        last = inner
    return error.with_traceback(trace)
