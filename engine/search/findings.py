"""Summarize the judged decisions of a match: accuracy, turning points, the costliest moves.

An analysis is one JSON object, so that it can be stored and sent:

- ``shape``, ``expert``, ``playouts``, ``seed``: its settings; equal settings give equal analyses
- ``format``, ``moves`` (the number of moves of the record), ``whole`` (whether the analysis covers
  all decisions)
- ``decisions``: each a `Judgement` with ``kind`` (``mistake``, ``slip`` or empty), ``phase``
  (``early``, ``middle`` or ``late`` in the deal) and ``act`` (the verb of its sentence, such as
  ``takes``). Slips and mistakes also have ``words`` and ``better``: sentences that describe the
  move played and the expert's move
- ``seats``: for each seat, ``decisions``, ``accuracy``, ``cost``, ``error``, ``stake``,
  ``win_cost``, ``slips``, ``mistakes``, and ``phases`` and ``acts``: for each phase and act, the
  number of decisions and their total cost
- ``chances``: for each decision, the number of the move, the side, and the side's chance of winning
  before the move, from the knowledge of its seat
- ``turning``: the largest changes of a chance: ``side``, ``from`` and ``to`` (numbers of moves),
  ``before``, ``after``, ``move`` (the costliest move between them, or null)
- ``costliest``: the worst decisions of all seats: ``n``, ``seat``, ``words``, ``better``, ``cost``,
  ``error``, ``win_cost``, ``kind``, and ``hindsight``, the judgement with all
  cards known, from fewer playouts: ``better`` (a sentence; empty if the move played was best) and
  ``cost``
- ``luck``: for each side, its final lead over the mean of the others, in points, and the lead that
  its cards alone would have given (`CardLuck`); empty if the match was not finished
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from random import Random
from typing import Any, Final, NamedTuple

from engine.game import Format
from engine.match import Match
from engine.record import Record
from engine.search import EXPERT, consider
from engine.search.analysis import (
    MOST_DECISIONS,
    PLAYOUTS,
    Judgement,
    judge,
    move_sentence,
    questions,
    severity,
)
from engine.search.card_luck import PLAYOUTS as MAX_LUCK_PLAYOUTS
from engine.search.card_luck import card_luck, leads
from engine.search.tree import never_stop

SHAPE: Final = 3
"""The version of an analysis: it changes with the keys."""
PHASES: Final = ("early", "middle", "late")
"""Thirds of the moves of a deal."""
HIGHLIGHTS: Final = 3
"""Maximum number of turning points and of costliest moves."""
_COSTLY_KEYS: Final = ("n", "seat", "words", "better", "cost", "error", "win_cost", "kind")
_HINDSIGHT: Final = 4
"""Divisor of the playouts for hindsight, which needs fewer because all cards are known."""
_LUCK_PLAYOUTS: Final = 600
"""Playouts for the luck of all deals of a match together, and as many with other shuffles."""
_LEAST_LUCK_PLAYOUTS: Final = 12
"""Minimum number of playouts for the luck of each deal."""
_TURN: Final = 0.1
"""Minimum change of a chance of winning for a turning point."""


def analyse(
    record: Record,
    playouts: int = PLAYOUTS,
    seed: str = "",
    *,
    progress: Callable[[int, int], None] | None = None,
    stop: Callable[[], bool] = never_stop,
) -> dict[str, Any]:
    """Analyse a record, decision by decision, until `stop` returns true; return the analysis.

    `progress` is called with the number of moves analysed so far and the number of all moves.
    RecordError if the record is wrong.
    """
    decisions: list[Judgement] = []
    for question in questions(record):
        if stop() or len(decisions) >= MOST_DECISIONS:
            break
        decisions.append(judge(question, playouts, seed))
        if progress is not None:
            progress(question.n + 1, len(record.moves))
    else:
        return summarize(record, decisions, playouts, seed, whole=True)
    return summarize(record, decisions, playouts, seed, whole=False)


def summarize(
    record: Record, decisions: Sequence[Judgement], playouts: int, seed: str, *, whole: bool
) -> dict[str, Any]:
    """The analysis of a record, made from its judged decisions in the order of the moves."""
    fmt = Format.parse(record.format)
    chances = _chances(fmt, record, decisions, whole=whole)
    rows = _decision_rows(fmt, record, decisions)
    return {
        "shape": SHAPE,
        "expert": EXPERT,
        "playouts": playouts,
        "seed": seed,
        "format": record.format,
        "moves": len(record.moves),
        "whole": whole,
        "decisions": rows,
        "seats": _seats(fmt, decisions, rows),
        "chances": [list(chance) for chance in chances],
        "turning": _turning(decisions, chances),
        "costliest": _in_hindsight(record, _costliest(rows), playouts, seed),
        "luck": _luck(fmt, record, seed) if whole else [],
    }


def summarize_partial(record: Record, decisions: Sequence[Judgement]) -> dict[str, Any]:
    """An unfinished analysis: ``decisions``, ``seats``, ``chances``, ``turning``, ``costliest``.

    It has no hindsight and no luck, because these take playouts.
    """
    fmt = Format.parse(record.format)
    chances = _chances(fmt, record, decisions, whole=False)
    rows = _decision_rows(fmt, record, decisions)
    return {
        "decisions": rows,
        "seats": _seats(fmt, decisions, rows),
        "chances": [list(chance) for chance in chances],
        "turning": _turning(decisions, chances),
        "costliest": _costliest(rows),
    }


def _decision_rows(
    fmt: Format, record: Record, decisions: Sequence[Judgement]
) -> list[dict[str, Any]]:
    """The entries of the key ``decisions`` of an analysis."""
    kinds = {decision.n: kind for decision in decisions if (kind := severity(fmt, decision))}
    played = _texts_of(record, decisions, kinds)
    return [
        decision.as_json() | {"kind": kinds.get(decision.n, "")} | played[decision.n]
        for decision in decisions
    ]


def accuracy(decisions: Iterable[Judgement]) -> float | None:
    """The share, in percent, of the possible gain from good choices that the seat achieved.

    It is 100 * (1 - sum of costs / sum of stakes): 100 for the expert's own moves, about 0 for
    random moves. None if nothing was at stake.
    """
    cost = stake = 0.0
    for decision in decisions:
        cost += decision.cost
        stake += decision.stake
    if stake <= 0:
        return None
    return round(100 * max(0.0, min(1.0, 1 - cost / stake)), 1)


def _seats(
    fmt: Format, decisions: Sequence[Judgement], rows: Sequence[dict[str, Any]]
) -> list[dict[str, Any]]:
    return [
        _seat(seat, rows) | {"accuracy": _accuracy_of(decisions, seat)} for seat in range(fmt.seats)
    ]


def _accuracy_of(decisions: Sequence[Judgement], seat: int) -> float | None:
    return accuracy([decision for decision in decisions if decision.seat == seat])


def _seat(seat: int, rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    seat_rows = [row for row in rows if row["seat"] == seat]
    kinds = [row["kind"] for row in seat_rows]
    return {
        "seat": seat,
        "decisions": len(seat_rows),
        "cost": round(sum(row["cost"] for row in seat_rows), 2),
        "error": round(sum(row["error"] ** 2 for row in seat_rows) ** 0.5, 2),
        "stake": round(sum(row["stake"] for row in seat_rows), 2),
        "win_cost": round(sum(row["win_cost"] for row in seat_rows), 3),
        "slips": kinds.count("slip"),
        "mistakes": kinds.count("mistake"),
        "phases": _totals_by("phase", seat_rows),
        "acts": _totals_by("act", seat_rows),
    }


def _totals_by(key: str, seat_rows: Sequence[dict[str, Any]]) -> dict[str, list[float]]:
    """For each value of a key, the number of decisions and their total cost."""
    totals: dict[str, list[float]] = {}
    for row in seat_rows:
        sums = totals.setdefault(row[key], [0, 0.0])
        sums[0] += 1
        sums[1] = round(sums[1] + row["cost"], 3)
    return totals


def _chances(
    fmt: Format, record: Record, decisions: Sequence[Judgement], *, whole: bool
) -> list[tuple[int, int, float]]:
    """The entries of the key ``chances``: number of the move, side, chance of winning before it.

    For a finished match, each side's share of the win comes last.
    """
    chances = [(decision.n, fmt.side(decision.seat), decision.win) for decision in decisions]
    result = record.result
    if whole and result is not None and len(result["ranks"]) == len(fmt.sides):
        winners = result["winners"]
        for side in range(len(fmt.sides)):
            win_share = round(1 / len(winners), 4) if side in winners else 0.0
            chances.append((len(record.moves), side, win_share))
    return chances


def _turning(
    decisions: Sequence[Judgement], chances: Sequence[tuple[int, int, float]]
) -> list[dict[str, Any]]:
    """The largest changes of a side's chance between two of its decisions, in order of play."""
    previous_decision: dict[int, tuple[int, float]] = {}
    changes: list[_Change] = []
    for n, side, win in chances:
        if side in previous_decision:
            changes.append(_Change(side, *previous_decision[side], n, win))
        previous_decision[side] = n, win
    changes.sort(key=lambda change: (-change.size, change.start, change.side))
    chosen: list[_Change] = []
    for change in changes:
        disjoint = all(
            change.end <= kept_change.start or change.start >= kept_change.end
            for kept_change in chosen
        )
        if change.size >= _TURN and disjoint and len(chosen) < HIGHLIGHTS:
            chosen.append(change)
    chosen.sort(key=lambda change: change.start)
    return [
        {
            "side": change.side,
            "from": change.start,
            "to": change.end,
            "before": change.before,
            "after": change.after,
            "move": _worst_between(decisions, change.start, change.end),
        }
        for change in chosen
    ]


class _Change(NamedTuple):
    """A side's chance before the move `start` and before its next decision, the move `end`."""

    side: int
    start: int
    before: float
    end: int
    after: float

    @property
    def size(self) -> float:
        return abs(self.after - self.before)


def _worst_between(decisions: Sequence[Judgement], start: int, end: int) -> int | None:
    between = [
        decision for decision in decisions if start <= decision.n < end and decision.cost > 0
    ]
    return max(between, key=lambda decision: decision.win_cost).n if between else None


def _costliest(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The slips and mistakes with the highest cost, after subtracting the standard error."""
    costly = [row for row in rows if row["kind"]]
    costly.sort(key=lambda row: (row["error"] - row["cost"], row["n"]))
    return [{key: row[key] for key in _COSTLY_KEYS} for row in costly[:HIGHLIGHTS]]


def _in_hindsight(
    record: Record, costliest: Sequence[dict[str, Any]], playouts: int, seed: str
) -> list[dict[str, Any]]:
    """The costliest moves, each with its judgement in hindsight."""
    verdicts: dict[int, dict[str, Any]] = {}
    numbers = [row["n"] for row in costliest]
    match = record.start()
    for n, move in enumerate(record.moves[: max(numbers, default=-1) + 1]):
        if n in numbers:
            verdicts[n] = _judge_in_hindsight(
                match, move, max(1, playouts // _HINDSIGHT), f"{seed}/{n}/seen"
            )
        match.play(move)
    return [row | {"hindsight": verdicts[row["n"]]} for row in costliest]


def _judge_in_hindsight(match: Match, played: str, playouts: int, seed: str) -> dict[str, Any]:
    """The expert's move with all cards known, and the cost of the move played."""
    seat, legal, rng = match.turn, match.legal_moves(), Random(seed)
    assert seat is not None  # noqa: S101 - a decision was judged there
    if played not in legal:
        legal.append(played)
    view = match.view(seat)
    best_move = consider(view, legal, rng, playouts, also=[played], truth=match)[0].move
    if best_move == played:
        return {"better": "", "cost": 0.0}
    pair = [best_move, played]
    results = consider(view, pair, rng, playouts, also=pair, truth=match)
    points = {result.move: result.points for result in results}
    cost = round(points[best_move] - points[played], 3)
    if cost <= 0:  # in the direct comparison the expert's move was not better
        return {"better": "", "cost": 0.0}
    return {"better": move_sentence(match, best_move), "cost": cost}


def hindsight_sentence(costly: Mapping[str, Any]) -> str:
    """The hindsight of one of the costliest moves as a sentence; empty if there is none."""
    verdict = costly.get("hindsight")
    if verdict is None:
        return ""
    if not verdict["better"]:
        return "In hindsight, with all cards seen, no move was better."
    lost = f"{-verdict['cost']:+z.1f}".replace("-", "−")
    return f"In hindsight, with all cards seen: {verdict['better']} ({lost} points)"


def _luck(fmt: Format, record: Record, seed: str) -> list[list[float]]:
    """For each side, its final lead and the lead that its cards alone would have given, in points.

    Empty if the match is not finished.
    """
    match = record.start()
    deals = 1
    for move in record.moves:
        match.step(move)
        if match.turn is None:
            match.proceed()
            deals += match.result is None
    final_leads = leads(match.scores)
    if match.result is None or len(final_leads) != len(fmt.sides):
        return []
    playouts = max(_LEAST_LUCK_PLAYOUTS, min(MAX_LUCK_PLAYOUTS, _LUCK_PLAYOUTS // deals))
    luck = card_luck(record, Random(f"{seed}/luck"), playouts)
    by_cards = [sum(column) for column in zip(*luck, strict=True)]
    pairs = zip(final_leads, by_cards, strict=True)
    return [[round(lead, 2), round(card_lead, 2)] for lead, card_lead in pairs]


def luck_sentences(summary: Mapping[str, Any], names: Sequence[str]) -> list[str]:
    """Sentences about each side's final lead and the lead that its cards alone would have given.

    `names`: the names of the sides. With two sides, only the leading side gets a sentence.
    """
    rows: list[list[float]] = summary.get("luck", [])
    sides = range(len(rows))
    if len(rows) == 2:
        sides = range(1) if rows[0][0] >= rows[1][0] else range(1, 2)
    comparison = " of the others’ mean" if len(rows) > 2 else ""
    return [
        f"{names[side]} ended {_ahead(rows[side][0])}{comparison}; "
        f"the cards alone would have put it {_ahead(rows[side][1])}."
        for side in sides
    ]


def _ahead(points: float) -> str:
    """``3.1 points ahead``, ``12 points behind``, ``level``."""
    size = abs(round(points, 0 if abs(points) >= 100 else 1))
    if not size:
        return "level"
    return f"{size:g} point{'' if size == 1 else 's'} {'ahead' if points > 0 else 'behind'}"


def _texts_of(
    record: Record, decisions: Sequence[Judgement], kinds: Mapping[int, str]
) -> dict[int, dict[str, str]]:
    """By number of the move: the keys ``phase`` and ``act`` of each decision.

    Decisions in `kinds` also get the sentences ``words`` and ``better``.
    """
    best_moves = {decision.n: decision.best for decision in decisions}
    texts: dict[int, dict[str, str]] = {}
    lengths = _lengths(record, max(best_moves, default=-1))
    match = record.start()
    deal_start = 0  # the first move of the deal
    for n, move in enumerate(record.moves[: max(best_moves, default=-1) + 1]):
        logged_before = match.logged
        if n in best_moves:
            phase = PHASES[3 * (n - deal_start) // lengths[deal_start]]
            texts[n] = {"phase": phase, "act": ""}
            if n in kinds:
                texts[n] |= {
                    "words": move_sentence(match, move),
                    "better": move_sentence(match, best_moves[n]),
                }
        match.step(move)
        if n in best_moves:
            texts[n]["act"] = _verb(match, logged_before)
        if match.turn is None:
            deal_start = n + 1
            match.proceed()
    return texts


def _verb(match: Match, logged_before: int) -> str:
    """The verb of the move's sentence: its second word, after the seat."""
    for event in match.logged_since(logged_before):
        words = match.format.spec.tell(match.format, event).sentence.split()
        if len(words) > 1:
            return words[1].strip(".,:;")
    return ""


def _lengths(record: Record, last_move: int) -> dict[int, int]:
    """By number of its first move: the number of moves of each deal, up to move `last_move`."""
    lengths: dict[int, int] = {}
    match = record.start()
    deal_start = 0
    for n, move in enumerate(record.moves):
        lengths[deal_start] = n + 1 - deal_start
        match.step(move)
        if match.turn is None:
            if n >= last_move:
                break
            deal_start = n + 1
            match.proceed()
    return lengths
