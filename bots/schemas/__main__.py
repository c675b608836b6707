"""Refresh the tables of keys in Markdown files: ``python -m bots.schemas docs/rules/*.md``."""

import sys
from pathlib import Path

from bots.schemas.documents import refreshed

for path in map(Path, sys.argv[1:]):
    path.write_text(refreshed(path.read_text(encoding="utf-8")), encoding="utf-8")
