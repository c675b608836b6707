"""Forks runners inside the sandbox, so that seats need not start an interpreter.

This is a separate program beside `runner`. A worker starts it once, in the root directory that bots
see. It never communicates with a bot: for each request it forks a monitor, which switches to the
seat's UID, enters new namespaces and forks the runner. Together they do the work of bubblewrap,
except for the root directory, which they inherit. The monitor waits for the runner and exits with
its status.

Messages over the control socket, one packet each:
    TOKEN UID BYTES (from the worker), with the three pipes of the seat. UID -1: keep the current
        UID. BYTES: the size of /tmp.
    `at TOKEN` (from the monitor, then from the runner); the kernel attaches the sender's PID
        (SCM_CREDENTIALS).
    `end TOKEN STATUS USER SYSTEM PEAK` (from the server); the figures are `wait4`'s.
The server exits when the socket is closed; the kernel then kills the processes that it started.

A runner is a copy of the server, so it drops all of the server's objects before it loads a bot.
This module has no classes for that reason: every class is part of a reference cycle, so reference
counting alone would not free it.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

BOT_UID = 1000
"""The UID of a bot inside its sandbox."""
FAILED = 1

_MS_NOSUID, _MS_NODEV = 2, 4
_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_CAPBSET_DROP = 1, 4, 24
_SIGKILL = 9
_BY_SIGNAL = 128
_POLLIN = 1
_CAPABILITIES = 64  # more than exist; the kernel refuses unknown numbers
_CAPABILITY_VERSION = 0x2008_0522
_CLONE_NEWNS, _CLONE_NEWCGROUP, _CLONE_NEWUTS = 0x0002_0000, 0x0200_0000, 0x0400_0000
_CLONE_NEWIPC, _CLONE_NEWUSER, _CLONE_NEWPID = 0x0800_0000, 0x1000_0000, 0x2000_0000
_CLONE_NEWNET = 0x4000_0000
_ALL_NAMESPACES = (
    _CLONE_NEWNS
    | _CLONE_NEWCGROUP
    | _CLONE_NEWUTS
    | _CLONE_NEWIPC
    | _CLONE_NEWUSER
    | _CLONE_NEWPID
    | _CLONE_NEWNET
)
_libc: list[Any] = []


def main() -> None:
    """Serve. Arguments: the runner's file, the engine's folder, the descriptors of the control
    socket and of /proc, then modules of libraries to load."""
    interpreter_modules = set(sys.modules)
    runner_file, engine, control, proc = (
        sys.argv[1],
        sys.argv[2],
        int(sys.argv[3]),
        int(sys.argv[4]),
    )
    sys.path.insert(0, engine)
    runner = __import__("runner")  # in the same folder inside the root
    runner.load_ahead()
    # Load the libraries before `loaded` is recorded, so that runners keep them: a process can load
    # numpy only once.
    runner.load_ahead(tuple(sys.argv[5:]))
    loaded = set(sys.modules) - {"runner"}
    import gc
    import select
    import socket

    libc()
    gc.collect()
    gc.freeze()  # forked processes share pages until one writes to them
    serve(socket.socket(fileno=control), proc)  # returns in a runner
    # From here on the process looks as if it had been started alone.
    modules = sys.modules
    sys.path.remove(engine)
    sys.argv[:] = [runner_file, engine]
    runner.__name__, runner.__file__ = "__main__", runner_file
    for name in set(modules) - loaded:
        del modules[name]
    vars(modules["__main__"]).clear()
    modules["__main__"] = runner
    del runner_file, engine, control, proc, gc, socket, select, modules, name, loaded
    runner.run_bot(interpreter_modules)


def serve(control: Any, proc: int) -> None:
    """Answer requests until the worker has ended; returns in each forked runner.

    control: the socket. proc: a descriptor of the machine's /proc, because the sandbox's root
    directory has none.
    """
    import select

    poll = select.poll()
    poll.register(control.fileno(), _POLLIN)
    monitors: dict[int, tuple[bytes, int]] = {}  # token and PID by pidfd
    while True:
        for fd, _ in poll.poll():
            if fd != control.fileno():
                poll.unregister(fd)
                report_end(control, fd, *monitors.pop(fd))
                continue
            message, ancillary, _, _ = control.recvmsg(256, 1024)
            if not message:
                os._exit(0)
            pipes = [
                int.from_bytes(data[offset : offset + 4], sys.byteorder)
                for _, _, data in ancillary
                for offset in range(0, len(data), 4)
            ]
            monitor = os.fork()
            if not monitor:
                run_monitor(control, proc, message, pipes)
                return
            for pipe in pipes:
                os.close(pipe)
            pidfd = os.pidfd_open(monitor)
            monitors[pidfd] = message.split()[0], monitor
            poll.register(pidfd, _POLLIN)


def report_end(control: Any, pidfd: int, token: bytes, monitor: int) -> None:
    """Report the exit status and the resource use of a monitor that ended."""
    os.close(pidfd)
    _, status, used = os.wait4(monitor, 0)
    figures = (status, used.ru_utime, used.ru_stime, used.ru_maxrss)
    try:
        control.send(b"end %s %s" % (token, " ".join(map(str, figures)).encode()))
    except OSError:  # the worker is gone
        os._exit(0)


def run_monitor(control: Any, proc: int, message: bytes, pipes: list[int]) -> None:
    """As the monitor: switch to the seat's UID, enter new namespaces, fork the runner and wait.

    Returns in the runner.
    """
    token, uid_text, size = message.split()
    uid = int(uid_text)
    try:
        os.setsid()
        if uid >= 0:
            os.setgroups([])
            os.setresgid(uid, uid, uid)
            os.setresuid(uid, uid, uid)
            call_c("prctl", _PR_SET_DUMPABLE, 1)  # otherwise root owns /proc/self
        die_with_parent()
        call_c("unshare", _ALL_NAMESPACES)
        map_uid(proc, BOT_UID if uid < 0 else uid)
        control.send(b"at " + token)
        runner = os.fork()
        if not runner:
            enter_sandbox(control, proc, token, int(size), pipes)
            return
        close_from(0)
        _, status = os.waitpid(runner, 0)
        code = os.waitstatus_to_exitcode(status)
        os._exit(code if code >= 0 else _BY_SIGNAL - code)
    except OSError as error:
        os.write(pipes[2], f"cardroom: {error}\n".encode())
        os._exit(FAILED)


def enter_sandbox(control: Any, proc: int, token: bytes, size: int, pipes: list[int]) -> None:
    """As the runner: mount /tmp, drop every capability, close all descriptors but the pipes."""
    die_with_parent()
    os.setsid()
    call_c("sethostname", b"seat", 4)
    call_c(
        *("mount", b"tmpfs", b"/tmp", b"tmpfs", _MS_NOSUID | _MS_NODEV),
        b"mode=0755,size=%d" % size,
    )
    os.chdir("/tmp")  # noqa: S108 - this runner's own
    # Enter a nested user namespace, which has no capabilities in the namespaces above; the limit of
    # 1 prevents any more.
    write(proc, "sys/user/max_user_namespaces", "1")
    call_c("unshare", _CLONE_NEWUSER)
    map_uid(proc, BOT_UID)
    drop_capabilities()
    die_with_parent()  # entering the user namespace has cleared it
    control.send(b"at " + token)
    control.close()
    for place, pipe in enumerate(pipes):
        os.dup2(pipe, place)
    close_from(len(pipes))


def call_c(name: str, *arguments: Any) -> None:
    """Call a function of the C library; integers are passed as unsigned long. Raises OSError."""
    import ctypes

    function = getattr(libc(), name)
    converted = [ctypes.c_ulong(item) if isinstance(item, int) else item for item in arguments]
    if function(*converted) < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")


def libc() -> Any:
    """The C library. Loading it takes as long as all calls of a runner together."""
    if not _libc:
        import ctypes

        _libc.append(ctypes.CDLL(None, use_errno=True))
    return _libc[0]


def close_from(first: int) -> None:
    """Close this descriptor and all higher ones."""
    sys.modules["runner"].close_from(first)


def write(proc: int, name: str, text: str) -> None:
    """Write a file of /proc; `self` means this process."""
    fd = os.open(name, os.O_WRONLY | os.O_CLOEXEC, dir_fd=proc)
    try:
        os.write(fd, text.encode())
    finally:
        os.close(fd)


def map_uid(proc: int, outside: int) -> None:
    """Map the bot's UID in this process's new user namespace to the UID `outside` in its parent."""
    write(proc, "self/setgroups", "deny")
    write(proc, "self/uid_map", f"{BOT_UID} {outside} 1")
    write(proc, "self/gid_map", f"{BOT_UID} {outside} 1")


def die_with_parent() -> None:
    """Have the kernel kill this process when its parent dies.

    The kernel clears this when the process changes its credentials.
    """
    call_c("prctl", _PR_SET_PDEATHSIG, _SIGKILL)


def drop_capabilities() -> None:
    """Drop every capability for good."""
    import ctypes

    for number in range(_CAPABILITIES):
        try:
            call_c("prctl", _PR_CAPBSET_DROP, number)
        except OSError:
            break
    header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION, 0)
    call_c("capset", header, (ctypes.c_uint32 * 6)())


if __name__ == "__main__":
    main()
