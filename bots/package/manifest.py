"""Parse `cardroom.toml`, the manifest of a bot package.

    name = "Magpie"
    formats = ["cassino/*/*"]
    runtime = "python"            # or "node", or instead of it:
    command = ["./magpie"]
    needs = ["numpy"]             # libraries of a Python bot

Every key is optional: a package without a manifest is a Python bot that claims every format.
"""

from __future__ import annotations

import difflib
import re
import shlex
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from bots.limits import (
    MAX_COMMAND,
    MAX_KEYS,
    MAX_MANIFEST,
    MAX_NAME,
    MAX_PATTERN,
    MAX_PATTERNS,
    MAX_TOKEN,
    encoding_hint,
)
from bots.sandbox.libraries import LIBRARIES
from cardroom_base.core import names
from cardroom_base.core.request_limits import KIB
from engine import Format, all_formats
from engine.declarations import TABLES, join_words
from engine.game import for_people

MANIFEST = "cardroom.toml"
"""The manifest's file name, at the top of a package."""
KEYS = ("name", "formats", "runtime", "command", "needs")
"""The keys of a manifest."""
EVERY_FORMAT = ("*/*/*",)
"""The patterns of a package without `formats`."""
RUNTIMES: Mapping[str, str] = {"python": "bot.py", "node": "bot.js"}
"""The runtimes, each with the file that it starts."""

_PATTERN = re.compile(r"[a-z0-9*?_-]+/[a-z0-9*?_-]+/[a-z0-9*?_-]+")
# Strings and comments of TOML; without them only the structure is left. A long string may end with
# two quotes of its content before the three that close it.
_TEXTS = re.compile(
    r'"""(?:[^\\]|\\.)*?(?:"{3,5}|\Z)|\'\'\'.*?(?:\'{3,5}|\Z)'
    r'|"(?:[^"\\\n]|\\.)*+"?|\'[^\'\n]*+\'?|#[^\n]*+',
    re.DOTALL,
)


class ManifestError(ValueError):
    """An invalid manifest; the message names the key and valid values."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """A checked manifest."""

    name: str | None = None
    """The bot's name, at most `MAX_NAME` characters; None if the manifest has none."""
    formats: tuple[str, ...] = EVERY_FORMAT
    """Patterns `game/variant/table` with `*` and `?` inside a part."""
    runtime: str = "python"
    """A key of `RUNTIMES`; empty if there is a `command`."""
    command: tuple[str, ...] = ()
    """Program and arguments of a bot without a runtime; else empty."""
    needs: tuple[str, ...] = ()
    """The libraries that a Python bot imports, sorted."""

    @classmethod
    def parse(cls, content: str | bytes) -> Manifest:
        """Parse a manifest; `ManifestError` names the invalid key."""
        if len(content) > MAX_MANIFEST:
            raise ManifestError(f"{MANIFEST} is longer than {MAX_MANIFEST // KIB} KiB.")
        text = _decode(content) if isinstance(content, bytes) else content
        _check_structure(text)
        try:
            return cls.from_table(_load(text))
        except RecursionError:
            raise ManifestError(f"{MANIFEST} is nested too deeply.") from None

    @classmethod
    def from_table(cls, table: Mapping[str, Any]) -> Manifest:
        """Check a parsed manifest key by key."""
        for key in table:
            if key not in KEYS:
                raise ManifestError(_unknown_text("key", key, KEYS))
        if "runtime" in table and "command" in table:
            raise ManifestError(f"{MANIFEST} has both runtime and command; remove one of them.")
        command = _parse_command(table["command"]) if "command" in table else ()
        runtime = "" if command else _parse_runtime(table.get("runtime", "python"))
        needs = _parse_needs(table["needs"]) if "needs" in table else ()
        if needs and runtime != "python":
            raise ManifestError(f"{MANIFEST}: needs is for Python bots; remove it.")
        return cls(
            name=_parse_name(table["name"]) if "name" in table else None,
            formats=_parse_patterns(table["formats"]) if "formats" in table else EVERY_FORMAT,
            runtime=runtime,
            command=command,
            needs=needs,
        )

    @property
    def main_file(self) -> str | None:
        """The file that must be in the package; None if the command is a program of the sandbox."""
        if self.runtime:
            return RUNTIMES[self.runtime]
        program = self.command[0]
        return program.removeprefix("./") if program.startswith("./") else None

    def claims(self, fmt: Format) -> bool:
        """Whether one of the patterns covers this format; options are ignored."""
        return any(covers(pattern, fmt) for pattern in self.formats)

    def claimed(self) -> list[Format]:
        """Every format of the engine that the patterns cover, in the engine's order."""
        return [fmt for fmt in all_formats() if self.claims(fmt)]


def covers(pattern: str, fmt: Format) -> bool:
    """Whether a pattern `game/variant/table` covers a format; options are ignored."""
    parts = pattern.split("/")
    format_parts = (fmt.game, fmt.variant, fmt.table)
    return len(parts) == 3 and all(map(fnmatchcase, format_parts, parts))


def describe(patterns: Iterable[str]) -> str:
    """Describe patterns for people. A pattern without a description stays as it is.

    >>> describe(["*/*/*"]), describe(["cassino/royal/*", "paks/*/1v1", "canasta/*/*"])
    ('every game', 'Royal Cassino, Paks for two and Canasta')
    """
    return join_words(list(dict.fromkeys(map(_description, patterns))), "and")


def _description(pattern: str) -> str:
    game, variant, table = (*pattern.split("/"), "", "")[:3]
    if (game, variant, table) == ("*", "*", "*"):
        return "every game"
    fmt = next((candidate for candidate in all_formats() if covers(pattern, candidate)), None)
    if fmt is None or game != fmt.game:
        return pattern
    titles_by_variant = {candidate.name: candidate.title for candidate in fmt.spec.variants}
    titles_by_variant["*"] = fmt.spec.title
    if variant not in titles_by_variant or table not in ("*", fmt.table):
        return pattern
    title = titles_by_variant[variant]
    return title if table == "*" else for_people(title, TABLES[table].people)


def matching_formats(patterns: Iterable[str]) -> list[Format]:
    """Every format that any of the patterns covers; `ManifestError` on one that covers none."""
    valid = _parse_patterns(list(patterns))
    return [fmt for fmt in all_formats() if any(covers(pattern, fmt) for pattern in valid)]


def restricted_to(patterns: Iterable[str], games: Iterable[str]) -> tuple[str, ...]:
    """The patterns restricted to these games.

    >>> restricted_to(["*/*/*"], ["paks"])
    ('paks/*/*',)
    >>> restricted_to(["c*/*/2v2", "paks/*/*"], ["canasta"])
    ('canasta/*/2v2',)
    """
    all_games = {fmt.game for fmt in all_formats()}
    valid_games = [game for game in dict.fromkeys(games) if game in all_games]
    split_patterns = [pattern.partition("/") for pattern in patterns]
    result = [
        f"{game}/{remainder}"
        for game_pattern, _, remainder in split_patterns
        for game in valid_games
        if fnmatchcase(game, game_pattern)
    ]
    return tuple(dict.fromkeys(result))


def _decode(content: bytes) -> str:
    """The text, without the byte order mark that editors on Windows write before UTF-8."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ManifestError(
            f"{MANIFEST} is not UTF-8 text{encoding_hint(content)} (line {line}); save it as UTF-8."
        ) from None


def _load(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except ValueError as error:
        raise ManifestError(f"{MANIFEST} is not TOML: {error}.") from None


def _check_structure(text: str) -> None:
    """Refuse texts that a TOML parser reads slowly: many or deep keys, long numbers."""
    structure = _TEXTS.sub(" s ", text)
    for sign, noun in (("=", "keys"), (".", "dots"), ("[", "brackets"), ("{", "braces")):
        if structure.count(sign) > MAX_KEYS:
            raise ManifestError(
                f"{MANIFEST} has more than {MAX_KEYS} {noun} outside strings; "
                f"its only keys are {', '.join(KEYS)}."
            )
    if any(len(word) > MAX_TOKEN for word in re.findall(r"[\w+-]+", structure)):
        raise ManifestError(
            f"{MANIFEST} has a key or a number of more than {MAX_TOKEN} characters; "
            f"its only keys are {', '.join(KEYS)}."
        )


def _unknown_text(kind: str, word: str, names: Iterable[str]) -> str:
    choices = list(names)
    close = difflib.get_close_matches(word[:60], choices, 1)
    hint = f"did you mean {close[0]!r}?" if close else f"use one of {', '.join(choices)}."
    return f"{MANIFEST} has an unknown {kind} {word[:60]!r}: {hint}"


def _parse_name(value: object) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ManifestError(f'{MANIFEST}: name must be a text such as "Magpie".')
    try:
        name = names.normalize(value, MAX_NAME)
    except names.BadNameError as error:
        raise ManifestError(f"{MANIFEST}: the name {error}") from None
    if names.looks_like_house(name):
        raise ManifestError(
            f"{MANIFEST}: the name begins like {names.HOUSE}, "
            "which is reserved for the site's own bots."
        )
    return name


def _parse_runtime(value: object) -> str:
    if not isinstance(value, str) or value not in RUNTIMES:
        raise ManifestError(_unknown_text("runtime", str(value), RUNTIMES))
    return value


def _parse_needs(value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
        raise ManifestError(f'{MANIFEST}: needs must be a list of libraries such as ["numpy"].')
    for name in value:
        if name not in LIBRARIES:
            raise ManifestError(_unknown_text("library", name, LIBRARIES))
    return tuple(sorted(set(value)))


def _parse_command(value: object) -> tuple[str, ...]:
    words = _split_command(value) if isinstance(value, str) else value
    if not isinstance(words, list) or not all(isinstance(word, str) and word for word in words):
        raise ManifestError(
            f'{MANIFEST}: command must be a list of words such as ["./magpie", "--fast"].'
        )
    if not 0 < len(words) <= MAX_COMMAND or any("\0" in word for word in words):
        raise ManifestError(f"{MANIFEST}: command must be 1 to {MAX_COMMAND} plain words.")
    return tuple(words)


def _split_command(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError as error:
        raise ManifestError(f"{MANIFEST}: command cannot be read: {error}.") from None


def _parse_patterns(value: object) -> tuple[str, ...]:
    patterns = [value] if isinstance(value, str) else value
    if not isinstance(patterns, list) or not patterns or len(patterns) > MAX_PATTERNS:
        raise ManifestError(
            f"{MANIFEST}: formats must be a list of 1 to {MAX_PATTERNS} patterns "
            'such as ["cassino/*/*"].'
        )
    formats = all_formats()
    for pattern in patterns:
        _check_pattern(pattern, formats)
    return tuple(dict.fromkeys(patterns))


def _check_pattern(pattern: object, formats: list[Format]) -> None:
    if (
        not isinstance(pattern, str)
        or len(pattern) > MAX_PATTERN
        or not _PATTERN.fullmatch(pattern)
    ):
        raise ManifestError(
            f"{MANIFEST}: {str(pattern)[:60]!r} is not a format pattern; write game/variant/table, "
            f"such as cassino/*/*, without options, in at most {MAX_PATTERN} characters."
        )
    if any(covers(pattern, fmt) for fmt in formats):
        return
    hint = _nearest_hint(pattern, formats)
    raise ManifestError(f"{MANIFEST}: the pattern {pattern[:60]!r} covers no format. {hint}")


def _nearest_hint(pattern: str, formats: Iterable[Format]) -> str:
    """A hint: the game that the author may have meant, or the nearest format of the named game."""
    game = pattern.partition("/")[0]
    games = dict.fromkeys(fmt.game for fmt in formats)
    candidates = ["/".join((fmt.game, fmt.variant, fmt.table)) for fmt in formats]
    candidates = [
        candidate for candidate in candidates if fnmatchcase(candidate.partition("/")[0], game)
    ]
    if not candidates:
        close = difflib.get_close_matches(game, games, 1)
        return f"Did you mean {close[0]}?" if close else f"The games are {', '.join(games)}."
    close = difflib.get_close_matches(pattern, candidates, 1, cutoff=0.3) or candidates[:1]
    return f"The nearest is {close[0]}."
