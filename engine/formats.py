"""Lists the games and formats."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from engine import registry
from engine.game import Format

if TYPE_CHECKING:
    from engine.declarations import Declaration


def all_formats() -> list[Format]:
    """Every game × variant × table form with default options, in a stable order.

    >>> [str(fmt) for fmt in all_formats()][:3]
    ['cassino/standard/1v1', 'cassino/standard/ffa3', 'cassino/standard/2v2']
    """
    return [fmt for spec in registry.games() for fmt in _formats_of(spec)]


@cache  # formats are immutable, and resolving options is slow
def _formats_of(spec: Declaration) -> tuple[Format, ...]:
    return tuple(
        Format(spec.name, variant.name, table)
        for variant in spec.variants
        for table in variant.tables
    )


def games() -> list[dict[str, Any]]:
    """Every game as JSON: title, table forms, variants, options with ranges, defaults, clauses."""
    return [spec.describe_game() for spec in registry.games()]
