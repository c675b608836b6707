"""Pagination of long lists."""

from __future__ import annotations

from cardroom_base.rest import keyset


class CappedPaginator(keyset.CappedPaginator):
    """A paginator that counts and skips at most `MAX_PAGED_ROW` rows."""

    max_count = keyset.MAX_PAGED_ROW

    @property
    def is_capped(self) -> bool:
        """Whether there may be more rows."""
        return self.count >= self.max_count
