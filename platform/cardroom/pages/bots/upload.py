"""Around an upload: writing the bot in the page, and what its author may do after the check."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any, Final

from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpRequest
from django.utils.datastructures import MultiValueDict

from bots import package_store
from bots.limits import PackageError
from bots.models import BotVersion
from cardroom.pages.common.current_user import sent_files
from engine import Format
from tournaments.actions.versions import claims
from tournaments.models import Tournament

HERE: Final = "here"
"""What the button sends that uploads the text in the page, not a file."""
LONGEST: Final = 100_000
"""Characters of a bot that a page offers for editing."""
LADDERS: Final = 3
"""Ladders that are offered after a check."""
LOOKED: Final = 50
"""Ladders that are looked at for them, the newest first."""


def package_of(request: HttpRequest) -> MultiValueDict[str, Any] | None:
    """The files that a form sent, or the text that was written in the page as its `bot.py`."""
    if request.method != "POST" or request.POST.get("from") != HERE:
        return sent_files(request)
    text = request.POST.get("source", "").replace("\r\n", "\n")
    return MultiValueDict({"package": [SimpleUploadedFile("bot.py", text.encode())]})


@cache
def starter() -> str:
    """A small bot that plays everything, to begin with."""
    return (files("bots") / "templates" / "python" / "bot.py").read_text("utf-8")


def source_of(version: BotVersion | None) -> str:
    """The text of a version that is one short `bot.py`; empty for any other, a damaged one too."""
    if version is None:
        return ""
    try:
        package = package_store.fetch(version.package_id)
    except PackageError:
        return ""
    text = package.files.get("bot.py", b"")
    if len(package.files) != 1 or len(text) > LONGEST:
        return ""
    return text.decode("utf-8", "replace")


def ladders_for(version: BotVersion) -> list[Tournament]:
    """Running ladders that the version could join now."""
    tournaments = Tournament.objects.filter(
        state=Tournament.State.RUNNING,
        trial=False,
        partners=Tournament.Partners.COPIES,
        stages__system="ladder",
    ).exclude(entries__bot=version.bot_id)
    newest = tournaments.order_by("-pk")[:LOOKED]
    return [each for each in newest if claims(version, Format.parse(each.format))][:LADDERS]
