"""Print results of matches: one in full, several as a table of wins by bot."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from rich.table import Table
from rich.text import Text

from bots.cli.common import PlainTable, out, show_json
from bots.referee.outcome import MatchOutcome
from cardroom_base.core.safe_text import one_line
from engine import Format, Record, RecordError
from engine.english import count_of

LOG_LINES = 12
"""Maximum lines of a bot's own log that are shown with its fault."""


@dataclass(slots=True)
class Totals:
    """A bot's totals; a match counts once for each side that the bot plays."""

    won: int = 0
    shared: int = 0
    lost: int = 0
    score: float = 0.0
    """Sum of the bot's scores in all matches."""
    faults: int = 0
    """Faults of the bot's seats."""

    @property
    def matches(self) -> int:
        """Number of sides that the bot played in finished matches."""
        return self.won + self.shared + self.lost

    @property
    def mean(self) -> float | None:
        """The mean score per match; None before the first match."""
        return self.score / self.matches if self.matches else None


def totals_of(records: Iterable[Record]) -> dict[str, Totals]:
    """Totals by player's name, in the order of their first seats, without unfinished matches.

    RecordError if a result does not fit its format.
    """
    totals: dict[str, Totals] = {}
    for record in records:
        names = [str(player.get("name", "?")) for player in record.players]
        for name in names:
            totals.setdefault(name, Totals())
        if record.result is None:
            continue
        try:
            for fault in record.faults:
                totals[names[fault["seat"]]].faults += 1
            for side, seats in enumerate(Format.parse(record.format).sides):
                for name in dict.fromkeys(names[seat] for seat in seats):
                    _add_match(totals[name], record.result, side)
        except (KeyError, IndexError, TypeError, ValueError):
            raise RecordError("The record's result does not fit its format.") from None
    return totals


def _add_match(totals: Totals, result: dict[str, Any], side: int) -> None:
    """Add one match, in which the bot played this side."""
    ranks = result["ranks"]
    totals.score += result["scores"][side]
    if ranks[side] > 1:
        totals.lost += 1
    elif ranks.count(1) > 1:
        totals.shared += 1
    else:
        totals.won += 1


def table_of(totals_by_name: dict[str, Totals]) -> Table:
    """The totals as a table for the terminal."""
    table = PlainTable("bot", "matches", "won", "shared", "lost", "score", "faults")
    for name, totals in totals_by_name.items():
        mean = "–" if totals.mean is None else f"{totals.mean:.2f}"
        counts = (totals.matches, totals.won, totals.shared, totals.lost, mean, totals.faults)
        table.add_row(Text(one_line(name)), *map(str, counts))
    return table


def totals_as_json(totals_by_name: dict[str, Totals]) -> list[dict[str, Any]]:
    """The totals as JSON; `score` is the mean per match."""
    return [
        {
            "bot": name,
            "matches": totals.matches,
            "won": totals.won,
            "shared": totals.shared,
            "lost": totals.lost,
            "score": totals.mean,
            "faults": totals.faults,
        }
        for name, totals in totals_by_name.items()
    ]


def outcome_as_json(outcome: MatchOutcome) -> dict[str, Any]:
    """A match as JSON, with its record and the usage of every seat."""
    return {
        "record": outcome.record.to_json(),
        "seats": [
            {
                "name": seat.name,
                "moves": seat.moves,
                "cpu_ms": round(seat.cpu_ms, 3),
                "wall_ms": round(seat.wall_ms, 3),
                "slowest_ms": round(seat.slowest_ms, 3),
                "peak_memory_kib": seat.peak_memory_kib,
                "log": seat.stderr.decode("utf-8", "replace"),
            }
            for seat in outcome.seats
        ],
    }


def show_continuation(record: Record, continued: Record, number: int, *, as_json: bool) -> None:
    """Print the result of a match continued from a position, beside the record's result."""
    if as_json:
        show_json({"from": number, "before": record.result, "record": continued.to_json()})
        return
    for label, shown_record in (("In the record", record), (f"From move {number} on", continued)):
        names = [one_line(str(player.get("name", "?"))) for player in shown_record.players]
        scores = (shown_record.result or {}).get("scores", ["unfinished"])
        out.print(f"{label}: {' – '.join(map(str, scores))}, {', '.join(names)}.")
    for fault in continued.faults:
        out.print(one_line(f"{fault['kind']} at move {fault['move']}"), style="red")


def show_match(fmt: Format, outcomes: Sequence[MatchOutcome]) -> None:
    """Print a single match: result, usage, faults."""
    (outcome,) = outcomes
    result = outcome.record.result or {}
    table = PlainTable("rank", "side", "score")
    for side, seats in sorted(enumerate(fmt.sides), key=lambda item: result["ranks"][item[0]]):
        names = " + ".join(outcome.seats[seat].name for seat in seats)
        table.add_row(str(result["ranks"][side]), Text(names), str(result["scores"][side]))
    out.print(f"{fmt}, seed {outcome.record.seed}, ended by {result['reason']}")
    out.print(table)
    usage_table = PlainTable("seat", "bot", "moves", "ms a move", "slowest ms", "MiB")
    for number, seat in enumerate(outcome.seats):
        mean = seat.wall_ms / seat.moves if seat.moves else 0.0
        # 0 means that the process ended before its memory was measured
        memory = f"{seat.peak_memory_kib / 1024:.1f}" if seat.peak_memory_kib else "–"
        slowest = f"{seat.slowest_ms:.1f}"
        usage_table.add_row(
            str(number), Text(seat.name), str(seat.moves), f"{mean:.2f}", slowest, memory
        )
    out.print()
    out.print(usage_table)
    show_faults(outcome)


def show_matches(fmt: Format, seed: str, outcomes: Sequence[MatchOutcome]) -> None:
    """Print several matches: wins by bot, and the first match with a fault."""
    out.print(f"{fmt}, seed {seed}, {count_of(len(outcomes), 'match', 'matches')}")
    out.print(table_of(totals_of(outcome.record for outcome in outcomes)))
    faulty = next((outcome for outcome in outcomes if outcome.faults), None)
    if faulty is not None:
        show_faults(faulty)


def show_faults(outcome: MatchOutcome) -> None:
    """Print each fault of a match, with the end of the bot's log."""
    for seat in outcome.seats:
        if seat.fault is None:
            continue
        fault = seat.fault
        heading = f"\nSeat {fault.seat} ({seat.name}) failed at move {fault.move}: {fault.kind}."
        out.print(f"{heading} {fault.detail}", style="red")
        if fault.received:
            out.print(f"It sent '{fault.received}'.")
        log = seat.stderr.decode("utf-8", "replace").strip().splitlines()
        if log:
            out.print("The end of its log:", *log[-LOG_LINES:], sep="\n  ")
