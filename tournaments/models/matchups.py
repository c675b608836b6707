"""Matchups: two versions meet in a hidden, unrated tournament."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q

from bots.models import BotVersion
from cardroom_base.db.db_time import Now
from tournaments.models.competition import DealGroup, Entry, Tournament


class Matchup(models.Model):
    """The common fields of challenges and trials: a candidate version against an opponent."""

    tournament = models.OneToOneField(Tournament, models.CASCADE, related_name="%(class)s_of")
    """The hidden tournament in which it is played."""
    candidate = models.ForeignKey(BotVersion, models.CASCADE, related_name="%(class)ss")
    """The version of the person who requested it."""
    opponent = models.ForeignKey(BotVersion, models.CASCADE, related_name="+")
    groups = models.PositiveIntegerField(default=0)
    """Number of deal groups: all of a challenge, or those in the result of a trial."""
    started = models.DateTimeField(db_default=Now())

    class Meta:
        abstract = True
        ordering: ClassVar = ("-id",)

    def __str__(self) -> str:
        return f"{self.candidate} against {self.opponent}"


class Challenge(Matchup):
    """A few deal groups between two versions, requested by an author.

    Everybody with its address can see it. Only the bot's owner can see a challenge between versions
    of one bot, as with a trial. The tournament stores its state.
    """

    by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.PROTECT,
        related_name="challenges",
        null=True,
        blank=True,
    )
    """The user who requested it; null: the site itself."""

    @property
    def own(self) -> bool:
        """Whether both versions belong to one bot."""
        return self.candidate.bot_id == self.opponent.bot_id


class Trial(Matchup):
    """A candidate version against the active one and the field, until a sequential test decides."""

    class State(models.TextChoices):
        RUNNING = "running", "running"
        """Deal groups are still being played."""
        PROMOTED = "promoted", "promoted"
        """The candidate is better; it has become the active version."""
        REJECTED = "rejected", "rejected"
        """The candidate is not better."""
        ABANDONED = "abandoned", "abandoned"
        """Ended by its author, or at its maximum length without a decision."""

    state = models.CharField(max_length=10, choices=State, default=State.RUNNING)
    elo0 = models.FloatField(default=0.0)
    """Elo points of the hypothesis that the candidate is not better."""
    elo1 = models.FloatField(default=20.0)
    """Elo points of the hypothesis that it is better."""
    alpha = models.FloatField(default=0.05)
    """Probability of promoting a candidate that is `elo0` better."""
    beta = models.FloatField(default=0.05)
    """Probability of rejecting a candidate that is `elo1` better."""
    llr = models.FloatField(default=0.0)
    """Log likelihood ratio of the two hypotheses so far."""
    finished = models.DateTimeField(null=True, blank=True)

    class Meta(Matchup.Meta):
        constraints = [
            models.UniqueConstraint(
                fields=("candidate",), name="one_running_trial", condition=Q(state="running")
            )
        ]


class TrialGroup(models.Model):
    """The result of a trial's finished deal group, stored so that matches are not read again."""

    trial = models.ForeignKey(Trial, models.CASCADE, related_name="scores")
    deal_group = models.OneToOneField(DealGroup, models.CASCADE, related_name="trial_group")
    finished = models.DateTimeField()
    """The deal group's `finished` when this was stored; if it has changed, the group was rerun."""
    opponent = models.ForeignKey(Entry, models.CASCADE, null=True, blank=True, related_name="+")
    """The opponent from the field; null if candidate and stable version met."""
    candidate = models.BooleanField(default=True)
    """Whether `score` is the candidate's; otherwise it is the stable version's."""
    score = models.FloatField(null=True, blank=True)
    """0 to 1; null if a match of the group does not count: the test then ignores the group."""

    class Meta:
        ordering = ("trial", "deal_group")

    def __str__(self) -> str:
        return f"{self.deal_group} in the {self.trial}"
