"""Data that pages compute from a match's record: transcript, tally, the bots' questions."""

from __future__ import annotations

from typing import Any

from engine import Record
from engine.english import seat_name


def transcript(record: Record) -> list[dict[str, Any]]:
    """The match as text: a dict per deal with its ``number`` (from 1), ``lines`` and ``scores``.

    A line has ``n`` (move of the match from 1, or None), ``move``, ``sentence``, ``clause``,
    ``note`` and ``faults`` (for which the platform made this move).
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
            fault | {"place": seat_name(len(record.players), fault["seat"])} for fault in here
        ]
        deals[-1]["lines"].append(line)
        deals[-1]["scores"] = " – ".join(str(score) for score in frame["view"]["scores"])
    return deals


def question(record: Record, number: int) -> dict[str, Any] | None:
    """The bot's request for move `number` (from 0); None if there is no such move.

    It has exactly the `view`, `legal` and `truncated` of the protocol's question. `events` is left
    out, because it depends on the events sent to the bot before.
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

    ``lines``: key, clause and text of each line; ``frames``: by frame, by line, the points by side;
    ``standing``: by frame, by side, the scores if the match ended there, or None where these are
    the scores before the deal plus its points.

    The last lines are those of the score sheet that no view contains, such as going out: they are 0
    until the deal is over.
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
    late = {key: line for sheet in sheets for key, line in sheet.items()}
    for head in heads:
        late.pop(head["key"], None)
    heads += [{part: line[part] for part in ("key", "clause", "for")} for line in late.values()]
    frames = []
    for view, lines in zip(views, tallies, strict=True):
        ended = sheets[view["deal"]] if view["to_act"] is None else {}
        nothing = {"points": [0] * len(view["scores"])}
        frames.append(
            [line.points for line in lines] + [ended.get(key, nothing)["points"] for key in late]
        )
    standing = [fmt.spec.standing(fmt, view) for view in views]
    return {"lines": heads, "frames": frames, "standing": standing if standing[0] else None}
