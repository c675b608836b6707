"""Matches that were played before: their records, found again for a tournament that goes on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bots.cli.common import UsageError
from bots.referee.outcome import Fault, MatchOutcome, Player, SeatReport
from engine import Format, Record, RecordError
from tournaments.home.setup import PlannedMatch


@dataclass(frozen=True, slots=True)
class Kept:
    """A folder of records, each named after its match."""

    folder: Path

    def path(self, match: PlannedMatch) -> Path:
        """Where a match's record is, or will be."""
        return self.folder / f"{match.name}.json"

    def find(
        self, fmt: Format, match: PlannedMatch, seated: Sequence[Player]
    ) -> MatchOutcome | None:
        """What came of a match, None if it has no record here.

        UsageError where the record has other cards or other bots. Times, memory and logs are not in
        records.
        """
        path = self.path(match)
        try:
            record = Record.from_json(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None
        except (OSError, RecordError) as error:
            raise UsageError(f"{path} cannot be read: {error}.") from None
        players = [player.as_json() for player in seated]
        same = (record.format, record.seed, record.players) == (str(fmt), match.seed, players)
        if not same or record.result is None:
            raise UsageError(
                f"{path} is of another tournament: format, seed, bots and their order must be the "
                "same to go on with it."
            )
        return MatchOutcome(record, [_report(record, seat) for seat in range(fmt.seats)])


def _report(record: Record, seat: int) -> SeatReport:
    fault = next(
        (
            Fault(seat, found["kind"], found["move"], found["received"], found["detail"])
            for found in record.faults
            if found["seat"] == seat
        ),
        None,
    )
    name = str(record.players[seat]["name"])
    return SeatReport(name, 0.0, 0.0, 0.0, 0, b"", 0, fault)
