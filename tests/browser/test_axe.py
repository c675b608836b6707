"""The check of the other tests can fail."""

from __future__ import annotations

import pytest

from tests.browser.axe import INSTALLED, violations
from tests.browser.conftest import Watched

pytestmark = pytest.mark.browser


@pytest.mark.skipif(not INSTALLED, reason="npm could not fetch axe-core")
def test_what_is_wrong_is_found(watched: Watched) -> None:
    watched.page.set_content('<p style="color: #ccc; background: #fff">pale</p><button></button>')
    rules = {violation.partition(":")[0] for violation in violations(watched.page)}
    assert {"button-name", "color-contrast"} <= rules
