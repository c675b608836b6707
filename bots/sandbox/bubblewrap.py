"""The bubblewrap command of a sandbox."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from bots.sandbox.image import START
from bots.sandbox.model import Limits
from bots.sandbox.root import DEVICES, ENGINE, PYTHON
from bots.sandbox.seccomp import Runtime

BOT: Final = "/tmp/bot"  # noqa: S108 - inside the sandbox, where only this bot lives
# Nothing of ours: a fixed seed for hashes, so that a match repeats exactly, and plain UTF-8. One
# heap for all threads: the C library would reserve 64 MiB of address space for each.
ENVIRONMENT: Final = {
    "HOME": BOT,
    "LANG": "C.UTF-8",
    "LD_LIBRARY_PATH": "/usr/lib",  # whatever folders the loader was built for
    "MALLOC_ARENA_MAX": "1",
    "PATH": "/usr/bin:/bin",
    "PYTHONHASHSEED": "0",
}
# -I would ignore the seed above; these are what else it means.
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


def command(
    program: str,
    runtime: Runtime,
    seen: Path,
    image: Path,
    limits: Limits,
    info_fd: int,
) -> list[str]:
    """The command that starts a runner in a new sandbox.

    program: bubblewrap's path. seen: the root. image: the engine and the runner.
    info_fd: where it will write the runner's process number.
    There is no /proc and no /sys; only /tmp can be written to.
    """
    view = ["--ro-bind", str(seen), "/", "--ro-bind", str(image), ENGINE]
    for device in DEVICES[runtime]:
        view += ["--dev-bind", device, device]
    view += ["--size", str(limits.disk_mib << 20), "--tmpfs", "/tmp", "--chdir", "/tmp"]  # noqa: S108 - see BOT
    environment = [word for pair in ENVIRONMENT.items() for word in ("--setenv", *pair)]
    start = [PYTHON, *PYTHON_FLAGS, f"{ENGINE}/{START}", ENGINE]
    return [program, *_NAMESPACES, "--info-fd", str(info_fd), *view, *environment, "--", *start]
