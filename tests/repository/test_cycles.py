"""Imports between modules have no cycles."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import grimp
import networkx as nx
import pytest

PACKAGES = ("engine", "cardroom_base", "bots", "tournaments", "cardroom_tables", "cardroom")


@pytest.fixture(scope="module")
def imports() -> Mapping[str, set[str]]:
    """The direct imports of each module, without imports only for types."""
    graph = grimp.build_graph(*PACKAGES, exclude_type_checking_imports=True)
    return {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}


@pytest.mark.parametrize("package", PACKAGES)
def test_imports_have_no_cycle(imports: Mapping[str, set[str]], package: str) -> None:
    assert list(_cycles(imports, package)) == []


def test_a_cycle_is_found() -> None:
    imports = {"a.x": {"a.y"}, "a.y": {"a.z", "b"}, "a.z": {"a.x"}, "b": {"a.x"}, "a.w": {"a.x"}}
    assert list(_cycles(imports, "a")) == [["a.x", "a.y", "a.z", "b"]]


def _cycles(imports: Mapping[str, set[str]], package: str) -> Iterator[list[str]]:
    """The modules of each cycle that contains a module of the package."""
    graph = nx.DiGraph((a, b) for a, others in imports.items() for b in others)
    for component in nx.strongly_connected_components(graph):
        has_package = any(module.split(".")[0] == package for module in component)
        if len(component) > 1 and has_package:
            yield sorted(component)
