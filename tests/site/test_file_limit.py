"""The limit of open files."""

from __future__ import annotations

import subprocess
import sys

import pytest

CODE = """
import resource
from cardroom_base.core.file_limit import raise_file_limit
resource.setrlimit(resource.RLIMIT_NOFILE, ({soft}, {hard}))
print(raise_file_limit(400), *resource.getrlimit(resource.RLIMIT_NOFILE))
"""


@pytest.mark.parametrize(
    ("soft", "hard", "output"),
    [(100, 900, "400 400 900"), (100, 300, "300 300 300"), (500, 900, "500 500 900")],
)
def test_the_limit_is_raised_as_far_as_allowed(soft: int, hard: int, output: str) -> None:
    code = CODE.format(soft=soft, hard=hard)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == output
