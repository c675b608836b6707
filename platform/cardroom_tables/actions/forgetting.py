"""Forget a person at people's tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.db import transaction

from cardroom_base.core.names import FORMER_AUTHOR
from cardroom_tables.actions.seats import leave
from cardroom_tables.guests import Person
from cardroom_tables.models import Table, TableSeat

if TYPE_CHECKING:
    from django.contrib.auth.models import User


@transaction.atomic
def forget(user: User) -> None:
    """Have an account leave all its tables, and remove its name from their seats.

    The name is also removed from tables that continue one of these tables.
    """
    seats = TableSeat.objects.filter(user=user)
    tables = Table.objects.filter(pk__in=seats.values("table"))
    own_seats = seats.filter(kind=TableSeat.Kind.PERSON)  # the house has taken the others
    unfinished = Table.objects.filter(pk__in=own_seats.values("table"), state__in=Table.UNFINISHED)
    for table in unfinished.order_by("pk"):
        leave(table, Person(user))
    keys = list(tables.values_list("key", flat=True))
    names = {user.username, *seats.values_list("handle", flat=True)}
    for table in Table.objects.filter(source__table__in=keys):
        source: Any = table.source
        source["names"] = [FORMER_AUTHOR if name in names else name for name in source["names"]]
        table.save(update_fields=["source"])
    seats.update(user=None, handle=FORMER_AUTHOR)
