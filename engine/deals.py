"""State and methods that the deals of all games share: seats, hands, a stock, the log."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from hashlib import blake2b
from random import Random
from typing import TYPE_CHECKING, Any, Final

from engine.cards import TEXT, texts
from engine.events import Event

if TYPE_CHECKING:
    from engine.game import Format
    from engine.json_types import Heading

LISTED: Final = 512
"""Maximum number of listed moves (docs/rules/README.md, "Moves")."""

CODES: Final = (1 << 60) - 1
"""The largest code of a move: it fits in a machine word, and so does the sum of four codes."""

_STRAY: Final = 0.125  # share of random moves in a playout by the game's own policy


@lru_cache(maxsize=1 << 16)
def digest(text: str) -> int:
    """The code of a text, equal on every machine forever; collisions are very unlikely.

    >>> digest("draw") == digest("draw") <= CODES, digest("draw") == digest("pass")
    (True, False)
    """
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "big") & CODES


def random_index(rand: Callable[[], float], count: int) -> int:
    """A random index of a list of `count` items. (Compiled code is faster with float(count).)"""
    return int(rand() * float(count))


class BaseRules:
    """Data that a game derives once from a format; it never changes. Each game adds its own."""

    def __init__(self, fmt: Format) -> None:
        self.text: str = str(fmt)
        self.seats: int = fmt.seats
        self.sides: list[list[int]] = [list(side) for side in fmt.sides]
        self.side_of: list[int] = [fmt.side(seat) for seat in range(fmt.seats)]
        self.deals: int = fmt.number("deals")
        self.target: int = fmt.number("target")


class BaseDeal:
    """The state that all games share. Cards are integers; lists are indexed by seat.

    A game's deal adds its own state and the methods of `engine.game.Deal`.
    """

    __slots__ = (
        "dealer",
        "hands",
        "log",
        "number",
        "quiet",
        "stock",
        "stock_at",
        "to_act",
        "truncated",
        "turn",
    )

    def __init__(self, seats: int, log: list[Event]) -> None:
        self.log: list[Event] = log
        self.quiet: bool = False  # nobody reads the log, so frequent events are omitted
        self.number: int = 0
        self.dealer: int = seats - 1
        self.turn: int = 0
        self.to_act: int = 0
        self.truncated: bool = False
        self.hands: list[list[int]] = [[] for _ in range(seats)]
        self.stock: list[int] = []  # copies of the deal share this list, so it never changes
        self.stock_at: int = 0  # the index of its top card

    @property
    def stock_left(self) -> int:
        """The number of cards left in the stock."""
        return len(self.stock) - self.stock_at

    def follow(self, previous: BaseDeal) -> None:
        """Set the number and the dealer of the deal that follows `previous`.

        The next seat clockwise deals.
        """
        self.number = previous.number + 1
        self.quiet = previous.quiet
        self.dealer = (previous.dealer + 1) % len(self.hands)

    def copy_base(self, other: BaseDeal) -> None:
        """Copy the shared state to `other`, which has its own log; the copies share only immutable
        data."""
        other.number = self.number
        other.quiet = self.quiet
        other.dealer = self.dealer
        other.turn = self.turn
        other.to_act = self.to_act
        other.truncated = self.truncated
        other.hands = [hand[:] for hand in self.hands]
        other.stock = self.stock
        other.stock_at = self.stock_at

    # ── moves by their index in the list ─────────────────────────────────────────────────────────

    def legal(self) -> list[str]:
        raise NotImplementedError

    def play(self, move: str) -> None:
        raise NotImplementedError

    def count(self) -> int:
        """The number of moves in `legal`.

        Games override this and the next methods so that playouts need no texts of moves.
        """
        return len(self.legal())

    def play_at(self, place: int) -> None:
        """Make the move at an index of the list."""
        self.play(self.legal()[place])

    def codes(self) -> list[int]:
        """The codes of the moves in the list's order (`Match.codes`)."""
        return [digest(move) for move in self.legal()]

    def prefer(self, rand: Callable[[], float]) -> int:
        """The index of a move by the game's own fast policy; by default, a random move."""
        return random_index(rand, self.count())

    def play_own(self, rand: Callable[[], float]) -> None:
        """Make the move that `prefer` chooses, or a similar one, without listing all moves."""
        self.play_at(self.prefer(rand))

    def play_out(self, rng: Random, *, own: bool) -> int:
        """Play to the end of the deal, and return the number of moves.

        `own`: whether to use the game's own policy for most moves; otherwise moves are random.
        """
        rand = rng.random
        count = 0
        while self.to_act >= 0:
            count += 1
            if own and rand() >= _STRAY:
                self.play_own(rand)
            else:
                self.play_at(random_index(rand, self.count()))
        return count

    # ── events and views ─────────────────────────────────────────────────────────────────────────

    def own_hands(self) -> dict[int, dict[str, Any]]:
        """The hidden parts of the event of a new deal: each seat sees its own hand."""
        return {seat: {"hand": self.hand_of(seat)} for seat in range(len(self.hands))}

    def log_end(self, result: dict[str, Any] | None) -> dict[str, Any] | None:
        """Log the end of the match, unless `result` is None; return `result`."""
        if result is not None:
            self.log.append(("end", {"result": result}, None))
        return result

    def heading(self, game: str, text: str, sides: Sequence[Sequence[int]], seat: int) -> Heading:
        """The first fields of a view. `text`: the format's code. `seat`: -1 for spectators."""
        is_over = self.to_act < 0
        return {
            "game": game,
            "format": text,
            "seat": None if seat < 0 else seat,
            "sides": [list(side) for side in sides],
            "deal": self.number,
            "dealer": self.dealer,
            "turn": None if is_over else self.turn,
            "to_act": None if is_over else self.to_act,
        }

    def view(self, seat: int) -> Any:
        """The view of `seat`, or of spectators (-1), as a new JSON-like dict."""
        raise NotImplementedError

    def hand_of(self, seat: int) -> list[str]:
        """The hand in a seat's view; empty for spectators (seat -1)."""
        return [] if seat < 0 else [TEXT[card] for card in self.hands[seat]]

    def show_all(self, view: Heading) -> None:
        """Add all hands and the stock, its top card first, to a spectators' view."""
        view["hands"] = [texts(hand) for hand in self.hands]
        view["stock_cards"] = texts(self.stock[self.stock_at :])
