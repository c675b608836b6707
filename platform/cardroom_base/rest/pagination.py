"""Pages of lists."""

from __future__ import annotations

from typing import Final

from rest_framework.exceptions import ValidationError
from rest_framework.pagination import PageNumberPagination
from rest_framework.request import Request

from cardroom_base.core.whole_number import whole_number

PAGING: Final = ("page", "page_size")
"""Query parameters that every list has."""


class Pages(PageNumberPagination):
    """Pages of 50 rows, or of `page_size`, which may be up to 500."""

    page_size = 50
    page_size_query_param = "page_size"
    max_page_size = 500
    invalid_page_message = "There is no page {page_number}; pages are numbered from 1."

    def get_page_size(self, request: Request) -> int:
        """The requested page size; 400 if it is out of range."""
        text = request.query_params.get("page_size")
        if text is None:
            return self.page_size
        size = whole_number(text, max_digits=5)
        if size is not None and 1 <= size <= self.max_page_size:
            return size
        raise ValidationError({"page_size": f"A page has 1 to {self.max_page_size} rows."})
