"""Markdown that users write, as HTML: CommonMark with tables, without images and raw HTML."""

from __future__ import annotations

from functools import cache
from typing import Final

import nh3
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt

TAGS: Final = frozenset(
    {"a", "blockquote", "br", "code", "div", "em", "hr", "li", "ol", "p", "pre", "strong", "ul"}
    | {"h3", "h4", "h5", "h6", "table", "tbody", "td", "th", "thead", "tr"}
)
SCHEMES: Final = frozenset({"http", "https", "mailto"})
_HEADING_SHIFT: Final = 2
"""The number of levels added to headings, because page and panel have headings of their own."""


def html_of(text: str) -> SafeString:
    """Markdown as HTML that is safe on a page. Search engines do not follow its links."""
    tokens = _parser().parse(text)
    for token in tokens:
        if token.type in {"heading_open", "heading_close"}:
            token.tag = f"h{min(6, int(token.tag[1:]) + _HEADING_SHIFT)}"
    html = _parser().renderer.render(tokens, _parser().options, {})
    cleaned = nh3.clean(
        html,
        tags=set(TAGS),
        attributes={"a": {"href"}, "div": {"class", "tabindex"}},
        url_schemes=set(SCHEMES),
        link_rel="nofollow ugc noopener noreferrer",
    )
    return mark_safe(cleaned)  # noqa: S308 - nh3 has removed everything else


@cache
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False, "breaks": True})
    parser.enable("table").disable("image")
    # A wide table scrolls in its own box, also by the keyboard.
    parser.add_render_rule("table_open", lambda *_: '<div class="scroll" tabindex="0"><table>')
    parser.add_render_rule("table_close", lambda *_: "</table></div>")
    return parser
