"""Parts that people pick in Canasta, their sentences and what they bind."""

from typing import Any

from engine import Match
from engine.move_options import OfferedMove, decide

CLASSIC = "canasta/classic/2v2"


def at(text: str = CLASSIC, **state: Any) -> Match:
    """A position before the draw."""
    return Match.from_position(text, {"seat": 0, "phase": "choose", "stock": 40, **state})


def drawn(text: str = CLASSIC, **state: Any) -> Match:
    """A position after the draw of a four."""
    match = at(text, stock_top=["4C"], **state)
    match.play("draw")
    return match


def offers(match: Match, seat: int = 0) -> dict[str, OfferedMove]:
    return {offer.move: offer for offer in decide(match, seat).offers}


def test_cards_of_a_kind_are_one_part() -> None:
    match = drawn(hand=["KC", "KD", "KH", "2S", "9C"], melds={"0": [], "1": []}, pile=["5C"])
    decision = decide(match, 0)
    kings = next(part for part in decision.parts if part.key == "hand:K")
    assert len(kings.where) == 3
    moves = {offer.move: offer for offer in decision.offers}
    opening = moves["K:KK2"]
    assert opening.parts == ("hand:K", "hand:K", "hand:2", "new:meld")
    assert (
        opening.sentence == "You meld two kings and a two. Your first meld still needs 10 points."
    )
    assert moves["-K"].parts == ("hand:K", "pile")
    assert moves["-2"].sentence == "You discard a two. It freezes the pile."
    assert [step.state for step in decision.steps] == ["done", "now", "next"]


def test_parts_for_taking_the_pile() -> None:
    hand = ["4C", "5C", "6D", "7S", "7H", "9D", "9S", "KC", "KD", "KH", "X"]
    match = at(hand=hand, melds={"0": [], "1": []}, pile=["8C", "TD", "7D"], frozen=False)
    moves = offers(match)
    assert moves["draw"].parts == ("stock",)
    taking = moves["take:77"]
    assert taking.parts == ("pile", "hand:7", "hand:7", "new:meld")
    assert taking.sentence == (
        "You take the pile of 3 cards: 7♦ with two sevens. Your first meld still needs 35 points."
    )


CANASTA = ["7C", "7D", "7H", "7S", "7C", "7D", "7H"]


def test_going_out_is_announced() -> None:
    match = drawn(hand=["7S"], melds={"0": [CANASTA], "1": []}, pile=["5C"])
    match.play("7:7")
    discard = offers(match)["-4"]
    assert (discard.effect, discard.step) == ("out", "discard")
    assert discard.warning == "You go out with this, and the deal ends."


def test_a_canasta_is_announced() -> None:
    match = drawn(hand=["7S", "9C", "9D"], melds={"0": [CANASTA[:6]], "1": []}, pile=["5C"])
    assert offers(match)["7:7"].sentence == "You add a seven to your sevens. It becomes a canasta."


def test_asking_and_answering_bind() -> None:
    match = drawn(hand=["9C", "9D", "9H"], melds={"0": [CANASTA], "1": []}, pile=["5C"])
    assert offers(match)["ask"].effect == "binds"
    match.play("ask")
    replies = offers(match, 2)
    assert [offer.step for offer in replies.values()] == ["answer", "answer"]
    assert replies["yes"].warning == "Your answer binds: South must go out in this turn."


def test_black_threes_bind() -> None:
    hand = ["3C", "3S", "3C", "9C", "9D", "9H"]
    match = drawn(hand=hand, melds={"0": [CANASTA], "1": []}, pile=["5C"])
    threes = offers(match)["3:333"]
    assert (threes.clause, threes.effect) == ("CAN-40", "binds")


def test_several_melds_of_a_rank_are_distinguished() -> None:
    melds = {"0": [["KC", "KD", "KH"], ["KC", "KD", "2H"]], "1": []}
    match = drawn("canasta/pre-1951/2v2", hand=["KS", "9C", "9D"], melds=melds, pile=["5C"])
    moves = offers(match)
    assert moves["K#2:K"].parts == ("hand:K", "meld:0:K#2")
    assert moves["K#2:K"].sentence == "You add a king to your kings (meld 2)."
