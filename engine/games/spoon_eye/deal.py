"""One deal of Spoon Eye in play (SPO-3 to SPO-6, SPO-11 to SPO-33, SPO-36 to SPO-45)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, cast

from engine.cards import TEXT, insert_card, mask_of, mask_texts, texts
from engine.events import Event, hidden_card_events
from engine.games.spoon_eye import masts, moves, policy, scoring
from engine.games.spoon_eye.masts import Cards, Mast
from engine.games.spoon_eye.options import FULL, ROW, SEATS
from engine.games.spoon_eye.spelling import DRAW, SpoonEyeMove
from engine.games.spoon_eye.state import SpoonEyeState
from engine.score_sheet import added, listing

if TYPE_CHECKING:
    from engine.games.spoon_eye.json_types import Effect, Raised, SpoonEyeSheet, SpoonEyeView

_DRAWN: Final = hidden_card_events("draw", SEATS)

SPECIAL: Final = {2: "3", 3: "4", 8: "9"}  # by rank: the effect of a special card (SPO-23)


class SpoonEyeDeal(SpoonEyeState):
    """A deal in play; implements `engine.game.Deal`."""

    __slots__ = ()

    # ── dealing ──────────────────────────────────────────────────────────────────────────────────

    def start(self, deck: Sequence[int]) -> None:
        """Deal four masts to each seat, then four cards one by one; the rest is the stock (SPO-5).

        Then the first turn begins.
        """
        seats = self.rules.seats
        order = [(self.dealer + step) % seats for step in range(1, seats + 1)]
        self.stock = list(deck)
        for seat in order:
            for _ in range(ROW):
                self.masts[seat].append(Mast((self._next_card(),)))
        for _ in range(ROW):
            for seat in order:
                insert_card(self.hands[seat], self._next_card())
        data = {"dealer": self.dealer, "masts": self._masts_shown()}
        self.log.append(("deal_start", data, self.own_hands()))
        self.is_first_turn = True
        self._begin(order[0])  # SPO-6

    def next(self, deck: Sequence[int]) -> SpoonEyeDeal:
        """The next deal of the match. The next seat clockwise deals (SPO-4)."""
        deal = SpoonEyeDeal(self.rules, self.log)
        deal.follow(self)
        deal.below = self.below
        deal.above = self.above
        deal.start(deck)
        return deal

    def copy(self, log: list[Event]) -> SpoonEyeDeal:
        deal = SpoonEyeDeal(self.rules, log)
        self.copy_into(deal)
        return deal

    # ── moves ────────────────────────────────────────────────────────────────────────────────────

    def legal(self) -> list[str]:
        """The moves of the seat to act, at most 512 (docs/rules/spoon-eye.md, section 4)."""
        if self._legal_moves is None:
            self._legal_moves = [move.text for move in self._legal()]
        return self._legal_moves

    def _legal(self) -> list[SpoonEyeMove]:
        if self._moves is None:
            self._moves, self.truncated = moves.legal(self)
        return self._moves

    def count(self) -> int:
        return len(self._legal())

    def codes(self) -> list[int]:
        return [move.code for move in self._legal()]

    def prefer(self, rand: Callable[[], float]) -> int:
        """The index of a good move: one that wins a mast, or else helps no opponent to win one."""
        return policy.prefer(self, self._legal(), rand)

    def play_own(self, rand: Callable[[], float]) -> None:
        """Make a move like that of `prefer`, but do not list the many moves of the phase `play`."""
        if self.phase == "play":
            self.make_move(policy.unlisted_move(self, rand))
        else:
            self.play_at(self.prefer(rand))

    def check(self, move: str) -> None:
        moves.read(self, move)

    def play(self, move: str) -> None:
        """Make a move, then all steps without a choice; IllegalMove if the move is not legal.

        Moves that `legal` has listed are not checked again.
        """
        self.make_move(self._listed(move) or moves.read(self, move))

    def _listed(self, text: str) -> SpoonEyeMove | None:
        """The move with this text, if the moves are listed and it is among them."""
        parsed = moves.parse(text)
        if parsed is not None and self._moves is not None:
            for move in self._moves:  # compiled, quicker than `in`
                if move is parsed:
                    return move
        return None

    def play_at(self, place: int) -> None:
        self.make_move(self._legal()[place])

    def make_move(self, move: SpoonEyeMove) -> None:
        self._legal_moves = self._moves = None
        self.truncated = False
        if not self.quiet:
            self.log.append(move.event(self.to_act))
        kind = move.kind
        if kind == "play":
            self._play_card(move)
        elif kind == "draw":
            self._start_draw()
        elif kind == "pass":
            self._end_turn()  # SPO-16: the cards are kept
        elif kind == "move":
            self._move_nest(move)
        elif kind == "steal":
            # SPO-24: only a card played from the hand has its effect
            self._put(self._lift(move.source), move.target, "")
        else:
            self._take(move.target)

    def _play_card(self, parsed: SpoonEyeMove) -> None:
        """Play a card from the hand (SPO-13). The player gets its effect (SPO-24)."""
        seat = self.turn
        self.hands[seat].remove(parsed.card)
        bit = 1 << parsed.card
        for row in self.known:
            if row[seat] & bit:
                row[seat] = row[seat] ^ bit  # when compiled, ^= is slower
        self._put(parsed.card, parsed.target, SPECIAL.get(parsed.card >> 2, ""))

    def _move_nest(self, parsed: SpoonEyeMove) -> None:
        """Move a crow's nest within the seat's row; this takes the whole turn (SPO-37).

        A special card has its effect only in the first turn of the deal (SPO-39).
        """
        seat, index = parsed.target
        count = len(self.masts[seat])
        card = self._lift(parsed.source)
        if len(self.masts[seat]) < count and parsed.source[1] < index:
            index -= 1  # the source had one card and disappeared
        self.nest_run[seat] += 1
        has_effect = self.is_first_turn and self.rules.opening
        self._put(card, (seat, index), SPECIAL.get(card >> 2, "") if has_effect else "")

    def _lift(self, place: tuple[int, int]) -> int:
        """Remove and return a crow's nest; a mast without cards disappears (SPO-11, SPO-29)."""
        seat, index = place
        cards = self.masts[seat][index].cards
        if len(cards) > 1:
            self.masts[seat][index] = Mast(cards[:-1])
        else:
            del self.masts[seat][index]
        return cards[-1]

    def _put(self, card: int, place: tuple[int, int], effect: str) -> None:
        """Put a card down, raise a mast that reaches 21 (SPO-19) and apply the effect (SPO-30)."""
        seat, index = place
        row = self.masts[seat]
        if index == moves.LEFT:
            row.insert(0, Mast((card,)))
        elif index == moves.RIGHT:
            row.append(Mast((card,)))
        else:
            cards = row[index].cards
            mast = Mast(cards + (card,))  # noqa: RUF005 - compiled, faster than unpacking
            row[index] = mast
            if mast.value == FULL:
                self._raise(seat, row.pop(index).cards, effect)
                return
        self._apply_effect(effect)

    # ── raising ──────────────────────────────────────────────────────────────────────────────────

    def _raise(self, seat: int, mast: Cards, effect: str) -> None:
        """Raise a mast that its row no longer contains (SPO-19 to SPO-22).

        If its owner can take another mast, the phase `take` begins; otherwise the owner wins only
        the raised mast.
        """
        self.raised = (seat, self.turn, mast)
        if not self.quiet:
            self.log.append(("raise", {"seat": seat, "cards": texts(mast)}, None))
        if moves.seats_to_plunder(self):
            self.pending = effect
            self.phase, self.to_act = "take", seat
            return
        self._win(-1, (), effect)

    def _take(self, place: tuple[int, int]) -> None:
        """Take the mast that the owner of the raised one chose, or none (SPO-20, SPO-21)."""
        effect, self.pending = self.pending, ""
        seat, index = place
        self._win(seat, self.masts[seat].pop(index).cards if seat >= 0 else (), effect)

    def _win(self, loser: int, taken: Cards, effect: str) -> None:
        """Give the raised mast and the `taken` mast to the owner's side (SPO-22).

        Then swap hands after three sevens (SPO-45), and apply the effect of the last card.
        `loser`: the seat that lost the taken mast; -1 if no mast was taken.
        """
        assert self.raised is not None  # noqa: S101 - called only when a mast is raised
        owner, player, mast = self.raised
        self.raised = None
        doubled_cards = 0
        if self.rules.double:
            rows_empty = loser >= 0 and not self.masts[owner] and not self.masts[loser]  # SPO-55
            doubled_cards = scoring.doubled_cards(mast, taken, rows_empty=rows_empty)
        side = self.rules.side_of[owner]
        self.double[side] |= doubled_cards
        self.single[side] |= (mask_of(mast) | mask_of(taken)) & ~doubled_cards
        if self.rules.sevens and masts.is_three_sevens(mast):
            self._swap(owner, self._swap_partner(owner, player, loser))
        self._apply_effect(effect)

    def _swap_partner(self, owner: int, player: int, loser: int) -> int:
        """The seat that swaps hands with the owner of three sevens (SPO-55).

        This is the seat that lost a mast; otherwise the opponent that put the last card; otherwise
        the owner's next opponent clockwise.
        """
        if loser >= 0:
            return loser
        opponents = self.rules.opponents[owner]
        return player if player in opponents else opponents[0]

    def _swap(self, first: int, second: int) -> None:
        """Swap the hands of two seats, of any size (SPO-45).

        What seats know about the cards moves with the hands, and each of the two seats knows the
        hand that it gave away (SPO-57).
        """
        hands = self.hands
        for row in self.known:
            row[first], row[second] = row[second], row[first]
        for seat, other in ((first, second), (second, first)):
            self.known[seat][seat] = 0
            self.known[seat][other] = mask_of(hands[seat])
        hands[first], hands[second] = hands[second], hands[first]
        self.log.append(("swap", {"seats": [first, second]}, None))

    # ── effects and turns ────────────────────────────────────────────────────────────────────────

    def _apply_effect(self, effect: str) -> None:
        """Apply the effect of a special card for its player (SPO-24); then end the turn."""
        seat = self.turn
        self.to_act = seat
        if effect == "3" and self.stock_at < len(self.stock):
            self._draw(seat)  # SPO-25
        elif effect == "4" and moves.can_play(self, seat):
            self.phase = "play"  # SPO-26
            return
        elif effect == "9":
            steals = moves.steals(self)
            if steals:
                self.phase = "steal"  # SPO-27, SPO-28
                self._moves = steals
                return
        self._end_turn()

    def _begin(self, seat: int) -> None:
        """Begin a seat's turn with the draw (SPO-14).

        If the seat may move a crow's nest instead (SPO-37, SPO-38), it chooses first.
        """
        self.turn = self.to_act = seat
        self.phase = "play"
        if self.stock_at >= len(self.stock):
            return  # SPO-17: without a stock nobody draws
        if self.may_move_nest():
            nests = moves.nest_moves(self)
            if nests:
                self.phase = "start"
                self._moves = [DRAW, *nests]
                return
        self._start_draw()

    def may_move_nest(self) -> bool:
        """Whether the format and the seat's earlier moves let it move a nest (SPO-37, SPO-40)."""
        return self.rules.nest and self.nest_run[self.turn] < self.rules.run

    def _start_draw(self) -> None:
        """Draw the card that begins a turn (SPO-13); this ends a run of nest moves (SPO-40)."""
        self.nest_run[self.turn] = 0
        self.phase = "play"
        self._draw(self.turn)

    def _draw(self, seat: int) -> None:
        card = self._next_card()
        insert_card(self.hands[seat], card)
        if not self.quiet:
            self.log.append(_DRAWN[seat][card])

    def _next_card(self) -> int:
        card = self.stock[self.stock_at]
        self.stock_at += 1
        return card

    def _end_turn(self) -> None:
        """Continue with the next seat clockwise, or end the deal (SPO-31, SPO-32)."""
        seats = self.rules.seats
        self.is_first_turn = False
        seat = (self.turn + 1) % seats
        if self.stock_at >= len(self.stock):
            if not any(moves.can_play(self, other) for other in range(seats)):
                self._finish()
                return
            while not self.hands[seat]:
                seat = (seat + 1) % seats  # SPO-18: without a stock, skip seats without cards
        self._begin(seat)

    # ── the end ──────────────────────────────────────────────────────────────────────────────────

    def _finish(self) -> None:
        """End the deal, and add its base and bonus to the sheet (SPO-46, SPO-47).

        Cards that nobody has won count for nobody (SPO-33).
        """
        base = scoring.base(self.single, self.double)
        bonus = scoring.bonus(self.rules, self.single, self.double)
        self.below = added(self.below, base)
        self.above = added(self.above, bonus)
        self.phase = "deal_over"
        self.turn = self.to_act = -1
        self.log.append(("deal_end", {"base": base, "bonus": bonus}, None))

    def result(self, stop: str) -> dict[str, Any] | None:
        """The result of the match, or None if another deal follows (SPO-48 to SPO-51)."""
        return self.log_end(scoring.outcome(self.rules, self.number, self.below, self.above, stop))

    def scores(self) -> list[int]:
        """The scores by side if the match ended now (SPO-58)."""
        return scoring.final_scores(self.rules, self.below, self.above)

    def sheet(self) -> SpoonEyeSheet:
        """The score sheet of the finished deal: ``points`` are those below the line (SPO-46)."""
        base = scoring.base(self.single, self.double)
        return {
            "points": base,
            "lines": listing(scoring.lines(self.rules, self.single, self.double)),
            "base": base[:],
            "bonus": scoring.bonus(self.rules, self.single, self.double),
            "scores": self.scores(),
        }

    # ── the view ─────────────────────────────────────────────────────────────────────────────────

    def view(self, seat: int) -> SpoonEyeView:
        """What a seat sees (docs/rules/spoon-eye.md, section 5); all cards if `seat` is -1."""
        rules = self.rules
        raised: Raised | None = None
        if self.raised is not None:
            owner, player, cards = self.raised
            raised = {"seat": owner, "by": player, "cards": texts(cards)}
        known_cards = [0] * rules.seats if seat < 0 else self.known[seat]
        view: SpoonEyeView = {
            **self.heading("spoon-eye", rules.text, rules.sides, seat),
            "phase": self.phase,
            "hand": self.hand_of(seat),
            "hand_sizes": [len(hand) for hand in self.hands],
            "known": [mask_texts(mask) for mask in known_cards],  # SPO-57
            "masts": self._masts_shown(),
            "values": [[mast.value for mast in row] for row in self.masts],
            "stock": self.stock_left,
            "won": [
                {"single": mask_texts(single), "double": mask_texts(self.double[side])}
                for side, single in enumerate(self.single)
            ],
            "raised": raised,
            "pending": cast("Effect | None", self.pending or None),
            "first": self.is_first_turn,
            "nest_run": self.nest_run[:],
            "sheet": [
                {"base": base, "bonus": self.above[side]} for side, base in enumerate(self.below)
            ],
            "scores": self.scores(),
        }
        if seat < 0:
            self.show_all(view)
        return view

    def _masts_shown(self) -> list[list[list[str]]]:
        return [[[TEXT[card] for card in mast.cards] for mast in row] for row in self.masts]
