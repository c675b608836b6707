"""Trials of candidate versions: the panel on a bot's page, and its buttons."""

from __future__ import annotations

from statistics import fmean
from typing import Any

from django import forms
from django.db.models import Case, When
from django.http import HttpRequest

from bots.access import owns
from bots.actions import previous_version, roll_back
from bots.models import Bot, BotVersion
from cardroom.display import plots
from cardroom.display.format_names import format_words
from cardroom.display.numbers import rough_duration
from cardroom.pages.common.current_user import logged_in_user, own_bot
from cardroom.pages.common.flash_messages import step
from cardroom.pages.common.forms import set_choices
from cardroom_base.core.errors import ActionError
from cardroom_base.core.whole_number import whole_number
from cardroom_base.db.db_time import now
from tournaments import actions
from tournaments.actions.matchups import common_formats, most_played_format
from tournaments.actions.trials import GAIN, GAINS
from tournaments.actions.verdicts import MAX_GROUPS
from tournaments.models import Trial
from tournaments.reading.trials import evidence_of, rivals, seconds_left, usual_groups

MAX_PAST = 5
"""The maximum number of finished trials on the panel."""


class TrialForm(forms.Form):
    """A trial: the candidate, the format, and the gain to detect."""

    version = forms.TypedChoiceField(label="Candidate", coerce=int)
    format = forms.ChoiceField(label="Format")
    gain = forms.IntegerField(
        label="Gain to detect, in Elo points",
        initial=GAIN,
        min_value=GAINS[0],
        max_value=GAINS[1],
        help_text="A candidate that is this much stronger is promoted in about 95 % of its trials. "
        "20 points take about 1,000 deal groups, 50 about 170, 100 about 40; a trial ends after "
        "4,000.",
    )

    def __init__(self, candidates: list[BotVersion], stable: BotVersion, **kwargs: Any) -> None:
        super().__init__(label_suffix="", **kwargs)
        numbers = [(version.number, f"v{version.number}") for version in candidates]
        names = [str(fmt) for fmt in common_formats(candidates[0], stable)]
        set_choices(self, "version", numbers)
        set_choices(self, "format", [(name, str(format_words(name))) for name in names])
        self.initial.setdefault("format", most_played_format(stable.bot))


def panel(request: HttpRequest, bot: Bot) -> dict[str, Any]:
    """The panel of trials for the bot's owner; empty for other viewers."""
    if not owns(bot, request.user):
        return {}
    if len(bot.versions.all()) < 2:  # no version to try or to roll back to
        return {"max_groups": MAX_GROUPS}
    trials = Trial.objects.filter(candidate__bot=bot).select_related(
        "candidate", "opponent", "tournament"
    )
    runs_first = Case(When(state=Trial.State.RUNNING, then=0), default=1)
    latest = list(trials.order_by(runs_first, "-pk")[: MAX_PAST + 1])
    running = next((trial for trial in latest if trial.state == Trial.State.RUNNING), None)
    past = [trial for trial in latest if trial.state != Trial.State.RUNNING]
    return {
        "running": _running_context(running) if running else None,
        "past": past[:MAX_PAST],
        "form": None if running else _form(bot),
        "back": previous_version(bot),
        "max_groups": MAX_GROUPS,
    }


def _running_context(trial: Trial) -> dict[str, Any]:
    """The template's data about a running trial, with its evidence so far."""
    evidence = evidence_of(trial)
    field = evidence.field
    elapsed = (now() - trial.started).total_seconds()
    time_left = seconds_left(evidence, trial.elo1, MAX_GROUPS, elapsed)
    return {
        "rivals": rivals(trial),
        "usual": f"{usual_groups(trial.elo1, MAX_GROUPS):,}",
        "left": None if time_left is None else rough_duration(time_left),
        "trial": trial,
        "evidence": evidence,
        "gauge": plots.gauge(evidence.llr, *evidence.bounds),
        "score": 100 * evidence.direct.mean if evidence.direct.groups else None,
        "field": [100 * fmean(points) for points in zip(*field, strict=True)] if field else [],
        "field_groups": 2 * len(field),
        "risks": (100 * trial.alpha, 100 * trial.beta),
    }


def _form(bot: Bot, data: Any = None) -> TrialForm | None:
    """The form that starts a trial; None without a version to try."""
    stable = bot.active_version
    ready = [version for version in bot.versions.all() if version.status == BotVersion.Status.READY]
    candidates = [
        version for version in sorted(ready, key=lambda v: -v.number) if version != stable
    ]
    if stable is None or not candidates:
        return None
    return TrialForm(candidates, stable, data=data)


_step = step(own_bot, "bot")


@_step
def start(request: HttpRequest, bot: Bot) -> str:
    """Start a trial."""
    number, gain = request.POST.get("version", ""), request.POST.get("gain", "")
    version = bot.versions.filter(number=whole_number(number) or 0).first()
    if version is None:
        raise ActionError(f"{bot.name} has no version {number}.")
    actions.start_trial(
        version,
        logged_in_user(request),
        format_text=request.POST.get("format", ""),
        gain=(whole_number(gain) or 0) if gain else GAIN,
    )
    return f"Version {number} is in a trial. Version {_active_number(bot)} stays active meanwhile."


@_step
def stop(request: HttpRequest, bot: Bot) -> str:
    """End the running trial undecided."""
    trial = Trial.objects.filter(candidate__bot=bot, state=Trial.State.RUNNING).first()
    if trial is None:
        raise ActionError(f"No version of {bot.name} is in a trial.", "conflict")
    actions.abandon_trial(trial, logged_in_user(request))
    return "The trial has been stopped without a decision."


@_step
def back(request: HttpRequest, bot: Bot) -> str:
    """Make the previously active version active again."""
    bot = roll_back(bot, logged_in_user(request))
    return f"Version {_active_number(bot)} is active again."


def _active_number(bot: Bot) -> int:
    return bot.active_version.number if bot.active_version else 0
