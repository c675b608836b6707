"""Pages of long lists."""

from __future__ import annotations

from functools import cached_property
from typing import Any, Final

from django.core.paginator import Paginator

DEEP: Final = 10_000
"""The last row that pages reach; older ones are found by narrowing the list."""


class ShortPaginator(Paginator):  # type: ignore[type-arg]  # not generic when it runs
    """Counts, and skips, no more rows than anybody would look through."""

    @cached_property
    def count(self) -> int:
        """How many rows there are, or `DEEP`, if there are more."""
        rows: Any = self.object_list
        return int(rows.order_by()[:DEEP].count())

    @property
    def cut(self) -> bool:
        """Whether there may be more."""
        return self.count >= DEEP
