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
    """What challenges and trials have in common."""

    tournament = models.OneToOneField(Tournament, models.CASCADE, related_name="%(class)s_of")
    """The hidden tournament in which it is played."""
    candidate = models.ForeignKey(BotVersion, models.CASCADE, related_name="%(class)ss")
    """The version of the person who asked for it."""
    opponent = models.ForeignKey(BotVersion, models.CASCADE, related_name="+")
    groups = models.PositiveIntegerField(default=0)
    """Deal groups: of a challenge, the played ones; of a trial, the ones behind its result."""
    started = models.DateTimeField(db_default=Now())

    class Meta:
        abstract = True
        ordering: ClassVar = ("-id",)

    def __str__(self) -> str:
        return f"{self.candidate} against {self.opponent}"


class Challenge(Matchup):
    """A few deal groups between two versions, asked for by an author.

    Everybody with its address sees it, but for one between versions of the same bot: that is its
    owner's alone, as a trial is. Its state is the tournament's.
    """

    by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.PROTECT,
        related_name="challenges",
        null=True,
        blank=True,
    )
    """Who asked for it; null: the site itself."""

    @property
    def own(self) -> bool:
        """Whether both are versions of one bot."""
        return self.candidate.bot_id == self.opponent.bot_id


class Trial(Matchup):
    """A candidate version against the active one and the field, until a sequential test decides."""

    class State(models.TextChoices):
        """Where it stands."""

        RUNNING = "running", "running"
        """More deal groups are played."""
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
    """Elo points of the hypothesis that it is."""
    alpha = models.FloatField(default=0.05)
    """Chance to promote a candidate of `elo0`."""
    beta = models.FloatField(default=0.05)
    """Chance to reject a candidate of `elo1`."""
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
    """The result of a finished deal group of a trial, so that its matches are not read again."""

    trial = models.ForeignKey(Trial, models.CASCADE, related_name="scores")
    deal_group = models.OneToOneField(DealGroup, models.CASCADE, related_name="trial_group")
    finished = models.DateTimeField()
    """The deal group's when it was read; if it differs now, the group was played again."""
    opponent = models.ForeignKey(Entry, models.CASCADE, null=True, blank=True, related_name="+")
    """Of the field; null where candidate and stable version sat at the same table."""
    candidate = models.BooleanField(default=True)
    """Whose score it is: the candidate's or the stable version's."""
    score = models.FloatField(null=True, blank=True)
    """0 to 1; null: a match of the group does not count, so it says nothing."""

    class Meta:
        ordering = ("trial", "deal_group")

    def __str__(self) -> str:
        return f"{self.deal_group} in the {self.trial}"
