"""The programs under `programs/KIND/`, and what their first lines say must happen."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Final

PROGRAMS: Final = Path(__file__).parent / "programs"
LANGUAGES: Final = {".py": "#", ".sh": "#", ".js": "//", ".c": "//"}
ENDINGS: Final = frozenset(
    {"play on", "start", "crash", "time", "extra", "garbage", "illegal", "refused"}
)
"""What can become of a program: no fault, one of the referee's, or no package at all."""
WALLS: Final = (
    "package",
    "user",
    "namespaces",
    "root",
    "tmpfs",
    "rlimits",
    "cgroup",
    "seccomp",
    "memory watch",
    "output limits",
    "freezing",
    "kernel's word",
    "referee",
)
"""The layers that stop them, outermost first."""
WAYS: Final = ("match", "group", "table", "check")
"""Where the sender of two that play one after the other sits: in a match before, at the other table
of the receiver's deal group, at a people's table, in its check."""
_FIELDS: Final = ("tries", "must", "walls")
_UNSAID: Final = re.compile(r'not saying "([^"]+)"')


@dataclass(frozen=True, slots=True)
class Hostile:
    """One program, once for each of the values that its fourth line may list."""

    path: Path
    tries: str
    """What it wants."""
    must: frozenset[str]
    """Which of `ENDINGS` are right."""
    unsaid: str
    """What the sentence about its fault must not say; empty: anything goes."""
    walls: tuple[str, ...]
    """Which of `WALLS` stop it."""
    argument: str = ""
    """The value of this variant."""
    way: str = WAYS[0]
    """Which of `WAYS`, in `between`."""

    @property
    def kind(self) -> str:
        return self.path.parent.name

    @property
    def program(self) -> str:
        return f"{self.kind}/{self.path.name}"

    @property
    def name(self) -> str:
        way = self.way if self.way != WAYS[0] else ""
        return " ".join(part for part in (self.program, self.argument, way) if part)

    @property
    def whispers(self) -> bool:
        """Whether two of it play, a sender and a receiver, at once or one after the other."""
        return self.kind in {"channels", "between"}


def read(path: Path) -> list[Hostile]:
    """The variants of a program. Raises ValueError for lines that are not as they must be."""
    mark = LANGUAGES[path.suffix]
    lines = [line for line in path.read_text().splitlines()[:6] if not line.startswith("#!")]
    said = [line.removeprefix(mark).strip() for line in lines if line.startswith(mark)]
    fields = dict(line.split(": ", 1) for line in said if ": " in line)
    if tuple(fields)[:3] != _FIELDS:
        raise ValueError(f"{path}: the first lines must say {', '.join(_FIELDS)}")
    must, _, remark = fields["must"].partition(";")
    endings = frozenset(must.strip().split(" or "))
    walls = tuple(fields["walls"].split(", "))
    if unknown := (endings - ENDINGS) | (set(walls) - set(WALLS)):
        raise ValueError(f"{path}: nothing is called {', '.join(sorted(unknown))}")
    ways = fields.get("ways", WAYS[0]).split()
    if unknown_ways := set(ways) - set(WAYS):
        raise ValueError(f"{path}: no way is called {', '.join(sorted(unknown_ways))}")
    unsaid = _UNSAID.search(remark)
    return [
        Hostile(path, fields["tries"], endings, unsaid[1] if unsaid else "", walls, argument, way)
        for argument in fields.get("each", "").split() or [""]
        for way in ways
    ]


def everything() -> list[Hostile]:
    """All programs with all their variants, by kind and name."""
    paths = sorted(path for path in PROGRAMS.glob("*/*") if path.suffix in LANGUAGES)
    return [variant for path in paths for variant in read(path)]


def every(step: int, programs: Sequence[Hostile]) -> list[Hostile]:
    """Each kind's every third, say: what `make test` has time for; of no kind nothing."""

    def chosen() -> Iterator[Hostile]:
        for number, (_, group) in enumerate(groupby(programs, lambda one: one.kind)):
            of_kind = list(group)
            yield from of_kind[number % min(step, len(of_kind)) :: step]

    return list(chosen())


def named(words: Sequence[str]) -> list[Hostile]:
    """The programs of these names, or else whose names contain one; all of them for no word."""
    programs = everything()
    exactly = [one for one in programs if one.name in words]
    return exactly or [one for one in programs if not words or any(w in one.name for w in words)]
