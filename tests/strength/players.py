"""Who plays: house bots called directly, and the expert with a fixed number of playouts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any, Final, Protocol

from engine import Format, Match
from engine.search import Level, consider, level
from engine.search.expert import Ablation
from tests.seeds.playing import module

SEEING: Final = "seeing"
LEVELED: Final = "expert-"


class Player(Protocol):
    """What the games below ask of a player."""

    def event(self, event: Mapping[str, Any]) -> None: ...

    def choose(self, view: Mapping[str, Any], legal: Sequence[str]) -> str: ...


class House:
    """A house bot, without a sandbox."""

    def __init__(self, name: str, fmt: str, seat: int, seed: str) -> None:
        self.bot: Any = module(name).Bot()
        clock = {"move_ms": 1000, "bank_ms": 0}
        self.bot.start({"format": fmt, "seat": seat, "rng": f"{seed}-{seat}", "clock": clock})
        self.listens: bool = hasattr(self.bot, "event")

    def event(self, event: Mapping[str, Any]) -> None:
        if self.listens:
            self.bot.event(event)

    def choose(self, view: Mapping[str, Any], legal: Sequence[str]) -> str:
        move: str = self.bot.choose(view, legal)
        return move


class Expert:
    """The expert at some level, whole or without some of its parts.

    `truth`: the match itself, for a player who sees all cards.
    """

    def __init__(
        self, level: Level, ablation: Ablation, seat: int, seed: str, truth: Match | None
    ) -> None:
        self.level, self.ablation, self.truth = level, ablation, truth
        self.rng = Random(f"{seed}-{seat}")
        self.seen: list[Mapping[str, Any]] = []

    def event(self, event: Mapping[str, Any]) -> None:
        self.seen.append(event)

    def choose(self, view: Mapping[str, Any], legal: Sequence[str]) -> str:
        legal = self.level.notices(legal, self.rng)
        if len(legal) == 1:
            return legal[0]
        found = consider(
            *(view, legal, self.rng, self.level.playouts),
            seen=self.seen,
            ablation=self.ablation,
            truth=self.truth,
        )
        return found[0].move


def player(text: str, fmt: str, seat: int, seed: str, match: Match) -> Player:
    """The player written ``house:NAME`` or ``expert:PLAYOUTS``, then parts to leave out.

    ``expert:300,flat,plain``: the parts are fields of `Ablation`. ``expert:300,seeing`` sees all
    cards of `match`, for a bound of playing strength. ``expert:300,0.2`` overlooks a fifth of its
    moves. ``house:expert-3`` is the expert at a level.
    """
    kind, _, rest = text.partition(":")
    if kind == "house" and rest.startswith(LEVELED):
        number = int(rest.removeprefix(LEVELED))
        return Expert(level(number, Format.parse(fmt).game), Ablation(), seat, seed, None)
    if kind == "house":
        return House(rest, fmt, seat, seed)
    if kind != "expert":
        raise ValueError(f"A player is house:NAME or expert:PLAYOUTS, not {text!r}.")
    playouts, *more = rest.split(",")
    overlooks = sum(float(part) for part in more if part.startswith("0."))
    left_out = [part for part in more if part != SEEING and not part.startswith("0.")]
    ablation = Ablation(**dict.fromkeys(left_out, True))
    of_its_own = Level(int(playouts), overlooks)
    return Expert(of_its_own, ablation, seat, seed, match if SEEING in more else None)
