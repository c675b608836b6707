"""Uploads: store a package as a version that waits for its check; install house bots."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import Max

from bots.actions import quotas
from bots.actions.editing import activate, checked_text, lock_owned, register_bot
from bots.limits import PackageError
from bots.models import Bot, BotVersion, Check, StoredPackage
from bots.package.manifest import covers, restricted_to
from bots.package.package import Package
from bots.sandbox import detect
from cardroom_base.core.errors import ActionError
from cardroom_base.db.db_time import Now
from cardroom_base.db.outbox import announce
from engine import registry

if TYPE_CHECKING:
    from django.contrib.auth.models import User

CHECK_TASK = "bots.tasks.check_version"
MAX_READING = 2
"""Packages that a process reads at the same time; each may take `syntax.MEMORY`."""
MAX_WAIT_S = 1.0
"""Time that an upload waits until it is read, in a thread that others need."""
_reading = threading.BoundedSemaphore(MAX_READING)


def upload_version(
    owner: User,
    package: bytes,
    filename: str,
    *,
    bot: Bot | None = None,
    name: str = "",
    description: str = "",
    notes: str = "",
    candidate: bool = False,
    games: Sequence[str] = (),
) -> BotVersion:
    """Store an upload as a new version of `bot`, queued for its check.

    Without `bot` a new bot is registered, with the name `name` or else the package's name. A
    `candidate` gets a trial against the active version as soon as it has passed its check. The same
    files are refused (`duplicate`) while a version of the bot has them and is queued, checking or
    ready; a rejected version may be uploaded again. `games`: the only games to play; by default all
    that the package claims.
    """
    refuse_without_sandbox()
    loaded = _load(package, filename)
    if not loaded.manifest.claimed():
        raise ActionError("The package claims no format that is played here.", field="package")
    formats = _chosen_formats(loaded, games)
    try:
        with transaction.atomic():
            quotas.refuse_too_many_uploads(owner)
            if bot is None:
                bot = register_bot(owner, name or loaded.name, description)
            else:
                bot = lock_owned(bot, owner)
                _refuse_duplicate(bot, loaded)
            return queue_version(bot, loaded, notes, candidate=candidate, formats=formats)
    except IntegrityError as error:  # another upload has just taken the name
        raise ActionError(f"The name {name or loaded.name} was just taken.", "conflict") from error


@transaction.atomic
def install_house_bot(package: Package, name: str, description: str = "") -> BotVersion:
    """Install a house bot as a version that is ready and active; a second call changes nothing.

    Names and packages of house bots are part of the program and are not checked again.
    """
    bot = Bot.objects.select_for_update().filter(name=name).first()
    if bot is not None and not bot.is_house:
        raise ActionError(f"A user's bot is already called {name}; rename it.", "conflict", "name")
    if bot is None:
        bot = register_bot(None, name, description)
    elif bot.description != description:
        bot.description = description
        bot.save(update_fields=["description"])
    version = bot.versions.filter(package_id=package.digest).first()
    if version is None:
        version = _create_version(bot, package, "Comes with the site.", BotVersion.Status.READY)
        Check.objects.create(
            version=version,
            started=Now(),
            finished=Now(),
            summary="A house bot: comes with the site.",
        )
    if bot.active_version_id != version.pk:
        activate(bot, version)
    return version


def refuse_without_sandbox() -> None:
    """Refuse uploads if the machine that plays them has no sandbox."""
    if settings.WORKERS_ELSEWHERE:
        return
    isolation = detect()
    if isolation.level != "full":
        raise ActionError(
            f"This site cannot accept bots now: it has no sandbox. {isolation.reason}",
            "unavailable",
        )


def _load(package: bytes, filename: str) -> Package:
    if not _reading.acquire(timeout=MAX_WAIT_S):
        raise ActionError(
            "The site is reading other uploads; try again in a few seconds.", "unavailable"
        )
    try:
        return Package.load(package, filename)
    except PackageError as error:
        raise ActionError(str(error), field="package", detail=error.detail) from error
    finally:
        _reading.release()


def _chosen_formats(package: Package, games: Sequence[str]) -> tuple[str, ...]:
    """Patterns of the formats that a version is to play; ActionError for an unknown game."""
    claimed = package.manifest.formats
    if not games:
        return claimed
    names = [game.name for game in registry.games()]
    if unknown := [game for game in games if game not in names]:
        raise ActionError(
            f"There is no game {unknown[0]}; the games are {', '.join(names)}.", field="games"
        )
    formats = restricted_to(claimed, games)
    if not any(covers(pattern, fmt) for fmt in package.manifest.claimed() for pattern in formats):
        raise ActionError(
            "The package plays none of these games; its cardroom.toml claims "
            f"{', '.join(claimed)}.",
            field="games",
        )
    return formats


def queue_version(
    bot: Bot,
    package: Package,
    notes: str,
    *,
    candidate: bool = False,
    formats: Sequence[str] = (),
) -> BotVersion:
    """Store a version and queue its check; the caller has checked permissions.

    `formats`: patterns of the formats to play; by default those it claims.
    """
    version = _create_version(bot, package, notes, BotVersion.Status.QUEUED, formats)
    if candidate:
        version.candidate = True
        version.save(update_fields=["candidate"])
    Check.objects.create(version=version)
    announce(CHECK_TASK, version=version.pk)
    return version


def _create_version(
    bot: Bot,
    package: Package,
    notes: str,
    status: BotVersion.Status,
    formats: Sequence[str] = (),
) -> BotVersion:
    stored, _ = StoredPackage.objects.get_or_create(
        digest=package.digest,
        defaults={"content": package.to_bytes(), "unpacked_size": package.unpacked_size},
    )
    last_number = bot.versions.aggregate(last=Max("number"))["last"] or 0
    return BotVersion.objects.create(
        bot=bot,
        number=last_number + 1,
        package=stored,
        notes=checked_text(notes, 500, "notes"),
        formats=list(formats or package.manifest.formats),
        needs=" ".join(package.manifest.needs),
        status=status,
    )


def _refuse_duplicate(bot: Bot, package: Package) -> None:
    versions = bot.versions.filter(package_id=package.digest).exclude(
        status=BotVersion.Status.REJECTED
    )
    if version := versions.first():
        raise ActionError(
            f"Version {version.number} of {bot.name} has exactly these files and is "
            f"{version.get_status_display()}.",
            "duplicate",
            "package",
        )
