"""A game that is assembled from the functions of its modules, like all built-in games."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol

from engine.game import Deal, Format, Game, Telling

if TYPE_CHECKING:
    from engine.events import Event
    from engine.move_parts import Composer
    from engine.score_sheet import ScoreLine


class NewDeal(Deal, Protocol):
    """A deal whose cards have not been dealt."""

    def start(self, deck: Sequence[int]) -> None:
        """Deal from `deck` (index 0 is the top), and perform all steps without a choice."""
        ...


class Assembly(NamedTuple):
    """The functions that make up a built-in game. Most get `Format.rules` as first argument."""

    rules: Callable[[Format], Any]
    deal: Callable[[Any, list[Event]], NewDeal]  # rules, log: the first deal of a match
    from_state: Callable[[Any, Mapping[str, Any], list[Event]], Deal]
    restore: Callable[
        [Any, Mapping[str, Any], Random, list[Event]], tuple[Deal, dict[str, Any] | None]
    ]
    tell: Callable[[Format, Event], Telling]
    tally: Callable[[Any, Mapping[str, Any]], list[ScoreLine]]
    composer: Callable[[Any, Mapping[str, Any], Sequence[str]], Composer]


class AssembledGame(Game):
    """A game whose methods call the functions of its `assembly`."""

    assembly: ClassVar[Assembly]
    open_moves: ClassVar[bool] = True

    def piles(self, view: Mapping[str, Any]) -> Sequence[Sequence[str]]:
        """The piles of a spectators' view, except hands and stock."""
        raise NotImplementedError

    def cards(self, view: Mapping[str, Any]) -> list[str]:
        piles = [*view["hands"], view["stock_cards"], *self.piles(view)]
        return [card for pile in piles for card in pile]

    def rules(self, fmt: Format) -> Any:
        return self.assembly.rules(fmt)

    def first(self, fmt: Format, deck: Sequence[int], log: list[Event]) -> Deal:
        deal = self.assembly.deal(fmt.rules, log)
        deal.start(deck)
        return deal

    def position(self, fmt: Format, state: Mapping[str, Any], log: list[Event]) -> Deal:
        return self.assembly.from_state(fmt.rules, state, log)

    def restore(
        self, fmt: Format, view: Mapping[str, Any], rng: Random, log: list[Event]
    ) -> tuple[Deal, dict[str, Any] | None]:
        return self.assembly.restore(fmt.rules, view, rng, log)

    def tell(self, fmt: Format, event: Event) -> Telling:
        return self.assembly.tell(fmt, event)

    def composer(self, fmt: Format, view: Mapping[str, Any], names: Sequence[str]) -> Composer:
        return self.assembly.composer(fmt.rules, view, names)

    def tally(self, fmt: Format, view: Mapping[str, Any]) -> list[ScoreLine]:
        return self.assembly.tally(fmt.rules, view)
