"""What is played when: rounds behind us, those being played, and about when the next ones begin."""

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
    """When it ended, or about when it begins; None while that is unknown."""
    guessed: bool = False


def schedule(
    tournament: Tournament, progress: TournamentProgress, story: Story | None
) -> list[Slot]:
    """The rounds of a tournament, several in one line where they are alike."""
    rounds = progress.every
    finished = [each for each in rounds if each.done == each.total]
    slots = [_behind(list(each)) for _, each in groupby(finished, key=lambda each: each.stage)]
    playing = [each for each in rounds if each.done + each.playing and each.done < each.total]
    slots += [Slot(each.title, "playing", None) for each in playing]
    waiting = [each for each in rounds if not each.done + each.playing and each.total]
    if progress.running:
        slots += _ahead(tournament, progress, waiting, story)
    return slots if len(slots) <= MOST else [*slots[: MOST - 1], slots[-1]]


def _behind(finished: list[Round]) -> Slot:
    """All of a stage that is over, in one line."""
    ended = max((each.ended for each in finished if each.ended), default=None)
    title = finished[0].title
    if len(finished) > 1:
        span = f"ounds {finished[0].index} to {finished[-1].index}"
        title = f"Stage {finished[0].stage}, r{span}" if finished[0].several else f"R{span}"
    return Slot(title, "finished", ended)


def _ahead(
    tournament: Tournament, progress: TournamentProgress, waiting: list[Round], story: Story | None
) -> list[Slot]:
    """What is still to begin, each line with a guess of when, by the pace so far."""
    pace = progress.left / max(1, progress.total - progress.done) if progress.left else None
    before = progress.total - progress.done - sum(each.total for each in waiting)
    slots = []
    for each in waiting:
        slots.append(_slot(each.title, pace, before))
        before += each.total
    size = progress.every[-1].total if progress.every else 0
    for title in _to_come(tournament, progress, story):
        slots.append(_slot(title, pace, before))
        before += size
    return slots


def _slot(title: str, pace: float | None, before: int) -> Slot:
    at = None if pace is None else now() + timedelta(seconds=pace * before)
    return Slot(title, "waiting", at, guessed=True)


def _to_come(
    tournament: Tournament, progress: TournamentProgress, story: Story | None
) -> list[str]:
    """Rounds that are not paired yet, and stages that have not begun."""
    if story is None or not story.planned:
        return []
    stages = list(tournament.stages.all())
    several = len(stages) > 1
    begun = len(story.planned)
    last = max((each.index for each in progress.every if each.stage == begun), default=0)
    titles = [
        RoundNumber(begun, number).title(several=several)
        for number in range(last + 1, story.planned[-1] + 1)
    ]
    for stage in stages[begun:]:
        who = f" of the best {stage.take}" if stage.take else ""
        titles.append(f"Stage {stage.number}: {stage.title}{who}")
    return titles
