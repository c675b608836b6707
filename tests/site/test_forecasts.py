"""The forecast on the site: rights and measurements."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from django.test import Client
from rest_framework.test import APIClient

from cardroom_base.core.errors import ActionError
from tests import factories as make
from tournaments import actions
from tournaments.reading.forecasts import durations, forecasts, match_seconds

START = datetime(2026, 11, 1, tzinfo=UTC)


def at(seconds: float) -> datetime:
    return START + timedelta(seconds=seconds)


def test_matches_of_one_claim_are_timed_consecutively() -> None:
    rows = [("a", at(0), at(2)), ("a", at(0), at(5)), ("a", at(9), at(10)), ("b", at(0), at(4))]
    assert sorted(durations(rows)) == [1, 2, 3, 4]
    assert durations([]) == []


@pytest.mark.django_db
def test_the_forecast_counts_entries_or_more() -> None:
    cup = make.tournament(3, groups=2)
    forecast = forecasts(cup)
    assert (forecast.entrants, forecast.rated, forecast.matches_measured) == (3, 0, 0)
    assert 0.05 < forecast.seconds_a_match < 5
    assert [outlook.matches.mean for outlook in forecast.outlooks] == [12, 24, 48]
    assert forecast.outlooks[0].hours == pytest.approx(
        12 * forecast.seconds_a_match / forecast.workers / 3600
    )
    assert forecasts(cup, 6).outlooks[0].matches.mean == 15 * 2 * 2
    with pytest.raises(ActionError, match="at most 256 entrants"):
        forecasts(cup, 1000)
    actions.start(cup, None)
    make.finish_all(cup)
    assert match_seconds(cup.format)[1] == 12
    with pytest.raises(ActionError, match="has started"):
        forecasts(cup)


@pytest.mark.django_db
def test_only_the_organizer_sees_the_forecast() -> None:
    organizer, other = make.user(), make.user()
    cup = make.tournament(2, groups=1, by=organizer)
    address = f"/api/v1/tournaments/{cup.slug}/"
    rest, page = APIClient(), Client()
    assert rest.get(f"{address}forecast/").status_code == 401
    rest.force_authenticate(other)
    assert rest.get(f"{address}forecast/").status_code == 403
    rest.force_authenticate(organizer)
    forecast = rest.get(f"{address}forecast/", {"entrants": 4}).json()
    assert forecast["outlooks"][0]["matches"] == {"mean": 12.0, "low": 12, "high": 12}
    assert rest.get(f"{address}forecast/", {"entrants": 9999}).status_code == 400
    assert rest.post(f"{address}priority/", {"priority": 2}, format="json").json() == {
        "priority": 2
    }
    assert rest.post(f"{address}priority/", {"priority": 7}, format="json").status_code == 400
    assert rest.get(f"{address}wait/").json() == {
        "waiting": 0,
        "expected_wait": 0.0,
        "reason": "",
    }
    page.force_login(other)
    assert page.get(f"/tournaments/{cup.slug}/forecast/").status_code == 403
    page.force_login(organizer)
    html = page.get(f"/tournaments/{cup.slug}/forecast/").content.decode()
    assert "For 2 entrants" in html
    assert "Best wins" in html
    overview = page.get(f"/tournaments/{cup.slug}/").content.decode()
    assert f"/tournaments/{cup.slug}/forecast/" in overview
