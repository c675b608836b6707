"""Data that pages compute from a record: the transcript, the tally, the questions to bots."""

from __future__ import annotations

from typing import Any

from cardroom_base.core.request_limits import MAX_REPLAYED
from engine import Record, RecordError
from engine.english import seat_name
from tournaments.models import TOO_LONG


def is_too_long(moves: int) -> bool:
    """Whether a match has too many moves for a request to replay."""
    return moves > MAX_REPLAYED


def checked(record: Record) -> Record:
    """The record; RecordError if it has too many moves for a request to replay."""
    if is_too_long(len(record.moves)):
        raise RecordError(TOO_LONG)
    return record


def transcript(record: Record) -> list[dict[str, Any]]:
    """The match as text: a dict per deal with its ``number`` (from 1), ``lines`` and ``scores``.

    A line has ``n`` (the number of the move in the match, from 1, or None), ``move``, ``sentence``,
    ``clause``, ``note`` and ``faults`` (after these, the platform made this move).
    """
    deals: list[dict[str, Any]] = []
    faults = list(record.faults)
    for frame in record.frames():
        if not deals or deals[-1]["number"] != frame["deal"] + 1:
            deals.append({"number": frame["deal"] + 1, "lines": [], "scores": ""})
        number = frame["n"]
        line = {key: frame[key] for key in ("move", "sentence", "clause", "note")}
        move_faults = [fault for fault in faults if number is not None and fault["move"] <= number]
        faults = [fault for fault in faults if fault not in move_faults]
        line["n"] = None if number is None else number + 1
        line["faults"] = [
            fault | {"place": seat_name(len(record.players), fault["seat"])}
            for fault in move_faults
        ]
        deals[-1]["lines"].append(line)
        deals[-1]["scores"] = " – ".join(str(score) for score in frame["view"]["scores"])
    return deals


def question(record: Record, number: int) -> dict[str, Any] | None:
    """The question to the bot for move `number` (from 0); None if there is no such move.

    It has the `view`, `legal` and `truncated` of the protocol. It lacks the `events`, because they
    depend on earlier questions to the bot.
    """
    if not 0 <= number < len(record.moves):
        return None
    match = record.after(number)
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
    """The tally of the deal at each frame; None for games without a tally.

    ``lines``: key, clause and text of each line. ``frames``: by frame and line, the points by side.
    ``standing``: by frame, the scores by side if the match ended there; None if they are the scores
    before the deal plus its points.

    Last come the lines of the score sheet that are in no view, such as going out: they are 0 until
    the deal is over.
    """
    match = record.start()
    fmt = match.format
    views = [frame["view"] for frame in record.frames()]
    tallies = [fmt.spec.tally(fmt, view) for view in views]
    if not tallies[0]:
        return None
    for move in record.moves:
        match.play(move)
    heads = [{"key": line.key, "clause": line.clause, "for": line.what} for line in tallies[0]]
    sheets = [{line["key"]: line for line in deal["sheet"]["lines"]} for deal in match.deals]
    late_lines = {key: line for sheet in sheets for key, line in sheet.items()}
    for head in heads:
        late_lines.pop(head["key"], None)
    heads += [
        {field: line[field] for field in ("key", "clause", "for")} for line in late_lines.values()
    ]
    frames = []
    for view, lines in zip(views, tallies, strict=True):
        final_lines = sheets[view["deal"]] if view["to_act"] is None else {}
        no_points = {"points": [0] * len(view["scores"])}
        frames.append(
            [line.points for line in lines]
            + [final_lines.get(key, no_points)["points"] for key in late_lines]
        )
    standing = [fmt.spec.standing(fmt, view) for view in views]
    return {"lines": heads, "frames": frames, "standing": standing if standing[0] else None}
