"""Figures that are counted in a match for each seat: sweeps, canastas, stolen paks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple


def once(event: Mapping[str, Any]) -> float:  # noqa: ARG001 - every event counts alike
    """1 for any event."""
    return 1.0


def moves_starting(prefix: str) -> Callable[[Mapping[str, Any]], float]:
    """1 for a move whose text starts with `prefix`."""
    return lambda event: float(event["move"].startswith(prefix))


class Figure(NamedTuple):
    """A number in bots' statistics, counted for each seat.

    `unit`: statistics show the mean per ``match`` or ``deal``, the ``share`` of deals, or the mean
    per ``move`` (in ms). `event`: a type of event; the figure is the sum of `worth` over these
    events, for the seat that the event names. If empty, the figure is the points of the score-sheet
    line with the key `name`, divided by `points`, for every seat of the side.
    """

    name: str
    title: str
    unit: str
    points: int = 1
    event: str = ""
    worth: Callable[[Mapping[str, Any]], float] = once
