"""The analysis on a match's page: the request, the progress, the results."""

from __future__ import annotations

import zlib
from typing import Any

import pytest
from django.test import Client

from cardroom.pages.matches.analysis import marks_of, panel_of
from cardroom_base.db.db_time import Now
from engine import Record
from engine.search.analysis import judge, questions
from tests import factories as make
from tests.judgement_cache import cache_judgements
from tests.pages import finished
from tests.pages.markup import flat
from tournaments import actions, analysing
from tournaments.actions import analyses
from tournaments.models import Analysis, Match

pytestmark = pytest.mark.django_db
FORM = "cassino/standard/1v1?deals=1"


@pytest.fixture(autouse=True)
def _few_playouts(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    cache_judgements(monkeypatch)
    settings.ANALYSIS_PLAYOUTS = 4


@pytest.fixture
def match() -> Match:
    return finished.match(finished.play(FORM))


def _analysed(match: Match) -> None:
    actions.request_analysis(match, None)
    while analysing.analyse_piece():
        pass


def test_an_account_may_request_an_analysis(client: Client, match: Match) -> None:
    address = f"/matches/{match.pk}/"
    assert "Log in to request an analysis" in client.get(address).content.decode()
    fan = make.user("fan")
    client.force_login(fan)
    assert f'action="{address}analyse/"' in client.get(address).content.decode()
    response = client.post(f"{address}analyse/")
    assert response["Location"] == f"{address}#analysis"
    assert Analysis.objects.get().by == fan
    page = client.get(address).content.decode()
    assert "It is next in the queue. Matches do not delay it." in flat(page)
    assert f'hx-get="{address}analysis/?known=0.1"' in page
    assert "htmx" in page


def test_progress_is_shown_until_the_analysis_is_done(client: Client, match: Match) -> None:
    actions.request_analysis(match, None)
    analysis = analyses.begin_piece()
    assert analysis is not None
    analyses.store_piece(analysis, 7, [])
    address = f"/matches/{match.pk}/analysis/"
    headers = {"HX-Request": "true"}
    assert "7 of 48 moves" in flat(client.get(address, headers=headers).content.decode())
    assert client.get(f"{address}?known=7.1", headers=headers).status_code == 204
    _analysed(match)
    response = client.get(address, headers=headers)
    assert (response.status_code, response["HX-Trigger"]) == (286, "analysis-over")
    assert client.get(address)["Location"] == f"/matches/{match.pk}/#analysis"


def _piece(match: Match, moves: int, *, seconds: float) -> None:
    """Store the next piece: `moves` moves are judged, `seconds` after the start."""
    analysis = analyses.begin_piece()
    assert analysis is not None
    record = Record.from_json(zlib.decompress(bytes(analysis.record.content)))
    judgements = [judge(question, 4) for question in questions(record) if question.n < moves]
    analyses.store_piece(analysis, moves, judgements)
    Analysis.objects.filter(pk=match.pk).update(begun=Now(-seconds))


@pytest.mark.parametrize(
    ("done", "seconds", "words"),
    [
        (4, 100, "It is next in the queue."),
        (6, 6, "Less than a minute to go"),
        (6, 26, "About 3 minutes to go"),
        (12, 3600, "About 3 hours to go"),
    ],
)
def test_the_page_estimates_the_time_left_after_five_moves(
    client: Client, match: Match, done: int, seconds: float, words: str
) -> None:
    actions.request_analysis(match, make.user("fan"))
    _piece(match, done, seconds=seconds)
    page = flat(client.get(f"/matches/{match.pk}/").content.decode())
    assert words in page
    assert f"analysed {done} of 48 moves" in page


def test_partial_results_are_marked_so_far(client: Client, match: Match) -> None:
    actions.request_analysis(match, make.user("fan"))
    _piece(match, 30, seconds=30)
    response = client.get(f"/matches/{match.pk}/")
    page = flat(response.content.decode())
    panel = response.context["analysis"]
    assert panel.costliest, "random moves include mistakes"
    assert page.count('<span class="chip">so far</span>') == 3
    for slip in panel.costliest:
        assert f'<a href="#move-{slip.n}">{slip.words}</a>' in page
    assert all(seat.error.startswith("±") for seat in panel.seats)
    assert response.context["setup"]["analysis"]["done"] == 30
    _analysed(match)
    response = client.get(f"/matches/{match.pk}/")
    assert "so far</span>" not in response.content.decode()
    assert response.context["setup"]["analysis"]["done"] is None


def test_the_place_in_the_queue_and_a_long_queue(client: Client, match: Match) -> None:
    cup = make.tournament(9, format=FORM, start=True)
    make.finish_all(cup)
    others = list(cup.matches.order_by("pk")[:24])
    for other in others:
        actions.request_analysis(other, make.user(f"fan-{other.pk}"))
    fan = make.user("fan", staff=True)
    actions.request_analysis(match, fan)
    page = flat(client.get(f"/matches/{match.pk}/").content.decode())
    assert "<b>25th</b> <small>in the queue</small>" in page
    assert "It waits for the analyses ahead of it." in page
    Analysis.objects.filter(pk__in=[other.pk for other in others[:2]]).update(
        begun=Now(-26), finished=Now()
    )
    page = flat(client.get(f"/matches/{match.pk}/").content.decode())
    assert "<b>23rd</b> <small>in the queue</small>" in page
    assert "Ready in about 10 minutes." in page


def test_the_page_shows_why_a_request_is_refused(
    client: Client, match: Match, settings: Any
) -> None:
    settings.MAX_ANALYSES_PER_DAY = 0
    client.force_login(make.user("fan"))
    response = client.post(f"/matches/{match.pk}/analyse/", follow=True)
    assert "limit of analyses within 24 hours (0)" in response.content.decode()


def test_pages_show_results_without_scripts(client: Client, match: Match) -> None:
    _analysed(match)
    panel = panel_of(match, ["Kestrel", "Tricoteuse"])
    assert panel.costliest, "random moves include mistakes"
    for address in (f"/matches/{match.pk}/", f"/matches/{match.pk}/transcript/"):
        page = flat(client.get(address).content.decode())
        for slip in panel.costliest:
            assert slip.player in slip.words
            assert f'<a href="#move-{slip.n}">{slip.words}</a>' in page
            assert f"{slip.cost} points" in page
        for seat in panel.seats:
            assert f'<b class="num">{seat.accuracy}</b>' in page
        (sentence,) = panel.cards
        assert sentence in page


def test_the_viewer_marks_slips_and_mistakes(client: Client, match: Match) -> None:
    setup = client.get(f"/matches/{match.pk}/").context["setup"]
    assert setup["analysis"] is None
    _analysed(match)
    panel = panel_of(match, ["Kestrel", "Tricoteuse"])
    marks = marks_of(panel)
    assert marks is not None
    assert {slip.n - 1 for slip in panel.costliest} <= set(marks["moves"])
    analysis = panel.content.analysis
    assert analysis is not None
    assert [n for n, _ in marks["chances"]] == [
        n for n, side, _ in analysis["chances"] if side == 0
    ]


def test_an_older_analysis_can_be_requested_again(client: Client, match: Match) -> None:
    _analysed(match)
    Analysis.objects.update(expert=0)
    client.force_login(make.user("fan"))
    assert "Analyse again" in client.get(f"/matches/{match.pk}/").content.decode()
    client.post(f"/matches/{match.pk}/analyse/")
    page = client.get(f"/matches/{match.pk}/").content.decode()
    assert "The costliest moves" in page
    assert "The analysis above is by an older version of the expert." in page
    assert "Analyse again" not in page


def test_the_page_shows_why_an_analysis_failed(client: Client, match: Match) -> None:
    actions.request_analysis(match, None)
    analysis = analyses.begin_piece()
    assert analysis is not None
    analysis.fail("The record is of other rules.", content=b"")
    address = f"/matches/{match.pk}/"
    assert "The record is of other rules." in client.get(address).content.decode()
    client.force_login(make.user("another"))
    assert "Try again </button>" in flat(client.get(address).content.decode())
    client.post(f"{address}analyse/")
    assert "It is next in the queue." in flat(client.get(address).content.decode())


def test_a_bot_in_two_seats_is_named_by_place() -> None:
    match = finished.match(finished.play("cassino/standard/2v2?deals=1"))
    _analysed(match)
    seats = [(seat.name, seat.place) for seat in panel_of(match, ["a", "b", "a", "c"]).seats]
    assert seats == [("a", "South"), ("b", ""), ("a", "North"), ("c", "")]


def test_guests_see_no_button_to_analyse_again(client: Client, match: Match) -> None:
    _analysed(match)
    Analysis.objects.update(expert=0)
    button = "Analyse again"
    assert button not in client.get(f"/matches/{match.pk}/").content.decode()
    client.force_login(make.user("fan"))
    assert button in client.get(f"/matches/{match.pk}/").content.decode()


# --- the queue, and stopping ----------------------------------------------------------------------


def test_the_requester_may_stop_and_resume_an_analysis(client: Client, match: Match) -> None:
    fan = make.user("fan")
    actions.request_analysis(match, fan)
    _piece(match, 12, seconds=30)
    address = f"/matches/{match.pk}/"
    stop = f'action="{address}analysis/stop/"'
    assert stop not in client.get(address).content.decode()
    client.force_login(make.user("another"))
    assert stop not in client.get(address).content.decode()
    refusal = client.post(f"{address}analysis/stop/", follow=True).content.decode()
    assert "Only the person who asked for this analysis can stop it." in refusal
    client.force_login(fan)
    assert stop in client.get(address).content.decode()
    response = client.post(f"{address}analysis/stop/")
    assert response["Location"] == f"{address}#analysis"
    page = flat(client.get(address).content.decode())
    assert "The analysis was stopped after 12 of 48 moves; these are kept." in page
    assert "Resume </button>" in page
    assert analyses.begin_piece() is None
    client.post(f"{address}analyse/")
    assert "analysed 12 of 48 moves" in flat(client.get(address).content.decode())
    while analysing.analyse_piece():
        pass
    assert Analysis.objects.get().done == 48
    refusal = client.post(f"{address}analysis/stop/", follow=True).content.decode()
    assert "No analysis of this match is waiting or in progress." in refusal


def test_a_piece_that_ends_after_a_stop_is_not_stored(match: Match) -> None:
    fan = make.user("fan")
    actions.request_analysis(match, fan)
    analysis = analyses.begin_piece()
    assert analysis is not None
    actions.stop_analysis(match, fan)
    assert not analysis.renew()
    assert not analyses.store_piece(analysis, 7, [])
    actions.request_analysis(match, fan)
    assert not analyses.store_piece(analysis, 7, []), "the worker has lost the analysis"


def test_a_stopped_analysis_still_counts_towards_the_quota(match: Match, settings: Any) -> None:
    settings.MAX_ANALYSES_PER_DAY = 1
    fan = make.user("fan")
    actions.request_analysis(match, fan)
    actions.stop_analysis(match, fan)
    with pytest.raises(actions.ActionError, match="limit of analyses"):
        actions.request_analysis(match, fan)


def test_stopping_a_new_analysis_keeps_the_previous_one(client: Client, match: Match) -> None:
    _analysed(match)
    Analysis.objects.update(expert=0)
    fan = make.user("fan")
    client.force_login(fan)
    client.post(f"/matches/{match.pk}/analyse/")
    client.post(f"/matches/{match.pk}/analysis/stop/")
    page = client.get(f"/matches/{match.pk}/").content.decode()
    assert "The costliest moves" in page
    assert "Analyse again" in page


def test_the_queue_names_only_visible_matches(client: Client, match: Match) -> None:
    cup = make.finish_all(make.tournament(3, format=FORM, start=True))
    first, secret, *others = cup.matches.order_by("pk")
    for other in (first, secret, *others):
        actions.request_analysis(other, make.user(f"fan-{other.pk}"))
    hidden = make.finish_all(make.tournament(2, format=FORM, start=True, name="Hidden"))
    trial = hidden.matches.earliest("pk")
    actions.request_analysis(trial, make.user("tester"))
    Analysis.objects.filter(pk=trial.pk).update(asked=Now(-3600))
    hidden.trial, hidden.opened = True, None
    hidden.save()
    actions.request_analysis(match, make.user("fan"))
    response = client.get(f"/matches/{match.pk}/")
    page = flat(response.content.decode())
    queue = response.context["analysis"].queue
    assert [row.place for row in queue] == [1, 2, 3, len(others) + 3, len(others) + 4]
    assert queue[0].title == "A private match"
    assert f"/matches/{trial.pk}/" not in page
    assert "Hidden" not in page
    assert f'<a href="/matches/{first.pk}/">{queue[1].title}</a>' in page
    assert queue[1].words == "Cassino for two, waiting"
    assert queue[3].skipped == len(others) - 1
    assert (queue[-1].title, queue[-1].is_this_match) == ("This match", True)
    assert "at least 10 % of the workers’ time" in page


def test_the_panel_is_redrawn_when_an_earlier_analysis_advances(
    client: Client, match: Match
) -> None:
    cup = make.finish_all(make.tournament(2, format=FORM, start=True))
    actions.request_analysis(cup.matches.earliest("pk"), make.user("another"))
    actions.request_analysis(match, make.user("fan"))
    address = f"/matches/{match.pk}/analysis/"
    headers = {"HX-Request": "true"}
    token = client.get(address, headers=headers).context["analysis"].progress_token
    assert client.get(f"{address}?known={token}", headers=headers).status_code == 204
    analysis = analyses.begin_piece()
    assert analysis is not None
    analyses.store_piece(analysis, 7, [])
    assert "Cassino for two, 7 of" in flat(
        client.get(f"{address}?known={token}", headers=headers).content.decode()
    )
