"""The stored analysis of a match, for pages and REST."""

from __future__ import annotations

import json
import zlib
from dataclasses import dataclass, field
from datetime import timedelta
from functools import lru_cache
from typing import Any, Final, Literal

from django.db.models import QuerySet

from cardroom_base.core.answers import UNSENT, description
from cardroom_base.db.db_time import now
from engine import Record
from engine.search import EXPERT
from engine.search.analysis import from_json
from engine.search.findings import summarize_partial
from tournaments.models import Analysis, Match
from tournaments.visibility import Viewer, readable_matches

MIN_MOVES: Final = 5
"""Moves that must be analysed before the time left is estimated."""
LONG_QUEUE: Final = 20
"""Beyond this place in the queue, the time is estimated from the pace of earlier analyses."""
PACE_SAMPLE: Final = 20
"""Number of earlier analyses from which the pace is computed."""
State = Literal["none", "waiting", "running", "finished", "failed", "stopped"]


@dataclass(frozen=True, slots=True)
class MatchAnalysis:
    """The expert's analysis of a match, or its progress."""

    match: int
    state: State = field(
        metadata=description(
            "`none`: nobody has requested the analysis. `stopped`: the person who requested it "
            "stopped it; POST resumes it."
        )
    )
    done: int = field(default=0, metadata=description("Moves analysed so far."))
    moves: int = field(default=0, metadata=description("Moves of the match; 0 before a request."))
    trouble: str = field(
        default="", metadata=description("Why the analysis failed; empty if it has not failed.")
    )
    stale: bool = field(
        default=False,
        metadata=description(
            "Whether the analysis comes from an older version of the expert; POST requests a new "
            "analysis."
        ),
    )
    place: int | None = field(
        default=None,
        metadata=description(
            "Place in the queue, from 1; null unless the analysis is waiting or running."
        ),
    )
    seconds_left: int | None = field(
        default=None,
        metadata=description("Estimated seconds until the analysis is finished; null: unknown."),
    )
    analysis: dict[str, Any] | None = field(
        default=None,
        metadata=description(
            "The last finished analysis, even while a newer one is being computed: `decisions` "
            "(each move with the expert's move, its cost in points and in chance of winning, and "
            "the error), "
            "`seats` with their accuracy, `chances`, `turning` points, the `costliest` moves, and "
            "`luck`, as `cardroom analyse --json` prints them."
        ),
    )
    so_far: dict[str, Any] | None = field(default=None, metadata=UNSENT)
    """Findings so far of a running analysis (`findings.summarize_partial`)."""
    awaited: bool = field(default=False, metadata=UNSENT)
    """Whether a person requested it, so that workers reserve time for it."""
    by: int | None = field(default=None, metadata=UNSENT)
    """Primary key of the person who requested it."""

    @property
    def unfinished(self) -> bool:
        """Whether it is waiting or running."""
        return self.state in ("waiting", "running")


def analysis_of(match: Match) -> MatchAnalysis:
    """The analysis of a match. The caller has checked that the viewer may see the replay."""
    analysis = Analysis.objects.select_related("record").filter(pk=match.pk).first()
    if analysis is None:
        return MatchAnalysis(match.pk, "none")
    moves = analysis.record.moves
    stale = analysis.expert != EXPERT
    former = _load(analysis.former)
    if analysis.trouble:
        stopped = analysis.trouble == Analysis.STOPPED
        return MatchAnalysis(
            match.pk,
            "stopped" if stopped else "failed",
            analysis.done,
            moves,
            trouble="" if stopped else analysis.trouble,
            stale=stale or bool(former),
            analysis=former,
        )
    if analysis.finished is None:
        has_begun = analysis.lease_until is not None or analysis.done > 0
        state: State = "running" if has_begun else "waiting"
        place = _place(analysis)
        seconds = seconds_left(analysis, place)
        return MatchAnalysis(
            match.pk,
            state,
            analysis.done,
            moves,
            stale=stale or bool(former),
            analysis=former,
            so_far=_partial_findings(bytes(analysis.content), bytes(analysis.record.content)),
            place=place,
            awaited=analysis.by_id is not None,
            by=analysis.by_id,
            seconds_left=None if seconds is None else round(seconds),
        )
    content = _load(analysis.content)
    return MatchAnalysis(match.pk, "finished", analysis.done, moves, stale=stale, analysis=content)


def queue_keys() -> QuerySet[Analysis, int]:
    """Keys of the matches with unfinished analyses, in the order in which workers take them."""
    unfinished = Analysis.objects.filter(finished=None).order_by(*Analysis.QUEUE)
    return unfinished.values_list("pk", flat=True)


def _place(analysis: Analysis) -> int:
    """The analysis's place in the queue, from 1."""
    return next((i for i, pk in enumerate(queue_keys().iterator(), 1) if pk == analysis.pk), 1)


def seconds_left(analysis: Analysis, place: int) -> float | None:
    """Estimated seconds until it is finished; None if unknown.

    The estimate uses the analysis's own pace or, far back in the queue, that of earlier ones.
    """
    if analysis.begun is not None and analysis.done >= MIN_MOVES:
        elapsed = (now() - analysis.begun).total_seconds()
        return elapsed / analysis.done * (analysis.record.moves - analysis.done)
    if place <= LONG_QUEUE:
        return None
    analyses = Analysis.objects.filter(begun__isnull=False, finished__isnull=False, trouble="")
    rows = analyses.order_by("-pk").values_list("begun", "finished")[:PACE_SAMPLE]
    durations = [end - begin for begin, end in rows if begin is not None and end is not None]
    if not durations:
        return None
    return place * (sum(durations, timedelta()) / len(durations)).total_seconds()


@lru_cache(maxsize=32)
def _partial_findings(content: bytes, record: bytes) -> dict[str, Any] | None:
    """The findings from the decisions so far; None if there are none.

    They are cached, because every waiting viewer requests them again and again.
    """
    if not content:
        return None
    decisions = [from_json(decision) for decision in json.loads(zlib.decompress(content))]
    return (
        summarize_partial(Record.from_json(zlib.decompress(record)), decisions)
        if decisions
        else None
    )


def _load(content: bytes | memoryview[int]) -> dict[str, Any] | None:
    if not content:
        return None
    analysis: dict[str, Any] = json.loads(zlib.decompress(bytes(content)))
    return analysis


# --- the queue around one analysis --------------------------------------------------------------


HEAD: Final = 3
"""Places at the head of the queue that are always shown."""


@dataclass(frozen=True, slots=True)
class QueuedAnalysis:
    """An analysis in the queue."""

    place: int
    """Its place in the queue, from 1."""
    skipped: int
    """Places between it and the analysis listed before it."""
    match: int | None
    """Primary key of the match; None if the viewer may not see the match."""
    done: int
    moves: int
    own: bool
    """Whether the viewer requested it."""
    awaited: bool
    """Whether a person requested it."""
    seconds: float | None
    """Estimated seconds until it is finished; None if unknown."""


def queue_around(match: int, viewer: Viewer) -> list[QueuedAnalysis]:
    """The head of the queue, the analysis of this match, and those next to it.

    Empty if the match's analysis is not in the queue.
    """
    keys = list(queue_keys())
    if match not in keys:
        return []
    index = keys.index(match)
    indices = sorted({*range(HEAD), index - 1, index, index + 1} & set(range(len(keys))))
    nearby_keys = [keys[i] for i in indices]
    rows = Analysis.objects.filter(pk__in=nearby_keys).defer("content", "former", "record__content")
    rows_by_key = {row.pk: row for row in rows.select_related("record")}
    readable = set(readable_matches(viewer).filter(pk__in=nearby_keys).values_list("pk", flat=True))
    return [
        _queued_analysis(rows_by_key[keys[i]], i + 1, i - previous - 1, readable, viewer.user)
        for previous, i in zip([-1, *indices], indices, strict=False)
        if keys[i] in rows_by_key
    ]


def _queued_analysis(
    analysis: Analysis, place: int, skipped: int, readable: set[int], viewer: int | None
) -> QueuedAnalysis:
    return QueuedAnalysis(
        place=place,
        skipped=skipped,
        match=analysis.pk if analysis.pk in readable else None,
        done=analysis.done,
        moves=analysis.record.moves,
        own=viewer is not None and analysis.by_id == viewer,
        awaited=analysis.by_id is not None,
        seconds=seconds_left(analysis, place),
    )
