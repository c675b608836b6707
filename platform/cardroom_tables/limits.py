"""Limits of tables per account, guest and address (`settings`). Staff have no limits."""

from __future__ import annotations

from django.conf import settings
from django.db.models import QuerySet

from cardroom_base.core.errors import ActionError
from cardroom_base.db.db_time import Now
from cardroom_tables.guests import Person
from cardroom_tables.models import Table, TableSeat
from cardroom_tables.reading import RESTING


def refuse_too_many(person: Person) -> None:
    """Raise ActionError if the person has the maximum number of tables."""
    if person.staff:
        return
    account = person.user is not None
    limit = settings.MAX_TABLES_PER_ACCOUNT if account else settings.MAX_TABLES_PER_GUEST
    if unfinished(person).count() >= limit:
        raise ActionError(
            f"You have reached the limit of unfinished tables ({limit}); "
            "finish or leave one of them.",
            "conflict",
        )
    if account:
        return
    lately = Table.objects.filter(state__in=Table.UNFINISHED, moved__gt=Now() - RESTING)
    limit = settings.MAX_TABLES_PER_ADDRESS
    if lately.filter(origin=person.origin).count() >= limit:
        raise ActionError(
            f"Guests at your address have reached the limit of tables ({limit}); "
            "log in, or come back in half an hour.",
            "conflict",
        )


def unfinished(person: Person) -> QuerySet[Table]:
    """The unfinished tables at which a person sits."""
    here = TableSeat.objects.filter(person.mine(), left__isnull=True, kind=TableSeat.Kind.PERSON)
    return Table.objects.filter(pk__in=here.values("table"), state__in=Table.UNFINISHED)
