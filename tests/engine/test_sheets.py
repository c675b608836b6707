from engine.sheets import Line, added, listing, total

SHEET: list[Line] = [("CAS-29", "aces", [1, 2]), ("CAS-29", "sweeps", [0, 3])]


def test_points_add_up_by_side() -> None:
    assert total(SHEET, 2) == [1, 5]
    assert total([], 3) == [0, 0, 0]
    assert added([10, 20], [1, -5]) == [11, 15]


def test_lines_as_json_share_nothing_with_the_sheet() -> None:
    shown = listing(SHEET)
    assert shown[0] == {"clause": "CAS-29", "for": "aces", "points": [1, 2]}
    shown[0]["points"].append(9)
    assert SHEET[0][2] == [1, 2]
