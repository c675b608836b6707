"""Measures the cost of spectators of a running match.

    python -m tests.benchmarks.watching [--watchers 500] [--seconds 30]

It starts a temporary site (`manage.py up`) with a match in which two moves become visible each
second. Each watcher polls like the page, with the pause that each response requests. Processor time
is that of the web service.
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

from tests.benchmarks.tables import processor_seconds
from tests.sites import Site

SENDERS = 16
MATCH = """
from datetime import timedelta
from cardroom_base.db.db_time import now
from tests.pages import finished
from tests.pages.test_live import running_attempt
from tournaments import models
record = finished.play("canasta/classic/2v2?target=3000")
attempt = running_attempt(record)
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
    """Watchers of one match, whose polls several threads send."""

    def __init__(self, port: int, match: int, watchers: int) -> None:
        self.port = port
        self.address = f"/matches/{match}/live/"
        self.lock = threading.Lock()
        now = time.monotonic()
        self.due: list[tuple[float, int, dict[str, int]]] = [
            (now + 3 * number / watchers, number, {}) for number in range(watchers)
        ]
        self.polls = self.frames = self.size = 0
        self.max_delay = 0.0
        """The longest delay of a poll, in seconds."""

    def send(self, until: float) -> None:
        """Run one of the threads."""
        while time.monotonic() < until:
            with self.lock:
                at, number, known = heapq.heappop(self.due)
            time.sleep(max(0.0, at - time.monotonic()))
            delay = time.monotonic() - at
            state, size = self._poll(known)
            known = {"attempt": state["attempt"], "after": state["first"] + len(state["frames"])}
            with self.lock:
                self.polls += 1
                self.frames += len(state["frames"])
                self.size += size
                self.max_delay = max(self.max_delay, delay)
                heapq.heappush(self.due, (time.monotonic() + state["again"], number, known))

    def _poll(self, known: dict[str, int]) -> tuple[dict[str, Any], int]:
        query = "&".join(f"{name}={value}" for name, value in known.items())
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.request("GET", f"{self.address}?{query}")
        response = connection.getresponse()
        body = response.read()
        connection.close()
        if response.status != 200:
            raise RuntimeError(f"The site responded with {response.status}: {body[:200]!r}")
        return json.loads(body), len(body)

    def watch(self, seconds: float) -> None:
        """Watch for this time."""
        until = time.monotonic() + seconds
        senders = [threading.Thread(target=self.send, args=(until,)) for _ in range(SENDERS)]
        for sender in senders:
            sender.start()
        for sender in senders:
            sender.join()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--watchers", type=int, default=500)
    parser.add_argument("--seconds", type=float, default=30.0)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="cardroom-watching-") as folder:
        site = Site(Path(folder))
        try:
            site.up(workers=0)
            match = int(site.run("shell", "-c", MATCH).stdout.rpartition("match ")[2])
            print(f"load of this machine: {os.getloadavg()[0]:.1f} of {os.cpu_count()} processors")
            crowd, web = Crowd(site.port, match, arguments.watchers), site.services()["web"]
            crowd.watch(5.0)  # all watchers arrive
            crowd.polls = crowd.frames = crowd.size = 0
            before, start = processor_seconds(web), time.monotonic()
            crowd.watch(arguments.seconds)
            spent, elapsed = processor_seconds(web) - before, time.monotonic() - start
            print(
                f"{arguments.watchers} watchers: {crowd.polls / elapsed:.0f} polls a second, "
                f"{spent / elapsed:.2f} processor seconds a second, "
                f"{spent / crowd.polls * 1e3:.2f} ms a poll, "
                f"{crowd.frames / crowd.polls:.1f} frames and {crowd.size / crowd.polls / 1e3:.1f} "
                f"kB in a response, {crowd.max_delay:.1f} s late at most"
            )
        finally:
            site.end()


if __name__ == "__main__":
    main()
