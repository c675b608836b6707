"""Which rules are in force, and how running tournaments change to others.

A tournament is played by the rules that were in force at its start; workers with other rules leave
it alone. When a new program comes into service with rules of the same version, the tournament goes
on under them; if the version is another, somebody must decide. Either way its log says so.

A match is played to its end by the rules with which it was claimed, and its record names them. What
is being played while a tournament is carried over counts like what was played before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import transaction

from cardroom_base.core.errors import ActionError
from cardroom_base.db.db_time import now
from cardroom_base.db.outbox import announce
from engine import registry, rules
from engine.rules import version_of
from tournaments.access import locked_for_organizer, refuse_unless, takes_back
from tournaments.actions.decision_log import log_decision
from tournaments.actions.names import checked_text
from tournaments.models import Decision, RulesInForce, Tournament
from tournaments.queue.messages import PLAY_TASK

if TYPE_CHECKING:
    from django.contrib.auth.models import User

SAME = "The program changed, the rules did not."
"""Why the site itself carries a tournament over."""


def in_force(game: str) -> str:
    """The edition of the rules in force: this program's, if the site has adopted none."""
    return _row(game).edition


def pin(tournament: Tournament) -> None:
    """Let a tournament that starts be played by the rules in force.

    Called last: until the transaction ends no other rules can come into force, so that no
    tournament starts unnoticed while running ones are carried over.
    """
    tournament.rules = _locked_row(tournament.game).edition
    tournament.save(update_fields=["rules"])


@transaction.atomic
def adopt_rules() -> list[str]:
    """Put this program's rules into force, for each game; the consequences, in sentences."""
    return [
        sentence for game, edition in rules.editions().items() for sentence in _adopt(game, edition)
    ]


@transaction.atomic
def carry_over(tournament: Tournament, by: User | None, reason: str) -> Tournament:
    """Let a running tournament go on under the rules in force; what was played stays.

    Like its results, the rules of a rated tournament concern everybody who is rated: staff decide.
    """
    tournament = locked_for_organizer(tournament, by)
    refuse_unless(tournament, "carried over", Tournament.State.RUNNING)
    if not takes_back(tournament, by):
        raise ActionError(
            f"{tournament.name} is rated: staff decide whether it goes on under other rules.",
            "forbidden",
        )
    if not checked_text("reason", reason).strip():
        raise ActionError("Give a reason; everybody can read it.", field="reason")
    edition = in_force(tournament.game)
    if tournament.rules == edition:
        raise ActionError(f"{tournament.name} is played by the rules in force.", "conflict")
    _carry(tournament, edition, by, reason)
    announce(PLAY_TASK)
    return tournament


def follow(tournament: Tournament) -> None:
    """A tournament that runs again goes by the rules in force, if their version is its own.

    Otherwise it keeps its rules. The caller has locked it.
    """
    if not tournament.rules:
        pin(tournament)
        return
    edition = in_force(tournament.game)
    if edition != tournament.rules and version_of(edition) == version_of(tournament.rules):
        _carry(tournament, edition, None, SAME)


def _row(game: str) -> RulesInForce:
    if row := RulesInForce.objects.filter(game=game).first():
        return row
    version, _, digest = rules.edition(game).partition(" ")
    taken = {"version": int(version), "digest": digest}
    row, _ = RulesInForce.objects.get_or_create(game=game, defaults=taken)
    return row


def _locked_row(game: str) -> RulesInForce:
    return RulesInForce.objects.select_for_update().get(pk=_row(game).pk)


def _adopt(game: str, edition: str) -> list[str]:
    """The same for one game."""
    row = _locked_row(game)
    before, title = row.edition, registry.game(game).title
    running = Tournament.objects.filter(
        state=Tournament.State.RUNNING, format__startswith=f"{game}/"
    ).order_by("pk")
    # Started before rules were told apart.
    running.filter(rules="").update(rules=before)
    said = []
    if before != edition:
        row.version, row.digest = version_of(edition), edition.partition(" ")[2]
        row.since = now()
        row.save()
        said.append(f"{title}: version {edition} is in force; before, it was {before}.")
    for tournament in running.exclude(rules=edition).select_for_update():
        if version_of(tournament.rules) == version_of(edition):
            _carry(tournament, edition, None, SAME)
            continue
        said.append(
            f"{tournament.slug} was started by version {tournament.rules}: workers that have it "
            f"finish it, or `manage.py carry_over {tournament.slug}`."
        )
    return said


def _carry(tournament: Tournament, edition: str, by: User | None, reason: str) -> None:
    """Change the rules of a running tournament, and say so in its log."""
    title = registry.game(tournament.game).title
    old, new = version_of(tournament.rules), version_of(edition)
    what = f"{title} version {new}" if old == new else f"{title} version {old} to {new}"
    tournament.rules = edition
    tournament.save(update_fields=["rules"])
    log_decision(tournament, Decision.Kind.CARRIED, what, reason, by=by)
