"""Answers in JSON for every `Accept` header."""

from __future__ import annotations

from collections.abc import Sequence

from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request


class OneRepresentation(DefaultContentNegotiation):
    """Always selects the view's first renderer.

    RFC 9110 (12.5.1) lets a server disregard `Accept`; a browser then shows the JSON instead of a
    406. This also keeps the query parameter `format` free for formats of games.
    """

    def select_renderer(  # type: ignore[override]  # the stubs want a `Literal` suffix nobody passes
        self,
        request: Request,
        renderers: Sequence[BaseRenderer],
        format_suffix: str | None = None,
    ) -> tuple[BaseRenderer, str]:
        """The first renderer and its own media type."""
        return renderers[0], str(renderers[0].media_type)
