"""Playouts, sketches and codes, compared with play by texts."""

from __future__ import annotations

from random import Random

import pytest

from engine import Format, Match, all_formats, registry
from engine.deals import CODES, BaseDeal, digest
from tests.engine.behaviour import other_formats
from tests.engine.highcard import GAME

FORMATS = [str(fmt) for fmt in all_formats()]
OPTIONS = [str(fmt) for name in registry.BUILT_IN for fmt in other_formats(registry.game(name))]
MAIN_FORMATS = [
    "cassino/standard/1v1",
    "canasta/classic/2v2",
    "spoon-eye/standard/1v1",
    "zwicker/grupp/1v1",
    "paks/standard/1v1",
]


@pytest.mark.parametrize("text", [*FORMATS, *OPTIONS])
def test_a_move_has_one_code_in_all_positions(text: str) -> None:
    """A match played by codes has the same moves, events and end."""
    rng = Random(text)
    match = Match(text, seed="codes")
    coded_match = Match(text, seed="codes")
    codes_by_move: dict[str, int] = {}
    for _ in range(120):
        legal, codes = match.legal_moves(), coded_match.codes()
        assert len(codes) == len(legal) == len(set(codes))
        assert all(0 <= code <= CODES for code in codes)
        for move, code in zip(legal, codes, strict=True):
            assert codes_by_move.setdefault(move, code) == code
        if not codes:
            break
        index = rng.randrange(len(codes))
        assert match.code(legal[index]) == codes[index]
        assert coded_match.spell(codes[index]) == legal[index]
        match.play(legal[index])
        coded_match.play_code(codes[index])
    assert coded_match.moves == match.moves
    assert coded_match.events(None) == match.events(None)
    assert coded_match.view(None) == match.view(None)


STORED_CODES = {
    "cassino/standard/1v1": [549546891643658389, 50746399284295003, 807675853602315421],
    "canasta/classic/2v2": [686451886407541101],
    "spoon-eye/standard/1v1": [686451886407541101, 1099465599053728314, 254624394708843622],
    "zwicker/grupp/1v1": [755128284800614668, 279443895530875613, 50746399284295003],
    "paks/standard/1v1": [465394918058297131, 275778160638447233, 1145652157671400572],
}
"""The first codes of a deal, stored earlier."""


@pytest.mark.parametrize("text", MAIN_FORMATS)
def test_codes_are_stable(text: str) -> None:
    """They depend on the move, not on the process or machine."""
    assert Match(text, seed="kept").codes()[:3] == STORED_CODES[text]


@pytest.mark.parametrize("text", MAIN_FORMATS)
@pytest.mark.parametrize("policy", [None, "own"])
def test_a_playout_is_a_match_of_legal_moves(text: str, policy: str | None) -> None:
    """It stops at the end of the deal and equals a match of its moves."""
    match = Match(text, seed="out")
    events = match.events(None)
    scores = match.playout(Random(7), policy)
    assert match.turn is None
    assert match.result is None or match.deals == []
    assert match.scores == scores
    assert (match.moves, match.events(None)) == ([], events)
    assert Match(text, seed="out").playout(Random(7), policy) == scores
    match.proceed()
    assert match.result is not None or match.view(0)["deal"] == 1


@pytest.mark.parametrize("text", MAIN_FORMATS)
def test_a_custom_policy_chooses_each_move(text: str) -> None:
    """Its choices can be played by texts and give the same scores."""
    choices: list[str] = []

    def policy(match: Match, rng: Random) -> int:
        choices.append(match.legal_moves()[int(rng.random() * len(match.codes()))])
        return match.code(choices[-1])

    match, replayed = Match(text, seed="own"), Match(text, seed="own")
    scores = match.playout(Random(3), policy)
    for move in choices:
        replayed.step(move)
    assert replayed.turn is None
    assert replayed.scores == scores
    assert replayed.view(None) == match.view(None)


@pytest.mark.parametrize("text", MAIN_FORMATS)
def test_the_games_policy_beats_random_play(text: str) -> None:
    """Both sides of twelve deals, with random play at the other seats."""
    rng, total_lead = Random(text), 0
    for number in range(24):
        match = Match(text, seed=f"policy {number // 2}")
        side = number % 2

        def policy(match: Match, rng: Random, side: int = side) -> int:
            if match.turn is not None and match.format.side(match.turn) == side:
                return match.favourite(rng)
            return rng.choice(match.codes())

        scores = match.playout(rng, policy)
        total_lead += scores[side] - scores[1 - side]
    assert total_lead > 0


@pytest.mark.parametrize(
    "text",
    [
        *MAIN_FORMATS,
        "cassino/royal/2v2?end=declare&face_pairs=false",
        "zwicker/christiansen/ffa3?trail=forced",
        "zwicker/grupp/ffa5?joker_table=joker&joker_single=true",
        "zwicker/grupp/1v1?trail=forced",
        "canasta/us-official/2v2",
        "canasta/classic/1v1?red3discard=true&red3minus=true",
        "spoon-eye/basic/ffa3",
        "paks/standard/3v3",
    ],
)
def test_moves_of_the_games_policy_are_legal(text: str) -> None:
    """The policy may choose without listing moves; its choice must lead where a legal move does."""
    rng = Random(text)
    match = Match(text, seed="legal").sketch()
    for number in range(150):
        deal = match._deal
        assert isinstance(deal, BaseDeal)
        if match.turn is None or number % 4:
            if match.turn is None:
                match.proceed()
            if match.result is not None:
                break
            match.play_code(match.favourite(rng))
            continue
        positions = []
        for code in match.codes():
            other = match.sketch()
            other.step(other.spell(code))
            positions.append(other.view(None))
        deal.play_own(rng.random)
        assert match.view(None) in positions


def test_a_sketch_does_not_affect_its_match() -> None:
    """It never changes the match, and its copies are sketches, too."""
    match = Match("canasta/classic/2v2", seed="sketch")
    view = match.view(None)
    sketch = match.sketch()
    for _ in range(40):
        sketch.play_code(sketch.codes()[0])
        sketch = sketch.copy()
    assert (sketch.moves, sketch.events(None)) == ([], [])
    assert match.view(None) == view
    with pytest.raises(ValueError, match="not among the listed moves"):
        match.play_code(-1)


def test_a_third_party_game_has_codes_sketches_and_playouts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The game does not define codes, sketches or playouts."""
    monkeypatch.setattr(registry, "game", lambda _: GAME)
    match = Match(Format("highcard", "plain", "ffa3"), seed="other")
    codes = match.codes()
    assert codes == [digest(move) for move in match.legal_moves()]
    sketch = match.sketch()
    sketch.play_code(codes[1])
    assert match.spell(codes[1]) == match.legal_moves()[1]
    assert (sketch.moves, sketch.events(None)) == ([], [])
    assert sum(sketch.playout(Random(1), "own")) > 0
    assert match.playout(Random(2)) == match.scores
    assert len(match.events(None)) == 1
