"""Matches, deal groups, records, frames and attempts as JSON."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from cardroom_base.rest.answers import AnswerSerializer
from cardroom_base.rest.strict_body import StrictSerializer
from tournaments.api.serializers import PlayerSerializer
from tournaments.models import Attempt, DealGroup, Match, Seat, SideResult
from tournaments.reading.analyses import MatchAnalysis
from tournaments.reading.matches import MatchRow, SeatRow


class SeatSerializer(serializers.ModelSerializer[Seat]):
    """A seat: its bot, and the time and memory used (null until the deal group is over)."""

    seat = serializers.IntegerField()
    bot = PlayerSerializer()
    version = serializers.IntegerField()
    fault = serializers.CharField(help_text="Kind of the bot's first fault; empty: none.")

    class Meta:
        model = Seat
        fields = (
            "seat",
            "side",
            "bot",
            "version",
            "fault",
            "cpu_ms",
            "wall_ms",
            "peak_memory_kib",
        )
        read_only_fields = fields


class SideResultSerializer(serializers.ModelSerializer[SideResult]):
    """The result of one side; `seats` lists its bots."""

    class Meta:
        model = SideResult
        fields = ("side", "score", "rank", "faulted")
        read_only_fields = fields


class MatchSerializer(serializers.ModelSerializer[Match]):
    """A match: format, seed and seats never change; the result is stored exactly once."""

    # The fields serve the OpenAPI document only: reading the values of a match's forty fields
    # through them would take longer than the rest of a long list.

    tournament = serializers.CharField()
    fixture = serializers.IntegerField(
        help_text="Number of the deal group, whose matches have the same shuffles."
    )
    stage = serializers.IntegerField()
    round = serializers.IntegerField()
    commitment = serializers.CharField(
        help_text="A hash of the seed, public once the match is paired; `cardroom verify` checks "
        "it.",
    )
    revealed = serializers.BooleanField(
        help_text="Whether the deal group is over; until then, cards, moves and logs are secret."
    )
    seed = serializers.CharField(
        read_only=True,
        allow_null=True,
        help_text="Decides the deals; null until the deal group is over.",
    )
    reason = serializers.CharField(
        help_text="Why the match ended: `target`, `deals`, …; else empty."
    )
    seats = SeatSerializer(many=True)
    results = SideResultSerializer(many=True, help_text="One for each side; empty before the end.")

    class Meta:
        model = Match
        fields = (
            "id",
            "tournament",
            "fixture",
            "stage",
            "round",
            "rotation",
            "format",
            "commitment",
            "revealed",
            "seed",
            "state",
            "moves_played",
            "reason",
            "faulted",
            "created",
            "finished",
            "seats",
            "results",
        )
        read_only_fields = fields

    def to_representation(self, instance: Any) -> dict[str, Any]:
        """The row; until the deal group is over, without the seed, time and memory."""
        row: MatchRow = instance
        values = {name: getattr(row, name, None) for name in self.Meta.fields}
        return values | {
            "id": row.pk,
            "seed": row.seed if row.revealed else None,
            "seats": [_seat(seat, revealed=row.revealed) for seat in row.seats],
            "results": [result._asdict() for result in row.results],
        }


def _seat(seat: SeatRow, *, revealed: bool) -> dict[str, Any]:
    """The time and memory used could spell out the seat's cards, so they are not shown earlier."""
    values = {name: getattr(seat, name, None) for name in SeatSerializer.Meta.fields}
    hidden = {} if revealed else dict.fromkeys(("cpu_ms", "wall_ms", "peak_memory_kib"))
    return values | hidden | {"bot": {"slug": seat.slug, "name": seat.name}}


class DealGroupSerializer(serializers.ModelSerializer[DealGroup]):
    """A deal group: the commitment to its seed and, once the group is over, the seed."""

    stage = serializers.IntegerField(source="stage.number")
    commitment = serializers.CharField(
        help_text="Public hash of the seed (`engine.shuffle.commitment`)."
    )
    over = serializers.BooleanField(
        source="is_over", help_text="Whether all matches of the group are finished or void."
    )
    seed = serializers.SerializerMethodField(help_text="Null until the group is over.")
    retired = serializers.SerializerMethodField(help_text="Whether the group no longer counts.")
    matches = serializers.PrimaryKeyRelatedField[Match](many=True, read_only=True)

    class Meta:
        model = DealGroup
        fields = (
            "number",
            "stage",
            "division",
            "round",
            "pairing",
            "group",
            "commitment",
            "over",
            "seed",
            "retired",
            "matches",
        )
        read_only_fields = fields

    def get_seed(self, deal_group: Any) -> str | None:
        """The seed, once the group is over."""
        return deal_group.seed if deal_group.is_over else None

    def get_retired(self, deal_group: DealGroup) -> bool:
        """Whether the group was redealt, or no longer applied because earlier results changed."""
        return deal_group.retired is not None


class RecordSerializer(serializers.Serializer[Any]):
    """A record: seed and moves, from which anyone can check the result (`cardroom verify`)."""

    cardroom = serializers.IntegerField(help_text="Version of the record format: 1.")
    format = serializers.CharField()
    seed = serializers.CharField()
    rng = serializers.CharField(
        required=False, help_text="Decides the bots' random numbers; if absent, `seed` does."
    )
    players = serializers.ListField(
        child=serializers.DictField(), help_text="One for each seat, with at least `name`."
    )
    moves = serializers.ListField(child=serializers.CharField())
    clock_ms = serializers.ListField(
        child=serializers.IntegerField(), help_text="Time of each move in milliseconds."
    )
    notes = serializers.DictField(help_text="Notes of the bots, by number of the move.")
    faults = serializers.ListField(child=serializers.DictField())
    result = serializers.DictField(allow_null=True)


class FrameSerializer(serializers.Serializer[Any]):
    """The table after one step, for a viewer to draw."""

    n = serializers.IntegerField(allow_null=True, help_text="Number of the move, from 0, or null.")
    seat = serializers.IntegerField(allow_null=True, help_text="The seat that moved, or null.")
    move = serializers.CharField(allow_null=True)
    deal = serializers.IntegerField()
    events = serializers.ListField(child=serializers.DictField(), help_text="Events of this step.")
    view = serializers.DictField(help_text="The table with all cards open.")
    sentence = serializers.CharField(allow_blank=True)
    clause = serializers.CharField(allow_blank=True, help_text="The rule behind the sentence.")
    marks = serializers.ListField(
        child=serializers.CharField(), help_text="Cards that the step played or took."
    )
    clock_ms = serializers.IntegerField(allow_null=True)
    note = serializers.CharField(allow_null=True)


class FramesSerializer(serializers.Serializer[Any]):
    """The frames of a match; drawing them needs no knowledge of the rules."""

    match = serializers.IntegerField()
    format = serializers.CharField()
    players = serializers.ListField(child=serializers.DictField())
    frames = FrameSerializer(many=True)


class AnalysisSerializer(AnswerSerializer):
    class Meta:
        dataclass = MatchAnalysis
        ref_name = "Analysis"


class AttemptSerializer(serializers.ModelSerializer[Attempt]):
    """A worker's attempt to play a match.

    `worker`, `seat` and `cause` are for organizers and empty for others, except that everybody
    sees a `cause` that is the reason of an organizer's decision.
    """

    seat = serializers.IntegerField(
        allow_null=True,
        help_text="Seat whose bot was killed through no fault of its own, if that is the cause.",
    )

    class Meta:
        model = Attempt
        fields = ("number", "worker", "outcome", "cause", "seat", "started", "finished")
        read_only_fields = fields

    def to_representation(self, instance: Attempt) -> dict[str, Any]:
        """Show names of machines and internal errors only to organizers."""
        data: dict[str, Any] = super().to_representation(instance)
        if self.context.get("organizes"):
            return data
        data["worker"], data["seat"] = "", None
        if instance.outcome != Attempt.Outcome.OVERRULED:
            data["cause"] = ""
        return data


class DecisionSerializer(StrictSerializer[Any]):
    """The reason of an organizer's decision about a match."""

    reason = serializers.CharField(max_length=500, help_text="Everybody can read it.")


class LogSerializer(serializers.Serializer[Any]):
    """The last 64 KiB that a bot wrote to stderr during a match."""

    match = serializers.IntegerField()
    seat = serializers.IntegerField()
    log = serializers.CharField(allow_blank=True)
