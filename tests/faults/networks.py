"""Connects hosts in network namespaces to a switch; tests can unplug their cables."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Switch:
    """A bridge that connects this machine and the namespaces."""

    name: str
    network: str
    """The first three numbers of its addresses."""
    plugs: dict[str, str] = field(default_factory=dict)
    """The switch's end of each host's cable, by host."""

    @property
    def address(self) -> str:
        """This machine's address in the network."""
        return f"{self.network}.1"

    def plug_in(self, host: str) -> Path:
        """Create a namespace for a host."""
        number = len(self.plugs) + 2
        space, plug, card = f"{self.name}-{host}", f"{self.name}p{number}", f"{self.name}c{number}"
        self.plugs[host] = plug
        ip("netns", "add", space)
        ip("link", "add", plug, "type", "veth", "peer", "name", card, "netns", space)
        ip("link", "set", plug, "master", self.name, "up")
        ip("-n", space, "address", "add", f"{self.network}.{number}/24", "dev", card)
        ip("-n", space, "link", "set", card, "up")
        ip("-n", space, "link", "set", "lo", "up")
        return Path("/run/netns", space)

    def unplug(self, host: str) -> None:
        """Unplug a host's cable: packets in both directions are lost, but sockets stay open."""
        ip("link", "set", self.plugs[host], "nomaster")

    def plug_in_again(self, host: str) -> None:
        ip("link", "set", self.plugs[host], "master", self.name)

    def remove(self) -> None:
        """Remove the switch with all namespaces."""
        with suppress(OSError):
            for host, plug in self.plugs.items():
                ip("link", "delete", plug, check=False)
                ip("netns", "delete", f"{self.name}-{host}", check=False)
            ip("link", "delete", self.name, check=False)


@contextmanager
def switch() -> Iterator[Switch | None]:
    """A switch; None if this process may not create one."""
    bridge = Switch(f"cr{os.getpid()}", f"10.213.{os.getpid() % 250}")
    try:
        ip("link", "add", bridge.name, "type", "bridge")
        ip("address", "add", f"{bridge.address}/24", "dev", bridge.name)
        ip("link", "set", bridge.name, "up")
        bridge.plug_in("probe")
    except (OSError, subprocess.CalledProcessError):
        bridge.remove()
        yield None
        return
    try:
        yield bridge
    finally:
        bridge.remove()


def ip(*arguments: str, check: bool = True) -> None:
    """Run the program `ip`."""
    subprocess.run(["ip", *arguments], check=check, capture_output=True, text=True)
