"""Changes of bots by their owners and moderators: name, active version, permissions, …"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from django.db import transaction
from django.db.models import Q
from django.utils.text import slugify

from bots.access import owns, refuse_locked_texts, refuse_unless_moderator
from bots.actions import quotas
from bots.limits import MAX_NAME
from bots.models import Activation, Bot, BotVersion, Check
from cardroom_base.core import names
from cardroom_base.core.errors import ActionError
from cardroom_base.db.db_time import now
from cardroom_base.db.retired_names import refuse_retired, retire_name

if TYPE_CHECKING:
    from datetime import datetime

    from django.contrib.auth.models import User

RESERVED_SLUGS = frozenset({"new", "mine", "upload"})
"""Words that the site's addresses use in place of a bot's slug."""


@transaction.atomic
def register_bot(owner: User | None, name: str, description: str = "") -> Bot:
    """Create a bot without a version; `owner` None makes it a house bot.

    Refused if the name is not valid (`core.names`), is taken, or looks like another bot's.
    """
    name, skeleton = _checked_name(name, owner)
    if owner is not None:
        refuse_retired(name)
    quotas.refuse_too_many_bots(owner)
    return Bot.objects.create(
        slug=_free_slug(name),
        name=name,
        skeleton=skeleton,
        owner=owner,
        description=_checked_description(description),
    )


@transaction.atomic
def rename(bot: Bot, name: str, by: User | None) -> Bot:
    """Rename a bot; its address (slug) stays. `by` None is the site itself."""
    bot = lock_owned(bot, by)
    refuse_locked_texts(bot, by, "name")
    old_skeleton = bot.skeleton
    bot.name, bot.skeleton = _checked_name(name, bot.owner, except_for=bot)
    if bot.skeleton != old_skeleton:
        refuse_retired(bot.name)
    bot.save(update_fields=["name", "skeleton"])
    return bot


@transaction.atomic
def describe(bot: Bot, description: str, by: User | None) -> Bot:
    bot = lock_owned(bot, by)
    refuse_locked_texts(bot, by, "description")
    bot.description = _checked_description(description)
    bot.save(update_fields=["description"])
    return bot


@transaction.atomic
def allow_people(bot: Bot, by: User | None, *, allowed: bool) -> Bot:
    """Choose whether people may seat the bot at their tables; tables in play keep it."""
    bot = lock_owned(bot, by)
    bot.plays_people = allowed
    bot.save(update_fields=["plays_people"])
    return bot


@transaction.atomic
def allow_challenges(bot: Bot, by: User | None, *, allowed: bool) -> Bot:
    """Choose whether other people's bots may challenge it; running challenges continue."""
    bot = lock_owned(bot, by)
    bot.takes_challenges = allowed
    bot.save(update_fields=["takes_challenges"])
    return bot


@transaction.atomic
def retire(bot: Bot, by: User | None) -> Bot:
    """Take a bot out of lists, tables and challenges until a version becomes active again.

    Tournaments keep the version that they play. Versions that wait for a check are rejected.
    """
    bot = lock_owned(bot, by)
    bot.active_version = None
    bot.save(update_fields=["active_version"])
    unchecked = bot.versions.filter(
        status__in=(BotVersion.Status.QUEUED, BotVersion.Status.CHECKING)
    )
    Check.objects.filter(version__in=unchecked).delete()
    unchecked.update(status=BotVersion.Status.REJECTED)
    return bot


@transaction.atomic
def quarantine(bot: Bot, by: User | None, at: datetime | None = None) -> Bot:
    """Keep a bot from playing, for moderators; its running attempts are for the caller to end.

    `at`: the time to store, by default now.
    """
    bot = _locked_for_moderator(bot, by)
    if bot.is_house:
        raise ActionError(f"{bot.name} comes with the site; it is not quarantined.", "conflict")
    if bot.quarantined:
        raise ActionError(f"{bot.name} is already quarantined.", "conflict")
    bot.quarantined = at or now()
    bot.save(update_fields=["quarantined"])
    return bot


@transaction.atomic
def end_quarantine(bot: Bot, by: User | None) -> Bot:
    """Let a bot play again."""
    bot = _locked_for_moderator(bot, by)
    if not bot.quarantined:
        raise ActionError(f"{bot.name} is not quarantined.", "conflict")
    bot.quarantined = None
    bot.save(update_fields=["quarantined"])
    return bot


@transaction.atomic
def change_bot_text(
    bot: Bot, field: Literal["name", "description"], text: str, by: User | None
) -> Bot:
    """Change the name, and with it the address, or the description of a bot, for moderators.

    Its owner can change neither until `unlock_bot_texts`, and nobody can choose the old name.
    """
    bot = _locked_for_moderator(bot, by)
    if bot.is_house:
        raise ActionError(
            f"{bot.name} comes with the site; nobody can change its texts.", "conflict"
        )
    old_text = getattr(bot, field)
    try:
        if field == "name":
            bot.name, bot.skeleton = _checked_name(text, bot.owner, except_for=bot)
            bot.slug = _free_slug(bot.name, except_for=bot)
            retire_name(old_text, bot.name)
        else:
            bot.description = _checked_description(text)
    except ActionError as error:
        raise ActionError(str(error), error.code, "text") from error
    if getattr(bot, field) == old_text:
        raise ActionError(f"That is already the {field}.", "conflict", "text")
    bot.texts_locked = True
    bot.save(update_fields=["name", "skeleton", "slug", "description", "texts_locked"])
    return bot


@transaction.atomic
def unlock_bot_texts(bot: Bot, by: User | None) -> Bot:
    """Let a bot's owner change its name and description again."""
    bot = _locked_for_moderator(bot, by)
    if not bot.texts_locked:
        raise ActionError(f"The texts of {bot.name} are not locked.", "conflict")
    bot.texts_locked = False
    bot.save(update_fields=["texts_locked"])
    return bot


@transaction.atomic
def set_active_version(bot: Bot, number: int, by: User | None) -> Bot:
    """Choose the version that plays from now on; it must have passed its check.

    Started tournaments keep the version with which they started.
    """
    bot = lock_owned(bot, by)
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
    activate(bot, version)
    return bot


@transaction.atomic
def roll_back(bot: Bot, by: User | None) -> Bot:
    """Activate the version that was active before the present one."""
    bot = lock_owned(bot, by)
    version = previous_version(bot)
    if version is None:
        raise ActionError(f"{bot.name} has no earlier active version to go back to.", "conflict")
    activate(bot, version)
    return bot


def previous_version(bot: Bot) -> BotVersion | None:
    """The version that was active before the present one first became active.

    With this rule, each roll-back goes further back, never forward.
    """
    history = [activation.version for activation in bot.activations.select_related("version")]
    version_ids = [version.pk for version in history]
    if bot.active_version_id not in version_ids:
        return None
    active_index = version_ids.index(bot.active_version_id)
    return history[active_index - 1] if active_index else None


# --- shared -------------------------------------------------------------------------------------


def lock_owned(bot: Bot, by: User | None) -> Bot:
    """Lock the bot and return it; ActionError unless `by` has the owner's rights."""
    bot = Bot.objects.select_for_update().get(pk=bot.pk)
    if not owns(bot, by):
        raise ActionError(f"{bot.name} is not yours; only its owner can change it.", "forbidden")
    return bot


def _locked_for_moderator(bot: Bot, by: User | None) -> Bot:
    refuse_unless_moderator(by)
    return Bot.objects.select_for_update().get(pk=bot.pk)


def activate(bot: Bot, version: BotVersion) -> None:
    """Make a version the active one; the caller has locked the bot."""
    if bot.active_version_id == version.pk:
        return
    bot.active_version = version
    bot.save(update_fields=["active_version"])
    Activation.objects.create(bot=bot, version=version)


def _checked_name(name: str, owner: User | None, except_for: Bot | None = None) -> tuple[str, str]:
    """The normalised name and its skeleton; ActionError if the name is not allowed."""
    try:
        name = names.normalize(name, MAX_NAME)
    except names.BadNameError as error:
        raise ActionError(f"The name {error}", field="name") from error
    if owner is not None and names.looks_like_house(name):
        raise ActionError(
            f"The name begins like {names.HOUSE}, which is reserved for the site's own bots.",
            field="name",
        )
    # Uploading a bot.py without a name creates a bot called bot.
    if owner is not None and names.is_reserved(name) and name.casefold() != "bot":
        raise ActionError(
            "This name could be mistaken for the site itself or one of its bots; choose another.",
            field="name",
        )
    if owner is not None and names.is_seat_name(name):
        raise ActionError("A seat at every table has this name; choose another.", field="name")
    skeleton = names.skeleton(name)
    bots_with_that_name = Bot.objects.filter(Q(name__iexact=name) | Q(skeleton=skeleton))
    if except_for is not None:
        bots_with_that_name = bots_with_that_name.exclude(pk=except_for.pk)
    if namesake := bots_with_that_name.first():
        same_name = namesake.name.casefold() == name.casefold()
        namesake_text = name if same_name else f"{namesake.name}, which looks like {name}"
        raise ActionError(
            f"There is already a bot called {namesake_text}. "
            "Choose another name, or upload a version of that bot.",
            "conflict",
            "name",
        )
    return name, skeleton


def _checked_description(text: str) -> str:
    return checked_text(text, 300, "description")


def checked_text(text: str, limit: int, field: str) -> str:
    """The stripped text; ActionError if it is too long or contains control characters."""
    try:
        text = names.check_text(text.strip())
    except names.BadNameError as error:
        raise ActionError(f"The {field} {error}", field=field) from error
    if len(text) > limit:
        raise ActionError(
            f"The {field} may have at most {limit} characters; it has {len(text)}.", field=field
        )
    return text


def _free_slug(name: str, except_for: Bot | None = None) -> str:
    """A free address for the name: `magpie`, else `magpie-2`, …"""
    base = slugify(name.replace(":", "-"))[:40].strip("-_") or "bot"
    slugs = set(Bot.objects.filter(slug__startswith=base).values_list("slug", flat=True))
    slugs -= {except_for.slug} if except_for else set()
    slugs |= RESERVED_SLUGS
    number = 1
    slug = base
    while slug in slugs:
        number += 1
        slug = f"{base}-{number}"
    return slug
