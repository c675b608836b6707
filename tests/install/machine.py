"""Boots an empty Debian with systemd in its own namespaces, which share the network."""

from __future__ import annotations

import os
import pty
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

HERE: Final = Path(__file__).parent
PORTS: Final = (80, 443, 2019, 5432, 6379, 8000)
"""Ports of Caddy, PostgreSQL, Redis and the web server, which must be free on this machine."""
PACKAGES: Final = ("ca-certificates", "dbus", "systemd", "systemd-sysv")
MASKED: Final = ("systemd-sysctl.service", "systemd-timesyncd.service")
"""Units that would change this kernel's settings or clock."""
BOOT_SECONDS: Final = 60.0
BUNDLE: Final = Path("/etc/ssl/certs/ca-certificates.crt")


def missing() -> str:
    """The reason why this machine cannot run the test; empty if it can."""
    if os.geteuid() != 0:
        return "it needs root"
    for program in ("mmdebstrap", "unshare", "nsenter"):
        if shutil.which(program) is None:
            return f"{program} is missing: apt-get install mmdebstrap util-linux"
    return taken_port(PORTS)


def taken_port(ports: Sequence[int]) -> str:
    """A message about a port that is in use; empty if all are free."""
    for port in ports:
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("0.0.0.0", port))
            except OSError:
                return f"port {port} is taken, and the test shares this machine's network"
    return ""


@dataclass
class Machine:
    """A booted Debian."""

    root: Path
    pid: int
    """The id of its first process on this machine."""

    def run(self, script: str, typed: Sequence[str] = ()) -> str:
        """Run a shell script and return its output; raises SystemExit if it fails.

        typed: the answers to its prompts.
        """
        environment = ["env", "-i", "HOME=/root", "LANG=C.UTF-8", "TERM=dumb"]
        environment += ["PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"]
        command = ["nsenter", f"--target={self.pid}", "--all", *environment]
        command += ["bash", "-euo", "pipefail", "-c", script]
        main, terminal = pty.openpty()
        lines, answers = [], list(typed)
        with subprocess.Popen(
            command,
            stdin=terminal,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        ) as process:
            assert process.stdout is not None
            while chunk := os.read(process.stdout.fileno(), 65536):
                lines.append(chunk.decode(errors="replace"))
                sys.stdout.write(lines[-1])
                sys.stdout.flush()
                if answers and lines[-1].endswith(": "):
                    time.sleep(0.5)  # a password prompt discards earlier input
                    os.write(main, f"{answers.pop(0)}\n".encode())
        os.close(main)
        os.close(terminal)
        if process.returncode:
            journal = ["journalctl", "--no-pager", "--lines=40"]
            subprocess.run([*command[:3], *journal], check=False)
            sys.exit(f"The page's commands fail (status {process.returncode}):\n{script}")
        return "".join(lines)


def unpack(root: Path, suite: str) -> None:
    """Unpack an empty Debian with systemd."""
    include = f"--include={','.join(PACKAGES)}"
    subprocess.run(
        ["mmdebstrap", "--quiet", "--variant=minbase", include, suite, str(root)], check=True
    )
    shutil.copy("/etc/resolv.conf", root / "etc" / "resolv.conf")
    for unit in MASKED:
        (root / "etc" / "systemd" / "system" / unit).symlink_to("/dev/null")


@contextmanager
def boot(root: Path) -> Iterator[Machine]:
    """Boot a Debian, and end all its processes afterwards."""
    command = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "--uts", "--ipc"]
    command += ["--cgroup", str(HERE / "boot.sh"), str(root)]
    with subprocess.Popen(command, stdin=subprocess.DEVNULL) as outer:
        try:
            yield Machine(root, _first_process(outer))
        finally:
            with suppress(ProcessLookupError):
                outer.send_signal(signal.SIGKILL)  # the kernel then ends the whole namespace


def _first_process(outer: subprocess.Popen[bytes]) -> int:
    until = time.monotonic() + BOOT_SECONDS
    children = Path(f"/proc/{outer.pid}/task/{outer.pid}/children")
    while time.monotonic() < until and outer.poll() is None:
        with suppress(OSError, ValueError, IndexError):
            pid = int(children.read_text().split()[0])
            command = ["nsenter", f"--target={pid}", "--all", "systemctl", "is-system-running"]
            process = subprocess.run(command, capture_output=True, text=True, check=False)
            if process.stdout.strip() in {"running", "degraded"}:
                return pid
        time.sleep(0.5)
    sys.exit("Debian does not boot in a namespace here.")
