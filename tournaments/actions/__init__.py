"""Actions: each change of a tournament or match locks, checks, writes and announces on commit.

`drafts`, `tournaments`, `announcements`, `organizers`: for organizers. `schedule`: starts and ends
at set times, repetitions. `entries`, `teams`, `participation`: for authors. `categories`: for both.
`attempts`: for workers. `rounds`, `deal_groups`: the next pairings. `decisions`: reruns and voids.
`trials`, `challenges`, `analyses`: on request. `retiring`: bots and authors. `moderating`: for
moderators. `rules`: editions of the rules. `notifying`: notifications. A refused action raises
`ActionError` with a sentence for people. `by` is the user; None is the site itself, which may do
everything.

Locks are taken in one order, tournament or deal group before match, and nobody locks a tournament
while holding a match. So no two callers wait for each other.
"""

from cardroom_base.core.errors import ActionError
from tournaments.actions.admissions import join, set_visibility
from tournaments.actions.analyses import request_analysis, stop_analysis
from tournaments.actions.announcements import (
    change_announcement,
    delete_announcement,
    post_announcement,
)
from tournaments.actions.attempts import (
    claim,
    fail_attempt,
    heartbeat,
    release_worker,
    store_result,
    sweep_attempts,
)
from tournaments.actions.categories import categorize
from tournaments.actions.challenges import cancel_challenge, start_challenge
from tournaments.actions.decisions import rerun_match, rerun_round, void_match
from tournaments.actions.drafts import create_tournament, update_tournament
from tournaments.actions.entries import enter, enter_many, withdraw
from tournaments.actions.freezing import freeze, reveal
from tournaments.actions.moderating import (
    TextField,
    change_text,
    hide,
    rename_in_logs,
    unlock_texts,
)
from tournaments.actions.organizers import change_organizers, hand_over
from tournaments.actions.retiring import (
    advance_ladders,
    apply_quarantine,
    retire_author,
    retire_bot,
)
from tournaments.actions.rounds import advance
from tournaments.actions.rules import adopt_rules, carry_over
from tournaments.actions.schedule import repeat
from tournaments.actions.teams import agree, enter_team, withdraw_team
from tournaments.actions.tournaments import cancel, finish, open_, start
from tournaments.actions.trials import abandon_trial, start_trial

__all__ = [
    "ActionError",
    "TextField",
    "abandon_trial",
    "adopt_rules",
    "advance",
    "advance_ladders",
    "agree",
    "apply_quarantine",
    "cancel",
    "cancel_challenge",
    "carry_over",
    "categorize",
    "change_announcement",
    "change_organizers",
    "change_text",
    "claim",
    "create_tournament",
    "delete_announcement",
    "enter",
    "enter_many",
    "enter_team",
    "fail_attempt",
    "finish",
    "freeze",
    "hand_over",
    "heartbeat",
    "hide",
    "join",
    "open_",
    "post_announcement",
    "release_worker",
    "rename_in_logs",
    "repeat",
    "request_analysis",
    "rerun_match",
    "rerun_round",
    "retire_author",
    "retire_bot",
    "reveal",
    "set_visibility",
    "start",
    "start_challenge",
    "start_trial",
    "stop_analysis",
    "store_result",
    "sweep_attempts",
    "unlock_texts",
    "update_tournament",
    "void_match",
    "withdraw",
    "withdraw_team",
]
