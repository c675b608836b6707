"""A match with observations, rewards and actions, for both environments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any, Final, Literal

import numpy as np
from gymnasium import spaces

from engine.deals import LISTED
from engine.encoding import encoding_of
from engine.game import Format
from engine.match import Match

ACTIONS: Final = LISTED
"""The number of actions: action n plays the n-th legal move."""

_FLOAT32: Final = np.dtype(np.float32)
_MASKS: Final = list(np.tri(ACTIONS + 1, ACTIONS, -1, np.int8))  # row n: n ones, then zeros

Rewards = Literal["deal", "match", "win"]
Moves = Literal["info", "observation", "none"]
Observation = dict[str, Any]


class EncodedMatch:
    """A match in play. Rewards are by seat.

    `rewards` and `moves`: as in `aec`. `infos`: whether infos contain more than the result. `log`:
    whether the match records its events and moves, which bots need; `played` has the moves anyway.
    """

    def __init__(
        self,
        fmt: Format | str,
        rewards: Rewards,
        moves: Moves,
        *,
        infos: bool = True,
        log: bool = True,
    ) -> None:
        if rewards not in ("deal", "match", "win"):
            raise ValueError(f"rewards is deal, match or win, not {rewards!r}.")
        if moves not in ("info", "observation", "none"):
            raise ValueError(f"moves is info, observation or none, not {moves!r}.")
        self.format = Format.parse(fmt) if isinstance(fmt, str) else fmt
        self.encoding = encoding_of(self.format)
        self.rewards = rewards
        self.moves = moves
        self.infos = infos
        self.log = log
        self.played: list[str] = []
        self._new_match("0")
        self.penalty = -1.0
        if rewards != "win":
            # As bad as a lead of one standard deviation for an opponent.
            self.penalty = -self.format.spec.lead_sd[self.format.seats > 2]
        self._width = len(self.encoding.move_names)
        self.no_rewards = [0.0] * self.format.seats
        """The rewards of a move that earns none; always the same list, never changed."""

    def __getstate__(self) -> dict[str, Any]:
        # Compiled matches cannot be pickled, so `__setstate__` plays their moves again.
        return {
            "settings": (str(self.format), self.rewards, self.moves),
            "infos": self.infos,
            "log": self.log,
            "seed": self.match.seed,
            "played": self.played,
            "scores": self._scores,
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        EncodedMatch.__init__(self, *state["settings"], infos=state["infos"], log=state["log"])
        self._new_match(state["seed"])
        self.played = state["played"][:]
        for move in self.played:
            self.match.play(move)
        self._scores = state["scores"]

    @property
    def observation_space(self) -> spaces.Dict:
        boxes = {"observation": self._box(len(self.encoding.names))}
        if self.moves == "observation":
            boxes["moves"] = self._box(ACTIONS, self._width)
        return spaces.Dict({**boxes, "action_mask": spaces.Box(0, 1, (ACTIONS,), np.int8)})

    @staticmethod
    def _box(*shape: int) -> spaces.Box:
        return spaces.Box(-1.0, 1.0, shape, np.float32)

    def start(self, rng: Random, options: Mapping[str, Any] | None) -> None:
        """Deal a new match; its seed is the option `match_seed`, or else drawn from `rng`."""
        random_seed = f"{rng.getrandbits(64):016x}"
        seed = (options or {}).get("match_seed", random_seed)
        if not isinstance(seed, str):
            raise TypeError(f"The option match_seed is text, not {seed!r}.")
        self._new_match(seed)

    def _new_match(self, seed: str) -> None:
        match = Match(self.format, seed=seed)
        self.match = match if self.log else match.sketch()
        self.played = []
        self._scores = match.scores

    def observation(self, view: Mapping[str, Any], legal: Sequence[str]) -> Observation:
        """The observation of a seat with this view. `legal`: empty unless it is the seat's turn."""
        observation: Observation = {
            "observation": np.frombuffer(self.encoding.observe(view), _FLOAT32),
            "action_mask": _MASKS[len(legal)].copy(),
        }
        if self.moves == "observation":
            rows = observation["moves"] = np.zeros((ACTIONS, self._width), np.float32)
            rows[: len(legal)] = self.rows(view, legal)
        return observation

    def rows(self, view: Mapping[str, Any], legal: Sequence[str]) -> np.ndarray[Any, Any]:
        """One row for each legal move (`Encoding.describe`)."""
        return np.frombuffer(self.encoding.describe(view, legal), _FLOAT32).reshape(
            len(legal), self._width
        )

    def info(self, view: Mapping[str, Any], legal: Sequence[str]) -> dict[str, Any]:
        """`view` and `legal` as a bot gets them, `moves` (`rows`) if the setting is `info`, and at
        the end the `result`. Without `infos`, only the result."""
        info: dict[str, Any] = {"view": view, "legal": legal} if self.infos else {}
        if self.infos and self.moves == "info":
            info["moves"] = self.rows(view, legal)
        if not legal and self.match.turn is None:
            info["result"] = self.match.result
        return info

    def act(self, action: int, legal: Sequence[str]) -> list[float]:
        """Play the legal move number `action`; returns the rewards.

        Any other number costs a penalty, and the first legal move is played.
        """
        if not legal:
            raise ValueError("The match is over, or has not begun: call reset.")
        if 0 <= action < len(legal):
            return self.play(legal[action])
        seat = self.match.turn
        return self._with_penalty(seat, self.play(legal[0]))

    def _with_penalty(self, seat: int | None, rewards: list[float]) -> list[float]:
        return [reward + self.penalty * (s == seat) for s, reward in enumerate(rewards)]

    def play(self, move: str) -> list[float]:
        """Play a move; returns the rewards."""
        match = self.match
        match.step(move)
        self.played.append(move)
        return self.no_rewards if match.turn is not None else self._end_deal()

    def _end_deal(self) -> list[float]:
        """Begin the next deal, or end the match; returns the rewards."""
        match = self.match
        sides = match.view(0)["sides"]  # in some formats, the next deal has others
        match.proceed()
        result = match.result
        if self.rewards == "deal":
            before, self._scores = self._scores, match.scores
            points = [new - old for new, old in zip(self._scores, before, strict=True)]
            return leads(points, sides)
        if result is None:
            return self.no_rewards
        if self.rewards == "match":
            return leads(result["scores"], self.format.sides)
        win = 0.0 if len(result["winners"]) > 1 else 1.0
        return [
            win if self.format.side(seat) in result["winners"] else -1.0
            for seat in range(self.format.seats)
        ]


def leads(points: Sequence[int], sides: Sequence[Sequence[int]]) -> list[float]:
    """By seat, its side's points minus those of the best opponent.

    `points`: by side, or by seat where sides form in play.

    >>> leads([5, 3], [[0, 2], [1, 3]]), leads([5, 3, 9], [[0], [1, 2]])
    ([2.0, -2.0, 2.0, -2.0], [-4.0, -2.0, 4.0])
    """
    side_of = {seat: side for side, seats in enumerate(sides) for seat in seats}
    by_side = len(points) == len(sides)
    by_seat = [points[side_of[seat] if by_side else seat] for seat in sorted(side_of)]
    return [
        float(own - max(by_seat[other] for other in side_of if side_of[other] != side_of[seat]))
        for seat, own in enumerate(by_seat)
    ]
