"""Addresses of the REST interface.

/api/v1/ has the resources, /api/schema/ the OpenAPI document, and /api/docs/ an interactive version
of it.
"""

from django.urls import URLPattern, URLResolver, include, path, re_path
from drf_spectacular.views import SpectacularJSONAPIView, SpectacularSwaggerView

from cardroom.api import (
    api_root,
    dumps,
    games,
    json_schemas,
    moderation,
    notifications,
    status,
    tokens,
    webhooks,
)
from cardroom.api.openapi import CachedSchemaGenerator

resources: list[URLPattern | URLResolver] = [
    path("", api_root.RootView.as_view(), name="root"),
    path("games/", games.GameList.as_view(), name="games"),
    path("games/<slug:game>/", games.GameDetail.as_view(), name="game"),
    path("formats/", games.FormatList.as_view(), name="formats"),
    path("schemas/", json_schemas.JsonSchemaList.as_view(), name="schemas"),
    path("schemas/<slug:name>/", json_schemas.JsonSchemaDetail.as_view(), name="schema"),
    path("status/", status.StatusView.as_view(), name="status"),
    path("dumps/", dumps.DumpList.as_view(), name="dumps"),
    path("dumps/<slug:day>/<str:name>/", dumps.DumpFileView.as_view(), name="dump-file"),
    path("moderation/", moderation.ModerationView.as_view(), name="moderation"),
    path("notifications/", notifications.NotificationList.as_view(), name="notifications"),
    path(
        "notifications/read/",
        notifications.NotificationsRead.as_view(),
        name="notifications-read",
    ),
    path("tokens/", tokens.TokenList.as_view(), name="tokens"),
    path("tokens/<int:number>/", tokens.TokenDetail.as_view(), name="token"),
    path("webhooks/", webhooks.WebhookList.as_view(), name="webhooks"),
    path("webhooks/<int:number>/", webhooks.WebhookDetail.as_view(), name="webhook"),
    path("webhooks/<int:number>/secret/", webhooks.WebhookSecret.as_view(), name="webhook-secret"),
    path("webhooks/<int:number>/test/", webhooks.WebhookTest.as_view(), name="webhook-test"),
    path(
        "webhooks/<int:number>/deliveries/",
        webhooks.DeliveryList.as_view(),
        name="webhook-deliveries",
    ),
    path("", include("bots.api.urls")),
    path("", include("tournaments.api.urls")),
]

docs = SpectacularSwaggerView.as_view(url_name="api-schema", template_name="api/docs.html")

urlpatterns: list[URLPattern | URLResolver] = [
    path("v1/", include((resources, "api"))),
    path(
        "schema/",
        SpectacularJSONAPIView.as_view(generator_class=CachedSchemaGenerator),
        name="api-schema",
    ),
    path("docs/", docs, name="api-docs"),
    # Any other address below /api/ gets a problem, not a page. The pattern requires a slash at the
    # end: without one, Django first redirects to an address that has it.
    re_path(r"^[\s\S]*/$", api_root.not_found),
]
