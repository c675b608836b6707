import pickle

from engine import IllegalMove, RecordError


def test_an_illegal_move_has_its_parts_and_a_short_text() -> None:
    error = IllegalMove("6C" * 500, "CAS-6", "it is not in the hand")
    assert isinstance(error, ValueError)
    assert len(str(error)) < 300
    assert str(error).endswith("(CAS-6)")
    unpickled = pickle.loads(pickle.dumps(error))
    assert (unpickled.move, unpickled.clause, unpickled.reason) == (
        error.move,
        error.clause,
        error.reason,
    )


def test_a_record_error_names_the_move() -> None:
    assert RecordError("x", 4).number == 4
    assert RecordError("x").number is None
