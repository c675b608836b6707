"""The bubblewrap command of a sandbox."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final

from bots.sandbox.image import NOTHING, START
from bots.sandbox.interpreter import Interpreter
from bots.sandbox.model import Limits

ENGINE: Final = "/cardroom"
BOT: Final = "/tmp/bot"  # noqa: S108 - inside the sandbox, where only this bot lives
# Nothing of ours: a fixed seed for hashes, so that a match repeats exactly, and plain UTF-8.
ENVIRONMENT: Final = {
    "HOME": BOT,
    "LANG": "C.UTF-8",
    "PATH": "/usr/local/bin:/usr/bin:/bin",
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
    python: Interpreter,
    image: Path,
    limits: Limits,
    info_fd: int,
    arguments: tuple[str, ...],
) -> list[str]:
    """The command that starts a runner in a new sandbox.

    program: bubblewrap's path. info_fd: where it will write the runner's process number.
    There is no /proc, of /dev only `null` and `urandom`; only /tmp can be written to.
    """
    read_only = [Path("/usr"), *([python.prefix] if python.prefix else [])]
    view = ["--size", str(limits.disk_mib << 20), "--tmpfs", "/tmp"]  # noqa: S108 - see BOT
    for folder in read_only:  # after /tmp: an interpreter may lie there
        view += ["--ro-bind", str(folder), str(folder)]
    for name in ("lib", "lib64", "bin"):
        view += _system_folder(name)
    if Path("/etc/ld.so.cache").exists():
        view += ["--ro-bind", "/etc/ld.so.cache", "/etc/ld.so.cache"]
    for device in ("/dev/null", "/dev/urandom"):
        view += ["--dev-bind", device, device]
    for folder in _installed_packages(python):
        view += ["--ro-bind", str(image / NOTHING), str(folder)]
    view += ["--ro-bind", str(image), ENGINE]
    view += ["--remount-ro", "/", "--chdir", "/tmp"]  # noqa: S108 - see BOT
    variables = dict(ENVIRONMENT)
    if python.prefix:  # where a moved interpreter finds its own library
        variables["LD_LIBRARY_PATH"] = str(python.prefix / "lib")
    environment = [word for pair in variables.items() for word in ("--setenv", *pair)]
    start = [str(python.path), *PYTHON_FLAGS, f"{ENGINE}/{START}", ENGINE, *arguments]
    return [program, *_NAMESPACES, "--info-fd", str(info_fd), *view, *environment, "--", *start]


@cache
def _installed_packages(python: Interpreter) -> tuple[Path, ...]:
    """Folders of installed packages, to be hidden: the platform itself may be among them."""
    tops = [Path("/usr/local"), *([python.prefix] if python.prefix else [])]
    found = (folder for top in tops for folder in top.glob("lib/python3*/*-packages"))
    return tuple(folder for folder in found if folder.is_dir() and any(folder.iterdir()))


def _system_folder(name: str) -> list[str]:
    """/lib and its like: links into /usr on most systems, folders on old ones."""
    folder = Path("/") / name
    if folder.is_symlink():
        return ["--symlink", str(folder.readlink()), str(folder)]
    return ["--ro-bind", str(folder), str(folder)] if folder.is_dir() else []
