"""Playouts, sketches and codes: what a search plays with, against play by texts."""

from __future__ import annotations

from random import Random

import pytest

from engine import Format, Match, all_formats, registry
from engine.deals import CODES, BaseDeal, digest
from tests.engine.behaviour import other_formats
from tests.engine.highcard import GAME

FORMATS = [str(fmt) for fmt in all_formats()]
OPTIONS = [str(fmt) for name in registry.BUILT_IN for fmt in other_formats(registry.game(name))]
MAIN = [
    "cassino/standard/1v1",
    "canasta/classic/2v2",
    "spoon-eye/standard/1v1",
    "zwicker/grupp/1v1",
    "paks/standard/1v1",
]


@pytest.mark.parametrize("text", [*FORMATS, *OPTIONS])
def test_a_move_has_one_code_in_all_positions(text: str) -> None:
    """And played by codes a match has the same moves, events and end."""
    rng = Random(text)
    match = Match(text, seed="codes")
    by_code = Match(text, seed="codes")
    known: dict[str, int] = {}
    for _ in range(120):
        listed, codes = match.legal_moves(), by_code.codes()
        assert len(codes) == len(listed) == len(set(codes))
        assert all(0 <= code <= CODES for code in codes)
        for move, code in zip(listed, codes, strict=True):
            assert known.setdefault(move, code) == code
        if not codes:
            break
        at = rng.randrange(len(codes))
        assert match.code(listed[at]) == codes[at]
        assert by_code.spell(codes[at]) == listed[at]
        match.play(listed[at])
        by_code.play_code(codes[at])
    assert by_code.moves == match.moves
    assert by_code.events(None) == match.events(None)
    assert by_code.view(None) == match.view(None)


KEPT = {
    "cassino/standard/1v1": [549546891643658389, 50746399284295003, 807675853602315421],
    "canasta/classic/2v2": [686451886407541101],
    "spoon-eye/standard/1v1": [686451886407541101, 1099465599053728314, 254624394708843622],
    "zwicker/grupp/1v1": [755128284800614668, 279443895530875613, 50746399284295003],
    "paks/standard/1v1": [465394918058297131, 275778160638447233, 1145652157671400572],
}
"""The first codes of a deal, written down on another day."""


@pytest.mark.parametrize("text", MAIN)
def test_codes_can_be_kept(text: str) -> None:
    """They are of the move, and neither of the process nor of the machine."""
    assert Match(text, seed="kept").codes()[:3] == KEPT[text]


@pytest.mark.parametrize("text", MAIN)
@pytest.mark.parametrize("policy", [None, "own"])
def test_a_playout_is_a_match_of_legal_moves(text: str, policy: str | None) -> None:
    """It stops at the end of the deal, and gives what a match of its moves gives."""
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


@pytest.mark.parametrize("text", MAIN)
def test_a_policy_of_ones_own_chooses_each_move(text: str) -> None:
    """What it chose can be played by texts, and ends in the same scores."""
    chosen: list[str] = []

    def policy(match: Match, rng: Random) -> int:
        chosen.append(match.legal_moves()[int(rng.random() * len(match.codes()))])
        return match.code(chosen[-1])

    match, same = Match(text, seed="own"), Match(text, seed="own")
    scores = match.playout(Random(3), policy)
    for move in chosen:
        same.step(move)
    assert same.turn is None
    assert same.scores == scores
    assert same.view(None) == match.view(None)


@pytest.mark.parametrize("text", MAIN)
def test_the_own_policy_beats_chance(text: str) -> None:
    """Both sides of twelve deals, the other seats playing at random."""
    rng, gained = Random(text), 0
    for number in range(24):
        match = Match(text, seed=f"policy {number // 2}")
        side = number % 2

        def policy(match: Match, rng: Random, side: int = side) -> int:
            if match.turn is not None and match.format.side(match.turn) == side:
                return match.favourite(rng)
            return rng.choice(match.codes())

        scores = match.playout(rng, policy)
        gained += scores[side] - scores[1 - side]
    assert gained > 0


@pytest.mark.parametrize(
    "text",
    [
        *MAIN,
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
def test_moves_of_the_own_policy_are_legal(text: str) -> None:
    """It lists none, or not all: each leads where one of the legal moves leads."""
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
        after = []
        for code in match.codes():
            other = match.sketch()
            other.step(other.spell(code))
            after.append(other.view(None))
        deal.play_own(rng.random)
        assert match.view(None) in after


def test_a_sketch_goes_its_own_way() -> None:
    """Nothing it does reaches the match, and its copies are sketches too."""
    match = Match("canasta/classic/2v2", seed="sketch")
    before = match.view(None)
    sketch = match.sketch()
    for _ in range(40):
        sketch.play_code(sketch.codes()[0])
        sketch = sketch.copy()
    assert (sketch.moves, sketch.events(None)) == ([], [])
    assert match.view(None) == before
    with pytest.raises(ValueError, match="not among the listed moves"):
        match.play_code(-1)


def test_a_game_of_somebody_else_has_them_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """It need know nothing of codes, sketches and playouts."""
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
