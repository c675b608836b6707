"""The analysis of a match on its page: progress, accuracy, costliest moves, and the queue."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from django.contrib.humanize.templatetags.humanize import ordinal
from django.http import HttpRequest

from cardroom.display.numbers import count_of, rough_duration
from cardroom.pages.common.queries import ListedMatch, list_matches_by_key
from engine import Format
from engine.english import seat_name
from engine.search.findings import hindsight_sentence, luck_sentences
from tournaments.access import may_stop_analysis
from tournaments.actions.analyses import MAX_MOVES
from tournaments.models import Match
from tournaments.queue.allowance import SHARE
from tournaments.ratings.elo import Z95
from tournaments.reading.analyses import MatchAnalysis, QueuedAnalysis, analysis_of, queue_around
from tournaments.visibility import Viewer, viewer_of

POLL_SECONDS: Final = 3
"""The interval of the page's requests for progress."""
MAX_MARKS: Final = 300
"""The maximum number of slips and mistakes that the replay marks, the costliest first."""
_PLACE: Final = re.compile(r"\b(?:North|South)-(?:east|west)\b|\b(?:North|East|South|West)\b")


@dataclass(frozen=True, slots=True)
class CostlyMove:
    """A slip or a mistake as text."""

    n: int
    """The number of the move, from 1."""
    player: str
    side: int
    words: str
    """The move as a sentence."""
    better: str
    """The expert's move as a sentence."""
    cost: str
    """The lost points with the 95 % margin: `−1.3 ±0.4`."""
    kind: str
    hindsight: str
    """A sentence about the move with all cards known; may be empty."""


@dataclass(frozen=True, slots=True)
class TurningPoint:
    """A turning point as text."""

    side: int
    player: str
    """The bots of the side whose chance changed."""
    change: str
    """The side's chance of winning before and after: `40 → 65 %`."""
    first: int
    """The number of its first move, from 1."""
    last: int
    costly: CostlyMove | None
    """The slip or mistake within the turning point, if there is one."""


@dataclass(frozen=True, slots=True)
class SeatAnalysis:
    """The analysis of a seat's decisions."""

    name: str
    place: str
    """The name of the seat if its bot has several seats; else empty."""
    side: int
    accuracy: str
    words: str
    error: str = ""
    """The 95 % margin of the accuracy while it still changes: `±9`."""


@dataclass(frozen=True, slots=True)
class AnalysisPanel:
    """The content of the analysis panel on a match's page."""

    content: MatchAnalysis
    match: int
    too_long: bool = False
    playouts: int = 0
    is_complete: bool = True
    seats: list[SeatAnalysis] = field(default_factory=list)
    cards: list[str] = field(default_factory=list)
    """Sentences on card luck."""
    turning: list[TurningPoint] = field(default_factory=list)
    costliest: list[CostlyMove] = field(default_factory=list)
    queue: list[QueueRow] = field(default_factory=list)
    """The neighbouring rows of the queue while the analysis waits or runs."""
    may_stop: bool = False
    """Whether the viewer may stop it."""

    @property
    def progress(self) -> str:
        """The progress as a sentence."""
        analysis = self.content
        if not analysis.done:
            return "The expert has not started yet"
        return f"The expert has analysed {analysis.done} of {analysis.moves} moves"

    @property
    def stopped(self) -> str:
        """The progress of a stopped analysis as a sentence; else empty."""
        analysis = self.content
        if analysis.state != "stopped":
            return ""
        if not analysis.done:
            return "The analysis was stopped before its first move."
        done = f"{analysis.done} of {analysis.moves}"
        return f"The analysis was stopped after {done} moves; these are kept."

    @property
    def left(self) -> str:
        """The time left as text; empty while unknown."""
        return (
            "" if self.content.seconds_left is None else rough_duration(self.content.seconds_left)
        )

    @property
    def place(self) -> str:
        """The place in the queue: `2nd`."""
        return str(ordinal(self.content.place or 0))

    @property
    def progress_token(self) -> str:
        """A token that changes with the progress. The page sends it with its next request, whose
        response is empty if nothing has changed."""
        earlier = [row.done for row in self.queue if row.place < (self.content.place or 0)]
        return ".".join(map(str, (self.content.done, self.content.place, *earlier)))

    @property
    def share(self) -> str:
        """The minimum share of the workers' time for requested analyses: `10 %`."""
        return f"{SHARE * 100:.0f} %"

    @property
    def marks(self) -> Mapping[str, Any] | None:
        """The marks in the replay (`marks_of`)."""
        return marks_of(self)

    @property
    def poll(self) -> str:
        """The htmx trigger of the next request; empty if the analysis is over."""
        return f"every {POLL_SECONDS}s" if self.content.unfinished else ""


def panel_of(
    match: Match, names: Sequence[str], request: HttpRequest | None = None
) -> AnalysisPanel:
    """The panel on the page of a finished match.

    `names`: the names of the bots, by seat. `request`: None to omit the queue and the button that
    stops the analysis.
    """
    analysis = analysis_of(match)
    panel = _panel(match, names, analysis)
    if request is None or not analysis.unfinished:
        return panel
    return replace(
        panel,
        queue=queue_of(match.pk, viewer_of(request)),
        may_stop=may_stop_analysis(analysis.by, request.user),
    )


def _panel(match: Match, names: Sequence[str], analysis: MatchAnalysis) -> AnalysisPanel:
    findings = analysis.analysis or analysis.so_far
    if findings is None:
        return AnalysisPanel(analysis, match.pk, too_long=match.moves_played > MAX_MOVES)
    fmt = Format.parse(match.format)
    costly = {
        row["n"]: _costly_move(fmt, names, row) for row in findings["decisions"] if row.get("kind")
    }
    return AnalysisPanel(
        analysis,
        match.pk,
        playouts=findings.get("playouts", 0),
        is_complete=findings.get("whole", False),
        seats=[
            _seat_analysis(fmt, names, row, so_far=analysis.analysis is None)
            for row in findings["seats"]
        ],
        cards=luck_sentences(
            findings, [_side_names(fmt, names, side) for side in range(len(fmt.sides))]
        ),
        turning=[_turn(fmt, names, row, costly) for row in findings["turning"]],
        costliest=[_costly_move(fmt, names, row) for row in findings["costliest"]],
    )


def marks_of(panel: AnalysisPanel) -> dict[str, Any] | None:
    """Data for the replay: slips and mistakes by move (from 0), and the first side's chances.

    ``done``: the number of analysed moves while the analysis runs; else null.
    """
    analysis = panel.content
    findings = analysis.analysis or analysis.so_far
    if findings is None:
        return None
    marked = [decision for decision in findings["decisions"] if decision.get("kind")]
    marked.sort(key=lambda decision: -decision["cost"])
    return {
        "moves": {
            decision["n"]: {
                "kind": decision["kind"],
                "cost": _points_text(-decision["cost"]),
                "better": decision["better"],
            }
            for decision in marked[:MAX_MARKS]
        },
        "chances": [[n, win] for n, side, win in findings["chances"] if side == 0],
        "done": None if analysis.analysis else analysis.done,
    }


def _costly_move(fmt: Format, names: Sequence[str], row: Mapping[str, Any]) -> CostlyMove:
    margin = Z95 * row["error"]
    return CostlyMove(
        n=row["n"] + 1,
        player=names[row["seat"]],
        side=fmt.side(row["seat"]),
        words=_with_names(row["words"], names),
        better=_with_names(row["better"], names),
        cost=f"{_points_text(-row['cost'])} ±{_points_text(margin, signed=False)}",
        kind=row["kind"],
        hindsight=_with_names(hindsight_sentence(row), names),
    )


def _turn(
    fmt: Format, names: Sequence[str], row: Mapping[str, Any], costly: Mapping[int, CostlyMove]
) -> TurningPoint:
    return TurningPoint(
        side=row["side"],
        player=_side_names(fmt, names, row["side"]),
        change=f"{row['before'] * 100:.0f} → {row['after'] * 100:.0f} %",
        first=row["from"] + 1,
        last=row["to"],
        costly=costly.get(row["move"]),
    )


def _side_names(fmt: Format, names: Sequence[str], side: int) -> str:
    return " and ".join(dict.fromkeys(names[seat] for seat in fmt.sides[side]))


def _seat_analysis(
    fmt: Format, names: Sequence[str], row: Mapping[str, Any], *, so_far: bool
) -> SeatAnalysis:
    seat = row["seat"]
    lost = _points_text(row["cost"], signed=False)
    margin = _points_text(Z95 * row["error"], signed=False)
    counts = f"{count_of(row['slips'], 'slip')}, {count_of(row['mistakes'], 'mistake')}"
    words = f"{counts}; {lost} ±{margin} points lost in {row['decisions']} decisions"
    accuracy = "–" if row["accuracy"] is None else f"{row['accuracy']:.0f}"
    seat_place = seat_name(fmt.seats, seat) if list(names).count(names[seat]) > 1 else ""
    error = ""
    if so_far and row["stake"] > 0:
        error = f"±{min(100.0, 100 * Z95 * row['error'] / row['stake']):.0f}"
    return SeatAnalysis(names[seat], seat_place, fmt.side(seat), accuracy, words, error)


def _points_text(points: float, *, signed: bool = True) -> str:
    """Points as text: `−1.3`, `+120`."""
    digits = 0 if abs(points) >= 100 else 1
    text = f"{points:+z.{digits}f}" if signed else f"{points:z.{digits}f}"
    return text.replace("-", "−")


def _with_names(sentence: str, names: Sequence[str]) -> str:
    """The sentence with the names of bots instead of seats, unless a bot has several seats."""
    if len(set(names)) < len(names):
        return sentence
    places = {seat_name(len(names), seat): name for seat, name in enumerate(names)}
    return _PLACE.sub(lambda place_match: places.get(place_match[0], place_match[0]), sentence)


# --- the queue ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class QueueRow:
    """An analysis in the queue."""

    place: int
    skipped: int
    """The number of omitted rows before this one."""
    match: int | None
    """The match that the row links to; None for this match and for matches that the viewer may not
    see."""
    title: str
    words: str
    """The match's game and the analysis's progress."""
    done: int
    """The number of analysed moves."""
    left: str
    """The time left as text; empty if unknown."""
    is_this_match: bool
    """Whether the row is for this match."""


def queue_of(match: int, viewer: Viewer) -> list[QueueRow]:
    """The rows around the match's analysis in the queue; empty if it is not in the queue."""
    queue = queue_around(match, viewer)
    visible = list_matches_by_key([item.match for item in queue if item.match is not None])
    return [_row(item, visible.get(item.match or 0), match) for item in queue]


def _row(item: QueuedAnalysis, listed: ListedMatch | None, match: int) -> QueueRow:
    """A row of the queue. `listed`: the item's match, or None if the viewer may not see it."""
    is_this_match = item.match == match
    words = f"{item.done:,} of {item.moves:,} moves" if item.done else "waiting"
    title = "A private match"
    if listed is not None:
        title = " against ".join(side.team or side.name for side in listed.sides)
        words = f"{Format.parse(listed.match.format).words}, {words}"
    if not item.awaited:
        words += ", requested by the site"
    elif item.own and not is_this_match:
        words += ", requested by you"
    return QueueRow(
        place=item.place,
        skipped=item.skipped,
        match=None if is_this_match else item.match,
        title="This match" if is_this_match else title,
        words=words,
        done=item.done,
        left="" if item.seconds is None else rough_duration(item.seconds),
        is_this_match=is_this_match,
    )
