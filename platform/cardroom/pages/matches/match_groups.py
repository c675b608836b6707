"""The rows of the list of matches: for each deal group its scores and a reason to watch it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from cardroom.pages.common.queries import SideRow, match_lines_of_rows
from engine.english import count_of, number_word
from tournaments.reading.groups import FinishedGroup, side_mapping
from tournaments.reading.matches import MatchRow
from tournaments.standings.drama import Kind

MAX_SCORES: Final = 3
"""The maximum number of scores in a row; for more matches, it shows their sum."""
WIDTH, HEIGHT = 96, 24
"""The size of the drawing of a lead."""
CHIPS: Final[dict[Kind, tuple[str, str, str]]] = {
    "fault": ("a fault", "bad", "triangle"),
    "last": ("last card", "brass", "lozenge"),
    "turned": ("turned around", "brass", "triangle"),
    "changes": ("lead changes", "brass", "lozenge"),
    "close": ("close", "brass", "bars"),
    "shared": ("shared", "run", "half"),
    "clear": ("clear", "", "tick"),
}
"""The text, tint and icon of each kind of highlight."""
BY_INTEREST: Final[tuple[Kind, ...]] = (
    *("last", "turned", "changes", "close", "shared", "fault", "clear"),
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
    """(score, whether the side won) of each match, or of their sum."""
    won: bool
    """Whether the side won more matches than any other side."""
    own: bool
    """Whether a bot of the side belongs to the viewer."""


@dataclass(frozen=True, slots=True)
class GroupLine:
    """A row of the list."""

    match: MatchRow
    """The match that the row links to."""
    when: datetime | None
    """The end of its last match."""
    sides: list[GroupSide]
    summed: int
    """The number of matches whose scores are added up; 0 if each score is shown."""
    chip: str
    tint: str
    icon: str
    sentence: str
    curve: str
    """The points of the lead's polyline; empty if the lead is unknown."""
    level: float
    """The y coordinate of the zero line."""
    spot: tuple[float, float] | None
    """The point of the polyline that the highlight marks."""

    @property
    def game(self) -> str:
        return self.match.format.partition("/")[0]


def most_dramatic(groups: Sequence[FinishedGroup], count: int) -> list[FinishedGroup]:
    """The `count` most interesting groups; each game has one before any game has a second.

    Equally interesting groups keep their order.
    """
    seen: Counter[str] = Counter()
    ranked = []
    for group in sorted(groups, key=lambda group: BY_INTEREST.index(group.highlight.kind)):
        game = group.first.format.partition("/")[0]
        ranked.append((seen[game], group))
        seen[game] += 1
    return [group for _, group in sorted(ranked, key=lambda pair: pair[0])[:count]]


def group_lines(
    groups: Sequence[FinishedGroup], own_slugs: frozenset[str] = frozenset()
) -> list[GroupLine]:
    """The rows of these groups. `own_slugs`: the slugs of the viewer's bots."""
    return [_line(group, own_slugs) for group in groups]


def _line(group: FinishedGroup, own_slugs: frozenset[str]) -> GroupLine:
    (first,) = match_lines_of_rows([group.first])
    chip, tint, icon = CHIPS[group.highlight.kind]
    if group.highlight.kind == "changes":
        chip = f"{number_word(group.highlight.count)} lead changes"
    line = group.lines[group.highlight.match]
    curve, level, spots = _curve(line)
    return GroupLine(
        match=group.highlighted,
        when=max((match.finished for match in group.matches if match.finished), default=None),
        sides=_scores(group, first.sides, own_slugs),
        summed=len(group.matches) if len(group.matches) > MAX_SCORES else 0,
        chip=chip,
        tint=tint,
        icon=icon,
        sentence=sentence(group, [side.team or side.name for side in first.sides]),
        curve=curve,
        level=level,
        spot=_highlight_point(group, line, spots),
    )


def _scores(
    group: FinishedGroup, sides: Sequence[SideRow], own_slugs: frozenset[str]
) -> list[GroupSide]:
    wins = [sum(course.winner == side.index for course in group.courses) for side in sides]
    scored = []
    for n, side in enumerate(sides):
        scores = [(course.scores[n], course.ranks[n] == 1) for course in group.courses]
        if len(scores) > MAX_SCORES:
            scores = [(sum(score for score, _ in scores), wins[n] == max(wins))]
        won = wins[n] == max(wins) and wins.count(max(wins)) == 1
        own = any(player.slug in own_slugs for player in side.players)
        scored.append(GroupSide(side, scores, won, own))
    return scored


def sentence(group: FinishedGroup, names: Sequence[str]) -> str:
    """The reason to watch the group, as a sentence. `names`: the names of its sides."""
    mark = group.highlight
    course = group.courses[mark.match]
    name = names[mark.side] if mark.side is not None else ""
    points = count_of(mark.count, "point")
    if mark.kind == "fault":
        return f"{name} {_fault(group, mark.side or 0)}"
    if mark.kind == "last":
        turned_round = course.leads is not None and course.leads.turned
        ending = "turned around by the last play" if turned_round else "decided by the last card"
        return f"{name} won by {points}, {ending}."
    if mark.kind == "turned":
        return f"{name} was {points} behind and won."
    if mark.kind == "changes":
        return f"{name} won in the end." if name else "It ended in a draw."
    if mark.kind == "close":
        return f"{points} decided it." if mark.count else "A draw."
    if mark.kind == "shared":
        if len(group.matches) == 1 or not mark.count:
            return "A draw."
        if len(group.matches) == 2:
            return f"Each won once; {points} decided the closer match."
        return "The sides won equally many matches."
    if course.leads and mark.side is not None and not any(course.leads.behind[mark.side :][:1]):
        return f"{name} was never behind."
    return f"{name} won by {points}."


def _fault(group: FinishedGroup, side: int) -> str:
    row = group.highlighted
    row_side = side_mapping(group.first, row)[side]
    kinds = [seat.fault for seat in row.seats if seat.side == row_side and seat.fault]
    return FAULT_SENTENCES.get(kinds[0] if kinds else "", "made a fault.")


def _curve(line: Sequence[int]) -> tuple[str, float, list[tuple[float, float]]]:
    """The points of a polyline as text, the y of the zero line, and the points as numbers."""
    if len(line) < 2:
        return "", HEIGHT / 2, []
    high, low = max(0, *line), min(0, *line)
    spread = (high - low) or 1
    margin = 3.0

    def y_of(lead: int) -> float:
        return round(margin + (HEIGHT - 2 * margin) * (high - lead) / spread, 1)

    spots = [(round(WIDTH * n / (len(line) - 1), 1), y_of(lead)) for n, lead in enumerate(line)]
    return " ".join(f"{x:g},{y:g}" for x, y in spots), y_of(0), spots


def _highlight_point(
    group: FinishedGroup, line: Sequence[int], spots: Sequence[tuple[float, float]]
) -> tuple[float, float] | None:
    if not spots:
        return None
    if group.highlight.kind == "last":
        return spots[-1]
    if group.highlight.kind == "turned" and len(group.courses[0].scores) == 2:
        icon = -1 if group.highlight.side == 0 else 1
        return spots[max(range(len(line) - 1), key=lambda n: icon * line[n])]
    return None
