"""A housekeeper, its beat and people in one process, for tests of hosts."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Final

from django.conf import settings
from django.utils.module_loading import import_string

from cardroom import housekeeping

ORDERS: Final = "order-*"


def order(var: Path, function: str) -> None:
    """Make the keeper of a site call a function, given by its dotted path."""
    file = var / f"new-{function}"
    file.write_text(function)
    file.rename(var / f"order-{time.monotonic_ns()}")


def keep() -> None:
    """Carry out orders, and the housekeeper's tasks for tables; never ends."""
    finished: set[Path] = set()
    while True:
        for path in sorted(set(Path(settings.VAR_DIR).glob(ORDERS)) - finished):
            finished.add(path)
            import_string(path.read_text())()
        for name in ("relay", "tables"):
            housekeeping.run(name, housekeeping.TASKS[name])
        time.sleep(0.5)
