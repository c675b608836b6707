"""A sixth game from another package, which only its entry point installs."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from cardroom.pictures.previews import groups_of
from cardroom_tables.strength import wins_of_next_level
from engine import Match, Record, formats, registry
from engine.search import level
from tests import factories
from tournaments.standings.figures import count_figures, figures

HERE = Path(__file__).parent
FORMAT = "sixth/plain/1v1"
RUN = "from tournaments.home.cli import main; main()"


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """A folder with the game as an installed package."""
    folder = tmp_path / "installed"
    shutil.copytree(HERE / "sixth", folder / "sixth", ignore=shutil.ignore_patterns("__pycache__"))
    info = folder / "sixth-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: sixth\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[cardroom.games]\nsixth = sixth:GAME\n")
    return folder


def run_cardroom(installed: Path, *arguments: str) -> str:
    """The output of a `cardroom` command with the game installed; it must succeed."""
    process = run_python(installed, RUN, *arguments)
    assert process.returncode == 0, process.stdout + process.stderr
    return process.stdout


def run_python(installed: Path, program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a Python program with the game installed."""
    return subprocess.run(
        [sys.executable, "-c", program, *arguments],
        env=os.environ | {"PYTHONPATH": f"{Path.cwd()}{os.pathsep}{installed}"},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def test_the_game_is_listed_and_explained(installed: Path) -> None:
    assert FORMAT in run_cardroom(installed, "formats")
    sheet = run_cardroom(installed, "rules", "sixth")
    assert "The sixth game in two minutes" in sheet
    assert "9♥ is higher than 5♣" in sheet


@pytest.mark.sandbox
def test_the_game_is_played_in_the_sandbox_and_verified(installed: Path, tmp_path: Path) -> None:
    record = tmp_path / "game.json"
    # house:greedy and house:search call Match.from_view, which needs the game in the sandbox.
    bots = ("house:greedy", "house:search")
    run_cardroom(installed, "play", FORMAT, *bots, "--record", str(record))
    run_cardroom(installed, "verify", str(record))
    run_cardroom(installed, "play", FORMAT, "house:random", "house:greedy")


def test_the_expert_uses_the_games_adviser(installed: Path) -> None:
    program = (
        "from random import Random\n"
        "from engine import Match\n"
        "from engine.search import consider\n"
        "from engine.search.advisers import adviser_of\n"
        f"match = Match('{FORMAT}', seed='any')\n"
        "view, legal = match.view(match.turn), match.legal_moves()\n"
        "move = consider(view, legal, Random(1), playouts=60)[0].move\n"
        "print(type(adviser_of(match.format)).__name__, len(legal), move in legal)\n"
    )
    process = run_python(installed, program)
    assert process.stdout.split() == ["HighAdviser", "2", "True"], process.stderr


def test_the_greedy_bot_uses_the_games_values(installed: Path) -> None:
    program = (
        "from importlib.util import module_from_spec, spec_from_file_location\n"
        "from engine import Match\n"
        "spec = spec_from_file_location('greedy', 'seeds/bots/greedy/bot.py')\n"
        "greedy = module_from_spec(spec)\n"
        "spec.loader.exec_module(greedy)\n"
        f"match = Match('{FORMAT}', seed='any')\n"
        "bot = greedy.Bot()\n"
        "bot.start({'rng': 1})\n"
        "print(*match.legal_moves(), bot.choose(match.view(match.turn), match.legal_moves()))\n"
    )
    process = run_python(installed, program)
    lower, higher, move = process.stdout.split()
    assert lower[0] != higher[0], process.stderr
    assert move == higher  # a lower card in the hand is worth more in this game


@pytest.mark.sandbox
def test_bots_for_the_game_are_checked(installed: Path, tmp_path: Path) -> None:
    bot = tmp_path / "bot.py"
    bot.write_text(
        "import random\nfrom engine import Match\n"
        "def choose(view, legal):\n"
        "    return Match.from_view(view, random.Random(1)).legal_moves()[-1]\n"
    )
    run_cardroom(installed, "check", str(bot), "--format", "sixth/*/*")


@pytest.fixture
def site(installed: Path, monkeypatch: pytest.MonkeyPatch, settings: Any) -> Iterator[Client]:
    """A client of a site with the game installed."""
    plain = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    settings.STORAGES = settings.STORAGES | {"staticfiles": plain}
    settings.WORKERS_ELSEWHERE = True
    monkeypatch.syspath_prepend(str(installed))
    clear_caches()
    yield Client()
    sys.modules.pop("sixth", None)
    monkeypatch.undo()
    clear_caches()


def clear_caches() -> None:
    """Make the engine search for games again, as in a new process."""
    for module in (registry, formats):
        for value in vars(module).values():
            if hasattr(value, "cache_clear"):
                value.cache_clear()


@pytest.mark.django_db
def test_the_game_is_played_on_the_site(site: Client) -> None:
    assert "Sixth Game" in site.get("/games/").content.decode()
    assert "the higher one scores" in site.get("/games/sixth/").content.decode()
    bots = [factories.bot(formats=("sixth/*/*",)) for _ in range(2)]
    tournament = factories.tournament(bots, format=FORMAT, start=True)
    factories.finish_all(tournament)
    match = tournament.matches.all()[0]
    address = f"/api/v1/matches/{match.pk}/"
    record = Record.from_json(site.get(f"{address}record/").content)
    record.verify()
    frames = site.get(f"{address}frames/").json()["frames"]
    moves = [frame["move"] for frame in frames if frame["move"] is not None]
    assert moves == record.moves
    assert site.get(f"/matches/{match.pk}/").status_code == 200


@pytest.mark.django_db
def test_the_site_shows_the_games_figures_pictures_and_levels(site: Client) -> None:
    match = Match(FORMAT, seed="shown")
    while match.turn is not None:
        match.play(match.legal_moves()[-1])
    match_figures = count_figures(Record.of(match))
    kings = sum(move.startswith("K") for move in match.moves)
    assert sum(seat["kings"][0] for seat in match_figures.seats) == kings
    assert sum(seat["high_card"][0] for seat in match_figures.seats) >= len(match.deals)
    assert [figure.title for figure in figures("sixth")][:2] == ["Deals won", "Kings laid a deal"]
    (laid, _) = groups_of(match.view(None))
    assert laid.cards == (match.moves[-4],)
    assert wins_of_next_level(match.format, 1) == round(10 / (1 + 10 ** (-50 / 400)))
    assert level(1, "sixth").overlooks == 0.5
    page = site.get("/play/").content.decode()
    tile = page[page.index('data-game="sixth"') :]
    assert tile.index("#9H") < tile.index("#5C") < tile.index("Sixth Game")
