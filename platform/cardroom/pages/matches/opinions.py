"""What the expert says of the moves of one decision, from the match's analysis or asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from cardroom_tables.actions import opinions
from engine import Match as Played
from engine.search.analysis import after
from tournaments.models import Match
from tournaments.ratings.elo import Z95
from tournaments.reading.analyses import analysis_of


@dataclass(frozen=True, slots=True)
class Answer:
    """What is known of one move."""

    move: str
    sentence: str
    """The move in words."""
    words: str
    """What the expert says of it; empty while it thinks."""

    def as_dict(self) -> dict[str, str]:
        """As the page's script gets it."""
        return asdict(self)


def answers_of(
    found: Match | None, position: str, n: int, match: Played, offers: Sequence[Mapping[str, Any]]
) -> dict[str, Answer]:
    """By move. `match`: at the position, before move `n` (from 0); `offers`: of the seat to act.

    `found`: whose analysis may have some. What people asked for comes before the analysis, which
    has it of few moves.
    """
    sentences = {offer["move"]: offer["sentence"] for offer in offers}

    def said(move: str) -> str:
        return sentences.get(move) or after(match, move) or move

    told = {move: Answer(move, said(move), words) for move, words in _analysed(found, n, said)}
    for opinion in opinions.known(position).order_by("created"):
        words = _of_played(opinion.answer, said) if opinion.answer else ""
        told[opinion.move] = Answer(opinion.move, said(opinion.move), words)
    return told


def _analysed(found: Match | None, n: int, said: Any) -> list[tuple[str, str]]:
    """What the analysis has of the decision: the expert's move, the one played, some others."""
    if found is None:
        return []
    analysis = analysis_of(found)
    if analysis.found is None or analysis.stale:
        return []
    decision = next((each for each in analysis.found["decisions"] if each["n"] == n), None)
    if decision is None:
        return []
    best = decision["moves"][0]
    rest = [
        each
        for each in decision["moves"][1:]
        if each["visits"] and each["move"] != decision["played"]
    ]
    beside = [
        (each["move"], _beside(each, best, best["points"] - each["points"], each["error"], said))
        for each in rest
    ]
    return [(decision["played"], _of_played(decision, said)), (best["move"], _best(best)), *beside]


def _of_played(decision: Mapping[str, Any], said: Any) -> str:
    """What a decision, as `engine.search.analysis` has it, says of the move that was tried."""
    best = decision["moves"][0]
    if decision["played"] == best["move"]:
        return _best(best)
    tried = next(each for each in decision["moves"] if each["move"] == decision["played"])
    return _beside(tried, best, decision["cost"], decision["error"], said)


def _best(best: Mapping[str, Any]) -> str:
    points = f"{best['points']:+z.1f}".replace("-", "−")
    return (
        f"The expert would play this: {points} points of this deal, "
        f"{best['win'] * 100:.0f} % to win the match."
    )


def _beside(
    tried: Mapping[str, Any], best: Mapping[str, Any], cost: float, error: float, said: Any
) -> str:
    half = Z95 * error
    less = "less" if cost >= 0 else "more"
    close = ", too close to tell" if abs(cost) < half else ""
    return (
        f"{abs(cost):.1f} ±{half:.1f} points {less} than the expert’s move{close}; "
        f"{tried['win'] * 100:.0f} % to win the match, not {best['win'] * 100:.0f} %. "
        f"The expert: {said(best['move'])}"
    )
