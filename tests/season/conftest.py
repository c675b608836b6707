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
        return game.GAME


def _clear_caches() -> None:
    for module in (registry, formats):
        for value in vars(module).values():
            if hasattr(value, "cache_clear"):
                value.cache_clear()


@pytest.fixture
def _season_game(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(registry, "entry_points", lambda group: [_Entry()])
    _clear_caches()
    yield
    monkeypatch.undo()
    _clear_caches()
