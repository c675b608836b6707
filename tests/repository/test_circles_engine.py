"""Imports in the engine and in bots have no cycles, even with imports for types."""

from __future__ import annotations

from graphlib import CycleError, TopologicalSorter

import grimp
import pytest


@pytest.mark.parametrize("package", ["engine", "bots"])
def test_imports_have_no_cycle(package: str) -> None:
    graph = grimp.build_graph(package, cache_dir=None)
    imports = {name: graph.find_modules_directly_imported_by(name) for name in graph.modules}
    try:
        order = list(TopologicalSorter(imports).static_order())
    except CycleError as error:
        pytest.fail(f"These modules import each other: {' → '.join(error.args[1])}")
    assert len(order) == len(graph.modules) > 20
