"""Environments for learning: PettingZoo's and Gymnasium's tests, rewards, opponents, imports."""

from __future__ import annotations

import json
import pickle
import re
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test, seed_test

from bots.referee.in_process import InProcessBot
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
"""Moves of each agent in PettingZoo's tests."""

pytestmark = [
    # Observations are dictionaries because of their mask, and matches are not rendered.
    pytest.mark.filterwarnings("ignore:Observation .*:UserWarning"),
    pytest.mark.filterwarnings("ignore:Environment has not defined a render:UserWarning"),
    pytest.mark.filterwarnings("ignore:.*alternative render modes.*:UserWarning"),
]


def first_move(view: Mapping[str, Any], legal: Sequence[str]) -> str:
    return legal[0]


@pytest.mark.parametrize("fmt", FORMATS)
def test_all_formats_pass_pettingzoos_and_gymnasiums_tests(fmt: str) -> None:
    api_test(aec(fmt), num_cycles=CYCLES)
    seed_test(lambda: aec(fmt), num_cycles=CYCLES)
    check_env(solo(fmt, 0, first_move))


@pytest.mark.parametrize("fmt", MAIN)
def test_vector_environments_play_on_after_each_match(fmt: str) -> None:
    make = partial(solo, f"{fmt}?deals=1", None, first_move, moves="observation", infos=False)
    env = gymnasium.vector.SyncVectorEnv([make] * 3)
    observations, infos = env.reset(seed=3)
    results = 0
    for _ in range(150):
        masks = observations["action_mask"]
        observations, _, ended, _, infos = env.step(masks.argmax(axis=1))
        assert set(infos) <= {"result", "_result"}
        results += int(ended.sum())
    assert results
    env.close()


def test_vector_environments_play_in_processes_of_their_own() -> None:
    make = partial(solo, MAIN[0], None, "house:random", moves="observation", infos=False)
    env = gymnasium.vector.AsyncVectorEnv([make] * 2)
    observations, _ = env.reset(seed=3)
    assert observations["moves"].shape[0] == 2
    env.step(np.zeros(2, int))
    env.close()


@pytest.mark.parametrize("fmt", MAIN)
@pytest.mark.parametrize("copied", [deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_a_copy_of_an_environment_plays_the_same_match(
    fmt: str, copied: Callable[[AECMatch], AECMatch]
) -> None:
    env = aec(fmt)
    copied(env).reset(seed=1)
    env.reset(seed=7)
    rng = Random(7)
    for _ in range(30):
        env.step(rng.randrange(len(env.last()[4]["legal"])))
    twin = copied(env)
    for _ in range(300):
        (own, *own_rest, own_info), (other, *other_rest, other_info) = env.last(), twin.last()
        assert own_rest == other_rest
        assert (own["observation"] == other["observation"]).all()
        assert own_info["legal"] == other_info["legal"]
        if env.terminations[env.agent_selection]:
            break
        action = rng.randrange(len(own_info["legal"]))
        env.step(action)
        twin.step(action)
    env.reset()
    twin.reset()
    assert env.table.match.seed == twin.table.match.seed


def test_a_copy_of_a_solo_environment_has_the_same_settings() -> None:
    env = solo("paks/standard/1v1", 1, "house:greedy", rewards="win", moves="none")
    env.reset(seed=1)
    for twin in (deepcopy(env), pickle.loads(pickle.dumps(env))):
        first, second = env.reset(seed=5), twin.reset(seed=5)
        assert first[1]["view"] == second[1]["view"]
        assert (twin.seat, twin.table.rewards) == (1, "win")


def test_wrong_use_is_explained() -> None:
    env = solo("cassino/standard/1v1?deals=1", 0, first_move)
    with pytest.raises(ValueError, match="call reset"):
        env.step(0)
    env.reset(seed=1)
    while not env.step(0)[2]:
        pass
    with pytest.raises(ValueError, match="call reset"):
        env.step(0)
    with pytest.raises(TypeError, match="match_seed is text"):
        aec("cassino/standard/1v1").reset(options={"match_seed": 5})
    first, second = aec("cassino/standard/1v1"), aec("cassino/standard/1v1")
    first.reset(seed=3)
    numpy_seed: Any = np.int64(3)
    second.reset(seed=numpy_seed)
    assert first.table.match.seed == second.table.match.seed


def test_a_game_of_another_package_passes_the_same_tests(monkeypatch: pytest.MonkeyPatch) -> None:
    game = HighCard()
    monkeypatch.setattr("engine.registry.game", lambda name: game)
    fmt = Format("highcard", "plain", "ffa3")
    api_test(aec(fmt, moves="observation"), num_cycles=40)
    seed_test(lambda: aec(fmt), num_cycles=40)
    check_env(solo(fmt, None, first_move, moves="observation"))


def play_randomly(env: AECMatch, seed: int, rng: Random) -> tuple[dict[str, float], list[str]]:
    """Play a random match; return the rewards by agent and the moves."""
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
def test_rewards_are_the_lead_over_the_best_opponent(fmt: str) -> None:
    short = f"{fmt}?deals=2"
    for kind in ("deal", "match", "win"):
        env = aec(short, rewards=kind)
        rewards, moves = play_randomly(env, 3, Random(3))
        match = Match(short, seed=env.table.match.seed)
        sides, before, totals = [], match.scores, [0.0] * match.format.seats
        for move in moves:
            match.step(move)
            is_over, sides = match.turn is None, match.view(0)["sides"]
            match.proceed()
            if is_over and kind == "deal":
                gains = [new - old for new, old in zip(match.scores, before, strict=True)]
                before = match.scores
                for seat in range(match.format.seats):
                    totals[seat] += lead(gains, sides, seat)
        result = match.result
        assert result is not None
        for seat in range(match.format.seats):
            if kind == "match":
                totals[seat] = lead(result["scores"], match.format.sides, seat)
            elif kind == "win":
                rank = result["ranks"][match.format.side(seat)]
                totals[seat] = -1 if rank > 1 else int(result["ranks"].count(1) == 1)
        assert list(rewards.values()) == totals
        assert any(totals)


def lead(points: Sequence[int], sides: Sequence[Sequence[int]], seat: int) -> float:
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
    assert env.table.played == [first]
    assert env.rewards == {
        "seat_0": -Format.parse("cassino/standard/1v1").spec.lead_sd[0],
        "seat_1": 0,
    }
    solo_env = solo("cassino/standard/1v1", 0, first_move, rewards="win")
    solo_env.reset(seed=1)
    assert solo_env.step(511)[1:4] == (-1.0, False, False)


def test_the_match_seed_determines_the_cards() -> None:
    env = aec("cassino/standard/1v1")
    env.reset(options={"match_seed": "any text"})
    assert env.infos["seat_0"]["view"] == Match("cassino/standard/1v1", seed="any text").view(0)
    with pytest.raises(ValueError, match="rewards is deal, match or win"):
        aec("cassino/standard/1v1", rewards="points")  # type: ignore[arg-type]


def play_first_moves(env: SoloMatch, seed: int) -> tuple[float, dict[str, Any], list[str]]:
    """Play the first legal moves; return the sum of rewards, the result and all moves."""
    _, info = env.reset(seed=seed)
    total, terminated = 0.0, False
    while not terminated:
        assert info["view"]["to_act"] == env.seat
        _, reward, terminated, _, info = env.step(0)
        total += reward
    return total, info["result"], env.table.match.moves


def test_bots_play_the_other_seats_as_in_a_match(tmp_path: Path) -> None:
    bot = tmp_path / "bot.py"
    bot.write_text(
        "import random\n"
        "class Bot:\n"
        "    def start(self, info): self.events, self.sheets = 0, []; assert info['seat'] == 3\n"
        "    def event(self, event): self.events += 1\n"
        "    def deal(self, sheet): self.sheets.append(sheet)\n"
        "    def choose(self, view, legal):\n"
        "        assert self.events and len(self.sheets) == view['deal']\n"
        "        return random.choice(legal)\n"
    )
    env = solo("cassino/standard/2v2?deals=2", 0, ["house:greedy", "house:random", bot])
    total, result, moves = play_first_moves(env, 5)
    assert total == result["scores"][0] - result["scores"][1]
    assert env.action_masks().sum() == 0
    assert play_first_moves(env, 5) == (total, result, moves)
    assert play_first_moves(env, 6)[2] != moves


def test_bots_get_numbers_of_decisions_that_count_all_seats(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bot.py").write_text("def choose(view, legal):\n    return legal[0]\n")
    numbers = []
    send = InProcessBot.send

    def record(bot: InProcessBot, line: bytes) -> None:
        message = json.loads(line)
        if message["type"] == "move":
            numbers.append(message["n"])
        send(bot, line)

    monkeypatch.setattr(InProcessBot, "send", record)
    env = solo("cassino/standard/2v2?deals=1", 0, [first_move, first_move, tmp_path / "bot.py"])
    play_first_moves(env, 5)
    assert numbers == list(range(3, 48, 4))


def test_matches_with_a_level_of_the_expert_are_repeatable() -> None:
    env = solo("cassino/standard/1v1?deals=1", 0, "house:expert-1")
    assert play_first_moves(env, 5) == play_first_moves(env, 5)


def test_a_resting_seat_has_decisions_only_in_later_deals() -> None:
    fmt = "canasta/classic/3v2-rest"
    resting = next(seat for seat in range(5) if seat not in Match(fmt, seed="0").view(0)["chairs"])
    with pytest.raises(ValueError, match="had no decision"):
        solo(f"{fmt}?deals=1", resting, first_move).reset(seed=1)
    assert solo(f"{fmt}?deals=2", resting, first_move).reset(seed=1)[1]["view"]["deal"] == 1


def test_the_error_of_a_failing_bot_contains_its_name_and_log(tmp_path: Path) -> None:
    bot = tmp_path / "bot.py"
    bot.write_text("def choose(view, legal):\n    raise ArithmeticError('no idea')\n")
    env = solo("cassino/standard/1v1", 1, bot)
    with pytest.raises(RuntimeError, match=r"(?s)bot\.py ended:.*no idea"):
        env.reset(seed=1)
    bot.write_text("def choose(view, legal):\n    return 7\n")
    with pytest.raises(RuntimeError, match=r"bot\.py"):
        solo("cassino/standard/1v1", 1, bot).reset(seed=1)
    with pytest.raises(ValueError, match="needs 1 opponent, or one for all seats; not 2"):
        solo("cassino/standard/1v1", 0, [bot, bot])


def test_without_a_chosen_seat_the_seats_vary() -> None:
    env = solo("cassino/standard/2v2", None, first_move)
    seats = set()
    for seed in range(12):
        observation, info = env.reset(seed=seed)
        assert info["view"]["seat"] == env.seat
        assert observation["action_mask"].sum() == len(info["legal"])
        seats.add(env.seat)
    assert len(seats) > 1


def test_the_option_moves_puts_rows_of_moves_into_the_observation() -> None:
    env, info_env = aec("paks/standard/1v1", moves="observation"), aec("paks/standard/1v1")
    env.reset(seed=2)
    info_env.reset(seed=2)
    agent = env.agent_selection
    observed_rows, info_rows = env.observe(agent)["moves"], info_env.infos[agent]["moves"]
    assert np.array_equal(observed_rows[: len(info_rows)], info_rows)
    assert not observed_rows[len(info_rows) :].any()
    assert env.observation_space(agent).contains(env.observe(agent))
    assert "moves" not in env.infos[agent]
    env_without_rows = aec("paks/standard/1v1", moves="none")
    env_without_rows.reset(seed=2)
    assert "moves" not in env_without_rows.observe(agent) | env_without_rows.infos[agent]


def run_python(program: str) -> str:
    process = subprocess.run(
        [sys.executable, "-c", f"import sys\nsys.path[:0] = ['.', 'platform']\n{program}"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    return process.stdout + process.stderr


HIDE_MODULES = "sys.modules.update(dict.fromkeys(({}), None))\n"


def test_environments_need_no_site() -> None:
    program = HIDE_MODULES.format("'django', 'celery', 'rest_framework', 'redis'") + (
        "from cardroom.env import aec, solo\n"
        "env = solo('cassino/standard/1v1', 0, 'house:random')\n"
        "print(sorted(env.reset(seed=1)[0]))\n"
    )
    assert run_python(program) == "['action_mask', 'observation']\n"


def test_without_its_packages_the_import_error_names_them() -> None:
    program = HIDE_MODULES.format("'pettingzoo',") + "import cardroom.env"
    assert "install pettingzoo and gymnasium" in run_python(program)


def test_a_site_loads_its_celery_application_but_no_environment() -> None:
    program = (
        "import os\nos.environ['DJANGO_SETTINGS_MODULE'] = 'tests.settings'\n"
        "import django\ndjango.setup()\n"
        "import cardroom.urls\nfrom celery import current_app\n"
        "loaded = {'gymnasium', 'pettingzoo', 'cardroom.env'} & set(sys.modules)\n"
        "print(current_app.main, sorted(loaded))\n"
    )
    assert run_python(program).splitlines()[-1] == "cardroom []"


def test_the_examples_of_the_docs_run(capsys: pytest.CaptureFixture[str]) -> None:
    text = (ROOT / "docs" / "17-environments.md").read_text("utf-8")
    pettingzoo, single, vectors, bot = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    exec(pettingzoo, {})
    exec(single, {})
    exec(vectors, {})
    output = capsys.readouterr().out
    assert "'seat_1'" in output
    assert "'winners'" in output
    names: dict[str, Any] = {}
    exec(bot, names)
    match = Match("zwicker/grupp/1v1", seed="docs")
    assert names["choose"](match.view(0), match.legal_moves()) in match.legal_moves()
