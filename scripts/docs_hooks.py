"""Hooks of mkdocs for links and for the REST reference.

Links to files of the checkout outside `docs/` become their paths, because the published site has no
such pages. The REST reference is written from the OpenAPI document that the site itself serves.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parents[1]
DOCS: Final = ROOT / "docs"
_LINK: Final = re.compile(r"(?<!!)\[([^\]]+)\]\(((?:\.\./)+[^)#]+)(#[^)]*)?\)")
_METHODS: Final = ("get", "post", "put", "patch", "delete")
ENDPOINTS: Final = "<!-- endpoints -->"
"""Placeholder of the table on the REST page."""


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Replace links out of `docs/` by paths, and insert the table of endpoints."""
    folder = Path(page.file.abs_src_path).parent
    if ENDPOINTS in markdown:
        markdown = markdown.replace(ENDPOINTS, endpoints(openapi()))
    return _LINK.sub(lambda link: _inside(link, folder), markdown)


def _inside(link: re.Match[str], folder: Path) -> str:
    target = (folder / link[2]).resolve()
    if target.is_relative_to(DOCS):
        return link[0]
    if not target.exists():
        raise FileNotFoundError(f"A link leads to {target}, which does not exist.")
    return f"{link[1]} (`{target.relative_to(ROOT)}`)"


def openapi() -> dict[str, Any]:
    """The OpenAPI document, as `/api/schema/` serves it."""
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        command = [sys.executable, "manage.py", "spectacular", "--format=openapi-json"]
        subprocess.run([*command, f"--file={file.name}"], cwd=ROOT, check=True)
        document: dict[str, Any] = json.load(file)
    return document


def endpoints(document: dict[str, Any]) -> str:
    """A table for each resource: method, path, first sentence."""
    rows: dict[str, list[str]] = {}
    for path, operations in document["paths"].items():
        resource = path.removeprefix("/api/v1/").split("/")[0] or "root"
        for method in _METHODS:
            if operation := operations.get(method):
                text = " ".join(operation.get("description", "").split()).replace("|", "\\|")
                rows.setdefault(resource, []).append(f"| {method.upper()} | `{path}` | {text} |")
    head = "| method | path | |\n|---|---|---|\n"
    return "\n\n".join(f"## {name}\n\n{head}" + "\n".join(rows[name]) for name in rows)
