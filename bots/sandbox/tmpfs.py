"""Keeps the files that bots see on a tmpfs, where looking a name up leaves nothing behind.

The file system of a disk remembers each name that somebody asked for in vain (a negative dentry),
and in which folder. The next one who asks is answered faster, so a bot could leave a message for
another, beyond the end of a match. A tmpfs holds all its names in memory and forgets a miss before
the call returns; `bots.sandbox.lookups` measures that it does.

Each process makes a tmpfs of its own, in a mount namespace that lives as long as descriptors of it
are open. Sandboxes start inside that namespace. No other program sees the files, so nothing has to
be cleaned up. A forked process makes its own: two processes that map the same page can tell, by the
processor's caches, which lines of it the other has read, on whatever core they run.
"""

from __future__ import annotations

import ctypes
import json
import mmap
import os
import select
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

from bots.sandbox import programs
from bots.sandbox.interpreter import Interpreter
from bots.sandbox.model import SandboxUnavailable

# Every machine has this folder, and nothing needs it that is started in the namespace.
_MOUNTED: Final = "/sys"
ROOT: Final = f"{_MOUNTED}/root"
IMAGE: Final = f"{_MOUNTED}/image"
_MAKING_S: Final = 60.0  # it takes 0.1 s; the rest is patience with a busy machine
_MADE: Final = b"made\n"
# It writes large pages where the kernel has them (Linux 6.14): an interpreter on small ones starts
# 1 ms later. Once all is written the kernel may join no more of them: it joins what bots have read,
# and others could tell by the time that reading takes. 0x26: MS_REMOUNT, MS_NODEV, MS_NOSUID.
_COPY: Final = """
import ctypes, os, sys
def remount(option):
    return not ctypes.CDLL(None).mount(None, sys.argv[1].encode(), None, 0x26, option)
def dated(path, status):
    times = status.st_mtime_ns, status.st_mtime_ns
    os.utime(path, ns=times, follow_symlinks=False)
def copy(source, target):
    os.mkdir(target)
    for entry in os.scandir(source):
        path, status = f"{target}/{entry.name}", entry.stat(follow_symlinks=False)
        if entry.is_symlink():
            os.symlink(os.readlink(entry.path), path)
        elif entry.is_dir():
            copy(entry.path, path)
            continue
        else:
            whole = os.open(entry.path, os.O_RDONLY)
            made = os.open(path, os.O_WRONLY | os.O_CREAT, status.st_mode & 0o777)
            left = status.st_size
            while left:
                left -= os.write(made, os.read(whole, 1 << 22)) or sys.exit(f"{path}: too short")
            os.close(whole)
            os.close(made)
        dated(path, status)
    dated(target, os.stat(source))
os.umask(0o022)
large = remount(b"huge=within_size")
for source, target in zip(sys.argv[2::2], sys.argv[3::2]):
    copy(source, target)
if large and not remount(b"huge=never"):
    sys.exit("the kernel would go on joining pages")
os.write(1, b"made\\n")
os.read(0, 1)
"""
_KINDS: Final = frozenset({"mnt:", "user"})
# The module `mmap` would keep a descriptor of each file.
_POPULATED: Final = mmap.MAP_SHARED | getattr(mmap, "MAP_POPULATE", 0)
_LOCKED: Final = _POPULATED | 0x2000  # MAP_LOCKED
_FAILED: Final = ctypes.c_void_p(-1).value
_START: Final = ctypes.c_long(0)

_lock = threading.Lock()
_made: dict[tuple[Path, Path], Shown] = {}


@dataclass(frozen=True, slots=True)
class Shown:
    """A mount namespace that has a root for bots at `ROOT` and their image at `IMAGE`.

    mounts: its descriptor. users: that of the user namespace which owns it; None: the machine's.
    mapped: addresses and lengths of the files, which are kept from swap.
    process: whose it is.
    """

    mounts: int
    users: int | None
    mapped: tuple[tuple[int, int], ...]
    process: int

    @property
    def stands(self) -> bool:
        """Whether it is this process's, and nobody has closed its descriptors."""
        if self.process != os.getpid():
            return False
        try:
            kinds = [str(Path(f"/proc/self/fd/{fd}").readlink())[:4] for fd in self.descriptors]
        except OSError:
            return False
        return _KINDS.issuperset(kinds)

    @property
    def descriptors(self) -> tuple[int, ...]:
        """What a child must inherit to enter."""
        return (self.mounts,) if self.users is None else (self.mounts, self.users)

    def entering(self, uid: int = -1) -> list[str]:
        """The words before a command that is to run in it. Raises SandboxUnavailable.

        uid: the user and group that the command gets, without further groups; -1: ours. A helper
        changes both after our process was left: that lets Python start it by vfork. To do it itself
        Python must fork, and to copy the page tables of a 100 MiB worker takes 4 ms.
        """
        helper = programs.find("nsenter")
        if helper is None:
            raise SandboxUnavailable("nsenter (of util-linux) is not installed.")
        words = [helper, f"--mount=/proc/self/fd/{self.mounts}"]
        if self.users is not None:
            words += [f"--user=/proc/self/fd/{self.users}", "--preserve-credentials"]
        if uid >= 0:
            words += [f"--setuid={uid}", f"--setgid={uid}"]
        return [*words, "--"]


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


def _leave(shown: Shown | None) -> None:
    if shown is None:
        return
    library = ctypes.CDLL(None)
    for start, size in shown.mapped:
        library.munmap(ctypes.c_void_p(start), ctypes.c_size_t(size))
    for fd in shown.descriptors:
        with suppress(OSError):  # somebody has closed it
            os.close(fd)


def _make(bubblewrap: str, python: Interpreter, root: Path, image: Path) -> Shown:
    command = [bubblewrap]
    if os.geteuid() != 0:
        command += ["--unshare-user", "--uid", "0", "--gid", "0", "--cap-add", "CAP_SYS_ADMIN"]
    with ExitStack() as stack:
        try:
            info, info_end = os.pipe()
            stack.callback(os.close, info)
            stack.callback(os.close, info_end)
            sources = []
            for folder in (root, image):  # by descriptor: what lies below the mount point is hidden
                sources.append(os.open(folder, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC))
                stack.callback(os.close, sources[-1])
            command += ["--info-fd", str(info_end), "--dev-bind", "/", "/", "--tmpfs", _MOUNTED]
            command += ["--", str(python.path), "-I", "-S", "-c", _COPY, _MOUNTED]
            for source, target in zip(sources, (ROOT, IMAGE), strict=True):
                command += [f"/proc/self/fd/{source}", target]
            maker = stack.enter_context(_started(command, (info_end, *sources)))
            _await_copies(maker)
            return _kept(int(json.loads(os.read(info, 4096))["child-pid"]))
        except OSError as error:
            raise SandboxUnavailable(
                f"The files that bots see cannot be kept in memory: {error}"
            ) from error


def _started(command: list[str], descriptors: tuple[int, ...]) -> subprocess.Popen[bytes]:
    """What makes the copies; it ends when its input is closed, as leaving the context does."""
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


def _await_copies(maker: subprocess.Popen[bytes]) -> None:
    """Wait until the copies are made. Raises SandboxUnavailable with what was complained of."""
    made = maker.stdout
    deadline = time.monotonic() + _MAKING_S
    said = b""
    while made and said != _MADE and _readable(made, deadline):
        part = os.read(made.fileno(), len(_MADE))
        if not part:
            break
        said += part
    if said != _MADE:
        maker.kill()
        _, complaint = maker.communicate()
        reason = complaint.decode(errors="replace").strip() or f"exit status {maker.returncode}"
        raise SandboxUnavailable(f"The files that bots see cannot be kept in memory: {reason}")


def _readable(file: IO[bytes], deadline: float) -> bool:
    poll = select.poll()
    poll.register(file, select.POLLIN)
    return bool(poll.poll(max(0.0, deadline - time.monotonic()) * 1000))


def _kept(pid: int) -> Shown:
    """The namespaces of a process, kept beyond its end."""
    mounts = os.open(f"/proc/{pid}/ns/mnt", os.O_RDONLY | os.O_CLOEXEC)
    users = None
    if os.geteuid() != 0:
        users = os.open(f"/proc/{pid}/ns/user", os.O_RDONLY | os.O_CLOEXEC)
    mapped = map(_kept_from_swap, _files(Path(f"/proc/{pid}/root{_MOUNTED}")))
    return Shown(mounts, users, tuple(filter(None, mapped)), os.getpid())


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
