"""Networks in miniature: hosts in network namespaces at a switch, whose cables can be pulled."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field


@dataclass
class Switch:
    """A bridge that this machine and the namespaces are plugged into."""

    name: str
    network: str
    """The first three numbers of its addresses."""
    plugs: dict[str, str] = field(default_factory=dict)
    """By namespace its end of the cable at the switch."""

    @property
    def address(self) -> str:
        """This machine's."""
        return f"{self.network}.1"

    def plug_in(self, host: str) -> tuple[str, ...]:
        """Make a namespace for a host; the command that starts another one there."""
        number = len(self.plugs) + 2
        space, plug, card = f"{self.name}-{host}", f"{self.name}p{number}", f"{self.name}c{number}"
        self.plugs[host] = plug
        ip("netns", "add", space)
        ip("link", "add", plug, "type", "veth", "peer", "name", card, "netns", space)
        ip("link", "set", plug, "master", self.name, "up")
        ip("-n", space, "address", "add", f"{self.network}.{number}/24", "dev", card)
        ip("-n", space, "link", "set", card, "up")
        ip("-n", space, "link", "set", "lo", "up")
        # `ip netns exec` would hide the control groups.
        return ("nsenter", f"--net=/run/netns/{space}")

    def pull(self, host: str) -> None:
        """Pull the cable at the switch: what is sent either way gets lost, sockets stay open."""
        ip("link", "set", self.plugs[host], "nomaster")

    def put_back(self, host: str) -> None:
        """Plug it in again."""
        ip("link", "set", self.plugs[host], "master", self.name)

    def remove(self) -> None:
        """Take everything away."""
        with suppress(OSError):
            for host, plug in self.plugs.items():
                ip("link", "delete", plug, check=False)
                ip("netns", "delete", f"{self.name}-{host}", check=False)
            ip("link", "delete", self.name, check=False)


@contextmanager
def switch() -> Iterator[Switch | None]:
    """A switch; None where the kernel lets us make none."""
    made = Switch(f"cr{os.getpid()}", f"10.213.{os.getpid() % 250}")
    try:
        ip("link", "add", made.name, "type", "bridge")
        ip("address", "add", f"{made.address}/24", "dev", made.name)
        ip("link", "set", made.name, "up")
        made.plug_in("probe")
    except (OSError, subprocess.CalledProcessError):
        made.remove()
        yield None
        return
    try:
        yield made
    finally:
        made.remove()


def ip(*arguments: str, check: bool = True) -> None:
    """Run the program of this name."""
    subprocess.run(["ip", *arguments], check=check, capture_output=True, text=True)
