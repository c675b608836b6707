"""Pagination of long lists."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from django.core.paginator import Paginator

from cardroom_base.rest.keyset import MAX_PAGED_ROW


class CappedPaginator(Paginator):  # type: ignore[type-arg]  # not generic when it runs
    """A paginator that counts and skips at most `MAX_PAGED_ROW` rows."""

    @cached_property
    def count(self) -> int:
        """The number of rows, at most `MAX_PAGED_ROW`."""
        rows: Any = self.object_list
        return int(rows.order_by()[:MAX_PAGED_ROW].count())

    @property
    def is_capped(self) -> bool:
        """Whether there may be more rows."""
        return self.count >= MAX_PAGED_ROW
