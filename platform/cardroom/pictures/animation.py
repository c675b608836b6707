"""A deal as a short animated WebP, with one small preview per move."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from typing import Final

from cardroom.pictures.previews import Preview, draw

WIDTH: Final = 600
"""Width in pixels, half of a preview's; the text is still 12 pixels high."""
MAX_FRAMES: Final = 40
"""Limit of frames, each of which takes 50 ms to draw; a longer deal shows some of its moves."""
FRAME_MS: Final = 900
LAST_MS: Final = 3000
QUALITY: Final = 70


def animate(previews: Sequence[Preview]) -> bytes:
    """An endlessly looping WebP; ValueError without frames."""
    if not previews:
        raise ValueError("A deal without a position cannot be animated.")
    from PIL import Image  # takes 0.1 s, and most processes draw nothing

    images = [Image.open(BytesIO(draw(preview).png(WIDTH))).convert("RGB") for preview in previews]
    durations = [FRAME_MS] * (len(images) - 1) + [LAST_MS]
    out = BytesIO()
    images[0].save(
        out,
        "WEBP",
        save_all=True,
        append_images=images[1:],
        duration=durations,
        loop=0,
        quality=QUALITY,
        method=2,
    )
    return out.getvalue()


def evenly_spaced(count: int, limit: int = MAX_FRAMES) -> list[int]:
    """At most `limit` evenly spaced indices of `count` positions, among them the last."""
    step = max(1, -(-count // limit))
    return list(range((count - 1) % step, count, step)) if count else []
