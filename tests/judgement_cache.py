"""Caches the expert's judgements, because many tests analyse the same record."""

from __future__ import annotations

from typing import Any

import pytest

from engine.search.analysis import Judgement, Question, judge
from tournaments import analysing

_judgements: dict[str, Judgement] = {}


def _judge(question: Question, playouts: int, seed: str, *, stop: Any) -> Judgement:
    """`judge` with a cache: equal arguments give equal judgements."""
    key = repr((question, playouts, seed))
    if key not in _judgements:
        judgement = judge(question, playouts, seed, stop=stop)
        if stop.must_stop:
            return judgement
        _judgements[key] = judgement
    return _judgements[key]


def cache_judgements(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the site's analyses judge no decision twice in this process."""
    monkeypatch.setattr(analysing, "judge", _judge)
