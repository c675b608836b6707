"""The folder of a measurement: all requests and replies, for resuming and reading.

`measurement.json` has the settings. Each match has `NAME.calls.jsonl` with a line for each request,
written as soon as its answer arrives, and, once it is over, the record `NAME.json`. NAME is
`group-0001-expert-3-1`: deal group, level, rotation of the sides. A stopped match is resumed by
playing it from the start with the recorded replies, because everything else is deterministic.
"""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec

from bots.cli.common import UsageError, write_file
from bots.cli.sources import stored_record
from bots.cli.table import SETTINGS_OF_MEASURE
from bots.limits import MAX_RECORDS
from bots.package.files import read_limited
from engine import Record

_CALLS: Final = ".calls.jsonl"
_NAME: Final = re.compile(r"group-(\d{4,6})-expert-(\d)-(\d{1,2})(?:\.json|\.calls\.jsonl)")


class MatchName(NamedTuple):
    """A match: its deal group, the level of the opponents, and the rotation of the sides from 1."""

    group: int
    level: int
    turn: int

    def __str__(self) -> str:
        return f"group-{self.group:04}-expert-{self.level}-{self.turn}"


class Call(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A request and its answer, or its failure (`error`)."""

    n: int
    """The number of the move, from 0."""
    seat: int
    attempt: int
    """1, or 2 after a reply that was not a legal move."""
    prompt: str = ""
    """The last message to the model; empty if the request failed."""
    chars: int = 0
    """Characters of all messages to the model, the rules included."""
    reply: str = ""
    cut: bool = False
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    ms: int = 0
    move: str | None = None
    problem: str | None = None
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Folder:
    """The files of a measurement. Calls of one match are appended by one thread at a time."""

    path: Path

    def begin(self, settings: dict[str, Any]) -> None:
        """Create the folder for a new measurement; UsageError if it contains one."""
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            if (self.path / SETTINGS_OF_MEASURE).exists() or any(self.matches()):
                raise UsageError(f"{self.path} contains a measurement. Continue it with --resume.")
        except OSError as error:
            raise self._unwritable(error) from None
        self.store(settings)

    def store(self, settings: dict[str, Any]) -> None:
        """Write the settings of the measurement."""
        content = msgspec.json.format(msgspec.json.encode(settings), indent=2) + b"\n"
        try:
            write_file(self.path / SETTINGS_OF_MEASURE, content)
        except OSError as error:
            raise self._unwritable(error) from None

    def settings(self) -> dict[str, Any]:
        """The settings of the measurement; UsageError if there is none."""
        file = self.path / SETTINGS_OF_MEASURE
        try:
            return msgspec.json.decode(read_limited(file, MAX_RECORDS), type=dict[str, Any])
        except FileNotFoundError:
            raise UsageError(f"{self.path} contains no measurement to resume.") from None
        except (OSError, ValueError) as error:
            raise UsageError(f"{file} cannot be read: {_reason(error)}.") from None

    def matches(self) -> Iterator[MatchName]:
        """The matches that have begun."""
        names = {
            MatchName(*map(int, name.groups()))
            for name in map(_NAME.fullmatch, self._files())
            if name
        }
        yield from sorted(names)

    def calls(self, name: MatchName) -> list[Call]:
        """The calls of a match, in order. Removes an incomplete last line, left by a crash."""
        file = self.path / f"{name}{_CALLS}"
        try:
            content = read_limited(file, MAX_RECORDS)
            complete_lines = content[: content.rfind(b"\n") + 1]
            if len(complete_lines) < len(content):
                os.truncate(file, len(complete_lines))
            array = b"[" + b",".join(complete_lines.splitlines()) + b"]"
            return msgspec.json.decode(array, type=list[Call])
        except FileNotFoundError:
            return []
        except (OSError, ValueError) as error:
            raise UsageError(f"{file} cannot be read: {_reason(error)}.") from None

    def add_call(self, name: MatchName, call: Call) -> None:
        """Append a call to the match's file before returning."""
        with (self.path / f"{name}{_CALLS}").open("ab") as file:
            file.write(msgspec.json.encode(call) + b"\n")

    def record(self, name: MatchName) -> Record | None:
        """The record of a finished match."""
        file = self.path / f"{name}.json"
        record = stored_record(file)
        if record is not None and record.result is None:
            raise UsageError(f"{file} is the record of a match without a result.")
        return record

    def add_record(self, name: MatchName, record: Record) -> None:
        """Write the record of a finished match."""
        write_file(self.path / f"{name}.json", record.dumps().encode() + b"\n")

    def _unwritable(self, error: OSError) -> UsageError:
        return UsageError(f"{self.path} cannot be written: {error.strerror}.")

    def _files(self) -> list[str]:
        return [file.name for file in self.path.iterdir()] if self.path.is_dir() else []


def _reason(error: OSError | ValueError) -> str:
    return getattr(error, "strerror", None) or str(error)


class RecordedReplies:
    """The recorded replies of a match, by move number and attempt."""

    def __init__(self, calls: list[Call]) -> None:
        self._calls: dict[int, dict[int, Call]] = defaultdict(dict)
        for call in calls:
            if call.error is None:
                self._calls[call.n][call.attempt] = call

    def find(self, n: int, attempt: int) -> Call | None:
        """The call whose reply answers this question."""
        return self._calls[n].get(attempt) if n in self._calls else None
