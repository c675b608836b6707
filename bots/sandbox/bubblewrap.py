"""Build the bubblewrap command of a sandbox."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Final

from bots.sandbox import tmpfs
from bots.sandbox.image import START
from bots.sandbox.libraries import LIBRARIES, Needs
from bots.sandbox.model import Limits
from bots.sandbox.rootfs import DEVICES, ENGINE, PYTHON
from bots.sandbox.seccomp import Runtime

BOT: Final = "/tmp/bot"  # noqa: S108 - inside the sandbox, where only this bot lives
# No variable of this process's environment is passed on. A fixed seed for hashes makes matches
# repeat exactly; text is UTF-8. All threads share a heap: otherwise the C library reserves 64 MiB
# of addresses for each.
ENVIRONMENT: Final = {
    "HOME": BOT,
    "LANG": "C.UTF-8",
    "LD_LIBRARY_PATH": "/usr/lib",  # regardless of the folders that the loader was built for
    "MALLOC_ARENA_MAX": "1",
    "PATH": "/usr/bin:/bin",
    "PYTHONHASHSEED": "0",
}
ONE_THREAD: Final = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
"""Added for bots that need libraries, because all seats of a match share a core."""
# The effects of -I, except that -I would ignore the seed above.
PYTHON_FLAGS: Final = ("-s", "-S", "-P", "-B", "-X", "utf8")
_NAMESPACES: Final = (
    "--unshare-all",
    "--unshare-user",
    "--disable-userns",
    "--die-with-parent",
    "--new-session",
    "--as-pid-1",
    "--clearenv",
    "--cap-drop",
    "ALL",
    "--uid",
    "1000",
    "--gid",
    "1000",
    "--hostname",
    "seat",
)
_SERVER_CAPABILITIES: Final = ("CAP_SETUID", "CAP_SETGID", "CAP_KILL")


def command(
    program: str,
    runtime: Runtime,
    limits: Limits,
    info_fd: int,
    *arguments: str,
    needs: Needs = (),
) -> list[str]:
    """The command that starts a runner in a new sandbox.

    `program`: bubblewrap's path; start it in the namespace of `tmpfs.ensure_namespace`, which has
    root and image. `info_fd`: the descriptor to which bubblewrap writes the runner's PID.
    `arguments`: further arguments of the runner. `needs`: libraries of the bot.

    There is no /proc and no /sys; only /tmp can be written to.
    """
    files = [*_visible_files(runtime)]
    files += ["--size", str(limits.disk_mib << 20), "--tmpfs", "/tmp", "--chdir", "/tmp"]  # noqa: S108 - see BOT
    runner = [PYTHON, *PYTHON_FLAGS, f"{ENGINE}/{START}", ENGINE, *arguments]
    info = ("--info-fd", str(info_fd))
    return [program, *_NAMESPACES, *info, *files, *_environment(needs), "--", *runner]


def server_command(program: str, control_fd: int, proc_fd: int, needs: Needs = ()) -> list[str]:
    """The command that starts the server that forks runners (`bots.runner.forkserver`), in the same
    root. `needs`: the libraries that it loads.

    The server gives each runner its UID and namespaces itself, so it has none of its own. As root
    it keeps the capabilities to change UIDs and to kill other users' processes, so that the kernel
    can end forked runners.
    """
    capabilities = [option for name in _SERVER_CAPABILITIES for option in ("--cap-add", name)]
    root_options = ("--cap-drop", "ALL", *capabilities)
    user_options = (
        root_options if os.geteuid() == 0 else ("--unshare-user", "--uid", "1000", "--gid", "1000")
    )
    files = [*_visible_files("python"), "--chdir", "/tmp"]  # noqa: S108 - see BOT
    server = [PYTHON, *PYTHON_FLAGS, f"{ENGINE}/forkserver.py", f"{ENGINE}/{START}", ENGINE]
    server += [str(control_fd), str(proc_fd), *(LIBRARIES[name] for name in needs)]
    lifetime = ("--die-with-parent", "--new-session", "--clearenv")
    return [program, *lifetime, *user_options, *files, *_environment(needs), "--", *server]


def _visible_files(runtime: Runtime) -> Iterator[str]:
    yield from ("--ro-bind", tmpfs.ROOT, "/", "--ro-bind", tmpfs.IMAGE, ENGINE)
    for device in DEVICES[runtime]:
        yield from ("--dev-bind", device, device)


def _environment(needs: Needs) -> list[str]:
    variables = ENVIRONMENT | (ONE_THREAD if needs else {})
    return [option for pair in variables.items() for option in ("--setenv", *pair)]
