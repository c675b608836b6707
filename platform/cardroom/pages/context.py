"""What every template knows."""

from __future__ import annotations

from typing import Any, Final

from django.http import HttpRequest

THEMES: Final = (("", "System"), ("light", "Light"), ("dark", "Dark"))
SUIT_COLOURS: Final = (("classic", "Two colours"), ("four", "Four colours"))
STYLESHEETS: Final = tuple(
    f"cardroom/css/{name}.css" for name in ("tokens", "base", "parts", "tables", "forms", "cards")
)
SECTIONS: Final = (
    ("tournaments", "Tournaments"),
    ("ratings", "Ratings"),
    ("bots", "Bots"),
    ("matches", "Matches"),
    ("games", "Games"),
    ("upload", "Upload"),
)
"""Name of the address and words of each entry of the main menu."""
_UPLOADS: Final = ("upload", "upload-version")
"""Names of the addresses where bots are uploaded, wherever they lie."""


def look(request: HttpRequest) -> dict[str, Any]:
    """The reader's theme and suit colours, kept in cookies, so that the first paint is right;
    and where on the site the page is."""
    theme = request.COOKIES.get("theme", "")
    suits = request.COOKIES.get("suits", "")
    address = request.resolver_match.url_name if request.resolver_match else None
    return {
        "theme": theme if theme in dict(THEMES) else "",
        "suits": suits if suits in dict(SUIT_COLOURS) else "classic",
        "themes": THEMES,
        "suit_colours": SUIT_COLOURS,
        "stylesheets": STYLESHEETS,
        "sections": SECTIONS,
        "section": "upload" if address in _UPLOADS else request.path_info.split("/")[1],
    }
