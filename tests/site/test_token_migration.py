"""Tokens of earlier versions, kept as they were, work on; their secrets are kept no more."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import pytest
from django.apps import apps
from django.db import connection
from django.utils import timezone

from bots.scopes import SCOPES
from cardroom.actions.tokens import find_token
from cardroom.models import AccountName, Token
from tests import factories as make

migration = import_module("cardroom.migrations.0001_initial")
bots_migration = import_module("bots.migrations.0005_skeletons")
OLD = "0123456789abcdef0123456789abcdef01234567"


class Editor:
    """What a migration is given, as far as these use it."""

    connection: Any = connection


@pytest.mark.django_db
def test_old_tokens_stay_valid() -> None:
    user = make.user()
    made = timezone.now().replace(microsecond=0)
    with connection.cursor() as cursor:
        cursor.execute(
            "CREATE TABLE authtoken_token "
            "(key varchar(40) PRIMARY KEY, created timestamp, user_id integer)"
        )
        cursor.execute(
            "INSERT INTO authtoken_token VALUES (%s, %s, %s)",
            [OLD, connection.ops.adapt_datetimefield_value(made), user.pk],
        )
    migration.take_over_tokens(apps, Editor)
    token = find_token(OLD)
    assert token is not None
    assert (token.user, token.name, token.expires) == (user, "earlier token", None)
    assert token.scopes == list(SCOPES)
    assert token.created == made
    assert "authtoken_token" not in connection.introspection.table_names()
    migration.take_over_tokens(apps, Editor)
    assert Token.objects.count() == 1


@pytest.mark.django_db
def test_of_names_that_look_alike_the_oldest_keeps_the_look() -> None:
    users = [make.user(name) for name in ("wren", "jay")]
    bots = [make.bot(users[0], name) for name in ("Magpie", "Rook")]
    AccountName.objects.all().delete()
    type(users[1]).objects.filter(pk=users[1].pk).update(username="WREN")
    type(bots[1]).objects.filter(pk=bots[1].pk).update(name="Ｍagpie")
    type(bots[1]).objects.update(skeleton=None)
    migration.keep_looks(apps, Editor)
    bots_migration.keep_looks(apps, Editor)
    looks = AccountName.objects.order_by("user").values_list("skeleton", flat=True)
    assert list(looks) == ["wren", None]
    for bot in bots:
        bot.refresh_from_db()
    assert bots[0].skeleton
    assert bots[1].skeleton is None
    users[1].refresh_from_db()
    users[1].save()  # such an account can go on
