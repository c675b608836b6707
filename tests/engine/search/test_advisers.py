"""The search's adviser: a game's own, the registered one, or the default."""

from __future__ import annotations

import subprocess
import sys

import pytest

from engine import Format, registry
from engine.game import Game
from engine.search import advisers


class _Own:
    """A game's own adviser; only its identity counts here."""


def format_of(game: str) -> Format:
    variant = registry.game(game).variants[0]
    return Format(game, variant.name, variant.tables[0])


@pytest.mark.parametrize("game", registry.BUILT_IN)
def test_each_built_in_game_has_an_adviser(game: str) -> None:
    adviser = advisers.adviser_of(format_of(game))
    assert not isinstance(adviser, advisers.PlainAdviser)
    assert type(adviser).__module__ == f"engine.search.advisers.{game.replace('-', '_')}"


def test_only_existing_games_have_advisers() -> None:
    assert set(advisers.REGISTERED) == set(registry.BUILT_IN)


def test_a_games_own_adviser_overrides_the_registered_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    adviser = _Own()
    monkeypatch.setattr(advisers, "_ADVISERS", {})
    monkeypatch.setattr(Game, "adviser", lambda _game, _fmt: adviser)
    assert advisers.adviser_of(format_of("cassino")) is adviser


def test_a_game_without_an_adviser_gets_the_default_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(advisers, "_ADVISERS", {})
    monkeypatch.setattr(advisers, "REGISTERED", {})
    assert isinstance(advisers.adviser_of(format_of("cassino")), advisers.PlainAdviser)


def test_only_the_requested_adviser_is_imported() -> None:
    program = (
        "import sys\n"
        "from engine import Format, registry\n"
        "registry.games()\n"
        "assert not [name for name in sys.modules if name.startswith('engine.search')]\n"
        "from engine.search.advisers import adviser_of\n"
        "adviser_of(Format.parse('paks/standard/1v1'))\n"
        "prefix = 'engine.search.advisers.'\n"
        "print(*sorted(name.removeprefix(prefix) for name in sys.modules if prefix in name))\n"
    )
    process = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=120
    )
    assert process.stdout.split() == ["paks"]
