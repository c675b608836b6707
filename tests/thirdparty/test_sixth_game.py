"""A sixth game from a package of its own, installed by its entry point: nothing else is changed."""

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
    """A folder of installed packages with the game in it, as pip would leave it."""
    place = tmp_path / "installed"
    shutil.copytree(HERE / "sixth", place / "sixth", ignore=shutil.ignore_patterns("__pycache__"))
    info = place / "sixth-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: sixth\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[cardroom.games]\nsixth = sixth:GAME\n")
    return place


def cardroom(installed: Path, *arguments: str) -> str:
    """What the command prints where the game is installed; it must succeed."""
    done = subprocess.run(
        [sys.executable, "-c", RUN, *arguments],
        env=os.environ | {"PYTHONPATH": f"{Path.cwd()}{os.pathsep}{installed}"},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_is_listed_and_explained(installed: Path) -> None:
    assert FORMAT in cardroom(installed, "formats")
    sheet = cardroom(installed, "rules", "sixth")
    assert "The sixth game in two minutes" in sheet
    assert "9♥ is higher than 5♣" in sheet


@pytest.mark.sandbox
def test_is_played_in_the_sandbox_and_verified(installed: Path, tmp_path: Path) -> None:
    record = tmp_path / "game.json"
    # house:greedy and house:search call Match.from_view: the game must be inside as well.
    bots = ("house:greedy", "house:search")
    cardroom(installed, "play", FORMAT, *bots, "--record", str(record))
    cardroom(installed, "verify", str(record))
    cardroom(installed, "play", FORMAT, "house:random", "house:greedy")


def test_its_own_adviser_helps_the_expert(installed: Path) -> None:
    program = (
        "from random import Random\n"
        "from engine import Match\n"
        "from engine.search import consider\n"
        "from engine.search.advice import adviser_of\n"
        f"match = Match('{FORMAT}', seed='any')\n"
        "view, legal = match.view(match.turn), match.legal_moves()\n"
        "chosen = consider(view, legal, Random(1), playouts=60)[0].move\n"
        "print(type(adviser_of(match.format)).__name__, len(legal), chosen in legal)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=os.environ | {"PYTHONPATH": f"{Path.cwd()}{os.pathsep}{installed}"},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.stdout.split() == ["HighAdviser", "2", "True"], done.stderr


def test_the_greedy_bot_keeps_what_the_game_calls_worth_more(installed: Path) -> None:
    program = (
        "from importlib.util import module_from_spec, spec_from_file_location\n"
        "from engine import Match\n"
        "found = spec_from_file_location('greedy', 'seeds/bots/greedy/bot.py')\n"
        "greedy = module_from_spec(found)\n"
        "found.loader.exec_module(greedy)\n"
        f"match = Match('{FORMAT}', seed='any')\n"
        "bot = greedy.Bot()\n"
        "bot.start({'rng': 1})\n"
        "print(*match.legal_moves(), bot.choose(match.view(match.turn), match.legal_moves()))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=os.environ | {"PYTHONPATH": f"{Path.cwd()}{os.pathsep}{installed}"},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    lower, higher, chosen = done.stdout.split()
    assert lower[0] != higher[0], done.stderr
    assert chosen == higher  # the lower card in hand is worth more to this game


@pytest.mark.sandbox
def test_bots_are_checked_at_it(installed: Path, tmp_path: Path) -> None:
    bot = tmp_path / "bot.py"
    bot.write_text(
        "import random\nfrom engine import Match\n"
        "def choose(view, legal):\n"
        "    return Match.from_view(view, random.Random(1)).legal_moves()[-1]\n"
    )
    cardroom(installed, "check", str(bot), "--format", "sixth/*/*")


@pytest.fixture
def site(installed: Path, monkeypatch: pytest.MonkeyPatch, settings: Any) -> Iterator[Client]:
    """A site where the game is installed."""
    plain = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    settings.STORAGES = settings.STORAGES | {"staticfiles": plain}
    settings.WORKERS_ELSEWHERE = True
    monkeypatch.syspath_prepend(str(installed))
    forget()
    yield Client()
    sys.modules.pop("sixth", None)
    monkeypatch.undo()
    forget()


def forget() -> None:
    """Look for games anew, as a new process does."""
    for module in (registry, formats):
        for found in vars(module).values():
            if hasattr(found, "cache_clear"):
                found.cache_clear()


@pytest.mark.django_db
def test_is_played_on_the_site(site: Client) -> None:
    assert "Sixth Game" in site.get("/games/").content.decode()
    assert "the higher one scores" in site.get("/games/sixth/").content.decode()
    bots = [factories.bot(formats=("sixth/*/*",)) for _ in range(2)]
    cup = factories.tournament(bots, format=FORMAT, start=True)
    factories.finish_all(cup)
    match = cup.matches.all()[0]
    rest = f"/api/v1/matches/{match.pk}/"
    record = Record.from_json(site.get(f"{rest}record/").content)
    record.verify()
    frames = site.get(f"{rest}frames/").json()["frames"]
    assert [f["move"] for f in frames if f["move"] is not None] == record.moves
    assert site.get(f"/matches/{match.pk}/").status_code == 200


@pytest.mark.django_db
def test_its_own_figures_pictures_and_levels_are_shown(site: Client) -> None:
    match = Match(FORMAT, seed="shown")
    while match.turn is not None:
        match.play(match.legal_moves()[-1])
    counted = count_figures(Record.of(match))
    kings = sum(move.startswith("K") for move in match.moves)
    assert sum(seat["kings"][0] for seat in counted.seats) == kings
    assert sum(seat["high_card"][0] for seat in counted.seats) >= len(match.deals)
    assert [figure.title for figure in figures("sixth")][:2] == ["Deals won", "Kings laid a deal"]
    (laid, _) = groups_of(match.view(None))
    assert laid.cards == (match.moves[-4],)
    assert wins_of_next_level(match.format, 1) == round(10 / (1 + 10 ** (-50 / 400)))
    assert level(1, "sixth").overlooks == 0.5
    page = site.get("/play/").content.decode()
    tile = page[page.index('data-game="sixth"') :]
    assert tile.index("#9H") < tile.index("#5C") < tile.index("Sixth Game")
