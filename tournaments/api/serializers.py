"""Tournaments, entries and their tables as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from bots.referee.clock import BANK_MS_RANGE, MOVE_MS_RANGE
from cardroom_base.core.fields import FieldError
from cardroom_base.rest.answers import AnswerSerializer
from cardroom_base.rest.strict_body import BotField, StrictSerializer
from tournaments.actions.entries import MAX_BOTS
from tournaments.api.cached_answers import as_of
from tournaments.course import field_rules
from tournaments.course.stages import MAX_GROUPS
from tournaments.models import Entry, Stage, Tournament
from tournaments.organizing import organizes
from tournaments.pairing import SYSTEMS
from tournaments.reading.entry_names import Player
from tournaments.standings import TIE_BREAKS


class PlayerSerializer(AnswerSerializer):
    class Meta:
        dataclass = Player


class ProgressSerializer(serializers.Serializer[Any]):
    """Progress of a tournament's matches."""

    matches = serializers.IntegerField(help_text="All matches except void ones.")
    finished = serializers.IntegerField()
    stuck = serializers.IntegerField(help_text="Matches that the organizer must decide about.")
    planned = serializers.IntegerField(
        help_text="Matches that the site is still to create, which takes a while after the start "
        "of a large round robin; the others are already being played."
    )


class StageSerializer(serializers.ModelSerializer[Stage]):
    """A part of a tournament with a pairing system of its own."""

    system = serializers.ChoiceField(sorted(SYSTEMS))
    settings = serializers.DictField(
        child=serializers.IntegerField(),
        help_text="Settings that differ from the system's defaults.",
    )

    class Meta:
        model = Stage
        fields = ("number", "system", "settings", "groups", "take", "divisions")
        read_only_fields = fields


class TournamentSerializer(serializers.ModelSerializer[Tournament]):
    """A competition in one format between entered bots."""

    organizer = serializers.CharField(
        source="organizer.username", allow_null=True, help_text="Null: the site itself."
    )
    seed = serializers.SerializerMethodField(
        help_text="Decides lots and pairings; null until the tournament has started."
    )
    chosen_seed = serializers.BooleanField(
        help_text="Whether the organizer chose the seed, which then decides all deals, too. "
        "Otherwise the site draws a seed for each deal group (`…/deal-groups/`)."
    )
    system = serializers.SerializerMethodField(help_text="The first stage's pairing system.")
    groups = serializers.SerializerMethodField(
        help_text="Deal groups of each pairing of the first stage."
    )
    stages = StageSerializer(many=True)
    tie_breaks = serializers.ListField(child=serializers.ChoiceField(sorted(TIE_BREAKS)))
    entries = serializers.IntegerField(source="entry_count", help_text="Bots or teams entered.")
    rules = serializers.CharField(
        help_text="Version and digest of the rules of its matches; empty before the start."
    )
    frozen = serializers.DateTimeField(
        allow_null=True,
        help_text="When the standings were frozen: only organizers and staff see results after "
        "this time. Null: the standings are not frozen.",
    )
    co_organizers = serializers.SerializerMethodField(
        help_text="Usernames; they may do what the organizer may, except change this list."
    )
    progress = serializers.SerializerMethodField()
    trouble = serializers.SerializerMethodField(
        help_text="Why the last attempt to advance a running tournament failed, as text; empty "
        "if it succeeded. Null except for organizers and staff."
    )

    categories = serializers.ListField(child=serializers.CharField())
    start_trouble = serializers.CharField(
        help_text="Why the scheduled start failed, as text; empty if it has not failed."
    )
    stopped = serializers.DateTimeField(
        allow_null=True,
        help_text="When the scheduled end came: deal groups that had begun are finished, the "
        "others are void. Null if the end has not come.",
    )

    class Meta:
        model = Tournament
        fields = (
            "slug",
            "name",
            "description",
            "organizer",
            "co_organizers",
            "format",
            "system",
            "groups",
            "stages",
            "partners",
            "seeding",
            "tie_breaks",
            "apart",
            "move_ms",
            "bank_ms",
            "fault_policy",
            "live_delay",
            "rated",
            "visibility",
            "seed",
            "chosen_seed",
            "rules",
            "state",
            "entries",
            "progress",
            "trouble",
            *field_rules.TIMES,
            "late",
            "freezes_after",
            "repeats",
            "categories",
            "start_trouble",
            "stopped",
            "created",
            "started",
            "finished",
            "frozen",
        )
        read_only_fields = fields

    def get_co_organizers(self, tournament: Tournament) -> list[str]:
        """The usernames, in the order in which the organizers were added."""
        return [row.user.username for row in tournament.co_organizers.all()]

    def get_system(self, tournament: Tournament) -> str:
        """The system's name, as organizers choose it."""
        return next((stage.system for stage in tournament.stages.all()), "")

    def get_groups(self, tournament: Tournament) -> int:
        """The deal groups of each pairing of the first stage."""
        return next((stage.groups for stage in tournament.stages.all()), 0)

    def get_seed(self, tournament: Tournament) -> str | None:
        """The seed, once entries are fixed; before, it would reveal lots and pairings."""
        return tournament.seed if tournament.started else None

    def get_progress(self, tournament: Any) -> ProgressSerializer:
        """Counts that the query has annotated."""
        return {  # type: ignore[return-value]  # the annotation is for the OpenAPI document
            "matches": tournament.match_count,
            "finished": tournament.finished_count,
            "stuck": tournament.stuck_count,
            "planned": tournament.planned_count,
        }

    def get_trouble(self, tournament: Tournament) -> str | None:
        """The trouble, for organizers and staff only."""
        request = self.context.get("request")
        if request is None or not organizes(tournament, request.user):
            return None
        running = tournament.state == Tournament.State.RUNNING
        return tournament.trouble if running else ""


def _time(help_text: str) -> serializers.DateTimeField:
    return serializers.DateTimeField(required=False, allow_null=True, help_text=help_text)


class TournamentChangeSerializer(StrictSerializer[Any]):
    """The fields that an organizer can set; absent fields stay, or get their defaults.

    These fields serve the OpenAPI document; `tournaments.course.field_rules` validates the values.
    """

    name = serializers.CharField(max_length=field_rules.MAX_NAME, required=False)
    description = serializers.CharField(
        max_length=field_rules.MAX_DESCRIPTION, allow_blank=True, required=False
    )
    entries_from = _time("Bots enter from this time on.")
    entries_until = _time("Bots enter before this time.")
    starts_at = _time("The site starts the tournament at this time.")
    freezes_at = _time("The site freezes the standings at this time; you reveal them by hand.")
    ends_at = _time("No deal group begins after this time; then the tournament finishes.")
    categories = serializers.ListField(
        child=serializers.CharField(max_length=field_rules.MAX_CATEGORY),
        max_length=field_rules.MAX_CATEGORIES,
        required=False,
        help_text="Names of groups of entries that have their own standings.",
    )
    freezes_after = serializers.IntegerField(
        min_value=field_rules.FREEZES_AFTER_RANGE.low,
        max_value=field_rules.FREEZES_AFTER_RANGE.high,
        required=False,
        help_text="The site freezes the standings at the end of this round of a round robin or a "
        "Swiss; 0: never.",
    )
    repeats = serializers.IntegerField(
        min_value=field_rules.REPEATS_RANGE.low,
        max_value=field_rules.REPEATS_RANGE.high,
        required=False,
        help_text="Remaining repetitions: at each start the site opens the next one, a week later.",
    )
    late = serializers.BooleanField(
        required=False,
        help_text="Bots may enter a Swiss while its first stage runs; they may always enter a "
        "ladder.",
    )
    format = serializers.CharField(
        max_length=field_rules.MAX_FORMAT,
        required=False,
        help_text="Such as `cassino/royal/2v2?target=11`.",
    )
    system = serializers.ChoiceField(
        sorted(SYSTEMS), required=False, help_text="Pairing system of a tournament with one stage."
    )
    settings = serializers.DictField(
        child=serializers.IntegerField(), required=False, help_text="Settings of that system."
    )
    groups = serializers.IntegerField(
        min_value=1, max_value=MAX_GROUPS, required=False, help_text="Deal groups for each pairing."
    )
    stages = serializers.ListField(
        child=serializers.DictField(),
        required=False,
        help_text="For several stages: objects with system, settings, groups, take, divisions.",
    )
    partners = serializers.ChoiceField(Tournament.Partners.choices, required=False)
    seeding = serializers.ChoiceField(Tournament.Seeding.choices, required=False)
    tie_breaks = serializers.ListField(
        child=serializers.ChoiceField(sorted(TIE_BREAKS)),
        required=False,
        help_text="Tie-breaks, in order of use.",
    )
    apart = serializers.BooleanField(
        required=False, help_text="Keep bots of the same author apart as long as possible."
    )
    move_ms = serializers.IntegerField(
        min_value=MOVE_MS_RANGE.low,
        max_value=MOVE_MS_RANGE.high,
        required=False,
        help_text="Free time for each decision, in milliseconds.",
    )
    bank_ms = serializers.IntegerField(
        min_value=BANK_MS_RANGE.low,
        max_value=BANK_MS_RANGE.high,
        required=False,
        help_text="Additional time for the whole match, in milliseconds.",
    )
    fault_policy = serializers.ChoiceField(Tournament.FaultPolicy.choices, required=False)
    live_delay = serializers.IntegerField(
        min_value=field_rules.LIVE_DELAY_RANGE.low,
        max_value=field_rules.LIVE_DELAY_RANGE.high,
        required=False,
        help_text="Delay in seconds with which spectators see a running match.",
    )
    rated = serializers.BooleanField(required=False)
    visibility = serializers.ChoiceField(
        Tournament.Visibility.choices,
        required=False,
        help_text="Who sees the tournament once it is open; only unrated tournaments can be "
        "hidden.",
    )
    seed = serializers.CharField(
        max_length=field_rules.MAX_SEED,
        required=False,
        allow_blank=True,
        help_text="Decides all deals, so it is for unrated tournaments only. If absent or empty, "
        "the site draws the deals, and nobody knows them before they are played.",
    )

    def values(self, data: Mapping[str, Any]) -> dict[str, Any]:
        """The fields as sent; ValidationError with a sentence for each invalid field."""
        if errors := self.refusals(data):
            raise serializers.ValidationError({error.field: [str(error)] for error in errors})
        return dict(data)

    def refusals(self, data: Mapping[str, Any]) -> list[FieldError]:
        """The errors of single fields."""
        return field_rules.field_errors(data)


class NewTournamentSerializer(TournamentChangeSerializer):
    """The fields of a new tournament, which begins as a draft."""

    name = serializers.CharField(max_length=field_rules.MAX_NAME)
    format = serializers.CharField(
        max_length=field_rules.MAX_FORMAT, help_text="Such as `cassino/royal/2v2?target=11`."
    )

    def refusals(self, data: Mapping[str, Any]) -> list[FieldError]:
        """The errors of single fields, including a missing name or format."""
        return field_rules.missing_fields(data) + super().refusals(data)


class RepeatSerializer(StrictSerializer[Any]):
    """The name and the start of a repetition."""

    name = serializers.CharField(
        max_length=field_rules.MAX_NAME,
        required=False,
        help_text="If absent, the name with the next number.",
    )
    starts_at = _time(
        "The other times keep their distance from the start; if absent, the copy has no times."
    )

    def values(self, data: Mapping[str, Any]) -> dict[str, Any]:
        """The fields; the action reads the time, as for other changes."""
        values: dict[str, Any] = super().values(data)
        return {**values, **{key: data[key] for key in values.keys() & {"starts_at"}}}


class MemberSerializer(serializers.Serializer[Any]):
    """A bot of an entry with its version."""

    bot = PlayerSerializer()
    version = serializers.IntegerField()


class EntryMemberSerializer(MemberSerializer):
    """A bot of an entry, and whether its owner has agreed."""

    agreed = serializers.BooleanField(
        help_text="False until the bot's owner has agreed to play in the team."
    )


class EntrySerializer(serializers.ModelSerializer[Entry]):
    """A participant of a tournament: a bot or a team."""

    name = serializers.CharField(source="title", help_text="Name of the bot or team.")
    bot = PlayerSerializer(help_text="The bot, or the team's first bot.")
    version = serializers.IntegerField(
        source="version.number",
        help_text="The bot's active version until the start; fixed from then on.",
    )
    members = serializers.SerializerMethodField(
        help_text="All bots of the entry; only a team has several."
    )
    category = serializers.CharField(help_text="The entry's category; empty: none.")
    late = serializers.IntegerField(
        help_text="Rounds that were paired before the entry was made; they give it no points."
    )

    class Meta:
        model = Entry
        fields = ("number", "name", "bot", "version", "members", "category", "late", "created")
        read_only_fields = fields

    @extend_schema_field(EntryMemberSerializer(many=True))
    def get_members(self, entry: Entry) -> list[dict[str, Any]]:
        """The bots in the order of the seats."""
        agreements = [True, *(mate.agreed for mate in entry.mates.all())]
        rows = [
            {"bot": bot, "version": version.number, "agreed": agreed}
            for (bot, version), agreed in zip(entry.members(), agreements, strict=True)
        ]
        return list(EntryMemberSerializer(rows, many=True).data)


def _category() -> serializers.CharField:
    return serializers.CharField(
        max_length=field_rules.MAX_CATEGORY,
        required=False,
        allow_blank=True,
        help_text="One of the tournament's categories; empty: none.",
    )


class NewEntrySerializer(StrictSerializer[Any]):
    """The bot to enter, or the bots of a team; they play their active versions."""

    bot = BotField(required=False, help_text="The bot's slug, or `house:NAME`.")
    bots = serializers.ListField(
        child=BotField(),
        required=False,
        min_length=1,
        max_length=8,
        help_text="Slugs of a team's bots, one bot for each seat of a side; you must own one.",
    )
    name = serializers.CharField(
        max_length=80, required=False, allow_blank=True, help_text="The team's name."
    )
    category = _category()

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Require either `bot` or `bots`."""
        if ("bot" in attrs) == ("bots" in attrs):
            raise serializers.ValidationError({"bot": "Give a bot, or the bots of a team."})
        return attrs


class ManyEntriesSerializer(StrictSerializer[Any]):
    """Bots to enter, each as its own entry; they play their active versions."""

    bots = serializers.ListField(
        child=BotField(),
        min_length=1,
        max_length=MAX_BOTS,
        help_text="The slugs of bots, or `house:NAME`.",
    )
    category = _category()


class EntryChangeSerializer(StrictSerializer[Any]):
    """The category of an entry."""

    category = serializers.CharField(
        max_length=field_rules.MAX_CATEGORY, allow_blank=True, help_text="Empty: none."
    )


class StandingSerializer(serializers.Serializer[Any]):
    """A row of the standings."""

    place = serializers.IntegerField(
        help_text="1 is best; equal places are ties (1, 1, 3). With `category`: the place among "
        "the entries of that category."
    )
    category = serializers.CharField(help_text="The entry's category; empty: none.")
    bot = PlayerSerializer(help_text="The bot, or the team's first bot.")
    version = serializers.IntegerField()
    name = serializers.CharField(help_text="Name of the bot or team.")
    members = MemberSerializer(
        many=True, help_text="All bots of the entry; only a team has several."
    )
    points = serializers.FloatField(
        help_text="Sum over deal groups, each from 0 (always last) to 1 (always first)."
    )
    groups = serializers.IntegerField(help_text="Deal groups with a finished match.")
    won = serializers.IntegerField()
    drawn = serializers.IntegerField()
    lost = serializers.IntegerField()
    matches = serializers.IntegerField(help_text="Finished matches.")
    difference = serializers.FloatField(help_text="Mean score difference of a deal group.")
    faults = serializers.IntegerField(help_text="Matches in which the entry committed a fault.")
    byes = serializers.FloatField(help_text="Points included for rounds that the entry sat out.")
    void = serializers.IntegerField(
        help_text="Deal groups that do not count and will not be played."
    )
    for_void = serializers.FloatField(
        help_text="Points included for void deal groups, each the mean of the entry's other groups."
    )
    stage = serializers.IntegerField(
        help_text="The last stage that the entry played, which decides its place and all figures."
    )
    tie_breaks = serializers.DictField(
        child=serializers.FloatField(allow_null=True),
        help_text="The value of each tie-break by name, in order of use; null if not applicable.",
    )
    rating = serializers.FloatField(
        required=False,
        help_text="On a ladder only: the rating that ranks the entry, in Elo points.",
    )
    low = serializers.FloatField(
        required=False, allow_null=True, help_text="Lower end of the 95 % interval; null: open."
    )
    high = serializers.FloatField(
        required=False, allow_null=True, help_text="Upper end of the 95 % interval; null: open."
    )


class TieBreakSerializer(serializers.Serializer[Any]):
    """A tie-break of a tournament."""

    name = serializers.CharField()
    title = serializers.CharField()
    meaning = serializers.CharField(help_text="One sentence.")


class StandingsSerializer(serializers.Serializer[Any]):
    """The standings, best first."""

    tournament = serializers.CharField()
    state = serializers.ChoiceField(Tournament.State.choices)
    as_of = as_of()
    tie_breaks = TieBreakSerializer(many=True, help_text="Tie-breaks, in order of use.")
    rows = StandingSerializer(many=True)


class CellSerializer(serializers.Serializer[Any]):
    """The score of one entry against another."""

    opponent = serializers.CharField(help_text="The other bot's slug.")
    points = serializers.FloatField(
        help_text="Share of matches in which the entry was ahead of the other, summed over deal "
        "groups."
    )
    groups = serializers.IntegerField(help_text="Deal groups in which both played.")
    difference = serializers.FloatField(help_text="Mean score difference of a deal group.")


class CrossTableRowSerializer(serializers.Serializer[Any]):
    """One row of the cross table."""

    place = serializers.IntegerField()
    bot = PlayerSerializer()
    name = serializers.CharField(help_text="Name of the bot or team.")
    points = serializers.FloatField(help_text="Points in the standings.")
    cells = CellSerializer(
        many=True, help_text="One for each entry that it has met, in table order."
    )


class CrossTableSerializer(serializers.Serializer[Any]):
    """The cross table, in the order of the standings."""

    tournament = serializers.CharField()
    state = serializers.ChoiceField(Tournament.State.choices)
    as_of = as_of()
    rows = CrossTableRowSerializer(many=True)
