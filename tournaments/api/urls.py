"""Addresses of tournaments, matches and ratings in the REST interface."""

from django.urls import include, path

from tournaments.api import (
    bracket_views,
    capacity_views,
    decision_views,
    luck_views,
    match_views,
    rating_views,
    table_views,
    tournament_views,
    trial_views,
)

_tournament = [
    path("", tournament_views.TournamentDetail.as_view(), name="tournament"),
    path("open/", tournament_views.Open.as_view(), name="open"),
    path("start/", tournament_views.Start.as_view(), name="start"),
    path("cancel/", tournament_views.Cancel.as_view(), name="cancel"),
    path("finish/", tournament_views.Finish.as_view(), name="finish"),
    path("carry-over/", decision_views.CarryOver.as_view(), name="carry-over"),
    path("entries/", tournament_views.EntryList.as_view(), name="entries"),
    path("entries/<slug:bot>/", tournament_views.EntryDetail.as_view(), name="entry"),
    path("entries/<slug:bot>/agree/", tournament_views.EntryAgree.as_view(), name="entry-agree"),
    path("standings/", table_views.StandingsView.as_view(), name="standings"),
    path("crosstable/", table_views.CrossTableView.as_view(), name="crosstable"),
    path("bracket/", bracket_views.BracketView.as_view(), name="bracket"),
    path("decisions/", decision_views.DecisionList.as_view(), name="decisions"),
    path("rounds/rerun/", decision_views.RoundRerun.as_view(), name="round-rerun"),
    path("forecast/", capacity_views.ForecastView.as_view(), name="forecast"),
    path("wait/", capacity_views.WaitView.as_view(), name="wait"),
    path("priority/", capacity_views.PriorityView.as_view(), name="priority"),
    path("luck/", luck_views.LuckView.as_view(), name="luck"),
    path("matches/", table_views.TournamentMatchList.as_view(), name="tournament-matches"),
    path("deal-groups/", table_views.DealGroupList.as_view(), name="deal-groups"),
    path("export/", table_views.ExportView.as_view(), name="export"),
]
_match = [
    path("", match_views.MatchDetail.as_view(), name="match"),
    path("record/", match_views.RecordView.as_view(), name="record"),
    path("frames/", match_views.FramesView.as_view(), name="frames"),
    path("attempts/", match_views.AttemptList.as_view(), name="attempts"),
    path("logs/<int:seat>/", match_views.LogView.as_view(), name="log"),
    path("rerun/", match_views.Rerun.as_view(), name="rerun"),
    path("void/", match_views.Void.as_view(), name="void"),
]

urlpatterns = [
    path("tournaments/", tournament_views.TournamentList.as_view(), name="tournaments"),
    path("tournaments/<slug:slug>/", include(_tournament)),
    path(
        "bots/<slug:slug>/versions/<int:number>/trial/",
        trial_views.TrialView.as_view(),
        name="trial",
    ),
    path("matches/", match_views.MatchList.as_view(), name="matches"),
    path("matches/<int:pk>/", include(_match)),
    path("ratings/", rating_views.RatingList.as_view(), name="ratings"),
    path("ratings/teams/", rating_views.TeamList.as_view(), name="rating-teams"),
    path("ratings/pools/", rating_views.PoolList.as_view(), name="rating-pools"),
    path("ratings/head-to-head/", rating_views.HeadToHead.as_view(), name="head-to-head"),
    path("ratings/<slug:bot>/history/", rating_views.HistoryList.as_view(), name="history"),
    path("ratings/<slug:bot>/history/fitted/", rating_views.PointList.as_view(), name="fits"),
]
