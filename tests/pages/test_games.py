"""Games, options and rules."""

from __future__ import annotations

import re

import pytest
from django.conf import settings
from django.test import Client

from bots.sheets.rule_sheets import languages, rule_sheet
from cardroom.pages.games import game_views
from engine import Format, Match, registry

NAMES = [game.name for game in registry.games()]


@pytest.fixture
def html(client: Client, db: None) -> str:
    """The page of Cassino's rules."""
    return client.get("/games/cassino/rules/").content.decode()


@pytest.mark.parametrize("name", NAMES)
def test_every_clause_has_an_anchor(name: str, client: Client, db: None) -> None:
    text = (settings.BASE_DIR / "docs" / "rules" / f"{name}.md").read_text(encoding="utf-8")
    clauses = set(re.findall(r"^(?:- )?\*\*([A-Z]{3}-\d+)\*\*", text, re.MULTILINE))
    assert len(clauses) > 40
    html = client.get(f"/games/{name}/rules/").content.decode()
    assert set(re.findall(r'<(?:p|li) id="([A-Z]{3}-\d+)" class="clause">', html)) == clauses


def test_every_link_to_a_clause_leads_to_one(html: str, client: Client) -> None:
    anchors = set(re.findall(r'id="(CAS-\d+)"', html))
    assert set(re.findall(r'href="#(CAS-\d+)"', html)) == anchors
    page = client.get("/games/cassino/").content.decode()
    cited = set(re.findall(r'href="/games/cassino/rules/#([\w-]+)"', page))
    assert {"CAS-33", "CAS-35", "CAS-36", "CAS-42"} <= cited <= anchors


def test_examples_are_shown_verbatim(html: str) -> None:
    assert "&quot;id&quot;: &quot;CAS-E1&quot;" in html
    assert "&quot;clause&quot;: [&quot;CAS-9&quot;, &quot;CAS-12&quot;" in html


@pytest.mark.parametrize("name", NAMES)
def test_every_option_and_format_is_listed(name: str, client: Client, db: None) -> None:
    page = client.get(f"/games/{name}/").content.decode()
    game = registry.game(name)
    for option in game.options:
        assert f"<code>{option.name}</code>" in page
    for variant in game.variants:
        assert f"<code>{variant.name}</code>" in page


@pytest.mark.parametrize("name", NAMES)
def test_the_page_shows_the_sheet_in_each_language(name: str, client: Client, db: None) -> None:
    assert "en" in languages(name)
    for language in languages(name):
        page = client.get(f"/games/{name}/", {"lang": language}).content.decode()
        assert f'<div class="in prose" lang="{language}">' in page
        for other in set(languages(name)) - {language}:
            assert f'href="?lang={other}" lang="{other}"' in page
    assert client.get(f"/games/{name}/?lang=xx").status_code == 200


def test_html_in_a_text_stays_text() -> None:
    assert "<script>" not in game_views.markdown_html("# A\n<script>alert(1)</script>")
    assert "<a" not in game_views.markdown_html("[x](javascript:alert(1))")
    assert "<h1>" not in game_views.markdown_html("# A")
    assert game_views.inline_html("a `b` <c>") == "a <code>b</code> &lt;c&gt;"


def test_a_citation_names_every_clause() -> None:
    assert game_views.cited_clauses("CAS-33, 35, 36") == ["CAS-33", "CAS-35", "CAS-36"]


@pytest.mark.parametrize("language", languages("cassino"))
def test_the_sheets_moves_are_legal(language: str) -> None:
    sheet = rule_sheet("cassino", language) or ""
    moves = re.findall(r"^\| `([^`]+)` \|", sheet, re.MULTILINE)
    assert len(moves) == 4
    state = {
        "table": ["4D", "4H", "5C", "6D"],
        "hands": [["9H", "3C", "4C", "4S"], ["2C", "2D", "2H", "KS"]],
        "stock": [],
    }
    match = Match.from_position(Format.parse("cassino/standard/1v1"), state)
    for move in moves:
        assert match.is_legal(move), move
