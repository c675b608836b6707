"""Continue a match from a position of a record, with other bots."""

from __future__ import annotations

from collections.abc import Sequence

from bots.referee.clock import ClockSettings
from bots.referee.live_seat import SandboxLike
from bots.referee.outcome import SeatedBot
from bots.referee.table_seats import TableSeats
from engine import Match, Record
from engine.results import with_faults


def play_on(
    match: Match,
    players: Sequence[SeatedBot],
    secret: str,
    sandbox: SandboxLike,
    clock: ClockSettings,
) -> Record:
    """Play `match` (modified in place) to its end; return a record that includes earlier moves.

    `players`: by seat. The first question to each bot contains all earlier events. After a bot's
    fault the platform chooses its moves. `secret`: see `turns.seat_rng`.
    """
    names = [player.name for player in players]
    seats = TableSeats(match, names, dict(enumerate(players)), secret, settings=clock)
    try:
        seats.open(sandbox)
        while match.turn is not None:
            seats.decide()
    finally:
        seats.close()
    record = Record.of(match, [{"name": name} for name in names])
    record.rng = secret if secret != match.seed else None
    record.notes = dict(seats.notes)
    record.clock_ms = list(seats.clock_ms)
    if seats.faults:
        record.faults = [fault.as_json("fallback") for fault in seats.faults]
        sides = {match.format.side(fault.seat) for fault in seats.faults}
        record.result = with_faults(match.result, match.scores, sides)
    return record
