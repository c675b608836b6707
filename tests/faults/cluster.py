"""A site on several hosts, with PostgreSQL and Redis."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final
from urllib.error import HTTPError
from urllib.request import urlopen

import psycopg

from tests.faults import hosts
from tests.faults.disks import Disk
from tests.faults.ground import Ground
from tests.faults.hosts import Host
from tests.faults.networks import Switch
from tests.servers import Postgres, Redis

ADDRESSES: Final = ("", "api/v1/", "api/v1/tournaments/", "api/v1/status/")
"""Pages and REST that must answer, whatever Redis does."""


@dataclass
class Cluster(Ground):
    """A housekeeper, a beat and two workers, each a host, besides what a fault adds."""

    postgres: Postgres
    server: Redis
    database: str
    redis: str
    hosts: list[Host] = field(default_factory=list)
    net: Switch | None = None
    """What the workers are plugged into; None: all share this machine's network."""
    disk: Disk | None = None
    """That of the database alone; None: it shares the machine's."""
    supervised: bool = False
    """Whether hosts that exit are restarted, as `up` and systemd do."""
    _asking: psycopg.Connection[Any] | None = None
    kind = "PostgreSQL, two hosts"

    @property
    def environment(self) -> dict[str, str]:
        """Where a host finds database and broker."""
        return {"DATABASE_URL": self.database, "REDIS_URL": self.redis}

    @property
    def north(self) -> Host:
        """A worker."""
        return self.host("north")

    @property
    def south(self) -> Host:
        """The other worker: the one that comes to harm where one does."""
        return self.host("south")

    def host(self, name: str) -> Host:
        """The host of this name."""
        return next(host for host in self.hosts if host.name == name)

    def start(self) -> None:
        """Start the housekeeper, its beat and both workers; they need not be ready."""
        self.add(hosts.housekeeper(self.environment))
        self.add(hosts.beat(self.environment))
        for name in ("north", "south"):
            self.add(self._plugged_in(hosts.worker(name, self.environment)))

    def serve(self) -> None:
        """Start a web server."""
        host = hosts.web(self.environment)
        host.manage("collectstatic", "--noinput", "--verbosity", "0")
        self.add(host)

    def _plugged_in(self, host: Host) -> Host:
        """The host in a network of its own; database and broker have another address there."""
        if self.net is not None:
            host.within = self.net.plug_in(host.name)
            host.environment = self._seen_by(host)
        return host

    def _seen_by(self, host: Host) -> dict[str, str]:
        address = self.net.address if self.net and host.within else "127.0.0.1"
        return {
            name: value.replace("127.0.0.1", address) for name, value in self.environment.items()
        }

    def add(self, host: Host) -> Host:
        """Start one host more."""
        self.hosts.append(host)
        host.start()
        return host

    def await_ready(self) -> None:
        """Wait until all hosts work."""
        for host in self.hosts:
            host.await_ready()

    def all_live(self) -> None:
        """Hosts must not end by themselves, whatever happens to others."""
        self._supervise()
        dead = [host.name for host in self.hosts if not host.lives]
        assert not dead, f"{dead} ended: {self.output()}"

    def _supervise(self) -> None:
        for host in self.hosts:
            if self.supervised and not host.lives:
                host.start()

    def restart(self, host: Host, **environment: str) -> None:
        """Stop a host in good order and start it anew, with this in its environment."""
        if host.lives:
            host.stop()
        host.environment = {**self._seen_by(host), **environment}
        host.start()
        host.await_ready()

    def refused(self) -> dict[str, int]:
        """Pages and REST that do not answer as they should, with what they answer."""
        server = hosts.address_of(self.host("web"))
        answers = {address: status_of(f"{server}{address}") for address in ADDRESSES}
        return {address: status for address, status in answers.items() if status != 200}

    def running(self, host: Host) -> list[int]:
        """The attempts that a host holds."""
        return self.attempts(f"worker@{host.name}", "running")

    def stored(self, host: Host) -> list[int]:
        """The attempts by which a host stored a result."""
        return self.attempts(f"worker@{host.name}", "stored")

    def await_playing(self, host: Host) -> None:
        """Wait until a host has a match; there may be none left."""
        self.wait(lambda: self.running(host) or self.over(), f"{host.name} is idle.")

    def await_storing(self, host: Host) -> None:
        """Wait until a host stores one result more; there may be none left."""
        known = len(self.stored(host))
        self.wait(
            lambda: len(self.stored(host)) > known or self.over(), f"{host.name} stores nothing."
        )

    def await_taken_back(self, host: Host) -> None:
        """Wait until a host that says nothing any more holds nothing any more."""
        self.wait(
            lambda: not self.running(host),
            f"What {host.name} had when it failed is not taken back.",
        )

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        self._supervise()
        if self._asking is not None:  # a connection costs more than what is asked
            try:
                return self._asking.execute(query.encode()).fetchall()
            except psycopg.Error:
                self._asking.close()
        self._asking = psycopg.connect(self.database, autocommit=True, connect_timeout=5)
        return self._asking.execute(query.encode()).fetchall()

    def output(self) -> str:
        return "".join(host.output() for host in self.hosts)

    def stop(self) -> list[str]:
        for host in self.hosts:
            host.tell_to_stop()
        for host in self.hosts:
            host.stopped()
        return [f"{host.name}: {name}" for host in self.hosts for name in host.litter()]

    def end(self) -> None:
        """Make sure that nothing is left, whatever the test did."""
        for host in self.hosts:
            host.end()


def status_of(address: str) -> int:
    """What a web server answers."""
    try:
        with urlopen(address, timeout=60) as answer:
            return int(answer.status)
    except HTTPError as error:
        return error.code
