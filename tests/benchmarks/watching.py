"""What people cost who watch a running match.

    python -m tests.benchmarks.watching [--watchers 500] [--seconds 30]

A site of its own (`manage.py up`) in a folder that is removed afterwards, with a match of which two
moves become visible each second. Each watcher asks as the page does: again after as many seconds as
the answer says. Processor time is that of the web service.
"""

from __future__ import annotations

import argparse
import heapq
import http.client
import json
import os
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from tests.benchmarks.tables import used
from tests.sites import Site

SENDERS = 16
MATCH = """
from datetime import timedelta
from cardroom_base.db.db_time import now
from tests.pages import finished
from tests.pages.test_live import running
from tournaments import models
record = finished.play("canasta/classic/2v2?target=3000")
attempt = running(record)
begin = now() - timedelta(seconds=30)
models.Attempt.objects.update(lease_until=now() + timedelta(days=1))
models.LiveMoves.objects.bulk_create(
    models.LiveMoves(attempt=attempt, first=first, moves=record.moves[first:first + 2],
                     written=begin + timedelta(seconds=first / 2))
    for first in range(0, len(record.moves), 2)
)
print("match", attempt.match_id)
"""


class Crowd:
    """Watchers of one match, whose questions some threads send when they are due."""

    def __init__(self, port: int, match: int, watchers: int) -> None:
        self.port = port
        self.address = f"/matches/{match}/live/"
        self.lock = threading.Lock()
        now = time.monotonic()
        self.due: list[tuple[float, int, dict[str, int]]] = [
            (now + 3 * number / watchers, number, {}) for number in range(watchers)
        ]
        self.asked = self.frames = self.size = 0
        self.late = 0.0
        """The longest time by which a question was sent late, in seconds."""

    def send(self, until: float) -> None:
        """Be one of the threads."""
        while time.monotonic() < until:
            with self.lock:
                at, number, known = heapq.heappop(self.due)
            time.sleep(max(0.0, at - time.monotonic()))
            late = time.monotonic() - at
            told, size = self._ask(known)
            known = {"attempt": told["attempt"], "after": told["first"] + len(told["frames"])}
            with self.lock:
                self.asked += 1
                self.frames += len(told["frames"])
                self.size += size
                self.late = max(self.late, late)
                heapq.heappush(self.due, (time.monotonic() + told["again"], number, known))

    def _ask(self, known: dict[str, int]) -> tuple[dict[str, Any], int]:
        query = "&".join(f"{name}={value}" for name, value in known.items())
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.request("GET", f"{self.address}?{query}")
        answer = connection.getresponse()
        body = answer.read()
        connection.close()
        if answer.status != 200:
            raise RuntimeError(f"The site answered {answer.status}: {body[:200]!r}")
        return json.loads(body), len(body)

    def watch(self, seconds: float) -> None:
        """Watch for so long."""
        until = time.monotonic() + seconds
        senders = [threading.Thread(target=self.send, args=(until,)) for _ in range(SENDERS)]
        for sender in senders:
            sender.start()
        for sender in senders:
            sender.join()


def main() -> None:
    """Print it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--watchers", type=int, default=500)
    parser.add_argument("--seconds", type=float, default=30.0)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="cardroom-watching-") as folder:
        site = Site(Path(folder))
        try:
            site.up(workers=0)
            match = int(site.run("shell", "-c", MATCH).stdout.rpartition("match ")[2])
            print(f"load of this machine: {os.getloadavg()[0]:.1f} of {os.cpu_count()} processors")
            crowd, web = Crowd(site.port, match, asked.watchers), site.services()["web"]
            crowd.watch(5.0)  # everybody has come
            crowd.asked = crowd.frames = crowd.size = 0
            before, began = used(web), time.monotonic()
            crowd.watch(asked.seconds)
            spent, lasted = used(web) - before, time.monotonic() - began
            print(
                f"{asked.watchers} watchers: {crowd.asked / lasted:.0f} questions a second, "
                f"{spent / lasted:.2f} processor seconds a second, "
                f"{spent / crowd.asked * 1e3:.2f} ms a question, "
                f"{crowd.frames / crowd.asked:.1f} frames and {crowd.size / crowd.asked / 1e3:.1f} "
                f"kB in an answer, {crowd.late:.1f} s late at most"
            )
        finally:
            site.end()


if __name__ == "__main__":
    main()
