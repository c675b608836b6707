"""Link previews, pictures of positions, the embedded board."""

from __future__ import annotations

import zlib
from io import BytesIO
from typing import Any

import pytest
from django.test import Client
from PIL import Image

from cardroom.pages.site import link_previews
from tests.pages import finished

pytestmark = pytest.mark.django_db
CASSINO = "cassino/standard/1v1"


@pytest.fixture
def match() -> Any:
    return finished.match(finished.play(CASSINO))


def size(response: Any) -> tuple[int, int]:
    assert response.status_code == 200
    return Image.open(BytesIO(response.content)).size


def test_a_match_has_a_preview_and_its_page_names_it(client: Client, match: Any) -> None:
    page = client.get(f"/matches/{match.pk}/").content.decode()
    assert f'property="og:image" content="http://testserver/matches/{match.pk}/preview.png"' in page
    response = client.get(f"/matches/{match.pk}/preview.png")
    assert size(response) == (1200, 630)
    assert response["Content-Type"] == "image/png"
    assert response["Cross-Origin-Resource-Policy"] == "cross-origin"
    assert "public" in response["Cache-Control"]


def test_a_link_to_a_move_shows_that_position(client: Client, match: Any) -> None:
    page = client.get(f"/matches/{match.pk}/?move=12").content.decode()
    assert f"/matches/{match.pk}/moves/12/picture.png" in page
    assert '"move": 12' in page
    pictures = {
        client.get(f"/matches/{match.pk}/moves/{number}/picture.png").content
        for number in (0, 1, 12)
    }
    assert len(pictures) == 3


@pytest.mark.parametrize("move", ["", "0x1", "-1", "١٢", "9" * 40, "<b>"])
def test_an_invalid_move_number_is_ignored(client: Client, match: Any, move: str) -> None:
    page = client.get(f"/matches/{match.pk}/", {"move": move})
    assert page.status_code == 200
    assert "/preview.png" in page.content.decode()


def test_missing_moves_have_no_picture(client: Client, match: Any) -> None:
    assert client.get(f"/matches/{match.pk}/moves/9999/picture.png").status_code == 404
    assert client.get(f"/matches/{match.pk}/deals/99/animation.webp").status_code == 404


def test_a_deal_is_animated(client: Client, match: Any) -> None:
    response = client.get(f"/matches/{match.pk}/deals/1/animation.webp")
    film: Any = Image.open(BytesIO(response.content))
    assert film.n_frames > 5
    assert len(response.content) < 1_000_000


def test_no_picture_shows_hidden_cards(client: Client) -> None:
    """Its sibling is unplayed: the preview has only words and is the same for all cards."""
    hidden = finished.match(finished.play(CASSINO))
    rotation = type(hidden).objects.create(
        deal_group=hidden.deal_group,
        tournament=hidden.tournament,
        rotation=1,
        format=CASSINO,
        state="waiting",
    )
    preview = client.get(f"/matches/{hidden.pk}/preview.png").content
    other = finished.play(CASSINO, seed="other cards")
    hidden.record.content = zlib.compress(other.dumps().encode())
    hidden.record.save()
    link_previews._png.cache_clear()
    assert client.get(f"/matches/{hidden.pk}/preview.png").content == preview
    for part in ("moves/1/picture.png", "deals/1/animation.webp"):
        assert client.get(f"/matches/{hidden.pk}/{part}").status_code == 404
    page = client.get(f"/embed/matches/{hidden.pk}/").content.decode()
    assert "replay-setup" not in page
    assert rotation.state == "waiting"


def test_only_the_embedded_board_may_be_framed(client: Client, match: Any) -> None:
    board = client.get(f"/embed/matches/{match.pk}/")
    assert "frame-ancestors *" in board["Content-Security-Policy"]
    assert "X-Frame-Options" not in board
    assert not board.cookies
    assert b"<form" not in board.content
    page = client.get(f"/matches/{match.pk}/")
    assert "frame-ancestors 'none'" in page["Content-Security-Policy"]
    assert page["X-Frame-Options"] == "DENY"


def test_too_many_pictures_are_refused_with_retry_after(client: Client, monkeypatch: Any) -> None:
    monkeypatch.setattr("cardroom.throttles.PictureThrottle.rate", "2/min", raising=False)
    responses = [client.get("/preview.png") for _ in range(3)]
    assert [response.status_code for response in responses] == [200, 200, 429]
    assert int(responses[-1]["Retry-After"]) > 0


def test_a_refused_picture_costs_no_replay(client: Client, match: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr("cardroom.throttles.PictureThrottle.rate", "0/min", raising=False)
    reads: list[Any] = []
    monkeypatch.setattr("cardroom.pages.matches.match.record_of", reads.append)
    monkeypatch.setattr("cardroom.pages.matches.match.find_match", reads.append)
    for part in ("preview.png", "moves/3/picture.png", "deals/1/animation.webp"):
        assert client.get(f"/matches/{match.pk}/{part}").status_code == 429
    assert reads == []


def test_tournaments_bots_and_games_have_pictures(client: Client, match: Any) -> None:
    bot = match.seats.first().version.bot
    for address in (
        "/preview.png",
        "/games/cassino/preview.png",
        f"/bots/{bot.slug}/preview.png",
        f"/tournaments/{match.tournament.slug}/preview.png",
    ):
        assert size(client.get(address)) == (1200, 630)


def test_the_board_opens_near_the_end_and_names_its_format(client: Client, match: Any) -> None:
    board = client.get(f"/embed/matches/{match.pk}/")
    assert board.context["setup"]["move"] == match.moves_played - 4
    assert 'class="quiet">Cassino for two</span>' in board.content.decode()
    response = client.get(f"/embed/matches/{match.pk}/?move=3")
    assert response.context["setup"]["move"] == 3
