"""Signing up and logging in, also by a provider; tokens, passwords, second factors; accounts for a
class; export and deletion of an account."""

from __future__ import annotations

import json
import re
import zipfile
from io import BytesIO, StringIO
from pathlib import Path
from time import time
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
import requests
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value
from allauth.socialaccount.models import SocialAccount
from axes.models import AccessAttempt, AccessLog
from django.contrib.auth.models import User
from django.core import mail
from django.core.cache import cache
from django.core.management import CommandError, call_command
from django.test import Client

from bots.actions import queue_version
from bots.package.package import Package
from cardroom import personal_data
from cardroom.actions import accounts
from cardroom.actions.accounts import password_link
from cardroom.actions.tokens import find_token, make_token
from cardroom.models import Token
from cardroom.throttles import AnonThrottle
from cardroom_base.core.errors import ActionError
from cardroom_base.models import IdempotentRequest
from cardroom_tables.models import Table
from tests import factories
from tests.pages.test_pages import read
from tests.play.hall import account, finished_table, new_table
from tournaments import actions
from tournaments.models import Admission

pytestmark = pytest.mark.django_db
SIGN_UP = {"username": "wren", "password1": "mossy-nest-3", "password2": "mossy-nest-3"}


def test_sign_up_logs_in_and_leads_to_the_upload(client: Client) -> None:
    response = client.post("/signup/", SIGN_UP)
    assert response["Location"] == "/upload/"
    assert client.get("/account/").status_code == 200
    assert User.objects.get().username == "wren"


def test_sign_up_continues_at_its_next_address(client: Client) -> None:
    page = client.get("/signup/?next=/tournaments/new/").content.decode()
    assert 'name="next" value="/tournaments/new/"' in page
    response = client.post("/signup/", SIGN_UP | {"next": "/tournaments/new/"})
    assert response["Location"] == "/tournaments/new/"


def test_sign_up_never_redirects_to_other_sites(client: Client) -> None:
    assert client.post("/signup/", SIGN_UP | {"next": "//evil.example"})["Location"] == "/upload/"


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"username": "a b"}, "A user name may contain only letters, digits"),
        ({"username": "taken"}, "Somebody already has this name"),
        ({"password2": "other"}, "match"),
        ({"password1": "short", "password2": "short"}, "too short"),
        ({"username": ""}, "required"),
    ],
)
def test_a_refused_form_shows_the_error_and_the_name(
    client: Client, changes: dict[str, str], error: str
) -> None:
    factories.user("taken")
    response = client.post("/signup/", SIGN_UP | changes)
    assert response.status_code == 200
    page = response.content.decode()
    read(page)
    assert error in page
    assert User.objects.count() == 1


def test_log_in_and_out(client: Client) -> None:
    factories.user("wren")
    refused = client.post("/login/", {"login": "wren", "password": "no"})
    assert b"No account has this user name and password" in refused.content
    accepted = client.post("/login/", {"login": "wren", "password": "secret", "next": "/account/"})
    assert accepted["Location"] == "/account/"
    assert client.get("/login/")["Location"] == "/"
    assert client.post("/logout/")["Location"] == "/"
    assert client.get("/account/").status_code == 302


def test_a_token_is_shown_once_listed_and_revoked(client: Client) -> None:
    user = factories.user("wren")
    client.force_login(user)
    assert b"You have none yet" in client.get("/account/").content
    data = {"name": "build server", "scope": ["read", "upload"], "days": "30"}
    page = client.post("/account/tokens/", data).content.decode()
    read(page)
    (secret,) = set(re.findall(r"crd_[A-Za-z0-9_-]{43}", page))
    token = find_token(secret)
    assert token is not None
    assert (token.user, token.scopes) == (user, ["read", "upload"])
    page = client.get("/account/").content.decode()
    read(page)
    assert "build server" in page
    assert token.hint in page
    assert secret not in page
    client.force_login(factories.user("thief"))
    client.post(f"/account/tokens/{token.pk}/revoke/")
    assert find_token(secret)
    client.force_login(user)
    client.post(f"/account/tokens/{token.pk}/revoke/")
    assert find_token(secret) is None


def test_a_refused_token_shows_the_error(client: Client) -> None:
    client.force_login(factories.user("wren"))
    page = client.post("/account/tokens/", {"name": "x\u202ey", "scope": "read", "days": "7"})
    assert "U+202E" in page.content.decode()
    page = client.post("/account/tokens/", {"name": "x", "days": "7"})
    assert "select at least one box" in page.content.decode()
    assert client.post("/account/tokens/", {"scope": "all", "days": "9"}).status_code == 200
    assert Token.objects.count() == 0


def test_a_changed_password_ends_other_sessions_and_asks_about_tokens(client: Client) -> None:
    user = factories.user("wren")
    other = Client()
    for browser in (client, other):
        browser.post("/login/", {"login": "wren", "password": "secret"})
    _, token = make_token(user, "x", ["read"], 7)
    data = {"oldpassword": "secret", "password1": "mossy-nest-3", "password2": "mossy-nest-3"}
    response = client.post("/password/change/", data | {"oldpassword": "guess"})
    assert b"That is not your password" in response.content
    read(response.content.decode())
    assert client.post("/password/change/", data)["Location"] == "/account/"
    assert client.get("/account/").status_code == 200
    assert other.get("/account/").status_code == 302
    assert find_token(token)
    data = dict.fromkeys(data, "mossy-nest-4") | {"oldpassword": "mossy-nest-3"}
    client.post("/password/change/", data | {"revoke": "on"})
    assert find_token(token) is None


def test_the_old_password_cannot_be_guessed(client: Client) -> None:
    client.force_login(factories.user("wren"))
    responses = [
        client.post("/password/change/", {"oldpassword": f"guess {n}"}).status_code
        for n in range(6)
    ]
    assert responses == [200] * 4 + [429] * 2


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("t\u0430ken", "U+0430 CYRILLIC SMALL LETTER A"),
        ("TAKEN", "looks like it"),
        ("taken\u200b", "only letters"),
        ("admin", "be mistaken for the site"),
        ("st4rling", None),
        ("5taff", "be mistaken for the site"),
        ("North", "A seat at every table"),
        ("\uff41dmin", "be mistaken for the site"),
        ("r00t", "be mistaken for the site"),
    ],
)
def test_confusable_names_are_refused(client: Client, name: str, error: str | None) -> None:
    factories.user("taken")
    page = client.post("/signup/", SIGN_UP | {"username": name})
    if error is None:
        assert page.status_code == 302
    else:
        assert error in page.content.decode()
        assert User.objects.count() == 1


def test_the_second_of_two_simultaneous_sign_ups_sees_an_error(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other request took the name after the form was checked."""
    factories.user("wren")
    monkeypatch.setattr(accounts, "checked_username", lambda name: name)
    page = client.post("/signup/", SIGN_UP, follow=True)
    assert b"Somebody already has this name" in page.content
    assert User.objects.count() == 1


def test_sign_ups_are_counted_by_address(client: Client) -> None:
    statuses = [client.post("/signup/", {}).status_code for _ in range(21)]
    assert statuses == [200] * 20 + [429]
    response = client.post("/signup/", SIGN_UP, headers={"X-Forwarded-For": "192.0.2.9"})
    assert response.status_code == 429
    assert 0 < int(response["Retry-After"]) <= 3600
    read(response.content.decode())
    assert client.post("/signup/", SIGN_UP, REMOTE_ADDR="192.0.2.9").status_code == 302


# --- forgotten passwords --------------------------------------------------------------------------

NEW_PASSWORD = {"password1": "mossy-nest-5", "password2": "mossy-nest-5"}


def follow(client: Client, link: str) -> str:
    """Open a link to set a password; return the address of its form."""
    return client.get(link)["Location"]


def test_a_link_sets_the_password_once_and_logs_in(client: Client) -> None:
    user = factories.user("wren")
    link = password_link(user, None)
    form = follow(client, link)
    key = link.rstrip("/").rpartition("-")[2]
    assert key not in form
    read(client.get(form).content.decode())
    client.post(form, NEW_PASSWORD)
    assert client.get("/account/").status_code == 200
    user.refresh_from_db()
    assert user.check_password(NEW_PASSWORD["password1"])
    assert b"This link is not valid" in Client().get(link).content


def test_a_link_is_invalid_after_a_log_in_and_after_its_days(client: Client, settings: Any) -> None:
    user = factories.user("wren")
    link = password_link(user, None)
    client.post("/login/", {"login": "wren", "password": "secret"})
    assert b"This link is not valid" in Client().get(link).content
    user.refresh_from_db()
    link = password_link(user, None)
    settings.PASSWORD_RESET_TIMEOUT = -1
    assert b"This link is not valid" in Client().get(link).content


def test_no_log_has_the_secret_of_a_link(client: Client, caplog: Any) -> None:
    link = password_link(factories.user("wren"), None)
    client.get(link)
    assert '"GET /password/reset/key/***/" 302' in caplog.text
    assert link.split("-", 1)[1].rstrip("/") not in caplog.text


def test_staff_make_links_but_not_for_staff(client: Client) -> None:
    staff, boss, wren = factories.user(staff=True), factories.user(staff=True), factories.user()
    User.objects.filter(pk=boss.pk).update(is_superuser=True)
    boss.refresh_from_db()
    assert password_link(wren, staff)
    for user, by in ((staff, staff), (boss, staff), (wren, wren)):
        with pytest.raises(ActionError):
            password_link(user, by)
    client.force_login(boss)
    data = {"action": "password_links", "_selected_action": [staff.pk, wren.pk]}
    page = client.post("/admin/auth/user/", data).content.decode()
    read(page)
    (link,) = re.findall(rf"^{wren.username},(\S+)$", page, re.MULTILINE)
    assert Client().get(link).status_code == 302


def test_a_command_prints_a_link(client: Client) -> None:
    factories.user("wren")
    output = StringIO()
    call_command("password_link", "wren", "--site=https://cards.example.org/", stdout=output)
    site, prefix, rest = output.getvalue().partition("/password/")
    assert site == "https://cards.example.org"
    assert client.get(prefix + rest.strip()).status_code == 302
    with pytest.raises(CommandError, match="There is no account jay"):
        call_command("password_link", "jay")


def test_without_a_mail_server_no_page_offers_mail(client: Client) -> None:
    factories.user("wren")
    page = client.get("/password/reset/").content.decode()
    read(page)
    assert "sends no mail" in page
    assert "<form" not in page.partition("<main")[2]
    client.post("/password/reset/", {"email": "wren@example.org"})
    assert "mail" not in client.get("/signup/").content.decode().partition("<main")[2]
    client.force_login(User.objects.get())
    assert b"sends no mail" in client.post("/email/", ADDRESS).content
    assert mail.outbox == []


ADDRESS = {"action_add": "", "email": "wren@example.net"}


@pytest.fixture
def mails(settings: Any) -> None:
    """A mail server."""
    settings.MAIL = True
    settings.ACCOUNT_EMAIL_VERIFICATION = "optional"


def test_a_forgotten_password_is_reset_by_mail(client: Client, mails: None) -> None:
    factories.user("wren")
    for address in ("wren@example.org", "stranger@example.org"):
        assert client.post("/password/reset/", {"email": address})["Location"] == (
            "/password/reset/done/"
        )
    (mail_sent,) = mail.outbox
    assert mail_sent.to == ["wren@example.org"]
    (link,) = re.findall(r"http://testserver(/\S+)", str(mail_sent.body))
    client.post(follow(client, link), NEW_PASSWORD)
    assert client.get("/account/").status_code == 200


def test_a_sign_up_may_give_an_address(client: Client, mails: None) -> None:
    assert client.post("/signup/", SIGN_UP | {"email": "Wren@Example.org"}).status_code == 302
    assert client.get("/account/").status_code == 200
    (mail_sent,) = mail.outbox
    assert (mail_sent.to, mail_sent.subject) == (
        ["wren@example.org"],
        "[Cardroom] Confirm your e-mail address",
    )


def test_a_sign_up_does_not_tell_which_addresses_are_known(client: Client, mails: None) -> None:
    jay = factories.user("jay")
    EmailAddress.objects.create(user=jay, email=jay.email, verified=True, primary=True)
    page = client.post("/signup/", SIGN_UP | {"email": jay.email})
    assert page["Location"] == Client().post("/signup/", SIGN_UP | {"username": "rook"})["Location"]
    mail.outbox.clear()
    Client().post("/password/reset/", {"email": jay.email})
    (mail_sent,) = mail.outbox
    assert "account jay" in mail_sent.body


def test_an_address_is_confirmed_by_mail(client: Client, mails: None) -> None:
    user = factories.user("wren")
    client.force_login(user)
    client.post("/email/", ADDRESS)
    page = client.get("/email/").content.decode()
    read(page)
    assert "Unverified" in page
    (link,) = re.findall(r"http://testserver(/\S+)", str(mail.outbox[0].body))
    read(client.get(link).content.decode())
    assert client.post(link)["Location"] == "/account/"
    assert user.emailaddress_set.get(email=ADDRESS["email"]).verified  # type: ignore[attr-defined]  # allauth brings no types


def test_a_mail_that_cannot_be_sent_breaks_no_page(
    client: Client, mails: None, settings: Any
) -> None:
    factories.user("wren")
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 1
    page = client.post("/password/reset/", {"email": "wren@example.org"}, follow=True)
    assert "could not be sent" in page.content.decode()
    assert "on its way" not in page.content.decode()
    client.force_login(factories.user("jay"))
    page = client.post("/email/", ADDRESS, follow=True)
    assert "could not be sent" in page.content.decode()
    assert "email sent" not in page.content.decode()


# --- permission to sign up ------------------------------------------------------------------------


def test_a_site_may_require_a_code(client: Client, settings: Any) -> None:
    settings.SIGNUP, settings.SIGNUP_CODE = "code", "cards-2026"
    read(client.get("/signup/").content.decode())
    for code, words in (("", b"required"), ("cards-2025", b"That is not the code")):
        assert words in client.post("/signup/", SIGN_UP | {"code": code}).content
    assert client.post("/signup/", SIGN_UP | {"code": " cards-2026 "}).status_code == 302


def test_a_closed_site_offers_no_sign_up(client: Client, settings: Any) -> None:
    settings.SIGNUP = "closed"
    for page in (client.get("/login/"), client.get("/signup/"), client.post("/signup/", SIGN_UP)):
        read(page.content.decode())
        assert b'href="/signup/' not in page.content
    assert not User.objects.exists()


# --- accounts for a class -------------------------------------------------------------------------

CLASS = "wren\n\njay, Jay@example.net\nrook\n"


def test_staff_make_accounts_for_a_class(client: Client) -> None:
    client.force_login(factories.user(staff=True))
    read(client.get("/account/invite/").content.decode())
    page = client.post("/account/invite/", {"rows": CLASS}).content.decode()
    read(page)
    links = re.findall(r"^(\w+),http://testserver(/\S+)$", page, re.MULTILINE)
    assert [name for name, _ in links] == ["wren", "jay", "rook"]
    assert User.objects.get(username="jay").email == "jay@example.net"
    student = Client()
    student.post(follow(student, links[0][1]), NEW_PASSWORD)
    assert b"wren" in student.get("/account/").content


def test_a_wrong_line_makes_no_account(client: Client) -> None:
    factories.user("taken")
    client.force_login(factories.user(staff=True))
    rows = "wren\ntaken\nada lovelace\njay,jay\nrook,taken@example.org\nWren"
    page = client.post("/account/invite/", {"rows": rows}).content.decode()
    read(page)
    for number, words in (
        (2, "taken: Somebody already has this name"),
        (3, "ada lovelace: A user name may contain only letters"),
        (4, "jay: Enter a valid email"),
        (5, "rook: Another account has this e-mail"),
        (6, "Wren: Somebody already has this name"),
    ):
        assert f"Line {number}, {words}" in page
    assert User.objects.count() == 2


def test_staff_make_a_link_for_one_account(client: Client) -> None:
    user = factories.user("wren")
    client.force_login(factories.user(staff=True))
    assert b"There is no such account" in client.post("/account/invite/", {"user": "x"}).content
    page = client.post("/account/invite/", {"user": "wren"}).content.decode()
    assert "/password/reset/key/" in page
    client.force_login(user)
    assert client.post("/account/invite/", {"rows": "jay"}).status_code == 403


def test_a_command_makes_accounts_for_a_class(tmp_path: Path) -> None:
    table = tmp_path / "class.csv"
    table.write_text(CLASS, "utf-8-sig")
    output = StringIO()
    call_command("invite_accounts", str(table), "--site=https://cards.example.org", stdout=output)
    head, *lines = output.getvalue().splitlines()
    assert head == "name,link"
    assert lines[1].startswith("jay,https://cards.example.org/password/reset/key/")
    with pytest.raises(CommandError, match="Line 1, wren: Somebody already has this name"):
        call_command("invite_accounts", str(table))


def test_an_unreadable_file_of_accounts_is_refused(tmp_path: Path) -> None:
    table = tmp_path / "class.csv"
    table.write_text("x" * 200_000)
    with pytest.raises(CommandError, match="This is not a table of names"):
        call_command("invite_accounts", str(table))


# --- a lecture hall behind one address ------------------------------------------------------------

HALL_ADDRESS = "198.51.100.7"


@pytest.fixture
def hall(settings: Any) -> Client:
    """A browser in a trusted network."""
    settings.TRUSTED_NETWORKS = ["198.51.100.0/28"]
    return Client(REMOTE_ADDR=HALL_ADDRESS)


def test_a_class_signs_up_from_one_address(hall: Client) -> None:
    for number in range(25):
        names = SIGN_UP | {"username": f"student{number}"}
        assert Client(REMOTE_ADDR=HALL_ADDRESS).post("/signup/", names).status_code == 302


def test_wrong_passwords_of_a_class_lock_nobody_else_out(hall: Client) -> None:
    factories.user("wren")
    AccessAttempt.objects.create(
        username="jay", ip_address=HALL_ADDRESS, user_agent="", failures_since_start=50
    )
    assert hall.post("/login/", {"login": "wren", "password": "secret"}).status_code == 302
    for _ in range(5):
        page = Client(REMOTE_ADDR=HALL_ADDRESS).post(
            "/login/", {"login": "wren", "password": "guess"}
        )
    assert page.status_code == 429


def test_guests_of_a_class_do_not_share_a_limit(hall: Client, settings: Any) -> None:
    settings.MAX_TABLES_PER_ADDRESS = 1
    form = {"format": factories.FORMAT}
    factories.house_bot("house:random")
    factories.worker()
    for client in (hall, Client(REMOTE_ADDR=HALL_ADDRESS)):
        assert client.post("/play/", form)["Location"].startswith("/play/")
    for browser, is_refused in ((Client(), False), (Client(), True)):
        page = browser.post("/play/", form, follow=True).content.decode()
        assert ("reached the limit" in page) == is_refused


def test_anonymous_requests_of_a_class_are_not_counted(
    hall: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(AnonThrottle, "rate", "2/min", raising=False)
    statuses = [hall.get("/api/v1/bots/").status_code for _ in range(4)]
    assert statuses == [200] * 4
    untrusted_statuses = [Client().get("/api/v1/bots/").status_code for _ in range(4)]
    assert untrusted_statuses == [200, 200, 429, 429]


# --- exporting data and deleting the account ------------------------------------------------------


def files_of(response: Any) -> dict[str, Any]:
    """The files of an export; JSON files as data."""
    with zipfile.ZipFile(BytesIO(b"".join(response.streaming_content))) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    return {
        name: json.loads(content) if name.endswith(".json") else content
        for name, content in files.items()
    }


def test_an_export_has_all_data_and_no_secret(client: Client) -> None:
    user = factories.user("wren")
    bot = factories.bot(user, "Magpie")
    other = factories.bot(name="Jay")
    cup = factories.tournament([bot, other], by=user, start=True)
    factories.finish_all(cup)
    actions.start_challenge(bot.versions.get(), other.versions.get(), user, groups=1)
    _, secret = make_token(user, "laptop", ["read"], 7)
    table = finished_table(account(user))
    hidden = factories.tournament(2)
    Admission.objects.create(tournament=hidden, user=user, by="code")
    client.force_login(user)
    response = client.get("/account/export/")
    assert response["Content-Type"] == "application/zip"
    files = files_of(response)
    assert files["account.json"][0]["email"] == "wren@example.org"
    assert files["tokens.json"][0]["name"] == "laptop"
    assert files["bots.json"][0]["slug"] == "magpie"
    digest = files["versions.json"][0]["package"]
    assert Package.restore(files[f"packages/{digest}.zip"], digest).files["bot.py"]
    assert [name for name in files if name.startswith("packages/")] == [f"packages/{digest}.zip"]
    assert cup.slug in {row["tournament_slug"] for row in files["entries.json"]}
    assert files["tournaments.json"][0]["slug"] == cup.slug
    assert files["challenges.json"][0]["opponent_bot_slug"] == "jay"
    assert files["tables.json"][0]["key"] == table.key
    assert len(files["tables.json"][0]["moves"]) == table.moves
    assert files["activations.json"][0]["version_number"] == 1
    assert files["admissions.json"][0]["tournament_slug"] == hidden.slug
    assert secret not in str(files)
    assert user.password not in str(files)


def test_an_export_has_no_moves_of_a_table_that_people_may_return_to(client: Client) -> None:
    user = factories.user("wren")
    table = finished_table(account(user))
    Table.objects.filter(pk=table.pk).update(state=Table.State.ABANDONED)
    client.force_login(user)
    assert files_of(client.get("/account/export/"))["tables.json"][0]["moves"] is None


def test_packages_in_an_export_are_bounded(monkeypatch: pytest.MonkeyPatch, client: Client) -> None:
    user = factories.user()
    bot = factories.bot(user)
    newest = factories.version(bot).package
    monkeypatch.setattr(personal_data, "MAX_PACKAGES", newest.unpacked_size)
    client.force_login(user)
    files = files_of(client.get("/account/export/"))
    assert [name for name in files if "packages/" in name] == [f"packages/{newest.digest}.zip"]


def test_exports_are_counted(client: Client) -> None:
    client.force_login(factories.user())
    statuses = [client.get("/account/export/").status_code for _ in range(7)]
    assert statuses == [200] * 6 + [429]


def test_deleting_an_account_needs_the_password(client: Client) -> None:
    user = factories.user("wren")
    client.force_login(user)
    read(client.get("/account/delete/").content.decode())
    assert b"That is not your password" in client.post(DELETE, {"password": "guess"}).content
    user.set_unusable_password()
    user.save()
    client.force_login(user)
    assert b"That is not your user name" in client.post(DELETE, {"name": "jay"}).content
    assert client.post(DELETE, {"name": "wren"})["Location"] == "/"
    staff = factories.user(staff=True)
    client.force_login(staff)
    assert b"Staff accounts" in client.post(DELETE, {"password": "secret"}).content
    staff.refresh_from_db()
    assert staff.is_active


DELETE = "/account/delete/"


def test_deleting_an_account_keeps_only_results(client: Client) -> None:
    user = factories.user("wren")
    bot, other = factories.bot(user, "Magpie"), factories.bot(name="Jay")
    finished_cup = factories.finish_all(factories.tournament([bot, other], by=user, start=True))
    cup = factories.tournament([bot, other])
    ladder = [{"system": "ladder", "groups": 1, "settings": {"ahead": 3, "first": 1}}]
    ladder_cup = factories.tournament([bot, other], stages=ladder, start=True)
    running = factories.tournament([bot, other], start=True)
    draft = actions.create_tournament(user, name="Draft Cup", format=factories.FORMAT)
    waiting = queue_version(bot, factories.package("waits"), "")
    first, second = bot.versions.get(number=1), factories.version(bot)
    trial = actions.start_trial(second, user, format_text=factories.FORMAT)
    challenge = actions.start_challenge(first, other.versions.get(), user, groups=1)
    _, secret = make_token(user, "laptop", ["read"], 7)
    IdempotentRequest.objects.create(user=user, key="k", digest="0", body={"owner": "wren"})
    table, old_table = new_table(person=account(user)), finished_table(account(user))
    client.post("/login/", {"login": "wren", "password": "secret"})
    client.post("/login/", {"login": "wren", "password": "guess"})

    page = client.post(DELETE, {"password": "secret"}, follow=True)
    assert b"Your account has been deleted" in page.content

    user.refresh_from_db()
    assert (user.username, user.email) == (f"a former author {user.pk}", "")
    assert not user.is_active
    assert find_token(secret) is None
    assert client.get("/account/").status_code == 302
    assert not AccessAttempt.objects.exists()
    assert not AccessLog.objects.exists()
    bot.refresh_from_db()
    waiting.refresh_from_db()
    assert bot.active_version is None
    assert waiting.status == "rejected"
    assert not cup.entries.filter(bot=bot).exists()
    assert ladder_cup.entries.get(bot=bot).withdrawn
    assert running.entries.get(bot=bot).withdrawn is None
    for object_, state in (
        (trial, "abandoned"),
        (draft, "cancelled"),
        (challenge.tournament, "cancelled"),
    ):
        object_.refresh_from_db()
        assert object_.state == state
    table.refresh_from_db()
    assert table.state == "abandoned"
    assert {seat.handle for seat in old_table.seats.filter(kind="person")} == {"a former author"}
    dump = StringIO()
    call_command("dumpdata", stdout=dump)
    assert "wren" not in dump.getvalue().casefold()

    for address in (
        *(
            "/bots/magpie/",
            "/bots/",
            f"/tournaments/{finished_cup.slug}/",
            f"/tournaments/{cup.slug}/",
        ),
        *(
            f"/tournaments/{ladder_cup.slug}/conditions/",
            f"/matches/{finished_cup.matches.earliest('pk').pk}/",
        ),
        *("/ratings/", "/search/?q=magpie", f"/play/{old_table.key}/replay/", "/feed/", "/status/"),
        *("/api/v1/bots/", "/api/v1/bots/magpie/", f"/api/v1/tournaments/{finished_cup.slug}/"),
        *(f"/api/v1/tournaments/{ladder_cup.slug}/decisions/", "/api/v1/search/?q=magpie"),
        f"/api/v1/tournaments/{finished_cup.slug}/export/?type=archive",
    ):
        assert client.get(address).status_code == 200, address
    assert b"a former author" in client.get("/bots/magpie/").content
    assert client.get("/api/v1/bots/magpie/").json()["owner"] == user.username
    for address in ("/authors/wren/", f"/authors/{user.username}/", "/api/v1/authors/wren/"):
        assert client.get(address).status_code == 404

    for name in ("wren", "WREN", "former.author"):
        assert client.post("/signup/", SIGN_UP | {"username": name}).status_code == 200, name


def test_staff_delete_accounts_only_by_a_command(client: Client) -> None:
    user, boss = factories.user("wren"), factories.user(staff=True)
    User.objects.filter(pk=boss.pk).update(is_superuser=True)
    client.force_login(boss)
    assert client.post(f"/admin/auth/user/{user.pk}/delete/", {"post": "yes"}).status_code == 403
    call_command("delete_account", "wren")
    user.refresh_from_db()
    assert not user.is_active
    with pytest.raises(CommandError, match="no account wren"):
        call_command("delete_account", "wren")


# --- second factors, sessions, a provider ---------------------------------------------------------


@pytest.fixture
def factor_secret(client: Client) -> str:
    """Add an authenticator app for `wren` in this browser; return its secret."""
    factories.user("wren")
    client.post("/login/", {"login": "wren", "password": "secret"})
    address = client.get("/account/factors/totp/activate/")["Location"]  # asks for the password
    page = client.post(address, {"password": "secret", "next": "/account/factors/totp/activate/"})
    page = client.get("/account/factors/totp/activate/")
    read(page.content.decode())
    secret: str = page.context["form"].secret
    client.post("/account/factors/totp/activate/", {"code": code_of(secret)})
    return secret


def code_of(secret: str) -> str:
    """The current code of an authenticator app."""
    return str(format_hotp_value(hotp_value(secret, int(time()) // 30)))


def test_a_second_factor_is_asked_for(client: Client, factor_secret: str) -> None:
    browser = Client()
    page = browser.post("/login/", {"login": "wren", "password": "secret", "next": "/upload/"})
    assert page["Location"] == "/account/factors/authenticate/"
    assert browser.get("/account/").status_code == 302
    read(browser.get(page["Location"]).content.decode())
    assert b"Incorrect code" in browser.post(page["Location"], {"code": "000000"}).content
    cache.clear()  # forgets that the code has been used
    assert (
        browser.post(page["Location"], {"code": code_of(factor_secret)})["Location"] == "/upload/"
    )


def test_codes_cannot_be_guessed(client: Client, factor_secret: str) -> None:
    browser = Client()
    address = browser.post("/login/", {"login": "wren", "password": "secret"})["Location"]
    for _ in range(10):
        browser.post(address, {"code": "000000"})
    assert browser.post(address, {"code": code_of(factor_secret)}).status_code == 200
    assert browser.get("/account/").status_code == 302


def test_a_second_factor_cannot_be_bypassed(client: Client, factor_secret: str) -> None:
    body = {"username": "wren", "password": "secret"}
    refused = Client().post("/api/v1/tokens/", body, content_type="application/json")
    assert refused.status_code == 403
    assert refused.json()["type"] == "urn:cardroom:problem:second-factor"
    browser, user = Client(), User.objects.get()
    form = follow(browser, password_link(user, None))
    assert browser.post(form, NEW_PASSWORD)["Location"] == "/account/factors/authenticate/"
    assert browser.get("/account/").status_code == 302


def test_recovery_codes_work_once_and_are_not_compressed(
    client: Client, factor_secret: str
) -> None:
    client.post("/account/factors/recovery-codes/generate/")
    page = client.get("/account/factors/recovery-codes/", headers={"accept-encoding": "gzip"})
    assert "Content-Encoding" not in page
    read(page.content.decode())
    (code, *_) = page.context["unused_codes"]
    for works in (True, False):
        browser = Client()
        address = browser.post("/login/", {"login": "wren", "password": "secret"})["Location"]
        browser.post(address, {"code": code})
        assert (browser.get("/account/").status_code == 200) == works


def test_staff_remove_a_lost_factor_without_seeing_its_secret(
    client: Client, factor_secret: str
) -> None:
    boss = factories.user(staff=True)
    User.objects.filter(pk=boss.pk).update(is_superuser=True)
    factor = Authenticator.objects.get(type="totp")
    browser = Client()
    browser.force_login(boss)
    address = f"/admin/mfa/authenticator/{factor.pk}/"
    assert factor.data["secret"] not in browser.get(f"{address}change/").content.decode()
    browser.post(f"{address}delete/", {"post": "yes"})
    assert Client().post("/login/", {"login": "wren", "password": "secret"})["Location"] == "/"


@pytest.mark.parametrize("address", ["/login/", "/account/factors/webauthn/add/"])
def test_passkeys_need_no_inline_script(client: Client, address: str) -> None:
    """The policy forbids inline scripts; blocks of JSON are not scripts."""
    if address != "/login/":
        factories.user("wren")
        client.post("/login/", {"login": "wren", "password": "secret"})
        client.post("/reauthenticate/", {"password": "secret"})
    page = client.get(address)
    scripts = re.findall(r"<script\b[^>]*>", page.content.decode())
    assert any("mfa/js/webauthn.js" in script for script in scripts)
    assert all(' src="' in script or 'type="application/json"' in script for script in scripts)
    assert not re.search(r'\son[a-z]+="', page.content.decode())
    assert "script-src 'self';" in page["Content-Security-Policy"]
    assert "publickey" not in page["Permissions-Policy"]


def test_sessions_are_listed_and_others_end(client: Client) -> None:
    factories.user("wren")
    other = Client(headers={"user-agent": "Other Browser"})
    for browser in (other, client):
        browser.post("/login/", {"login": "wren", "password": "secret"})
    page = client.get("/account/sessions/").content.decode()
    read(page)
    assert "Other Browser" in page
    client.post("/account/sessions/")
    assert client.get("/account/").status_code == 200
    assert other.get("/account/").status_code == 302


class Provider:
    """A provider of accounts; it replaces the library `requests`."""

    ISSUER = "https://id.example.org"

    def __init__(self, claims: dict[str, Any]) -> None:
        self.claims = claims

    def answer(self, url: str) -> requests.Response:
        body: dict[str, Any] = {
            f"{self.ISSUER}/.well-known/openid-configuration": {
                "issuer": self.ISSUER,
                "authorization_endpoint": f"{self.ISSUER}/authorize",
                "token_endpoint": f"{self.ISSUER}/token",
                "userinfo_endpoint": f"{self.ISSUER}/userinfo",
                "jwks_uri": f"{self.ISSUER}/keys",
            },
            f"{self.ISSUER}/token": {"access_token": "a token", "token_type": "Bearer"},
            f"{self.ISSUER}/userinfo": self.claims,
        }[url]
        response = requests.Response()
        response.status_code, response.url = 200, url
        response.headers["Content-Type"] = "application/json"
        response._content = json.dumps(body).encode()
        return response


@pytest.fixture
def provider(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Provider:
    """A provider with Ada's account."""
    provider = Provider({"sub": "4711", "preferred_username": "ada", "name": "Ada Lovelace"})
    settings.OIDC_URL, settings.OIDC_NAME = provider.ISSUER, "University"
    app = {"provider_id": "site", "name": "University", "client_id": "cards", "secret": "x"}
    app["settings"] = {"server_url": provider.ISSUER}  # type: ignore[assignment]  # JSON
    settings.SOCIALACCOUNT_PROVIDERS = {
        "openid_connect": {"OAUTH_PKCE_ENABLED": True, "APPS": [app]}
    }
    monkeypatch.setattr(requests.Session, "request", lambda _, __, url, **___: provider.answer(url))
    return provider


def log_in_by_provider(client: Client, process: str = "login") -> Any:
    """Log in by the provider; return the response to the browser's request after the redirect."""
    address = f"/oidc/site/login/?process={process}"
    page = client.get(address)
    read(page.content.decode())
    assert "form-action 'self' https:;" in page["Content-Security-Policy"]
    sent_to = urlsplit(client.post(address)["Location"])
    query = parse_qs(sent_to.query)
    assert f"{sent_to.scheme}://{sent_to.netloc}{sent_to.path}" == f"{Provider.ISSUER}/authorize"
    assert query["redirect_uri"] == ["http://testserver/oidc/site/login/callback/"]
    assert query["code_challenge_method"] == ["S256"]
    return client.get(f"/oidc/site/login/callback/?code=x&state={query['state'][0]}")


def test_people_sign_up_and_log_in_by_a_provider(
    client: Client, provider: Provider, settings: Any
) -> None:
    settings.SIGNUP = "provider"
    assert b"University" in client.get("/login/").content
    page = client.post("/signup/", SIGN_UP)
    read(page.content.decode())
    assert not User.objects.exists()
    assert log_in_by_provider(client)["Location"] == "/account/logins/signup/"
    page = client.get("/account/logins/signup/")
    read(page.content.decode())
    assert b'value="ada"' in page.content
    assert (
        b"be mistaken for the site"
        in client.post(page.request["PATH_INFO"], {"username": "admin"}).content
    )
    assert client.post("/account/logins/signup/", {"username": "ada"})["Location"] == "/upload/"
    user = User.objects.get()
    assert (user.username, user.last_name, user.has_usable_password()) == ("ada", "", False)
    browser = Client()
    assert log_in_by_provider(browser)["Location"] == "/"
    assert b"ada" in browser.get("/account/").content
    assert b"University" in browser.get("/account/").content
    browser.get("/account/delete/")
    assert browser.post(DELETE, {"name": "ada"})["Location"] == "/"
    assert not SocialAccount.objects.exists()


def test_a_closed_site_creates_no_account_from_a_provider(
    client: Client, provider: Provider, settings: Any
) -> None:
    settings.SIGNUP = "closed"
    page = log_in_by_provider(client)
    assert page.status_code == 200
    assert b"the staff create accounts" in page.content
    assert client.get("/account/logins/signup/").status_code == 302
    user = factories.user("wren")
    client.force_login(user)
    log_in_by_provider(client, "connect")
    read(client.get("/account/logins/").content.decode())
    browser = Client()
    assert log_in_by_provider(browser)["Location"] == "/"
    assert b"wren" in browser.get("/account/").content


def test_the_pages_of_a_provider_name_it(client: Client, provider: Provider, settings: Any) -> None:
    settings.OIDC_NAME = "the university account"
    settings.SOCIALACCOUNT_PROVIDERS["openid_connect"]["APPS"][0]["name"] = settings.OIDC_NAME
    page = client.get("/oidc/site/login/").content.decode()
    assert "<h1>Log in with the university account</h1>" in page
    log_in_by_provider(client)
    page = client.get("/account/logins/signup/").content.decode()
    assert "<h1>Sign up with the university account</h1>" in page
    page = client.get("/account/logins/login/cancelled/").content.decode()
    assert "You cancelled the log-in with the university account." in page
    read(page)


def test_the_only_way_to_log_in_cannot_be_removed(client: Client, provider: Provider) -> None:
    log_in_by_provider(client)
    client.post("/account/logins/signup/", {"username": "ada"})
    connection = SocialAccount.objects.get()
    page = client.post("/account/logins/", {"account": connection.pk}).content.decode()
    read(page)
    assert "Set a password first" in page
    client.post("/password/set/", SIGN_UP)
    client.post("/reauthenticate/", {"password": SIGN_UP["password1"]})
    client.post("/account/logins/", {"account": connection.pk})
    assert not SocialAccount.objects.exists()
    read(client.get("/account/logins/").content.decode())


def test_an_account_of_a_provider_adds_a_second_factor(client: Client, provider: Provider) -> None:
    """It has no password and no e-mail address that could confirm the first factor."""
    log_in_by_provider(client)
    client.post("/account/logins/signup/", {"username": "ada"})
    page = client.get("/account/factors/totp/activate/")
    assert page.status_code == 200
    secret = page.context["form"].secret
    client.post("/account/factors/totp/activate/", {"code": code_of(secret)})
    assert Authenticator.objects.filter(type="totp").exists()
    browser = Client()
    assert log_in_by_provider(browser)["Location"] == "/account/factors/authenticate/"
    # The factor must confirm its removal.
    assert browser.get("/account/").status_code == 302
    assert client.get("/account/factors/totp/deactivate/").status_code == 302


def test_the_cause_of_a_failed_log_in_by_a_provider_is_logged(
    client: Client, provider: Provider, monkeypatch: pytest.MonkeyPatch, caplog: Any
) -> None:
    def refuse(_: Any, __: str, url: str, **___: Any) -> requests.Response:
        response = provider.answer(url)
        if url.endswith("/token"):
            response.status_code, response._content = 401, b'{"error": "invalid_client"}'
        return response

    monkeypatch.setattr(requests.Session, "request", refuse)
    page = log_in_by_provider(client)
    assert page.status_code == 401
    read(page.content.decode())
    assert b"The log-in with University failed" in page.content
    assert "invalid_client" in caplog.text


def test_a_silent_provider_breaks_no_page(
    client: Client, provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    def time_out(*_: Any, **__: Any) -> None:
        raise requests.ConnectTimeout

    monkeypatch.setattr(requests.Session, "request", time_out)
    page = client.post("/oidc/site/login/")
    assert page.status_code == 503
    assert b"is not responding" in page.content


def test_a_providers_address_opens_no_other_account(client: Client, provider: Provider) -> None:
    factories.user("wren")
    provider.claims |= {"email": "wren@example.org", "email_verified": True}
    assert log_in_by_provider(client)["Location"] == "/account/logins/signup/"
    assert client.get("/account/").status_code == 302
