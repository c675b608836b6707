"""Pages of games: the summary with formats and options, and the rules."""

from __future__ import annotations

import re
from functools import cache
from typing import Any, Final

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt

from bots.sheets.rule_sheets import (
    LANGUAGES,
    PICTURES,
    languages,
    rule_sheet,
    rules_document,
    rules_text,
)
from cardroom.display.rule_pictures import draw_pictures
from engine import registry
from engine.declarations import Declaration, Option, spell

_CLAUSE: Final = re.compile(r"<(p|li)><strong>([A-Z]{3}-\d+)</strong>")
_CITED: Final = re.compile(r"\b([A-Z]{3}-\d+)\b")
_TITLE: Final = re.compile(r"<(/?)h1>")
_TABLE: Final = re.compile(r"<table>.*?</table>", re.DOTALL)


def index(request: HttpRequest) -> HttpResponse:
    """All games."""
    return render(request, "games/index.html", {"games": registry.games()})


def game(request: HttpRequest, game: str) -> HttpResponse:
    """A game: its short sheet, formats and options."""
    declaration = find_game(game)
    available = languages(game)
    requested = request.GET.get("lang", "en")
    language = requested if requested in available else "en"
    sheet = rule_sheet(game, language)
    return render(
        request,
        "games/game.html",
        {
            "game": declaration.describe_game(),
            "options": [_option(option) for option in declaration.options],
            "sheet": markdown_html(sheet, language) if sheet else "",
            "language": language,
            "others": [(code, LANGUAGES[code]) for code in available if code != language],
            "has_rules": rules_document(declaration.name) is not None,
        },
    )


def rules(request: HttpRequest, game: str) -> HttpResponse:
    """The rules document, with an anchor at every clause."""
    declaration = find_game(game)
    document = rules_document(declaration.name)
    if document is None:
        raise Http404(f"The rules of {game} are not on this site.")
    html, clauses = rules_html(rules_text(document))
    return render(
        request, "games/rules.html", {"game": declaration, "html": html, "clauses": clauses}
    )


def _option(option: Option) -> dict[str, Any]:
    """A row of the table of options: values and defaults as text."""
    values = " ".join(map(spell, option.values)) or f"{option.low}…{option.high}"
    defaults = [spell(option.default)]
    for variant, table, value in option.defaults:
        at = "/".join(name for name in (variant, table) if name != "*")
        defaults.append(f"{spell(value)} in {at}")
    scope = [*option.variants, *option.tables]
    return {
        "name": option.name,
        "values": values,
        "defaults": ", ".join(defaults),
        "meaning": inline_html(option.meaning),
        "where": f"Only in {', '.join(scope)}." if scope else "",
        "clauses": cited_clauses(option.clause),
    }


def cited_clauses(cited: str) -> list[str]:
    """The clauses of a citation: `CAS-33, 35` cites CAS-33 and CAS-35."""
    prefix = cited.partition("-")[0]
    return [f"{prefix}-{number}" for number in re.findall(r"\d+", cited)]


def inline_html(text: str) -> SafeString:
    """A line of Markdown as HTML: code and emphasis."""
    return mark_safe(str(_markdown().renderInline(text)))  # noqa: S308 - raw HTML is off


def find_game(name: str) -> Declaration:
    for game in registry.games():
        if game.name == name:
            return game
    raise Http404(f"No game is called {name}.")


@cache
def _markdown() -> MarkdownIt:
    """CommonMark with tables and pictures of cards; raw HTML becomes text."""
    markdown = MarkdownIt("commonmark", {"html": False, "typographer": False}).enable("table")
    markdown.add_render_rule("fence", _fence)
    return markdown


def _fence(self: Any, tokens: Any, index: int, options: Any, env: Any) -> str:
    """A fenced block: a picture of cards, or an ordinary code block."""
    if tokens[index].info.strip() == PICTURES:
        return draw_pictures(tokens[index].content, env.get("language", "en"))
    return str(self.__class__.fence(self, tokens, index, options, env))


def markdown_html(text: str, language: str = "en") -> SafeString:
    """Markdown as HTML. Headings begin at the second level, because the page has a title."""
    html = _TITLE.sub(r"<\1h2>", _markdown().render(text, {"language": language}))
    html = _TABLE.sub(lambda m: f'<div class="scroll" tabindex="0">{m[0]}</div>', html)
    html = html.replace("<pre>", '<pre tabindex="0">')  # so that the keyboard can scroll it
    return mark_safe(html)  # noqa: S308 - raw HTML is off, so all of it was made by the renderer


@cache
def rules_html(text: str) -> tuple[SafeString, list[str]]:
    """A rules document as HTML with links to cited clauses, and the numbers of its clauses."""
    body = text.partition("\n")[2] if text.startswith("# ") else text
    html = str(markdown_html(body))
    clauses = list(dict.fromkeys(number for _, number in _CLAUSE.findall(html)))
    known = set(clauses)

    def link(match: re.Match[str]) -> str:
        number = match[1]
        return f'<a href="#{number}">{number}</a>' if number in known else number

    parts = re.split(
        r"(<pre\b.*?</pre>|<(?:p|li)><strong>[A-Z]{3}-\d+</strong>)", html, flags=re.DOTALL
    )
    linked = "".join(
        part if index % 2 else _CITED.sub(link, part) for index, part in enumerate(parts)
    )
    seen: set[str] = set()

    def anchor(match: re.Match[str]) -> str:
        tag, number = match[1], escape(match[2])
        if number in seen:
            return match[0]
        seen.add(number)
        return f'<{tag} id="{number}" class="clause"><a class="mark" href="#{number}">{number}</a>'

    return mark_safe(_CLAUSE.sub(anchor, linked)), clauses  # noqa: S308 - as above
