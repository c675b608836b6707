"""Forks runners inside the walls, so that no seat pays for starting an interpreter.

A program of its own beside `runner`, started once by a worker in the root that bots see. It never
meets a bot: for each request it forks a monitor, which takes a user and namespaces of its own and
forks the runner into them. The two do what bubblewrap does for a sandbox that is started alone, but
for the root, which they are born in. The monitor waits for the runner and ends as it ended.

Messages over the control socket, each a packet of words:
    from the worker: NUMBER UID BYTES, with the three pipes of the seat. UID -1: keep ours.
        BYTES: the size of /tmp
    from the monitor, then from the runner: `at NUMBER`; the kernel adds their process numbers
    from the server: `end NUMBER STATUS USER SYSTEM PEAK`, as `wait4` told
When the socket is closed the server ends, and by the kernel's hand all that it started.
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
_DESCRIPTORS = 1024  # more than are open here
_CAPABILITIES = 64  # more than there are; the kernel refuses those it does not know
_CAPABILITY_VERSION = 0x2008_0522
# Of users, mounts, processes, networks, IPC, host names, control groups.
_USERS = 0x1000_0000
_NAMESPACES = _USERS | 0x0002_0000 | 0x2000_0000 | 0x4000_0000 | 0x0800_0000 | 0x0400_0000
_NAMESPACES |= 0x0200_0000


class Kernel:
    """Calls that Python has no function for. Raises OSError with the call's name."""

    def __init__(self, proc: int) -> None:
        """proc: the machine's /proc, open; there is none in the root."""
        import ctypes

        self._ctypes: Any = ctypes
        self._libc: Any = ctypes.CDLL(None, use_errno=True)
        self._proc = proc

    def call(self, name: str, *arguments: Any) -> None:
        """Call a function of the C library; integers are as long as a register."""
        known = [
            self._ctypes.c_ulong(word) if isinstance(word, int) else word for word in arguments
        ]
        if getattr(self._libc, name)(*known) < 0:
            number = self._ctypes.get_errno()
            raise OSError(number, f"{name}: {os.strerror(number)}")

    def write(self, name: str, text: str) -> None:
        """Write a file of /proc; `self` is who writes."""
        fd = os.open(name, os.O_WRONLY | os.O_CLOEXEC, dir_fd=self._proc)
        try:
            os.write(fd, text.encode())
        finally:
            os.close(fd)

    def be_user(self, outside: int) -> None:
        """In a new namespace of users: have a number in it. outside: our number outside of it."""
        self.write("self/setgroups", "deny")
        self.write("self/uid_map", f"{OUR_UID} {outside} 1")
        self.write("self/gid_map", f"{OUR_UID} {outside} 1")

    def die_with_parent(self) -> None:
        """Changing users undoes it."""
        self.call("prctl", _PR_SET_PDEATHSIG, _SIGKILL)

    def drop_rights(self) -> None:
        """Give up every capability, and that any could come back."""
        for number in range(_CAPABILITIES):
            try:
                self.call("prctl", _PR_CAPBSET_DROP, number)
            except OSError:
                break
        words = self._ctypes.c_uint32
        header = (words * 2)(_CAPABILITY_VERSION, 0)
        self.call("capset", header, (words * 6)())


def main() -> None:
    """Serve. Arguments: the runner's file, the folder with the engine, control socket, /proc."""
    bare = set(sys.modules)
    start, engine, control, proc = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    sys.path.insert(0, engine)
    import gc
    import select
    import socket

    runner = __import__("runner")  # it lies beside us there
    runner.load_ahead()
    server = Server(socket.socket(fileno=control), Kernel(proc), select.poll())
    gc.collect()
    gc.freeze()  # what nobody writes to stays shared with those that are forked
    server.serve()  # comes back as a runner
    # From here on it looks as if it had been started alone.
    sys.path.remove(engine)
    sys.argv[:] = [start, engine]
    for name in set(sys.modules) - bare - set(runner.NEEDED):
        del sys.modules[name]
    runner.__name__, runner.__file__ = "__main__", start
    sys.modules["__main__"] = runner
    runner.be(bare)


class Server:
    """Waits for requests, and for the ends of the monitors."""

    def __init__(self, control: Any, kernel: Kernel, poll: Any) -> None:
        self.control = control
        self.kernel = kernel
        self.poll = poll
        self.monitors: dict[int, tuple[int, int]] = {}  # by its pidfd: number and process
        poll.register(control.fileno(), 1)  # POLLIN

    def serve(self) -> None:
        """Do so until the worker is gone; returns in each runner that was forked."""
        while True:
            for fd, _ in self.poll.poll():
                if fd != self.control.fileno():
                    self.bury(fd)
                elif self.fork():
                    return

    def fork(self) -> bool:
        """Answer one request; true in the runner."""
        message, rights, _, _ = self.control.recvmsg(256, 1024)
        if not message:
            os._exit(0)
        number, uid, size = map(int, message.split())
        pipes = [
            int.from_bytes(data[at : at + 4], sys.byteorder)
            for _, _, data in rights
            for at in range(0, len(data), 4)
        ]
        monitor = os.fork()
        if not monitor:
            return self.part(number, uid, size, pipes)
        for pipe in pipes:
            os.close(pipe)
        ending = os.pidfd_open(monitor)
        self.monitors[ending] = number, monitor
        self.poll.register(ending, 1)
        return False

    def bury(self, ending: int) -> None:
        """A monitor has ended: say how."""
        number, monitor = self.monitors.pop(ending)
        self.poll.unregister(ending)
        os.close(ending)
        _, status, used = os.wait4(monitor, 0)
        words = (number, status, used.ru_utime, used.ru_stime, used.ru_maxrss)
        try:
            self.control.send(("end " + " ".join(map(str, words))).encode())
        except OSError:  # nobody is there to be told
            os._exit(0)

    def part(self, number: int, uid: int, size: int, pipes: list[int]) -> bool:
        """As the monitor: take a user and namespaces of its own, fork the runner, wait for it."""
        try:
            os.setsid()
            if uid >= 0:
                os.setgroups([])
                os.setresgid(uid, uid, uid)
                os.setresuid(uid, uid, uid)
                self.kernel.call("prctl", _PR_SET_DUMPABLE, 1)  # else /proc/self is root's
            self.kernel.die_with_parent()
            self.kernel.call("unshare", _NAMESPACES)
            self.kernel.be_user(OUR_UID if uid < 0 else uid)
            self.control.send(b"at %d" % number)
            runner = os.fork()
            if not runner:
                self.enter(number, size, pipes)
                return True
            os.closerange(0, _DESCRIPTORS)
            _, status = os.waitpid(runner, 0)
            code = os.waitstatus_to_exitcode(status)
            os._exit(code if code >= 0 else _BY_SIGNAL - code)
        except OSError as error:
            os.write(pipes[2], f"cardroom: {error}\n".encode())
            os._exit(FAILED)

    def enter(self, number: int, size: int, pipes: list[int]) -> None:
        """As the runner: put up what stands inside, give up every right, leave only the pipes."""
        kernel = self.kernel
        kernel.die_with_parent()
        os.setsid()
        kernel.call("sethostname", b"seat", 4)
        kernel.call(
            *("mount", b"tmpfs", b"/tmp", b"tmpfs", _MS_NOSUID | _MS_NODEV),
            b"mode=0755,size=%d" % size,
        )
        os.chdir("/tmp")  # noqa: S108 - this runner's own
        # One namespace of users more, without rights over the others, and none after it.
        kernel.write("sys/user/max_user_namespaces", "1")
        kernel.call("unshare", _USERS)
        kernel.be_user(OUR_UID)
        kernel.drop_rights()
        kernel.die_with_parent()  # a change of users undid it
        self.control.send(b"at %d" % number)
        self.control.detach()
        for place, pipe in enumerate(pipes):
            os.dup2(pipe, place)
        os.closerange(len(pipes), _DESCRIPTORS)


if __name__ == "__main__":
    main()
