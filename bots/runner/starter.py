"""Copies what bots see onto a tmpfs, and then starts bubblewrap where that tmpfs is.

A program of its own, which a worker starts in a mount namespace (`bots.sandbox.tmpfs`). It meets no
bot, and keeps nothing of a sandbox but its process number.

Messages over the control socket, each a packet:
    from here, once all is copied: `at -`
    from the worker: TOKEN and the words of a command, with a NUL between each two; the descriptors
        that come along are the command's 0, 1, 2 and so on. TOKEN alone: kill what was started
    from here: `at TOKEN PID`, and later `end TOKEN STATUS USER SYSTEM PEAK`, as `wait4` told
When the socket is closed, or the worker gone, it ends, and by the kernel's hand all sandboxes.
"""

# ruff: noqa: PTH102, PTH115, PTH116, PTH211 - names below /proc/self/fd are no usual paths

from __future__ import annotations

import ctypes
import fcntl
import os
import select
import signal
import socket
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_MS_NOSUID, _MS_NODEV, _MS_REMOUNT = 2, 4, 32
_CHUNK = 1 << 22
_MOST_WORDS = 1 << 17
_MOST_DESCRIPTORS = 16
_NOT_STARTED = 127
# Python ignores these, and what it starts would go on to.
_IGNORED = (signal.SIGPIPE, signal.SIGXFSZ)


def main() -> None:
    """Arguments: control socket, the worker's number, mount point, pairs of a folder and a target.

    A folder to be copied is given by its descriptor.
    """
    control, worker, place = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    os.umask(0o022)
    # Large pages where the kernel has them (Linux 6.14): an interpreter on small ones starts 1 ms
    # later. Once all is written the kernel may join no more of them: it joins what bots have read,
    # and others could tell by the time that reading takes.
    large = remount(place, b"huge=within_size")
    for source, target in zip(sys.argv[4::2], sys.argv[5::2], strict=True):
        copy(f"/proc/self/fd/{source}", target)
        os.close(int(source))
    if large and not remount(place, b"huge=never"):
        sys.exit("the kernel would go on joining pages")
    fcntl.fcntl(control, fcntl.F_SETFD, fcntl.FD_CLOEXEC)
    serve(socket.socket(fileno=control), os.pidfd_open(worker))


def remount(place: str, option: bytes) -> bool:
    """Give a tmpfs an option; false where the kernel refuses."""
    flags = _MS_REMOUNT | _MS_NODEV | _MS_NOSUID
    return not ctypes.CDLL(None).mount(None, place.encode(), None, flags, option)


def copy(source: str, target: str) -> None:
    """Copy a folder with all below it, links as links, dated as there."""
    os.mkdir(target)
    for entry in os.scandir(source):
        path, status = f"{target}/{entry.name}", entry.stat(follow_symlinks=False)
        if entry.is_symlink():
            os.symlink(os.readlink(entry.path), path)
        elif entry.is_dir():
            copy(entry.path, path)
            continue
        else:
            copy_file(entry.path, path, status)
        dated(path, status)
    dated(target, os.stat(source))


def copy_file(source: str, target: str, status: os.stat_result) -> None:
    """Copy a file in large parts."""
    whole = os.open(source, os.O_RDONLY)
    made = os.open(target, os.O_WRONLY | os.O_CREAT, status.st_mode & 0o777)
    left = status.st_size
    while left:
        left -= os.write(made, os.read(whole, _CHUNK)) or sys.exit(f"{target}: too short")
    os.close(whole)
    os.close(made)


def dated(path: str, status: os.stat_result) -> None:
    """Give a file the times of another one."""
    os.utime(path, ns=(status.st_mtime_ns, status.st_mtime_ns), follow_symlinks=False)


def serve(control: socket.socket, worker: int) -> None:
    """Answer requests until the worker, a pidfd, is gone."""
    poll = select.poll()
    poll.register(control.fileno(), select.POLLIN)
    poll.register(worker, select.POLLIN)
    started: dict[int, tuple[bytes, int]] = {}  # by its pidfd: token and process
    control.send(b"at -")
    while True:
        for fd, _ in poll.poll():
            if fd in started:
                poll.unregister(fd)
                bury(control, fd, *started.pop(fd))
                continue
            if fd == worker:
                os._exit(0)
            words, descriptors, _, _ = socket.recv_fds(
                control, _MOST_WORDS, _MOST_DESCRIPTORS, socket.MSG_CMSG_CLOEXEC
            )
            if not words:
                os._exit(0)
            token, *command = words.split(b"\0")
            if not command:
                kill(pid for known, pid in started.values() if known == token)
            elif pid := start(command, descriptors):
                control.send(b"at %s %d" % (token, pid))
                ending = os.pidfd_open(pid)
                started[ending] = token, pid
                poll.register(ending, select.POLLIN)
            else:
                control.send(b"end %s %d 0 0 0" % (token, _NOT_STARTED << 8))
            for descriptor in descriptors:
                os.close(descriptor)


def kill(pids: Iterable[int]) -> None:
    """Kill processes that were started here, and what is of their session still."""
    for pid in pids:
        os.killpg(pid, signal.SIGKILL)


def start(command: list[bytes], descriptors: list[int]) -> int:
    """Start a command; its process number, or 0 where there is no such program.

    The descriptors rise, as the kernel gives them out, so none is replaced before it is moved.
    """
    moves = [(os.POSIX_SPAWN_DUP2, fd, place) for place, fd in enumerate(descriptors)]
    try:
        return os.posix_spawn(
            command[0], command, {}, file_actions=moves, setsid=True, setsigdef=_IGNORED
        )
    except OSError as error:
        os.write(descriptors[2], f"{command[0]!r} cannot be started: {error}\n".encode())
        return 0


def bury(control: socket.socket, ending: int, token: bytes, pid: int) -> None:
    """What was started has ended: say how."""
    os.close(ending)
    _, status, used = os.wait4(pid, 0)
    words = (status, used.ru_utime, used.ru_stime, used.ru_maxrss)
    control.send(b"end %s %s" % (token, " ".join(map(str, words)).encode()))


if __name__ == "__main__":
    main()
