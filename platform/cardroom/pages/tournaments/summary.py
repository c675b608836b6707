"""The summary of a finished tournament: the champion with a hand, the podium, figures."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.urls import reverse

from cardroom.display.format_names import format_words
from cardroom.display.numbers import count_of, fraction, plural, score
from cardroom.display.rule_pictures import spoken_name
from cardroom.pages.tournaments.overview import (
    Overview,
    as_sentence,
    expected_percent,
    result_counts,
    round_words,
)
from cardroom.templatetags.ui import whole
from engine.cards import CODE
from engine.declarations import join_words
from tournaments.models import Entry, Tournament
from tournaments.reading.brackets import has_bracket
from tournaments.reading.decider import Decider
from tournaments.reading.story import StoryCell, StoryLine

MAX_CARDS: Final = 16
"""The maximum number of cards in the hand."""
MAX_PODIUM: Final = 6


@dataclass(frozen=True, slots=True)
class PodiumPlace:
    """A place of the podium."""

    place: int
    entry: Entry
    authors: list[str]


@dataclass(frozen=True, slots=True)
class SummaryFigure:
    """A figure and its meaning."""

    value: str
    words: str
    address: str = ""
    """The address of a page that shows it; may be empty."""


@dataclass(frozen=True, slots=True)
class Summary:
    """The content of the summary."""

    eyebrow: str
    """The line above the title."""
    title: str
    sentences: str
    played: str
    """The format and the pairing systems."""
    ended: datetime | None
    hand: list[tuple[str, str]]
    """The cards as text, and their names for screen readers."""
    hand_words: str
    """A sentence about the hand; empty without one."""
    match: int | None
    """The match that the button opens."""
    match_words: str
    """The text of the button."""
    podium: list[PodiumPlace]
    figures: list[SummaryFigure]


def summary_of(tournament: Tournament, overview: Overview) -> Summary | None:
    """The summary; None without results."""
    story = overview.story
    if not story.matches or not story.places:
        return None
    champion = overview.entries.get(story.champion) if story.champion is not None else None
    first = [overview.entries[key] for place, key in story.places if place == 1]
    line = next(
        (candidate for candidate in story.lines if candidate.entrant == story.champion), None
    )
    decider = story.decider
    is_plural = champion is None or bool(champion.mates.all())
    is_last_stage = line is None or line.stage == story.stages  # not if it was stopped before
    final = is_last_stage and _ends_in_a_final(tournament)
    return Summary(
        eyebrow=f"{'Champions' if is_plural else 'Champion'} of {tournament.name}",
        title=champion.title if champion else _shared_title(first),
        sentences=_sentences(overview, line, decider, final=final),
        played=_format_and_systems(tournament),
        ended=tournament.finished,
        hand=_hand(decider),
        hand_words=_hand_words(decider),
        match=decider.match if decider else None,
        match_words="Watch the final" if final else "Watch its last win",
        podium=_podium(overview),
        figures=_figures(overview, line, final=final),
    )


def _ends_in_a_final(tournament: Tournament) -> bool:
    return has_bracket(tournament) and tournament.systems()[-1].bracket is not None


def _shared_title(first: list[Entry]) -> str:
    if len(first) > MAX_PODIUM:
        return f"{len(first)} share first place"
    return join_words([entry.title for entry in first])


def _format_and_systems(tournament: Tournament) -> str:
    """`Canasta in pairs, knock-out of 8 teams`."""
    systems = ", then ".join(system.title for system in tournament.systems())
    count = int(vars(tournament).get("entry_count", 0))
    noun = plural("team" if tournament.takes_teams else "bot", count)
    return f"{format_words(tournament.format)}, {systems} of {count} {noun}"


# --- the champion -------------------------------------------------------------------------------


def _sentences(
    overview: Overview, line: StoryLine | None, decider: Decider | None, *, final: bool
) -> str:
    if line is None:
        return "All tie-breaks are equal."
    parts = [as_sentence(join_words(result_counts(line)))]
    last = next((cell for cell in reversed(line.cells) if cell), None)
    if last and final:
        parts.append(
            _final_sentence(last, join_words([overview.names[key].title for key in last.opponents]))
        )
    if decider:
        parts.append(_decider_sentence(decider, final=final))
    return " ".join(parts)


def _final_sentence(last: StoryCell, other: str) -> str:
    points = score(last.points, last.best)
    if last.letter == "W":
        return f"It won the final against {other}, {points}."
    decided = "then the score difference or the better seed decided"
    return f"The final against {other} was level at {points}; {decided}."


def _decider_sentence(decider: Decider, *, final: bool) -> str:
    """A sentence about the deciding match."""
    match_words = "a match of the final" if final else "its last win"
    if decider.behind:
        when = f" after deal {decider.behind_after}" if decider.deals > 1 else ""
        return f"In {match_words} it was {count_of(decider.behind, 'point')} behind{when}."
    ahead = " – ".join(whole(points) for points in decider.scores)
    return f"In {match_words} it was never behind: {ahead}."


def _hand(decider: Decider | None) -> list[tuple[str, str]]:
    cards = decider.hand[:MAX_CARDS] if decider else []
    return [(card, spoken_name(card)) for card in cards if card in CODE]


def _hand_words(decider: Decider | None) -> str:
    if decider is None or not decider.hand:
        return ""
    gained = count_of(decider.gained, "point")
    return f"Its hand in deal {decider.deal}, where it gained {gained} more than any other side."


def _podium(overview: Overview) -> list[PodiumPlace]:
    steps = []
    for place, key in overview.story.places[:MAX_PODIUM]:
        entry = overview.entries[key]
        owners = [bot.owner.username if bot.owner else "Cardroom" for bot, _ in entry.members()]
        steps.append(PodiumPlace(place, entry, list(dict.fromkeys(owners))))
    return steps


# --- numbers ------------------------------------------------------------------------------------


def _figures(overview: Overview, line: StoryLine | None, *, final: bool) -> list[SummaryFigure]:
    """At most five figures."""
    story = overview.story
    matches = count_of(story.matches, "match")
    faults = f"{plural('match', story.faults)} with a fault, of {story.matches:,}"
    figures = [
        _decider_figure(story.decider, final=final),
        _champion_figure(line, final=final),
        _widest_figure(overview),
        _upset_figure(overview) or SummaryFigure(f"{story.moves:,}", f"moves in {matches}"),
        SummaryFigure(f"{story.faults:,}", faults),
    ]
    return [figure for figure in figures if figure]


def _decider_figure(decider: Decider | None, *, final: bool) -> SummaryFigure | None:
    if decider is None:
        return None
    match_words = "in a match of the final" if final else "in its last win"
    address = reverse("match", args=[decider.match])
    if decider.behind:
        return SummaryFigure(
            f"{decider.behind:,}",
            f"{plural('point', decider.behind)} behind {match_words}",
            address,
        )
    if decider.gained > 0:
        points = plural("point", decider.gained)
        text = f"{points} more than any other side in deal {decider.deal} {match_words}"
        return SummaryFigure(f"{decider.gained:,}", text, address)
    return None


def _champion_figure(line: StoryLine | None, *, final: bool) -> SummaryFigure | None:
    if line is None:
        return None
    last = next((cell for cell in reversed(line.cells) if cell), None)
    if last and final:
        return SummaryFigure(score(last.points, last.best), "points in the final")
    groups = count_of(line.groups, "deal group")
    return SummaryFigure(fraction(line.points), f"points from {groups}")


def _widest_figure(overview: Overview) -> SummaryFigure | None:
    for match in overview.matches:
        if match.kind.startswith("The widest"):
            sides = sorted(match.line.sides, key=lambda side: side.score or 0, reverse=True)
            margin = (sides[0].score or 0) - (sides[1].score or 0)
            points = plural("point", margin)
            names = f"{points} between {sides[0].name} and {sides[1].name}, the widest win"
            return SummaryFigure(whole(margin), names, reverse("match", args=[match.line.match.pk]))
    return None


def _upset_figure(overview: Overview) -> SummaryFigure | None:
    if not overview.upsets or not overview.story.upsets:
        return None
    upset, line = overview.story.upsets[0], overview.upsets[0]
    round_text = round_words(overview.story, upset.round)
    return SummaryFigure(
        f"{expected_percent(upset)} %",
        f"of the points were expected when {line.title} in {round_text}",
    )
