"""A site on several hosts, with PostgreSQL and Redis."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final
from urllib.error import HTTPError
from urllib.request import urlopen

import psycopg

from tests.faults import hosts
from tests.faults.disks import Disk
from tests.faults.faulty_site import FaultySite
from tests.faults.hosts import Host
from tests.faults.networks import Switch
from tests.servers import Postgres, Redis

ADDRESSES: Final = ("", "api/v1/", "api/v1/tournaments/", "api/v1/status/")
"""Pages and REST endpoints that must work even when Redis does not."""


@dataclass
class Cluster(FaultySite):
    """A housekeeper, a beat and two workers, each on its own host; faults may add hosts."""

    postgres: Postgres
    server: Redis
    database: str
    redis: str
    hosts: list[Host] = field(default_factory=list)
    net: Switch | None = None
    """The network of the workers; None: all hosts share this machine's network."""
    disk: Disk | None = None
    """The database's own disk; None: it uses the machine's."""
    supervised: bool = False
    """Whether hosts that exit are restarted, as `up` and systemd do."""
    _connection: psycopg.Connection[Any] | None = None
    kind = "PostgreSQL, two hosts"

    @property
    def environment(self) -> dict[str, str]:
        """Variables with the URLs of database and broker."""
        return {"DATABASE_URL": self.database, "REDIS_URL": self.redis}

    @property
    def north(self) -> Host:
        """The worker that suffers no faults, unless both do."""
        return self.host("north")

    @property
    def south(self) -> Host:
        """The worker that suffers the faults."""
        return self.host("south")

    def host(self, name: str) -> Host:
        return next(host for host in self.hosts if host.name == name)

    def start(self) -> None:
        """Start the housekeeper, its beat and both workers; they may not be ready yet."""
        self.add(hosts.housekeeper(self.environment))
        self.add(hosts.beat(self.environment))
        for name in ("north", "south"):
            self.add(self._plug_in(hosts.worker(name, self.environment)))

    def serve(self) -> None:
        """Add a web server."""
        host = hosts.web(self.environment)
        host.manage("collectstatic", "--noinput", "--verbosity", "0")
        self.add(host)

    def _plug_in(self, host: Host) -> Host:
        """Move a host into its own network, where database and broker have another address."""
        if self.net is not None:
            host.network = self.net.plug_in(host.name)
            host.environment = self._environment_of(host)
        return host

    def _environment_of(self, host: Host) -> dict[str, str]:
        address = self.net.address if self.net and host.network else "127.0.0.1"
        return {
            name: value.replace("127.0.0.1", address) for name, value in self.environment.items()
        }

    def add(self, host: Host) -> Host:
        """Start another host."""
        self.hosts.append(host)
        host.start()
        return host

    def await_ready(self) -> None:
        """Wait until all hosts work."""
        for host in self.hosts:
            host.await_ready()

    def check_all_run(self) -> None:
        """Fail if a host has ended by itself."""
        self._supervise()
        ended_hosts = [host.name for host in self.hosts if not host.is_running]
        assert not ended_hosts, f"{ended_hosts} ended: {self.output()}"

    def _supervise(self) -> None:
        for host in self.hosts:
            if self.supervised and not host.is_running:
                host.start()

    def restart(self, host: Host, **environment: str) -> None:
        """Stop a host in order and start it again, with these variables in its environment."""
        if host.is_running:
            host.stop()
        host.environment = {**self._environment_of(host), **environment}
        host.start()
        host.await_ready()

    def failed_requests(self) -> dict[str, int]:
        """Pages and REST endpoints that do not respond with status 200, and their statuses."""
        server = hosts.url_of(self.host("web"))
        statuses = {address: fetch_status(f"{server}{address}") for address in ADDRESSES}
        return {address: status for address, status in statuses.items() if status != 200}

    def running_attempts(self, host: Host) -> list[int]:
        """Ids of the running attempts of a host."""
        return self.attempts(f"worker@{host.name}", "running")

    def stored_attempts(self, host: Host) -> list[int]:
        """Ids of the attempts of a host whose result is stored."""
        return self.attempts(f"worker@{host.name}", "stored")

    def await_playing(self, host: Host) -> None:
        """Wait until a host plays a match, or all tournaments are over."""
        self.wait(lambda: self.running_attempts(host) or self.is_over(), f"{host.name} is idle.")

    def await_storing(self, host: Host) -> None:
        """Wait until a host stores another result, or all tournaments are over."""
        count = len(self.stored_attempts(host))
        self.wait(
            lambda: len(self.stored_attempts(host)) > count or self.is_over(),
            f"{host.name} stores nothing.",
        )

    def await_released(self, host: Host) -> None:
        """Wait until a silent host holds no match any more."""
        self.wait(
            lambda: not self.running_attempts(host),
            f"The matches of {host.name}, which failed, are not freed.",
        )

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        self._supervise()
        if self._connection is not None:  # a new connection costs more than the query
            try:
                return self._connection.execute(query.encode()).fetchall()
            except psycopg.Error:
                self._connection.close()
        self._connection = psycopg.connect(self.database, autocommit=True, connect_timeout=5)
        return self._connection.execute(query.encode()).fetchall()

    def output(self) -> str:
        return "".join(host.output() for host in self.hosts)

    def stop(self) -> list[str]:
        for host in self.hosts:
            host.request_stop()
        for host in self.hosts:
            host.await_exit()
        return [f"{host.name}: {name}" for host in self.hosts for name in host.temporary_files()]

    def end(self) -> None:
        """Kill all remaining processes and remove their files."""
        for host in self.hosts:
            host.end()


def fetch_status(address: str) -> int:
    """The HTTP status of a response."""
    try:
        with urlopen(address, timeout=60) as response:
            return int(response.status)
    except HTTPError as error:
        return error.code
