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
from tests.faults.faulty_site import FaultySite
from tests.faults.hosts import SETTINGS
from tests.sites import Site


@dataclass
class SingleMachineSite(FaultySite):
    """A site with all its data in one folder."""

    var: Path
    disk: Disk | None
    """The disk of `var` alone; None: it uses the machine's."""
    program_folder: Path = field(default_factory=readable_folder)
    """The folder of the fake bubblewrap and of temporary files."""
    kind = "SQLite, one machine"

    def __post_init__(self) -> None:
        (self.program_folder / "tmp").mkdir()
        self.bwrap = BreakableBubblewrap(self.program_folder)
        own = {"PATH": self.bwrap.path, "TMPDIR": str(self.program_folder / "tmp")}
        self.site = Site(self.var, own, SETTINGS)

    def start(self) -> None:
        """Start or restart the site."""
        self.site.up(workers=2)

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        address = f"file:{self.var / 'cardroom.sqlite3'}?mode=ro"
        with closing(sqlite3.connect(address, uri=True, timeout=5)) as connection:
            return connection.execute(query).fetchall()

    def output(self) -> str:
        return self.site.output()

    def stop(self) -> list[str]:
        status = self.site.stop()
        files = [path.name for path in (self.program_folder / "tmp").iterdir()]
        return files if status == 0 else [*files, f"up ended with status {status}"]

    def end(self) -> None:
        """Kill all remaining processes and remove their files."""
        for pid in self.site.descendants() if self.site.process else []:
            os.kill(pid, signal.SIGCONT)
        self.site.end()
        shutil.rmtree(self.program_folder, ignore_errors=True)

    def service(self, name: str) -> int:
        """The id of a service's first process."""
        return self.wait(lambda: self.site.services().get(name, 0), f"There is no {name}.")
