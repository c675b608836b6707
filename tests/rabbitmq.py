"""Starts a real RabbitMQ for tests, if one is installed."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from kombu import Connection

from cardroom.processes import die_with_parent
from tests.servers import free_port, wait_for

NOT_INSTALLED = "There is no RabbitMQ here; install it with: apt-get install rabbitmq-server"
MAX_START_SECONDS = 120.0
"""An idle machine needs about five."""


def _program() -> Path | None:
    """The server's own program, because Debian's command requires a special user."""
    programs = sorted(Path("/usr/lib/rabbitmq").glob("bin/rabbitmq-server"))
    if programs:
        return programs[0]
    command = shutil.which("rabbitmq-server")
    return Path(command) if command else None


@contextmanager
def start_rabbitmq() -> Iterator[str]:
    """The address of a RabbitMQ in a temporary folder, stopped and removed at the end.

    Skips the test if RabbitMQ is not installed.
    """
    program = _program()
    if program is None:
        pytest.skip(NOT_INSTALLED)
    folder = Path(tempfile.mkdtemp(prefix="cardroom-rabbit-"))
    port, distribution = free_port(), free_port()
    environment = {
        **{key: os.environ[key] for key in ("PATH", "LANG") if key in os.environ},
        "HOME": str(folder),
        "ERL_EPMD_PORT": str(free_port()),
        "ERL_EPMD_ADDRESS": "127.0.0.1",
        "RABBITMQ_NODENAME": f"test{port}@localhost",
        "RABBITMQ_NODE_IP_ADDRESS": "127.0.0.1",
        "RABBITMQ_NODE_PORT": str(port),
        "RABBITMQ_DIST_PORT": str(distribution),
        "RABBITMQ_MNESIA_BASE": str(folder / "data"),
        "RABBITMQ_LOG_BASE": str(folder / "log"),
        "RABBITMQ_ENABLED_PLUGINS_FILE": str(folder / "plugins"),
        "RABBITMQ_CONFIG_FILE": str(folder / "none"),
        "RABBITMQ_CONF_ENV_FILE": str(folder / "none"),
        "RABBITMQ_PID_FILE": str(folder / "pid"),
    }
    log = (folder / "output").open("wb")
    process = subprocess.Popen(
        [program],
        env=environment,
        cwd=folder,
        stdout=log,
        stderr=subprocess.STDOUT,
        preexec_fn=die_with_parent,
    )
    url = f"amqp://guest:guest@127.0.0.1:{port}//"
    try:
        wait_for(
            lambda: _answers(url, process, folder), "RabbitMQ does not start", MAX_START_SECONDS
        )
        yield url
    finally:
        _end(folder)
        process.wait()
        log.close()
        shutil.rmtree(folder, ignore_errors=True)


def _answers(url: str, process: subprocess.Popen[bytes], folder: Path) -> bool:
    if process.poll() is not None:
        pytest.fail(f"RabbitMQ has ended: {(folder / 'output').read_text()[-2000:]}")
    try:
        with Connection(url, connect_timeout=5) as connection:
            connection.connect()
    except Exception:  # noqa: BLE001 - any error means that it is not ready
        return False
    return True


def _end(folder: Path) -> None:
    """Kill all processes whose HOME is this folder, because Erlang's port mapper outlives its
    parents."""
    for path in Path("/proc").glob("[0-9]*/environ"):
        with suppress(OSError):
            if f"HOME={folder}".encode() in path.read_bytes().split(b"\0"):
                os.kill(int(path.parent.name), signal.SIGKILL)
