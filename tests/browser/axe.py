"""What axe-core finds wrong with a page: names, roles, contrast, order, what keys cannot reach."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from playwright.sync_api import Page

_SCRIPT = Path(__file__).parents[2] / "node_modules" / "axe-core" / "axe.min.js"
INSTALLED = _SCRIPT.exists()
_RUN = """async () => {
  const { violations } = await axe.run({ resultTypes: ['violations'] })
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 160)} ${failureSummary}`))
}"""


@cache
def _axe() -> str:
    return _SCRIPT.read_text(encoding="utf-8")


def violations(page: Page) -> list[str]:
    """Each as its rule, the element and what would be right; a page that is animated must rest."""
    if not INSTALLED:
        return []  # test_axe.py says so
    page.evaluate(f"() => {{ {_axe()} }}")
    found: list[str] = page.evaluate(_RUN)
    return found
