"""Forks runners inside the walls, so that no seat pays for starting an interpreter.

A program of its own beside `runner`, started once by a worker in the root that bots see. It never
meets a bot: for each request it forks a monitor, which takes a user and namespaces of its own and
forks the runner into them. The two do what bubblewrap does for a sandbox that is started alone, but
for the root, which they are born in. The monitor waits for the runner and ends as it ended.

Messages over the control socket, each a packet of words:
    from the worker: TOKEN UID BYTES, with the three pipes of the seat. UID -1: keep ours.
        BYTES: the size of /tmp
    from the monitor, then from the runner: `at TOKEN`; the kernel adds their process numbers
    from the server: `end TOKEN STATUS USER SYSTEM PEAK`, as `wait4` told
When the socket is closed the server ends, and by the kernel's hand all that it started.

A runner is a copy of the server, so it leaves all that is the server's before it takes a bot. These
are functions for that reason: a class refers to itself, and would stay.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

OUR_UID = 1000
"""The number that a bot's own user has inside."""
FAILED = 1

_MS_NOSUID, _MS_NODEV = 2, 4
_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_CAPBSET_DROP = 1, 4, 24
_SIGKILL = 9
_BY_SIGNAL = 128
_POLLIN = 1
_CAPABILITIES = 64  # more than there are; the kernel refuses those it does not know
_CAPABILITY_VERSION = 0x2008_0522
# Of users, mounts, processes, networks, IPC, host names, control groups.
_USERS = 0x1000_0000
_NAMESPACES = _USERS | 0x0002_0000 | 0x2000_0000 | 0x4000_0000 | 0x0800_0000 | 0x0400_0000
_NAMESPACES |= 0x0200_0000
_library: list[Any] = []


def main() -> None:
    """Serve. Arguments: the runner's file, the folder with the engine, control socket, /proc."""
    bare = set(sys.modules)
    start, engine, control, proc = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    sys.path.insert(0, engine)
    import gc
    import socket

    runner = __import__("runner")  # it lies beside us there
    runner.load_ahead()
    import select

    library()
    gc.collect()
    gc.freeze()  # what nobody writes to stays shared with those that are forked
    serve(socket.socket(fileno=control), proc)  # comes back as a runner
    # From here on it looks as if it had been started alone, and nothing of the server is left.
    modules = sys.modules
    sys.path.remove(engine)
    sys.argv[:] = [start, engine]
    runner.__name__, runner.__file__ = "__main__", start
    for name in set(modules) - bare - set(runner.NEEDED):
        del modules[name]
    vars(modules["__main__"]).clear()
    modules["__main__"] = runner
    del start, engine, control, proc, gc, socket, select, modules, name
    runner.be(bare)


def serve(control: Any, proc: int) -> None:
    """Answer requests until the worker is gone; returns in each runner that was forked.

    control: the socket. proc: the machine's /proc, open; there is none in the root.
    """
    import select

    poll = select.poll()
    poll.register(control.fileno(), _POLLIN)
    monitors: dict[int, tuple[bytes, int]] = {}  # by its pidfd: token and process
    while True:
        for fd, _ in poll.poll():
            if fd != control.fileno():
                poll.unregister(fd)
                bury(control, fd, *monitors.pop(fd))
                continue
            message, rights, _, _ = control.recvmsg(256, 1024)
            if not message:
                os._exit(0)
            pipes = [
                int.from_bytes(data[at : at + 4], sys.byteorder)
                for _, _, data in rights
                for at in range(0, len(data), 4)
            ]
            monitor = os.fork()
            if not monitor:
                part(control, proc, message, pipes)
                return
            for pipe in pipes:
                os.close(pipe)
            ending = os.pidfd_open(monitor)
            monitors[ending] = message.split()[0], monitor
            poll.register(ending, _POLLIN)


def bury(control: Any, ending: int, token: bytes, monitor: int) -> None:
    """A monitor has ended: say how."""
    os.close(ending)
    _, status, used = os.wait4(monitor, 0)
    words = (status, used.ru_utime, used.ru_stime, used.ru_maxrss)
    try:
        control.send(b"end %s %s" % (token, " ".join(map(str, words)).encode()))
    except OSError:  # nobody is there to be told
        os._exit(0)


def part(control: Any, proc: int, message: bytes, pipes: list[int]) -> None:
    """As the monitor: take a user and namespaces of its own, fork the runner, wait for it.

    Returns in the runner.
    """
    token, uid, size = message.split()
    user = int(uid)
    try:
        os.setsid()
        if user >= 0:
            os.setgroups([])
            os.setresgid(user, user, user)
            os.setresuid(user, user, user)
            call("prctl", _PR_SET_DUMPABLE, 1)  # else /proc/self is root's
        die_with_parent()
        call("unshare", _NAMESPACES)
        be_user(proc, OUR_UID if user < 0 else user)
        control.send(b"at " + token)
        runner = os.fork()
        if not runner:
            enter(control, proc, token, int(size), pipes)
            return
        close_from(0)
        _, status = os.waitpid(runner, 0)
        code = os.waitstatus_to_exitcode(status)
        os._exit(code if code >= 0 else _BY_SIGNAL - code)
    except OSError as error:
        os.write(pipes[2], f"cardroom: {error}\n".encode())
        os._exit(FAILED)


def enter(control: Any, proc: int, token: bytes, size: int, pipes: list[int]) -> None:
    """As the runner: put up what stands inside, give up every right, leave only the pipes."""
    die_with_parent()
    os.setsid()
    call("sethostname", b"seat", 4)
    call(
        *("mount", b"tmpfs", b"/tmp", b"tmpfs", _MS_NOSUID | _MS_NODEV),
        b"mode=0755,size=%d" % size,
    )
    os.chdir("/tmp")  # noqa: S108 - this runner's own
    # One namespace of users more, without rights over the others, and none after it.
    write(proc, "sys/user/max_user_namespaces", "1")
    call("unshare", _USERS)
    be_user(proc, OUR_UID)
    drop_rights()
    die_with_parent()  # a change of users undid it
    control.send(b"at " + token)
    control.close()
    for place, pipe in enumerate(pipes):
        os.dup2(pipe, place)
    close_from(len(pipes))


def call(name: str, *arguments: Any) -> None:
    """Call a function of the C library; integers are as long as a register. Raises OSError."""
    import ctypes

    function = getattr(library(), name)
    known = [ctypes.c_ulong(word) if isinstance(word, int) else word for word in arguments]
    if function(*known) < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")


def library() -> Any:
    """The C library, loaded once: that takes as long as all calls of a runner together."""
    if not _library:
        import ctypes

        _library.append(ctypes.CDLL(None, use_errno=True))
    return _library[0]


def close_from(first: int) -> None:
    """Close this descriptor and all above it, whatever their numbers."""
    sys.modules["runner"].close_from(first)


def write(proc: int, name: str, text: str) -> None:
    """Write a file of /proc; `self` is who writes."""
    fd = os.open(name, os.O_WRONLY | os.O_CLOEXEC, dir_fd=proc)
    try:
        os.write(fd, text.encode())
    finally:
        os.close(fd)


def be_user(proc: int, outside: int) -> None:
    """In a new namespace of users: have a number in it. outside: our number outside of it."""
    write(proc, "self/setgroups", "deny")
    write(proc, "self/uid_map", f"{OUR_UID} {outside} 1")
    write(proc, "self/gid_map", f"{OUR_UID} {outside} 1")


def die_with_parent() -> None:
    """Changing users undoes it."""
    call("prctl", _PR_SET_PDEATHSIG, _SIGKILL)


def drop_rights() -> None:
    """Give up every capability, and that any could come back."""
    import ctypes

    for number in range(_CAPABILITIES):
        try:
            call("prctl", _PR_CAPBSET_DROP, number)
        except OSError:
            break
    header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION, 0)
    call("capset", header, (ctypes.c_uint32 * 6)())


if __name__ == "__main__":
    main()
