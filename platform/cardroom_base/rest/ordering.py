"""Ordering of lists."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.db.models import F, QuerySet
from rest_framework.exceptions import ValidationError
from rest_framework.filters import OrderingFilter
from rest_framework.request import Request
from rest_framework.views import APIView


class StableOrdering(OrderingFilter):
    """`?ordering=field,-other`, with empty values last and a total order.

    Rows with equal values in every requested field are ordered by primary key; otherwise a row
    could appear on two pages of a list, or on none.
    """

    def filter_queryset(
        self, request: Request, queryset: QuerySet[Any], view: APIView
    ) -> QuerySet[Any]:
        """Order by the requested fields; by default, keep the view's order."""
        names = self.get_ordering(request, queryset, view)
        if not names or not request.query_params.get(self.ordering_param):
            return queryset
        terms = [_term(name) for name in names]
        return queryset.order_by(*terms, "pk")

    def remove_invalid_fields(
        self, queryset: QuerySet[Any], fields: Iterable[str], view: APIView, request: Request
    ) -> list[str]:
        """The requested fields; 400 lists the known ones if any is unknown."""
        names = list(fields)
        choices = [name for name, _ in self.get_valid_fields(queryset, view, {"request": request})]
        for name in names:
            if name.removeprefix("-") not in choices:
                raise ValidationError(
                    {
                        self.ordering_param: f"This list cannot be ordered by {name[:60]!r}, only "
                        f"by {', '.join(choices)}, each also with - in front."
                    }
                )
        return names


def _term(name: str) -> Any:
    field = F(name.lstrip("-"))
    return field.desc(nulls_last=True) if name.startswith("-") else field.asc(nulls_last=True)
