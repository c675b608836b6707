"""A match: deals of one game in one format, until it has a result."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import TYPE_CHECKING, Any

from engine import cards
from engine.deals import BaseDeal, digest
from engine.errors import IllegalMove
from engine.events import Event, event_for, fresh
from engine.game import Format
from engine.shuffle import check_seed, read_decks, shuffled

if TYPE_CHECKING:
    from engine.game import Deal

Policy = Callable[["Match", Random], int]
"""Which move a player makes in a playout: its code, one of `Match.codes`."""


class Match:
    """A match in play: a pure function of format, seed (or decks) and moves.

    Give either `seed` (any text; each deal is shuffled from it) or `decks` (one list of card texts
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
        self._stop: str = "position"  # why no deal follows when there is no deck for it
        self._dealt: list[int] = []  # the deck of the deal in play; empty if that is not known
        self._moves: list[str] = []
        self._past: list[tuple[int, int, dict[str, Any], list[int]]] = []
        self._result: dict[str, Any] | None = None
        self._listed: list[str] | None = None
        self._quiet: bool = False  # a sketch
        if _deal is not None:  # a copy, a position, a view: the deal is there already
            self._log: list[Event] = _deal.log
            self._deal: Deal = _deal
            self._ours: BaseDeal | None = _as_ours(_deal)
            return
        if (seed is None) == (decks is None):
            raise ValueError("A match needs either a seed or decks: Match(fmt, seed='any text').")
        self._stop = "decks"
        if seed is not None:
            check_seed(seed)
        if decks is not None:
            self._decks = read_decks(fmt, decks)
        deck = self._deck(0)
        if deck is None:
            raise ValueError("decks is empty; give one deck for each deal.")
        self._log = []
        self._dealt = deck
        self._deal = fmt.spec.first(fmt, deck, self._log)
        self._ours = _as_ours(self._deal)
        self.proceed()

    @classmethod
    def from_position(cls, fmt: Format | str, position: Mapping[str, Any]) -> Match:
        """A match that starts from a `state` of the rules document's examples.

        With a ``seed`` in it the match continues after the deal, else it ends with it (reason
        ``position``). ValueError names what is malformed.
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
        """A full match that looks the same to the view's seat.

        Hidden cards are dealt by `rng` among what is possible, and so are later deals. The log
        starts empty. What a view does not tell (earlier deals' sheets) is not made up. Where
        hidden cards decide what is legal (a Canasta pile, CAN-46) a guess may allow other moves.
        ValueError if it is no view of a seat.
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
        """`from_view` of what `seat` sees now: a guess at the match that the seat can play out."""
        return Match.from_view(self.view(seat), rng)

    @property
    def turn(self) -> int | None:
        """The seat that must move, or None when the match is over."""
        ours = self._ours
        seat = ours.to_act if ours is not None else self._deal.to_act
        return None if seat < 0 else seat

    @property
    def scores(self) -> list[int]:
        """One number per side, so far."""
        return self._deal.scores()

    @property
    def moves(self) -> list[str]:
        """The moves made so far, all deals."""
        return list(self._moves)

    def moves_since(self, first: int) -> list[str]:
        """`moves` without the first `first`."""
        return self._moves[first:]

    @property
    def result(self) -> dict[str, Any] | None:
        """None while the match runs; then scores, ranks, winners, settlement, reason."""
        return fresh(self._result) if self._result is not None else None

    @property
    def deals(self) -> list[dict[str, Any]]:
        """The finished deals: ``deal`` (number), ``dealer``, ``sheet``, ``deck`` (order, top first;
        null where it is not known, as in a position)."""
        return self.deals_since(0)

    def deals_since(self, first: int) -> list[dict[str, Any]]:
        """`deals` without the first `first`: what a referee asks for after each deal."""
        return [
            {
                "deal": number,
                "dealer": dealer,
                "sheet": fresh(sheet),
                "deck": cards.texts(deck) if deck else None,
            }
            for number, dealer, sheet, deck in self._past[first:]
        ]

    @property
    def truncated(self) -> bool:
        """Whether more moves are legal than `legal_moves` lists."""
        self._list()
        return self._deal.truncated

    def legal_moves(self) -> list[str]:
        """The legal moves in the order of the rules document, at most 512; empty after the end."""
        return self._list()[:]

    def is_legal(self, move: str) -> bool:
        """Whether `move` is legal now, listed or not. A direct test; nothing is enumerated."""
        try:
            self.check(move)
        except IllegalMove:
            return False
        return True

    def check(self, move: str) -> None:
        """IllegalMove, naming the clause, if `move` is not legal now."""
        if self._deal.to_act < 0:
            raise IllegalMove(str(move), "", "the match is over")
        if not isinstance(move, str):
            raise IllegalMove(str(move), "", "a move is text")
        self._deal.check(move)

    def play(self, move: str) -> None:
        """Make a move; IllegalMove, naming the clause, leaves the match unchanged."""
        self.step(move)
        ours = self._ours
        if (ours.to_act if ours is not None else self._deal.to_act) < 0:
            self.proceed()

    def step(self, move: str) -> None:
        """As `play`, but stop at the end of a deal, before the next is dealt: for viewers.

        Then `turn` is None until `proceed` is called.
        """
        ours = self._ours
        if (ours.to_act if ours is not None else self._deal.to_act) < 0:
            raise IllegalMove(str(move), "", "the match is over")
        if not isinstance(move, str):
            raise IllegalMove(str(move), "", "a move is text")
        if ours is not None:
            ours.play(move)
        else:
            self._deal.play(move)
        self._listed = None
        if not self._quiet:
            self._moves.append(move)

    def proceed(self) -> None:
        """After `step`: if the deal is over, book it and deal again, or end the match."""
        while self._deal.to_act < 0 and self._result is None:
            self._book()
            self._advance()

    # ── for searches ─────────────────────────────────────────────────────────────────────────────

    def codes(self) -> list[int]:
        """`legal_moves` as numbers from 0 to 2**60 - 1: the same moves in the same order.

        A move's text has the same code in every position of its format, in every process and on
        every machine, as long as the version of the game is the same (`Game.version`): so a tree
        may be keyed by codes, and kept. Two moves of one position never share a code.
        """
        if self.turn is None:
            return []
        if self._ours is not None:
            return self._ours.codes()
        return [digest(move) for move in self._list()]

    def code(self, move: str) -> int:
        """The code of a listed move; ValueError if `legal_moves` does not list it."""
        return self.codes()[_place(self._list(), move)]

    def spell(self, code: int) -> str:
        """The listed move with this code; ValueError if none has it."""
        return self._list()[_place(self.codes(), code)]

    def play_code(self, code: int) -> None:
        """As `play`, by the code of a listed move; ValueError, if none has it, changes nothing."""
        self._play_at(_place(self.codes(), code))
        if self.turn is None:
            self.proceed()

    def sketch(self) -> Match:
        """A copy for a search: cheaper, and quicker to play on, since it writes nothing down.

        Its `moves` and `events` stay empty; all else is as in a `copy`.
        """
        match = Match(self.format, self.seed, _deal=self._deal.copy([]))
        match._log = []
        self._copy_into(match)
        match._quiet = True
        _hush(match._deal, quiet=True)
        return match

    def playout(self, rng: Random, policy: Policy | str | None = None) -> list[int]:
        """Play the deal to its end; gives the scores by side that the match then has.

        None: each legal move is as likely as another. ``"own"``: the game's own quick policy,
        seven moves in eight, where it has one (`BaseDeal.prefer`). A function chooses each move.
        Neither moves nor events of a playout are kept. The match stands at the end of the deal as
        after `step`, and `proceed` continues from there.
        """
        deal, quiet, log = self._deal, self._quiet, self._deal.log
        self._listed = None
        self._quiet, deal.log = True, []
        _hush(deal, quiet=True)
        try:
            if callable(policy):
                while deal.to_act >= 0:
                    self._play_at(_place(self.codes(), policy(self, rng)))
            elif isinstance(deal, BaseDeal):
                deal.play_out(rng, own=policy == "own")
            else:
                while deal.to_act >= 0:
                    deal.play(rng.choice(deal.legal()))
        finally:
            self._quiet, deal.log = quiet, log
            _hush(deal, quiet=quiet)
        return deal.scores()

    def favourite(self, rng: Random) -> int:
        """The code of the move that the game's own quick policy makes; ValueError at the end.

        Any of the best; any at all in a game that has no policy.
        """
        codes = self.codes()
        if not codes:
            raise ValueError("The deal is over: there is no move to prefer.")
        if isinstance(self._deal, BaseDeal):
            return codes[self._deal.prefer(rng.random)]
        return rng.choice(codes)

    def _play_at(self, place: int) -> None:
        """`step` with the move at a place of the list."""
        deal = self._ours
        if not self._quiet or deal is None:
            self.step(self._list()[place])
            return
        deal.play_at(place)
        self._listed = None

    # ── what is seen ─────────────────────────────────────────────────────────────────────────────

    def view(self, seat: int | None) -> dict[str, Any]:
        """What `seat` may know, JSON-able and fresh.

        None: the spectators' view after the fact. It has the same keys, ``seat`` null and ``hand``
        empty, and besides ``hands`` (per seat) and ``stock_cards`` (top first).
        """
        if seat is None:
            return self._deal.view(-1)
        if not 0 <= seat < self.format.seats:
            raise ValueError(f"There is no seat {seat}; seats are 0 to {self.format.seats - 1}.")
        return self._deal.view(seat)

    def events(self, seat: int | None, since: int = 0) -> list[dict[str, Any]]:
        """The log from index `since` on, each event a dict with a ``type``, as `seat` sees it.

        None: as spectators see it after the fact, with the hidden parts of all seats.
        """
        return [event_for(event, seat) for event in self._log[since:]]

    @property
    def logged(self) -> int:
        """How many events the log has."""
        return len(self._log)

    def logged_since(self, since: int) -> list[Event]:
        """The raw events from index `since` on, hidden parts included."""
        return self._log[since:]

    def copy(self) -> Match:
        """An independent copy, cheap."""
        if self._quiet:
            return self.sketch()
        match = Match(self.format, self.seed, _deal=self._deal.copy(self._log[:]))
        self._copy_into(match)
        match._moves = self._moves[:]
        return match

    def _copy_into(self, match: Match) -> None:
        """What a copy and a sketch share."""
        match._decks = self._decks
        match._stop = self._stop
        match._dealt = self._dealt
        match._past = self._past[:]
        match._result = self._result
        match._listed = self._listed

    def _list(self) -> list[str]:
        if self._listed is None:
            ours = self._ours
            if ours is not None:
                self._listed = ours.legal() if ours.to_act >= 0 else []
            else:
                self._listed = self._deal.legal() if self._deal.to_act >= 0 else []
        return self._listed

    def _deck(self, number: int) -> list[int] | None:
        """The deck of a deal, top first; None when no deal can follow."""
        if self._decks is not None:
            return self._decks[number] if number < len(self._decks) else None
        if self.seed is None:
            return None
        return shuffled(self.format.spec.pack(self.format), self.seed, number)

    def _book(self) -> None:
        deal = self._deal
        self._past.append((deal.number, deal.dealer, deal.sheet(), self._dealt))

    def _advance(self) -> None:
        """From a finished deal to the result or to the next deal."""
        deck = self._deck(self._deal.number + 1)
        self._result = self._deal.result("" if deck is not None else self._stop)
        if self._result is None:
            assert deck is not None  # noqa: S101 - a game that names no result without a deck breaks the protocol
            self._dealt = deck
            self._deal = self._deal.next(deck)
            self._ours = _as_ours(self._deal)


def _as_ours(deal: object) -> BaseDeal | None:
    """The deal if its class is one of ours: what is compiled then calls its methods directly."""
    return deal if isinstance(deal, BaseDeal) else None


def _hush(deal: Deal, *, quiet: bool) -> None:
    """Whether the log of this deal is not needed."""
    if isinstance(deal, BaseDeal):
        deal.quiet = quiet


def _place(listed: Sequence[int | str], move: int | str) -> int:
    """Where a code or a text stands in a list of them; ValueError if it does not."""
    try:
        return listed.index(move)
    except ValueError:
        raise ValueError(f"{move!r:.80} is no move that is listed now.") from None
