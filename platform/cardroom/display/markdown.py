"""Markdown that users write, as HTML: CommonMark with tables, without images and raw HTML."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import Final

import nh3
from django.utils.html import linebreaks
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt

TAGS: Final = frozenset(
    {"a", "blockquote", "br", "code", "div", "em", "hr", "li", "ol", "p", "pre", "strong", "ul"}
    | {"h3", "h4", "h5", "h6", "table", "tbody", "td", "th", "thead", "tr"}
)
SCHEMES: Final = frozenset({"http", "https", "mailto"})
_LINE_END: Final = re.compile(r"\r\n?|\n")
_HEADING_SHIFT: Final = 2
"""The number of levels added to headings, because page and panel have headings of their own."""


MAX_CELLS: Final = 2_000
"""The maximum number of cells that the tables of a text may have. Parsers fill short rows up to the
width of the head, so that 2,000 characters could make 65,000 cells."""
MAX_HTML: Final = 40_000
"""The maximum length of the HTML, which many links to one long address could exceed. Twenty times
the length of the longest text is more than people reach."""
MAX_CACHED: Final = 256
"""The maximum number of texts in the cache of a process; a page has up to a hundred."""


@lru_cache(maxsize=MAX_CACHED)
def html_of(text: str) -> SafeString:
    """Markdown as HTML that is safe on a page. Search engines do not follow its links.

    If the tables of the text have too many cells, they stay as typed; if its HTML is too long, the
    whole text does.
    """
    parser = _parser(tables=_max_cells(text) <= MAX_CELLS)
    tokens = parser.parse(text)
    for token in tokens:
        if token.type in {"heading_open", "heading_close"}:
            token.tag = f"h{min(6, int(token.tag[1:]) + _HEADING_SHIFT)}"
    html = parser.renderer.render(tokens, parser.options, {})
    if len(html) > MAX_HTML:
        html = linebreaks(text, autoescape=True)
    cleaned = nh3.clean(
        html,
        tags=set(TAGS),
        attributes={"a": {"href"}, "div": {"class", "tabindex"}},
        url_schemes=set(SCHEMES),
        link_rel="nofollow ugc noopener noreferrer",
    )
    return mark_safe(cleaned)  # noqa: S308 - nh3 has removed everything else


def _max_cells(text: str) -> int:
    """An upper bound of the number of cells in tables: lines, and columns of the widest one."""
    lines = _LINE_END.split(text)
    return len(lines) * max(line.count("|") + 1 for line in lines)


@cache
def _parser(*, tables: bool) -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False, "breaks": True}).disable("image")
    if not tables:
        return parser
    parser.enable("table")
    # A wide table scrolls in its own box, also by the keyboard.
    parser.add_render_rule("table_open", lambda *_: '<div class="scroll" tabindex="0"><table>')
    parser.add_render_rule("table_close", lambda *_: "</table></div>")
    return parser
