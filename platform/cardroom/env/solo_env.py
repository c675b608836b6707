"""A format as an environment of Gymnasium: bots play all seats but one."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from random import Random
from types import CodeType
from typing import TYPE_CHECKING, Any, Final, Protocol

import gymnasium
from gymnasium import spaces
from gymnasium.utils import EzPickle

from cardroom.env.encoded_match import ACTIONS, EncodedMatch, Moves, Observation, Rewards
from engine.english import count_of
from engine.game import Format
from engine.match import Match

if TYPE_CHECKING:
    from bots.schemas.messages import Times

Choose = Callable[[Mapping[str, Any], Sequence[str]], str]
Opponent = str | Path | Choose
"""`house:NAME`, the path of a Python bot, or a function that chooses one of the legal moves."""

_CLOCK: Final[Times] = {"move_ms": 1_000, "bank_ms": 20_000}
_MAX_TRIES: Final = 50  # matches dealt to find one in which the seat has a decision


def solo(
    fmt: Format | str,
    seat: int | None = 0,
    opponents: Opponent | Sequence[Opponent] = "house:random",
    *,
    rewards: Rewards = "deal",
    moves: Moves = "info",
    infos: bool = True,
) -> SoloMatch:
    """An environment in which the agent plays `seat` (None: a random seat in each match).

    opponents: one for all other seats, partners included, or one for each in the order of seats.
    Bots run in this process, without isolation and time limits. For `rewards` and `moves` see
    `aec`. infos: False leaves only the `result` in the infos, because Gymnasium's vector
    environments cannot merge the views of several matches.
    """
    return SoloMatch(fmt, seat, opponents, rewards, moves, infos=infos)


class SoloMatch(gymnasium.Env[Observation, int], EzPickle):
    """The environment that `solo` creates.

    A copy (pickle or deepcopy) has the same settings, but no match: call its `reset` first.
    """

    metadata = {"render_modes": []}

    def __init__(
        self,
        fmt: Format | str,
        seat: int | None,
        opponents: Opponent | Sequence[Opponent],
        rewards: Rewards,
        moves: Moves,
        *,
        infos: bool = True,
    ) -> None:
        EzPickle.__init__(self, str(fmt), seat, opponents, rewards, moves, infos=infos)
        self.table = EncodedMatch(fmt, rewards, moves, infos=infos)
        seats = self.table.format.seats
        if seat is not None and not 0 <= seat < seats:
            raise ValueError(f"There is no seat {seat}; seats are 0 to {seats - 1}.")
        if isinstance(opponents, (str, Path)) or callable(opponents):
            opponents = [opponents] * (seats - 1)
        if len(opponents) != seats - 1:
            others = count_of(seats - 1, "opponent")
            raise ValueError(f"{fmt} needs {others}, or one for all seats; not {len(opponents)}.")
        self.opponents = [
            FunctionPlayer(opponent) if callable(opponent) else BotPlayer(opponent)
            for opponent in opponents
        ]
        self._fixed_seat = seat
        self.seat = seat or 0
        self._legal: list[str] = []
        self._reward = 0.0
        self.observation_space = self.table.observation_space
        self.action_space: spaces.Space[Any] = spaces.Discrete(ACTIONS)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin a match, and let the others play up to the agent's first decision.

        The option `match_seed` chooses the cards.
        """
        super().reset(seed=seed)
        for _ in range(_MAX_TRIES):
            rng = Random(int(self.np_random.integers(1 << 62)))
            self.table.start(rng, options)
            seats = self.table.format.seats
            self.seat = rng.randrange(seats) if self._fixed_seat is None else self._fixed_seat
            others = [seat for seat in range(seats) if seat != self.seat]
            self._players = dict(zip(others, self.opponents, strict=True))
            for seat, player in self._players.items():
                player.start(self.table.match, seat)
            self._reward = 0.0
            self._let_others_play()
            if self.table.match.turn is not None:
                return self._observe()
        raise ValueError(
            f"Seat {self.seat} had no decision in {_MAX_TRIES} matches. Perhaps it is a resting "
            "seat; choose another seat."
        )

    def step(self, action: int) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Play the legal move number `action`, and let the others play.

        Any other number costs a penalty, and the first legal move is played. The reward is the sum
        of the seat's rewards since its last decision.
        """
        self._reward += self.table.act(int(action), self._legal)[self.seat]
        self._let_others_play()
        reward, self._reward = self._reward, 0.0
        observation, info = self._observe()
        return observation, reward, self.table.match.turn is None, False, info

    def action_masks(self) -> Any:
        """The mask of the current decision, for learners that call this method."""
        return self._observe()[0]["action_mask"].astype(bool)

    def _let_others_play(self) -> None:
        match = self.table.match
        while match.turn not in (None, self.seat):
            move = self._players[match.turn].choose(match)
            self._reward += self.table.play(move)[self.seat]

    def _observe(self) -> tuple[Observation, dict[str, Any]]:
        view, self._legal = self.table.match.view(self.seat), self.table.match.legal_moves()
        return self.table.observation(view, self._legal), self.table.info(view, self._legal)


class SeatPlayer(Protocol):
    """A player of a seat, for one match after another."""

    def start(self, match: Match, seat: int) -> None: ...

    def choose(self, match: Match) -> str: ...


class FunctionPlayer:
    def __init__(self, function: Choose) -> None:
        self._choose = function

    def start(self, match: Match, seat: int) -> None:  # noqa: ARG002 - `SeatPlayer` has it
        self._seat = seat

    def choose(self, match: Match) -> str:
        return self._choose(match.view(self._seat), match.legal_moves())


class BotPlayer:
    """A bot in this process, which gets the same messages as in a sandbox."""

    def __init__(self, bot: str | Path) -> None:
        from bots.referee.house import find
        from bots.referee.in_process import unpack

        self._name = str(bot)
        self._program = find(bot).program()
        if self._program.command is not None:
            raise ValueError(
                f"{bot} has a command in its manifest, so it needs a process of its own. Only "
                "Python bots can play in this process."
            )
        self._folder = tempfile.TemporaryDirectory(prefix="cardroom-env-")
        unpack(self._program, Path(self._folder.name))
        self._code: dict[Path, CodeType] = {}

    def start(self, match: Match, seat: int) -> None:
        from bots.referee.in_process import InProcessBot
        from bots.referee.protocol import start_line
        from bots.referee.turns import seat_rng
        from bots.sandbox import Limits

        limits = Limits(cpu_s=1 << 30, output_bytes=1 << 40)
        self._bot = InProcessBot(Path(self._folder.name), self._program, limits, self._code)
        self._seat, self._events, self._deals = seat, 0, 0
        fmt = match.format
        self._ask(
            start_line(
                format_text=str(fmt),
                seat=seat,
                sides=fmt.sides,
                players=[f"seat {number}" for number in range(fmt.seats)],
                clock=_CLOCK,
                rng=seat_rng(match.seed or "", seat),
            )
        )

    def choose(self, match: Match) -> str:
        from bots.referee.protocol import deal_line, move_line, parse_answer

        for deal in match.deals_since(self._deals):
            self._bot.send(deal_line(deal["deal"], deal["dealer"], deal["sheet"]))
            self._deals += 1
        line = self._ask(
            move_line(
                len(match.moves),
                match.view(self._seat),
                match.legal_moves(),
                match.events(self._seat, self._events),
                truncated=match.truncated,
                bank_ms=_CLOCK["bank_ms"],
            )
        )
        self._events = match.logged
        answer = parse_answer(line)
        if answer is None:
            raise RuntimeError(f"{self._name} answered {line!r:.200}, which is no move.")
        return answer.move

    def _ask(self, message: bytes) -> bytes:
        from bots.sandbox import SeatClosed

        self._bot.send(message)
        try:
            return self._bot.answer(1 << 62)[0]
        except SeatClosed:
            log = self._bot.stderr().decode(errors="replace")
            raise RuntimeError(f"{self._name} ended:\n{log}") from None
