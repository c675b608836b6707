"""The overview of a tournament: its story as text, with its entries and matches."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from cardroom.display.numbers import count_of, fraction, interval, score, spelled_count
from cardroom.pages.common import queries
from cardroom.pages.tournaments.progress import Standing, tie_breaks
from engine.declarations import join_words
from tournaments.course.rounds import RoundNumber
from tournaments.course.upsets import Upset
from tournaments.models import Entry, Tournament
from tournaments.reading.entry_names import EntryNames
from tournaments.reading.story import NotableMatch, Story, StoryCell, StoryLine
from tournaments.reading.strengths import Strength
from tournaments.standings import TIE_BREAKS

MAX_NAMED: Final = 4
"""The maximum number of entries in a list of names."""
ENTRY_COLUMNS: Final = (
    *("tournament", "name", "number", "withdrawn", "bot__slug", "bot__name", "bot__owner"),
    *("version__bot", "version__number", "bot__owner__username"),
)
"""The columns of entries that are read."""

KINDS: Final = {
    "closest": "The closest",
    "widest": "The widest win",
    "longest": "The longest",
}
"""The heading of each kind of notable match."""

Entries = dict[int, Entry]


@dataclass(frozen=True, slots=True)
class Name:
    """The title of an entry, and the slug for its links."""

    title: str
    slug: str
    """The slug of its bot, or of a team's first bot."""


Names = dict[int, Name]


@dataclass(frozen=True, slots=True)
class Lead:
    """The leader and the reason, or the entries that remain in a knock-out."""

    title: str
    sentence: str
    figure: str = ""
    """The leader's points or rating, or the number of remaining entries."""
    unit: str = ""
    """The text beside the figure."""


@dataclass(frozen=True, slots=True)
class RoundCell:
    """An entry's result in a round."""

    kind: str
    """`W`, `D`, `L`, `live` (not over), `wait` (bye, void, or knocked out)."""
    letter: str
    against: str
    """The places of the opponents: `3`, `2 5`."""
    words: str
    """The content as text for screen readers."""
    opponent: str = ""
    """The slug of the first opponent's bot, for a link to the matches."""


@dataclass(frozen=True, slots=True)
class OverviewRow:
    """An entry's results, round by round."""

    line: StoryLine
    entry: EntryNames
    cells: list[RoundCell]

    @property
    def moved(self) -> int | None:
        """The number of places gained since the previous round; None without one."""
        return None if self.line.before is None else self.line.before - self.line.place


@dataclass(frozen=True, slots=True)
class UpsetText:
    """An upset as text."""

    title: str
    sentence: str
    chance: str
    """A sentence that says how often this happens."""


@dataclass(frozen=True, slots=True)
class MatchOfTheDay:
    """A notable match."""

    kind: str
    words: str
    line: queries.ListedMatch


@dataclass(frozen=True, slots=True)
class Overview:
    """The content of the overview."""

    story: Story
    entries: Entries
    names: Names
    lead: Lead | None
    stages: list[tuple[str, int]]
    """The title of each stage and the number of its rounds that are shown; empty for a single
    stage."""
    heads: list[int]
    """The numbers of the rounds within their stages."""
    lines: list[OverviewRow]
    upsets: list[UpsetText]
    matches: list[MatchOfTheDay]


def overview_of(tournament: Tournament, story: Story) -> Overview:
    """The overview of a tournament that has an end."""
    entries = _entries(tournament, story)
    names = _names(tournament, story, entries)
    return Overview(
        story=story,
        entries=entries,
        names=names,
        lead=_lead(tournament, story, names),
        stages=_stage_heads(tournament, story),
        heads=[number.number for number in story.rounds],
        lines=[
            OverviewRow(line, EntryNames.of(entries[line.entrant]), _cells(story, line, names))
            for line in story.lines
        ],
        upsets=[_upset(story, upset, names) for upset in story.upsets],
        matches=_matches_of_the_day(story.highlights),
    )


def _entries(tournament: Tournament, story: Story) -> Entries:
    """The entries with a row, or with a place on the podium or in a bracket."""
    keys = {entrant for _, entrant in story.places} | {line.entrant for line in story.lines}
    entries = tournament.entries.with_members().select_related("bot__owner").only(*ENTRY_COLUMNS)
    return entries.prefetch_related("mates__bot__owner").in_bulk(keys)


def _names(tournament: Tournament, story: Story, entries: Entries) -> Names:
    """The names of all mentioned entries. There may be hundreds, so their other columns are not
    read."""
    cells = [cell for line in story.lines for cell in line.cells if cell]
    keys = {key for cell in cells for key in (*cell.opponents, *cell.partners)}
    keys |= {int(key) for upset in story.upsets for key in (*upset.weaker, *upset.stronger)}
    keys |= set(story.left[:MAX_NAMED])
    names = {pk: Name(entry.title, entry.bot.slug) for pk, entry in entries.items()}
    others = tournament.entries.filter(pk__in=keys - names.keys()).order_by()
    if tournament.takes_teams:
        return names | {
            member.pk: Name(member.title, member.bot.slug) for member in others.with_members()
        }
    rows = others.values_list("pk", "name", "bot__name", "bot__slug")
    return names | {pk: Name(own or bot, slug) for pk, own, bot, slug in rows}


def round_words(story: Story, number: RoundNumber) -> str:
    """A round within the tournament: `round 3`, or `round 1 of stage 2`."""
    return number.words(with_stage=story.stages > 1)


def _stage_heads(tournament: Tournament, story: Story) -> list[tuple[str, int]]:
    """The title of each stage and the number of its rounds; empty for a single stage."""
    if story.stages < 2:
        return []
    titles = {
        stage.number: f"Stage {stage.number}: {stage.title}" for stage in tournament.stages.all()
    }
    rounds = Counter(number.stage for number in story.rounds)
    return [(titles[stage], count) for stage, count in sorted(rounds.items())]


# --- the leader ---------------------------------------------------------------------------------


def _lead(tournament: Tournament, story: Story, names: Names) -> Lead | None:
    """The leader by points; in a knock-out, the remaining entries."""
    if not story.matches or not story.lines:
        return Lead("No leader yet", "No results yet.")
    if story.left:
        return _lead_in_knockout(story, names)
    return _lead_by_points(tournament, story, names)


def lead_by_rating(rows: Sequence[Standing]) -> Lead | None:
    """The leader of a ladder, from the first rows of its standings; None without ratings."""
    first, second = ([*rows[:2], None, None])[:2]
    strength = first.strength if first else None
    if first is None or strength is None:
        return None
    reason = f"Its rating is {interval(strength)}."
    if second is not None and (other := second.strength) is not None:
        ahead = count_of(round(strength.rating - other.rating), "rating point")
        overlap = " Their 95 % intervals overlap." if _overlap(strength, other) else ""
        reason = f"{ahead} ahead of {second.entry.title}.{overlap}"
    return Lead(
        f"{first.entry.title} is first",
        reason,
        f"{strength.rating:.0f}".replace("-", "−"),
        "rating",
    )


def _overlap(first: Strength, second: Strength) -> bool:
    return first.low is None or second.high is None or first.low <= second.high


def _lead_in_knockout(story: Story, names: Names) -> Lead:
    """The entries that remain in a knock-out."""
    count = len(story.left)
    total = len(story.lines) + story.left_out
    titles = [names[key].title for key in story.left[:MAX_NAMED]]
    sentence = join_words(titles) + "." if count <= MAX_NAMED else ""
    last = _last_win_sentence(story, names)
    title = "Two are left" if count == 2 else f"{count} of {total} can still win"
    return Lead(title, f"{sentence} {last}".strip(), str(count), f"of {total}")


def _last_win_sentence(story: Story, names: Names) -> str:
    """A sentence about the best-placed winner of the last round with results."""
    for index in reversed(range(len(story.rounds))):
        for line in story.lines:
            cell = line.cells[index]
            if cell and cell.letter == "W" and not cell.open:
                other = join_words([names[key].title for key in cell.opponents])
                return (
                    f"{names[line.entrant].title} beat {other} "
                    f"{score(cell.points, cell.best)} in "
                    f"{round_words(story, story.rounds[index])}."
                )
    return ""


def _lead_by_points(tournament: Tournament, story: Story, names: Names) -> Lead:
    leaders = [line for line in story.lines if line.place == 1]
    best = story.lines[0]
    figure, unit = fraction(best.points), f"of {count_of(best.groups, 'group')}"
    if len(leaders) > 1:
        titles = [names[line.entrant].title for line in leaders]
        title = f"{join_words(titles)} share the lead"
        if len(leaders) > MAX_NAMED:
            title = f"{len(leaders)} share the lead"
        return Lead(title, _reasons(story, best, names), figure, unit)
    title = f"{names[best.entrant].title} leads"
    second = story.lines[1] if len(story.lines) > 1 else None
    if second is not None and second.stage == best.stage:
        ahead = best.points - second.points
        other = names[second.entrant].title
        reason = _deciding_tie_break(tournament, best, second)
        title += f" by {_lead_text(ahead)}" if ahead > 0 else f" on {reason}, level with {other}"
    return Lead(title, _reasons(story, best, names), figure, unit)


def _deciding_tie_break(tournament: Tournament, best: StoryLine, second: StoryLine) -> str:
    """The tie-break that separates two entries with equal points; `tie-breaks` if it is uncertain:
    the direct encounter may have separated them within a smaller group than the values show."""
    for column in tie_breaks(tournament):
        values = [line.tie_breaks[column.index : column.index + 1] for line in (best, second)]
        if values[0] != values[1]:
            return column.title.lower()
        if column.title == TIE_BREAKS["direct"].title and values[0] != [None]:
            break
    return "tie-breaks"


def _lead_text(points: float) -> str:
    if points == 0.5:
        return "half a point"
    return "a point" if points == 1 else f"{fraction(points)} points"


def _reasons(story: Story, line: StoryLine, names: Names) -> str:
    """The reasons for the lead: the entry's results, its best win, its current opponents."""
    parts = [_results_sentence(line)]
    beaten = [
        (min(cell.against), cell, number)
        for cell, number in zip(line.cells, story.rounds, strict=True)
        if cell and cell.letter == "W" and not cell.open
    ]
    if beaten:
        _, cell, number = min(beaten, key=lambda item: item[0])
        other = join_words([names[key].title for key in cell.opponents])
        parts.append(f"It beat {other} in {round_words(story, number)}.")
    current = next((cell for cell in line.cells if cell and cell.open), None)
    if current:
        parts.append(f"It now plays {join_words([names[key].title for key in current.opponents])}.")
    return " ".join(part for part in parts if part)


def _results_sentence(line: StoryLine) -> str:
    """The results as text: `Three wins and a draw.`"""
    return as_sentence(join_words(result_counts(line)))


def result_counts(line: StoryLine) -> list[str]:
    """The numbers of pairings won, drawn and lost as text, without zeros."""
    counts = ((line.won, "win"), (line.drawn, "draw"), (line.lost, "loss"))
    return [spelled_count(count, word) for count, word in counts if count]


def as_sentence(words: str) -> str:
    """The text with a capital letter and a full stop, unless it is empty."""
    return f"{words[0].upper()}{words[1:]}." if words else ""


# --- rounds, upsets, matches --------------------------------------------------------------------


def _cells(story: Story, line: StoryLine, names: Names) -> list[RoundCell]:
    return [
        _cell(cell, round_words(story, number), names)
        for cell, number in zip(line.cells, story.rounds, strict=True)
    ]


_LETTERS: Final = {"W": "won", "D": "drew", "L": "lost"}


def _cell(cell: StoryCell | None, round_label: str, names: Names) -> RoundCell:
    if cell is None:
        return RoundCell("wait", "–", "", f"{round_label}: did not play")
    against = join_words([names[key].title for key in cell.opponents])
    partners = join_words([names[key].title for key in cell.partners])
    partner_words = f"with {partners}, " if partners else ""
    places = " ".join(map(str, cell.against))
    opponent_slug = names[cell.opponents[0]].slug
    if cell.letter == "V":
        return RoundCell(
            "wait",
            "–",
            places,
            f"{round_label}: void {partner_words}against {against}",
            opponent_slug,
        )
    if cell.open or not cell.letter:
        so_far = f", {score(cell.points, cell.best)} so far" if cell.letter else ""
        words = f"{round_label}: {partner_words}against {against}{so_far}"
        return RoundCell("live", "…", places, words, opponent_slug)
    words = f"{round_label}: {_LETTERS[cell.letter]} {partner_words}against {against}, "
    return RoundCell(
        cell.letter, cell.letter, places, words + score(cell.points, cell.best), opponent_slug
    )


def expected_percent(upset: Upset) -> int:
    """The percentage of a match's points that the ratings expected for the weaker side."""
    return max(1, round(100 * upset.chance))


def _upset(story: Story, upset: Upset, names: Names) -> UpsetText:
    weaker = join_words([names[int(key)].title for key in upset.weaker])
    stronger = join_words([names[int(key)].title for key in upset.stronger])
    verb = "drew with" if upset.drawn else "beat"
    gap = f"rated {count_of(round(upset.gap), 'point')} lower"
    return UpsetText(
        f"{weaker} {verb} {stronger}",
        f"in {round_words(story, upset.round)}, {gap}.",
        f"The ratings expected {expected_percent(upset)} of 100 points.",
    )


def _matches_of_the_day(highlights: list[NotableMatch]) -> list[MatchOfTheDay]:
    lines = queries.list_matches_by_key([highlight.match for highlight in highlights])
    return [
        MatchOfTheDay(
            KINDS[highlight.kind],
            _match_words(highlight.kind, lines[highlight.match]),
            lines[highlight.match],
        )
        for highlight in highlights
        if highlight.match in lines
    ]


def _match_words(kind: str, line: queries.ListedMatch) -> str:
    if kind == "longest":
        return f"{line.match.moves_played:,} moves"
    scores = sorted((side.score or 0 for side in line.sides), reverse=True)
    margin = scores[0] - scores[1]
    return f"{count_of(margin, 'point')} apart" if margin else "level"
