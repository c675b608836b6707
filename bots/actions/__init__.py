"""Actions: each change of a bot or version locks, checks, writes and announces on commit.

`editing`: changes by owners and moderators. `uploading`: new versions. `checking`: checks by
workers. `workers`: reports of workers. A refused action raises `ActionError`, whose text is a
sentence for people. Other packages import all actions from here.
"""

from bots.actions.checking import (
    TRIAL_TASK,
    begin_check,
    finish_check,
    pass_on_check,
    release_check,
    unfinished_checks,
)
from bots.actions.editing import (
    allow_challenges,
    allow_people,
    change_bot_text,
    describe,
    end_quarantine,
    previous_version,
    quarantine,
    register_bot,
    rename,
    retire,
    roll_back,
    set_active_version,
    unlock_bot_texts,
)
from bots.actions.uploading import (
    CHECK_TASK,
    install_house_bot,
    queue_version,
    refuse_without_sandbox,
    upload_version,
)
from bots.actions.workers import (
    drain_worker,
    forget_worker,
    is_draining,
    report_recovery,
    report_trouble,
    report_worker,
    resume_worker,
)
from cardroom_base.core.errors import ActionError, Code

__all__ = [
    "CHECK_TASK",
    "TRIAL_TASK",
    "ActionError",
    "Code",
    "allow_challenges",
    "allow_people",
    "begin_check",
    "change_bot_text",
    "describe",
    "drain_worker",
    "end_quarantine",
    "finish_check",
    "forget_worker",
    "install_house_bot",
    "is_draining",
    "pass_on_check",
    "previous_version",
    "quarantine",
    "queue_version",
    "refuse_without_sandbox",
    "register_bot",
    "release_check",
    "rename",
    "report_recovery",
    "report_trouble",
    "report_worker",
    "resume_worker",
    "retire",
    "roll_back",
    "set_active_version",
    "unfinished_checks",
    "unlock_bot_texts",
    "upload_version",
]
