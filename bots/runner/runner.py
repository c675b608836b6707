"""Run one bot inside the sandbox: a separate program that imports nothing of the project.

A runner sets itself up, writes a greeting to stdout, and reads the load message from stdin. It then
limits and locks itself, confirms the lock, loads the bot, and speaks the bot protocol for it until
stdin ends.

The load message is 8 bytes of length (little-endian), then a marshalled dictionary:
    files: relative path -> content      folder: where to put them
    command: argument vector or None      rlimits: name -> value
    filter: seccomp program, b"" for none

Python bots: `bot.py` has `choose(view, legal)` or a class `Bot` with `start(info)`,
`choose(view, legal)` and optional `event(event)`, `deal(sheet)`, `end(result)`. `choose` returns
the move, or `{"move": ..., "note": ...}`. If a `Bot` has an attribute `clock`, it contains the
latest clock at each `choose`. The modules `random` and `numpy.random` are seeded with the match's
`rng`, so that a bot that uses them plays the same match again.

The time to a bot's first answer is measured. Therefore the top imports only modules that are built
in or already loaded by the interpreter. A waiting runner does not load the engine in advance: that
takes longer than the rest of a seat's start, and few bots need it.
"""

# The import of pathlib takes 5 ms.
# ruff: noqa: PTH101, PTH103, PTH120, PTH123

from __future__ import annotations

import gc
import marshal
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType
    from typing import Any, NoReturn, TypeAlias

    Json: TypeAlias = tuple[Callable[[str, int], tuple[Any, int]], Callable[[str], str]]

HELLO = b"cardroom runner 2\n"
LOCKED = b"locked\n"
"""Written when all limits are in force, and before any code of the bot runs."""
EXIT_FAILED = 1
EXIT_NOT_STARTED = 127
# Exit statuses of a runner that is not locked yet; later a bot may exit with the same numbers.
EXIT_FILES = 87
EXIT_UNLOCKED = 88

# Modules that the runner itself needs once it has its bot. All are compiled; they load within 1 ms.
NEEDED = ("_json", "_ctypes", "resource")

_CLOSE_RANGE = 436  # a number of all architectures, since Linux 5.9
_PR_SET_PDEATHSIG = 1
_PR_SET_SECCOMP = 22
_PR_GET_SECCOMP = 21
_PR_SET_NO_NEW_PRIVS = 38
_FILTERED = 2
_NEW_LISTENER = 8
_SIGKILL = 9


def main() -> NoReturn:
    """Run. Arguments: the folder with the engine, then `orphan` (the runner dies with the platform)
    and `pipes=…` (the arguments of `ask_for_pipes`, joined by colons), if wanted."""
    interpreter_modules = set(sys.modules)
    gets_pipes = any(word.startswith("pipes=") for word in sys.argv[2:])
    # A bot with a command reads its messages itself, so the runner needs no _json.
    load_ahead(NEEDED[1:] if gets_pipes else NEEDED)
    run_bot(interpreter_modules)


def load_ahead(names: tuple[str, ...] = NEEDED) -> None:
    """Load the modules that every runner needs."""
    for name in names:
        try:  # noqa: SIM105 - contextlib takes longer to load than these
            __import__(name)
        except ImportError:  # code that needs the module fails later, or works without it
            pass


def run_bot(interpreter_modules: set[str]) -> NoReturn:
    """Wait for a bot and run it. interpreter_modules: the modules of a new interpreter."""
    sys.path.insert(0, sys.argv[1])
    for word in sys.argv[2:]:
        if word.startswith("pipes="):
            ask_for_pipes(*word.removeprefix("pipes=").split(":"))
    close_from(3)  # all descriptors that the platform had open at the start of this process
    if "orphan" in sys.argv[2:]:
        prctl(_PR_SET_PDEATHSIG, _SIGKILL)
    os.write(1, HELLO)
    message = read_load()
    lock(message["rlimits"], message["filter"], lambda: unpack(message))
    os.write(1, LOCKED)
    if message["command"] is not None:
        start_command(message["command"])
    json = json_functions()
    bot_modules = {path.split("/")[0].removesuffix(".py") for path in message["files"]}
    # As usual, the bot's files take precedence over modules that were loaded in advance.
    for name in bot_modules - interpreter_modules:
        sys.modules.pop(name, None)
    if (
        any(b"random" in content for content in message["files"].values())
        and "random" not in bot_modules
    ):
        __import__("random")  # so that it is seeded, however late the bot imports it
    seed_numpy()  # all forked runners have inherited the same state
    receive, send = take_channel()
    sys.path.insert(0, message["folder"])
    try:
        gc.set_threshold(10_000)  # the same as in `core.garbage`; a bot may change it
        bot = load_bot()
        gc.freeze()
        serve(LoadedBot(bot, seeds="random" not in bot_modules), receive, send, json)
    except SystemExit as exit_:
        os.write(2, f"cardroom: {caller(exit_)} called sys.exit()\n".encode())
        if isinstance(exit_.code, int):
            exit_now(exit_.code)
        if exit_.code is not None:
            print(exit_.code, file=sys.stderr)  # noqa: T201 - as Python itself does
        exit_now(EXIT_FAILED)
    except BadBotError as error:
        print(f"cardroom: {error}", file=sys.stderr)  # noqa: T201 - its author reads the log
        exit_now(EXIT_FAILED)
    except BaseException as error:  # noqa: BLE001 - any error of a bot goes to its log
        report(error)
        exit_now(EXIT_FAILED)
    exit_now(0)


def read_load() -> dict[str, Any]:
    """Read the load message, and no byte of the protocol after it."""
    size = int.from_bytes(read_exactly(8), "little")
    message: dict[str, Any] = marshal.loads(read_exactly(size))  # noqa: S302 - the platform's own
    return message


def read_exactly(size: int) -> bytes:
    """Read `size` bytes from stdin; the runner exits if the platform has ended."""
    chunks = []
    while size:
        chunk = os.read(0, min(size, 1 << 20))
        if not chunk:
            exit_now(0)
        chunks.append(chunk)
        size -= len(chunk)
    return b"".join(chunks)


def lock(rlimits: dict[str, int], program: bytes, unpack: Callable[[], None]) -> None:
    """Limit this process, and forbid everything that a bot does not need.

    `unpack` runs in between: the limits already apply, but files can still be created.
    """
    import resource

    for name, value in rlimits.items():
        resource.setrlimit(getattr(resource, "RLIMIT_" + name), (value, value))
    unpack()
    if not program:
        return
    prctl(_PR_SET_NO_NEW_PRIVS, 1)
    prctl(_PR_SET_SECCOMP, _FILTERED, sock_fprog(program))
    if prctl(_PR_GET_SECCOMP) != _FILTERED:
        os.write(2, b"cardroom: the system call filter could not be installed\n")
        os._exit(EXIT_UNLOCKED)


def close_from(first: int) -> None:
    """Close this descriptor and all higher ones.

    An interpreter built for an older kernel would try them one by one in `os.closerange`.
    """
    if c_function("syscall", _CLOSE_RANGE, first, -1, 0) != 0:  # -1: the highest possible one
        os.closerange(first, os.sysconf("SC_OPEN_MAX"))


def sock_fprog(program: bytes) -> bytes:
    """A filter in the kernel's form; valid while `program` is referenced.

    struct sock_fprog: number of instructions, padding, address. The kernel would refuse a wrong
    one.
    """
    return number(len(program) // 8) + address(program)


def number(value: int, size: int = 8) -> bytes:
    """A number as bytes, in the kernel's byte order."""
    return value.to_bytes(size, sys.byteorder)


def address(content: bytes) -> bytes:
    """The address of a bytes object's content, which follows its header; the caller keeps a
    reference."""
    return number(id(content) + bytes.__basicsize__ - 1)


def ask_for_pipes(descriptor: str, call: str, program: str) -> None:
    """Have the kernel ask the platform about each pipe: send it the listener over a socket.

    call: the number of `seccomp`. program: the filter, in hexadecimal digits.
    """
    filter_program = bytes.fromhex(program)
    prctl(_PR_SET_NO_NEW_PRIVS, 1)
    listener = c_function("syscall", int(call), 1, _NEW_LISTENER, sock_fprog(filter_program))
    if listener < 0 or send_descriptor(int(descriptor), listener) < 0:
        os.write(2, b"cardroom: the kernel does not allow the platform to supply pipes\n")
        os._exit(EXIT_UNLOCKED)


def send_descriptor(socket: int, fd: int) -> int:
    """Send a byte and a descriptor; -1 for failure. `_socket` is not used: its import takes 0.2 ms.

    struct cmsghdr: length, SOL_SOCKET, SCM_RIGHTS, content. struct msghdr: no name, one part of one
    byte, the cmsghdr, no flags.
    """
    text = b"."
    part = address(text) + number(1)
    ancillary = number(20) + number(1, 4) + number(1, 4) + number(fd)
    message = bytes(16) + address(part) + number(1) + address(ancillary) + number(24) + bytes(8)
    return c_function("sendmsg", socket, message, 0)


def prctl(option: int, *arguments: int | bytes) -> int:
    """Call the C function `prctl`; -1 for failure."""
    padding = (0,) * (4 - len(arguments))
    return c_function("prctl", option, *arguments, *padding)


def c_function(name: str, *arguments: int | bytes) -> int:
    """Call a function of the C library. `ctypes` is not used: its import takes 3 ms."""
    import _ctypes  # the C part of `ctypes`

    function = _ctypes.dlsym(_ctypes.dlopen(None, 0), name)  # type: ignore[arg-type] # None: this program
    result: int = _ctypes.call_function(function, arguments)
    return result


def unpack(message: dict[str, Any]) -> None:
    """Write the bot's files, and change to their folder."""
    folder = message["folder"]
    try:
        os.makedirs(folder, exist_ok=True)
        for path, content in message["files"].items():
            target = f"{folder}/{path}"
            os.makedirs(os.path.dirname(target), exist_ok=True)
            with open(target, "wb") as file:
                file.write(content)
            if message["command"] is not None:
                os.chmod(target, 0o700)
    except (OSError, ValueError, MemoryError) as error:
        os.write(2, f"cardroom: the bot's files cannot be unpacked: {error!a}\n".encode())
        os._exit(EXIT_FILES)
    os.chdir(folder)


def start_command(command: tuple[str, ...]) -> NoReturn:
    """Replace this process with the bot's own program."""
    try:
        os.execvp(command[0], command)  # noqa: S606 - an argument vector on purpose
    except OSError as error:
        os.write(2, f"cardroom: cannot start {command[0]!r}: {error.strerror}\n".encode())
        os._exit(EXIT_NOT_STARTED)


def take_channel() -> tuple[Callable[[], bytes], Callable[[bytes], None]]:
    """Reserve stdin and stdout for the protocol. The bot's stdin is empty; its stdout is its
    log."""
    source = os.fdopen(os.dup(0), "rb", 65536)
    target = os.dup(1)
    devnull = os.open("/dev/null", os.O_RDONLY)
    os.dup2(devnull, 0)
    os.dup2(2, 1)
    os.close(devnull)
    sys.stdout = sys.stderr

    def send(line: bytes) -> None:
        while line:
            line = line[os.write(target, line) :]

    return source.readline, send


def load_bot() -> Any:
    """Import `bot.py`, and return its class `Bot` or its function `choose`."""
    module = __import__("bot")
    if hasattr(module, "Bot"):
        return module.Bot
    if hasattr(module, "choose"):
        return module.choose
    raise BadBotError("bot.py defines neither a function choose(view, legal) nor a class Bot")


class BadBotError(Exception):
    """A mistake in the bot that the runner found; the text is a sentence for its author."""


class LoadedBot:
    """The bot: its `choose`, and its optional methods."""

    def __init__(self, entry: Any, *, seeds: bool = True) -> None:
        """seeds: whether to seed `random`, which a file of the bot may replace."""
        self.seeds = seeds
        self.bot = entry() if isinstance(entry, type) else None
        self.choose: Callable[[Any, Any], Any] = entry if self.bot is None else self.hook("choose")
        if self.choose is None:
            raise BadBotError("the class Bot has no method choose(self, view, legal)")
        self.event = self.hook("event")
        self.deal = self.hook("deal")
        self.end = self.hook("end")
        self.wants_clock = hasattr(self.bot, "clock")

    def hook(self, name: str) -> Any:
        """The bot's method of that name, or None."""
        return getattr(self.bot, name, None)

    def start(self, info: dict[str, Any]) -> None:
        """Begin a match."""
        if self.seeds and "random" in sys.modules and "rng" in info:
            sys.modules["random"].seed(info["rng"])
        if "rng" in info:
            seed_numpy(list(info["rng"].encode()))
        if self.wants_clock:
            self.bot.clock = info.get("clock")  # type: ignore[union-attr] # it has the attribute
        if begin := self.hook("start"):
            begin(info)


def seed_numpy(*seed: list[int]) -> None:
    """If numpy is loaded, seed the functions of `numpy.random`; without an argument from the
    operating system."""
    if "numpy" in sys.modules:
        load_ahead(("numpy.random",))  # however late the bot imports it
        module = sys.modules.get("numpy.random")
        if module is not None and hasattr(module, "seed"):  # a file of the bot may replace it
            module.seed(*seed)


def serve(
    player: LoadedBot, receive: Callable[[], bytes], send: Callable[[bytes], None], json: Json
) -> None:
    """Answer the platform's messages until stdin ends."""
    scan, quote = json
    while line := receive():
        message = scan(line.decode(), 0)[0]
        if answer := answer_to(player, message, quote):
            send(answer)
        elif message.get("type") == "end":
            return


def answer_to(player: LoadedBot, message: dict[str, Any], quote: Callable[[str], str]) -> bytes:
    """Pass a message to the bot, and return the answering line; empty if none is expected."""
    kind = message.get("type")
    if kind == "move":
        if player.event is not None:
            for event in message["events"]:
                player.event(event)
        if player.wants_clock:
            player.bot.clock = message.get("clock")  # type: ignore[union-attr] # see start
        move = player.choose(message["view"], message["legal"])
        question = b',"n":%d' % message["n"] if "n" in message else b""
        if type(move) is str:
            return b'{"move":%s%s}\n' % (quote(move).encode(), question)
        return answer_with_note(move, question, quote)
    if kind == "start":
        player.start(message)
        return b'{"type":"ready"}\n'
    if kind == "deal" and player.deal is not None:
        player.deal(message["sheet"])
    elif kind == "end" and player.end is not None:
        player.end(message["result"])
    return b""


def answer_with_note(answer: Any, question: bytes, quote: Callable[[str], str]) -> bytes:
    """The line for an answer that is not a plain move; `question`: the part with its number."""
    if isinstance(answer, str):
        return b'{"move":%s%s}\n' % (quote(str(answer)).encode(), question)
    move = answer.get("move") if isinstance(answer, dict) else None
    if not isinstance(move, str):
        raise BadBotError(
            f"choose returned {answer!r:.200}; it must return a move, such as one of `legal`, "
            'or {"move": MOVE, "note": TEXT}'
        )
    note = quote(str(answer.get("note") or ""))
    return b'{"move":%s,"note":%s%s}\n' % (quote(move).encode(), note.encode(), question)


def json_functions() -> Json:
    """(function that reads a JSON value at a position, function that writes a JSON string).

    They are the C functions inside the module `json`, whose own import takes 6 ms (it needs `re`).
    """
    try:
        import _json
    except ImportError:  # an interpreter without the C part
        import json

        return json.JSONDecoder().raw_decode, json.dumps

    class Settings:
        strict = False
        object_hook = object_pairs_hook = None
        parse_float, parse_int = float, int
        parse_constant = float
        memo: dict[str, str] = {}

    scanner = _json.make_scanner(Settings)  # type: ignore[arg-type] # typeshed errs: settings
    return scanner, _json.encode_basestring_ascii


def report(error: BaseException) -> None:
    """Write the traceback to the log, without the runner's own frames."""
    trace = bot_trace(error)
    sys.__excepthook__(type(error), error.with_traceback(trace), trace)


def bot_trace(error: BaseException) -> TracebackType | None:
    """The traceback, starting at the bot's first frame."""
    trace = error.__traceback__
    while trace and trace.tb_frame.f_code.co_filename == main.__code__.co_filename:
        trace = trace.tb_next
    return trace


def caller(error: BaseException) -> str:
    """The name of the bot's function that the runner had called when the error occurred."""
    trace = bot_trace(error)
    while trace and trace.tb_frame.f_code.co_filename.startswith("<frozen "):
        trace = trace.tb_next
    name = trace.tb_frame.f_code.co_name if trace else "<module>"
    return "bot.py" if name == "<module>" else name


def exit_now(code: int) -> NoReturn:
    """Exit immediately, without the bot's exit handlers and threads."""
    try:
        sys.stderr.flush()
    finally:
        os._exit(code)


if __name__ == "__main__":
    main()
