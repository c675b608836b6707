"""What the replay of a match shows beyond its frames: transcript, tally, the bots' questions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine import Format, Record
from engine.cards import CODE, mask_of
from engine.games.cassino import scoring
from engine.words import place


def transcript(record: Record) -> list[dict[str, Any]]:
    """The match in words: a dict per deal with its ``number`` (from 1), ``lines`` and ``scores``.

    A line has ``n`` (move of the match from 1, or None), ``move``, ``sentence``, ``clause``,
    ``note`` and ``faults`` (those that the platform's move at this place stands for).
    """
    deals: list[dict[str, Any]] = []
    faults = list(record.faults)
    for frame in record.frames():
        if not deals or deals[-1]["number"] != frame["deal"] + 1:
            deals.append({"number": frame["deal"] + 1, "lines": [], "scores": ""})
        number = frame["n"]
        line = {key: frame[key] for key in ("move", "sentence", "clause", "note")}
        here = [fault for fault in faults if number is not None and fault["move"] <= number]
        faults = [fault for fault in faults if fault not in here]
        line["n"] = None if number is None else number + 1
        line["faults"] = [
            fault | {"place": place(len(record.players), fault["seat"])} for fault in here
        ]
        deals[-1]["lines"].append(line)
        deals[-1]["scores"] = " – ".join(str(score) for score in frame["view"]["scores"])
    return deals


def question(record: Record, number: int) -> dict[str, Any] | None:
    """What the bot was asked for move `number` (from 0), or None if there is no such move.

    Exactly the `view`, `legal` and `truncated` of the protocol's question; its `events` depend on
    what the bot had been told before and are left out.
    """
    if not 0 <= number < len(record.moves):
        return None
    match = record.start()
    for move in record.moves[:number]:
        match.play(move)
    seat = match.turn
    if seat is None:
        return None
    return {
        "type": "move",
        "n": number,
        "view": match.view(seat),
        "legal": match.legal_moves(),
        "truncated": match.truncated,
    }


def tally(record: Record) -> dict[str, Any] | None:
    """What the deal would score if it ended at each frame, or None for games without a tally.

    ``lines``: clause and words of each line of the sheet; ``frames``: by frame, by line, by side.
    """
    fmt = Format.parse(record.format)
    if fmt.game != "cassino":
        return None
    sheets = [_cassino(fmt, frame["view"]) for frame in record.frames()]
    return {
        "lines": [{"clause": clause, "for": what} for clause, what, _ in sheets[0]],
        "frames": [[points for _, _, points in sheet] for sheet in sheets],
    }


def _cassino(fmt: Format, view: Mapping[str, Any]) -> list[scoring.Line]:
    """The sheet of CAS-29 to 32 for the piles of a spectators' view."""
    captured = [mask_of(CODE[card] for card in pile) for pile in view["captured"]]
    return scoring.lines(fmt.rules, captured, view["sweeps"])
