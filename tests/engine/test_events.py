from engine.events import fresh, shown

DEAL = ("deal", {"dealer": 1, "table": ["6C"]}, {0: {"hand": ["AS"]}, 1: {"hand": ["KD"]}})


def test_each_seat_sees_its_own_hidden_part_only() -> None:
    assert shown(DEAL, 0) == {"type": "deal", "dealer": 1, "table": ["6C"], "hand": ["AS"]}
    assert shown(DEAL, 1)["hand"] == ["KD"]
    assert "hand" not in shown(DEAL, 2)


def test_spectators_see_all_hidden_parts() -> None:
    assert shown(DEAL, None)["hidden"] == {"0": {"hand": ["AS"]}, "1": {"hand": ["KD"]}}
    assert shown(("sweep", {"seat": 0}, None), None) == {"type": "sweep", "seat": 0}


def test_what_is_shown_can_be_changed_without_harm() -> None:
    shown(DEAL, 0)["table"].append("7C")
    shown(DEAL, 0)["hand"].append("7C")
    assert shown(DEAL, 0)["table"] == ["6C"]
    assert shown(DEAL, 0)["hand"] == ["AS"]
    assert fresh({"a": (1, [2])}) == {"a": [1, [2]]}
