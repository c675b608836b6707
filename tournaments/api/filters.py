"""Filters of lists of tournaments, matches and ratings."""

from __future__ import annotations

from django.db.models import F, QuerySet
from django_filters import rest_framework as filters

from bots.api.filters import FlagFilter, NamedBotFilter
from tournaments.models import (
    Match,
    PoolFit,
    Rating,
    RatingChange,
    RatingPoint,
    ScaleChange,
    Seat,
    TeamRating,
    Tournament,
)


class TournamentFilter(filters.FilterSet):
    """Tournaments by state, game, organizer, entered bot, part of the name."""

    state = filters.ChoiceFilter(choices=Tournament.State.choices)
    game = filters.CharFilter(method="by_game", help_text="Such as `cassino`.")
    format = filters.CharFilter(help_text="The format in its canonical spelling.")
    organizer = filters.CharFilter(field_name="organizer__username", help_text="A username.")
    bot = NamedBotFilter(field_name="entries__bot__slug", help_text="Slug of an entered bot.")
    name = filters.CharFilter(lookup_expr="icontains", help_text="Part of the name.")

    class Meta:
        model = Tournament
        fields: tuple[str, ...] = ()

    def by_game(
        self, queryset: QuerySet[Tournament], name: str, value: str
    ) -> QuerySet[Tournament]:
        """Tournaments of a game, by the beginning of their formats."""
        return queryset.filter(format__startswith=f"{value}/")


class MatchFilter(filters.FilterSet):
    """Matches by state, round, deal group, bot, fault."""

    state = filters.ChoiceFilter(choices=Match.State.choices)
    round = filters.NumberFilter(field_name="deal_group__round")
    fixture = filters.NumberFilter(
        field_name="deal_group__number", help_text="Number of the deal group in its tournament."
    )
    bot = NamedBotFilter(method="by_bot", help_text="Slug of a bot that plays in the match.")
    faulted = FlagFilter()

    class Meta:
        model = Match
        fields: tuple[str, ...] = ()

    def by_bot(self, queryset: QuerySet[Match], name: str, value: str) -> QuerySet[Match]:
        """Matches with the bot in any seat, each once."""
        seats = Seat.objects.filter(version__bot__slug=value)
        return queryset.filter(pk__in=seats.values("match"))


class AnyMatchFilter(MatchFilter):
    """Matches of all tournaments."""

    tournament = filters.CharFilter(
        field_name="tournament__slug", help_text="The tournament's slug."
    )


class RatingFilter(filters.FilterSet):
    """Ratings by pool, bot, and whether the version is the active one."""

    pool = filters.CharFilter(help_text="`overall`, a game, or a game/variant/table.")
    kind = filters.ChoiceFilter(
        choices=Rating.Kind.choices,
        help_text="Ratings from all results (the default), or only from results with partners of "
        "other authors.",
    )
    bot = NamedBotFilter(field_name="version__bot__slug", help_text="Slug of the bot.")
    current = FlagFilter(
        method="by_current", help_text="Only versions that are active, or only earlier ones."
    )

    class Meta:
        model = Rating
        fields: tuple[str, ...] = ()

    def filter_queryset(self, queryset: QuerySet[Rating]) -> QuerySet[Rating]:
        """Select one kind of ratings."""
        ratings: QuerySet[Rating] = super().filter_queryset(queryset)
        if self.form.cleaned_data.get("kind"):
            return ratings
        return ratings.filter(kind=Rating.Kind.ALL)

    def by_current(self, queryset: QuerySet[Rating], name: str, value: bool) -> QuerySet[Rating]:  # noqa: FBT001 - django-filter calls it so
        """Ratings of active versions only, or of earlier ones only."""
        active = {"version__bot__active_version": F("version")}
        return queryset.filter(**active) if value else queryset.exclude(**active)


class HistoryFilter(filters.FilterSet):
    """Changes of live Elo by pool and version."""

    pool = filters.CharFilter(help_text="`overall`, a game, or a game/variant/table.")
    version = filters.NumberFilter(field_name="version__number", help_text="Number of the version.")

    class Meta:
        model = RatingChange
        fields: tuple[str, ...] = ()


class PointFilter(HistoryFilter):
    """Fitted ratings by pool and version."""

    class Meta:
        model = RatingPoint
        fields: tuple[str, ...] = ()


class TeamFilter(filters.FilterSet):
    """Teams by pool and bot."""

    pool = filters.CharFilter(help_text="`overall`, a game, or a game/variant/table.")
    bot = NamedBotFilter(method="by_bot", help_text="Slug of a bot of the team.")

    class Meta:
        model = TeamRating
        fields: tuple[str, ...] = ()

    def by_bot(self, queryset: QuerySet[TeamRating], name: str, value: str) -> QuerySet[TeamRating]:
        """Teams with the bot, each once."""
        teams = TeamRating.objects.filter(members__bot__slug=value)
        return queryset.filter(pk__in=teams.values("pk"))


class ScaleChangeFilter(filters.FilterSet):
    """Shifts of a pool's scale by pool and bot."""

    pool = filters.CharFilter(help_text="`overall`, a game, or a game/variant/table.")
    bot = NamedBotFilter(method="by_bot", help_text="Slug of a bot that the shift moved.")

    class Meta:
        model = ScaleChange
        fields: tuple[str, ...] = ()

    def by_bot(
        self, queryset: QuerySet[ScaleChange], name: str, value: str
    ) -> QuerySet[ScaleChange]:
        """Shifts that moved a version of the bot, each once."""
        changes = ScaleChange.objects.filter(versions__bot__slug=value)
        return queryset.filter(pk__in=changes.values("pk"))


class PoolFilter(filters.FilterSet):
    """Pools by name."""

    pool = filters.CharFilter(help_text="`overall`, a game, or a game/variant/table.")

    class Meta:
        model = PoolFit
        fields: tuple[str, ...] = ()
