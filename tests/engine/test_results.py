from hypothesis import given
from hypothesis import strategies as st

from engine.results import differences, ranks, reason, result, with_faults


def test_equal_ranks_are_counted_as_1_1_3() -> None:
    assert ranks([5, 5, 1]) == [1, 1, 3]
    assert ranks([1, 9, 9, 9]) == [4, 1, 1, 1]


def test_winners_rank_first_and_a_false_claimer_last() -> None:
    assert ranks([22, 24, 10], winners=[0]) == [1, 2, 3]
    assert ranks([22, 12, 16], winners=[2], last=0) == [3, 2, 1]
    assert ranks([22, 12, 12], winners=[1, 2], last=0) == [3, 1, 1]


def test_a_result_names_its_winners() -> None:
    assert result([3, 4], [2, 1], "target", [-5, 5]) == {
        "scores": [3, 4],
        "ranks": [2, 1],
        "winners": [1],
        "settlement": [-5, 5],
        "reason": "target",
    }


def test_faulty_sides_are_last_together_and_the_others_keep_their_order() -> None:
    final = result([30, 10, 20], [1, 3, 2], "target", [9, -6, -3])
    spoilt = with_faults(final, [30, 10, 20], {0})
    assert spoilt["ranks"] == [3, 2, 1]
    assert spoilt["winners"] == [2]
    assert spoilt["settlement"] is None
    assert spoilt["reason"] == "target"
    assert with_faults(final, [30, 10, 20], {0, 1})["ranks"] == [2, 2, 1]


def test_a_stopped_match_with_a_fault_is_a_forfeit() -> None:
    forfeit = with_faults(None, [3, 8], {1})
    assert (forfeit["ranks"], forfeit["reason"], forfeit["scores"]) == ([1, 2], "forfeit", [3, 8])


def test_the_reason_is_target_then_deals_then_stop() -> None:
    assert reason("decks", reached=True, last=True) == "target"
    assert reason("decks", reached=False, last=True) == "deals"
    assert reason("decks", reached=False, last=False) == "decks"
    assert reason("", reached=False, last=False) == ""


def test_differences_are_paid_between_all_pairs() -> None:
    assert differences([10, 20, 30]) == [-30, 0, 30]
    assert differences([5000, 20]) == [4980, -4980]


@given(st.lists(st.integers(0, 9), min_size=2, max_size=6), st.data())
def test_the_ranks_of_a_result_are_final(scores: list[int], data: st.DataObject) -> None:
    sides = list(range(len(scores)))
    faulty = data.draw(st.sets(st.sampled_from(sides), min_size=1))
    final = result(scores, ranks(scores), "target")
    faulty_ranks = with_faults(final, scores, faulty)["ranks"]
    sound = [side for side in sides if side not in faulty]
    assert all(faulty_ranks[side] == 1 + len(sound) for side in faulty)
    assert [faulty_ranks[side] for side in sound] == ranks([scores[side] for side in sound])
    repeated = with_faults(result(scores, faulty_ranks, "target"), scores, faulty)
    assert repeated["ranks"] == faulty_ranks
