"""A tournament's link, code and admitted accounts, for its organizer."""

from __future__ import annotations

from dataclasses import dataclass

from django.urls import reverse

from tournaments.models import Tournament

Visibility = Tournament.Visibility


@dataclass(frozen=True, slots=True)
class Admissions:
    """The ways in which people may see a tournament that not everybody sees."""

    link: str
    """The path of the link that shows it; empty unless it is visible by link."""
    code: str
    """Empty unless it is visible by code."""
    invited: list[str]
    """Usernames, in order."""
    joined: int
    """Accounts that joined by the present link or code."""


def admissions_of(tournament: Tournament) -> Admissions:
    """The link, the code and the admitted accounts of a tournament; two queries."""
    page, key = reverse("tournament", args=[tournament.slug]), tournament.key
    invited = tournament.admissions.filter(by=Visibility.INVITED).order_by("user__username")
    return Admissions(
        link=f"{page}?invitation={key}" if tournament.visibility == Visibility.LINK else "",
        code=key if tournament.visibility == Visibility.CODE else "",
        invited=list(invited.values_list("user__username", flat=True)),
        joined=tournament.admissions.exclude(by=Visibility.INVITED).count(),
    )
