"""Texts of organizers: safe Markdown, public announcements."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st

from cardroom.display.markdown import html_of
from cardroom_base.core.errors import ActionError
from cardroom_base.db.db_time import now
from tests import factories as make
from tournaments import actions
from tournaments.actions import announcements


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("A *new* day\nand **night**", "<p>A <em>new</em> day<br>\nand <strong>night</strong></p>"),
        ("# Prizes", "<h3>Prizes</h3>"),
        ("<b onclick=alert(1)>x</b>", "<p>&lt;b onclick=alert(1)&gt;x&lt;/b&gt;</p>"),
        (
            '[rules](https://example.org/?a=1&b=2 "t")',
            '<p><a href="https://example.org/?a=1&amp;b=2" '
            'title="t" rel="nofollow ugc noopener noreferrer">rules</a></p>',
        ),
        ("[x](javascript:alert(1))", "<p>[x](javascript:alert(1))</p>"),
        ("[x](data:text/html,hi)", "<p>[x](data:text/html,hi)</p>"),
    ],
)
def test_markdown_becomes_safe_html(text: str, html: str) -> None:
    assert html_of(text).strip() == html


def test_a_small_table_is_drawn() -> None:
    assert html_of("| a | b |\n|---|---|\n| 1 | 2 |").count("<td>") == 2


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n"])
@pytest.mark.parametrize("start", ["", "> "])
def test_a_short_text_makes_no_huge_table(start: str, end: str) -> None:
    lines = ["|" * 101, "|" + "-|" * 100, *["|"] * 500]
    html = html_of(end.join(start + line for line in lines))
    assert "<td>" not in html
    assert "|" * 101 in html


def test_a_short_text_makes_no_long_page() -> None:
    text = f"[a]: https://a.example/{'x' * 900}\n\n" + "[a]" * 350
    html = html_of(text)
    assert len(html) < 3_000
    assert "[a][a]" in html


def test_pictures_are_links() -> None:
    assert "<img" not in html_of("![a cat](https://example.org/cat.png)")


@given(st.text("<>&\"'=/:#*_`[]()!|-\n abjsx", max_size=60))
def test_no_text_creates_foreign_elements(text: str) -> None:
    html = html_of(f"{text}<script>alert(1)</script><img src=x onerror=y>")
    assert "<script" not in html
    assert "<img" not in html


@pytest.mark.django_db
def test_everybody_reads_an_announcement(client: Client) -> None:
    organizer = make.user()
    cup = make.tournament(2, by=organizer, start=True, description="A [link](https://a.example).")
    posted = actions.post_announcement(cup, organizer, "Pizza at *eight*.")
    page = client.get(f"/tournaments/{cup.slug}/").content.decode()
    assert "Pizza at <em>eight</em>." in page
    assert 'rel="nofollow' in page
    assert "New announcement" not in page
    feed = client.get(f"/tournaments/{cup.slug}/feed/").content.decode()
    assert "&lt;em&gt;eight&lt;/em&gt;" in feed
    assert f"/tournaments/{cup.slug}/#announcement-{posted.pk}" in feed
    edited = actions.change_announcement(posted, organizer, "Pizza at nine.")
    assert edited.changed
    assert edited.at == posted.at
    client.force_login(organizer)
    page = client.get(f"/tournaments/{cup.slug}/").content.decode()
    assert "Pizza at nine." in page
    assert "New announcement" in page
    actions.delete_announcement(posted, organizer)
    assert not cup.announcements.exists()


@pytest.mark.django_db
def test_a_repeated_request_posts_no_second_announcement(client: Client) -> None:
    organizer, helper, owner = make.user(), make.user(), make.user()
    cup = make.tournament([make.bot(owner)], by=organizer)
    actions.change_organizers(cup, organizer, [helper.username])
    client.force_login(organizer)
    for _ in range(2):  # as a double click does
        client.post(f"/tournaments/{cup.slug}/announce/", {"text": "Pizza at eight.\n"})
    posted = cup.announcements.get()
    assert owner.notifications.filter(kind="announced").count() == 1
    assert actions.post_announcement(cup, organizer, "Pizza at eight.") == posted
    assert actions.post_announcement(cup, helper, "Pizza at eight.") != posted
    assert actions.post_announcement(cup, organizer, "Pizza at nine.") != posted
    again = actions.post_announcement(cup, organizer, "Pizza at eight.")
    cup.announcements.update(at=now() - timedelta(hours=1))
    assert actions.post_announcement(cup, organizer, "Pizza at eight.") != again
    assert cup.announcements.count() == 5


@pytest.mark.django_db
def test_refused_announcements(monkeypatch: pytest.MonkeyPatch) -> None:
    organizer = make.user()
    draft = actions.create_tournament(organizer, name="Draft Cup", format=make.FORMAT)
    with pytest.raises(ActionError, match="nobody sees a draft"):
        actions.post_announcement(draft, organizer, "Hello")
    cup = make.tournament(by=organizer)
    for text in ("", " \n", "x" * 2001, "a\x07"):
        with pytest.raises(ActionError) as error:
            actions.post_announcement(cup, organizer, text)
        assert error.value.field == "text"
    with pytest.raises(ActionError, match="Only the organizer"):
        actions.post_announcement(cup, make.user(), "Hello")
    monkeypatch.setattr(announcements, "MAX_ANNOUNCEMENTS", 1)
    posted = actions.post_announcement(cup, organizer, "Hello")
    with pytest.raises(ActionError, match="delete old ones"):
        actions.post_announcement(cup, organizer, "Again")
    with pytest.raises(ActionError, match="Only the organizer"):
        actions.change_announcement(posted, make.user(), "Bye")
    with pytest.raises(ActionError, match="Only the organizer"):
        actions.delete_announcement(posted, make.user())
