"""Copies the files of the sandboxes onto a tmpfs, then starts bubblewrap in that mount namespace.

This is a separate program. A worker runs it in a mount namespace (`bots.sandbox.tmpfs`). It never
communicates with a bot; of each sandbox it knows only the PID.

Messages over the control socket, one packet each:
    `at -` (starter to worker): all files are copied.
    TOKEN and a command, joined by NUL (worker to starter): start the command. The descriptors sent
        with the packet become its descriptors 0, 1, 2 and so on.
    TOKEN alone (worker to starter): kill that command.
    `at TOKEN PID` (starter to worker): the command runs.
    `end TOKEN STATUS USER SYSTEM PEAK` (starter to worker): it ended; the figures are `wait4`'s.
The starter exits when the socket is closed or the worker ends; the kernel then kills its sandboxes.
"""

# ruff: noqa: PTH102, PTH115, PTH116, PTH211 - these paths start with /proc/self/fd

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
_MAX_PACKET = 1 << 17
_MAX_DESCRIPTORS = 16
_NOT_STARTED = 127
# Python ignores these signals; the commands reset them, or they would ignore them, too.
_IGNORED = (signal.SIGPIPE, signal.SIGXFSZ)


def main() -> None:
    """Copy the folders and serve the worker.

    Arguments: descriptor of the control socket, PID of the worker, mount point of the
    tmpfs, then pairs of the descriptor of a folder to copy and the path of its copy.
    """
    control, worker, mount_point = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    os.umask(0o022)
    # Use large pages if the kernel offers them (Linux 6.14): an interpreter starts 1 ms sooner.
    # Once the copies are written, the kernel must not merge more pages: it merges pages that bots
    # have read, and other bots could detect that by timing their own reads.
    large = remount(mount_point, b"huge=within_size")
    for source, target in zip(sys.argv[4::2], sys.argv[5::2], strict=True):
        copy(f"/proc/self/fd/{source}", target)
        os.close(int(source))
    if large and not remount(mount_point, b"huge=never"):
        sys.exit("the kernel would continue to merge pages")
    fcntl.fcntl(control, fcntl.F_SETFD, fcntl.FD_CLOEXEC)
    serve(socket.socket(fileno=control), os.pidfd_open(worker))


def remount(mount_point: str, option: bytes) -> bool:
    """Set an option of a tmpfs; False if the kernel refuses it."""
    flags = _MS_REMOUNT | _MS_NODEV | _MS_NOSUID
    return not ctypes.CDLL(None).mount(None, mount_point.encode(), None, flags, option)


def copy(source: str, target: str) -> None:
    """Copy a folder recursively; keep symbolic links and modification times."""
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
        copy_time(path, status)
    copy_time(target, os.stat(source))


def copy_file(source: str, target: str, status: os.stat_result) -> None:
    """Copy a file in chunks of 4 MiB."""
    reader = os.open(source, os.O_RDONLY)
    writer = os.open(target, os.O_WRONLY | os.O_CREAT, status.st_mode & 0o777)
    bytes_left = status.st_size
    while bytes_left:
        bytes_left -= os.write(writer, os.read(reader, _CHUNK)) or sys.exit(f"{target}: too short")
    os.close(reader)
    os.close(writer)


def copy_time(path: str, status: os.stat_result) -> None:
    """Set the modification time of a file to that in `status`."""
    os.utime(path, ns=(status.st_mtime_ns, status.st_mtime_ns), follow_symlinks=False)


def serve(control: socket.socket, worker: int) -> None:
    """Answer requests until the worker has ended. worker: its pidfd."""
    poll = select.poll()
    poll.register(control.fileno(), select.POLLIN)
    poll.register(worker, select.POLLIN)
    commands: dict[int, tuple[bytes, int]] = {}  # token and PID by pidfd
    control.send(b"at -")
    while True:
        for fd, _ in poll.poll():
            if fd in commands:
                poll.unregister(fd)
                report_end(control, fd, *commands.pop(fd))
                continue
            if fd == worker:
                os._exit(0)
            packet, descriptors, _, _ = socket.recv_fds(
                control, _MAX_PACKET, _MAX_DESCRIPTORS, socket.MSG_CMSG_CLOEXEC
            )
            if not packet:
                os._exit(0)
            token, *command = packet.split(b"\0")
            if not command:
                kill(pid for name, pid in commands.values() if name == token)
            elif pid := start(command, descriptors):
                control.send(b"at %s %d" % (token, pid))
                pidfd = os.pidfd_open(pid)
                commands[pidfd] = token, pid
                poll.register(pidfd, select.POLLIN)
            else:
                control.send(b"end %s %d 0 0 0" % (token, _NOT_STARTED << 8))
            for descriptor in descriptors:
                os.close(descriptor)


def kill(pids: Iterable[int]) -> None:
    """Kill these commands with the remaining processes of their sessions."""
    for pid in pids:
        os.killpg(pid, signal.SIGKILL)


def start(command: list[bytes], descriptors: list[int]) -> int:
    """Start a command; return its PID, or 0 if it cannot be started.

    The kernel numbers received descriptors in ascending order, so no move overwrites a descriptor
    that has yet to be moved.
    """
    moves = [(os.POSIX_SPAWN_DUP2, fd, place) for place, fd in enumerate(descriptors)]
    try:
        return os.posix_spawn(
            command[0], command, {}, file_actions=moves, setsid=True, setsigdef=_IGNORED
        )
    except OSError as error:
        os.write(descriptors[2], f"{command[0]!r} cannot be started: {error}\n".encode())
        return 0


def report_end(control: socket.socket, pidfd: int, token: bytes, pid: int) -> None:
    """Report the exit status and the resource use of a command that ended."""
    os.close(pidfd)
    _, status, used = os.wait4(pid, 0)
    figures = (status, used.ru_utime, used.ru_stime, used.ru_maxrss)
    control.send(b"end %s %s" % (token, " ".join(map(str, figures)).encode()))


if __name__ == "__main__":
    main()
