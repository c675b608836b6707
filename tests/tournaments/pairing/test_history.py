"""The history of rounds for pairing by points."""

from __future__ import annotations

from dataclasses import replace

from tournaments.pairing import Meeting, State
from tournaments.pairing.history import PairingHistory, byes


def test_points_meetings_and_byes_are_counted() -> None:
    rounds = (
        (Meeting((0, 3), (1.5, 0.5), (9.0, -9.0), 2), Meeting((4, 1), (1.0, 1.0), (0.0, 0.0), 2)),
        (Meeting((2, 0), (0.25, 1.75), (-3.0, 3.0), 2), Meeting((3, 1), groups=0)),
    )
    state = State(entrants=5, sides=2, seed="s", rounds=rounds, groups=2)
    history = PairingHistory.from_state(state)
    assert history.points == (3.25, 1.0, 2.25, 0.5, 3.0)
    assert history.byes == (0, 0, 1, 0, 1)
    assert history.meetings == {(0, 3): 1, (1, 4): 1, (0, 2): 1}  # a void meeting may be repeated
    assert not history.partnerships
    assert byes(state) == (0.0, 0.0, 2.0, 0.0, 2.0)


def test_partners_share_points_and_several_byes_count_half() -> None:
    meeting = Meeting((4, 0, 2, 5), (1.0, 0.0), (1.0, -1.0), 1)
    state = State(entrants=6, sides=2, seed="s", sizes=(2, 2), rounds=((meeting,),))
    history = PairingHistory.from_state(state)
    assert history.points == (1.0, 0.5, 0.0, 0.5, 1.0, 0.0)
    assert history.partnerships == {(0, 4): 1, (2, 5): 1}
    assert history.meetings == {(2, 4): 1, (4, 5): 1, (0, 2): 1, (0, 5): 1}


def test_departed_entrants_get_no_byes_for_later_rounds() -> None:
    def game(a: int, b: int) -> Meeting:
        return Meeting((a, b), (1.0, 0.0), (1.0, -1.0), 1)

    rounds = ((game(0, 1),), (game(1, 2),), (game(1, 3),), (game(1, 2),))
    state = State(entrants=4, sides=2, seed="s", rounds=rounds)
    assert byes(state) == (3.0, 0.0, 2.0, 3.0)
    assert byes(replace(state, present=frozenset({1, 2}))) == (0.0, 0.0, 2.0, 2.0)


def test_equal_sums_of_shares_are_equal_scores() -> None:
    thirds = tuple((Meeting((0, 1, 2), (1 / 3, 2 / 3, 0.5), (0.0,) * 3, 1),) for _ in range(3))
    one_round = (Meeting((3, 4, 5), (1.0, 2.0, 1.5), (0.0,) * 3, 1),)
    rounds = tuple((a[0], b) for a, b in zip(thirds[:1], one_round, strict=True)) + thirds[1:]
    state = State(entrants=6, sides=3, seed="s", rounds=rounds, present=frozenset({0, 1, 2}))
    scores = PairingHistory.from_state(state).scores
    assert scores[:3] == scores[3:]


def test_departed_entrants_keep_their_earlier_byes() -> None:
    def game(a: int, b: int) -> Meeting:
        return Meeting((a, b), (1.0, 0.0), (1.0, -1.0), 1)

    rounds = ((game(0, 1),), (game(0, 1),), (game(0, 1),))
    state = State(3, 2, "s", rounds, present=frozenset({0, 1}), departures={2: 2})
    assert byes(state) == (0.0, 0.0, 2.0)  # it has never played
    assert byes(replace(state, departures={})) == (0.0, 0.0, 0.0)
    assert byes(replace(state, present=None)) == (0.0, 0.0, 3.0)  # before it left
