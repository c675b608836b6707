"""The context of every page: its place in the menu."""

from __future__ import annotations

import pytest
from django.test import RequestFactory
from django.urls import resolve

from cardroom.pages.common.context import site_context


@pytest.mark.parametrize(
    ("address", "section"),
    [
        ("/tournaments/", "tournaments"),
        ("/tournaments/cup/bracket/", "tournaments"),
        ("/tournaments/cup/luck/", "tournaments"),
        ("/ratings/head-to-head/", "ratings"),
        ("/bots/magpie/upload/", "upload"),
        ("/upload/", "upload"),
        ("/games/cassino/rules/", "games"),
        ("/", ""),
    ],
)
def test_the_menu_marks_the_current_page(address: str, section: str) -> None:
    request = RequestFactory().get(address)
    request.resolver_match = resolve(address)
    assert site_context(request)["section"] == section
