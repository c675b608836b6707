"""No circle of files: what a module imports never leads back to it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import grimp
import networkx as nx
import pytest

PACKAGES = ("engine", "cardroom_base", "bots", "tournaments", "cardroom_tables", "cardroom")


@pytest.fixture(scope="module")
def imports() -> Mapping[str, set[str]]:
    """By module what it imports itself, anywhere in the file but for types alone."""
    graph = grimp.build_graph(*PACKAGES, exclude_type_checking_imports=True)
    return {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}


@pytest.mark.parametrize("package", PACKAGES)
def test_there_is_no_circle_of_files(imports: Mapping[str, set[str]], package: str) -> None:
    assert list(_circles(imports, package)) == []


def test_a_circle_is_found() -> None:
    imports = {"a.x": {"a.y"}, "a.y": {"a.z", "b"}, "a.z": {"a.x"}, "b": {"a.x"}, "a.w": {"a.x"}}
    assert list(_circles(imports, "a")) == [["a.x", "a.y", "a.z", "b"]]


def _circles(imports: Mapping[str, set[str]], package: str) -> Iterator[list[str]]:
    """The modules of each circle that touches a package."""
    di_graph = nx.DiGraph((a, b) for a, others in imports.items() for b in others)
    for circle in nx.strongly_connected_components(di_graph):
        inside = any(module.split(".")[0] == package for module in circle)
        if len(circle) > 1 and inside:
            yield sorted(circle)
