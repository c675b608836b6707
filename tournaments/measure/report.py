"""The report of a measurement, for people and as JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import fmean
from typing import Any, Final

from rich.table import Table

from bots.cli.common import out
from cardroom_base.core.safe_text import one_line
from engine.english import count_of
from engine.search.analysis import Judgement
from tournaments.measure.journal import Call
from tournaments.measure.prompts import PROBLEMS
from tournaments.measure.run import Run, Stop, tokens_of
from tournaments.ratings.elo import Z95

_STOP_TEXTS: Final[dict[Stop, str]] = {
    "within": "The interval is as narrow as --within requires.",
    "budget": "The budget is too small for another deal group.",
    "groups": "The maximum number of deal groups has been played.",
    "interrupted": "Stopped; --resume continues.",
    "endpoint": "The endpoint failed; --resume continues.",
}


@dataclass(frozen=True, slots=True)
class ReplyCounts:
    """Counts of the model's replies, and their cost in tokens and time."""

    decisions: int
    """Decisions for which the model was asked."""
    problems: dict[str, int]
    """Replies that were not a legal move, by kind; at most two per decision."""
    first_legal: int
    """Decisions in which the first legal move was played, after two such replies."""
    calls: int
    """Requests, failed ones included."""
    failed: int
    prompt_tokens: int
    completion_tokens: int
    unreported: int
    """Replies without a count of tokens."""
    tokens: int
    """All tokens; those of unreported replies are estimated from the length of the texts."""
    mean_s: float | None
    longest_s: float | None
    total_s: float
    """The total time spent waiting for replies."""

    @classmethod
    def of(cls, calls: Iterable[Call]) -> ReplyCounts:
        """Count the calls of all matches, unfinished ones included."""
        calls = list(calls)
        answered = [call for call in calls if call.error is None]
        counts = Counter(call.problem for call in answered)
        seconds = [call.ms / 1000 for call in answered]
        return cls(
            decisions=sum(call.attempt == 1 for call in answered),
            problems={problem: counts[problem] for problem in PROBLEMS},
            first_legal=sum(call.attempt == 2 and call.problem is not None for call in answered),
            calls=len(calls),
            failed=len(calls) - len(answered),
            prompt_tokens=sum(call.prompt_tokens or 0 for call in answered),
            completion_tokens=sum(call.completion_tokens or 0 for call in answered),
            unreported=sum(
                call.prompt_tokens is None and call.completion_tokens is None for call in answered
            ),
            tokens=sum(map(tokens_of, answered)),
            mean_s=fmean(seconds) if seconds else None,
            longest_s=max(seconds, default=None),
            total_s=sum(seconds),
        )


@dataclass(frozen=True, slots=True)
class Cost:
    """The expert's judgement of the model's moves."""

    decisions: int
    mean: float
    """Points lost per decision."""
    margin: float
    """Half the 95 % interval of `mean`."""
    agreed: int
    """Decisions in which the expert would have played the same move."""

    @classmethod
    def of(cls, judgements: Sequence[Judgement]) -> Cost | None:
        """None without judgements."""
        if not judgements:
            return None
        costs = [judgement.cost for judgement in judgements]
        mean, count = fmean(costs), len(costs)
        variance = sum((cost - mean) ** 2 for cost in costs) / max(count - 1, 1)
        agreed = sum(judgement.best == judgement.played for judgement in judgements)
        return cls(count, mean, Z95 * sqrt(variance / count), agreed)


def as_json(run: Run, settings: dict[str, Any], cost: Cost | None) -> dict[str, Any]:
    """The report for programs."""
    rating, results = run.estimate, run.results
    replies = ReplyCounts.of(call for calls in run.calls.values() for call in calls)
    return {
        **{key: settings[key] for key in ("format", "model", "endpoint", "seed", "parameters")},
        "stop": run.stop,
        "failure": run.failure or None,
        "rating": round(rating.rating, 1) if results else None,
        "low": round(rating.low, 1) if results else None,
        "high": round(rating.high, 1) if results else None,
        "groups": len(results),
        "matches": len(run.records),
        "levels": [
            {
                "level": level,
                "rating": place,
                "groups": len(scores),
                "score": round(fmean(scores), 4) if scores else None,
            }
            for level, place in run.levels.items()
            for scores in [[result.score for result in results if result.level == level]]
        ],
        "decisions": replies.decisions,
        "replies": {**replies.problems, "first_legal_move": replies.first_legal},
        "calls": {"sent": replies.calls, "failed": replies.failed},
        "tokens": {
            "prompt": replies.prompt_tokens,
            "completion": replies.completion_tokens,
            "unreported_replies": replies.unreported,
            "total": replies.tokens,
        },
        "seconds": {
            "mean": _rounded(replies.mean_s),
            "longest": _rounded(replies.longest_s),
            "total": _rounded(replies.total_s),
        },
        "cost": cost
        and {
            "decisions": cost.decisions,
            "mean": round(cost.mean, 3),
            "margin": round(cost.margin, 3),
            "agreed": cost.agreed,
        },
    }


def print_report(report: dict[str, Any]) -> None:
    """Print a report as `as_json` returns it."""
    model, groups = one_line(report["model"], 200), report["groups"]
    out.print(
        f"{model}, {report['format']}, seed {report['seed']}: "
        f"{count_of(groups, 'deal group')}, {count_of(report['matches'], 'match', 'matches')}"
    )
    if report["rating"] is None:
        out.print("No deal group is finished: there is no rating yet.")
    else:
        interval = f"95 %: {report['low']:.0f} to {report['high']:.0f}"
        out.print(f"Rating {report['rating']:.0f} ({interval})\n")
        out.print(_levels(report["levels"]))
    out.print()
    for line in _lines(report):
        out.print(line)
    if report["stop"]:
        out.print(_STOP_TEXTS[report["stop"]])


def _levels(levels: Sequence[dict[str, Any]]) -> Table:
    table = Table(box=None, pad_edge=False)
    for column in ("opponent", "rating", "deal groups", "score"):
        table.add_column(column, justify="left" if column == "opponent" else "right")
    for level in levels:
        score = "–" if level["score"] is None else f"{level['score']:.1%}"
        name, place = f"house:expert-{level['level']}", f"{level['rating']:.0f}"
        table.add_row(name, place, str(level["groups"]), score)
    return table


def _lines(report: dict[str, Any]) -> list[str]:
    replies, calls = report["replies"], report["calls"]
    tokens, seconds = report["tokens"], report["seconds"]
    problems = ", ".join(f"{replies[problem]} {problem}" for problem in PROBLEMS)
    lines = [
        f"Decisions {report['decisions']:,}; replies: {problems}; first legal move instead: "
        f"{replies['first_legal_move']}",
        f"Requests {calls['sent']:,}, of which {calls['failed']:,} failed",
    ]
    words = f"Tokens {tokens['prompt']:,} + {tokens['completion']:,}"
    if tokens["unreported_replies"]:
        count = tokens["unreported_replies"]
        words += f"; {count:,} replies without a count (about {tokens['total']:,} in total)"
    lines.append(words)
    if seconds["mean"] is not None:
        lines.append(
            f"Seconds per reply {seconds['mean']:.1f}, at most {seconds['longest']:.1f}, "
            f"{seconds['total']:,.0f} in total"
        )
    if (cost := report["cost"]) is not None:
        share = cost["agreed"] / cost["decisions"]
        lines.append(
            f"Points lost per decision, as the expert judges: {cost['mean']:.2f} "
            f"±{cost['margin']:.2f}; the expert's own move: {share:.0%} of {cost['decisions']:,}"
        )
    return lines


def _rounded(seconds: float | None) -> float | None:
    return None if seconds is None else round(seconds, 3)
