"""Change who may see a tournament, and admit accounts by its link or code."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import Final

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q

from cardroom_base.core.errors import ActionError
from cardroom_base.core.fields import FieldError
from tournaments.access import lock_for_organizer
from tournaments.actions.decision_log import log_decision
from tournaments.actions.names import refuse_lookalike
from tournaments.course import field_rules
from tournaments.models import Admission, Decision, Tournament

Visibility = Tournament.Visibility
MAX_INVITED: Final = 500
"""Maximum number of people who are invited to a tournament."""
_LETTERS: Final = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"
"""Characters of a code, without those that look alike."""
_CODE_LENGTH: Final = 10


def draw_key(visibility: str) -> str:
    """A new secret for the visibilities *link* and *code*; empty for others."""
    if visibility == Visibility.LINK:
        return secrets.token_urlsafe(18)
    if visibility == Visibility.CODE:
        return "".join(secrets.choice(_LETTERS) for _ in range(_CODE_LENGTH))
    return ""


@transaction.atomic
def set_visibility(
    tournament: Tournament,
    by: User | None,
    *,
    visibility: str | None = None,
    invited: Sequence[str] | None = None,
    renew: bool = False,
) -> Tournament:
    """Change who sees a tournament. Entered bots stay, and their owners can always see it.

    `invited`: the usernames of all invited people. `renew`: replaces link or code. After this, and
    after a change of the visibility, accounts that joined by the old link or code lose access,
    unless they were invited or own an entered bot. After the end, the visibility can only become
    *all*.
    """
    tournament = lock_for_organizer(tournament, by)
    old_visibility = tournament.visibility
    _set_visibility(tournament, visibility or old_visibility)
    if tournament.finished and tournament.visibility not in (old_visibility, Visibility.ALL):
        raise ActionError(
            f"{tournament.name} is {tournament.get_state_display()}; you can only show it to all.",
            "conflict",
            "visibility",
        )
    changed = tournament.visibility != old_visibility
    if renew and not changed and not tournament.key:
        raise ActionError(
            "There is no link or code to renew: the tournament is visible to "
            f"{tournament.get_visibility_display()}.",
            "conflict",
            "renew",
        )
    if changed and tournament.is_public:
        refuse_lookalike(tournament, by)
    if changed or renew:
        tournament.key = draw_key(tournament.visibility)
        tournament.admissions.exclude(by=Visibility.INVITED).delete()
        tournament.save(update_fields=["visibility", "key"])
    if invited is not None:
        _invite(tournament, invited)
    if tournament.opened and (changed or renew):
        audience = f"It is now visible to {tournament.get_visibility_display()}."
        reason = audience if changed else "It has a new link or code."
        log_decision(tournament, Decision.Kind.VISIBILITY, "the tournament", reason, by=by)
    return tournament


def _set_visibility(tournament: Tournament, visibility: str) -> None:
    if tournament.trial:
        raise ActionError("The visibility of trials and challenges cannot be changed.", "conflict")
    try:
        tournament.visibility = field_rules.clean_field("visibility", visibility)
        field_rules.check_visibility(tournament.visibility, rated=tournament.rated)
    except FieldError as error:
        raise ActionError(str(error), field=error.field) from error


def _invite(tournament: Tournament, names: Sequence[str]) -> None:
    """Replace the invited people."""
    usernames = dict.fromkeys(name.strip() for name in names if name.strip())
    if len(usernames) > MAX_INVITED:
        raise ActionError(f"You can invite at most {MAX_INVITED} people.", field="invited")
    users = User.objects.filter(username__in=usernames, is_active=True)
    if unknown := usernames.keys() - {user.username for user in users}:
        raise ActionError(f"No account is called {min(unknown)}.", field="invited")
    invitations = tournament.admissions.filter(by=Visibility.INVITED)
    invitations.exclude(user__in=users).delete()
    Admission.objects.bulk_create(
        [Admission(tournament=tournament, user=user, by=Visibility.INVITED) for user in users],
        ignore_conflicts=True,
    )


@transaction.atomic
def join(key: str, by: User) -> Tournament:
    """Admit an account by a link's secret or a code, until these are replaced; return the
    tournament."""
    code = "".join(key.split()).replace("-", "").upper()
    key_matches = Q(visibility=Visibility.LINK, key=key.strip())
    key_matches |= Q(visibility=Visibility.CODE, key=code)
    opened = Tournament.objects.filter(opened__isnull=False, hidden=False).exclude(key="")
    # Locked, so that nobody joins by a code while the organizer replaces it.
    tournament = opened.filter(key_matches).select_for_update().first()
    if tournament is None:
        raise ActionError(
            "No tournament has this code. Its organizer may have replaced it.", field="code"
        )
    Admission.objects.get_or_create(tournament=tournament, user=by, by=tournament.visibility)
    return tournament
