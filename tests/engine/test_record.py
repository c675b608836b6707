import json
from random import Random
from typing import Any

import pytest

from engine import Match, Record, RecordError, rules
from engine.results import with_faults


@pytest.fixture
def match() -> Any:
    match = Match("cassino/standard/2v2?target=11", seed="a record")
    rng = Random(3)
    while match.turn is not None:
        match.play(rng.choice(match.legal_moves()))
    return match


def test_a_record_survives_json_and_verifies(match: Any) -> None:
    record = Record.from_json(Record.of(match, [{"name": name} for name in "ABCD"]).dumps())
    assert record.verify().result == match.result
    data = json.loads(record.dumps())
    assert list(data) == [
        *("cardroom", "format", "seed", "rules", "players", "moves", "clock_ms"),
        *("notes", "faults", "result"),
    ]
    assert data["players"][3] == {"name": "D"}


def test_the_first_illegal_move_is_named(match: Any) -> None:
    record = Record.of(match)
    record.moves[17], record.moves[30] = "out", "out"
    with pytest.raises(
        RecordError, match=r"Move 18 \(moves\[17\]\) does not follow: 'out' is not legal"
    ) as caught:
        record.verify()
    assert caught.value.number == 17


def test_extra_and_missing_moves_are_found(match: Any) -> None:
    record = Record.of(match)
    record.moves.append("6C")
    with pytest.raises(RecordError, match="comes after the end"):
        record.verify()
    record = Record.of(match)
    record.moves.pop()
    with pytest.raises(RecordError, match="do not end the match"):
        record.verify()


@pytest.mark.parametrize("key", ["scores", "ranks", "winners", "settlement", "reason"])
def test_every_field_of_the_result_is_checked(match: Any, key: Any) -> None:
    record = Record.of(match)
    record.result = {**(record.result or {}), key: "something else"}
    with pytest.raises(RecordError, match=f"The result's {key} do(es)? not follow"):
        record.verify()
    record.result = {**(match.result or {}), "extra": 1}
    with pytest.raises(RecordError, match="no rule gives: extra"):
        record.verify()
    record.result = None
    with pytest.raises(RecordError, match="the record has no result"):
        record.verify()


def test_a_match_with_faults_is_checked_with_the_faulty_side_last(match: Any) -> None:
    record = Record.of(match)
    winner = match.result["winners"][0]
    record.faults = [{"seat": winner + 2, "kind": "crash", "n": 5}]  # the partner's fault
    with pytest.raises(RecordError, match="ranks do not follow"):
        record.verify()
    record.result = with_faults(match.result, match.scores, {winner})
    record.verify()
    assert record.result["ranks"][winner] == 2
    record.faults = [{"seat": 4, "kind": "crash"}]
    with pytest.raises(RecordError, match="no such seat"):
        record.verify()


def test_a_forfeited_match_may_stop_early(match: Any) -> None:
    record = Record.of(match)
    del record.moves[10:]
    record.faults = [{"seat": 1, "kind": "time"}]
    record.result = with_faults(None, [0, 0], {1})
    record.verify()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"cardroom": 2}, 'starts with "cardroom": 1'),
        ({"format": "cassino/standard/4"}, "No table form is called 4"),
        ({"format": None}, "format is text"),
        ({"seed": 5}, "seed is text"),
        ({"seed": "\ud800"}, "character 0 is half a surrogate pair"),
        ({"players": []}, "4 seats, but the record has 0 players"),
        ({"moves": "6C"}, "moves is a list"),
        ({"moves": ["6C", 5]}, "Move 2 (moves[1]) is not text"),
        ({"faults": [3]}, "a fault is an object"),
        ({"clock_ms": {}}, "clock_ms is a list"),
        ({"result": []}, "result is an object"),
        ({"rng": 7}, "rng is text of at most 200 characters; here it is 7"),
        ({"rng": "r" * 201}, "rng is text of at most 200 characters"),
        ({"rng": "\ud800"}, "a record's rng"),
        ({"rules": 2}, "a record's rules is a version of the rules with its digest"),
        ({"rules": "1 " + "a" * 39}, "at most 40 characters"),
        ({"rules": "\ud800"}, "a record's rules"),
    ],
)
def test_malformed_records_are_refused_with_a_reason(match: Any, change: Any, message: Any) -> None:
    data = Record.of(match).to_json() | change
    with pytest.raises(RecordError) as caught:
        Record.from_json(data).verify()
    assert message.lower() in str(caught.value).lower()


def test_a_record_may_have_a_secret_for_its_seats(match: Any) -> None:
    record = Record.of(match)
    assert "rng" not in record.to_json()  # records without it are unchanged
    assert Record.from_json(record.dumps()).rng is None
    record.rng = "r" * 200
    restored = Record.from_json(record.dumps())
    assert restored.rng == record.rng
    assert restored.verify().result == match.result


def test_a_record_names_its_rules_and_may_omit_them(match: Any) -> None:
    record = Record.of(match)
    assert record.rules == rules.edition("cassino")
    assert Record.from_json(record.dumps()).rules == record.rules
    content = record.to_json()
    del content["rules"]
    restored = Record.from_json(content)
    assert restored.rules is None
    assert restored.to_json() == content  # records without it are unchanged
    assert restored.verify().result == match.result


def test_a_record_of_other_rules_is_named(match: Any) -> None:
    record = Record.of(match)
    record.rules = "1 of-long-ago"
    assert record.verify().result == match.result  # the same by both
    record.moves[0] = "nothing"
    edition = rules.edition("cassino")
    text = f"of version 1 of-long-ago of the rules, and this program has version {edition}."
    for replay in (record.verify, lambda: list(record.frames())):
        with pytest.raises(RecordError, match="does not follow") as caught:
            replay()
        assert str(caught.value).endswith(text)
        assert caught.value.number == 0
    record.rules = edition
    with pytest.raises(RecordError) as caught:
        record.verify()
    assert "of the rules, and" not in str(caught.value)


def test_other_json_is_refused() -> None:
    for text in ("{", "[]", '"x"'):
        with pytest.raises(RecordError):
            Record.from_json(text)


def test_json_nested_too_deeply_is_refused(match: Any) -> None:
    text = Record.of(match).dumps()
    for depth in (1_500, 100_000):
        nested = text.replace('"notes":{}', '"notes":{"0":' + "[" * depth + "]" * depth + "}")
        with pytest.raises(RecordError, match="nested"):
            Record.from_json(nested)


def test_an_invalid_seed_is_refused_on_replay(match: Any) -> None:
    record = Record.of(match)
    record.seed = "\ud800"
    with pytest.raises(RecordError, match="No match has this seed"):
        record.verify()
    with pytest.raises(RecordError, match="No match has this seed"):
        list(record.frames())


def test_only_a_match_with_a_seed_has_a_record() -> None:
    match = Match.from_position("cassino/standard/1v1", {"hands": [["6C"]]})
    with pytest.raises(ValueError, match="Only a match with a seed"):
        Record.of(match)


def test_frames_show_every_step_with_a_sentence(match: Any) -> None:
    record = Record.of(match)
    record.notes = {"0": "hello"}
    record.clock_ms = [7]
    frames = list(record.frames())
    deals = len(match.deals)
    assert len(frames) == len(match.moves) + deals + 1
    assert frames[0]["events"][0]["type"] == "deal"
    assert frames[0]["n"] is None
    assert (frames[1]["n"], frames[1]["note"], frames[1]["clock_ms"]) == (0, "hello", 7)
    assert frames[1]["seat"] == 0
    assert frames[1]["move"] == match.moves[0]
    ends = [frame for frame in frames if frame["events"][-1]["type"] == "score"]
    assert len(ends) == deals
    assert ends[0]["view"]["deal"] == 0
    assert ends[0]["view"]["scores"] == match.deals[0]["sheet"]["scores"]
    assert frames[-1]["events"][-1] == {"type": "end", "result": match.result}
    assert all(frame["sentence"].endswith(".") for frame in frames)
    assert json.dumps(frames)
