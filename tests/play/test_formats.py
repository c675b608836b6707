"""People can play every format and a third party's game to the end through the JSON interface."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from cardroom_tables.models import Table
from engine import Record, all_formats, formats, registry
from tests.play.hall import Bots, Visitor, play_bots, play_out

pytestmark = pytest.mark.django_db
SIXTH = Path(__file__).parents[1] / "thirdparty" / "sixth"
FORMATS = sorted(map(str, all_formats()))


def play(text: str, max_moves: int) -> None:
    visitor = Visitor()
    state = visitor.create(text)
    rng = Random(text)
    for _ in range(max_moves):
        play_bots()
        state = visitor.state(after=state["frames_total"])
        if state["result"] is not None:
            return
        assert state["turn"] == 0
        offers = state["decision"]["moves"]
        assert offers, "the person to move has no move"
        state = visitor.move(state, rng.choice(offers)["move"])


@pytest.mark.slow
@pytest.mark.parametrize("text", FORMATS)
def test_people_play_every_format(text: str, bots: Bots, full_size: bool) -> None:
    play(f"{text}?deals=1", 10_000 if full_size else 4)


@pytest.mark.parametrize("game", ["cassino", "canasta", "spoon-eye", "zwicker", "paks"])
def test_a_deal_of_each_game_is_played_to_the_end(game: str, bots: Bots) -> None:
    text = next(format_text for format_text in FORMATS if format_text.startswith(f"{game}/"))
    visitor = Visitor()
    visitor.create(f"{text}?deals=1")
    state = play_out([visitor], Random(game))
    Record.from_json(visitor.get("record/").json()).verify()
    assert state["deals_total"] == len(state["deals"]) == 1


@pytest.fixture
def sixth(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A format of an installed third party's game."""
    folder = tmp_path / "installed"
    shutil.copytree(SIXTH, folder / "sixth", ignore=shutil.ignore_patterns("__pycache__"))
    info = folder / "sixth-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: sixth\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[cardroom.games]\nsixth = sixth:GAME\n")
    monkeypatch.syspath_prepend(str(folder))
    _clear_registry()
    yield "sixth/plain/1v1"
    sys.modules.pop("sixth", None)
    monkeypatch.undo()
    _clear_registry()


def _clear_registry() -> None:
    """Make the registry search for games again."""
    for module in (registry, formats):
        for value in vars(module).values():
            if hasattr(value, "cache_clear"):
                value.cache_clear()


def test_a_game_of_a_third_party_is_played_from_a_list(sixth: str, bots: Bots) -> None:
    visitor = Visitor()
    state = visitor.create(sixth)
    [offer, *_] = state["decision"]["moves"]
    part = state["decision"]["parts"][offer["parts"][0]]
    assert (part["kind"], part["words"]) == ("choice", offer["move"])
    assert state["tally"] is None
    play_out([visitor], Random(1))
    Record.from_json(visitor.get("record/").json()).verify()
    assert Table.objects.get().result
