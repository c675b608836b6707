"""Addresses of tournaments, matches and ratings in the REST interface."""

from django.urls import include, path

import bots.api.urls  # noqa: F401 - how bots are named in addresses
from tournaments.api import (
    admissions,
    announcements,
    bot_results,
    challenges,
    decisions,
    forecasts,
    matches,
    organizers,
    people,
    ratings,
    standings,
    tournaments,
    trials,
)

_tournament = [
    path("", tournaments.TournamentDetail.as_view(), name="tournament"),
    path("open/", tournaments.Open.as_view(), name="open"),
    path("start/", tournaments.Start.as_view(), name="start"),
    path("cancel/", tournaments.Cancel.as_view(), name="cancel"),
    path("finish/", tournaments.Finish.as_view(), name="finish"),
    path("repeat/", tournaments.Repeat.as_view(), name="repeat"),
    path("freeze/", tournaments.Freeze.as_view(), name="freeze"),
    path("reveal/", tournaments.Reveal.as_view(), name="reveal"),
    path("carry-over/", decisions.CarryOver.as_view(), name="carry-over"),
    path("enter-many/", tournaments.EnterMany.as_view(), name="enter-many"),
    path("entries/", tournaments.EntryList.as_view(), name="entries"),
    path("entries/<bot:bot>/", tournaments.EntryDetail.as_view(), name="entry"),
    path("entries/<bot:bot>/agree/", tournaments.EntryAgree.as_view(), name="entry-agree"),
    path("standings/", standings.StandingsView.as_view(), name="standings"),
    path("crosstable/", standings.CrossTableView.as_view(), name="crosstable"),
    path("bracket/", standings.BracketView.as_view(), name="bracket"),
    path("announcements/", announcements.AnnouncementList.as_view(), name="announcements"),
    path(
        "announcements/<int:pk>/", announcements.AnnouncementDetail.as_view(), name="announcement"
    ),
    path("decisions/", decisions.DecisionList.as_view(), name="decisions"),
    path("rounds/rerun/", decisions.RoundRerun.as_view(), name="round-rerun"),
    path("forecast/", forecasts.ForecastView.as_view(), name="forecast"),
    path("wait/", tournaments.WaitView.as_view(), name="wait"),
    path("priority/", tournaments.PriorityView.as_view(), name="priority"),
    path("visibility/", admissions.VisibilityView.as_view(), name="visibility"),
    path("organizers/", organizers.OrganizersView.as_view(), name="organizers"),
    path("luck/", standings.LuckView.as_view(), name="luck"),
    path("matches/", standings.TournamentMatchList.as_view(), name="tournament-matches"),
    path("deal-groups/", standings.DealGroupList.as_view(), name="deal-groups"),
    path("export/", standings.ExportView.as_view(), name="export"),
]
_match = [
    path("", matches.MatchDetail.as_view(), name="match"),
    path("record/", matches.RecordView.as_view(), name="record"),
    path("frames/", matches.FramesView.as_view(), name="frames"),
    path("analysis/", matches.AnalysisView.as_view(), name="analysis"),
    path("attempts/", matches.AttemptList.as_view(), name="attempts"),
    path("logs/<int:seat>/", matches.LogView.as_view(), name="log"),
    path("rerun/", matches.Rerun.as_view(), name="rerun"),
    path("void/", matches.Void.as_view(), name="void"),
]

urlpatterns = [
    path("tournaments/", tournaments.TournamentList.as_view(), name="tournaments"),
    path("tournaments/<slug:slug>/", include(_tournament)),
    path("bots/<bot:slug>/retire/", trials.Retire.as_view(), name="retire"),
    path(
        "bots/<bot:slug>/versions/<int:number>/trial/",
        trials.TrialView.as_view(),
        name="trial",
    ),
    path("join/", admissions.JoinView.as_view(), name="join"),
    path("search/", people.SearchView.as_view(), name="search"),
    path("authors/<path:author>/", people.AuthorView.as_view(), name="author"),
    path("challenges/", challenges.ChallengeList.as_view(), name="challenges"),
    path("challenges/<int:id>/", challenges.ChallengeDetail.as_view(), name="challenge"),
    path("bots/<bot:slug>/results/", bot_results.ResultsView.as_view(), name="bot-results"),
    path("bots/<bot:slug>/losses/", bot_results.LossesView.as_view(), name="bot-losses"),
    path("matches/", matches.MatchList.as_view(), name="matches"),
    path("matches/<int:pk>/", include(_match)),
    path("ratings/", ratings.RatingList.as_view(), name="ratings"),
    path("ratings/table/", ratings.RatingTableView.as_view(), name="rating-table"),
    path("ratings/teams/", ratings.TeamList.as_view(), name="rating-teams"),
    path("ratings/pools/", ratings.PoolList.as_view(), name="rating-pools"),
    path("ratings/scale-changes/", ratings.ScaleChangeList.as_view(), name="scale-changes"),
    path("ratings/head-to-head/", ratings.HeadToHeadView.as_view(), name="head-to-head"),
    path("ratings/<bot:bot>/history/", ratings.HistoryList.as_view(), name="history"),
    path("ratings/<bot:bot>/history/fitted/", ratings.PointList.as_view(), name="fits"),
]
