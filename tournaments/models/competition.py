"""Tournaments, stages, entries and deal groups."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q

from bots.models import Bot, BotVersion
from cardroom_base.db.db_time import Now
from engine import Format
from tournaments.course.stages import StagePlan
from tournaments.pairing import System, get_system


class TournamentQuerySet(models.QuerySet["Tournament"]):
    def listed(self) -> TournamentQuerySet:
        """All but trials and challenges."""
        return self.filter(trial=False)


def default_tie_breaks() -> list[str]:
    """The default tie-breaks in their order."""
    return ["difference", "wins"]


class Tournament(models.Model):
    """A competition in one format between entered bots, in one stage or several."""

    class State(models.TextChoices):
        """draft → open → running → finished; all but finished → cancelled."""

        DRAFT = "draft", "draft"
        """Only its organizers and staff see it."""
        OPEN = "open", "open"
        """Bots may enter and withdraw."""
        RUNNING = "running", "running"
        FINISHED = "finished", "finished"
        CANCELLED = "cancelled", "cancelled"
        """Ended by the organizer; results so far stay."""

    class Visibility(models.TextChoices):
        """Who sees it once it is open (`tournaments.visibility`)."""

        ALL = "all", "everybody"
        LINK = "link", "people with the link"
        CODE = "code", "people with the code"
        INVITED = "invited", "invited people"

    class FaultPolicy(models.TextChoices):
        """What happens in a match after a bot's first fault."""

        FALLBACK = "fallback", "play on"
        """From then on the first legal move is played for the seat."""
        FORFEIT = "forfeit", "end the match"
        """The match ends immediately."""

    class Partners(models.TextChoices):
        """How the seats of a side are filled."""

        COPIES = "copies", "copies of one bot"
        """An entry is one bot; a copy of it sits on every seat of its side."""
        FIXED = "fixed", "fixed teams"
        """An entry is a team of bots, one for each seat of a side."""
        ROTATING = "rotating", "rotating partners"
        """An entry is one bot, whose partners change from round to round."""

    class Seeding(models.TextChoices):
        """The order of the entries for the pairing systems."""

        ENTRY = "entry", "in order of entry"
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
    """Null: the site."""
    format = models.CharField(max_length=200)
    """Canonical text of an `engine.Format`."""
    partners = models.CharField(max_length=10, choices=Partners, default=Partners.COPIES)
    seeding = models.CharField(max_length=10, choices=Seeding, default=Seeding.ENTRY)
    tie_breaks = models.JSONField(default=default_tie_breaks)
    """Names of the tie-breaks (`tournaments.standings`), in order of precedence."""
    apart = models.BooleanField(default=False)
    """Whether to avoid pairings between bots of one author."""
    move_ms = models.PositiveIntegerField(default=1000)
    """Free time for each decision, in milliseconds."""
    bank_ms = models.PositiveIntegerField(default=20000)
    """Additional time of a seat for the whole match, in milliseconds."""
    fault_policy = models.CharField(
        max_length=10, choices=FaultPolicy, default=FaultPolicy.FALLBACK
    )
    live_delay = models.PositiveSmallIntegerField(default=15)
    """Seconds after which spectators of a running match see a move."""
    rated = models.BooleanField(default=True)
    """Whether its results count for the ratings."""
    visibility = models.CharField(max_length=10, choices=Visibility, default=Visibility.ALL)
    """A tournament that is not visible to all is never rated."""
    key = models.CharField(max_length=40, blank=True)
    """The secret of its link, or its code; empty if it has neither."""
    hidden = models.BooleanField(default=False)
    """Whether only its organizers, moderators and staff see it."""
    texts_locked = models.BooleanField(default=False, db_default=False)
    """Whether moderators changed a text. Its organizers cannot change description, categories and
    old announcements now."""
    trial = models.BooleanField(default=False)
    """Whether it belongs to a trial or a challenge; lists of tournaments omit it."""
    priority = models.PositiveSmallIntegerField(default=5)
    """0 to 9: waiting matches of higher priority are played first."""
    seed = models.CharField(max_length=64)
    """Decides lots and pairings; shown once the tournament has started."""
    chosen_seed = models.BooleanField(default=False)
    """Whether the organizer chose the seed; then all deals follow from it. Otherwise each deal
    group has its own secret seed. Never in a rated tournament."""
    rules = models.CharField(max_length=40, blank=True)
    """Edition of the rules (`engine.rules`): the edition in force at the start, or the one to which
    the tournament was carried over; empty before the start."""
    trouble = models.TextField(blank=True)
    """Why the last attempt to advance it failed, shown to its organizer; empty if it succeeded."""
    state = models.CharField(max_length=10, choices=State, default=State.DRAFT, db_index=True)
    entries_from = models.DateTimeField(null=True, blank=True)
    entries_until = models.DateTimeField(null=True, blank=True)
    """The window in which bots may enter; null: no limit."""
    starts_at = models.DateTimeField(null=True, blank=True)
    ends_at = models.DateTimeField(null=True, blank=True)
    """When housekeeping starts and stops it; null: never."""
    late = models.BooleanField(default=False)
    """Whether bots may also enter while it runs; see `System.late`."""
    start_trouble = models.TextField(blank=True)
    """Why the scheduled start failed, shown to all; empty if it was not tried or succeeded."""
    stopped = models.DateTimeField(null=True, blank=True)
    """When its scheduled end came. Then nothing more is paired; begun deal groups are finished."""
    categories = models.JSONField(default=list, blank=True)
    """Names of groups of entries that have their own standings."""
    repeats = models.PositiveSmallIntegerField(default=0)
    """How many weekly repeats follow; the next repeat has one fewer."""
    repeat_of = models.ForeignKey(
        "self", models.SET_NULL, related_name="repeated", null=True, blank=True
    )
    """The tournament that it repeats."""
    created = models.DateTimeField(db_default=Now())
    opened = models.DateTimeField(null=True, blank=True)
    """When the draft was opened; null for a draft and a cancelled draft."""
    started = models.DateTimeField(null=True, blank=True)
    finished = models.DateTimeField(null=True, blank=True)
    freezes_at = models.DateTimeField(null=True, blank=True)
    """When the site freezes the standings; null: never, or they have been frozen."""
    freezes_after = models.PositiveSmallIntegerField(default=0)
    """The round at whose end the site freezes the standings; 0: none, or they have been frozen."""
    past_freezes_at = models.DateTimeField(null=True, blank=True)
    past_freezes_after = models.PositiveSmallIntegerField(default=0, db_default=0)
    """The values of `freezes_at` and `freezes_after` when the standings froze; repetitions get
    them."""
    frozen = models.DateTimeField(null=True, blank=True)
    """Only its organizers and staff see results after this time; null: all see them."""

    objects = TournamentQuerySet.as_manager()

    class Meta:
        ordering = ("-created", "-id")
        constraints = [
            models.UniqueConstraint(
                fields=("key",), name="tournament_key_once", condition=~Q(key="")
            )
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def is_public(self) -> bool:
        """Whether everybody may see it."""
        is_shown = self.opened is not None and not self.hidden
        return is_shown and self.visibility == Tournament.Visibility.ALL

    @property
    def organizer_keys(self) -> set[int]:
        """The users who organize it; `tournaments.organizing` decides what they may do."""
        keys = {row.user_id for row in self.co_organizers.all()}
        return keys if self.organizer_id is None else keys | {self.organizer_id}

    @property
    def game(self) -> str:
        return self.format.partition("/")[0]

    @property
    def finished_count(self) -> int:
        """Matches with a result; needs the query's `with_progress`."""
        return int(vars(self)["counted_finished"])

    @property
    def match_count(self) -> int:
        """Matches that count; needs the query's `with_progress`."""
        unfinished = int(vars(self)["counted_unfinished"])
        return self.finished_count + unfinished + self.planned_count

    @property
    def planned_count(self) -> int:
        """Matches that are still to be created; needs the query's `with_progress`."""
        return int(vars(self)["counted_planned"])

    @property
    def team_size(self) -> int:
        """Bots of a team: one for each seat of the widest side."""
        return max(map(len, Format.parse(self.format).sides))

    @property
    def takes_teams(self) -> bool:
        return self.partners == Tournament.Partners.FIXED and self.team_size > 1

    @property
    def entries_at_a_table(self) -> int:
        """Entries in a pairing: one for each side; with rotating partners one for each seat."""
        sides = Format.parse(self.format).sides
        if self.partners == Tournament.Partners.ROTATING:
            return len(sides) * self.team_size
        return len(sides)

    def plans(self) -> list[StagePlan]:
        return [stage.plan for stage in self.stages.order_by("number")]

    def systems(self) -> list[System]:
        return [get_system(stage.system) for stage in self.stages.all()]

    @property
    def is_ladder(self) -> bool:
        """Whether it is a ladder, ranked by rating, where bots may come and go while it runs."""
        return any(system.by_rating for system in self.systems())

    @property
    def endless(self) -> bool:
        """Whether it has no end of its own, like ladders and trials."""
        return any(system.endless for system in self.systems())


class CoOrganizer(models.Model):
    """An account that organizes a tournament together with its organizer."""

    tournament = models.ForeignKey(Tournament, models.CASCADE, related_name="co_organizers")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="co_organized")
    offered = models.BooleanField(default=False, db_default=False)
    """Whether the organizer offers the tournament to this account, which may accept."""

    class Meta:
        ordering = ("tournament", "id")
        constraints = [
            models.UniqueConstraint(fields=("tournament", "user"), name="co_organizer_once")
        ]

    def __str__(self) -> str:
        return f"{self.user} with the organizer of {self.tournament}"


class Admission(models.Model):
    """A person who may see a tournament that is not visible to all."""

    tournament = models.ForeignKey(Tournament, models.CASCADE, related_name="admissions")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="admissions")
    by = models.CharField(max_length=10, choices=Tournament.Visibility)
    """How the person got access: by link, by code, or by invitation."""
    at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering = ("tournament", "id")
        constraints = [
            models.UniqueConstraint(fields=("tournament", "user", "by"), name="admission_once")
        ]

    def __str__(self) -> str:
        return f"{self.user} in {self.tournament}"


class Stage(models.Model):
    """A part of a tournament with its own pairing system; the best advance to the next stage."""

    tournament = models.ForeignKey(Tournament, models.CASCADE, related_name="stages")
    number = models.PositiveSmallIntegerField(default=1)
    """1, 2, … in order of play."""
    system = models.CharField(max_length=20, default="round-robin")
    """Name of a pairing system in `tournaments.pairing`."""
    settings = models.JSONField(default=dict)
    """The system's settings by name, such as the rounds of a Swiss; missing ones have defaults."""
    groups = models.PositiveSmallIntegerField(default=2)
    """Deal groups of each pairing."""
    take = models.PositiveIntegerField(default=0)
    """Entries that advance from the stage before; 0 in the first: all."""
    divisions = models.PositiveSmallIntegerField(default=1)
    """Number of divisions; the entries are split by their seeds."""

    class Meta:
        ordering = ("tournament", "number")
        constraints = [
            models.UniqueConstraint(fields=("tournament", "number"), name="stage_number_once")
        ]

    def __str__(self) -> str:
        return f"{self.tournament}, stage {self.number}"

    @property
    def title(self) -> str:
        return get_system(self.system).title

    @property
    def plan(self) -> StagePlan:
        return StagePlan(self.system, self.settings, self.groups, self.take, self.divisions)


class EntryQuerySet(models.QuerySet["Entry"]):
    def with_members(self) -> EntryQuerySet:
        """Prefetch bots and versions for `Entry.members`."""
        return self.select_related("bot", "version").prefetch_related(
            "mates__bot", "mates__version"
        )


class Entry(models.Model):
    """A participant: a bot or a team of bots, with their versions at the start."""

    tournament = models.ForeignKey(Tournament, models.CASCADE, related_name="entries")
    bot = models.ForeignKey(Bot, models.PROTECT, related_name="entries")
    version = models.ForeignKey(BotVersion, models.PROTECT, related_name="entries")
    """The bot's active version; fixed at the start, except on a ladder."""
    name = models.CharField(max_length=80, blank=True)
    """A team's name; empty: the names of its bots."""
    number = models.PositiveIntegerField()
    """1, 2, … in order of entering."""
    seeding = models.PositiveIntegerField(null=True, blank=True)
    """1, 2, … set at the start: the order for the pairing systems."""
    withdrawn = models.DateTimeField(null=True, blank=True)
    """When it was withdrawn; it is not paired again, and its results stay."""
    groups = models.PositiveIntegerField(default=0)
    """On a ladder: deal groups assigned to its present version."""
    late = models.PositiveSmallIntegerField(default=0)
    """Rounds of the first stage that had been paired before it entered."""
    category = models.CharField(max_length=40, blank=True)
    """One of the tournament's categories; empty: none."""
    candidate = models.BooleanField(default=False)
    """Whether it is the candidate of a trial, or of a challenge between versions of one bot."""
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
        """The team's name, or the names of its bots."""
        return self.name or " & ".join(bot.name for bot, _ in self.members())

    def members(self) -> list[tuple[Bot, BotVersion]]:
        """Its bots with their versions, in the order of the seats."""
        partners = ((mate.bot, mate.version) for mate in self.mates.all())
        return [(self.bot, self.version), *partners]

    def bots_without_agreement(self) -> list[Bot]:
        """The team's bots whose owners have not agreed yet."""
        return [mate.bot for mate in self.mates.all() if not mate.agreed]


class Mate(models.Model):
    """A bot of a team, other than the first, which is `Entry.bot`."""

    entry = models.ForeignKey(Entry, models.CASCADE, related_name="mates")
    index = models.PositiveSmallIntegerField()
    """1, 2, …: its place in the team; `Entry.bot` has place 0."""
    bot = models.ForeignKey(Bot, models.PROTECT, related_name="mates")
    version = models.ForeignKey(BotVersion, models.PROTECT, related_name="mates")
    agreed = models.BooleanField(default=True)
    """Whether its owner has agreed."""

    class Meta:
        ordering = ("entry", "index")
        constraints = [
            models.UniqueConstraint(fields=("entry", "index"), name="mate_index_once"),
            models.UniqueConstraint(fields=("entry", "bot"), name="mate_once"),
        ]

    def __str__(self) -> str:
        return f"{self.bot} in {self.entry.name or self.entry.bot}"


class DealGroup(models.Model):
    """The same shuffles, played once for every rotation of the sides."""

    tournament = models.ForeignKey(Tournament, models.CASCADE, related_name="deal_groups")
    stage = models.ForeignKey(Stage, models.CASCADE, related_name="deal_groups")
    division = models.PositiveSmallIntegerField(default=1)
    """1, 2, … within the stage."""
    round = models.PositiveIntegerField()
    """1, 2, … within the division."""
    pairing = models.PositiveIntegerField(default=1)
    """1, 2, … within the round."""
    group = models.PositiveIntegerField(default=1)
    """1, 2, … within the pairing."""
    number = models.PositiveIntegerField()
    """1, 2, … within the tournament."""
    seed = models.CharField(max_length=120)
    """The seed of all its matches; secret until the group is over (`group_is_over`)."""
    commitment = models.CharField(max_length=64)
    """The public hash of the seed (`engine.shuffle.commitment`)."""
    finished = models.DateTimeField(null=True, blank=True)
    """When the last match of the group got its result."""
    retired = models.DateTimeField(null=True, blank=True)
    """When it ceased to count, because earlier results changed or it was redealt."""
    instead_of = models.OneToOneField(
        "self", models.SET_NULL, null=True, blank=True, related_name="redealt"
    )
    """The redealt group that this one replaces."""
    unlucky = models.JSONField(default=list, blank=True)
    """Primary keys of versions whose bots were killed here without a fault since the organizer's
    last decision; the next time is a fault."""

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
    """An entry of a deal group, and the side it plays in the first rotation."""

    deal_group = models.ForeignKey(DealGroup, models.CASCADE, related_name="sides")
    index = models.PositiveSmallIntegerField()
    """0, 1, …: the side it plays in the group's first match."""
    place = models.PositiveSmallIntegerField(default=0)
    """0, 1, … among the entries of the side (rotating partners)."""
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


class PlannedGroups(models.Model):
    """Deal groups that are still to be created, in the order of their keys.

    An action that pairs many rounds together creates only the first groups itself.
    """

    tournament = models.ForeignKey(Tournament, models.CASCADE, related_name="planned")
    stage = models.ForeignKey(Stage, models.CASCADE, related_name="planned")
    division = models.PositiveSmallIntegerField(default=1)
    slots = models.JSONField()
    """Rows [round, pairing, group, sides]; a side is a list of primary keys of entries, the sides
    in the order of the pairing."""
    matches = models.PositiveIntegerField()
    """Number of matches in these groups."""

    class Meta:
        ordering = ("tournament", "id")

    def __str__(self) -> str:
        return f"{self.matches} matches of {self.tournament}"
