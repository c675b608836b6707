"""The context of every template."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from django.conf import settings
from django.http import HttpRequest


class Appearance(NamedTuple):
    """A choice of how pages look, such as the theme. A cookie stores it."""

    name: str
    """The name of the cookie and of the form's field."""
    title: str
    choices: tuple[tuple[str, str], ...]
    """(value, title); the first is the default."""

    def selected(self, request: HttpRequest) -> str:
        """The value that the viewer has chosen."""
        value = request.COOKIES.get(self.name)
        return value if value in dict(self.choices) else self.choices[0][0]


APPEARANCES: Final = (
    Appearance("theme", "Theme", (("", "System"), ("light", "Light"), ("dark", "Dark"))),
    Appearance("suits", "Suits", (("classic", "Two colours"), ("four", "Four colours"))),
)
STYLESHEETS: Final = tuple(
    f"cardroom/css/{name}.css" for name in ("tokens", "base", "parts", "tables", "forms", "cards")
)
SECTIONS: Final = (
    ("play", "Play"),
    ("tournaments", "Tournaments"),
    ("ratings", "Ratings"),
    ("bots", "Bots"),
    ("matches", "Matches"),
    ("games", "Games"),
    ("upload", "Upload"),
)
"""Each entry of the main menu: URL name and title."""
_UPLOADS: Final = ("upload", "upload-version")
"""The URL names of the upload pages, which share an entry of the menu."""


def site_context(request: HttpRequest) -> dict[str, Any]:
    """The viewer's theme and suit colours, settings, and the current entry of the menu.

    Cookies store theme and colours, so the first paint of a page already has them.
    """
    selected = {appearance.name: appearance.selected(request) for appearance in APPEARANCES}
    user = getattr(request, "user", None)
    address = request.resolver_match.url_name if request.resolver_match else None
    return {
        **selected,
        "looks": [(appearance, selected[appearance.name]) for appearance in APPEARANCES],
        "stylesheets": STYLESHEETS,
        "sections": SECTIONS,
        "mail": settings.MAIL,
        "oidc": settings.OIDC_NAME if settings.OIDC_URL else "",
        "signup_by_provider": settings.SIGNUP == "provider",
        "signup_open": settings.SIGNUP in {"open", "code"},
        "unread_notifications": lambda: getattr(user, "unread_notifications", 0),
        "link_days": settings.LINK_DAYS,
        "section": "upload" if address in _UPLOADS else request.path_info.split("/")[1],
    }
