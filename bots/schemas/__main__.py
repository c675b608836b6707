"""Refresh the tables of keys in Markdown files: ``python -m bots.schemas docs/rules/*.md``."""

import sys
from pathlib import Path

from bots.schemas.documents import with_current_tables

for path in map(Path, sys.argv[1:]):
    path.write_text(with_current_tables(path.read_text(encoding="utf-8")), encoding="utf-8")
