"""`cardroom bench`: measure the speed of this machine."""

from __future__ import annotations

import random
from time import perf_counter, process_time
from typing import Annotated, Any

import typer

from bots.cli.common import AsJson, PlainTable, Trusted, guarded, opened_sandbox, out, show_json
from bots.referee.live_seat import SandboxLike
from bots.referee.outcome import SeatedBot
from bots.referee.referee import play_match
from bots.sandbox import Limits, Program
from engine import Format, Match, all_formats

FIRST_MOVE_BOT = Program({"bot.py": b"def choose(view, legal):\n    return legal[0]\n"})
"""The cheapest bot, so that the platform's time dominates."""


@guarded
def bench(
    *,
    seconds: Annotated[float, typer.Option(min=0.1, max=60, help="Seconds for each figure.")] = 1.0,
    trusted: Trusted = False,
    as_json: AsJson = False,
) -> None:
    """Measure the speed of the engine and the referee.

    The engine is measured in processor time: decisions per second, by game. A match is timed by the
    wall clock, so other work on the machine slows it.
    """
    formats_by_game: dict[str, Format] = {}
    for fmt in all_formats():
        formats_by_game.setdefault(fmt.game, fmt)
    figures = [
        _figure("random playouts", fmt, "decisions/s", playouts(fmt, seconds))
        for fmt in formats_by_game.values()
    ]
    with opened_sandbox(Limits(), trusted=trusted, warm=2) as sandbox:
        for fmt in formats_by_game.values():
            us_per_match_move, us_per_question = _referee_times(sandbox, fmt, seconds)
            figures.append(
                _figure("match, start-up included", fmt, "µs per move", us_per_match_move)
            )
            figures.append(_figure("question to answer", fmt, "µs per move", us_per_question))
    if as_json:
        show_json(figures)
        return
    table = PlainTable("what", "format", "value", "unit")
    for figure in figures:
        table.add_row(figure["what"], figure["format"], f"{figure['value']:,}", figure["unit"])
    out.print(table)
    out.print(sandbox.isolation.reason, style="dim")


def playouts(fmt: Format, seconds: float) -> float:
    """Decisions per second of processor time in random play, with all legal moves listed."""
    rng = random.Random(1)
    began, decisions = process_time(), 0
    while process_time() - began < seconds:
        match = Match(fmt, seed=f"bench-{decisions}")
        while match.turn is not None:
            match.play(rng.choice(match.legal_moves()))
            decisions += 1
    return decisions / (process_time() - began)


def _referee_times(sandbox: SandboxLike, fmt: Format, seconds: float) -> tuple[float, float]:
    """µs per move: of whole matches, and of the time between question and answer alone."""
    players = [SeatedBot("first", FIRST_MOVE_BOT)] * fmt.seats
    began, moves, waited_ms = perf_counter(), 0, 0.0
    while not moves or perf_counter() - began < seconds:
        outcome = play_match(fmt, f"bench-{moves}", players, sandbox=sandbox)
        moves += len(outcome.record.moves)
        waited_ms += sum(seat.wall_ms for seat in outcome.seats)
    return (perf_counter() - began) / moves * 1e6, waited_ms / moves * 1e3


def _figure(quantity: str, fmt: Format, unit: str, value: float) -> dict[str, Any]:
    return {"what": quantity, "format": str(fmt), "unit": unit, "value": round(value, 1)}
