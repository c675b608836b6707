"""Limits of tables per account, guest and address (`settings`). Staff have no limits."""

from __future__ import annotations

from django.conf import settings
from django.db.models import QuerySet

from cardroom_base.core.errors import ActionError
from cardroom_base.db.db_time import Now
from cardroom_base.db.quotas import lock_quotas
from cardroom_tables.guests import Person
from cardroom_tables.models import Table, TableSeat
from cardroom_tables.reading import IDLE


def refuse_too_many(person: Person) -> None:
    """Raise ActionError if the person has the maximum number of tables."""
    if person.is_staff:
        return
    has_account = person.user is not None
    lock_quotas(person.asker, f"guest {person.guest}")
    limit = settings.MAX_TABLES_PER_ACCOUNT if has_account else settings.MAX_TABLES_PER_GUEST
    if unfinished_tables(person).count() >= limit:
        raise ActionError(
            f"You have reached the limit of unfinished tables ({limit}); "
            "finish or leave one of them.",
            "conflict",
        )
    if has_account:
        return
    recent = Table.objects.filter(state__in=Table.UNFINISHED, moved__gt=Now() - IDLE)
    limit = settings.MAX_TABLES_PER_ADDRESS
    if recent.filter(origin=person.origin).count() >= limit:
        raise ActionError(
            f"Guests at your address have reached the limit of tables ({limit}); "
            "log in, or come back in half an hour.",
            "conflict",
        )


def unfinished_tables(person: Person) -> QuerySet[Table]:
    """The unfinished tables at which a person sits."""
    own_seats = TableSeat.objects.filter(
        person.own_seats(), left__isnull=True, kind=TableSeat.Kind.PERSON
    )
    return Table.objects.filter(pk__in=own_seats.values("table"), state__in=Table.UNFINISHED)
