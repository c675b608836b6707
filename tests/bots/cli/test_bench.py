"""`bench` prints figures of this machine."""

from __future__ import annotations

from .conftest import Run


def test_bench_measures_engine_and_referee(run: Run) -> None:
    ran = run("bench", "--seconds", "0.1", "--json", sandboxed=True)
    assert ran.status == 0
    assert {(figure["what"], figure["unit"]) for figure in ran.json} == {
        ("random playouts", "decisions/s"),
        ("match, start-up included", "µs per move"),
        ("question to answer", "µs per move"),
    }
    assert all(figure["value"] > 0 for figure in ran.json)
