"""Every change of state of bots and versions: locks, checks, writes, announces on commit.

What an action refuses is an `ActionError`, whose text is a sentence for people.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any, Literal

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import Max
from django.utils import timezone
from django.utils.text import slugify

from bots import quotas
from bots.limits import PackageError
from bots.manifest import MAX_NAME
from bots.models import Activation, Bot, BotVersion, Check, StoredPackage
from bots.outbox import announce
from bots.package import Package
from bots.sandbox import detect

if TYPE_CHECKING:
    from django.contrib.auth.models import User

Code = Literal["invalid", "forbidden", "conflict", "duplicate", "unavailable"]
"""invalid: 400, forbidden: 403, conflict and duplicate: 409, unavailable: 503."""

CHECK_TASK = "bots.tasks.check_version"
TRIAL_TASK = "tournaments.tasks.try_candidate"
"""Bots know no tournaments: that a candidate is ready is only announced here."""
RESERVED_SLUGS = frozenset({"new", "mine", "upload"})
"""Words that stand in addresses where a bot's could stand."""


class ActionError(ValueError):
    """What an action refuses: a sentence for people, a code for programs, perhaps the field."""

    def __init__(self, message: str, code: Code = "invalid", field: str = "") -> None:
        super().__init__(message)
        self.code: Code = code
        self.field = field


# --- bots ---------------------------------------------------------------------------------------


@transaction.atomic
def register_bot(owner: User | None, name: str, description: str = "") -> Bot:
    """A new bot without a version; `owner` None makes a house bot.

    Refused when the name is taken (whatever its case), empty, too long or not printable.
    """
    name = _checked_name(name)
    if refusal := quotas.bot_refusal(owner):
        raise ActionError(refusal, "conflict")
    return Bot.objects.create(
        slug=_free_slug(name),
        name=name,
        owner=owner,
        description=_checked_description(description),
    )


@transaction.atomic
def rename(bot: Bot, name: str, by: User | None) -> Bot:
    """Give a bot another name; its address (slug) stays. `by` None is the site itself."""
    bot = _locked(bot, by)
    bot.name = _checked_name(name, besides=bot)
    bot.save(update_fields=["name"])
    return bot


@transaction.atomic
def describe(bot: Bot, description: str, by: User | None) -> Bot:
    """Change what a bot's page says about it."""
    bot = _locked(bot, by)
    bot.description = _checked_description(description)
    bot.save(update_fields=["description"])
    return bot


@transaction.atomic
def set_active_version(bot: Bot, number: int, by: User | None) -> Bot:
    """Choose the version that plays from now on; only one that passed its check can.

    Tournaments that have started keep the version they started with.
    """
    bot = _locked(bot, by)
    version = bot.versions.filter(number=number).first()
    if version is None:
        raise ActionError(f"{bot.name} has no version {number}.", field="version")
    if version.status != BotVersion.Status.READY:
        raise ActionError(
            f"Version {number} of {bot.name} is {version.get_status_display()}; "
            "only a version that is ready can be active.",
            "conflict",
            "version",
        )
    _activate(bot, version)
    return bot


@transaction.atomic
def roll_back(bot: Bot, by: User | None) -> Bot:
    """Make the version active again that was so before the present one."""
    bot = _locked(bot, by)
    version = version_before(bot)
    if version is None:
        raise ActionError(f"{bot.name} has no earlier active version to go back to.", "conflict")
    _activate(bot, version)
    return bot


def version_before(bot: Bot) -> BotVersion | None:
    """The version that was active before the present one came first; going back goes further back
    each time, and never forth."""
    history = [each.version for each in bot.activations.select_related("version")]
    numbers = [version.pk for version in history]
    if bot.active_version_id not in numbers:
        return None
    first = numbers.index(bot.active_version_id)
    return history[first - 1] if first else None


# --- uploads ------------------------------------------------------------------------------------


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
) -> BotVersion:
    """Store an upload as a new version of `bot`, queued for its check.

    Without `bot` a new bot is registered, called `name`, else as the package calls itself. A
    `candidate` is tried against the active version as soon as it has passed its check. The same
    files again are refused (`duplicate`) while a version of the bot with them is queued,
    checking or ready; a rejected version may be sent again and is checked again.
    """
    refuse_without_sandbox()
    if refusal := quotas.upload_refusal(owner):
        raise ActionError(refusal, "conflict")
    try:
        loaded = Package.load(package, filename)
    except PackageError as error:
        raise ActionError(str(error), field="package") from error
    if not loaded.manifest.claimed():
        raise ActionError("The package claims no format that is played here.", field="package")
    try:
        with transaction.atomic():
            if bot is None:
                bot = register_bot(owner, name or loaded.name, description)
            else:
                bot = _locked(bot, owner)
                _refuse_duplicate(bot, loaded)
            return _queued(bot, loaded, notes, candidate=candidate)
    except IntegrityError as error:  # two uploads at once wanted the same name
        raise ActionError(f"The name {name or loaded.name} was just taken.", "conflict") from error


@transaction.atomic
def install_house_bot(package: Package, name: str, description: str = "") -> BotVersion:
    """A bot of the site's own as a version that is ready and active; twice changes nothing.

    Names and packages of house bots come with the program, so they are not checked again.
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
        version = _stored(bot, package, "Comes with the site.", BotVersion.Status.READY)
        now = timezone.now()
        Check.objects.create(
            version=version, started=now, finished=now, summary="A house bot: comes with the site."
        )
    if bot.active_version_id != version.pk:
        _activate(bot, version)
    return version


def refuse_without_sandbox() -> None:
    """Uploads by others need a sandbox on the machine that plays them."""
    if settings.WORKERS_ELSEWHERE:
        return
    isolation = detect()
    if isolation.level != "full":
        raise ActionError(
            f"This site cannot take bots now: it has no sandbox. {isolation.reason}", "unavailable"
        )


def _queued(bot: Bot, package: Package, notes: str, *, candidate: bool = False) -> BotVersion:
    version = _stored(bot, package, notes, BotVersion.Status.QUEUED)
    if candidate:
        version.candidate = True
        version.save(update_fields=["candidate"])
    Check.objects.create(version=version)
    announce(CHECK_TASK, version=version.pk)
    return version


def _stored(bot: Bot, package: Package, notes: str, status: BotVersion.Status) -> BotVersion:
    stored, _ = StoredPackage.objects.get_or_create(
        digest=package.digest,
        defaults={"content": package.to_bytes(), "unpacked_size": package.unpacked_size},
    )
    last = bot.versions.aggregate(last=Max("number"))["last"] or 0
    return BotVersion.objects.create(
        bot=bot,
        number=last + 1,
        package=stored,
        notes=_checked_text(notes, 500, "notes"),
        formats=list(package.manifest.formats),
        status=status,
    )


def _refuse_duplicate(bot: Bot, package: Package) -> None:
    same = bot.versions.filter(package_id=package.digest).exclude(status=BotVersion.Status.REJECTED)
    if version := same.first():
        raise ActionError(
            f"Version {version.number} of {bot.name} has exactly these files and is "
            f"{version.get_status_display()}.",
            "duplicate",
            "package",
        )


# --- checks -------------------------------------------------------------------------------------


@transaction.atomic
def begin_check(version: int, worker: str) -> Check | None:
    """Take the check of the version with this primary key; None when there is nothing to do.

    The answer's `tries` is the token that the later calls must show: who has lost the lease to
    another worker has an older one. After `MAX_ATTEMPTS` lost workers the version is rejected.
    """
    check = _open_check(version)
    now = timezone.now()
    if check is None or (check.lease_until is not None and check.lease_until > now):
        return None
    if check.tries >= settings.MAX_ATTEMPTS:
        _close_check(
            check,
            BotVersion.Status.REJECTED,
            f"The check could not be finished in {check.tries} tries. {check.summary} "
            "Ask the site's staff, or upload the version again.",
        )
        return None
    check.tries += 1
    check.worker = worker
    check.started = now
    check.lease_until = now + timedelta(seconds=settings.LEASE_SECONDS)
    check.steps = []
    check.save()
    _set_status(check, BotVersion.Status.CHECKING)
    return check


def heartbeat_check(check: Check) -> bool:
    """Renew the lease; False when the check has gone to another worker."""
    lease = timezone.now() + timedelta(seconds=settings.LEASE_SECONDS)
    return bool(_mine(check).update(lease_until=lease))


def save_check_steps(check: Check, steps: list[dict[str, Any]]) -> bool:
    """Show the steps so far, and renew the lease; False when the check has gone to another."""
    lease = timezone.now() + timedelta(seconds=settings.LEASE_SECONDS)
    return bool(_mine(check).update(steps=steps, lease_until=lease))


@transaction.atomic
def finish_check(
    check: Check,
    verdict: Literal["ready", "rejected"],
    *,
    steps: list[dict[str, Any]],
    summary: str,
    log: str = "",
) -> bool:
    """Store what the check found; the first ready version of a bot becomes active.

    False, and nothing stored, when the check has gone to another worker or is finished.
    """
    current = _open_check(check.version_id)
    if current is None or current.tries != check.tries:
        return False
    current.steps = steps
    current.log = log
    _close_check(current, BotVersion.Status(verdict), summary)
    return True


@transaction.atomic
def release_check(check: Check, cause: str) -> bool:
    """Give a check back that this machine could not do (no sandbox, a stop); another will."""
    current = _open_check(check.version_id)
    if current is None or current.tries != check.tries:
        return False
    current.lease_until = None
    current.summary = cause
    current.save(update_fields=["lease_until", "summary"])
    _set_status(current, BotVersion.Status.QUEUED)
    return True


def unfinished_checks() -> list[int]:
    """Primary keys of versions whose check nobody holds: for the sweep."""
    free = Check.objects.filter(finished__isnull=True).exclude(lease_until__gt=timezone.now())
    return list(free.values_list("version_id", flat=True))


def _mine(check: Check) -> Any:
    return Check.objects.filter(pk=check.pk, tries=check.tries, finished__isnull=True)


def _open_check(version: int) -> Check | None:
    checks = Check.objects.select_for_update(of=("self",)).select_related("version__bot")
    return checks.filter(version_id=version, finished__isnull=True).first()


def _set_status(check: Check, status: BotVersion.Status) -> None:
    check.version.status = status
    check.version.save(update_fields=["status"])


def _close_check(check: Check, status: BotVersion.Status, summary: str) -> None:
    check.finished = timezone.now()
    check.lease_until = None
    check.summary = summary
    check.save()
    _set_status(check, status)
    if status != BotVersion.Status.READY:
        return
    bot = Bot.objects.select_for_update().get(pk=check.version.bot_id)
    if bot.active_version_id is None:
        _activate(bot, check.version)
    elif check.version.candidate:
        announce(TRIAL_TASK, version=check.version_id)


# --- shared -------------------------------------------------------------------------------------


def _locked(bot: Bot, by: User | None) -> Bot:
    """The bot, locked, if `by` may change it: its owner, staff, or the site itself (None)."""
    bot = Bot.objects.select_for_update().get(pk=bot.pk)
    if by is not None and not by.is_staff and bot.owner_id != by.pk:
        raise ActionError(f"{bot.name} is not yours; only its owner changes it.", "forbidden")
    return bot


def _activate(bot: Bot, version: BotVersion) -> None:
    """The bot is locked by the caller."""
    if bot.active_version_id == version.pk:
        return
    bot.active_version = version
    bot.save(update_fields=["active_version"])
    Activation.objects.create(bot=bot, version=version)


def _checked_name(name: str, besides: Bot | None = None) -> str:
    name = " ".join(name.split())
    if not name or len(name) > MAX_NAME or not name.isprintable():
        raise ActionError(
            f"A bot's name has 1 to {MAX_NAME} printable characters; this one has {len(name)}.",
            field="name",
        )
    others = Bot.objects.filter(name__iexact=name)
    if besides is not None:
        others = others.exclude(pk=besides.pk)
    if others.exists():
        raise ActionError(
            f"There is already a bot called {name}. Choose another name, or send a version of it.",
            "conflict",
            "name",
        )
    return name


def _checked_description(text: str) -> str:
    return _checked_text(text, 300, "description")


def _checked_text(text: str, limit: int, field: str) -> str:
    text = text.strip()
    if len(text) > limit or "\0" in text:
        raise ActionError(
            f"The {field} may have {limit} characters; there are {len(text)}.", field=field
        )
    return text


def _free_slug(name: str) -> str:
    """An address for the name that no bot has: `magpie`, else `magpie-2`, …"""
    base = slugify(name.replace(":", "-"))[:40].strip("-_") or "bot"
    taken = set(Bot.objects.filter(slug__startswith=base).values_list("slug", flat=True))
    taken |= RESERVED_SLUGS
    number = 1
    slug = base
    while slug in taken:
        number += 1
        slug = f"{base}-{number}"
    return slug
