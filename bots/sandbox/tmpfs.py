"""Copy the files of the sandboxes to a tmpfs, where looking up a file name leaves no trace.

A disk's file system caches each lookup of a missing name (a negative dentry). The next lookup of
that name is faster, so a bot could leave a message for another bot, even after its match. A tmpfs
keeps all its names in memory and caches no misses, which `bots.sandbox.lookups` verifies.

Each process creates its own tmpfs in a mount namespace. A program in the namespace, the starter,
copies the files and then starts all sandboxes; entering the namespace for each sandbox would take
1 ms. The namespace exists as long as the starter runs. No other program sees the files, so nothing
has to be cleaned up. Forked processes do not share a tmpfs: if two processes map the same page,
each can detect from the processor's caches which parts of the page the other has read, on any core.
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
from bots.sandbox import executables, pinning, process_stats
from bots.sandbox.child import readable
from bots.sandbox.interpreter import Interpreter
from bots.sandbox.model import SandboxUnavailable
from bots.sandbox.server import ServedProcess, Server

# Every machine has this folder, and no program that runs in the namespace needs it.
_MOUNTED: Final = "/sys"
ROOT: Final = f"{_MOUNTED}/root"
IMAGE: Final = f"{_MOUNTED}/image"
_START_S: Final = 60.0  # 0.1 s is usual; a busy machine may need longer
_ENDING_S: Final = 1.0
_STARTER: Final = "-"  # the token of the message that all files are copied
# A program that keeps new namespaces alive until the starter has entered them.
_KEEP_NAMESPACES: Final = 'import os; os.write(1, b"."); os.read(0, 1)'
# Flags of mmap, called through ctypes: the module `mmap` would keep a descriptor of each file.
_POPULATED: Final = mmap.MAP_SHARED | getattr(mmap, "MAP_POPULATE", 0)
_LOCKED: Final = _POPULATED | 0x2000  # MAP_LOCKED
_FAILED: Final = ctypes.c_void_p(-1).value
_OFFSET: Final = ctypes.c_long(0)

_lock = threading.Lock()
_cache: dict[tuple[Path, Path], FilesNamespace] = {}


class Starter(Server):
    """The program that copies the files and starts bubblewrap (`bots.runner.starter`)."""

    def __init__(self, bubblewrap: str, python: Interpreter, root: Path, image: Path) -> None:
        """Start the program and wait for the copies. Raises OSError, SandboxUnavailable."""
        super().__init__()
        with ExitStack() as ours, ExitStack() as server_end:
            ours.callback(self.control.close)
            server_end.callback(self.server_end.close)
            namespaces = server_end.enter_context(_namespaces(bubblewrap, python))
            control = self.server_end.fileno()
            command = [
                *_nsenter_command(namespaces),
                str(python.path),
                "-I",
                "-S",
                starter.__file__,
            ]
            command += [str(control), str(os.getpid()), _MOUNTED]
            descriptors = [control, *namespaces]
            for folder, target in ((root, ROOT), (image, IMAGE)):
                # The tmpfs hides everything below its mount point, so pass descriptors.
                source = os.open(folder, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
                server_end.callback(os.close, source)
                descriptors.append(source)
                command += [str(source), target]
            self._process = _popen(command, descriptors)
            with suppress(ProcessLookupError):  # it has failed; _await_copies reports the cause
                pinning.unpin(self.pid)  # the calling thread may be pinned
            server_end.close()
            self._await_copies()
            ours.pop_all()

    def _await_copies(self) -> None:
        """Wait for the copies. Raises SandboxUnavailable with the starter's error output."""
        deadline = time.monotonic() + _START_S
        while not self.pids(_STARTER):
            left_ms = (deadline - time.monotonic()) * 1000
            if self.has_ended or left_ms <= 0:
                raise _start_error(self._process)
            readable(self.control.fileno(), left_ms)

    @property
    def pid(self) -> int:
        """The starter's PID."""
        return self._process.pid

    def start(self, command: Sequence[str], descriptors: Sequence[int]) -> ServedProcess:
        """Start a command in a new session. `descriptors` become its 0, 1, 2 and so on.

        Raises SandboxUnavailable.
        """
        token = secrets.token_hex(8)
        self.request("\0".join((token, *command)).encode(), descriptors)
        return ServedProcess(self, token)

    def suspended(self, token: str) -> bool:
        """Whether this machine has stopped or frozen the starter, the process or a child of it."""
        pids = [*self.pids(token)]
        for pid in pids:
            pids += process_stats.children(pid)
        return any(map(process_stats.suspended, (self.pid, *pids)))

    def kill_unreported(self, token: str) -> None:
        """Kill a process that was requested but whose PID is still unknown."""
        with suppress(SandboxUnavailable):  # all processes are gone, or the caller tries again
            self.request(token.encode(), ())

    def kill(self) -> None:
        """Kill the starter; the kernel then kills its sandboxes."""
        self._process.kill()

    def close(self) -> None:
        """End the starter together with its sandboxes."""
        with suppress(OSError):  # already closed
            # Unlike close, this works even if other processes hold copies of the socket.
            self.control.shutdown(socket.SHUT_RDWR)
        try:
            self._process.communicate(timeout=_ENDING_S)
        except subprocess.TimeoutExpired:  # the starter has been stopped (SIGSTOP)
            self.kill()
            self._process.communicate()
        self.has_ended = True
        with suppress(OSError):
            self.control.close()


@dataclass(frozen=True, slots=True)
class FilesNamespace:
    """A mount namespace with the bots' root directory at `ROOT` and their image at `IMAGE`.

    starter: starts bubblewrap in the namespace. mappings: (address, length) of each file that this
    process maps to keep it out of swap. creator: the PID of the process that created the namespace.
    """

    starter: Starter
    mappings: tuple[tuple[int, int], ...]
    creator: int

    @property
    def is_usable(self) -> bool:
        """Whether this process created the namespace, and its starter still runs."""
        if self.creator != os.getpid():
            return False
        self.starter.listen()
        return not self.starter.has_ended


def ensure_namespace(
    bubblewrap: str, python: Interpreter, root: Path, image: Path
) -> FilesNamespace:
    """The namespace with copies of these two folders; the first call creates it.

    bubblewrap: the path of that program. python: runs the starter. Raises SandboxUnavailable.
    """
    with _lock:
        namespace = _cache.get((root, image))
        if namespace is None or not namespace.is_usable:
            _release(_cache.pop((root, image), None))
            namespace = _cache[root, image] = _create(bubblewrap, python, root, image)
        return namespace


def release() -> None:
    """Free the memory of the copies; the next sandbox creates them again."""
    with _lock:
        while _cache:
            _release(_cache.popitem()[1])


atexit.register(release)


def _release(namespace: FilesNamespace | None) -> None:
    if namespace is None:
        return
    library = ctypes.CDLL(None)
    for start, size in namespace.mappings:
        library.munmap(ctypes.c_void_p(start), ctypes.c_size_t(size))
    if namespace.creator == os.getpid():
        namespace.starter.close()
    else:
        namespace.starter.control.close()  # the parent process still uses the starter


def _create(bubblewrap: str, python: Interpreter, root: Path, image: Path) -> FilesNamespace:
    try:
        starter = Starter(bubblewrap, python, root, image)
        files = _files(Path(f"/proc/{starter.pid}/root{_MOUNTED}"))
        return FilesNamespace(starter, tuple(filter(None, map(_map_file, files))), os.getpid())
    except OSError as error:
        raise SandboxUnavailable(
            f"The files that bots see cannot be kept in memory: {error}"
        ) from error


@contextmanager
def _namespaces(bubblewrap: str, python: Interpreter) -> Iterator[list[int]]:
    """A new mount namespace with an empty tmpfs and, unless we are root, a new user namespace.

    Yields their descriptors. Raises OSError, SandboxUnavailable.
    """
    kinds, user_options = ["mnt"], []
    if os.geteuid() != 0:
        kinds, user_options = ["mnt", "user"], ["--unshare-user", "--uid", "0", "--gid", "0"]
    with ExitStack() as stack:
        info, info_end = os.pipe()
        stack.callback(os.close, info)
        stack.callback(os.close, info_end)
        view = ["--dev-bind", "/", "/", "--tmpfs", _MOUNTED]
        command = [
            bubblewrap,
            *user_options,
            "--info-fd",
            str(info_end),
            *view,
            "--",
            str(python.path),
        ]
        keeper = stack.enter_context(
            _popen([*command, "-I", "-S", "-c", _KEEP_NAMESPACES], [info_end])
        )
        if not keeper.stdout or not readable(keeper.stdout.fileno(), _START_S * 1000):
            raise _start_error(keeper)
        if os.read(keeper.stdout.fileno(), 1) != b".":
            raise _start_error(keeper)
        pid = json.loads(os.read(info, 4096))["child-pid"]
        descriptors = []
        for kind in kinds:
            descriptors.append(os.open(f"/proc/{pid}/ns/{kind}", os.O_RDONLY | os.O_CLOEXEC))
            stack.callback(os.close, descriptors[-1])
        yield descriptors


def _nsenter_command(namespaces: Sequence[int]) -> list[str]:
    """The prefix of a command that runs in these namespaces. Raises SandboxUnavailable."""
    helper = executables.find("nsenter")
    if helper is None:
        raise SandboxUnavailable("nsenter (of util-linux) is not installed.")
    mount_namespace, *user_namespaces = [f"/proc/self/fd/{fd}" for fd in namespaces]
    options = [
        option for fd in user_namespaces for option in (f"--user={fd}", "--preserve-credentials")
    ]
    return [helper, f"--mount={mount_namespace}", *options, "--"]


def _popen(command: list[str], descriptors: Sequence[int]) -> subprocess.Popen[bytes]:
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


def _start_error(process: subprocess.Popen[bytes]) -> SandboxUnavailable:
    """The error of a process that failed, with its error output."""
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


def _map_file(path: Path) -> tuple[int, int] | None:
    """Map a file to keep it out of swap, locked if that is allowed; return its address and length.

    The first read of a page in swap is slow. A bot could therefore leave a message by reading some
    pages, and another bot could time its reads. The kernel swaps mapped pages last and locked pages
    never.
    """
    library = ctypes.CDLL(None, use_errno=True)
    library.mmap.restype = ctypes.c_void_p
    size = path.stat().st_size
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        for flags in (_LOCKED, _POPULATED):
            start = library.mmap(None, ctypes.c_size_t(size), mmap.PROT_READ, flags, fd, _OFFSET)
            if start != _FAILED:
                return int(start), size
    finally:
        os.close(fd)
    return None
