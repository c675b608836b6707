from typing import Any

import pytest

from engine.cards import CODE
from engine.games.zwicker.items import ZwickerItem, insert, loose_item, parse_build


def test_item_order() -> None:
    """ZWI-48: by first card, then the next; a loose card and a shorter build first; by value."""
    ids = ["4C", "[4C+5C=9]", "[4C+5C+X=11]", "[4C+5C+X=12]", "[4C+6D=10]", "5C", "X", "[X+X=9]"]
    table: list[ZwickerItem] = []
    for text in reversed(ids):
        build = parse_build(text)
        insert(
            table,
            ZwickerItem(build[0], (build[1],), 0) if build else loose_item(CODE[text], (2,)),
        )
    assert [item.id for item in table] == ids


@pytest.mark.parametrize(
    "text",
    [
        *("", "[]", "[4C=4]", "[5C+4C=9]", "[4C+5C]", "[4C+5C=09]", "[4C+5C=31]", "[4C+5C:9]"),
        *("4C+5C=9", "[4C+5c=9]", "[4C++5C=9]", "[4C+ZZ=9]", "[4C+5C=0]"),
    ],
)
def test_invalid_builds(text: Any) -> None:
    """ZWI-47."""
    assert parse_build(text) is None


def test_views_of_items() -> None:
    """ZWI-51: the value is null where the taker chooses."""
    assert loose_item(CODE["X"], (2, 3)).view()["value"] is None
    build = ZwickerItem([CODE["5C"], CODE["X"]], (12,), 1)
    assert build.view() == {
        "id": "[5C+X=12]",
        "kind": "sum",
        "cards": ["5C", "X"],
        "value": 12,
        "by": 1,
    }
