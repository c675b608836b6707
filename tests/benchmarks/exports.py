"""Measures the cost of storing export files as rows, against files on disk in the same run.

`python -m tests.benchmarks.exports [--megabytes 20]` alternately writes and sends one of each, on
SQLite and on its own PostgreSQL, and prints medians. Writing a file includes moving it to its final
folder.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from rich.console import Console
from rich.table import Table

from tests.benchmarks.measure import alternate, seconds
from tests.servers import start_postgres

ROUNDS = 7
PIECE = 256 << 10
"""The size of the pieces of an archive, in bytes."""


def archive(size: int) -> Iterator[bytes]:
    """Content that cannot be compressed further, like an archive."""
    source = random.Random(1)
    for _ in range(size // PIECE):
        yield source.randbytes(PIECE)


def text(size: int) -> Iterator[bytes]:
    """Content like a table of results."""
    source, line = random.Random(1), b"%d,1,1,7,3,%d,0,%032x,,0,%d,1,False,score,house:greedy\n"
    written = number = 0
    while written < size:
        lines = [
            line % (number + at, number // 2, source.getrandbits(128), source.randrange(90))
            for at in range(2000)
        ]
        piece = b"".join(lines)
        yield piece
        written, number = written + len(piece), number + 2000


def measure(megabytes: int, console: Console) -> None:
    """Measure on the database of the environment, and print the table."""
    import django

    django.setup()
    from django.core.management import call_command
    from django.db import connection

    call_command("migrate", verbosity=0)
    table = Table(title=f"{megabytes} MB on {connection.vendor}: rows against a file")
    for column in ("what", "rows, ms", "file, ms", "ratio", "rows, MB"):
        table.add_column(column, justify="left" if column == "what" else "right")
    for name, pieces, level in (("archive", archive, 0), ("table of results", text, 6)):
        content = list(pieces(megabytes << 20))
        with tempfile.TemporaryDirectory(dir=os.environ["CARDROOM_VAR"]) as folder:
            for row in figures(name, content, level, Path(folder)):
                table.add_row(*row)
    console.print(table)


def figures(
    name: str, content: list[bytes], level: int, folder: Path
) -> Iterator[tuple[str, str, str, str, str]]:
    """The rows for writing and for reading."""
    from tests import factories
    from tournaments.exports import chunks
    from tournaments.models import Kept

    cup = factories.tournament(2)
    row = Kept.objects.take(pk=Kept.objects.create(tournament=cup, name="archive").pk)
    assert row is not None
    path = folder / "file"

    def to_rows() -> None:
        files.append(chunks.write(iter(content), level, row))

    def to_file() -> None:
        with tempfile.TemporaryFile() as collected, path.open("wb") as file:
            for piece in content:
                collected.write(piece)
            collected.seek(0)
            shutil.copyfileobj(collected, file)

    def from_file() -> None:
        with path.open("rb") as file:
            while file.read(4096):  # like Django
                pass

    files = [chunks.write(iter(content), level, row)]
    write_times = _compare(to_rows, to_file)
    files[-1].refresh_from_db()
    stored_size = f"{files[-1].stored / (1 << 20):.1f}"
    yield f"{name}, written", *write_times, stored_size
    read_times = _compare(lambda: [len(piece) for piece in chunks.read(files[-1])], from_file)
    yield f"{name}, read", *read_times, ""


def _compare(ours: Callable[[], object], peer: Callable[[], object]) -> tuple[str, str, str]:
    a, b = alternate(lambda: seconds(ours), lambda: seconds(peer), ROUNDS)
    return f"{a * 1000:.0f}", f"{b * 1000:.0f}", f"{a / b:.1f}×"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.exports", description=__doc__)
    parser.add_argument("--megabytes", type=int, default=20, help="size of the files (20)")
    megabytes = parser.parse_args().megabytes
    if "CARDROOM_VAR" in os.environ:  # this is one of the two processes that are started below
        measure(megabytes, Console(width=100))
        return
    command = [sys.executable, "-m", "tests.benchmarks.exports", "--megabytes", str(megabytes)]
    with tempfile.TemporaryDirectory() as folder, start_postgres() as server:
        own = {"CARDROOM_VAR": folder, "DJANGO_SETTINGS_MODULE": "tests.settings"}
        for url in ("", server.database()):
            subprocess.run(command, env={**os.environ, **own, "DATABASE_URL": url}, check=True)


if __name__ == "__main__":
    main()
