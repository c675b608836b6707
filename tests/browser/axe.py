"""Check a page with axe-core: names, roles, contrast, order, keyboard access."""

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
    """The violations, each as its rule, element and correction; animations must have ended."""
    if not INSTALLED:
        return []  # test_axe.py is skipped then
    page.evaluate(f"() => {{ {_axe()} }}")
    texts: list[str] = page.evaluate(_RUN)
    return texts
