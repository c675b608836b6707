"""Every clause of docs/rules/canasta.md is implemented and tested."""

from tests.engine.documents import blocks_of, cited, clauses_of

CLAUSES = clauses_of("canasta.md", "CAN")


def test_every_clause_is_cited_in_the_engine() -> None:
    assert set(range(1, 98)) == CLAUSES
    assert sorted(CLAUSES - cited("engine/games/canasta", "CAN")) == []


def test_every_clause_is_tested() -> None:
    blocks = blocks_of("canasta.md")
    examples = {int(c[4:]) for block in blocks if "id" in block for c in block["clause"]}
    assert sorted(CLAUSES - examples - cited("tests/engine/games/canasta", "CAN")) == []
