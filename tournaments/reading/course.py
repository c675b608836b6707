"""How far a tournament has come: who plays in which stage and division, and what came of it.

The course is a function of entries, stages and results. `advance` compares it with the fixtures
that exist; standings read it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from django.db.models import QuerySet

from engine import Format
from tournaments.course.divisions import Group, Setup, division_rows, listed, rotated, state_of
from tournaments.course.stages import divide, qualified
from tournaments.deal_groups import Entrant, Side
from tournaments.models import Entry, Fixture, FixtureSide, Match, SideResult, Stage, Tournament
from tournaments.pairing import State, System, get_system
from tournaments.reading.strengths import strengths
from tournaments.standings import Row

RECENT = 400
"""Deal groups of a ladder that its course tells of, however many there were: the last ones."""


@dataclass(frozen=True, slots=True)
class Division:
    """A part of a stage whose entries meet among themselves."""

    stage: Stage
    number: int
    entries: tuple[int, ...]
    """Primary keys, in the order of their seeds."""

    groups: tuple[Group, ...]

    state: State

    @property
    def system(self) -> System:
        """The stage's pairing system."""
        return get_system(self.stage.system)

    def rows(self, tie_breaks: Sequence[str]) -> list[Row]:
        """The standings of the division, best first."""
        return division_rows(self.system, self.state, self.entries, self.groups, tie_breaks)


def course(tournament: Tournament, *, light: bool = False) -> Iterator[list[Division]]:
    """The divisions of each stage in turn, with what has been paired and played so far.

    Ask for the next stage only when the one before is complete: who plays it follows from its
    standings as they are. `light`: without results where they are not needed to pair.
    """
    stages = list(tournament.stages.order_by("number"))
    system = get_system(stages[0].system) if stages else None
    if system is not None and (system.by_rating or (light and system.endless)):
        yield [_endless(tournament, stages[0], system, light=light)]
        return
    entries = list(Entry.objects.filter(tournament=tournament).order_by("seeding", "number"))
    groups = _all_groups(tournament)
    entrants = [entry.pk for entry in entries]
    bots = {entry.pk: entry for entry in entries}
    before: list[Division] = []
    for stage in stages:
        if before:
            ranked = [
                [int(row.entrant) for row in division.rows(tournament.tie_breaks)]
                for division in before
            ]
            entrants = qualified(ranked, stage.take or len(entrants))
        here = [group for group in groups if group.stage == stage.pk]
        before = [
            _division(tournament, stage, number, part, here, bots)
            for number, part in enumerate(divide(entrants, stage.divisions), 1)
        ]
        yield before


def groups_among(fixtures: QuerySet[Fixture]) -> list[Group]:
    """These deal groups, in the order of their numbers."""
    return _groups(fixtures, SideResult.objects.filter(match__fixture__in=fixtures))


def _all_groups(tournament: Tournament) -> list[Group]:
    fixtures = Fixture.objects.filter(tournament=tournament, retired__isnull=True)
    return _groups(fixtures, SideResult.objects.filter(match__tournament=tournament))


def _groups(
    fixtures: QuerySet[Fixture],
    side_results: QuerySet[SideResult],
    playing: Collection[int] | None = None,
) -> list[Group]:
    """The deal groups of these fixtures with these results; `playing` are those that are open."""
    sides = sides_of(fixtures)
    results = _results(side_results)
    rows = fixtures.order_by("number").values_list(
        "pk", "stage", "division", "round", "pairing", "group", "finished"
    )
    found = []
    for pk, stage_pk, division, round_, pairing, group, finished in rows:
        teams = sides.get(pk, ())
        matches = tuple(rotated(teams, *result) for result in results.get(pk, ()))
        order = listed(teams, group)
        is_open = finished is None if playing is None else pk in playing
        found.append(Group(stage_pk, division, round_, pairing, order, matches, is_open))
    return found


def _endless(tournament: Tournament, stage: Stage, system: System, *, light: bool) -> Division:
    """The one division of a ladder: ratings, and of its deal groups the last and what is open.

    Of a trial, which needs no results to pair, the last and what is open. What it costs does not
    grow with what has been played.
    """
    entries = list(
        Entry.objects.filter(tournament=tournament)
        .select_related("bot")
        .prefetch_related("mates__bot", "mates__version")
        .order_by("seeding", "number")
    )
    # By place, not by number: one with new cards stands where the one before it stood.
    made = Fixture.objects.filter(stage=stage, division=1, retired__isnull=True)
    last_made = made.order_by("-round", "-pairing", "-group").values_list("pk", "round")
    recent = list(last_made[: RECENT if system.by_rating else 1])
    waits = Match.objects.filter(
        tournament=tournament, state__in=(Match.State.WAITING, Match.State.PLAYING)
    )
    playing = set(waits.order_by().values_list("fixture", flat=True))
    told = Fixture.objects.filter(pk__in=playing.union(pk for pk, _ in recent))
    results = (
        SideResult.objects.none() if light else SideResult.objects.filter(match__fixture__in=told)
    )
    groups = _groups(told, results, playing)
    keys = [entry.pk for entry in entries]
    # Teams to which not all have agreed are not paired.
    asked = {e.pk for e in entries if not all(mate.agreed for mate in e.mates.all())}
    by_key = {entry.pk: entry for entry in entries}
    division = _division(tournament, stage, 1, keys, groups, by_key, asked)
    last = max((round_ for _, round_ in recent), default=0)
    state = replace(division.state, before=last - len(division.state.rounds))
    if not system.by_rating:
        return replace(division, state=state)
    known = strengths(tournament, entries)
    state = replace(
        state,
        played=tuple(entry.groups for entry in entries),
        ratings=tuple(each.rating for each in known),
        errors=tuple(each.error for each in known),
    )
    return replace(division, state=state)


def _division(
    tournament: Tournament,
    stage: Stage,
    number: int,
    entrants: Sequence[int],
    groups: Iterable[Group],
    entries: dict[int, Entry],
    asked: Collection[int] = (),
) -> Division:
    here = tuple(group for group in groups if group.division == number)
    setup = Setup(
        fmt=Format.parse(tournament.format),
        seed=tournament.seed,
        rotating=tournament.partners == Tournament.Partners.ROTATING,
        authors=_authors(entrants, entries) if tournament.apart else {},
        gone=frozenset(pk for pk in entrants if entries[pk].withdrawn or pk in asked),
    )
    plan = stage.plan
    state = state_of(setup, plan, (stage.number, number), entrants, here)
    return Division(stage, number, tuple(entrants), here, state)


def _authors(
    entrants: Sequence[int], entries: dict[int, Entry]
) -> dict[Entrant, frozenset[str | int]]:
    """The authors of each entry's bots; house bots have none."""
    return {
        pk: frozenset(bot.owner_id for bot, _ in entries[pk].members() if bot.owner_id)
        for pk in entrants
    }


def sides_of(fixtures: QuerySet[Fixture]) -> dict[int, tuple[Side, ...]]:
    """The entries of each fixture's sides, in the order of its first match."""
    rows = FixtureSide.objects.filter(fixture__in=fixtures).order_by("fixture", "index", "place")
    found: dict[int, tuple[Side, ...]] = {}
    for fixture, group in groupby(
        rows.values_list("fixture", "index", "entry").iterator(5000), key=lambda row: row[0]
    ):
        sides: dict[int, list[int]] = {}
        for _, index, entry in group:
            sides.setdefault(index, []).append(entry)
        found[fixture] = tuple(
            side[0] if len(side) == 1 else tuple(side) for _, side in sorted(sides.items())
        )
    return found


def _results(
    side_results: QuerySet[SideResult],
) -> dict[int, list[tuple[int, tuple[int, ...], tuple[int, ...], tuple[int, ...]]]]:
    """By fixture its finished matches: rotation, scores, ranks, faulting sides."""
    rows = (
        side_results.filter(match__state=Match.State.FINISHED)
        .order_by("match__fixture", "match__rotation", "side")
        .values_list("match__fixture", "match__rotation", "score", "rank", "faulted")
    )
    found: dict[int, list[tuple[int, tuple[int, ...], tuple[int, ...], tuple[int, ...]]]] = {}
    for (fixture, rotation), sides in groupby(rows.iterator(5000), key=lambda row: row[:2]):
        _, _, scores, ranks, faulted = zip(*sides, strict=True)
        guilty = tuple(side for side, fault in enumerate(faulted) if fault)
        found.setdefault(fixture, []).append((rotation, scores, ranks, guilty))
    return found
