"""Tournaments, their stages, who takes part, who meets whom."""

from __future__ import annotations

from django.conf import settings
from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser
from django.db import models
from django.db.models import Q

from bots.models import Bot, BotVersion
from cardroom_base.db.db_time import Now
from engine import Format
from tournaments.course.stages import Plan
from tournaments.pairing import System, get_system


class TournamentQuerySet(models.QuerySet["Tournament"]):
    def visible_to(self, user: AbstractBaseUser | AnonymousUser | None) -> TournamentQuerySet:
        """Those that were ever opened; of the rest the user's own, for staff everybody's.

        Trials are never opened, nor are challenges between versions of one bot: the bot's owner
        may look.
        """
        if user is None or not user.pk:
            return self.filter(opened__isnull=False)
        if getattr(user, "is_staff", False):
            return self
        own = Q(organizer=user.pk) | Q(trial_of__candidate__bot__owner=user.pk)
        own |= Q(challenge_of__candidate__bot__owner=user.pk)
        return self.filter(Q(opened__isnull=False) | own)

    def listed(self) -> TournamentQuerySet:
        """What lists show: all but trials and challenges."""
        return self.filter(trial=False)


def default_tie_breaks() -> list[str]:
    """The tie-breaks in their order, unless an organizer chooses others."""
    return ["difference", "wins"]


class Tournament(models.Model):
    """A competition in one format between entered bots, in one stage or several."""

    class State(models.TextChoices):
        """draft → open → running → finished, or cancelled from any but finished."""

        DRAFT = "draft", "draft"
        """The organizer is still choosing; only they see it."""
        OPEN = "open", "open"
        """Bots may enter and withdraw."""
        RUNNING = "running", "running"
        """Entries are fixed, matches are played."""
        FINISHED = "finished", "finished"
        """Every match has its result."""
        CANCELLED = "cancelled", "cancelled"
        """Ended by the organizer; results so far stay."""

    class FaultPolicy(models.TextChoices):
        """What happens in a match after a bot's first fault."""

        FALLBACK = "fallback", "play on"
        """The seat is played by the first legal move to the end."""
        FORFEIT = "forfeit", "end the match"
        """The match ends at once."""

    class Partners(models.TextChoices):
        """Who sits on the seats of a side that has several."""

        COPIES = "copies", "copies of one bot"
        """An entry is one bot; a copy of it sits on every seat of its side."""
        FIXED = "fixed", "fixed teams"
        """An entry is a team of bots, one for each seat of a side."""
        ROTATING = "rotating", "rotating partners"
        """An entry is one bot, whose partners change from round to round."""

    class Seeding(models.TextChoices):
        """The order of the entries in which the pairing systems see them."""

        ENTRY = "entry", "in order of entry"
        """First come, first seeded."""
        RATING = "rating", "by rating"
        """The best rated at the start is the first seed."""
        RANDOM = "random", "by lot"
        """Drawn from the tournament's seed."""

    slug = models.SlugField(max_length=60, unique=True)
    name = models.CharField(max_length=80)
    description = models.TextField(max_length=2000, blank=True)
    organizer = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="tournaments", null=True, blank=True
    )
    """Null for tournaments that the site itself runs."""
    format = models.CharField(max_length=200)
    """Canonical text of an `engine.Format`."""
    partners = models.CharField(max_length=10, choices=Partners, default=Partners.COPIES)
    seeding = models.CharField(max_length=10, choices=Seeding, default=Seeding.ENTRY)
    tie_breaks = models.JSONField(default=default_tie_breaks)
    """Names of the tie-breaks (`tournaments.standings`); the first that tells two apart decides."""
    apart = models.BooleanField(default=False)
    """Whether bots of one author are kept from meeting as long as possible."""
    move_ms = models.PositiveIntegerField(default=1000)
    """Milliseconds that each decision may take free of charge."""
    bank_ms = models.PositiveIntegerField(default=20000)
    """Milliseconds beyond that for a whole match, per seat."""
    fault_policy = models.CharField(
        max_length=10, choices=FaultPolicy, default=FaultPolicy.FALLBACK
    )
    live_delay = models.PositiveSmallIntegerField(default=15)
    """Seconds by which those who watch a running match are behind."""
    rated = models.BooleanField(default=True)
    """Whether its results move the ratings."""
    trial = models.BooleanField(default=False)
    """Whether the site made it for a trial or a challenge; lists of tournaments leave it out."""
    priority = models.PositiveSmallIntegerField(default=5)
    """0 to 9: waiting matches with more are played first."""
    seed = models.CharField(max_length=64)
    """Decides lots and pairings; shown once the tournament has started."""
    chosen_seed = models.BooleanField(default=False)
    """Whether the organizer chose the seed: then all deals follow from it, too; otherwise each deal
    group has its own, which nobody can know. Never in a rated tournament."""
    rules = models.CharField(max_length=40, blank=True)
    """Edition of the rules by which it is played (`engine.rules`): the one in force at its start,
    or the one to which it was carried over; empty before the start."""
    trouble = models.TextField(blank=True)
    """Why it could not be moved on the last time, for its organizer; empty if it could."""
    state = models.CharField(max_length=10, choices=State, default=State.DRAFT, db_index=True)
    created = models.DateTimeField(db_default=Now())
    opened = models.DateTimeField(null=True, blank=True)
    """When it became visible to all; null for a draft, even a cancelled one."""
    started = models.DateTimeField(null=True, blank=True)
    finished = models.DateTimeField(null=True, blank=True)

    objects = TournamentQuerySet.as_manager()

    class Meta:
        ordering = ("-created", "-id")

    def __str__(self) -> str:
        return self.name

    @property
    def game(self) -> str:
        """Name of the game."""
        return self.format.partition("/")[0]

    @property
    def finished_count(self) -> int:
        """Matches with a result; lists have counted them (`with_progress`)."""
        return int(vars(self)["counted_finished"])

    @property
    def match_count(self) -> int:
        """Matches that count; lists have counted them."""
        return self.finished_count + int(vars(self)["counted_unfinished"])

    @property
    def team_size(self) -> int:
        """Bots of a team: one for each seat of the widest side."""
        return max(map(len, Format.parse(self.format).sides))

    @property
    def takes_teams(self) -> bool:
        """Whether its entries are teams."""
        return self.partners == Tournament.Partners.FIXED and self.team_size > 1

    @property
    def entries_at_a_table(self) -> int:
        """How many entries meet in a pairing: one a side; one a seat where partners rotate."""
        sides = Format.parse(self.format).sides
        if self.partners == Tournament.Partners.ROTATING:
            return len(sides) * self.team_size
        return len(sides)

    def plans(self) -> list[Plan]:
        """Its stages, in order."""
        return [stage.plan for stage in self.stages.order_by("number")]

    def systems(self) -> list[System]:
        """The pairing systems of its stages."""
        return [get_system(stage.system) for stage in self.stages.all()]

    @property
    def by_rating(self) -> bool:
        """Whether it is a ladder: bots come, change and go while it runs, ranked by rating."""
        return any(system.by_rating for system in self.systems())

    @property
    def endless(self) -> bool:
        """Whether it goes on until it is ended: ladders and trials do."""
        return any(system.endless for system in self.systems())


class Stage(models.Model):
    """A part of a tournament with a pairing system of its own; the best go on to the next."""

    tournament = models.ForeignKey(Tournament, models.CASCADE, related_name="stages")
    number = models.PositiveSmallIntegerField(default=1)
    """1, 2, … in order of play."""
    system = models.CharField(max_length=20, default="round-robin")
    """Name of a pairing system in `tournaments.pairing`."""
    settings = models.JSONField(default=dict)
    """The system's own numbers by name, such as the rounds of a Swiss; others have defaults."""
    groups = models.PositiveSmallIntegerField(default=2)
    """Deal groups for each pairing; each holds one match per rotation of the sides."""
    take = models.PositiveIntegerField(default=0)
    """How many entries of the stage before go on to this one; 0 in the first: all."""
    divisions = models.PositiveSmallIntegerField(default=1)
    """Parts into which the entries are split by their seeds; each is paired on its own."""

    class Meta:
        ordering = ("tournament", "number")
        constraints = [
            models.UniqueConstraint(fields=("tournament", "number"), name="stage_number_once")
        ]

    def __str__(self) -> str:
        return f"{self.tournament}, stage {self.number}"

    @property
    def title(self) -> str:
        """Its pairing system in words."""
        return get_system(self.system).title

    @property
    def plan(self) -> Plan:
        """The stage without its row."""
        return Plan(self.system, self.settings, self.groups, self.take, self.divisions)


class EntryQuerySet(models.QuerySet["Entry"]):
    """Entries, and queries for many at once."""

    def with_members(self) -> EntryQuerySet:
        """Fetch their bots and versions, too, including those of teams (`Entry.members`)."""
        return self.select_related("bot", "version").prefetch_related(
            "mates__bot", "mates__version"
        )


class Entry(models.Model):
    """What takes part: a bot, or a team of bots; fixed to the versions they had at the start."""

    tournament = models.ForeignKey(Tournament, models.CASCADE, related_name="entries")
    bot = models.ForeignKey(Bot, models.PROTECT, related_name="entries")
    version = models.ForeignKey(BotVersion, models.PROTECT, related_name="entries")
    """Follows the bot's active version until the start, then stays (on a ladder it goes on)."""
    name = models.CharField(max_length=80, blank=True)
    """A team's name; empty: the names of its bots."""
    number = models.PositiveIntegerField()
    """1, 2, … in order of entering."""
    seeding = models.PositiveIntegerField(null=True, blank=True)
    """1, 2, … given at the start; the pairing systems count from it."""
    withdrawn = models.DateTimeField(null=True, blank=True)
    """Since when it is no longer paired; what it played stays."""
    groups = models.PositiveIntegerField(default=0)
    """Deal groups that its present version has been given on a ladder."""
    candidate = models.BooleanField(default=False)
    """In a trial: the version that is tried, beside its bot's stable one."""
    created = models.DateTimeField(db_default=Now())

    objects = EntryQuerySet.as_manager()

    class Meta:
        ordering = ("tournament", "number")
        constraints = [
            models.UniqueConstraint(
                fields=("tournament", "bot", "candidate"), name="bot_enters_once"
            ),
            models.UniqueConstraint(fields=("tournament", "number"), name="entry_number_once"),
        ]

    def __str__(self) -> str:
        return f"{self.title} in {self.tournament}"

    @property
    def title(self) -> str:
        """Its name: a team's own or those of its bots; for a bot, the bot's."""
        return self.name or " & ".join(bot.name for bot, _ in self.members())

    def members(self) -> list[tuple[Bot, BotVersion]]:
        """Its bots with their versions, in the order of the seats."""
        others = ((mate.bot, mate.version) for mate in self.mates.all())
        return [(self.bot, self.version), *others]

    def waiting(self) -> list[Bot]:
        """The bots of a team whose owners have not agreed yet."""
        return [mate.bot for mate in self.mates.all() if not mate.agreed]


class Mate(models.Model):
    """A further bot of a team; the first is the entry's own."""

    entry = models.ForeignKey(Entry, models.CASCADE, related_name="mates")
    index = models.PositiveSmallIntegerField()
    """1, 2, …: its place in the team, the entry's own bot having 0."""
    bot = models.ForeignKey(Bot, models.PROTECT, related_name="mates")
    version = models.ForeignKey(BotVersion, models.PROTECT, related_name="mates")
    agreed = models.BooleanField(default=True)
    """False while its owner has not agreed to its playing in the team."""

    class Meta:
        ordering = ("entry", "index")
        constraints = [
            models.UniqueConstraint(fields=("entry", "index"), name="mate_index_once"),
            models.UniqueConstraint(fields=("entry", "bot"), name="mate_once"),
        ]

    def __str__(self) -> str:
        return f"{self.bot} in {self.entry.name or self.entry.bot}"


class DealGroup(models.Model):
    """A deal group: the same shuffles, played once for every rotation of the sides."""

    tournament = models.ForeignKey(Tournament, models.CASCADE, related_name="deal_groups")
    stage = models.ForeignKey(Stage, models.CASCADE, related_name="deal_groups")
    division = models.PositiveSmallIntegerField(default=1)
    """1, 2, … of the stage's divisions."""
    round = models.PositiveIntegerField()
    """1, 2, … within the division, as the pairing system gave it."""
    pairing = models.PositiveIntegerField(default=1)
    """1, 2, … within the round; the deal groups of one pairing share it."""
    group = models.PositiveIntegerField(default=1)
    """1, 2, … within the pairing."""
    number = models.PositiveIntegerField()
    """1, 2, … within the tournament."""
    seed = models.CharField(max_length=120)
    """Seed of every match of the group; never shown before the group is over (`over`)."""
    commitment = models.CharField(max_length=64)
    """The public hash of the seed, shown from the pairing on (`engine.shuffle.commitment`)."""
    finished = models.DateTimeField(null=True, blank=True)
    """When the last match of the group got its result."""
    retired = models.DateTimeField(null=True, blank=True)
    """Since when it does not count: it no longer followed from earlier results, or it was
    dealt anew."""
    instead_of = models.OneToOneField(
        "self", models.SET_NULL, null=True, blank=True, related_name="redealt"
    )
    """The deal group whose place it took with new cards."""
    unlucky = models.JSONField(default=list, blank=True)
    """Primary keys of versions whose bots were taken away in this place by no fault of theirs,
    since the organizer's last decision; the next time is a fault."""

    class Meta:
        ordering = ("tournament", "number")
        constraints = [
            models.UniqueConstraint(fields=("tournament", "number"), name="deal_group_number_once"),
            models.UniqueConstraint(
                fields=("stage", "division", "round", "pairing", "group"),
                name="deal_group_place_once",
                condition=Q(retired__isnull=True),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.tournament} #{self.number}"


class DealGroupSide(models.Model):
    """An entry of a deal group; its place in the order from which the rotations are made."""

    deal_group = models.ForeignKey(DealGroup, models.CASCADE, related_name="sides")
    index = models.PositiveSmallIntegerField()
    """0, 1, …: the side it plays in the group's first match."""
    place = models.PositiveSmallIntegerField(default=0)
    """0, 1, … among the entries that play the side together (rotating partners)."""
    entry = models.ForeignKey(Entry, models.PROTECT, related_name="deal_group_sides")

    class Meta:
        ordering = ("deal_group", "index", "place")
        constraints = [
            models.UniqueConstraint(
                fields=("deal_group", "index", "place"), name="deal_group_side_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.deal_group}: {self.entry.bot}"
