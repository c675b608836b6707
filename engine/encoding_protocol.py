"""What an encoding of views and moves offers; `engine.encoding` has the parts to build one."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from typing import Any, Protocol


class Encoding(Protocol):
    """The encoding of one format; `Game.encoding` makes it.

    `version`: raised whenever a number changes its place or its meaning, so that a trained net
    knows whether it fits. `names`, `move_names`: the meaning of each number.
    """

    version: int
    names: list[str]
    move_names: list[str]

    def observe(self, view: Mapping[str, Any]) -> array[float]:
        """The view of a seat: one number for each of `names`, in typecode ``f``."""
        ...

    def describe(self, view: Mapping[str, Any], legal: Sequence[str]) -> array[float]:
        """The moves: one row after the other, with one number for each of `move_names`."""
        ...
