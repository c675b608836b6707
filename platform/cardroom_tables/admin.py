"""The admin's read-only list of tables, without cards and moves."""

from __future__ import annotations

from django.contrib import admin

from bots.admin import ReadOnlyAdmin
from cardroom_tables.models import Table


@admin.register(Table)
class TableAdmin(ReadOnlyAdmin):
    list_display = ("key", "format", "state", "moves", "deals", "trouble", "created", "moved")
    list_filter = ("state",)
    search_fields = ("=key", "format")
    exclude = ("seed", "rng", "origin")
