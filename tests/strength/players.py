"""Players of measurements: house bots without a sandbox, and the expert with fixed playouts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any, Final, Protocol

from engine import Format, Match
from engine.search import Level, consider, level
from engine.search.expert import Ablation
from tests.seeds.playing import load_module

SEEING: Final = "seeing"
LEVEL_PREFIX: Final = "expert-"


class Contestant(Protocol):
    """A player of `Table`."""

    def event(self, event: Mapping[str, Any]) -> None: ...

    def choose(self, view: Mapping[str, Any], legal: Sequence[str]) -> str: ...


class House:
    """A house bot, without a sandbox."""

    def __init__(self, name: str, fmt: str, seat: int, seed: str) -> None:
        self.bot: Any = load_module(name).Bot()
        clock = {"move_ms": 1000, "bank_ms": 0}
        self.bot.start({"format": fmt, "seat": seat, "rng": f"{seed}-{seat}", "clock": clock})
        self.has_events: bool = hasattr(self.bot, "event")

    def event(self, event: Mapping[str, Any]) -> None:
        if self.has_events:
            self.bot.event(event)

    def choose(self, view: Mapping[str, Any], legal: Sequence[str]) -> str:
        move: str = self.bot.choose(view, legal)
        return move


class Expert:
    """The expert at a level, complete or without some of its parts.

    truth: the match itself, for a player that sees all cards.
    """

    def __init__(
        self, level: Level, ablation: Ablation, seat: int, seed: str, truth: Match | None
    ) -> None:
        self.level, self.ablation, self.truth = level, ablation, truth
        self.rng = Random(f"{seed}-{seat}")
        self.events: list[Mapping[str, Any]] = []

    def event(self, event: Mapping[str, Any]) -> None:
        self.events.append(event)

    def choose(self, view: Mapping[str, Any], legal: Sequence[str]) -> str:
        legal = self.level.moves_considered(legal, self.rng)
        if len(legal) == 1:
            return legal[0]
        estimates = consider(
            *(view, legal, self.rng, self.level.playouts),
            seen=self.events,
            ablation=self.ablation,
            truth=self.truth,
        )
        return estimates[0].move


def player(text: str, fmt: str, seat: int, seed: str, match: Match) -> Contestant:
    """The player of a text such as ``house:NAME`` or ``expert:PLAYOUTS``.

    ``expert:300,flat,plain`` lacks parts that are fields of `Ablation`. ``expert:300,seeing`` sees
    all cards of `match`, which bounds the playing strength. ``expert:300,0.2`` overlooks a fifth of
    its moves. ``house:expert-3`` is the expert at a level.
    """
    kind, _, rest = text.partition(":")
    if kind == "house" and rest.startswith(LEVEL_PREFIX):
        number = int(rest.removeprefix(LEVEL_PREFIX))
        return Expert(level(number, Format.parse(fmt).game), Ablation(), seat, seed, None)
    if kind == "house":
        return House(rest, fmt, seat, seed)
    if kind != "expert":
        raise ValueError(f"A player is house:NAME or expert:PLAYOUTS, not {text!r}.")
    playouts, *options = rest.split(",")
    overlooked_share = sum(float(option) for option in options if option.startswith("0."))
    missing_parts = [
        option for option in options if option != SEEING and not option.startswith("0.")
    ]
    ablation = Ablation(**dict.fromkeys(missing_parts, True))
    custom_level = Level(int(playouts), overlooked_share)
    return Expert(custom_level, ablation, seat, seed, match if SEEING in options else None)
