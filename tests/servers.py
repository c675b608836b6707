"""Real servers for tests, on free ports, in temporary folders."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import pytest
import redis

from cardroom.embedded_broker import find_server
from cardroom.processes import die_with_parent

_databases = count(1)


def free_port() -> int:
    """A port that is currently free."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@dataclass
class Postgres:
    """A running PostgreSQL with one superuser, `cardroom`, without a password."""

    folder: Path
    port: int
    programs: Path
    addresses: str = "127.0.0.1"
    """The addresses on which it listens."""

    def database(self) -> str:
        """Create an empty database and return its URL."""
        name = f"test{next(_databases)}"
        self._run("createdb", "-h", "127.0.0.1", "-p", str(self.port), "-U", "cardroom", name)
        return f"postgres://cardroom@127.0.0.1:{self.port}/{name}"

    def dump(self, url: str, file: Path) -> None:
        """Write a database as SQL."""
        sql = subprocess.run(
            [str(self.programs / "pg_dump"), url], check=True, stdout=subprocess.PIPE
        ).stdout
        file.write_bytes(sql)

    def load(self, file: Path, url: str) -> None:
        """Fill a new database with the SQL of `dump`."""
        with file.open("rb") as sql:
            subprocess.run(
                [str(self.programs / "psql"), "-q", "-v", "ON_ERROR_STOP=1", url],
                check=True,
                stdin=sql,
                stdout=subprocess.DEVNULL,
            )

    def start(self) -> None:
        """Start, and wait until it accepts connections."""
        options = (
            f"-c listen_addresses={self.addresses} -p {self.port} -k {self.folder} "
            "-c max_connections=60 -c fsync=off"  # tests simulate no power failures
        )
        self._ctl("start", "-w", "-t", "30", "-l", str(self.folder / "log"), "-o", options)

    def crash(self) -> None:
        """Stop abruptly: all connections break, and the next start replays the log."""
        self._ctl("stop", "-m", "immediate", check=False)

    def stop(self) -> None:
        """Stop in order."""
        self._ctl("stop", "-m", "fast", check=False)

    def _ctl(self, *arguments: str, check: bool = True) -> None:
        self._run("pg_ctl", "-D", str(self.folder / "data"), *arguments, check=check)

    def _run(self, program: str, *arguments: str, check: bool = True) -> None:
        user, group = _other_user()
        subprocess.run(
            [str(self.programs / program), *arguments],
            check=check,
            cwd=self.folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            user=user,
            group=group,
            extra_groups=None if user is None else [],
        )


def _other_user() -> tuple[int, int] | tuple[None, None]:
    """The user for PostgreSQL if this process is root: `postgres`, else `nobody`."""
    if os.getuid() != 0:
        return None, None
    for name in ("postgres", "nobody"):
        try:
            user = pwd.getpwnam(name)
        except KeyError:
            continue
        return user.pw_uid, user.pw_gid
    pytest.fail("PostgreSQL does not run as root, and there is no user postgres or nobody here.")


def _postgres_programs() -> Path:
    if initdb := shutil.which("initdb"):
        return Path(initdb).resolve().parent
    versions = Path("/usr/lib/postgresql").glob("*/bin/initdb")
    newest = max(versions, key=lambda path: int(path.parts[4].partition(".")[0]), default=None)
    if newest is None:
        pytest.fail("No PostgreSQL here; `make test` installs it, or: apt-get install postgresql")
    return newest.parent


@contextmanager
def start_postgres(
    parent: Path | None = None, extra_addresses: Sequence[str] = ()
) -> Iterator[Postgres]:
    """A PostgreSQL in a temporary folder in `parent`, stopped and removed at the end.

    It also listens on `extra_addresses`.
    """
    folder = Path(tempfile.mkdtemp(prefix="cardroom-pg-", dir=parent))
    user, group = _other_user()
    if user is not None and group is not None:
        os.chown(folder, user, group)
    server = Postgres(folder, free_port(), _postgres_programs())
    try:
        server._run(
            "initdb",
            *("-D", str(folder / "data"), "-U", "cardroom", "-A", "trust", "-E", "UTF8"),
            *("--locale=C", "--no-sync"),
        )
        if extra_addresses:
            server.addresses = ",".join([server.addresses, *extra_addresses])
            with (folder / "data" / "pg_hba.conf").open("a") as file:
                file.write("host all all samenet trust\n")
        server.start()
        yield server
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)


@dataclass
class Redis:
    """A running Redis-compatible server without persistence."""

    port: int
    process: subprocess.Popen[bytes]
    addresses: tuple[str, ...] = ("127.0.0.1",)
    """The addresses on which it listens."""

    @property
    def url(self) -> str:
        """Its value for REDIS_URL."""
        return f"redis://127.0.0.1:{self.port}/0"

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def start(self) -> None:
        """Start an empty server again."""
        self.process = _redis_process(self.port, self.addresses)


def _redis_process(port: int, addresses: tuple[str, ...]) -> subprocess.Popen[bytes]:
    command = [find_server(), "--port", str(port), "--bind", *addresses, "--protected-mode", "no"]
    command += ["--save", "", "--appendonly", "no", "--dir", tempfile.gettempdir()]
    process = subprocess.Popen(
        command,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        preexec_fn=die_with_parent,
    )
    wait_for(lambda: _accepts(port), "Redis does not start")
    return process


def _accepts(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@contextmanager
def start_redis(*extra_addresses: str) -> Iterator[Redis]:
    """A Redis-compatible server on a free port of 127.0.0.1 and of `extra_addresses`."""
    port, addresses = free_port(), ("127.0.0.1", *extra_addresses)
    server = Redis(port, _redis_process(port, addresses), addresses)
    try:
        yield server
    finally:
        server.kill()


@contextmanager
def breakable(server: Redis) -> Iterator[redis.Redis]:
    """A connection to a server that the test may break; it is repaired afterwards."""
    with redis.Redis.from_url(server.url) as connection:
        yield connection
        repair(server, connection)
        connection.flushall()


def repair(server: Redis, connection: redis.Redis) -> None:
    """Undo `fill_memory`, `hang` and `REPLICAOF`."""
    os.kill(server.process.pid, signal.SIGCONT)
    connection.config_set("maxmemory", "0")
    connection.replicaof("NO", "ONE")


def fill_memory(connection: redis.Redis) -> None:
    """Make the server refuse writes, as if its memory were full."""
    connection.config_set("maxmemory-policy", "noeviction")
    connection.config_set("maxmemory", "1")


def hang(connection: redis.Redis) -> None:
    """Make the server accept connections but answer nothing."""
    os.kill(int(connection.info("server")["process_id"]), signal.SIGSTOP)


def poll_pauses() -> Iterator[float]:
    """Growing pauses between polls, in seconds, because each poll costs processor time."""
    pause = 0.05
    while True:
        yield pause
        pause = min(1.1 * pause, 0.25)


def wait_for(condition: Callable[[], object], problem: str, seconds: float = 20.0) -> None:
    """Wait until a condition is true; fail with `problem` after `seconds`."""
    until = time.monotonic() + seconds
    for pause in poll_pauses():
        if condition():
            return
        if time.monotonic() > until:
            pytest.fail(f"{problem} within {seconds:.0f} s.")
        time.sleep(pause)
