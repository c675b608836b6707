"""Which games and formats there are."""

from __future__ import annotations

from typing import Any

from engine import registry
from engine.game import Format


def all_formats() -> list[Format]:
    """Every game × variant × table form with default options, in a stable order.

    >>> [str(fmt) for fmt in all_formats()][:3]
    ['cassino/standard/1v1', 'cassino/standard/ffa3', 'cassino/standard/2v2']
    """
    return [
        Format(spec.name, variant.name, table)
        for spec in registry.games()
        for variant in spec.variants
        for table in variant.tables
    ]


def games() -> list[dict[str, Any]]:
    """Every game as JSON: title, table forms, variants, options with ranges, defaults, clauses."""
    return [spec.describe_game() for spec in registry.games()]
