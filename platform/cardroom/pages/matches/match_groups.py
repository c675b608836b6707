"""The rows of the list of matches: for each deal group its scores and a reason to watch it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from cardroom.pages.common.queries import SideRow, list_match_rows
from engine.english import count_of, number_word
from tournaments.reading.listed_groups import FinishedGroup, side_mapping
from tournaments.reading.matches import MatchRow
from tournaments.standings.drama import Kind

MAX_SCORES: Final = 3
"""A row shows up to this many scores; with more matches it shows their sum."""
WIDTH, HEIGHT = 96, 24
"""The size of the lead chart, in SVG units."""
CHIPS: Final[dict[Kind, tuple[str, str, str]]] = {
    "fault": ("a fault", "bad", "triangle"),
    "last_play": ("last card", "brass", "lozenge"),
    "comeback": ("comeback", "brass", "triangle"),
    "changes": ("lead changes", "brass", "lozenge"),
    "close": ("close", "brass", "bars"),
    "shared": ("shared", "run", "half"),
    "clear": ("clear", "", "tick"),
}
"""The text, tint and icon of each kind of highlight."""
BY_INTEREST: Final[tuple[Kind, ...]] = (
    *("last_play", "comeback", "changes", "close", "shared", "fault", "clear"),
)
"""The kinds of highlights, the most interesting first."""
FAULT_SENTENCES: Final = {
    "start": "did not start.",
    "crash": "exited during the match.",
    "time": "gave no answer in time.",
    "garbage": "sent an invalid answer.",
    "illegal": "made an illegal move.",
}


@dataclass(frozen=True, slots=True)
class GroupSide:
    """A side of a deal group."""

    side: SideRow
    scores: list[tuple[int, bool]]
    """(score, whether to mark it as a win) for each match. For a summed row, one pair: the total,
    and whether no side won more matches."""
    won: bool
    """Whether the side won more matches than any other side."""
    own: bool
    """Whether a bot of the side belongs to the viewer."""


@dataclass(frozen=True, slots=True)
class GroupRow:
    """A row of the list."""

    match: MatchRow
    """The match that the row links to."""
    when: datetime | None
    """When the group's last match ended."""
    sides: list[GroupSide]
    summed: int
    """The number of matches whose scores are added up; 0 if each score is shown."""
    chip: str
    tint: str
    icon: str
    sentence: str
    curve: str
    """The points of the lead chart's polyline; empty if the leads were not recorded."""
    zero_y: float
    """The y coordinate of the zero line."""
    spot: tuple[float, float] | None
    """The point of the polyline that the highlight marks."""

    @property
    def game(self) -> str:
        return self.match.format.partition("/")[0]


def most_dramatic(groups: Sequence[FinishedGroup], count: int) -> list[FinishedGroup]:
    """The `count` most interesting groups; every game gets one group before any game gets a second.

    Equally interesting groups keep their order.
    """
    seen: Counter[str] = Counter()
    ranked = []
    for group in sorted(groups, key=lambda group: BY_INTEREST.index(group.highlight.kind)):
        game = group.first.format.partition("/")[0]
        ranked.append((seen[game], group))
        seen[game] += 1
    return [group for _, group in sorted(ranked, key=lambda pair: pair[0])[:count]]


def group_rows(
    groups: Sequence[FinishedGroup], own_slugs: frozenset[str] = frozenset()
) -> list[GroupRow]:
    """The rows of these groups. `own_slugs`: the slugs of the viewer's bots."""
    return [_row(group, own_slugs) for group in groups]


def _row(group: FinishedGroup, own_slugs: frozenset[str]) -> GroupRow:
    (first,) = list_match_rows([group.first])
    chip, tint, icon = CHIPS[group.highlight.kind]
    if group.highlight.kind == "changes":
        chip = f"{number_word(group.highlight.count)} lead changes"
    leads = group.lead_series[group.highlight.match]
    curve, zero_y, points_xy = _curve(leads)
    return GroupRow(
        match=group.highlighted,
        when=max((match.finished for match in group.matches if match.finished), default=None),
        sides=_group_sides(group, first.sides, own_slugs),
        summed=len(group.matches) if len(group.matches) > MAX_SCORES else 0,
        chip=chip,
        tint=tint,
        icon=icon,
        sentence=sentence(group, [side.team or side.name for side in first.sides]),
        curve=curve,
        zero_y=zero_y,
        spot=_highlight_point(group, leads, points_xy),
    )


def _group_sides(
    group: FinishedGroup, sides: Sequence[SideRow], own_slugs: frozenset[str]
) -> list[GroupSide]:
    wins = [sum(summary.winner == side.index for summary in group.summaries) for side in sides]
    scored = []
    for n, side in enumerate(sides):
        scores = [(summary.scores[n], summary.ranks[n] == 1) for summary in group.summaries]
        if len(scores) > MAX_SCORES:
            scores = [(sum(score for score, _ in scores), wins[n] == max(wins))]
        won = wins[n] == max(wins) and wins.count(max(wins)) == 1
        is_own = any(player.slug in own_slugs for player in side.players)
        scored.append(GroupSide(side, scores, won, is_own))
    return scored


def sentence(group: FinishedGroup, names: Sequence[str]) -> str:
    """The reason to watch the group, as a sentence. `names`: the names of its sides."""
    highlight = group.highlight
    summary = group.summaries[highlight.match]
    name = names[highlight.side] if highlight.side is not None else ""
    points = count_of(highlight.count, "point")
    if highlight.kind == "fault":
        return f"{name} {_fault(group, highlight.side or 0)}"
    if highlight.kind == "last_play":
        if summary.leads is not None and summary.leads.turned:
            return f"{name} came from behind on the last play and won by {points}."
        return f"{name} won by {points}; the last card decided it."
    if highlight.kind == "comeback":
        return f"{name} was {points} behind and won."
    if highlight.kind == "changes":
        return f"{name} won in the end." if name else "It ended in a draw."
    if highlight.kind == "close":
        return f"{points} decided it." if highlight.count else "A draw."
    if highlight.kind == "shared":
        if len(group.matches) == 1 or not highlight.count:
            return "A draw."
        if len(group.matches) == 2:
            return f"Each won once; {points} decided the closer match."
        return "Each side won the same number of matches."
    if (
        summary.leads
        and highlight.side is not None
        and not any(summary.leads.behind[highlight.side :][:1])
    ):
        return f"{name} was never behind."
    return f"{name} won by {points}."


def _fault(group: FinishedGroup, side: int) -> str:
    row = group.highlighted
    row_side = side_mapping(group.first, row)[side]
    kinds = [seat.fault for seat in row.seats if seat.side == row_side and seat.fault]
    return FAULT_SENTENCES.get(kinds[0] if kinds else "", "committed a fault.")


def _curve(leads: Sequence[int]) -> tuple[str, float, list[tuple[float, float]]]:
    """The points of a polyline as text, the y of the zero line, and the points as numbers."""
    if len(leads) < 2:
        return "", HEIGHT / 2, []
    high, low = max(0, *leads), min(0, *leads)
    height = (high - low) or 1
    margin = 3.0

    def y_of(lead: int) -> float:
        return round(margin + (HEIGHT - 2 * margin) * (high - lead) / height, 1)

    step = WIDTH / (len(leads) - 1)
    points_xy = [(round(step * n, 1), y_of(lead)) for n, lead in enumerate(leads)]
    return " ".join(f"{x:g},{y:g}" for x, y in points_xy), y_of(0), points_xy


def _highlight_point(
    group: FinishedGroup, leads: Sequence[int], points_xy: Sequence[tuple[float, float]]
) -> tuple[float, float] | None:
    """The point of the polyline that the highlight marks; None if it marks none."""
    if not points_xy:
        return None
    if group.highlight.kind == "last_play":
        return points_xy[-1]
    if group.highlight.kind == "comeback" and len(group.summaries[0].scores) == 2:
        sign = -1 if group.highlight.side == 0 else 1
        return points_xy[max(range(len(leads) - 1), key=lambda n: sign * leads[n])]
    return None
