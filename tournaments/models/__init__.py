"""Tournaments, their matches and results.

The database is the truth; the queue only announces work. Standings, later rounds and ratings follow
from results. Every change of state is an action (`tournaments.actions`).
"""

from tournaments.models.analyses import Analysis
from tournaments.models.announcements import Announcement
from tournaments.models.cached_results import ExportChunk, Frozen, Kept, KeptExport
from tournaments.models.competition import (
    Admission,
    CoOrganizer,
    DealGroup,
    DealGroupSide,
    Entry,
    Mate,
    PlannedGroups,
    Stage,
    Tournament,
    TournamentQuerySet,
)
from tournaments.models.decisions import Decision
from tournaments.models.matches import (
    NOT_YET,
    TOO_LONG,
    Attempt,
    LiveMoves,
    Match,
    Seat,
    SideResult,
    StoredRecord,
    group_is_over,
)
from tournaments.models.matchups import Challenge, Trial, TrialGroup
from tournaments.models.ratings import (
    Ledger,
    PoolFit,
    Rating,
    RatingChange,
    RatingPoint,
    ScaleChange,
    TeamRating,
)
from tournaments.models.rules import RulesInForce
from tournaments.models.tallies import BotTotal, MatchFigures

__all__ = [
    "NOT_YET",
    "TOO_LONG",
    "Admission",
    "Analysis",
    "Announcement",
    "Attempt",
    "BotTotal",
    "Challenge",
    "CoOrganizer",
    "DealGroup",
    "DealGroupSide",
    "Decision",
    "Entry",
    "ExportChunk",
    "Frozen",
    "Kept",
    "KeptExport",
    "Ledger",
    "LiveMoves",
    "Match",
    "MatchFigures",
    "Mate",
    "PlannedGroups",
    "PoolFit",
    "Rating",
    "RatingChange",
    "RatingPoint",
    "RulesInForce",
    "ScaleChange",
    "Seat",
    "SideResult",
    "Stage",
    "StoredRecord",
    "TeamRating",
    "Tournament",
    "TournamentQuerySet",
    "Trial",
    "TrialGroup",
    "group_is_over",
]
