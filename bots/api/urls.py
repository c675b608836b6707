"""Addresses of bots in the REST interface."""

from django.urls import path, register_converter
from django.urls.converters import SlugConverter

from bots.api import views
from cardroom_base.core import names


class BotConverter(SlugConverter):
    """A bot's slug, or `house:NAME`; views get the slug."""

    regex = names.BOT_ADDRESS[1:-2]

    def to_python(self, value: str) -> str:
        """Convert `house:NAME` to the bot's slug."""
        return names.slug_of(value)


register_converter(BotConverter, "bot")

urlpatterns = [
    path("bots/", views.BotList.as_view(), name="bots"),
    path("bots/<bot:slug>/", views.BotDetail.as_view(), name="bot"),
    path("bots/<bot:slug>/rollback/", views.RollBack.as_view(), name="rollback"),
    path("bots/<bot:slug>/versions/", views.VersionList.as_view(), name="versions"),
    path("bots/<bot:slug>/versions/<int:number>/", views.VersionDetail.as_view(), name="version"),
    path("bots/<bot:slug>/versions/<int:number>/check/", views.CheckDetail.as_view(), name="check"),
]
