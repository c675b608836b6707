"""Filters of lists of bots."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import forms
from django_filters import rest_framework as filters

from bots.models import Bot, BotVersion
from cardroom_base.core import names

if TYPE_CHECKING:
    from django.db.models import QuerySet


class _TrueOrFalse(forms.Field):
    """`true` or `false`; refuses other values, which would silently filter nothing."""

    def clean(self, value: Any) -> bool | None:
        """The boolean value; None if the filter is not used."""
        if value in self.empty_values:
            return None
        flags = {"true": True, "1": True, "false": False, "0": False}
        if (text := str(value).lower()) in flags:
            return flags[text]
        raise forms.ValidationError("Write true or false.")


class _BotName(forms.CharField):
    def clean(self, value: Any) -> Any:
        """Convert `house:NAME` to the bot's slug."""
        return names.slug_of(super().clean(value))


class NamedBotFilter(filters.CharFilter):
    """Filters by a bot's slug or `house:NAME`."""

    field_class = _BotName


class FlagFilter(filters.BooleanFilter):
    field_class = _TrueOrFalse

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs.setdefault("widget", forms.TextInput)
        super().__init__(*args, **kwargs)


class BotFilter(filters.FilterSet):
    """Filters by owner, part of the name, and house bots."""

    owner = filters.CharFilter(field_name="owner__username", help_text="Username of the owner.")
    name = filters.CharFilter(lookup_expr="icontains", help_text="Part of the name.")
    house = FlagFilter(
        field_name="owner",
        lookup_expr="isnull",
        help_text="Only house bots, or only users' bots.",
    )
    playable = FlagFilter(
        method="by_playable", help_text="Only bots that can play, or only those that cannot."
    )

    class Meta:
        model = Bot
        fields: tuple[str, ...] = ()

    def by_playable(self, queryset: QuerySet[Bot], name: str, value: bool) -> QuerySet[Bot]:  # noqa: FBT001 - django-filter calls it so
        """Bots that can play, or bots that cannot."""
        playable = Bot.objects.listed()
        return queryset.filter(pk__in=playable) if value else queryset.exclude(pk__in=playable)


class VersionFilter(filters.FilterSet):
    """Versions by the state of their check."""

    status = filters.ChoiceFilter(choices=BotVersion.Status.choices)

    class Meta:
        model = BotVersion
        fields: tuple[str, ...] = ()
