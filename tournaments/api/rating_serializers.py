"""Ratings as JSON."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from tournaments.api.serializers import PlayerSerializer
from tournaments.models import (
    PoolFit,
    Rating,
    RatingChange,
    RatingPoint,
    ScaleChange,
    TeamRating,
)


class RatingSerializer(serializers.ModelSerializer[Rating]):
    """The ratings of a bot's version in a pool, on the Elo scale."""

    bot = PlayerSerializer(source="version.bot")
    version = serializers.IntegerField(source="version.number")
    live = serializers.FloatField(
        help_text="Live Elo, which each finished match changes; not computed for the kind "
        "`strangers`."
    )
    fitted = serializers.FloatField(
        allow_null=True,
        help_text="Rating from the last fit of all results together; null before the first fit.",
    )
    low = serializers.FloatField(
        allow_null=True,
        help_text="Lower end of the 95 % interval, which refers to the average of the component "
        "(`averages` of the pool); null without a fit, or if the version never "
        "won or drew.",
    )
    high = serializers.FloatField(
        allow_null=True,
        help_text="Upper end; null without a fit, or if the version never lost or drew: "
        "`at least low`.",
    )
    component = serializers.IntegerField(
        help_text="Number of the version's connected component; ratings of different components "
        "cannot be compared."
    )
    games = serializers.IntegerField(
        help_text="Number of games whose ratings are averaged; 1 except in `overall`."
    )

    class Meta:
        model = Rating
        fields = (
            "pool",
            "kind",
            "bot",
            "version",
            "live",
            "matches",
            "fitted",
            "low",
            "high",
            "groups",
            "component",
            "games",
            "updated",
        )
        read_only_fields = fields


class RatingChangeSerializer(serializers.ModelSerializer[RatingChange]):
    """A change of a live Elo by a match."""

    version = serializers.IntegerField(source="version.number")
    match = serializers.IntegerField(source="match_id")

    class Meta:
        model = RatingChange
        fields = ("pool", "version", "match", "before", "after", "at")
        read_only_fields = fields


class RatingPointSerializer(serializers.ModelSerializer[RatingPoint]):
    """A version's fitted rating at one point of its history."""

    version = serializers.IntegerField(source="version.number")
    ordinal = serializers.IntegerField(
        help_text="Ordinal, among all rated matches of the site, of its last match in the fit."
    )
    low = serializers.FloatField(
        allow_null=True, help_text="Lower end of the 95 % interval; null if it is open."
    )
    high = serializers.FloatField(
        allow_null=True, help_text="Upper end of the 95 % interval; null if it is open."
    )
    shift = serializers.FloatField(
        help_text="Elo points by which shifts of the scale have moved the version since its first "
        "fit."
    )

    class Meta:
        model = RatingPoint
        fields = ("pool", "version", "ordinal", "fitted", "low", "high", "shift", "at")
        read_only_fields = fields


class RatedMemberSerializer(serializers.Serializer[Any]):
    """A bot of a team."""

    bot = PlayerSerializer()
    version = serializers.IntegerField(source="number")


class TeamRatingSerializer(serializers.ModelSerializer[TeamRating]):
    """The rating of different bots as partners."""

    members = RatedMemberSerializer(many=True)
    fitted = serializers.FloatField(
        help_text="The mean of the members' ratings plus the bond, in Elo points."
    )
    low = serializers.FloatField(help_text="Lower end of the 95 % interval.")
    high = serializers.FloatField(help_text="Upper end of the 95 % interval.")
    bond = serializers.FloatField(help_text="Elo points above the mean of the members' ratings.")
    groups = serializers.IntegerField(help_text="Deal groups that the members played together.")

    class Meta:
        model = TeamRating
        fields = ("pool", "members", "fitted", "low", "high", "bond", "groups")
        read_only_fields = fields


class EffectSerializer(serializers.Serializer[Any]):
    """The advantage of a side in a table form."""

    side = serializers.IntegerField(help_text="Number of the side in the format.")
    points = serializers.FloatField(help_text="Elo points above the mean of the sides.")
    low = serializers.FloatField(help_text="Lower end of the 95 % interval.")
    high = serializers.FloatField(help_text="Upper end of the 95 % interval.")


class FormSerializer(serializers.Serializer[Any]):
    """How much the results of a format reveal about strengths."""

    format = serializers.CharField()
    slope = serializers.FloatField(
        help_text="Factor of rating differences, which are stated for a standard match."
    )
    dispersion = serializers.FloatField(
        help_text="Variance of a deal group's outcome, divided by that of independent matches."
    )
    matches = serializers.IntegerField(help_text="Matches in the fit.")
    groups = serializers.IntegerField(help_text="Deal groups in the fit.")


class AverageSerializer(serializers.Serializer[Any]):
    """The point to which the intervals of a connected component refer."""

    component = serializers.IntegerField()
    rating = serializers.FloatField(
        help_text="Average rating of the component's versions. `overall` has no averages if there "
        "are several games, because each rating refers to those of its games."
    )
    versions = serializers.IntegerField(help_text="Number of the component's versions.")


class ScaleChangeSerializer(serializers.ModelSerializer[ScaleChange]):
    """A shift of the scale, not a change of anybody's strength."""

    ordinal = serializers.IntegerField(
        help_text="Ordinal, among all rated matches of the site, of the last match in the fit."
    )
    points = serializers.FloatField(help_text="Elo points.")

    class Meta:
        model = ScaleChange
        fields = ("pool", "ordinal", "points", "reason", "at")
        read_only_fields = fields


class PoolSerializer(serializers.ModelSerializer[PoolFit]):
    """The last fit of a pool as a whole."""

    ordinal = serializers.IntegerField(
        help_text="Ordinal, among all rated matches of the site, of the last match in the fit."
    )
    groups = serializers.IntegerField(help_text="Deal groups in the fit.")
    dispersion = serializers.FloatField(
        help_text="Variance of a deal group's outcome, divided by that of independent matches."
    )
    components = serializers.IntegerField(
        help_text="Number of groups of versions that no matches connect; ratings of different "
        "groups cannot be compared."
    )
    effects = serializers.SerializerMethodField()
    forms = serializers.SerializerMethodField()
    averages = serializers.SerializerMethodField()
    misfit = serializers.FloatField(
        allow_null=True,
        help_text="Mean squared deviation of the pairings from the model, which has one rating for "
        "each version: about 1 if styles do not matter; null if there are too few results.",
    )
    styles = serializers.BooleanField(help_text="Whether `misfit` is above 1 by more than chance.")
    seconds = serializers.FloatField(help_text="Duration of the computation.")

    class Meta:
        model = PoolFit
        fields = (
            "pool",
            "ordinal",
            "groups",
            "dispersion",
            "components",
            "averages",
            "forms",
            "misfit",
            "styles",
            "effects",
            "seconds",
            "at",
        )
        read_only_fields = fields

    @extend_schema_field(FormSerializer(many=True))
    def get_forms(self, fitted: PoolFit) -> list[dict[str, float | str]]:
        """The pool's formats, with their slopes, dispersions and counts."""
        return [
            dict(zip(("format", "slope", "dispersion", "matches", "groups"), form, strict=True))
            for form in fitted.forms
        ]

    @extend_schema_field(AverageSerializer(many=True))
    def get_averages(self, fitted: PoolFit) -> list[dict[str, float]]:
        """The average rating of each connected component, and its number of versions."""
        return [
            {"component": component, "rating": rating, "versions": versions}
            for component, (rating, versions) in enumerate(fitted.averages)
        ]

    @extend_schema_field(EffectSerializer(many=True))
    def get_effects(self, fitted: PoolFit) -> list[dict[str, float]]:
        """The advantage of each side; empty if the pool has several table forms."""
        return [
            {"side": side, "points": points, "low": low, "high": high}
            for side, (points, low, high) in enumerate(fitted.effects)
        ]


class ComparisonSerializer(serializers.Serializer[Any]):
    """A comparison of two versions by the last fit of the pool."""

    a_version = serializers.IntegerField(source="a.number")
    b_version = serializers.IntegerField(source="b.number")
    probability = serializers.FloatField(
        allow_null=True,
        help_text="Probability that a is better than b; null if no matches connect them, if a "
        "rating has an open end, and in `overall` if they do not play the same games.",
    )
    difference = serializers.FloatField(help_text="Elo points of a above b.")
    low = serializers.FloatField(
        allow_null=True,
        help_text="Lower end of the 95 % interval; null if a rating has an open end.",
    )
    high = serializers.FloatField(allow_null=True, help_text="Upper end.")
    groups = serializers.IntegerField(
        allow_null=True,
        help_text="Deal groups that the bots must still play before the interval excludes 0; "
        "0 if it already does, null if unknown, too many, or if no matches connect them.",
    )


class HeadToHeadSerializer(serializers.Serializer[Any]):
    """Two bots in all matches between them, in all versions."""

    a = PlayerSerializer()
    b = PlayerSerializer()
    pool = serializers.CharField(help_text="`overall`, a game, or a game/variant/table.")
    matches = serializers.IntegerField()
    a_ahead = serializers.IntegerField(help_text="Matches in which a was ranked before b.")
    level = serializers.IntegerField(help_text="Matches in which both had the same rank.")
    b_ahead = serializers.IntegerField(help_text="Matches in which b was ranked before a.")
    groups = serializers.IntegerField(help_text="Deal groups in which both played.")
    points = serializers.FloatField(
        help_text="Points of a, summed over deal groups, each 0 to 1; b has the rest."
    )
    difference = serializers.FloatField(help_text="Mean score difference of a per deal group.")
    comparison = ComparisonSerializer(
        allow_null=True,
        help_text="Comparison by the last fit; null until both have a fitted rating in the pool.",
    )
