"""The individual checks of an archive."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice

from engine import Record, RecordError
from engine.shuffle import commitment
from tournaments.archive.shapes import (
    STATES,
    ArchivedEntry,
    ArchivedGroup,
    ArchivedSeat,
    ArchiveError,
    Head,
    Played,
)
from tournaments.course.course import Division, course
from tournaments.course.divisions import Conditions, PairedGroup, seed_suffix
from tournaments.deal_groups import group_seed, members, seatings
from tournaments.pairing import Meeting, count_valid_rounds


def endless(head: Head) -> bool:
    """Whether the tournament runs until somebody ends it."""
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
        _check_hidden(head, deal_group)
    elif head.chosen_seed:
        _check_derived(head, deal_group, retired_before)
    _check_sides(conditions, entries, deal_group)
    _check_matches(head, conditions, entries, deal_group)


def _check_commitment(deal_group: ArchivedGroup) -> None:
    """Check that a public seed fits the commitment."""
    if deal_group.commitment is None:
        raise ArchiveError(f"{deal_group}: the commitment to its seed is missing.")
    if deal_group.seed is None:
        return
    try:
        actual = commitment(deal_group.seed)
    except UnicodeEncodeError:
        raise ArchiveError(
            f"{deal_group}: its seed is not text: it has half a character."
        ) from None
    if actual != deal_group.commitment:
        raise ArchiveError(
            f"{deal_group}: its seed does not fit its commitment: "
            f"that of {deal_group.seed} is {actual}, not {deal_group.commitment:.64}."
        )


def _check_hidden(head: Head, deal_group: ArchivedGroup) -> None:
    """Check that a missing seed belongs to a group that is not over."""
    if head.version == 1 or not deal_group.open or head.state != "running":
        raise ArchiveError(f"{deal_group}: its seed is missing, but the group is over.")


def _check_derived(head: Head, deal_group: ArchivedGroup, retired_before: int) -> None:
    """Check that the group's seed follows from the tournament's chosen seed."""
    again = ("again", retired_before) if retired_before else ()
    seed = group_seed(
        head.seed,
        *seed_suffix(deal_group.stage, deal_group.division),
        deal_group.round,
        deal_group.pairing,
        deal_group.group,
        *again,
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
            raise ArchiveError(f"{deal_group}: a side takes {size}, not {len(members(side))}.")
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
    widest = max(map(len, conditions.fmt.sides))
    teams = [_team([entries[int(e)] for e in members(side)], widest) for side in deal_group.sides]
    try:
        seated = seatings(conditions.fmt.sides, teams, deal_group.group - 1)
    except ValueError as error:
        raise ArchiveError(f"{deal_group}: {error}") from error
    if [played.rotation for played in deal_group.matches] != list(range(len(seated))):
        raise ArchiveError(
            f"{deal_group}: its matches must be the rotations 0 to {len(seated) - 1}."
        )
    fixed = not endless(head)  # endless tournaments replace old versions
    for played, expected in zip(deal_group.matches, seated, strict=True):
        if len(played.seats) != len(expected):
            raise ArchiveError(
                f"{deal_group}, match {played.match}: it must have {len(expected)} seats, "
                f"not {len(played.seats)}."
            )
        for number, (seat, correct) in enumerate(zip(played.seats, expected, strict=True)):
            if not _same_seat(seat, correct, fixed=fixed):
                raise ArchiveError(
                    f"{deal_group}, match {played.match}: seat {number} belongs to {correct.bot} "
                    f"version {correct.version} of entry {correct.entry}, not to {seat.bot} "
                    f"version {seat.version} of entry {seat.entry}."
                )
        _check_state(deal_group, played)


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


def _check_state(deal_group: ArchivedGroup, played: Played) -> None:
    if played.state not in STATES:
        raise ArchiveError(f"{deal_group}, match {played.match}: there is no state {played.state}.")
    if played.finished and deal_group.retired:
        raise ArchiveError(
            f"{deal_group}, match {played.match}: the match counts, but its deal group is retired."
        )
    if not played.finished and (played.scores or played.ranks):
        raise ArchiveError(
            f"{deal_group}, match {played.match}: it has a result, but its state is {played.state}."
        )


def check_record(head: Head, seed: str, played: Played, content: bytes) -> None:
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
    for number, (player, seat) in enumerate(zip(record.players, played.seats, strict=True)):
        if player.get("package", seat.package) != seat.package:
            raise RecordError(f"Seat {number} was not played by the package of {seat.bot}.")
    guilty = sorted({fmt.side(fault["seat"]) for fault in record.faults})
    for key, expected, actual in (
        ("scores", played.scores, result["scores"]),
        ("ranks", played.ranks, result["ranks"]),
        ("faults", played.faults, guilty),
    ):
        if list(expected) != list(actual):
            raise RecordError(f"Its {key} are {list(actual)}, the match's {list(expected)}.")


# --- pairings -----------------------------------------------------------------------------------


def check_pairings(head: Head, begun: Sequence[Sequence[Division]], groups: int) -> None:
    """Check that every round follows from earlier results, and a finished tournament is complete
    unless it was stopped.

    `begun`: the stages that have been paired, at least the first one. `groups`: the number of deal
    groups in the archive that count.
    """
    divisions = [division for stage in begun for division in stage]
    unsettled = any(_unsettled(head, division.state.rounds) for division in divisions)
    if sum(len(division.groups) for division in divisions) != groups and not unsettled:
        raise ArchiveError("There are deal groups of a stage that cannot have begun.")
    for division in divisions:
        if division.groups:
            _check_division(head, division)
    if head.state == "finished" and not head.stopped:
        _check_complete(head, begun, groups)


def _unsettled(head: Head, rounds: Iterable[Sequence[Meeting]]) -> bool:
    """Whether later rounds that no longer follow from these may still be in the archive.

    The site retires such rounds only when it advances the tournament: once reruns of earlier
    matches are finished, or some seconds after results were voided.
    """
    meetings = [meeting for round_ in rounds for meeting in round_]
    voided = head.state == "running" and any(meeting.void for meeting in meetings)
    return voided or any(meeting.open for meeting in meetings)


def _check_division(head: Head, division: Division) -> None:
    entrants = set(division.entrants)
    numbers: dict[int, dict[int, list[PairedGroup]]] = {}
    for group in division.groups:
        numbers.setdefault(group.round, {}).setdefault(group.pairing, []).append(group)
        for entry in (entry for side in group.sides for entry in members(side)):
            if entry not in entrants:
                raise ArchiveError(f"{division}: entry {entry} does not play there.")
    for expected, number in enumerate(sorted(numbers), 1):
        _check_round(division, expected, number, numbers[number])
    rounds = division.state.rounds
    valid = count_valid_rounds(division.system, division.state)
    if valid < len(rounds) and not _unsettled(head, rounds[:valid]):
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
    seated: Counter[object] = Counter()
    least = division.plan.groups
    for pairing, groups in pairings.items():
        where = f"{division}, round {number}, pairing {pairing}"
        if any(group.sides != groups[0].sides for group in groups):
            raise ArchiveError(f"{where}: its deal groups have different entries.")
        if len(groups) < least:
            raise ArchiveError(
                f"{where}: it must have {least} deal groups or more; it has {len(groups)}."
            )
        seated.update(entry for side in groups[0].sides for entry in members(side))
    if twice := [entry for entry, count in seated.items() if count > 1]:
        raise ArchiveError(f"{division}, round {number}: entry {twice[0]} plays twice.")


def _check_complete(head: Head, begun: Sequence[Sequence[Division]], groups: int) -> None:
    where = "tournament.json"
    divisions = [division for stage in begun for division in stage]
    if groups:
        counted = [group for division in divisions for group in division.groups]
        # A stage is skipped if too few entries are left for it.
        for stage in islice(course(head.conditions, counted), len(begun), None):
            if any(division.upcoming() for division in stage):
                raise ArchiveError(
                    f"{where}: the tournament is finished, but stage {len(begun) + 1} is missing."
                )
    if any(group.open for division in divisions for group in division.groups):
        raise ArchiveError(f"{where}: the tournament is finished, but some matches are unfinished.")
    for division in divisions:
        if division.upcoming():
            raise ArchiveError(f"{where}: the tournament is finished, but {division} is not.")
