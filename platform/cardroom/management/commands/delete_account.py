"""Deletes an account's personal data and retires its bots; results stay."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError, CommandParser

from cardroom.actions.deletion import delete_account
from cardroom_base.core.errors import ActionError


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", help="the account's user name")

    def handle(self, *_: Any, name: str, **__: Any) -> None:
        try:
            delete_account(User.objects.get(username=name))
        except User.DoesNotExist:
            raise CommandError(f"There is no account {name}.") from None
        except ActionError as error:
            raise CommandError(str(error)) from error
