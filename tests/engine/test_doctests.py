"""The examples in the engine's docstrings are correct."""

from __future__ import annotations

import doctest
import pkgutil
from importlib import import_module

import pytest

import engine

MODULES = [name for _, name, _ in pkgutil.walk_packages(engine.__path__, "engine.")]
WITH_EXAMPLES = {
    "engine.cards",
    "engine.declarations",
    "engine.formats",
    "engine.game",
    "engine.match",
    "engine.record",
    "engine.results",
    "engine.score_sheet",
    "engine.shuffle",
    "engine.sums",
    "engine.games.canasta.melds",
    "engine.games.cassino.items",
    "engine.games.paks.moves",
    "engine.games.spoon_eye.spelling",
    "engine.games.zwicker.items",
}


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings_are_true(name: str) -> None:
    failed, tried = doctest.testmod(import_module(name), optionflags=doctest.ELLIPSIS)
    assert failed == 0
    assert tried or name not in WITH_EXAMPLES


def test_the_main_modules_have_examples() -> None:
    assert set(MODULES) >= WITH_EXAMPLES
