"""No circle of files in the engine nor in bots, those for types included."""

from __future__ import annotations

from graphlib import CycleError, TopologicalSorter

import grimp
import pytest


@pytest.mark.parametrize("package", ["engine", "bots"])
def test_imports_make_no_circle(package: str) -> None:
    graph = grimp.build_graph(package, cache_dir=None)
    imports = {name: graph.find_modules_directly_imported_by(name) for name in graph.modules}
    try:
        order = list(TopologicalSorter(imports).static_order())
    except CycleError as error:
        pytest.fail(f"These import each other: {' → '.join(error.args[1])}")
    assert len(order) == len(graph.modules) > 20
