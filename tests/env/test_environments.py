"""Environments for learning: the tests of PettingZoo and Gymnasium, rewards, opponents, imports."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test, seed_test

from cardroom.env import aec, solo
from cardroom.env.aec_env import AECMatch
from cardroom.env.solo_env import SoloMatch
from engine import Match
from engine.formats import all_formats
from engine.game import Format
from engine.registry import BUILT_IN
from tests.engine.highcard import HighCard

ROOT = Path(__file__).resolve().parents[2]
FORMATS = [str(fmt) for fmt in all_formats() if fmt.game in BUILT_IN]
MAIN = (
    "cassino/standard/2v2",
    "canasta/classic/1v2",
    "spoon-eye/standard/ffa3",
    "zwicker/grupp/1v1",
    "paks/standard/2v2",
)
CYCLES = 8
"""Moves by agent in the tests of PettingZoo."""

pytestmark = [
    # Observations with a mask are dictionaries, and matches are not drawn.
    pytest.mark.filterwarnings("ignore:Observation .*:UserWarning"),
    pytest.mark.filterwarnings("ignore:Environment has not defined a render:UserWarning"),
    pytest.mark.filterwarnings("ignore:.*alternative render modes.*:UserWarning"),
]


def first_move(view: Mapping[str, Any], legal: Sequence[str]) -> str:
    return legal[0]


@pytest.mark.parametrize("fmt", FORMATS)
def test_formats_pass_the_tests_of_pettingzoo_and_gymnasium(fmt: str) -> None:
    api_test(aec(fmt), num_cycles=CYCLES)
    seed_test(lambda: aec(fmt), num_cycles=CYCLES)
    check_env(solo(fmt, 0, first_move))


def test_a_game_of_another_package_passes_them(monkeypatch: pytest.MonkeyPatch) -> None:
    game = HighCard()
    monkeypatch.setattr("engine.registry.game", lambda name: game)
    fmt = Format("highcard", "plain", "ffa3")
    api_test(aec(fmt, moves="observation"), num_cycles=40)
    seed_test(lambda: aec(fmt), num_cycles=40)
    check_env(solo(fmt, None, first_move, moves="observation"))


def played(env: AECMatch, seed: int, rng: Random) -> tuple[dict[str, float], list[str]]:
    """Rewards by agent, and the moves, of a match at random."""
    env.reset(seed=seed)
    rewards = dict.fromkeys(env.agents, 0.0)
    moves: list[str] = []
    for agent in env.agent_iter():
        observation, reward, termination, _, info = env.last()
        rewards[agent] += reward
        if termination:
            env.step(None)
            continue
        legal = info["legal"]
        assert info["view"] == env.table.match.view(info["view"]["seat"])
        assert legal == env.table.match.legal_moves()
        assert info["moves"].shape == (len(legal), len(env.table.encoding.move_names))
        assert observation["action_mask"].tolist() == [1] * len(legal) + [0] * (512 - len(legal))
        action = rng.randrange(len(legal))
        moves.append(legal[action])
        env.step(action)
    return rewards, moves


@pytest.mark.parametrize("fmt", MAIN)
def test_rewards_are_points_ahead_of_the_best_opponent(fmt: str) -> None:
    short = f"{fmt}?deals=2"
    for kind in ("deal", "match", "win"):
        env = aec(short, rewards=kind)
        rewards, moves = played(env, 3, Random(3))
        match = Match(short, seed=env.table.match.seed)
        sides, before, totals = [], match.scores, [0.0] * match.format.seats
        for move in moves:
            match.step(move)
            ended, sides = match.turn is None, match.view(0)["sides"]
            match.proceed()
            if ended and kind == "deal":
                gained = [new - old for new, old in zip(match.scores, before, strict=True)]
                before = match.scores
                for seat in range(match.format.seats):
                    totals[seat] += ahead(gained, sides, seat)
        result = match.result
        assert result is not None
        for seat in range(match.format.seats):
            if kind == "match":
                totals[seat] = ahead(result["scores"], match.format.sides, seat)
            elif kind == "win":
                rank = result["ranks"][match.format.side(seat)]
                totals[seat] = -1 if rank > 1 else int(result["ranks"].count(1) == 1)
        assert list(rewards.values()) == totals
        assert any(totals)


def ahead(points: Sequence[int], sides: Sequence[Sequence[int]], seat: int) -> float:
    own = next(side for side in sides if seat in side)
    if len(points) == len(sides):
        others = [n for n, side in zip(points, sides, strict=True) if side is not own]
        return points[list(sides).index(own)] - max(others)
    return points[seat] - max(n for other, n in enumerate(points) if other not in own)


def test_an_illegal_action_costs_a_penalty_and_plays_the_first_legal_move() -> None:
    env = aec("cassino/standard/1v1")
    env.reset(seed=1)
    first = env.table.match.legal_moves()[0]
    env.step(511)
    assert env.table.match.moves == [first]
    assert env.rewards == {
        "seat_0": -Format.parse("cassino/standard/1v1").spec.spread[0],
        "seat_1": 0,
    }
    alone = solo("cassino/standard/1v1", 0, first_move, rewards="win")
    alone.reset(seed=1)
    assert alone.step(511)[1:4] == (-1.0, False, False)


def test_a_seed_of_the_match_deals_its_cards() -> None:
    env = aec("cassino/standard/1v1")
    env.reset(options={"match_seed": "any text"})
    assert env.infos["seat_0"]["view"] == Match("cassino/standard/1v1", seed="any text").view(0)
    with pytest.raises(ValueError, match="rewards is deal, match or win"):
        aec("cassino/standard/1v1", rewards="points")  # type: ignore[arg-type]


def finished(env: SoloMatch, seed: int) -> tuple[float, dict[str, Any], list[str]]:
    """The sum of rewards, the result and all moves; the agent plays its first legal moves."""
    _, info = env.reset(seed=seed)
    total, terminated = 0.0, False
    while not terminated:
        assert info["view"]["to_act"] == env.seat
        _, reward, terminated, _, info = env.step(0)
        total += reward
    return total, info["result"], env.table.match.moves


def test_bots_play_the_other_seats_as_in_a_match(tmp_path: Path) -> None:
    own = tmp_path / "bot.py"
    own.write_text(
        "import random\n"
        "class Bot:\n"
        "    def start(self, info): self.seen, self.sheets = 0, []; assert info['seat'] == 3\n"
        "    def event(self, event): self.seen += 1\n"
        "    def deal(self, sheet): self.sheets.append(sheet)\n"
        "    def choose(self, view, legal):\n"
        "        assert self.seen and len(self.sheets) == view['deal']\n"
        "        return random.choice(legal)\n"
    )
    env = solo("cassino/standard/2v2?deals=2", 0, ["house:greedy", "house:random", own])
    total, result, moves = finished(env, 5)
    assert total == result["scores"][0] - result["scores"][1]
    assert env.action_masks().sum() == 0
    assert finished(env, 5) == (total, result, moves)
    assert finished(env, 6)[2] != moves


def test_levels_of_the_expert_play_the_same_match_again() -> None:
    env = solo("cassino/standard/1v1?deals=1", 0, "house:expert-1")
    assert finished(env, 5) == finished(env, 5)


def test_a_seat_that_rests_is_asked_when_it_plays() -> None:
    fmt = "canasta/classic/3v2-rest"
    resting = next(seat for seat in range(5) if seat not in Match(fmt, seed="0").view(0)["chairs"])
    with pytest.raises(ValueError, match="has no decision"):
        solo(f"{fmt}?deals=1", resting, first_move).reset(seed=1)
    assert solo(f"{fmt}?deals=2", resting, first_move).reset(seed=1)[1]["view"]["deal"] == 1


def test_a_bot_that_fails_is_named_with_its_log(tmp_path: Path) -> None:
    own = tmp_path / "bot.py"
    own.write_text("def choose(view, legal):\n    raise ArithmeticError('no idea')\n")
    env = solo("cassino/standard/1v1", 1, own)
    with pytest.raises(RuntimeError, match=r"(?s)bot\.py ended:.*no idea"):
        env.reset(seed=1)
    own.write_text("def choose(view, legal):\n    return 7\n")
    with pytest.raises(RuntimeError, match=r"bot\.py"):
        solo("cassino/standard/1v1", 1, own).reset(seed=1)
    with pytest.raises(ValueError, match="1 other seats"):
        solo("cassino/standard/1v1", 0, [own, own])


def test_seats_change_if_none_is_chosen() -> None:
    env = solo("cassino/standard/2v2", None, first_move)
    seats = set()
    for seed in range(12):
        observation, info = env.reset(seed=seed)
        assert info["view"]["seat"] == env.seat
        assert observation["action_mask"].sum() == len(info["legal"])
        seats.add(env.seat)
    assert len(seats) > 1


def test_rows_of_moves_are_in_the_observation_if_wanted() -> None:
    env, rows = aec("paks/standard/1v1", moves="observation"), aec("paks/standard/1v1")
    env.reset(seed=2)
    rows.reset(seed=2)
    agent = env.agent_selection
    inside, beside = env.observe(agent)["moves"], rows.infos[agent]["moves"]
    assert np.array_equal(inside[: len(beside)], beside)
    assert not inside[len(beside) :].any()
    assert env.observation_space(agent).contains(env.observe(agent))
    assert "moves" not in env.infos[agent]
    bare = aec("paks/standard/1v1", moves="none")
    bare.reset(seed=2)
    assert "moves" not in bare.observe(agent) | bare.infos[agent]


def python(program: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", f"import sys\nsys.path[:0] = ['.', 'platform']\n{program}"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout + done.stderr


ABSENT = "sys.modules.update(dict.fromkeys(({}), None))\n"


def test_environments_need_no_site() -> None:
    program = ABSENT.format("'django', 'celery', 'rest_framework', 'redis'") + (
        "from cardroom.env import aec, solo\n"
        "env = solo('cassino/standard/1v1', 0, 'house:random')\n"
        "print(sorted(env.reset(seed=1)[0]))\n"
    )
    assert python(program) == "['action_mask', 'observation']\n"


def test_without_the_extra_the_error_names_it() -> None:
    program = ABSENT.format("'pettingzoo',") + "import cardroom.env"
    assert "install pettingzoo and gymnasium" in python(program)


def test_a_site_loads_no_environment_and_its_celery_application() -> None:
    program = (
        "import os\nos.environ['DJANGO_SETTINGS_MODULE'] = 'tests.settings'\n"
        "import django\ndjango.setup()\n"
        "import cardroom.urls\nfrom celery import current_app\n"
        "loaded = {'gymnasium', 'pettingzoo', 'cardroom.env'} & set(sys.modules)\n"
        "print(current_app.main, sorted(loaded))\n"
    )
    assert python(program).splitlines()[-1] == "cardroom []"


def test_the_examples_of_the_docs_run(capsys: pytest.CaptureFixture[str]) -> None:
    text = (ROOT / "docs" / "17-environments.md").read_text("utf-8")
    pettingzoo, gymnasium, bot = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    exec(pettingzoo, {})
    exec(gymnasium, {})
    printed = capsys.readouterr().out
    assert "'seat_1'" in printed
    assert "'winners'" in printed
    names: dict[str, Any] = {}
    exec(bot, names)
    match = Match("zwicker/grupp/1v1", seed="docs")
    assert names["choose"](match.view(0), match.legal_moves()) in match.legal_moves()
