"""Paginates long lists (views with `by_key`): by page at first, then by key.

Skipping or counting rows costs as much as reading them. So numbered pages and the count end at a
bound. The `next` link of the last page names the row after which to continue (`cursor`), which
the database finds by an index.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, Final

from django.core.exceptions import ValidationError as FieldError
from django.core.paginator import Paginator
from django.db.models import Model, Q, QuerySet
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.utils.urls import remove_query_param, replace_query_param
from rest_framework.views import APIView

from cardroom_base.rest.ordering import StableOrdering
from cardroom_base.rest.pagination import Pages

MAX_PAGED_ROW: Final = 10_000
"""The last row that numbered pages reach, and the highest count that a list states."""
CURSOR: Final = "cursor"


class CappedPaginator(Paginator):  # type: ignore[type-arg]  # not generic when it runs
    """A paginator of the first `MAX_PAGED_ROW` rows."""

    @cached_property
    def count(self) -> int:
        """The number of these rows."""
        return min(self._counted, MAX_PAGED_ROW)

    @property
    def is_capped(self) -> bool:
        """Whether there are more rows."""
        return self._counted > MAX_PAGED_ROW

    @cached_property
    def _counted(self) -> int:
        """The number of all rows, but at most one above the bound."""
        rows: Any = self.object_list
        return int(rows.order_by()[: MAX_PAGED_ROW + 1].count())


class KeyOrdering(StableOrdering):
    """Like `StableOrdering`, but without rows that lack the value, so that an index can serve it.

    Rows with equal values are ordered by key, in the same direction.
    """

    def filter_queryset(
        self, request: Request, queryset: QuerySet[Any], view: APIView
    ) -> QuerySet[Any]:
        """Order by the requested field; several fields are handled as in other lists."""
        fields = self.get_ordering(request, queryset, view)
        if not getattr(view, "by_key", False):
            return super().filter_queryset(request, queryset, view)
        if not request.query_params.get(self.ordering_param) or not fields or len(fields) > 1:
            return super().filter_queryset(request, queryset, view)
        name = fields[0].lstrip("-")
        sign = "-" if fields[0].startswith("-") else ""
        if name in ("id", "pk"):
            return queryset.order_by(f"{sign}pk")
        if _field(queryset.model, name).null:  # otherwise counting would read every row
            queryset = queryset.filter(**{f"{name}__isnull": False})
        return queryset.order_by(f"{sign}{name}", f"{sign}pk")


class KeyPages(Pages):
    """Numbered pages up to a bound, and a `cursor` beyond it."""

    def paginate_queryset(
        self, queryset: Any, request: Request, view: APIView | None = None
    ) -> list[Any]:
        """The rows of the requested page, or the rows after the cursor."""
        self.by_key: str | None = None
        self.terms: list[str] = []
        if not getattr(view, "by_key", False):
            return super().paginate_queryset(queryset, request, view) or []
        self.django_paginator_class = CappedPaginator
        self.list_request = request
        self.size = self.get_page_size(request)
        terms = queryset.query.order_by
        self.terms = list(terms) if all(isinstance(term, str) for term in terms) else []
        self.by_key = request.query_params.get(CURSOR)
        if self.by_key is not None:
            return self._after(queryset, self.by_key)
        number = request.query_params.get(self.page_query_param, "1")
        if (
            number.isdecimal()
            and len(number) < 9
            and int(number) * self.size > max(MAX_PAGED_ROW, self.size)
        ):
            raise ValidationError(
                {
                    "page": f"Pages end at row {MAX_PAGED_ROW:,}. Narrow the list, or order it by "
                    "one field and follow `next` from the last page."
                }
            )
        self.rows: list[Any] = super().paginate_queryset(queryset, request, view) or []
        return self.rows

    def _after(self, queryset: QuerySet[Any], cursor: str) -> list[Any]:
        if not self.terms:
            raise ValidationError({CURSOR: "A list ordered by several fields has no cursor."})
        self.count = CappedPaginator(queryset, self.size).count
        rows_after = _after_row(queryset.model, self.terms, cursor)
        rows = list(queryset.filter(rows_after)[: self.size + 1])
        self.rows, self.more = rows[: self.size], len(rows) > self.size
        return self.rows

    def get_paginated_response(self, data: Any) -> Response:
        """As in other lists; an answer after a cursor has no `previous`."""
        if self.by_key is None:
            return super().get_paginated_response(data)
        next_link = self._cursor_link() if self.more else None
        return Response({"count": self.count, "next": next_link, "previous": None, "results": data})

    def get_next_link(self) -> str | None:
        """A link to the next page or, after the last numbered one, to the rows that follow it."""
        if self.page is None or not isinstance(self.page.paginator, CappedPaginator):
            return super().get_next_link()
        if not self.page.has_next() and not self.page.paginator.is_capped:
            return None
        number = self.page.number + 1
        if self.terms and number * self.size > MAX_PAGED_ROW:
            return self._cursor_link()
        address = self.list_request.build_absolute_uri()
        return str(replace_query_param(address, self.page_query_param, number))

    def _cursor_link(self) -> str:
        last = self.rows[-1]
        name = self.terms[0].lstrip("-")
        value = getattr(last, name)
        text = value.isoformat() if hasattr(value, "isoformat") else str(value)
        url = remove_query_param(self.list_request.build_absolute_uri(), self.page_query_param)
        return str(replace_query_param(url, CURSOR, f"{text}~{last.pk}"))

    def get_paginated_response_schema(self, schema: dict[str, Any]) -> dict[str, Any]:
        """Document the bound of the count."""
        response: dict[str, Any] = super().get_paginated_response_schema(schema)
        description = f"Number of all rows; in lists of matches at most {MAX_PAGED_ROW:,}."
        response["properties"]["count"]["description"] = description
        return response

    def get_schema_operation_parameters(self, view: Any) -> list[dict[str, Any]]:
        """Add the cursor to the parameters of lists that have it."""
        if not getattr(view, "by_key", False):
            return super().get_schema_operation_parameters(view)
        description = "The row after which to continue; take it from `next`."
        cursor = {
            "name": CURSOR,
            "required": False,
            "in": "query",
            "description": description,
            "schema": {"type": "string"},
        }
        return [*super().get_schema_operation_parameters(view), cursor]


def _after_row(model: type[Model], terms: list[str], cursor: str) -> Q:
    """A condition for the rows after the row that the cursor names."""
    text, _, key = cursor.rpartition("~")
    name, backwards = terms[0].lstrip("-"), terms[0].startswith("-")
    strict, inclusive = ("lt", "lte") if backwards else ("gt", "gte")
    try:
        pk = _field(model, "id").to_python(key)
        if name == "pk":
            return Q(**{f"pk__{strict}": pk})
        value = _field(model, name).to_python(text)
    except FieldError as error:
        raise ValidationError({CURSOR: "Take it from `next`, unchanged."}) from error
    if value is None:
        raise ValidationError({CURSOR: "Take it from `next`, unchanged."})
    # The database can use the index thanks to the first condition.
    equal = Q(**{name: value, f"pk__{strict}": pk})
    return Q(**{f"{name}__{inclusive}": value}) & (Q(**{f"{name}__{strict}": value}) | equal)


def _field(model: type[Model], name: str) -> Any:
    return model._meta.get_field(name)  # noqa: SLF001 - Django's own name for it
