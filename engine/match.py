"""A match: deals of one game in one format, until it has a result."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import TYPE_CHECKING, Any, cast

from engine import cards
from engine.deals import BaseDeal, digest
from engine.errors import IllegalMove
from engine.events import Event, deep_copy, event_for
from engine.game import Format
from engine.shuffle import check_seed, read_decks, shuffled

if TYPE_CHECKING:
    from engine.game import Deal

Policy = Callable[["Match", Random], int]
"""A player's choice of a move in a playout: one of the codes in `Match.codes`."""


class Match:
    """A match in play: a pure function of format, seed (or decks) and moves.

    Pass either `seed` (any text; each deal is shuffled from it) or `decks` (one list of card texts
    per deal, index 0 on top; the match ends after the last).

    >>> match = Match("cassino/standard/1v1", seed="any text")
    >>> match.turn, match.view(0)["hand"], [item["id"] for item in match.view(0)["table"]]
    (0, ['AS', '7D', '8D', 'QD'], ['AC', '6C', '6S', 'JC'])
    >>> match.legal_moves()[:3]
    ['ASxAC', '7DxAC,6C', 'AS']
    >>> match.play("7DxAC,6C")
    >>> match.turn, match.view(0)["captured"]
    (1, [['AC', '6C', '7D'], []])
    """

    def __init__(
        self,
        fmt: Format | str,
        seed: str | None = None,
        *,
        decks: Sequence[Sequence[str]] | None = None,
        _deal: Deal | None = None,
    ) -> None:
        if isinstance(fmt, str):
            fmt = Format.parse(fmt)
        self.format: Format = fmt
        self.seed: str | None = seed
        self._decks: list[list[int]] | None = None
        self._stop_reason: str = "position"  # why the match ends if there is no further deck
        self._deck_in_play: list[int] = []  # the deck of the deal in play; empty if unknown
        self._moves: list[str] = []
        self._finished_deals: list[tuple[int, int, Mapping[str, Any], list[int]]] = []
        self._result: dict[str, Any] | None = None
        self._legal_moves: list[str] | None = None
        self._quiet: bool = False  # whether this is a sketch
        if _deal is not None:  # for a copy, a position or a view, the deal exists
            self._log: list[Event] = _deal.log
            self._deal: Deal = _deal
            self._base_deal: BaseDeal | None = _as_base_deal(_deal)
            return
        if (seed is None) == (decks is None):
            raise ValueError("A match needs either a seed or decks: Match(fmt, seed='any text').")
        self._stop_reason = "decks"
        if seed is not None:
            check_seed(seed)
        if decks is not None:
            self._decks = read_decks(fmt, decks)
        deck = self._deck(0)
        if deck is None:
            raise ValueError("decks is empty; give one deck for each deal.")
        self._log = []
        self._deck_in_play = deck
        self._deal = fmt.spec.first(fmt, deck, self._log)
        self._base_deal = _as_base_deal(self._deal)
        self.proceed()

    @classmethod
    def from_position(cls, fmt: Format | str, position: Mapping[str, Any]) -> Match:
        """A match that starts from a position, in the form of `state` in the rules' examples.

        If the position has a ``seed``, further deals can follow. Otherwise the match ends with this
        deal (reason ``position``). ValueError names the malformed field.
        """
        if isinstance(fmt, str):
            fmt = Format.parse(fmt)
        if not isinstance(position, Mapping):
            raise ValueError(f"A position is a JSON object, not {position!r:.80}.")  # noqa: TRY004 - bad input is a ValueError by contract
        state = dict(position)
        seed = state.pop("seed", None)
        if seed is not None:
            check_seed(seed)
        try:
            deal = fmt.spec.position(fmt, state, [])
        except (AttributeError, LookupError, TypeError) as error:
            raise ValueError(f"This is not a position of {fmt}: {error!r:.200}.") from error
        return Match(fmt, seed, _deal=deal)

    @classmethod
    def from_view(cls, view: Mapping[str, Any], rng: Random) -> Match:
        """A full match that is consistent with the view of a seat.

        `rng` chooses the hidden cards among the possible ones, and shuffles later deals. The log
        starts empty, and unknown facts (earlier deals' sheets) stay empty. If hidden cards decide
        whether a move is legal (a Canasta pile, CAN-46), the guess may allow other moves.
        ValueError if this is not the view of a seat.
        """
        try:
            fmt = Format.parse(view["format"])
            deal, result = fmt.spec.restore(fmt, view, rng, [])
        except (AttributeError, LookupError, TypeError) as error:
            raise ValueError(
                f"This is not a view of a seat as match.view gives it: {error!r:.200}."
            ) from error
        match = Match(fmt, f"{rng.getrandbits(64):016x}", _deal=deal)
        match._result = result
        return match

    def sample(self, seat: int, rng: Random) -> Match:
        """`from_view` of the current view of `seat`: a guess at the match, for playouts."""
        return Match.from_view(self.view(seat), rng)

    @property
    def turn(self) -> int | None:
        """The seat that must move; None when the match is over, or the deal after `step`."""
        base_deal = self._base_deal
        seat = base_deal.to_act if base_deal is not None else self._deal.to_act
        return None if seat < 0 else seat

    @property
    def scores(self) -> list[int]:
        """The scores so far, by side (by seat if sides form in play)."""
        return self._deal.scores()

    @property
    def moves(self) -> list[str]:
        """The moves made so far, all deals."""
        return list(self._moves)

    def moves_since(self, first: int) -> list[str]:
        """`moves` from index `first` on."""
        return self._moves[first:]

    @property
    def result(self) -> dict[str, Any] | None:
        """The result of the match (`engine.results.result`); None while the match runs."""
        return deep_copy(self._result) if self._result is not None else None

    @property
    def deals(self) -> list[dict[str, Any]]:
        """The finished deals: ``deal`` (number), ``dealer``, ``sheet``, ``deck`` (top card first;
        null if unknown, as for a deal that began with a position)."""
        return self.deals_since(0)

    def deals_since(self, first: int) -> list[dict[str, Any]]:
        """`deals` from index `first` on, which a referee reads after each deal."""
        return [
            {
                "deal": number,
                "dealer": dealer,
                "sheet": deep_copy(sheet),
                "deck": cards.texts(deck) if deck else None,
            }
            for number, dealer, sheet, deck in self._finished_deals[first:]
        ]

    @property
    def truncated(self) -> bool:
        """Whether more moves are legal than `legal_moves` lists."""
        self._legal_list()
        return self._deal.truncated

    def legal_moves(self) -> list[str]:
        """The legal moves in the order of the rules document, at most 512; empty after the end."""
        return self._legal_list()[:]

    def is_legal(self, move: str) -> bool:
        """Whether `move` is legal now, listed or not; a direct test that lists no moves."""
        try:
            self.check(move)
        except IllegalMove:
            return False
        return True

    def check(self, move: str) -> None:
        """Raise IllegalMove, which names the clause, if `move` is not legal now."""
        if self._deal.to_act < 0:
            raise IllegalMove(str(move), "", "the match is over")
        if not isinstance(move, str):
            raise IllegalMove(str(move), "", "a move is text")
        self._deal.check(move)

    def play(self, move: str) -> None:
        """Make a move; IllegalMove, which names the clause, leaves the match unchanged."""
        self.step(move)
        base_deal = self._base_deal
        if (base_deal.to_act if base_deal is not None else self._deal.to_act) < 0:
            self.proceed()

    def step(self, move: str) -> None:
        """Make a move as `play` does, but stop at the end of a deal, before the next one begins.

        So viewers can show the end of a deal. Then `turn` is None until `proceed` is called.
        """
        base_deal = self._base_deal
        if (base_deal.to_act if base_deal is not None else self._deal.to_act) < 0:
            raise IllegalMove(str(move), "", "the match is over")
        if not isinstance(move, str):
            raise IllegalMove(str(move), "", "a move is text")
        if base_deal is not None:
            base_deal.play(move)
        else:
            self._deal.play(move)
        self._legal_moves = None
        if not self._quiet:
            self._moves.append(move)

    def proceed(self) -> None:
        """After `step`: if the deal is over, store it, and deal the next one or end the match."""
        while self._deal.to_act < 0 and self._result is None:
            self._store_deal()
            self._advance()

    # ── for searches ─────────────────────────────────────────────────────────────────────────────

    def codes(self) -> list[int]:
        """`legal_moves` as numbers from 0 to 2**60 - 1, in the same order.

        A move's text has the same code in every position of its format, in every process and on
        every machine, within a version of the game (`Game.version`). So a search tree may use codes
        as keys and be stored. No two moves of a position share a code.
        """
        if self.turn is None:
            return []
        if self._base_deal is not None:
            return self._base_deal.codes()
        return [digest(move) for move in self._legal_list()]

    def code(self, move: str) -> int:
        """The code of a listed move; ValueError if `legal_moves` lacks it."""
        return self.codes()[_index_in(self._legal_list(), move)]

    def spell(self, code: int) -> str:
        """The listed move with this code; ValueError if none has it."""
        return self._legal_list()[_index_in(self.codes(), code)]

    def play_code(self, code: int) -> None:
        """Make the listed move with this code. ValueError leaves the match unchanged."""
        self._play_at(_index_in(self.codes(), code))
        if self.turn is None:
            self.proceed()

    def sketch(self) -> Match:
        """A copy for a search, which is cheaper and plays faster because it records nothing.

        Its `moves` and `events` stay empty; otherwise it equals a `copy`.
        """
        match = Match(self.format, self.seed, _deal=self._deal.copy([]))
        match._log = []
        self._copy_into(match)
        match._quiet = True
        _set_quiet(match._deal, quiet=True)
        return match

    def playout(self, rng: Random, policy: Policy | str | None = None) -> list[int]:
        """Play the deal to its end; returns the match's scores by side after it.

        `policy`: None for uniformly random moves; ``"own"`` for the game's own fast policy, if it
        has one (`BaseDeal.prefer`), in seven of eight moves; or a function that chooses each move.
        A playout records neither moves nor events. It leaves the match at the end of the deal, as
        `step` does, and `proceed` continues from there.
        """
        deal, quiet, log = self._deal, self._quiet, self._deal.log
        self._legal_moves = None
        self._quiet, deal.log = True, []
        _set_quiet(deal, quiet=True)
        try:
            if callable(policy):
                while deal.to_act >= 0:
                    self._play_at(_index_in(self.codes(), policy(self, rng)))
            elif isinstance(deal, BaseDeal):
                deal.play_out(rng, own=policy == "own")
            else:
                while deal.to_act >= 0:
                    deal.play(rng.choice(deal.legal()))
        finally:
            self._quiet, deal.log = quiet, log
            _set_quiet(deal, quiet=quiet)
        return deal.scores()

    def favourite(self, rng: Random) -> int:
        """The code of the move that the game's own fast policy prefers; ValueError at the end.

        Among equal moves it is random; in a game without a policy, every move is equal.
        """
        codes = self.codes()
        if not codes:
            raise ValueError("The deal is over: there is no move to prefer.")
        if isinstance(self._deal, BaseDeal):
            return codes[self._deal.prefer(rng.random)]
        return rng.choice(codes)

    def _play_at(self, place: int) -> None:
        """`step` with the move at an index of the list."""
        deal = self._base_deal
        if not self._quiet or deal is None:
            self.step(self._legal_list()[place])
            return
        deal.play_at(place)
        self._legal_moves = None

    # ── views, events ────────────────────────────────────────────────────────────────────────────

    def view(self, seat: int | None) -> dict[str, Any]:
        """The knowledge of `seat`, as a new JSON-like dict.

        None: the view of spectators after the end. It has the same keys, with ``seat`` null and
        ``hand`` empty, and also ``hands`` (by seat) and ``stock_cards`` (top first).
        """
        if seat is None:
            return cast("dict[str, Any]", self._deal.view(-1))
        base_deal = self._base_deal
        seats = len(base_deal.hands) if base_deal is not None else self.format.seats
        if not 0 <= seat < seats:
            raise ValueError(f"There is no seat {seat}; seats are 0 to {seats - 1}.")
        if base_deal is not None:
            return cast("dict[str, Any]", base_deal.view(seat))
        return cast("dict[str, Any]", self._deal.view(seat))

    def events(self, seat: int | None, since: int = 0) -> list[dict[str, Any]]:
        """The log from index `since` on, each event a dict with a ``type``, as `seat` sees it.

        None: as spectators see it after the end, with the hidden parts of all seats.
        """
        return [event_for(event, seat) for event in self._log[since:]]

    @property
    def logged(self) -> int:
        """The number of events in the log."""
        return len(self._log)

    def logged_since(self, since: int) -> list[Event]:
        """The log from index `since` on, with the hidden parts of all seats."""
        return self._log[since:]

    def copy(self) -> Match:
        """An independent copy; cheap."""
        if self._quiet:
            return self.sketch()
        match = Match(self.format, self.seed, _deal=self._deal.copy(self._log[:]))
        self._copy_into(match)
        match._moves = self._moves[:]
        return match

    def _copy_into(self, match: Match) -> None:
        """Copy the state that a copy and a sketch have in common."""
        match._decks = self._decks
        match._stop_reason = self._stop_reason
        match._deck_in_play = self._deck_in_play
        match._finished_deals = self._finished_deals[:]
        match._result = self._result
        match._legal_moves = self._legal_moves

    def _legal_list(self) -> list[str]:
        if self._legal_moves is None:
            base_deal = self._base_deal
            if base_deal is not None:
                self._legal_moves = base_deal.legal() if base_deal.to_act >= 0 else []
            else:
                self._legal_moves = self._deal.legal() if self._deal.to_act >= 0 else []
        return self._legal_moves

    def _deck(self, number: int) -> list[int] | None:
        """The deck of a deal, top first; None if no deal can follow."""
        if self._decks is not None:
            return self._decks[number] if number < len(self._decks) else None
        if self.seed is None:
            return None
        return shuffled(self.format.spec.pack(self.format), self.seed, number)

    def _store_deal(self) -> None:
        deal = self._deal
        self._finished_deals.append((deal.number, deal.dealer, deal.sheet(), self._deck_in_play))

    def _advance(self) -> None:
        """Continue from a finished deal to the result or to the next deal."""
        deck = self._deck(self._deal.number + 1)
        self._result = self._deal.result("" if deck is not None else self._stop_reason)
        if self._result is None:
            assert deck is not None  # noqa: S101 - `Deal.result` gives a result if there is no deck
            self._deck_in_play = deck
            self._deal = self._deal.next(deck)
            self._base_deal = _as_base_deal(self._deal)


def _as_base_deal(deal: object) -> BaseDeal | None:
    """The deal, if it is a `BaseDeal`, whose compiled methods are fast to call; else None."""
    return deal if isinstance(deal, BaseDeal) else None


def _set_quiet(deal: Deal, *, quiet: bool) -> None:
    """Set whether this deal may skip logging."""
    if isinstance(deal, BaseDeal):
        deal.quiet = quiet


def _index_in(options: Sequence[int | str], move: int | str) -> int:
    """The index of a code or a text in a list; ValueError if it is missing."""
    try:
        return options.index(move)
    except ValueError:
        raise ValueError(f"{move!r:.80} is not among the listed moves.") from None
