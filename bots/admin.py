"""Read-only administration for staff: only actions change state."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.http import HttpRequest

from bots.models import Bot, BotVersion, Check
from cardroom_base.models import OutboxMessage

if TYPE_CHECKING:
    _ModelAdmin = admin.ModelAdmin[Any]
else:
    _ModelAdmin = admin.ModelAdmin  # only the stubs know that it is generic


class ReadOnlyAdmin(_ModelAdmin):
    def has_add_permission(self, _request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, _request: HttpRequest, obj: Any = None) -> bool:  # noqa: ARG002 - Django names it
        return False

    def has_delete_permission(self, _request: HttpRequest, obj: Any = None) -> bool:  # noqa: ARG002 - Django names it
        return False


@admin.register(Bot)
class BotAdmin(ReadOnlyAdmin):
    list_display = ("name", "owner", "active_version", "created")
    list_select_related = ("owner", "active_version__bot")
    search_fields = ("name", "slug", "owner__username")


@admin.register(BotVersion)
class BotVersionAdmin(ReadOnlyAdmin):
    list_display = ("bot", "number", "status", "package_id", "created")
    list_filter = ("status",)
    list_select_related = ("bot",)
    search_fields = ("bot__name", "package__digest")


@admin.register(Check)
class CheckAdmin(ReadOnlyAdmin):
    list_display = ("version", "tries", "worker", "started", "finished", "summary")
    list_select_related = ("version__bot",)
    search_fields = ("version__bot__name",)


@admin.register(OutboxMessage)
class OutboxMessageAdmin(ReadOnlyAdmin):
    list_display = ("task", "arguments", "created", "sent")
    list_filter = ("task",)
