"""The conformance tests pass for a good game and fail for each kind of bad one."""

import importlib.util
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from engine import Format, Match, registry
from engine.cards import CardGroup
from engine.encoding import encoding_of
from engine.figures import Figure
from engine.move_parts import ENDS, NOW, Composed, Composer, MovePart, Refusal, TurnStep
from engine.score_sheet import ScoreLine
from engine.testing import BrokenPromiseError, check_game, check_match, check_record

PATH = Path(__file__).with_name("highcard.py")


@pytest.fixture
def highcard(monkeypatch: Any) -> Any:
    """A third-party game, registered like that of an installed package."""
    spec = importlib.util.spec_from_file_location("highcard_under_test", PATH)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    original_game = registry.game
    monkeypatch.setattr(
        registry, "game", lambda name: module.GAME if name == "highcard" else original_game(name)
    )
    return module


def test_a_third_party_game_with_jokers_and_phases_passes(highcard: Any) -> None:
    assert check_game(highcard.GAME, seeds=("a", "b"), every=1) == 2 * (12 + 18)


def assert_broken(highcard: Any, method: Any) -> Any:
    def change(function: Any) -> Any:
        setattr(highcard.HighDeal, method, function)
        with pytest.raises(BrokenPromiseError) as caught:
            check_game(Format.parse("highcard/plain/1v1"), every=1)
        return str(caught.value)

    return change


def test_a_leaking_view_is_found(highcard: Any) -> None:
    original = highcard.HighDeal.view

    def view(self: Any, seat: Any) -> Any:
        return {**original(self, seat), "next": highcard.texts(self.stock[:1])}

    assert "sees the hidden" in assert_broken(highcard, "view")(view)


@pytest.mark.parametrize(
    ("method", "numbers", "message"),
    [
        ("observe", [0.0], "a view has 1 numbers"),
        ("observe", [2.0], "too large a number"),
        ("describe", [], "a move does not have"),
    ],
)
def test_an_encoding_with_wrong_numbers_is_found(
    highcard: Any, monkeypatch: Any, method: str, numbers: Any, message: str
) -> None:
    encoding = encoding_of(Format.parse("highcard/plain/1v1"))
    wrong_encoding = SimpleNamespace(
        **{
            "names": encoding.names,
            "move_names": encoding.move_names,
            "observe": encoding.observe,
            "describe": encoding.describe,
            method: lambda *_: numbers * (len(encoding.names) if numbers == [2.0] else 1),
        }
    )
    monkeypatch.setattr(highcard.HighCard, "encoding", lambda self, fmt: wrong_encoding)
    with pytest.raises(BrokenPromiseError, match=message):
        check_game(Format.parse("highcard/plain/1v1"))


def test_lost_cards_are_found(highcard: Any) -> None:
    original = highcard.HighDeal.play

    def play(self: Any, move: Any) -> None:
        original(self, move)
        self.stock = self.stock[1:]

    assert "lost or doubled" in assert_broken(highcard, "play")(play)


def test_codes_that_depend_on_the_position_are_found(monkeypatch: Any) -> None:
    original = Match.codes
    monkeypatch.setattr(
        Match, "codes", lambda self: [code + len(self.moves) for code in original(self)]
    )
    with pytest.raises(BrokenPromiseError, match="is not the one it had before"):
        check_game(Format.parse("cassino/standard/1v1"), every=1)


def test_a_dead_end_is_found(highcard: Any) -> None:
    original = highcard.HighDeal.legal
    message = assert_broken(highcard, "legal")(
        lambda self: [] if self.phase == "answer" else original(self)
    )
    assert "dead end" in message


def test_moves_that_are_listed_but_not_legal_are_found(highcard: Any) -> None:
    original = highcard.HighDeal.legal

    def legal(self: Any) -> Any:
        return [*original(self), "fold"]

    def check(self: Any, move: Any) -> None:
        if move not in original(self):
            raise highcard.IllegalMove(move, "HIG-1", "not in the hand")

    highcard.HighDeal.check = check
    assert "listed but not legal" in assert_broken(highcard, "legal")(legal)


def test_a_copy_that_shares_is_found(highcard: Any) -> None:
    original = highcard.HighDeal.copy

    def copy(self: Any, log: Any) -> Any:
        deal = original(self, log)
        deal.hands = self.hands
        return deal

    assert "changed" in assert_broken(highcard, "copy")(copy)


def test_an_illegal_move_that_changes_something_is_found(highcard: Any) -> None:
    original = highcard.HighDeal.play

    def play(self: Any, move: Any) -> None:
        try:
            original(self, move)
        except highcard.IllegalMove:
            self.totals[0] += 1
            raise

    assert "an illegal move changed something" in assert_broken(highcard, "play")(play)


def test_play_after_a_match_without_result_is_found(highcard: Any) -> None:
    match = check_match(Format.parse("highcard/plain/1v1"), "x")
    check_record(match)
    highcard.HighDeal.sheet = lambda self: {"points": [], "lines": []}
    original = highcard.ranks
    highcard.ranks = lambda scores: [rank + 1 for rank in original(scores)]
    with pytest.raises(BrokenPromiseError, match="are not competition ranks"):
        check_match(Format.parse("highcard/plain/1v1"), "x")


@pytest.mark.parametrize(
    ("tally", "message"),
    [
        (lambda view: [ScoreLine("cards", "HIG-1", str(view["laid"]), [0, 0])], "other lines"),
        (lambda view: [ScoreLine("cards", "HIG-1", "cards", [0])], "do not go by side"),
        (lambda view: [ScoreLine("cards", "HIG-1", what, [0, 0]) for what in "ab"], "have one key"),
        (lambda view: [ScoreLine("Most cards", "HIG-1", "cards", [0, 0])], "are lower case"),
    ],
)
def test_a_tally_that_has_no_fixed_shape_is_found(highcard: Any, tally: Any, message: Any) -> None:
    match = check_match(Format.parse("highcard/plain/1v1"), "x")
    check_record(match)
    highcard.HighCard.tally = lambda self, fmt, view: tally(view)
    with pytest.raises(BrokenPromiseError, match=message):
        check_record(match)


@pytest.mark.parametrize(
    ("hook", "value", "message"),
    [
        ("figures", (Figure("Kings laid", "Kings", "deal"),), "figure names must be"),
        ("figures", (Figure("time", "Time", "deal"),), "figure names must be"),
        ("preview", lambda _, view: [CardGroup("laid", ("9X",))], "not in the pack"),
        ("worth", lambda _, view, side: float("nan"), "finite number for each side"),
    ],
)
def test_a_hook_with_an_unprintable_result_is_found(
    highcard: Any, hook: str, value: Any, message: str
) -> None:
    setattr(highcard.HighCard, hook, value)
    with pytest.raises(BrokenPromiseError, match=message):
        check_game(highcard.GAME)


def test_a_line_of_a_sheet_without_a_key_is_found(highcard: Any) -> None:
    line = {"clause": "HIG-1", "for": "cards", "points": [0, 0]}
    highcard.HighDeal.sheet = lambda self: {"points": [0, 0], "lines": [line]}
    match = check_match(Format.parse("highcard/plain/1v1"), "x")
    with pytest.raises(BrokenPromiseError, match="are lower case"):
        check_record(match)


def bad_composer(highcard: Any, **methods: Any) -> str:
    """The broken promise of a composer with these methods."""
    composer = type("Bad", (Composer,), methods)
    highcard.HighCard.composer = lambda _, fmt, view, names: composer(fmt, view, names)
    with pytest.raises(BrokenPromiseError) as caught:
        check_game(Format.parse("highcard/plain/1v1"), every=1)
    return str(caught.value)


def composed(key: str = "", **fields: Any) -> Any:
    return lambda _, move: Composed((MovePart(key or f"choice:{move}", "it"),), "It is.")._replace(
        **fields
    )


def test_moves_with_the_same_parts_are_found(highcard: Any) -> None:
    assert "have the same parts" in bad_composer(highcard, compose=composed("choice:it"))


def test_parts_that_are_not_in_the_view_are_found(highcard: Any) -> None:
    def pickable_parts(_: Any) -> list[MovePart]:
        return [MovePart("hand:it", "it", (("hand", 99),))]

    assert "which is not in the view" in bad_composer(highcard, pickable_parts=pickable_parts)


def test_parts_that_do_not_suffice_are_found(highcard: Any) -> None:
    def compose(_: Any, move: str) -> Composed:
        part = MovePart(f"hand:{move}", "it", (("hand",),))
        return Composed((part, part), "It is.")

    assert "needs too many of" in bad_composer(highcard, compose=compose)


def test_a_move_without_parts_is_found(highcard: Any) -> None:
    assert "has no parts" in bad_composer(highcard, compose=composed(parts=()))


def test_a_move_without_a_sentence_is_found(highcard: Any) -> None:
    assert "in a sentence" in bad_composer(highcard, compose=composed(sentence="Is it?"))


def test_an_unknown_effect_is_found(highcard: Any) -> None:
    assert "is no effect" in bad_composer(highcard, compose=composed(effect="wonders"))


def test_an_invalid_end_is_found(highcard: Any) -> None:
    assert "does not end the deal" in bad_composer(highcard, compose=composed(effect=ENDS))


def test_an_invalid_step_is_found(highcard: Any) -> None:
    def steps(_: Any) -> list[TurnStep]:
        return [TurnStep("lay", "lay a card", NOW)]

    assert "is no step of the turn" in bad_composer(highcard, steps=steps)


def test_a_refusal_without_a_sentence_is_found(highcard: Any) -> None:
    def why_not(_: Any, picked: Any, refuse: Any) -> Refusal:
        return Refusal("Because")

    assert "is not a sentence" in bad_composer(highcard, why_not=why_not)


def test_parts_that_know_too_much_are_found(highcard: Any) -> None:
    counter = iter(range(1_000_000))

    def pickable_parts(_: Any) -> list[MovePart]:
        return [MovePart(f"hand:{next(counter)}", "it")]

    assert "reveal hidden cards" in bad_composer(highcard, pickable_parts=pickable_parts)
