"""Addresses of bots in the REST interface."""

from django.urls import path

from bots.api import views

urlpatterns = [
    path("bots/", views.BotList.as_view(), name="bots"),
    path("bots/<slug:slug>/", views.BotDetail.as_view(), name="bot"),
    path("bots/<slug:slug>/rollback/", views.RollBack.as_view(), name="rollback"),
    path("bots/<slug:slug>/versions/", views.VersionList.as_view(), name="versions"),
    path("bots/<slug:slug>/versions/<int:number>/", views.VersionDetail.as_view(), name="version"),
    path(
        "bots/<slug:slug>/versions/<int:number>/check/", views.CheckDetail.as_view(), name="check"
    ),
]
