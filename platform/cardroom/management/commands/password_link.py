"""Prints a one-time link to set an account's password."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError, CommandParser

from cardroom.actions.accounts import password_link, site_address
from cardroom_base.core.errors import ActionError


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", help="the account's user name")
        parser.add_argument("--site", default=site_address(), help="the address of the site")

    def handle(self, *_: Any, name: str, site: str, **__: Any) -> None:
        try:
            user = User.objects.get(username=name)
            link = password_link(user, None)
        except User.DoesNotExist:
            raise CommandError(f"There is no account {name}.") from None
        except ActionError as error:
            raise CommandError(str(error)) from error
        self.stdout.write(site.rstrip("/") + link)
