import copy
import pickle
from typing import Any

import pytest

from engine import Format, all_formats
from engine.declarations import TABLES, join_words
from engine.formats import games


def test_all_formats_are_the_twelve_of_cassino_in_order() -> None:
    # CAS-1: two, three or four play, four only as partners
    names = [str(fmt) for fmt in all_formats() if fmt.game == "cassino"]
    assert len(names) == 12
    assert names[:3] == [f"cassino/standard/{table}" for table in ("1v1", "ffa3", "2v2")]


def test_options_are_written_sorted_without_defaults() -> None:
    fmt = Format.parse("cassino/royal/2v2?target=11&sweeps=false&deals=50&ace_high=false")
    assert str(fmt) == "cassino/royal/2v2?sweeps=false&target=11"
    assert fmt == Format.parse("cassino/royal/2v2?sweeps=false&target=11")
    assert hash(fmt) == hash(Format.parse(str(fmt)))
    assert fmt.seats == 4
    assert fmt.sides == ((0, 2), (1, 3))
    assert [fmt.side(seat) for seat in range(4)] == [0, 1, 0, 1]
    assert (fmt.game, fmt.variant, fmt.table) == ("cassino", "royal", "2v2")
    assert str(Format.parse("cassino/standard/1v1?target=021")) == "cassino/standard/1v1"


def test_all_options_are_resolved_and_read_only() -> None:
    fmt = Format.parse("cassino/spade/ffa3?spade_plus=true")
    assert dict(fmt.options) == {
        "deals": 50,
        "end": "highest",
        "face_pairs": True,
        "settle": "none",
        "spade_plus": True,
        "sweeps": True,
        "target": 61,
        "tie": "deal",
    }
    with pytest.raises(TypeError):
        fmt.options["target"] = 3  # type: ignore[index]
    with pytest.raises(AttributeError, match="read-only"):
        fmt.game = "canasta"


def test_a_format_can_be_copied_and_sent_to_another_process() -> None:
    fmt = Format.parse("cassino/royal/2v2?target=11")
    assert pickle.loads(pickle.dumps(fmt)) == fmt
    assert copy.deepcopy(fmt) is fmt
    assert copy.copy(fmt) is fmt
    assert fmt != "cassino/royal/2v2?target=11"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("cassino/standard/4", "No table form is called 4. Cassino has 1v1, ffa3 and 2v2."),
        ("cassino/standard/ffa4", "No table form is called ffa4. Cassino has 1v1, ffa3 and 2v2."),
        ("cassino/queens/1v1", "No variant is called queens. Cassino has standard, royal, spade"),
        ("chess/standard/1v1", "No game is called chess. Cardroom has cassino"),
        ("cassino", "A format is game/variant/table"),
        ("", "A format is game/variant/table"),
        ("cassino/\ud800/1v1", "'cassino/\\ud800/1v1' is not a format"),
        ("cassino/standard/1v1\n", r"'cassino/standard/1v1\n' is not a format"),
        ("cassino/standard/1v1?", "'' is not an option"),
        ("cassino/standard/1v1?target", "'target' is not an option"),
        ("cassino/standard/1v1?speed=3", "No option is called speed. Cassino standard has deals"),
        ("cassino/standard/1v1?target=1000", "a whole number from 0 to 999"),
        ("cassino/standard/1v1?target=-1", "a whole number from 0 to 999"),
        ("cassino/standard/1v1?target=٣", "a whole number from 0 to 999"),
        ("cassino/standard/1v1?deals=0", "a whole number from 1 to 200"),
        ("cassino/standard/1v1?sweeps=no", "it is true or false"),
        ("cassino/standard/1v1?end=never", "it is highest, count or declare"),
        ("cassino/standard/1v1?ace_high=false", "only in royal and royal-spade"),
        ("cassino/royal/1v1?spade_plus=true", "only in spade and royal-spade"),
        ("cassino/standard/1v1?target=11&target=12", "given twice"),
    ],
)
def test_errors_name_the_valid_values(text: Any, message: Any) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - the message is looked at below
        Format.parse(text)
    assert message in str(caught.value)


def test_a_format_is_text() -> None:
    with pytest.raises(ValueError, match="A format is text"):
        Format.parse(3)  # type: ignore[arg-type]


def test_table_forms_have_each_seat_once() -> None:
    for table in TABLES.values():
        seats = [seat for side in table.sides for seat in side]
        assert sorted(seats) == list(range(table.seats))
        assert [side[0] for side in table.sides] == sorted(side[0] for side in table.sides)
    assert TABLES["2v2v2"].sides == ((0, 3), (1, 4), (2, 5))


def test_games_as_json() -> None:
    (cassino,) = [game for game in games() if game["name"] == "cassino"]
    options = {option["name"]: option for option in cassino["options"]}
    assert options["target"]["defaults"][0] == {"variant": "spade", "table": "*", "value": 61}
    assert (options["target"]["type"], options["target"]["low"], options["target"]["high"]) == (
        "int",
        0,
        999,
    )
    assert options["end"]["values"] == ["highest", "count", "declare"]
    assert all(option["clause"].startswith("CAS-") for option in options.values())
    assert [table["name"] for table in cassino["tables"]] == ["1v1", "ffa3", "2v2"]


def test_lists_in_words() -> None:
    assert join_words(["a"]) == "a"
    assert join_words(["a", "b", "c"], "or") == "a, b or c"
