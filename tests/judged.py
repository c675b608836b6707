"""Analyses of the same record in many tests: the expert judges each decision once a process."""

from __future__ import annotations

from typing import Any

import pytest

from engine.search.analysis import Judgement, Question, judge
from tournaments import analysing

_judgements: dict[str, Judgement] = {}


def _judge(question: Question, playouts: int, seed: str, *, stop: Any) -> Judgement:
    """`judge`, which gives the same for the same question, number and seed."""
    key = repr((question, playouts, seed))
    if key not in _judgements:
        judgement = judge(question, playouts, seed, stop=stop)
        if stop.must_stop:
            return judgement
        _judgements[key] = judgement
    return _judgements[key]


def judge_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the site's analyses judge no decision a second time."""
    monkeypatch.setattr(analysing, "judge", _judge)
