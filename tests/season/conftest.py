"""The season's game, as if an installed package provided it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from engine import formats, registry
from tests.season import game


class _Entry:
    """A fake entry point of an installed package."""

    name = "season"

    @staticmethod
    def load() -> object:
        """The game."""
        return game.GAME


def _forget() -> None:
    for module in (registry, formats):
        for found in vars(module).values():
            if hasattr(found, "cache_clear"):
                found.cache_clear()


@pytest.fixture
def _season_game(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(registry, "entry_points", lambda group: [_Entry()])
    _forget()
    yield
    monkeypatch.undo()
    _forget()
