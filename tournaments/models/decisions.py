"""What is decided away from the table: by organizers about matches, by tests about versions."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q

from bots.models import BotVersion
from cardroom_base.db.db_time import Now
from tournaments.models.competition import DealGroup, Entry, Tournament
from tournaments.models.matches import Match


class Decision(models.Model):
    """What an organizer decided, or what followed from it: the tournament's log."""

    class Kind(models.TextChoices):
        """What was decided."""

        RERUN = "rerun", "played again"
        """A match, or a round, is played again."""
        VOID = "void", "does not count"
        """A match does not count."""
        RETIRED = "retired", "paired anew"
        """Later pairings no longer followed and were set aside."""
        WITHDRAWN = "withdrawn", "withdrawn"
        """An entry is no longer paired."""
        REDEALT = "redealt", "dealt anew"
        """An attempt failed, so the site dealt its deal group again."""
        INTEREST = "interest", "organizer's own"
        """The person who runs the tournament plays in it."""
        ENDED = "ended", "ended"
        """It was cancelled, or a ladder was ended; what was played stays."""
        CARRIED = "carried", "carried over"
        """It goes on under other rules, or the same ones of another program."""

    tournament = models.ForeignKey(Tournament, models.CASCADE, related_name="decisions")
    match = models.ForeignKey(Match, models.CASCADE, null=True, blank=True)
    """The match it is about, if it is about one."""
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True)
    """Null: the site, as a consequence."""
    kind = models.CharField(max_length=10, choices=Kind)
    what = models.CharField(max_length=200)
    """What it is about, in words: `round 2 of stage 1`."""
    reason = models.TextField(blank=True)
    own = models.BooleanField(default=False)
    """Whether the person who decided has a bot in what it is about."""
    dealt = models.JSONField(default=list, blank=True)
    """Deal groups that got new cards: pairs of numbers, the old one and the one in its place."""
    at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering = ("tournament", "id")

    def __str__(self) -> str:
        return f"{self.what}: {self.get_kind_display()}"


class Trial(models.Model):
    """A candidate version against the stable one and the field, until a sequential test decides."""

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

    candidate = models.ForeignKey(BotVersion, models.CASCADE, related_name="trials")
    stable = models.ForeignKey(BotVersion, models.CASCADE, related_name="defences")
    tournament = models.OneToOneField(Tournament, models.CASCADE, related_name="trial_of")
    """The unrated tournament in which it is played."""
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
    groups = models.PositiveIntegerField(default=0)
    """Deal groups behind it."""
    started = models.DateTimeField(db_default=Now())
    finished = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("-id",)
        constraints = [
            models.UniqueConstraint(
                fields=("candidate",), name="one_running_trial", condition=Q(state="running")
            )
        ]

    def __str__(self) -> str:
        return f"trial of {self.candidate}"


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
