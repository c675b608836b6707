"""Parts, and the default for games without them."""

from engine.move_parts import Composed, Composer, MovePart


def test_the_key_of_a_part_has_kind_and_name() -> None:
    build = MovePart("item:[3D+4C:7]", "the build", (("table", 0),))
    assert (build.kind, build.name) == ("item", "[3D+4C:7]")
    table = MovePart("table", "the table")
    assert (table.kind, table.name) == ("table", "")


def test_by_default_a_move_is_one_choice() -> None:
    composer = Composer(None, {"seat": 1}, ["Ada", "Ben"])
    assert composer.compose("swap:3") == Composed(
        (MovePart("choice:swap:3", "swap:3"),), "You play swap:3."
    )
    assert composer.pickable_parts() == []
    assert composer.steps() == []
    assert composer.spell([]) == ""
    assert composer.why_not([], lambda _: None) is None
