"""Adopt a program's rules, and carry running tournaments over to them.

A tournament is pinned to the rules in force at its start; workers with other rules skip it. If a
new program has rules of the same version, running tournaments are carried over automatically; for
another version somebody must decide. Both are logged.

A match is played to its end under the rules of the worker that claimed it, and its record names
them. Matches in progress while a tournament is carried over count like earlier ones.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import transaction

from cardroom_base.core.errors import ActionError
from cardroom_base.db.db_time import now
from cardroom_base.db.outbox import announce
from engine import registry, rules
from engine.rules import version_of
from tournaments.access import lock_for_organizer, may_withdraw_results, refuse_unless
from tournaments.actions.decision_log import log_decision
from tournaments.actions.names import checked_text
from tournaments.models import Decision, RulesInForce, Tournament
from tournaments.queue.task_names import PLAY_TASK

if TYPE_CHECKING:
    from django.contrib.auth.models import User

SAME_RULES = "The program changed, the rules did not."
"""The reason logged when the site carries a tournament over."""


def edition_in_force(game: str) -> str:
    """The edition of the rules in force: this program's, if the site has adopted none."""
    return _rules_row(game).edition


def pin_rules(tournament: Tournament) -> None:
    """Bind a tournament at its start to the rules in force.

    Call it last: it keeps other rules from coming into force until the transaction ends, so that
    `adopt_rules` misses no tournament.
    """
    tournament.rules = _lock_row(tournament.game).edition
    tournament.save(update_fields=["rules"])


@transaction.atomic
def adopt_rules() -> list[str]:
    """Put this program's rules into force for each game; return sentences on the effects."""
    return [
        sentence
        for game, edition in rules.editions().items()
        for sentence in _adopt_game(game, edition)
    ]


@transaction.atomic
def carry_over(tournament: Tournament, by: User | None, reason: str) -> Tournament:
    """Continue a running tournament under the rules in force; its results stay.

    For rated tournaments only staff may do so, as with withdrawing results.
    """
    tournament = lock_for_organizer(tournament, by)
    refuse_unless(tournament, "carried over", Tournament.State.RUNNING)
    if not may_withdraw_results(tournament, by):
        raise ActionError(
            f"{tournament.name} is rated: only staff can continue it under other rules.",
            "forbidden",
        )
    if not checked_text("reason", reason).strip():
        raise ActionError("Give a reason; everybody can read it.", field="reason")
    edition = edition_in_force(tournament.game)
    if tournament.rules == edition:
        raise ActionError(f"{tournament.name} is played by the rules in force.", "conflict")
    _carry_over(tournament, edition, by, reason)
    announce(PLAY_TASK)
    return tournament


def repin_rules(tournament: Tournament) -> None:
    """Bind a tournament that runs again to the rules in force, if their version is the same.

    Otherwise it keeps its rules. The caller has locked it.
    """
    if not tournament.rules:
        pin_rules(tournament)
        return
    edition = edition_in_force(tournament.game)
    if edition != tournament.rules and version_of(edition) == version_of(tournament.rules):
        _carry_over(tournament, edition, None, SAME_RULES)


def _rules_row(game: str) -> RulesInForce:
    if row := RulesInForce.objects.filter(game=game).first():
        return row
    version, _, digest = rules.edition(game).partition(" ")
    defaults = {"version": int(version), "digest": digest}
    row, _ = RulesInForce.objects.get_or_create(game=game, defaults=defaults)
    return row


def _lock_row(game: str) -> RulesInForce:
    return RulesInForce.objects.select_for_update().get(pk=_rules_row(game).pk)


def _adopt_game(game: str, edition: str) -> list[str]:
    """Put this program's rules into force for one game; return sentences on the effects."""
    row = _lock_row(game)
    old_edition, title = row.edition, registry.game(game).title
    running = Tournament.objects.filter(
        state=Tournament.State.RUNNING, format__startswith=f"{game}/"
    ).order_by("pk")
    # These tournaments started before rules had editions.
    running.filter(rules="").update(rules=old_edition)
    sentences = []
    if old_edition != edition:
        row.version, row.digest = version_of(edition), edition.partition(" ")[2]
        row.since = now()
        row.save()
        sentences.append(
            f"{title}: version {edition} is in force; the previous one was {old_edition}."
        )
    for tournament in running.exclude(rules=edition).select_for_update():
        if version_of(tournament.rules) == version_of(edition):
            _carry_over(tournament, edition, None, SAME_RULES)
            continue
        sentences.append(
            f"{tournament.slug} was started under version {tournament.rules}: only workers with "
            f"that version play it. To continue it now, run `manage.py carry_over "
            f"{tournament.slug}`."
        )
    return sentences


def _carry_over(tournament: Tournament, edition: str, by: User | None, reason: str) -> None:
    """Change the rules of a running tournament, and log it."""
    title = registry.game(tournament.game).title
    old, new = version_of(tournament.rules), version_of(edition)
    subject = f"{title} version {new}" if old == new else f"{title} version {old} to {new}"
    tournament.rules = edition
    tournament.save(update_fields=["rules"])
    log_decision(tournament, Decision.Kind.CARRIED, subject, reason, by=by)
