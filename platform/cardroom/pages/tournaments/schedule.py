"""The schedule of a tournament: past and current rounds, and estimates for later ones."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import groupby
from typing import Final

from cardroom.pages.tournaments.progress import Round, TournamentProgress
from cardroom_base.db.db_time import now
from tournaments.course.rounds import RoundNumber
from tournaments.models import Tournament
from tournaments.reading.story import Story

MOST: Final = 12
"""Lines."""


@dataclass(frozen=True, slots=True)
class Slot:
    """A line of the schedule."""

    title: str
    state: str
    """`finished`, `playing` or `waiting`."""
    at: datetime | None
    """The time when it ended or, estimated, when it begins; None if unknown."""
    guessed: bool = False


def schedule(
    tournament: Tournament, progress: TournamentProgress, story: Story | None
) -> list[Slot]:
    """The rounds of a tournament; similar ones share a line."""
    rounds = progress.every
    finished = [round_ for round_ in rounds if round_.done == round_.total]
    slots = [
        _past(list(round_)) for _, round_ in groupby(finished, key=lambda round_: round_.stage)
    ]
    playing = [
        round_ for round_ in rounds if round_.done + round_.playing and round_.done < round_.total
    ]
    slots += [Slot(round_.title, "playing", None) for round_ in playing]
    waiting = [round_ for round_ in rounds if not round_.done + round_.playing and round_.total]
    if progress.running:
        slots += _later_slots(tournament, progress, waiting, story)
    return slots if len(slots) <= MOST else [*slots[: MOST - 1], slots[-1]]


def _past(finished: list[Round]) -> Slot:
    """A finished stage in one line."""
    ended = max((round_.ended for round_ in finished if round_.ended), default=None)
    title = finished[0].title
    if len(finished) > 1:
        span = f"ounds {finished[0].index} to {finished[-1].index}"
        title = f"Stage {finished[0].stage}, r{span}" if finished[0].several else f"R{span}"
    return Slot(title, "finished", ended)


def _later_slots(
    tournament: Tournament, progress: TournamentProgress, waiting: list[Round], story: Story | None
) -> list[Slot]:
    """Lines that have not begun, each with an estimated time by the pace so far."""
    pace = progress.left / max(1, progress.total - progress.done) if progress.left else None
    before = progress.total - progress.done - sum(round_.total for round_ in waiting)
    slots = []
    for round_ in waiting:
        slots.append(_slot(round_.title, pace, before))
        before += round_.total
    size = progress.every[-1].total if progress.every else 0
    for title in _unpaired(tournament, progress, story):
        slots.append(_slot(title, pace, before))
        before += size
    return slots


def _slot(title: str, pace: float | None, before: int) -> Slot:
    at = None if pace is None else now() + timedelta(seconds=pace * before)
    return Slot(title, "waiting", at, guessed=True)


def _unpaired(
    tournament: Tournament, progress: TournamentProgress, story: Story | None
) -> list[str]:
    """Rounds that are not paired yet, and stages that have not begun."""
    if story is None or not story.planned:
        return []
    stages = list(tournament.stages.all())
    several = len(stages) > 1
    begun = len(story.planned)
    last = max((round_.index for round_ in progress.every if round_.stage == begun), default=0)
    titles = [
        RoundNumber(begun, number).title(with_stage=several)
        for number in range(last + 1, story.planned[-1] + 1)
    ]
    for stage in stages[begun:]:
        entrants = f" of the best {stage.take}" if stage.take else ""
        titles.append(f"Stage {stage.number}: {stage.title}{entrants}")
    return titles
