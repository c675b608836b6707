"""A format as an environment of PettingZoo: each seat is an agent."""

from __future__ import annotations

from operator import index
from random import Random
from typing import Any

from gymnasium import spaces
from pettingzoo import AECEnv

from cardroom.env.encoded_match import ACTIONS, EncodedMatch, Moves, Observation, Rewards
from engine.game import Format


def aec(fmt: Format | str, *, rewards: Rewards = "deal", moves: Moves = "info") -> AECMatch:
    """An environment in which every seat of the format is an agent, ``seat_0`` and so on.

    rewards: ``deal`` (after each deal, its points minus those of the best opponent), ``match``
    (at the end, the score minus that of the best opponent) or ``win`` (1 for a win, 0 for a shared
    win, else -1). moves: whether the rows of the legal moves are in the ``info``, in the
    ``observation`` (with zeros for absent moves), or nowhere (``none``).
    """
    return AECMatch(fmt, rewards, moves)


class AECMatch(AECEnv[str, Observation, int]):
    metadata = {"name": "cardroom", "render_modes": [], "is_parallelizable": False}

    def __init__(self, fmt: Format | str, rewards: Rewards, moves: Moves) -> None:
        super().__init__()
        self.table = EncodedMatch(fmt, rewards, moves, log=False)
        self.metadata = {**self.metadata, "name": str(self.table.format)}
        self.render_mode = None
        self.possible_agents = [f"seat_{seat}" for seat in range(self.table.format.seats)]
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self.observation_spaces = dict.fromkeys(self.possible_agents, self.table.observation_space)
        self.action_spaces = {agent: spaces.Discrete(ACTIONS) for agent in self.possible_agents}
        self._rng = Random()
        self._legal: list[str] = []

    def observation_space(self, agent: str) -> spaces.Space[Observation]:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a match. The option `match_seed` chooses its cards."""
        if seed is not None:
            self._rng = Random(index(seed))
        self.table.start(self._rng, options)
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._has_rewards = False  # whether the last move earned rewards
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = self.agents[0]
        self._select_agent()

    def observe(self, agent: str) -> Observation:
        """The observation of any agent; its mask is empty unless it is the agent's turn."""
        if agent == self.agent_selection and self._legal:
            return self.table.observation(self._view, self._legal)
        return self.table.observation(self.table.match.view(self._seats[agent]), [])

    def step(self, action: int | None) -> None:
        """Play the legal move number `action`.

        Any other number costs a penalty, and the first legal move is played.
        """
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        if action is None:
            raise ValueError(f"{agent} must choose a move: None is for agents whose match is over.")
        self._cumulative_rewards[agent] = 0.0
        rewards = self.table.act(int(action), self._legal)
        self.infos[agent] = {}
        if rewards is not self.table.no_rewards or self._has_rewards:
            self.rewards = dict(zip(self.agents, rewards, strict=True))
            self._accumulate_rewards()
            self._has_rewards = rewards is not self.table.no_rewards
        self._select_agent()

    def _select_agent(self) -> None:
        """Select the agent whose turn it is, and fill its info; at the end, fill all infos."""
        match = self.table.match
        seat = match.turn
        if seat is not None:
            self.agent_selection = self.agents[seat]
            self._view, self._legal = match.view(seat), match.legal_moves()
            self.infos[self.agent_selection] = self.table.info(self._view, self._legal)
            return
        self._legal = []
        self.terminations = dict.fromkeys(self.agents, True)
        for agent in self.agents:
            self.infos[agent] = self.table.info(match.view(self._seats[agent]), [])
        self.agent_selection = self.agents[0]
