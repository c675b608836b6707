"""What every template knows."""

from __future__ import annotations

from django.http import HttpRequest


def look(request: HttpRequest) -> dict[str, str]:
    """The reader's theme and suit colours, kept in cookies, so that the first paint is right."""
    theme = request.COOKIES.get("theme", "")
    suits = request.COOKIES.get("suits", "")
    return {
        "theme": theme if theme in ("light", "dark") else "",
        "suits": suits if suits in ("classic", "four") else "classic",
    }
