"""Reads the programs in `programs/KIND/` and their first lines, which declare the right endings."""

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
"""The possible endings of a program: no fault, a kind of fault, or a refused package."""
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
"""The layers that stop programs, outermost first."""
WAYS: Final = ("match", "group", "table", "check")
"""Where a sender in `between` plays before its receiver: in an earlier match, in the other match of
the receiver's deal group, at a people's table, or in a check."""
_FIELDS: Final = ("tries", "must", "walls")
_FORBIDDEN_TEXT: Final = re.compile(r'not saying "([^"]+)"')


@dataclass(frozen=True, slots=True)
class HostileProgram:
    """A program with one of the values that its fourth line may list."""

    path: Path
    tries: str
    """The goal of its attack."""
    must: frozenset[str]
    """The right ones of `ENDINGS`."""
    forbidden_text: str
    """Text that the sentence about its fault must not contain; may be empty."""
    walls: tuple[str, ...]
    """The `WALLS` that stop it."""
    argument: str = ""
    """The value of this variant."""
    way: str = WAYS[0]
    """One of `WAYS`, in `between`."""

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
    def is_pair(self) -> bool:
        """Whether a sender and a receiver play, in the same match or one after the other."""
        return self.kind in {"channels", "between"}


def read_variants(path: Path) -> list[HostileProgram]:
    """The variants of a program. Raises ValueError for invalid first lines."""
    mark = LANGUAGES[path.suffix]
    lines = [line for line in path.read_text().splitlines()[:6] if not line.startswith("#!")]
    comments = [line.removeprefix(mark).strip() for line in lines if line.startswith(mark)]
    fields = dict(comment.split(": ", 1) for comment in comments if ": " in comment)
    if tuple(fields)[:3] != _FIELDS:
        raise ValueError(f"{path}: the first lines must be {', '.join(_FIELDS)}")
    must, _, remark = fields["must"].partition(";")
    endings = frozenset(must.strip().split(" or "))
    walls = tuple(fields["walls"].split(", "))
    if unknown := (endings - ENDINGS) | (set(walls) - set(WALLS)):
        raise ValueError(f"{path}: unknown endings or walls: {', '.join(sorted(unknown))}")
    ways = fields.get("ways", WAYS[0]).split()
    if unknown_ways := set(ways) - set(WAYS):
        raise ValueError(f"{path}: unknown ways: {', '.join(sorted(unknown_ways))}")
    found = _FORBIDDEN_TEXT.search(remark)
    forbidden_text = found[1] if found else ""
    return [
        HostileProgram(path, fields["tries"], endings, forbidden_text, walls, argument, way)
        for argument in fields.get("each", "").split() or [""]
        for way in ways
    ]


def all_variants() -> list[HostileProgram]:
    """All programs with all their variants, by kind and name."""
    paths = sorted(path for path in PROGRAMS.glob("*/*") if path.suffix in LANGUAGES)
    return [variant for path in paths for variant in read_variants(path)]


def sample(step: int, variants: Sequence[HostileProgram]) -> list[HostileProgram]:
    """Every `step`-th variant of each kind, and at least one of each kind."""

    def selection() -> Iterator[HostileProgram]:
        for number, (_, group) in enumerate(groupby(variants, lambda variant: variant.kind)):
            of_kind = list(group)
            yield from of_kind[number % min(step, len(of_kind)) :: step]

    return list(selection())


def select_by_name(words: Sequence[str]) -> list[HostileProgram]:
    """The variants with these names, else the variants whose names contain a word; all if empty."""
    variants = all_variants()
    exact_matches = [variant for variant in variants if variant.name in words]
    return exact_matches or [
        variant for variant in variants if not words or any(word in variant.name for word in words)
    ]
