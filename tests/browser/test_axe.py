"""The check with axe-core can fail."""

from __future__ import annotations

import pytest

from tests.browser.axe import INSTALLED, violations
from tests.browser.conftest import Tab

pytestmark = pytest.mark.browser


@pytest.mark.skipif(not INSTALLED, reason="npm could not fetch axe-core")
def test_axe_finds_violations(tab: Tab) -> None:
    tab.page.set_content('<p style="color: #ccc; background: #fff">pale</p><button></button>')
    rules = {violation.partition(":")[0] for violation in violations(tab.page)}
    assert {"button-name", "color-contrast"} <= rules
