from engine.score_sheet import ScoreLine, added, listing, total

SHEET = [
    ScoreLine("aces", "CAS-29", "aces", [1, 2]),
    ScoreLine("cards", "CAS-29", "most cards", [0, 3]),
]


def test_points_add_up_by_side() -> None:
    assert total(SHEET, 2) == [1, 5]
    assert total([], 3) == [0, 0, 0]
    assert added([10, 20], [1, -5]) == [11, 15]


def test_lines_as_json_are_copies() -> None:
    lines = listing(SHEET)
    assert lines[1] == {"key": "cards", "clause": "CAS-29", "for": "most cards", "points": [0, 3]}
    lines[1]["points"].append(9)
    assert SHEET[1].points == [0, 3]
