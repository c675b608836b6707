"""Keeps the files that bots see on a tmpfs, where looking a name up leaves nothing behind.

The file system of a disk remembers each name that somebody asked for in vain (a negative dentry),
and in which folder. The next one who asks is answered faster, so a bot could leave a message for
another, beyond the end of a match. A tmpfs holds all its names in memory and forgets a miss before
the call returns; `bots.sandbox.lookups` measures that it does.

Each process makes a tmpfs of its own, in a mount namespace that lives as long as the starter in it:
a program that makes the copies and then starts all sandboxes. To enter the namespace for each of
them would take 1 ms. No other program sees the files, so nothing has to be cleaned up. A forked
process makes its own: two processes that map the same page can tell, by the processor's caches,
which lines of it the other has read, on whatever core they run.
"""

from __future__ import annotations

import atexit
import ctypes
import json
import mmap
import os
import secrets
import socket
import subprocess
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bots.runner import starter
from bots.sandbox import accounts, pinning, programs
from bots.sandbox.child import readable
from bots.sandbox.interpreter import Interpreter
from bots.sandbox.model import SandboxUnavailable
from bots.sandbox.server import Served, Server

# Every machine has this folder, and nothing needs it that is started in the namespace.
_MOUNTED: Final = "/sys"
ROOT: Final = f"{_MOUNTED}/root"
IMAGE: Final = f"{_MOUNTED}/image"
_MAKING_S: Final = 60.0  # it takes 0.1 s; the rest is patience with a busy machine
_ENDING_S: Final = 1.0
_ITSELF: Final = "-"
# What keeps new namespaces until somebody has entered them.
_KEEP: Final = 'import os; os.write(1, b"."); os.read(0, 1)'
# The module `mmap` would keep a descriptor of each file.
_POPULATED: Final = mmap.MAP_SHARED | getattr(mmap, "MAP_POPULATE", 0)
_LOCKED: Final = _POPULATED | 0x2000  # MAP_LOCKED
_FAILED: Final = ctypes.c_void_p(-1).value
_START: Final = ctypes.c_long(0)

_lock = threading.Lock()
_made: dict[tuple[Path, Path], Shown] = {}


class Starter(Server):
    """What has made the copies, and starts bubblewrap where they are (`bots.runner.starter`)."""

    def __init__(self, bubblewrap: str, python: Interpreter, root: Path, image: Path) -> None:
        """Start it, and wait for the copies. Raises OSError, SandboxUnavailable."""
        super().__init__()
        with ExitStack() as ours, ExitStack() as given:
            ours.callback(self.control.close)
            given.callback(self.theirs.close)
            namespaces = given.enter_context(_namespaces(bubblewrap, python))
            control = self.theirs.fileno()
            command = [*_entering(namespaces), str(python.path), "-I", "-S", starter.__file__]
            command += [str(control), str(os.getpid()), _MOUNTED]
            descriptors = [control, *namespaces]
            for folder, target in ((root, ROOT), (image, IMAGE)):
                # What lies below the mount point has no path any more there.
                source = os.open(folder, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
                given.callback(os.close, source)
                descriptors.append(source)
                command += [str(source), target]
            self._process = _started(command, descriptors)
            with suppress(ProcessLookupError):  # it failed, and will be asked why
                pinning.unpin(self.pid)  # the thread that asks first may be pinned
            given.close()
            self._await_copies()
            ours.pop_all()

    def _await_copies(self) -> None:
        """Raises SandboxUnavailable with what was complained of."""
        deadline = time.monotonic() + _MAKING_S
        while not self.places(_ITSELF):
            left_ms = (deadline - time.monotonic()) * 1000
            if self.gone or left_ms <= 0:
                raise _failed(self._process)
            readable(self.control.fileno(), left_ms)

    @property
    def pid(self) -> int:
        """Its process number."""
        return self._process.pid

    def start(self, command: Sequence[str], descriptors: Sequence[int]) -> Served:
        """Start a command that has these descriptors as 0, 1, 2 and so on, in a session of its own.

        Raises SandboxUnavailable.
        """
        token = secrets.token_hex(8)
        self.ask("\0".join((token, *command)).encode(), descriptors)
        return Served(self, token)

    def held(self, token: str) -> bool:
        """Whether this machine has stopped or frozen it, what it started, or any below that."""
        pids = [*self.places(token)]
        for pid in pids:
            pids += accounts.children(pid)
        return any(map(accounts.held, (self.pid, *pids)))

    def give_up(self, token: str) -> None:
        """Kill what it was asked to start and has not said where it is."""
        with suppress(SandboxUnavailable):  # gone, and all with it; or busy, and asked again
            self.ask(token.encode(), ())

    def kill(self) -> None:
        """Kill it, and by the kernel's hand all that it started."""
        self._process.kill()

    def close(self) -> None:
        """Let it end, and with it all that it started."""
        with suppress(OSError):  # somebody has closed it
            self.control.shutdown(socket.SHUT_RDWR)  # whatever copies of it others have
        try:
            self._process.communicate(timeout=_ENDING_S)
        except subprocess.TimeoutExpired:  # it stands still
            self.kill()
            self._process.communicate()
        self.gone = True
        with suppress(OSError):
            self.control.close()


@dataclass(frozen=True, slots=True)
class Shown:
    """A mount namespace that has a root for bots at `ROOT` and their image at `IMAGE`.

    starter: starts bubblewrap in it. mapped: addresses and lengths of the files, which are kept
    from swap. process: whose it is.
    """

    starter: Starter
    mapped: tuple[tuple[int, int], ...]
    process: int

    @property
    def stands(self) -> bool:
        """Whether it is this process's, and nobody has ended what starts bubblewrap in it."""
        if self.process != os.getpid():
            return False
        self.starter.listen()
        return not self.starter.gone


def show(bubblewrap: str, python: Interpreter, root: Path, image: Path) -> Shown:
    """The namespace with copies of these two folders, made when first asked for.

    bubblewrap: its path. python: runs the copying. Raises SandboxUnavailable.
    """
    with _lock:
        shown = _made.get((root, image))
        if shown is None or not shown.stands:
            _leave(_made.pop((root, image), None))
            shown = _made[root, image] = _make(bubblewrap, python, root, image)
        return shown


def leave() -> None:
    """Give the memory back, in a process that starts no more sandboxes for now."""
    with _lock:
        while _made:
            _leave(_made.popitem()[1])


atexit.register(leave)


def _leave(shown: Shown | None) -> None:
    if shown is None:
        return
    library = ctypes.CDLL(None)
    for start, size in shown.mapped:
        library.munmap(ctypes.c_void_p(start), ctypes.c_size_t(size))
    if shown.process == os.getpid():
        shown.starter.close()
    else:
        shown.starter.control.close()  # the parent has it still


def _make(bubblewrap: str, python: Interpreter, root: Path, image: Path) -> Shown:
    try:
        starter = Starter(bubblewrap, python, root, image)
        files = _files(Path(f"/proc/{starter.pid}/root{_MOUNTED}"))
        return Shown(starter, tuple(filter(None, map(_kept_from_swap, files))), os.getpid())
    except OSError as error:
        raise SandboxUnavailable(
            f"The files that bots see cannot be kept in memory: {error}"
        ) from error


@contextmanager
def _namespaces(bubblewrap: str, python: Interpreter) -> Iterator[list[int]]:
    """A new namespace of mounts that has an empty tmpfs, and that of its users unless it is ours.

    Raises OSError, SandboxUnavailable.
    """
    kinds, users = ["mnt"], []
    if os.geteuid() != 0:
        kinds, users = ["mnt", "user"], ["--unshare-user", "--uid", "0", "--gid", "0"]
    with ExitStack() as stack:
        info, info_end = os.pipe()
        stack.callback(os.close, info)
        stack.callback(os.close, info_end)
        view = ["--dev-bind", "/", "/", "--tmpfs", _MOUNTED]
        command = [bubblewrap, *users, "--info-fd", str(info_end), *view, "--", str(python.path)]
        keeper = stack.enter_context(_started([*command, "-I", "-S", "-c", _KEEP], [info_end]))
        if not keeper.stdout or not readable(keeper.stdout.fileno(), _MAKING_S * 1000):
            raise _failed(keeper)
        if os.read(keeper.stdout.fileno(), 1) != b".":
            raise _failed(keeper)
        pid = json.loads(os.read(info, 4096))["child-pid"]
        descriptors = []
        for kind in kinds:
            descriptors.append(os.open(f"/proc/{pid}/ns/{kind}", os.O_RDONLY | os.O_CLOEXEC))
            stack.callback(os.close, descriptors[-1])
        yield descriptors


def _entering(namespaces: Sequence[int]) -> list[str]:
    """The words before a command that is to run in them. Raises SandboxUnavailable."""
    helper = programs.find("nsenter")
    if helper is None:
        raise SandboxUnavailable("nsenter (of util-linux) is not installed.")
    mounts, *users = [f"/proc/self/fd/{fd}" for fd in namespaces]
    words = [word for fd in users for word in (f"--user={fd}", "--preserve-credentials")]
    return [helper, f"--mount={mounts}", *words, "--"]


def _started(command: list[str], descriptors: Sequence[int]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd="/",
        env={},
        pass_fds=descriptors,
        start_new_session=True,
    )


def _failed(process: subprocess.Popen[bytes]) -> SandboxUnavailable:
    """What one that failed complained of."""
    process.kill()
    _, complaint = process.communicate()
    reason = complaint.decode(errors="replace").strip() or f"exit status {process.returncode}"
    return SandboxUnavailable(f"The files that bots see cannot be kept in memory: {reason}")


def _files(top: Path) -> Iterator[Path]:
    for folder, _, names in os.walk(top):
        for name in names:
            path = Path(folder, name)
            if not path.is_symlink() and path.stat().st_size:
                yield path


def _kept_from_swap(path: Path) -> tuple[int, int] | None:
    """Map a file while this process lives, locked where that is allowed; where, and how long it is.

    A page that went to swap takes long to read, once: a bot could leave word by reading some for
    another that measures. Of mapped pages the kernel lets go last, of locked ones never.
    """
    library = ctypes.CDLL(None, use_errno=True)
    library.mmap.restype = ctypes.c_void_p
    size = path.stat().st_size
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        for flags in (_LOCKED, _POPULATED):
            start = library.mmap(None, ctypes.c_size_t(size), mmap.PROT_READ, flags, fd, _START)
            if start != _FAILED:
                return int(start), size
    finally:
        os.close(fd)
    return None
