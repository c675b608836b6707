"""Pages of long lists."""

from __future__ import annotations

from functools import cached_property
from typing import Any, Final

from django.core.paginator import Paginator

DEEP: Final = 10_000
"""The last row that pages reach; to find older rows, narrow the list."""


class ShortPaginator(Paginator):  # type: ignore[type-arg]  # not generic when it runs
    """A paginator that counts and skips no more than `DEEP` rows."""

    @cached_property
    def count(self) -> int:
        """The number of rows, at most `DEEP`."""
        rows: Any = self.object_list
        return int(rows.order_by()[:DEEP].count())

    @property
    def cut(self) -> bool:
        """Whether there may be more rows."""
        return self.count >= DEEP
