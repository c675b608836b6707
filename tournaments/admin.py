"""Read-only lists for the admin site; only `tournaments.actions` changes tournaments."""

from __future__ import annotations

from django.contrib import admin

from bots.admin import ReadOnlyAdmin
from tournaments.models import Attempt, Entry, Match, Rating, Tournament


@admin.register(Tournament)
class TournamentAdmin(ReadOnlyAdmin):
    list_display = ("name", "format", "state", "organizer", "created", "started", "finished")
    list_filter = ("state", "partners", "rated")
    list_select_related = ("organizer",)
    search_fields = ("name", "slug")
    exclude = ("seed",)


@admin.register(Entry)
class EntryAdmin(ReadOnlyAdmin):
    list_display = ("tournament", "number", "bot", "version")
    list_select_related = ("tournament", "bot", "version__bot")
    search_fields = ("tournament__name", "bot__name")


@admin.register(Match)
class MatchAdmin(ReadOnlyAdmin):
    list_display = ("id", "tournament", "state", "failures", "faulted", "reason", "finished")
    list_filter = ("state", "faulted")
    list_select_related = ("tournament",)
    search_fields = ("=id", "tournament__slug")
    exclude = ("rng",)


@admin.register(Attempt)
class AttemptAdmin(ReadOnlyAdmin):
    list_display = ("match", "number", "worker", "outcome", "started", "finished", "cause")
    list_filter = ("outcome",)
    search_fields = ("=match__id", "worker")


@admin.register(Rating)
class RatingAdmin(ReadOnlyAdmin):
    list_display = ("pool", "version", "fitted", "low", "high", "live", "matches")
    list_select_related = ("version__bot",)
    search_fields = ("pool", "version__bot__name")
