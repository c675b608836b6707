"""Addresses of the pages."""

from django.contrib.auth import views as auth
from django.urls import URLPattern, URLResolver, path

from cardroom.pages import accounts, bots, games, match, matches, ratings, site, tournaments, trials
from cardroom.pages.forms import LoginForm

urlpatterns: list[URLPattern | URLResolver] = [
    path("", site.home, name="home"),
    path("look/", site.look, name="look"),
    path("status/", site.status, name="status"),
    path("signup/", accounts.signup, name="signup"),
    path(
        "login/",
        auth.LoginView.as_view(
            template_name="accounts/login.html",
            authentication_form=LoginForm,
            redirect_authenticated_user=True,
        ),
        name="login",
    ),
    path("logout/", auth.LogoutView.as_view(), name="logout"),
    path("account/", accounts.account, name="account"),
    path("account/token/", accounts.token, name="token"),
    path("games/", games.index, name="games"),
    path("games/<slug:game>/", games.game, name="game"),
    path("games/<slug:game>/rules/", games.rules, name="rules"),
    path("bots/", bots.index, name="bots"),
    path("upload/", bots.upload, name="upload"),
    path("bots/<slug:slug>/", bots.bot, name="bot"),
    path("bots/<slug:slug>/describe/", bots.describe, name="bot-describe"),
    path("bots/<slug:slug>/upload/", bots.upload_version, name="upload-version"),
    path("bots/<slug:slug>/activate/", bots.activate, name="bot-activate"),
    path("bots/<slug:slug>/back/", trials.back, name="bot-back"),
    path("bots/<slug:slug>/trial/", trials.start, name="bot-trial"),
    path("bots/<slug:slug>/trial/stop/", trials.stop, name="bot-trial-stop"),
    path("bots/<slug:slug>/versions/<int:number>/", bots.check, name="check"),
    path("tournaments/", tournaments.index, name="tournaments"),
    path("tournaments/new/", tournaments.new, name="tournament-new"),
    path("tournaments/<slug:slug>/", tournaments.standings, name="tournament"),
    path("tournaments/<slug:slug>/edit/", tournaments.edit, name="tournament-edit"),
    path("tournaments/<slug:slug>/bracket/", tournaments.bracket, name="bracket"),
    path("tournaments/<slug:slug>/crosstable/", tournaments.crosstable, name="crosstable"),
    path("tournaments/<slug:slug>/luck/", tournaments.luck, name="tournament-luck"),
    path("tournaments/<slug:slug>/matches/", tournaments.matches, name="tournament-matches"),
    path("tournaments/<slug:slug>/entries/", tournaments.entries, name="entries"),
    path("tournaments/<slug:slug>/conditions/", tournaments.conditions, name="conditions"),
    path("tournaments/<slug:slug>/step/", tournaments.step, name="tournament-step"),
    path("matches/", matches.index, name="matches"),
    path("matches/<int:pk>/", match.match, name="match"),
    path("matches/<int:pk>/transcript/", match.transcript, name="match-transcript"),
    path("matches/<int:pk>/tally/", match.tally, name="match-tally"),
    path("matches/<int:pk>/moves/<int:number>/", match.question, name="match-question"),
    path("matches/<int:pk>/decide/", matches.decide, name="match-decide"),
    path("matches/<int:pk>/logs/<int:seat>/", matches.log, name="match-log"),
    path("ratings/", ratings.index, name="ratings"),
    path("ratings/head-to-head/", ratings.head_to_head, name="head-to-head"),
]
