"""A site on one machine: `manage.py up`, SQLite and the embedded broker."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.breakable_bubblewrap import BreakableBubblewrap, readable_folder
from tests.faults.disks import Disk
from tests.faults.ground import Ground
from tests.faults.hosts import SETTINGS
from tests.sites import Site


@dataclass
class Machine(Ground):
    """Everything in one folder."""

    var: Path
    disk: Disk | None
    """That of `var` alone; None: it shares the machine's."""
    room: Path = field(default_factory=readable_folder)
    """Of the machine's programs and temporary files."""
    kind = "SQLite, one machine"

    def __post_init__(self) -> None:
        (self.room / "tmp").mkdir()
        self.bwrap = BreakableBubblewrap(self.room)
        own = {"PATH": self.bwrap.path, "TMPDIR": str(self.room / "tmp")}
        self.site = Site(self.var, own, SETTINGS)

    def start(self) -> None:
        """Start it, or start it again."""
        self.site.up(workers=2)

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        address = f"file:{self.var / 'cardroom.sqlite3'}?mode=ro"
        with closing(sqlite3.connect(address, uri=True, timeout=5)) as connection:
            return connection.execute(query).fetchall()

    def output(self) -> str:
        return self.site.output()

    def stop(self) -> list[str]:
        status = self.site.stop()
        left = [path.name for path in (self.room / "tmp").iterdir()]
        return left if status == 0 else [*left, f"up ended with status {status}"]

    def end(self) -> None:
        """Make sure that nothing is left, whatever the test did."""
        for pid in self.site.descendants() if self.site.process else []:
            os.kill(pid, signal.SIGCONT)
        self.site.end()
        shutil.rmtree(self.room, ignore_errors=True)

    def service(self, name: str) -> int:
        """The first process of a service."""
        return self.wait(lambda: self.site.services().get(name, 0), f"There is no {name}.")
