"""Questions contain only a seat's knowledge; replies are parsed tolerantly."""

from __future__ import annotations

from random import Random

import pytest

from engine import Format, Match
from engine.cards import texts
from tests.tournaments.measure.fake_endpoint import numbers
from tournaments.measure.prompts import question, read_reply, system_prompt

FORMATS = [
    "cassino/standard/2v2?deals=1",
    "canasta/classic/1v2",
    "spoon-eye/standard/ffa3",
    "zwicker/grupp/1v1",
    "paks/standard/3v3",
]


def position_after(fmt: str, moves: int) -> Match:
    match, rng = Match(fmt, seed="prompt"), Random(moves)
    for _ in range(moves):
        match.play(rng.choice(match.legal_moves()))
    return match


@pytest.mark.parametrize("fmt", FORMATS)
def test_a_question_numbers_every_legal_move(fmt: str) -> None:
    for moves in (0, 7, 20):
        match = position_after(fmt, moves)
        text = question(match, match.turn or 0, 0)
        legal = match.legal_moves()
        assert numbers(text) == [str(number) for number in range(1, len(legal) + 1)]
        assert all(f"\n{n}. {move} – " in text for n, move in enumerate(legal, 1))
        assert all(card in text for card in match.view(match.turn)["hand"])


@pytest.mark.parametrize("fmt", FORMATS)
def test_a_question_does_not_depend_on_hidden_cards(fmt: str) -> None:
    form = Format.parse(fmt)
    deck = texts(form.spec.pack(form))
    Random(1).shuffle(deck)
    match = Match(form, decks=[deck])
    seat, stock = match.turn or 0, match.view(0)["stock"]
    other = match.view((seat + 1) % form.seats)["hand"][-1]
    changed_deck = deck[:-stock] + deck[-stock:][::-1]
    position, last_position = changed_deck.index(other), len(changed_deck) - 1
    changed_deck[position], changed_deck[last_position] = (
        changed_deck[last_position],
        changed_deck[position],
    )
    elsewhere = Match(form, decks=[changed_deck])
    assert (
        elsewhere.view((seat + 1) % form.seats)["hand"]
        != match.view((seat + 1) % form.seats)["hand"]
    )
    assert question(elsewhere, seat, 0) == question(match, seat, 0)


@pytest.mark.parametrize("fmt", FORMATS)
def test_the_prompt_has_the_rule_sheet_goal_and_options(fmt: str) -> None:
    text = system_prompt(Format.parse(fmt))
    assert Format.parse(fmt).words in text
    assert "in two minutes" in text
    assert ("deals = 1" in text) == ("deals=1" in fmt)


def test_replies() -> None:
    match = Match("cassino/standard/1v1", seed="any text")
    legal = match.legal_moves()
    assert legal[:3] == ["ASxAC", "7DxAC,6C", "AS"]
    for reply in ("2", " 2.\n", "**2**", "I take the ace.\n\nMove: 2", "Answer: `7DxAC,6C`", "(2)"):
        assert read_reply(reply, match, cut=False).move == "7DxAC,6C", reply
    for reply in ("7DxAC,6C", '"7DxAC,6C"', "My final move is\n7DxAC,6C"):
        assert read_reply(reply, match, cut=False).move == "7DxAC,6C", reply


@pytest.mark.parametrize(
    ("reply", "problem"),
    [
        ("", "unreadable"),
        ("\n \n", "unreadable"),
        ("I would rather not play.", "unreadable"),
        ("1 or 2", "unreadable"),
        ("7" * 10_000, "unreadable"),
        ("0", "illegal"),
        ("513", "illegal"),
        ("KDxKS", "illegal"),
        ("\u0661", "illegal"),
    ],
)
def test_replies_without_a_legal_move(reply: str, problem: str) -> None:
    match = Match("cassino/standard/1v1", seed="any text")
    parsed = read_reply(reply, match, cut=False)
    assert (parsed.move, parsed.problem) == (None, problem)
    assert 0 < len(parsed.reason) < 1_000


def test_a_cut_reply_is_not_parsed() -> None:
    match = Match("cassino/standard/1v1", seed="any text")
    parsed = read_reply("2", match, cut=True)
    assert (parsed.move, parsed.problem) == (None, "truncated")
