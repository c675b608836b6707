"""The record of a match: seed and moves, from which anyone can verify the result."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from engine import rules
from engine.errors import IllegalMove, RecordError
from engine.events import deep_copy
from engine.frames import open_frame
from engine.game import Format
from engine.json_text import JSONError, parse_json
from engine.match import Match
from engine.results import with_faults
from engine.shuffle import check_seed

VERSION = 1
MAX_RNG = 200
"""Maximum length, in characters, of `Record.rng`."""
MAX_BYTES = 16 * 1024 * 1024
"""Maximum size of a record in bytes: twice the longest match (a thousand deals of Canasta)."""
MAX_MOVES = 1_000_000
"""Maximum number of moves in a record."""
MAX_MOVE = 2_000
"""Maximum length, in characters, of a move; the longest legal move of any game is far shorter."""
MAX_NOTE = 500
"""Maximum length, in characters, of a bot's note on a move."""
MAX_NAME = 200
"""Maximum length, in characters, of a player's name."""
MAX_RULES = 40
"""Maximum length, in characters, of `Record.rules`."""
MAX_SHOWN = 80
"""Maximum length, in characters, of a wrong value in a message."""
_KEYS = (
    "format",
    "seed",
    "rng",
    "rules",
    "players",
    "moves",
    "clock_ms",
    "notes",
    "faults",
    "result",
)
_OPTIONAL_KEYS = ("rng", "rules")
"""Keys that are omitted if they have no value."""


class Record:
    """A match as it was played; the fields are those of its JSON.

    `players`: one dict per seat with at least ``name``. `clock_ms`: thinking time per move, in
    milliseconds (may be empty). `notes`: bots' notes by move number as text. `faults`: in order,
    each a dict with at least ``seat`` and ``kind``. `result`: as `Match.result`, or with faults as
    `engine.results.with_faults` makes it. `rng`: the seed of the players' randomness; None: the
    match's seed. It affects neither moves nor scores. `rules`: the edition of the rules of the
    match (`engine.rules`); None: unknown.
    """

    def __init__(
        self,
        format: str,  # noqa: A002 - the field's name in the JSON
        seed: str,
        players: list[dict[str, Any]],
        moves: list[str],
        clock_ms: list[int] | None = None,
        notes: dict[str, Any] | None = None,
        faults: list[dict[str, Any]] | None = None,
        result: dict[str, Any] | None = None,
        rng: str | None = None,
        rules: str | None = None,
    ) -> None:
        self.format = format
        self.seed = seed
        self.players = players
        self.moves = moves
        self.clock_ms = [] if clock_ms is None else clock_ms
        self.notes = {} if notes is None else notes
        self.faults = [] if faults is None else faults
        self.result = result
        self.rng = rng
        self.rules = rules

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Record) and self.to_json() == other.to_json()

    __hash__ = None  # type: ignore[assignment]  # records are mutable

    def __repr__(self) -> str:
        return f"Record({self.format!r}, {self.seed!r}, {len(self.moves)} moves)"

    @classmethod
    def of(cls, match: Match, players: list[dict[str, Any]] | None = None) -> Record:
        """The record of a match that was started from a seed.

        >>> match = Match("cassino/standard/1v1", seed="any text")
        >>> match.play("7DxAC,6C")
        >>> record = Record.from_json(Record.of(match).dumps())
        >>> record.moves, record.verify().scores
        (['7DxAC,6C'], [0, 0])
        >>> record.moves = ["7DxAC,6S,6C"]
        >>> record.verify()
        Traceback (most recent call last):
            ...
        engine.errors.RecordError: Move 1 (moves[0]) does not follow: ...
        """
        if match.seed is None:
            raise ValueError("Only a match with a seed has a record, from which its decks follow.")
        player_rows = players or [{"name": f"seat {seat}"} for seat in range(match.format.seats)]
        edition = rules.edition(match.format.game)
        return cls(
            str(match.format),
            match.seed,
            player_rows,
            match.moves,
            result=match.result,
            rules=edition,
        )

    def to_json(self) -> dict[str, Any]:
        """The record as a JSON object; ``rng`` and ``rules`` are omitted if None."""
        keys = [key for key in _KEYS if key not in _OPTIONAL_KEYS or getattr(self, key) is not None]
        return {"cardroom": VERSION, **{key: deep_copy(getattr(self, key)) for key in keys}}

    def dumps(self) -> str:
        """The record as compact JSON text."""
        return json.dumps(self.to_json(), ensure_ascii=False, separators=(",", ":"))

    @classmethod
    def from_json(cls, data: Mapping[str, Any] | str | bytes) -> Record:
        """The record of a JSON object or text; RecordError names the malformed field."""
        try:
            return cls._read(data)
        except RecursionError:
            raise RecordError("No record is nested as deeply as this.") from None

    @classmethod
    def _read(cls, data: Mapping[str, Any] | str | bytes) -> Record:
        if isinstance(data, str | bytes):
            try:
                data = parse_json(data, MAX_BYTES)
            except JSONError as error:
                raise RecordError(f"This is not JSON: {error}") from error
        if not isinstance(data, Mapping):
            raise RecordError("A record is a JSON object.")
        if data.get("cardroom") != VERSION:
            version = _shortened(data.get("cardroom"))
            raise RecordError(f'A record starts with "cardroom": {VERSION}; here it is {version}.')
        _check_shapes(data)
        _check_sizes(data)
        return cls(**{key: deep_copy(data[key]) for key in _KEYS if key in data})

    @property
    def has_other_rules(self) -> bool:
        """Whether the record names another edition of the rules than this program's."""
        return self.rules not in (None, self._own_edition())

    def _own_edition(self) -> str | None:
        return rules.editions().get(self.format.partition("/")[0])

    def verify(self) -> Match:
        """Replay the record; RecordError names the first move or score that differs.

        Returns the replayed match. If this program has other rules than the record, the error
        mentions it.
        """
        with self._mention_rules():
            match = self._replayed(len(self.moves))
            expected = self._expected_result(match)
            if self.result != expected:
                raise RecordError(_difference(self.result, expected))
        return match

    def after(self, number: int) -> Match:
        """The match after `number` moves. RecordError as in `verify`."""
        with self._mention_rules():
            return self._replayed(number)

    def _replayed(self, number: int) -> Match:
        match = self.start()
        for index, move in enumerate(self.moves[:number]):
            _step(match, index, move)
            match.proceed()
        return match

    def start(self) -> Match:
        """The match of this record before its first move."""
        try:
            fmt = Format.parse(self.format)
        except ValueError as error:
            raise RecordError(f"The format does not exist: {error}") from error
        if len(self.players) != fmt.seats:
            raise RecordError(
                f"{fmt} has {fmt.seats} seats, but the record has {len(self.players)} players."
            )
        try:
            return Match(fmt, seed=self.seed)
        except ValueError as error:
            raise RecordError(f"No match has this seed: {error}") from error

    @contextmanager
    def _mention_rules(self) -> Iterator[None]:
        """Add a remark to each RecordError if the record has other rules than this program."""
        try:
            yield
        except RecordError as error:
            own_edition = self._own_edition()
            if not self.has_other_rules:
                raise
            raise RecordError(
                f"{error} The record is of version {self.rules} of the rules, and this program "
                f"has {f'version {own_edition}' if own_edition else 'no such game'}.",
                error.number,
            ) from error

    def _expected_result(self, match: Match) -> dict[str, Any] | None:
        for fault in self.faults:
            if not 0 <= fault["seat"] < match.format.seats:
                raise RecordError(f"A fault names seat {fault['seat']}; there is no such seat.")
        sides = {match.format.side(fault["seat"]) for fault in self.faults}
        if sides:
            return with_faults(match.result, match.scores, sides)
        return match.result

    def frames(self) -> Iterator[dict[str, Any]]:
        """The match move by move, for drawing without knowledge of the rules.

        The first frame is the deal. There is one frame after each move (at the end of a deal, after
        its scoring), one for each further deal, and one for the end, with the keys of
        `engine.frames`. View and events are those of spectators after the end, with all cards.
        Raises RecordError like `verify`.
        """
        with self._mention_rules():
            yield from self._frames()

    def _frames(self) -> Iterator[dict[str, Any]]:
        match = self.start()
        yield open_frame(match, 0)
        for number, move in enumerate(self.moves):
            since, seat = match.logged, match.turn
            _step(match, number, move)
            yield open_frame(match, since) | {
                "n": number,
                "seat": seat,
                "move": move,
                "clock_ms": self.clock_ms[number] if number < len(self.clock_ms) else None,
                "note": self.notes.get(str(number)),
            }
            since = match.logged
            match.proceed()
            if match.logged > since:
                yield open_frame(match, since)


def _ordinal(number: int) -> str:
    """A move's number for people (from 1) and its index in the record's list."""
    return f"Move {number + 1} (moves[{number}])"


def _step(match: Match, number: int, move: str) -> None:
    """Play one recorded move; RecordError instead of IllegalMove."""
    if match.turn is None:
        raise RecordError(
            f"{_ordinal(number)} ({_shortened(move)}) comes after the end of the match.", number
        )
    try:
        match.step(move)
    except IllegalMove as error:
        raise RecordError(f"{_ordinal(number)} does not follow: {error}", number) from error


def _difference(result: dict[str, Any] | None, expected: dict[str, Any] | None) -> str:
    """A sentence about the first field of the result that does not follow from the moves."""
    if expected is None:
        return "The record has a result, but its moves do not end the match."
    if result is None:
        return f"The moves end the match, but the record has no result; it should be {expected}."
    for key, value in expected.items():
        if result.get(key) != value:
            wrong = _shortened(result.get(key))
            verb = "do" if key in {"scores", "ranks"} else "does"
            return f"The result's {key} {verb} not follow: the moves give {value}, not {wrong}."
    extra = ", ".join(key[:MAX_SHOWN] for key in sorted(set(result) - set(expected))[:5])
    return f"The result has fields that no rule gives: {extra}."


def _shortened(value: object) -> str:
    """A wrong value, shortened for a message."""
    text = repr(value)
    return text if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]}…"


def _check_shapes(data: Mapping[str, Any]) -> None:
    """RecordError for the first field that is missing or of the wrong type."""
    required: tuple[tuple[str, type, str], ...] = (
        ("format", str, "text such as cassino/standard/1v1"),
        ("seed", str, "text"),
        ("players", list, "a list with one object per seat"),
        ("moves", list, "a list of moves"),
    )
    optional: tuple[tuple[str, type, str], ...] = (
        ("clock_ms", list, "a list of milliseconds, one per move"),
        ("notes", dict, "an object of notes by move number"),
        ("faults", list, "a list of objects with seat and kind"),
    )
    for key, kind, meaning in required + optional:
        if (key, kind, meaning) in optional and key not in data:
            continue
        if not isinstance(data.get(key), kind):
            raise RecordError(
                f"A record's {key} is {meaning}; here it is {_shortened(data.get(key))}."
            )
    try:
        check_seed(data["seed"])
    except ValueError as error:
        raise RecordError(f"No match has this seed: {error}") from error
    _check_rng(data.get("rng"))
    _check_edition(data.get("rules"))
    for number, move in enumerate(data["moves"]):
        if not isinstance(move, str):
            raise RecordError(f"{_ordinal(number)} is not text: {_shortened(move)}.", number)
    for fault in data.get("faults", ()):
        if not isinstance(fault, dict) or not isinstance(fault.get("seat"), int):
            raise RecordError(f"A fault is an object with a seat; here it is {_shortened(fault)}.")
    if not isinstance(data.get("result"), dict | None):
        raise RecordError("A record's result is an object, or null while the match runs.")


def _check_rng(rng: object) -> None:
    if rng is None:
        return
    if not isinstance(rng, str) or len(rng) > MAX_RNG:
        raise RecordError(
            f"A record's rng is text of at most {MAX_RNG} characters; here it is {_shortened(rng)}."
        )
    try:
        check_seed(rng)
    except ValueError as error:
        raise RecordError(f"A record's rng must be usable as a seed: {error}") from error


def _check_edition(text: object) -> None:
    if text is None:
        return
    if not isinstance(text, str) or len(text) > MAX_RULES or not text.isascii():
        raise RecordError(
            f"A record's rules is a version of the rules with its digest, at most {MAX_RULES} "
            f"characters; here it is {_shortened(text)}."
        )


def _check_sizes(data: Mapping[str, Any]) -> None:
    """Raise RecordError for fields longer than in any real record, before any move is played."""
    moves, players = data["moves"], data["players"]
    if len(moves) > MAX_MOVES:
        raise RecordError(f"A record has at most {MAX_MOVES:,} moves; this has {len(moves):,}.")
    for number, move in enumerate(moves):
        if len(move) > MAX_MOVE:
            raise RecordError(f"{_ordinal(number)} has more than {MAX_MOVE:,} characters.", number)
    for seat, player in enumerate(players):
        if not isinstance(player, dict):
            raise RecordError(
                f"A player is an object with a name; seat {seat} is {_shortened(player)}."
            )
        name = player.get("name", "")
        if not isinstance(name, str) or len(name) > MAX_NAME:
            raise RecordError(f"A player's name is text of at most {MAX_NAME} characters.")
    if len(data.get("clock_ms", ())) > len(moves) or len(data.get("notes", ())) > len(moves):
        raise RecordError("A record has at most one entry of clock_ms and one note per move.")
    for number, note in data.get("notes", {}).items():
        if not isinstance(note, str) or len(note) > MAX_NOTE:
            raise RecordError(
                f"A note is text of at most {MAX_NOTE} characters; "
                f"the note of move {_shortened(number)} is not."
            )
    if len(data.get("faults", ())) > len(players):
        raise RecordError("A record has at most one fault per seat.")
