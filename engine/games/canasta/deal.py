"""One deal of Canasta in play (CAN-12 to CAN-35, CAN-49 to CAN-64, CAN-70 to CAN-76)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, cast

from engine.cards import TEXT, texts
from engine.events import Event, card_events
from engine.games.canasta import legal, moves, policy, refusals, scoring, view
from engine.games.canasta.card_kinds import (
    BLACK,
    KIND,
    POINTS,
    RED,
    SYMBOLS,
    freezes,
    is_takeable,
    kind_counts,
    lowest,
    points,
)
from engine.games.canasta.draw import CanastaDraw
from engine.games.canasta.melds import Meld, meld_counts_of, merged_melds, sorted_melds
from engine.games.canasta.moves import CanastaMove, CanastaSituation
from engine.games.canasta.options import SEATS
from engine.games.canasta.turn_state import NO_CARDS, TurnState
from engine.score_sheet import added, listing

if TYPE_CHECKING:
    from engine.games.canasta.json_types import CanastaSheet, CanastaView, Reason

_DISCARDED: Final = [card_events("discard", SEATS, frozen=frozen) for frozen in (False, True)]


class CanastaDeal(CanastaDraw):
    """A deal in play; implements `engine.game.Deal`."""

    def start(self, deck: Sequence[int]) -> None:
        """Deal the cards, turn up the first of the pile (CAN-8, CAN-9), begin the first turn."""
        self.deal_out(deck)
        self.begin(self.order()[0])

    def next(self, deck: Sequence[int]) -> CanastaDeal:
        """The next deal of the match. The next chair in the direction of play deals (CAN-69)."""
        deal = CanastaDeal(self.rules, self.log, self.number + 1)
        deal.quiet = self.quiet
        deal.totals = self.totals[:]
        deal.start(deck)
        return deal

    def copy(self, log: list[Event]) -> CanastaDeal:
        deal = CanastaDeal(self.rules, log, self.number)
        self.copy_into(deal)
        return deal

    # ── the beginning of a turn ──────────────────────────────────────────────────────────────────

    def begin(self, seat: int) -> None:
        """Begin the turn of `seat`. In its first turn, it tables dealt red threes (CAN-11)."""
        self.turn = self.to_act = seat
        self.reset_turn()
        last = False
        if not self.started[seat]:
            self.started[seat] = True
            if not self.rules.red3discard:  # CAN-24: otherwise the seat tables them by moves
                last = self.table_dealt(seat)
        if last:
            self._last_red3()
        empty = self.phase == moves.PHASE_CHOOSE and not self.stock_left
        if empty and not legal.can_take_pile(self.situation()):  # CAN-62: the seat has no move
            self._end("stock")

    def _last_red3(self) -> None:
        """Apply the option `last3`: the last card of the stock was a red three (CAN-63)."""
        kind = self.rules.last3
        if kind in ("end", "untabled"):
            self._end("red3")
        elif kind == "meld":
            self.phase = moves.PHASE_MELD
            self.drew = True
            self.has_discard = False

    # ── moves ────────────────────────────────────────────────────────────────────────────────────

    def situation(self) -> CanastaSituation:
        """The facts that decide which moves are legal now."""
        if self._situation is not None:
            return self._situation
        # Only takings depend on the cards below the top.
        pile = self.pile[:] if self.phase == moves.PHASE_CHOOSE else NO_CARDS
        partners = self.partners_of(self.turn)
        situation = CanastaSituation(
            self.rules, self.phase, self.turn_state(), self.stock_left, pile, partners
        )
        if self.pile:
            situation.top = KIND[self.pile[-1]]
        situation.frozen = self.frozen_for(self.side_of(self.turn))
        situation.may_ask = not self.asked and not self.settled
        situation.may_table = not self.stepped
        self._situation = situation
        return situation

    def turn_state(self) -> TurnState:
        """The part of the situation that does not depend on pile, stock and partners (CAN-87)."""
        if self._turn_state is not None:
            return self._turn_state
        rules, seat = self.rules, self.turn
        side = self.side_of(seat)
        meld_counts = meld_counts_of(self.melds[side])
        hand = self.hands[seat]
        turn = TurnState(rules, kind_counts(hand), meld_counts, self.minimum(side, seat), len(hand))
        turn.had_meld = self.had_meld
        if self.pending:
            turn.pending = [KIND[card] for card in self.pending if KIND[card] != RED]
        turn.counted = self.counted
        turn.melded = self.took or self.stepped
        turn.has_discard = self.has_discard
        turn.committed = self.committed
        turn.refused = self.refused
        turn.exempt = rules.exempt and self.drew and not self.had_meld
        self._turn_state = turn
        return turn

    def legal(self) -> list[str]:
        """The legal moves of the seat to act, in list order (CAN-85)."""
        return [move.text for move in self._legal()]

    def _legal(self) -> list[CanastaMove]:
        if self._legal_moves is None:
            choosing = self.phase == moves.PHASE_CHOOSE
            plain = choosing and self.stock_left > 0 and not self._may_take_pile()
            self._legal_moves = legal.DRAWING if plain else legal.legal(self.situation())
        return self._legal_moves

    def _may_take_pile(self) -> bool:
        """A quick test: False if the seat certainly cannot take the pile."""
        if not self.pile:
            return False
        top, side = KIND[self.pile[-1]], self.side_of(self.turn)
        if not is_takeable(top):
            return False
        count = 0
        for card in self.hands[self.turn]:
            if KIND[card] == top:
                count += 1
        if self.frozen_for(side):  # CAN-27: only a natural pair takes a frozen pile
            return count > 1
        return count > 0 or any(meld.kind == top for meld in self.melds[side])

    def prefer(self, rand: Callable[[], float]) -> int:
        """The index of a move that takes the pile, melds, or discards the least useful card."""
        legal_moves = self._legal()
        if len(legal_moves) == 1:
            return 0
        return policy.best_move_index(self, legal_moves, self.turn_state().counts, rand)

    def count(self) -> int:
        return len(self._legal())

    def codes(self) -> list[int]:
        return [move.code for move in self._legal()]

    def play_own(self, rand: Callable[[], float]) -> None:
        """Make a move like that of `prefer`. Do not list the moves if none of them needs a test."""
        move: CanastaMove | None = None
        if self._legal_moves is None:
            if self.phase == moves.PHASE_MELD:
                move = policy.unlisted_move(self, self.turn_state())
            elif self.phase == moves.PHASE_CHOOSE and self.stock_left and not self._may_take_pile():
                move = legal.DRAWING[0]
        self.make_move(move or self._legal()[self.prefer(rand)])

    def check(self, move: str) -> None:
        """Raise IllegalMove with the clause that forbids the move, unless it is legal (CAN-91)."""
        refusals.read(move, self.situation())

    def play(self, move: str) -> None:
        """Make a move, then all steps without a choice; IllegalMove if the move is not legal."""
        self.make_move(self._read(move))

    def play_at(self, place: int) -> None:
        self.make_move(self._legal()[place])

    def make_move(self, move: CanastaMove) -> None:
        self._turn_state = self._situation = self._legal_moves = None
        seat = self.turn
        if move.action == moves.DRAW:
            self.drew = True
            self.phase = moves.PHASE_MELD
            if self.draw(seat, self.rules.draw, "draw"):
                self._last_red3()
        elif move.action == moves.TAKE:
            self._take(seat, move)
        elif move.action == moves.MELD:
            self.stepped = True
            self.settled = not self.pending  # CAN-56: melds before the pile is in hand do not count
            cards = self.from_hand(seat, move.cards)
            self._lay(seat, move.kind, move.number, cards, -1)
        elif move.action == moves.DISCARD:
            self._discard(seat, move.kind)
        elif move.action == moves.TABLE:
            self.table_own(seat)
        elif move.action == moves.PASS:
            self._pass(seat)
        else:
            self._ask_or_answer(seat, move)

    def _read(self, text: str) -> CanastaMove:
        """The legal move with this text, or IllegalMove. Listed moves are not tested again."""
        if self._legal_moves is not None:
            for move in self._legal_moves:
                if move.text == text:
                    return move
        return refusals.read(text, self.situation())

    def _ask_or_answer(self, seat: int, move: CanastaMove) -> None:
        """Ask a partner whether the seat may go out (CAN-56), or give the answer (CAN-57)."""
        if move.action == moves.ASK:
            self.asked = True
            self.phase = moves.PHASE_ANSWER
            self.to_act = move.seat
            self.log.append(("ask", {"seat": seat, "to": move.seat}, None))
            return
        answer = {"seat": self.to_act, "yes": move.yes}
        self.log.append(("answer", answer, None))
        self.committed = move.yes
        self.refused = not move.yes
        self.phase = moves.PHASE_MELD
        self.to_act = seat

    def _take(self, seat: int, move: CanastaMove) -> None:
        """Take the whole pile, and meld its top card (CAN-17, CAN-18)."""
        cards = self.from_hand(seat, move.cards)
        top = self.pile.pop()
        pile_rest, self.pile = self.pile, []
        self.frozen = False
        self.took = True
        self.phase = moves.PHASE_MELD
        if not self.quiet:
            event: dict[str, Any] = {
                "seat": seat,
                "top": TEXT[top],
                "with": texts(cards),
                "size": len(pile_rest) + 1,
                "rank": SYMBOLS[move.kind],
                "number": move.number,
            }
            self.log.append(("take", event, None))
        if self.rules.finds_sides and len(self.sides) == 3:
            self._find_sides(seat)
        self.pending = pile_rest
        self._lay(seat, move.kind, move.number, cards, top)

    def _find_sides(self, lone: int) -> None:
        """Form the sides of `1v2`: `lone` took the pile first, and the others become a pair.

        The pair's melds are put together (CAN-71, CAN-72).
        """
        pair = [seat for seat in range(3) if seat != lone]
        melds = [meld for seat in pair for meld in self.melds[seat]]
        canasta_kinds = [meld.kind for meld in melds if meld.canasta]
        lone_melds = self.melds[lone]
        pair_melds = sorted_melds(melds) if self.rules.tworank else merged_melds(melds)
        self.sides = sorted([[lone], pair])
        self.melds = (
            [lone_melds, pair_melds] if self.sides[0] == [lone] else [pair_melds, lone_melds]
        )
        self.log.append(("sides", {"lone": lone, "pair": pair}, None))
        for meld in pair_melds:
            if meld.canasta and meld.kind not in canasta_kinds:
                self._canasta(pair[0], meld)

    def _lay(self, seat: int, kind: int, number: int, cards: list[int], top: int) -> None:
        """Put cards on meld `number` of a kind, or open it; then apply the consequences.

        They may complete a canasta, reach the minimum, bring the rest of the pile into the hand, or
        empty the hand. `top`: the card taken from the pile; -1 if there is none.
        """
        melds = self.melds[self.side_of(seat)]
        old_meld: Meld | None = None
        same_kind = old_place = 0
        for place, meld in enumerate(melds):
            if meld.kind == kind:
                same_kind += 1
                if same_kind == number:
                    old_meld, old_place = meld, place
        new_cards = cards if top < 0 else [*cards, top]
        if old_meld is None:
            self.melds_made += 1
            new_meld = Meld(kind, sorted(new_cards), self.melds_made, self.turns)
            place = len(melds)
            while place and melds[place - 1].kind > kind:  # by kind, then by order of making
                place -= 1
            melds.insert(place, new_meld)
        else:
            new_meld = old_meld.with_cards(new_cards)
            melds[old_place] = new_meld
            if old_meld.opened_in_turn != self.turns:
                self.laid_off = True  # on a meld from an earlier turn (CAN-52, CAN-53)
        if kind == BLACK:
            self.committed = True  # CAN-40: the seat must go out
        if not self.had_meld:
            self._count_points(cards, top)
        if top < 0 and not self.quiet:
            data = {
                "seat": seat,
                "rank": SYMBOLS[kind],
                "number": number,
                "cards": texts(new_cards),
            }
            self.log.append(("meld", data, None))
        if new_meld.canasta and (old_meld is None or not old_meld.canasta):
            self.own_canasta = True
            self._canasta(seat, new_meld)
        self._collect_pending(seat)
        if not self.hands[seat]:
            self._go_out(seat)

    def _canasta(self, seat: int, meld: Meld) -> None:
        """Log that a meld has become a canasta (CAN-44)."""
        if self.quiet:
            return
        data = {"seat": seat, "rank": SYMBOLS[meld.kind], "kind": meld.canasta}
        self.log.append(("canasta", data, None))

    def _count_points(self, cards: list[int], top: int) -> None:
        """Add the points of melded cards that count towards the minimum (CAN-34)."""
        self.counted += points(cards)
        if top >= 0 and self.rules.topcounts:
            self.counted += POINTS[KIND[top]]

    def _collect_pending(self, seat: int) -> None:
        """Move the pending cards into the hand, unless the minimum is not reached (CAN-35).

        Red threes go to the table (CAN-20).
        """
        pending = self.pending
        if not pending:
            return
        cards = [card for card in pending if KIND[card] != RED]
        if cards and not self.had_meld and self.counted < self.minimum_of(seat):
            return
        self.pending = NO_CARDS
        self.table_red3(seat, [card for card in pending if KIND[card] == RED], "pile")
        if cards:
            self.hands[seat] += cards
            self.hands[seat].sort()
            self.log.append(("pile", {"seat": seat, "count": len(cards)}, None))

    def _discard(self, seat: int, kind: int) -> None:
        """Discard a card, which ends the turn (CAN-13). A seat without cards goes out (CAN-15)."""
        hand = self.hands[seat]
        card = hand.pop(lowest(hand, kind))
        self.pile.append(card)
        self.frozen = self.frozen or freezes(kind)  # CAN-25
        self.discarded[seat] = True  # the seat may no longer look through the pile (CAN-96)
        if not self.quiet:
            self.log.append(_DISCARDED[int(self.frozen)][seat][card])
        if not hand:
            self._go_out(seat)
            return
        self._pass_on(seat)

    def _pass(self, seat: int) -> None:
        """Pass: instead of taking the pile (CAN-60), or instead of a discard (CAN-63, CAN-64)."""
        self.log.append(("pass", {"seat": seat}, None))
        if self.phase == moves.PHASE_CHOOSE:
            self._end("stock")
        elif not self.has_discard:
            self._end("red3")
        elif not self.stock_left:
            self._end("stock")
        else:
            self._pass_on(seat)

    def _pass_on(self, seat: int) -> None:
        """Continue with the next chair, or end the deal with `endstock=stop` (CAN-60)."""
        if self.took or self.stepped:
            self.melded[seat] = True
        self.turns += 1
        if self.rules.stop and not self.stock_left and self.drained:
            self._end("stock")
            return
        place = self.chairs.index(seat) + self.rules.step
        self.begin(self.chairs[place % len(self.chairs)])

    # ── the end ──────────────────────────────────────────────────────────────────────────────────

    def _go_out(self, seat: int) -> None:
        """Go out with an empty hand (CAN-49), concealed or not (CAN-52 to CAN-54)."""
        in_one_go = not self.melded[seat] and not self.laid_off and (self.took or self.stepped)
        if in_one_go and (self.own_canasta or not self.rules.own_canasta_counts):
            self.concealed = 1
        self.out = seat
        self.log.append(("out", {"seat": seat, "concealed": bool(self.concealed)}, None))
        self._end("out")

    def _end(self, reason: Reason) -> None:
        """End the deal, and score it (CAN-65)."""
        self.reason = reason
        red3 = [len(cards) for cards in self.red3]
        finished = scoring.FinishedDeal(
            self.sides, self.melds, self.hands, red3, self.out, self.concealed
        )
        self.entries = scoring.score(self.rules, finished)
        gained = [entry["total"] for entry in self.entries]
        self.totals = added(self.totals, gained)
        if not self.quiet:
            self.log.append(("end", {"reason": reason}, None))
            data = {
                "sides": [dict(entry) for entry in self.entries],
                "hands": [texts(hand) for hand in self.hands],
                "scores": self.totals[:],
            }
            self.log.append(("score", data, None))
        self.reset_turn()
        self.phase = moves.PHASE_OVER
        self.turn = self.to_act = -1

    def scores(self) -> list[int]:
        """The match's totals by side; in table form `1v2`, by seat."""
        return self.totals[:]

    def sheet(self) -> CanastaSheet:
        return {
            "points": [entry["total"] for entry in self.entries],
            "lines": listing(scoring.lines(self.entries, self.concealed)),
            "reason": cast("Reason", self.reason),
            "out": None if self.out < 0 else self.out,
            "concealed": bool(self.concealed),
            "sides": [side[:] for side in self.sides],
            "scores": self.totals[:],
        }

    def result(self, stop: str) -> dict[str, Any] | None:
        """The result of the match, or None if another deal follows (CAN-66 to CAN-68)."""
        outcome = scoring.outcome(self.rules, self.number, self.totals, stop)
        if outcome is not None:
            winners = outcome["winners"]
            result: dict[str, Any] = {"scores": outcome["scores"]}
            if len(winners) == 1:
                result["winner"] = winners[0]
            else:
                result["draw"] = winners
            result["settlement"] = outcome["settlement"]
            result["reason"] = outcome["reason"]
            self.log.append(("match", result, None))
        return outcome

    def view(self, seat: int) -> CanastaView:
        """What a seat sees (CAN-94 to CAN-96); all cards if `seat` is -1."""
        return view.seat_view(self, seat)
