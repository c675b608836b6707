from engine.events import deep_copy, event_for

DEAL = ("deal", {"dealer": 1, "table": ["6C"]}, {0: {"hand": ["AS"]}, 1: {"hand": ["KD"]}})


def test_each_seat_sees_only_its_own_hidden_part() -> None:
    assert event_for(DEAL, 0) == {"type": "deal", "dealer": 1, "table": ["6C"], "hand": ["AS"]}
    assert event_for(DEAL, 1)["hand"] == ["KD"]
    assert "hand" not in event_for(DEAL, 2)


def test_spectators_see_all_hidden_parts() -> None:
    assert event_for(DEAL, None)["hidden"] == {"0": {"hand": ["AS"]}, "1": {"hand": ["KD"]}}
    assert event_for(("sweep", {"seat": 0}, None), None) == {"type": "sweep", "seat": 0}


def test_shown_events_are_copies() -> None:
    event_for(DEAL, 0)["table"].append("7C")
    event_for(DEAL, 0)["hand"].append("7C")
    assert event_for(DEAL, 0)["table"] == ["6C"]
    assert event_for(DEAL, 0)["hand"] == ["AS"]
    assert deep_copy({"a": (1, [2])}) == {"a": [1, [2]]}
