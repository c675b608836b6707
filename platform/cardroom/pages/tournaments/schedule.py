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

MAX_LINES: Final = 12
"""The maximum number of lines."""


@dataclass(frozen=True, slots=True)
class Slot:
    """A line of the schedule."""

    title: str
    state: str
    """`finished`, `playing` or `waiting`."""
    at: datetime | None
    """The time of its end or, as an estimate, of its start; None if unknown."""
    is_estimate: bool = False


def schedule(
    tournament: Tournament, progress: TournamentProgress, story: Story | None
) -> list[Slot]:
    """The lines of the schedule: finished, current and later rounds. Rounds of a round robin
    overlap, so a finished round may follow one that is not."""
    rounds = progress.all_rounds
    runs = groupby(rounds, key=lambda round_: (round_.stage, round_.done == round_.total))
    slots = [_finished_rounds(list(run)) for (_, is_finished), run in runs if is_finished]
    playing = [
        round_ for round_ in rounds if round_.done + round_.playing and round_.done < round_.total
    ]
    slots += [Slot(round_.title, "playing", None) for round_ in playing]
    waiting = [round_ for round_ in rounds if not round_.done + round_.playing and round_.total]
    if progress.running:
        slots += _later_slots(tournament, progress, waiting, story)
    return slots if len(slots) <= MAX_LINES else [*slots[: MAX_LINES - 1], slots[-1]]


def _finished_rounds(finished: list[Round]) -> Slot:
    """Finished rounds of a stage, one after the other, in one line."""
    ended = max((round_.ended for round_ in finished if round_.ended), default=None)
    title = finished[0].title
    if len(finished) > 1:
        span = f"ounds {finished[0].index} to {finished[-1].index}"
        title = f"Stage {finished[0].stage}, r{span}" if finished[0].has_stages else f"R{span}"
    return Slot(title, "finished", ended)


def _later_slots(
    tournament: Tournament, progress: TournamentProgress, waiting: list[Round], story: Story | None
) -> list[Slot]:
    """The lines of rounds that have not begun, with estimated times at the current pace."""
    pace = (
        progress.seconds_left / max(1, progress.total - progress.done)
        if progress.seconds_left
        else None
    )
    before = progress.total - progress.done - sum(round_.total for round_ in waiting)
    slots = []
    for round_ in waiting:
        slots.append(_slot(round_.title, pace, before))
        before += round_.total
    size = progress.all_rounds[-1].total if progress.all_rounds else 0
    for title in _unpaired(tournament, progress, story):
        slots.append(_slot(title, pace, before))
        before += size
    return slots


def _slot(title: str, pace: float | None, before: int) -> Slot:
    """The line of a round that starts after `before` matches. `pace`: seconds per match; None if
    unknown."""
    at = None if pace is None else now() + timedelta(seconds=pace * before)
    return Slot(title, "waiting", at, is_estimate=True)


def _unpaired(
    tournament: Tournament, progress: TournamentProgress, story: Story | None
) -> list[str]:
    """The titles of rounds that are not paired yet, and of stages that have not begun."""
    if story is None or not story.planned:
        return []
    stages = list(tournament.stages.all())
    has_stages = len(stages) > 1
    started_stages = len(story.planned)
    last = max(
        (round_.index for round_ in progress.all_rounds if round_.stage == started_stages),
        default=0,
    )
    titles = [
        RoundNumber(started_stages, number).title(with_stage=has_stages)
        for number in range(last + 1, story.planned[-1] + 1)
    ]
    for stage in stages[started_stages:]:
        entrants = f" of the best {stage.take}" if stage.take else ""
        titles.append(f"Stage {stage.number}: {stage.title}{entrants}")
    return titles
