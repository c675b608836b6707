"""Views and moves of Zwicker as numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.fishing_encoding import FishingEncoding

if TYPE_CHECKING:
    from engine.game import Format


class ZwickerEncoding(FishingEncoding):
    def __init__(self, fmt: Format) -> None:
        super().__init__(fmt, 1, "zwicks")
