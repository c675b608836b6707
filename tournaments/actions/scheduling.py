"""Turning rounds into fixtures, matches and seats, in bulk."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count

from bots.actions import ActionError
from bots.outbox import announce_many
from engine import Format
from tournaments.deal_groups import group_seed, rotations
from tournaments.models import Entry, Fixture, FixtureSide, Match, Seat, Tournament
from tournaments.pairing import Round

PLAY_TASK = "tournaments.tasks.play_matches"
MAX_MATCHES = 100_000
"""Matches that one tournament may create at once."""
MAX_MESSAGES = 1000
"""Wake-ups announced at once; a worker that has been woken goes on while matches wait."""
BATCH = 500


def refuse_too_many(tournament: Tournament, rounds: Sequence[Round], sides: int) -> None:
    """ActionError with the number of matches that these rounds would take, if it is too large."""
    matches = sum(map(len, rounds)) * sides * tournament.groups
    if matches > MAX_MATCHES:
        raise ActionError(
            f"That would be {matches:,} matches; a tournament may have {MAX_MATCHES:,}. "
            "Ask for fewer deal groups, or take in fewer bots.",
            "conflict",
        )


def create_rounds(
    tournament: Tournament, entries: Sequence[Entry], rounds: Sequence[Round], *, first: int
) -> None:
    """Create the fixtures of these rounds (numbered from `first`) with all their matches."""
    fixtures, sides = _fixtures(tournament, entries, rounds, first)
    Fixture.objects.bulk_create(fixtures, batch_size=BATCH)
    FixtureSide.objects.bulk_create(sides, batch_size=BATCH)
    by_fixture: dict[int, list[Entry]] = {}
    for side in sides:
        by_fixture.setdefault(side.fixture.pk, []).append(side.entry)
    _create_matches(tournament, fixtures, by_fixture)
    announce_many(PLAY_TASK, [{}] * min(len(fixtures), MAX_MESSAGES))


def _fixtures(
    tournament: Tournament, entries: Sequence[Entry], rounds: Sequence[Round], first: int
) -> tuple[list[Fixture], list[FixtureSide]]:
    fixtures: list[Fixture] = []
    sides: list[FixtureSide] = []
    numbers = count(1 + tournament.fixtures.count())
    for round_number, round_ in enumerate(rounds, first):
        for pairing, indices in enumerate(round_, 1):
            for group in range(tournament.groups):
                fixture = Fixture(
                    tournament=tournament,
                    round=round_number,
                    pairing=pairing,
                    number=next(numbers),
                    seed=group_seed(tournament.seed, round_number, pairing, group + 1),
                )
                # With three sides or more the rotations keep everybody's neighbour; the other way
                # round in every second group, they change places.
                order = indices[::-1] if group % 2 else indices
                fixtures.append(fixture)
                sides.extend(
                    FixtureSide(fixture=fixture, index=index, entry=entries[entrant])
                    for index, entrant in enumerate(order)
                )
    return fixtures, sides


def _create_matches(
    tournament: Tournament, fixtures: Sequence[Fixture], entries: dict[int, list[Entry]]
) -> None:
    fmt = Format.parse(tournament.format)
    side_of = {seat: side for side, seats in enumerate(fmt.sides) for seat in seats}
    matches: list[Match] = []
    seatings: list[tuple[Entry, ...]] = []
    for fixture in fixtures:
        for rotation, seating in enumerate(rotations(fmt.sides, entries[fixture.pk])):
            matches.append(
                Match(
                    fixture=fixture,
                    tournament=tournament,
                    rotation=rotation,
                    format=tournament.format,
                    seed=fixture.seed,
                )
            )
            seatings.append(seating)
    Match.objects.bulk_create(matches, batch_size=BATCH)
    Seat.objects.bulk_create(
        (
            Seat(
                match=match,
                index=index,
                side=side_of[index],
                entry=entry,
                version_id=entry.version_id,
            )
            for match, seating in zip(matches, seatings, strict=True)
            for index, entry in enumerate(seating)
        ),
        batch_size=BATCH,
    )
