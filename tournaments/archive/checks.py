"""The individual checks of an archive."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from itertools import islice
from typing import TypeAlias

from engine import Record, RecordError
from engine.english import count_of
from engine.shuffle import commitment
from tournaments.archive.shapes import (
    STATES,
    ArchivedEntry,
    ArchivedGroup,
    ArchivedMatch,
    ArchivedSeat,
    ArchiveError,
    Head,
)
from tournaments.course.course import Division, course
from tournaments.course.divisions import Conditions, PairedGroup, seed_suffix
from tournaments.deal_groups import group_seed, members, seatings
from tournaments.pairing import Meeting, count_valid_rounds

RoundKey: TypeAlias = tuple[int, int, int]
"""The numbers of stage, division and round."""


def is_endless(head: Head) -> bool:
    """Whether the tournament has no end of its own."""
    return any(plan.pairing.endless for plan in head.stages)


def check_deal_group(
    head: Head,
    conditions: Conditions,
    entries: Mapping[int, ArchivedEntry],
    deal_group: ArchivedGroup,
    *,
    retired_before: int,
) -> None:
    """Check a deal group's place, seed and seats; ArchiveError if one is wrong.

    `retired_before`: the number of earlier, retired deal groups in the same place.
    """
    if not 1 <= deal_group.stage <= len(head.stages):
        raise ArchiveError(f"{deal_group}: there is no stage {deal_group.stage}.")
    if not 1 <= deal_group.division <= head.stages[deal_group.stage - 1].divisions:
        raise ArchiveError(f"{deal_group}: there is no division {deal_group.division}.")
    if head.version > 1:
        _check_commitment(deal_group)
    if deal_group.seed is None:
        _check_missing_seed(head, deal_group)
    elif head.chosen_seed:
        _check_chosen_seed(head, deal_group, retired_before)
    _check_sides(conditions, entries, deal_group)
    _check_matches(head, conditions, entries, deal_group)


def _check_commitment(deal_group: ArchivedGroup) -> None:
    """Check that a public seed matches the commitment."""
    if deal_group.commitment is None:
        raise ArchiveError(f"{deal_group}: the commitment to its seed is missing.")
    if deal_group.seed is None:
        return
    try:
        actual = commitment(deal_group.seed)
    except UnicodeEncodeError:
        raise ArchiveError(
            f"{deal_group}: its seed contains a lone surrogate (half a character)."
        ) from None
    if actual != deal_group.commitment:
        raise ArchiveError(
            f"{deal_group}: its seed does not fit its commitment: the commitment to "
            f"{deal_group.seed} is {actual}, not {deal_group.commitment:.64}."
        )


def _check_missing_seed(head: Head, deal_group: ArchivedGroup) -> None:
    """Check that a missing seed belongs to a group that is not over."""
    if head.version == 1 or not deal_group.open or head.state != "running":
        raise ArchiveError(f"{deal_group}: its seed is missing, but the group is over.")


def _check_chosen_seed(head: Head, deal_group: ArchivedGroup, retired_before: int) -> None:
    """Check that the group's seed follows from the tournament's chosen seed."""
    redeal = ("again", retired_before) if retired_before else ()
    seed = group_seed(
        head.seed,
        *seed_suffix(deal_group.stage, deal_group.division),
        deal_group.round,
        deal_group.pairing,
        deal_group.group,
        *redeal,
    )
    if deal_group.seed != seed:
        raise ArchiveError(
            f"{deal_group}: its seed does not follow from the tournament's: it must be {seed}, "
            f"not {deal_group.seed}."
        )


def _check_sides(
    conditions: Conditions, entries: Mapping[int, ArchivedEntry], deal_group: ArchivedGroup
) -> None:
    if len(deal_group.sides) != len(conditions.sizes):
        raise ArchiveError(
            f"{deal_group}: {conditions.fmt} has {len(conditions.sizes)} sides, "
            f"not {len(deal_group.sides)}."
        )
    for side, size in zip(deal_group.sides, conditions.sizes, strict=True):
        if len(members(side)) != size:
            entries_text = count_of(size, "entry", "entries")
            raise ArchiveError(
                f"{deal_group}: a side must have {entries_text}, not {len(members(side))}."
            )
    entries_of_sides = [entry for side in deal_group.sides for entry in members(side)]
    if unknown := [entry for entry in entries_of_sides if entry not in entries]:
        raise ArchiveError(f"{deal_group}: there is no entry {unknown[0]}.")
    if len(set(entries_of_sides)) < len(entries_of_sides):
        raise ArchiveError(f"{deal_group}: an entry meets itself.")


def _check_matches(
    head: Head,
    conditions: Conditions,
    entries: Mapping[int, ArchivedEntry],
    deal_group: ArchivedGroup,
) -> None:
    """Check that each rotation has a match, whose seats follow from the pairing."""
    max_seats = max(map(len, conditions.fmt.sides))
    teams = [
        _team([entries[int(entry)] for entry in members(side)], max_seats)
        for side in deal_group.sides
    ]
    try:
        seatings_of_group = seatings(conditions.fmt.sides, teams, deal_group.group - 1)
    except ValueError as error:
        raise ArchiveError(f"{deal_group}: {error}") from error
    if [match.rotation for match in deal_group.matches] != list(range(len(seatings_of_group))):
        raise ArchiveError(
            f"{deal_group}: its matches must be the rotations 0 to {len(seatings_of_group) - 1}."
        )
    fixed = not is_endless(head)  # endless tournaments replace old versions
    for match, expected_seats in zip(deal_group.matches, seatings_of_group, strict=True):
        if len(match.seats) != len(expected_seats):
            raise ArchiveError(
                f"{deal_group}, match {match.match}: it must have {len(expected_seats)} seats, "
                f"not {len(match.seats)}."
            )
        for number, (seat, owner) in enumerate(zip(match.seats, expected_seats, strict=True)):
            if not _same_seat(seat, owner, fixed=fixed):
                raise ArchiveError(
                    f"{deal_group}, match {match.match}: seat {number} belongs to {owner.bot} "
                    f"version {owner.version} of entry {owner.entry}, not to {seat.bot} "
                    f"version {seat.version} of entry {seat.entry}."
                )
        _check_state(deal_group, match)


def _team(entries: Sequence[ArchivedEntry], widest: int) -> list[ArchivedSeat]:
    """The bots for a side's seats: all bots of its entry, or one bot of each of several entries."""
    candidates = [
        ArchivedSeat(entry.number, member.bot, member.version, member.package)
        for entry in entries
        for member in entry.members
    ]
    return candidates if len(candidates) == 1 else candidates[:widest]


def _same_seat(seat: ArchivedSeat, expected_seat: ArchivedSeat, *, fixed: bool) -> bool:
    return (
        seat == expected_seat
        if fixed
        else (seat.entry, seat.bot) == (expected_seat.entry, expected_seat.bot)
    )


def _check_state(deal_group: ArchivedGroup, match: ArchivedMatch) -> None:
    if match.state not in STATES:
        raise ArchiveError(f"{deal_group}, match {match.match}: there is no state {match.state}.")
    if match.finished and deal_group.retired:
        raise ArchiveError(
            f"{deal_group}, match {match.match}: the match counts, but its deal group is retired."
        )
    if not match.finished and (match.scores or match.ranks):
        raise ArchiveError(
            f"{deal_group}, match {match.match}: it has a result, but its state is {match.state}."
        )


def check_record(head: Head, seed: str, match: ArchivedMatch, content: bytes) -> None:
    """Check a record's format, seed, moves, bots and result; RecordError if one is wrong."""
    record = Record.from_json(content)
    if record.format != head.format:
        raise RecordError(
            f"Its format is {record.format}, but the tournament's format is {head.format}."
        )
    if record.seed != seed:
        raise RecordError(f"Its seed is {record.seed}, but its deal group's seed is {seed}.")
    fmt = record.verify().format
    result = record.result
    if result is None:
        raise RecordError("It has no result, but the match is finished.")
    for number, (player, seat) in enumerate(zip(record.players, match.seats, strict=True)):
        if player.get("package", seat.package) != seat.package:
            raise RecordError(f"Seat {number} was not played by the package of {seat.bot}.")
    faulted_sides = sorted({fmt.side(fault["seat"]) for fault in record.faults})
    for key, expected, actual in (
        ("scores", match.scores, result["scores"]),
        ("ranks", match.ranks, result["ranks"]),
        ("faults", match.faults, faulted_sides),
    ):
        if list(expected) != list(actual):
            raise RecordError(f"Its {key} are {list(actual)}, the match's {list(expected)}.")


# --- pairings -----------------------------------------------------------------------------------


def check_pairings(
    head: Head,
    stages: Sequence[Sequence[Division]],
    groups: int,
    replaced: Collection[RoundKey] = (),
) -> None:
    """Check that every round follows from earlier results, and a finished tournament is complete
    unless it was stopped.

    `stages`: the stages that have been paired, at least the first one. `groups`: the number of
    deal groups in the archive that count. `replaced`: the rounds with deal groups that were
    replaced.
    """
    divisions = [division for stage in stages for division in stage]
    may_have_outdated = False
    for stage in stages:
        for division in stage:
            if division.groups:
                _check_division(head, division, replaced, earlier_stage_open=may_have_outdated)
        may_have_outdated |= any(
            _may_have_outdated_rounds(head, division, division.state.rounds, replaced)
            for division in stage
        )
    if sum(len(division.groups) for division in divisions) != groups and not may_have_outdated:
        raise ArchiveError("There are deal groups of a stage that cannot have begun.")
    if head.state == "finished" and not head.stopped:
        _check_complete(head, stages, groups)


def _may_have_outdated_rounds(
    head: Head,
    division: Division,
    rounds: Sequence[Sequence[Meeting]],
    replaced: Collection[RoundKey],
) -> bool:
    """Whether later rounds that no longer follow from these may still be in the archive.

    The site retires such rounds only some seconds after the changed results are known; if it has
    been stopped, it keeps those of a Swiss.
    """
    meetings = [meeting for round_ in rounds for meeting in round_]
    if any(meeting.open for meeting in meetings):
        return True
    keys = {(division.stage, division.number, number) for number in range(1, len(rounds) + 1)}
    has_changed = any(meeting.void for meeting in meetings) or not keys.isdisjoint(replaced)
    return (head.state == "running" or head.stopped) and has_changed


def _check_division(
    head: Head, division: Division, replaced: Collection[RoundKey], *, earlier_stage_open: bool
) -> None:
    """`earlier_stage_open`: whether the results that decide its entrants may have changed."""
    entrants = set(division.entrants)
    numbers: dict[int, dict[int, list[PairedGroup]]] = {}
    for group in division.groups:
        numbers.setdefault(group.round, {}).setdefault(group.pairing, []).append(group)
        for entry in (entry for side in group.sides for entry in members(side)):
            if entry not in entrants:
                raise ArchiveError(f"{division}: entry {entry} does not play in it.")
    for expected_number, number in enumerate(sorted(numbers), 1):
        _check_round(division, expected_number, number, numbers[number])
    rounds = division.state.rounds
    valid = count_valid_rounds(division.system, division.state)
    if (
        valid < len(rounds)
        and not earlier_stage_open
        and not _may_have_outdated_rounds(head, division, rounds[:valid], replaced)
    ):
        raise ArchiveError(
            f"{division}: the pairings of round {valid + 1} do not follow from the results before "
            "it."
        )


def _check_round(
    division: Division, expected: int, number: int, pairings: Mapping[int, Sequence[PairedGroup]]
) -> None:
    if number != expected:
        raise ArchiveError(f"{division}: round {expected} is missing.")
    if sorted(pairings) != list(range(1, len(pairings) + 1)):
        raise ArchiveError(
            f"{division}, round {number}: the pairings must be numbered 1 to {len(pairings)}."
        )
    pairings_of_entry: Counter[object] = Counter()
    min_groups = division.plan.groups
    for pairing, groups in pairings.items():
        place = f"{division}, round {number}, pairing {pairing}"
        if any(group.sides != groups[0].sides for group in groups):
            raise ArchiveError(f"{place}: its deal groups have different entries.")
        if len(groups) < min_groups:
            raise ArchiveError(
                f"{place}: it must have {min_groups} deal groups or more; it has {len(groups)}."
            )
        pairings_of_entry.update(entry for side in groups[0].sides for entry in members(side))
    if repeated := [entry for entry, count in pairings_of_entry.items() if count > 1]:
        raise ArchiveError(f"{division}, round {number}: entry {repeated[0]} plays twice.")


def _check_complete(head: Head, stages: Sequence[Sequence[Division]], groups: int) -> None:
    location = "tournament.json"
    divisions = [division for stage in stages for division in stage]
    if groups:
        counted_groups = [group for division in divisions for group in division.groups]
        # A stage is skipped if too few entries are left for it.
        for stage in islice(course(head.conditions, counted_groups), len(stages), None):
            if any(division.upcoming() for division in stage):
                raise ArchiveError(
                    f"{location}: the tournament is finished, but stage {len(stages) + 1} is "
                    "missing."
                )
    if any(group.open for division in divisions for group in division.groups):
        raise ArchiveError(
            f"{location}: the tournament is finished, but some matches are unfinished."
        )
    for division in divisions:
        if division.upcoming():
            raise ArchiveError(f"{location}: the tournament is finished, but {division} is not.")
