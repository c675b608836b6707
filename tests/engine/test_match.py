import json
from random import Random
from typing import Any

import pytest

from engine import Format, IllegalMove, Match
from engine.cards import pack, texts
from engine.shuffle import shuffled

FORMAT = "cassino/standard/1v1"


def played(match: Any, seed: Any = "play") -> Any:
    rng = Random(seed)
    while match.turn is not None:
        match.play(rng.choice(match.legal_moves()))
    return match


def test_a_match_needs_a_seed_or_decks() -> None:
    with pytest.raises(ValueError, match="either a seed or decks"):
        Match(FORMAT)
    with pytest.raises(ValueError, match="either a seed or decks"):
        Match(FORMAT, seed="x", decks=[texts(pack())])
    with pytest.raises(ValueError, match="A seed is text"):
        Match(FORMAT, seed=3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="decks is empty"):
        Match(FORMAT, decks=[])
    with pytest.raises(ValueError, match="decks is a list"):
        Match(FORMAT, decks=5)  # type: ignore[arg-type]


def test_a_seed_that_has_no_utf_8_is_refused_with_a_sentence() -> None:
    message = "valid UTF-8; character 1 is half a surrogate pair"
    with pytest.raises(ValueError, match=message) as caught:
        Match(FORMAT, seed="a\ud800")
    assert not isinstance(caught.value, UnicodeError)
    with pytest.raises(ValueError, match=message):
        Match.from_position(FORMAT, {"seed": "a\ud800", "hands": [["6C"]]})
    assert Match(FORMAT, seed="\u2663 \U0001f0a1").turn == 0


def test_a_wrong_deck_is_refused_with_a_reason() -> None:
    deck = ["6C", *texts(pack())[1:]]
    with pytest.raises(ValueError, match=r"Deck 1 is not a whole deck.*missing AC, too many 6C"):
        Match(FORMAT, decks=[texts(pack()), deck])


def test_explicit_decks_end_the_match_when_they_run_out() -> None:
    match = played(Match(f"{FORMAT}?target=99", decks=[texts(pack())] * 2))
    assert match.result["reason"] == "decks"
    assert [deal["deal"] for deal in match.deals] == [0, 1]
    assert match.deals[1]["deck"] == texts(pack())
    assert match.deals_since(1) == match.deals[1:]


def test_each_deal_is_stored_with_its_deck_also_in_copies() -> None:
    match = Match(f"{FORMAT}?target=99", seed="decks")
    copy = match.copy()
    start = {"hands": [["6C"], ["7C"]], "seed": "decks"}
    longer = played(Match.from_position(f"{FORMAT}?target=99", start))
    decks = [texts(shuffled(pack(), "decks", number)) for number in range(50)]
    for match_or_copy in (match, copy):
        booked = [deal["deck"] for deal in played(match_or_copy).deals]
        assert len(booked) > 1
        assert booked == decks[: len(booked)]
    booked = [deal["deck"] for deal in longer.deals]
    assert len(booked) > 1
    assert booked == [None, *decks[1 : len(booked)]]  # earlier deals are unknown


def test_the_limit_of_deals_applies_before_a_missing_deck() -> None:
    match = played(Match(f"{FORMAT}?deals=1", decks=[texts(pack())]))
    assert match.result["reason"] == "deals"


def test_an_illegal_move_names_its_clause_and_changes_nothing() -> None:
    match = Match(FORMAT, seed="demo")
    state = match.view(None), match.events(None), match.moves
    with pytest.raises(IllegalMove) as caught:
        match.play("AC")  # CAS-6: not in the hand
    assert isinstance(caught.value, ValueError)
    assert (caught.value.move, caught.value.clause) == ("AC", "CAS-6")
    assert (match.view(None), match.events(None), match.moves) == state
    with pytest.raises(IllegalMove, match="a move is text"):
        match.play(None)  # type: ignore[arg-type]
    assert not match.is_legal(7)  # type: ignore[arg-type]


def test_after_the_end_moves_are_refused_and_views_stay() -> None:
    match = played(Match(f"{FORMAT}?deals=1", seed="demo"))
    assert match.turn is None
    assert match.legal_moves() == []
    assert not match.truncated
    assert not match.is_legal("6C")
    with pytest.raises(IllegalMove, match="the match is over"):
        match.play("6C")
    view = match.view(1)
    assert view["turn"] is view["to_act"] is None
    assert view["deal"] == 0
    assert view["scores"] == match.scores == match.result["scores"]


def test_results_views_and_moves_are_copies() -> None:
    match = played(Match(FORMAT, seed="demo"))
    match.result["scores"].clear()
    match.view(0)["captured"].clear()
    match.deals[0]["sheet"].clear()
    match.moves.clear()
    assert match.result["scores"]
    assert match.view(0)["captured"]
    assert match.deals[0]["sheet"]["points"]
    assert match.moves
    running = Match(FORMAT, seed="demo")
    running.legal_moves().clear()
    assert running.legal_moves()


def test_a_seat_that_does_not_exist_has_no_view() -> None:
    with pytest.raises(ValueError, match="There is no seat 2; seats are 0 to 1"):
        Match(FORMAT, seed="demo").view(2)


def test_events_can_be_read_from_a_position() -> None:
    match = Match(FORMAT, seed="demo")
    assert [event["type"] for event in match.events(0)] == ["deal"]
    move = match.legal_moves()[0]
    match.play(move)
    assert match.events(0, 1)[0] == {"type": "move", "seat": 0, "move": move}
    assert match.events(0, 99) == []


def test_step_stops_at_the_end_of_a_deal_and_proceed_deals_again() -> None:
    match = Match(f"{FORMAT}?target=99", seed="demo")
    rng = Random(1)
    while match.view(0)["turn"] is not None:
        match.step(rng.choice(match.legal_moves()))
    assert match.result is None
    assert match.view(0)["stock"] == 0
    assert match.deals == []
    match.proceed()
    assert match.turn == 1  # CAS-5: the next seat deals, so seat 1 acts first
    assert len(match.deals) == 1


def test_a_position_continues_after_its_deal_only_with_a_seed() -> None:
    state = {"hands": [["6C"], ["7C"]], "table": ["6D"], "scores": [3, 4]}
    match = Match.from_position(FORMAT, state)
    match.play("6Cx6D")
    match.play("7C")
    assert match.result
    assert match.result["reason"] == "position"
    assert match.deals[0]["deck"] is None
    longer = Match.from_position(FORMAT, {**state, "seed": "go on"})
    longer.play("6Cx6D")
    longer.play("7C")
    assert longer.result is None
    assert longer.view(0)["deal"] == 1
    deck = longer._deck(1)
    assert deck
    assert deck == Match(FORMAT, seed="go on")._deck(1)


def test_invalid_positions_are_refused() -> None:
    with pytest.raises(ValueError, match="JSON object"):
        Match.from_position(FORMAT, [])  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="seed is text"):
        Match.from_position(FORMAT, {"seed": 3, "hands": [["6C"]]})


def test_a_sample_changes_only_hidden_cards() -> None:
    match = Match("cassino/royal/2v2", seed="demo")
    hands = {str(match.sample(0, Random(seed)).view(None)["hands"]) for seed in range(5)}
    assert len(hands) == 5
    for seed in range(5):
        sample = match.sample(0, Random(seed))
        assert json.dumps(sample.view(0)) == json.dumps(match.view(0))
        assert played(sample).result["reason"] == "target"
    assert Match.from_view(match.view(None), Random(1)).view(None) == match.view(None)


def test_a_match_takes_a_format_or_its_text() -> None:
    fmt = Format.parse(FORMAT)
    assert Match(fmt, seed="a").view(None) == Match(FORMAT, seed="a").view(None)


@pytest.mark.parametrize("change", [{"hand": None}, {"table": 5}, {"seat": "x"}, {"format": None}])
def test_an_invalid_view_is_refused_with_a_reason(change: dict[str, Any]) -> None:
    view = Match("cassino/standard/1v1", seed="s").view(0)
    with pytest.raises(ValueError, match=r"\S"):
        Match.from_view(view | change, Random(1))
    del view[next(iter(change))]
    with pytest.raises(ValueError, match="not a view"):
        Match.from_view(view, Random(1))
