"""bots.actions: names, uploads, checks."""

from __future__ import annotations

from contextlib import ExitStack
from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings
from django.utils import timezone

from bots import actions
from bots.actions import uploading
from bots.models import Bot, BotVersion, Check, StoredPackage, WorkerNode
from cardroom_base.core.errors import ActionError
from cardroom_base.models import OutboxMessage
from tests import factories as make

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def sandbox(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "WORKERS_ELSEWHERE", True)


def upload(owner: Any, content: bytes = b"", **fields: Any) -> BotVersion:
    return actions.upload_version(owner, content or make.source(), "bot.py", **fields)


def test_an_upload_registers_a_bot_and_queues_its_check() -> None:
    owner = make.user()
    version = upload(owner, name="Magpie", description="Collects.", notes="First.")
    assert (version.bot.name, version.bot.slug, version.bot.owner) == ("Magpie", "magpie", owner)
    assert (version.number, version.status, version.notes) == (1, "queued", "First.")
    assert version.formats == ["*/*/*"]
    assert version.bot.active_version is None
    message = OutboxMessage.objects.get()
    assert (message.task, message.arguments) == (actions.CHECK_TASK, {"version": version.pk})


def test_the_same_files_are_refused_until_they_were_rejected() -> None:
    owner = make.user()
    first = upload(owner, name="Magpie")
    with pytest.raises(ActionError, match=r"Version 1 of Magpie has exactly these files") as error:
        upload(owner, bot=first.bot)
    assert error.value.code == "duplicate"
    check = actions.begin_check(first.pk, "w")
    assert check is not None
    actions.finish_check(check, "rejected", steps=[], summary="Slow.")
    assert upload(owner, bot=first.bot).number == 2
    assert StoredPackage.objects.count() == 1


def test_a_broken_upload_stores_nothing() -> None:
    owner = make.user()
    for content, name in ((b"PK\x03\x04broken", "bot.zip"), (b"def (", "bot.py"), (b"", "bot.py")):
        with pytest.raises(ActionError) as error:
            actions.upload_version(owner, content, name, name="Magpie")
        assert (error.value.code, error.value.field) == ("invalid", "package")
    assert not Bot.objects.exists()
    assert not StoredPackage.objects.exists()
    assert not OutboxMessage.objects.exists()


def test_few_uploads_are_read_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploading, "MAX_WAIT_S", 0.0)
    owner = make.user()
    with ExitStack() as stack:
        for _ in range(uploading.MAX_READING):
            stack.enter_context(uploading._reading)
        with pytest.raises(ActionError, match="is reading other uploads") as error:
            upload(owner, name="Magpie")
    assert error.value.code == "unavailable"
    assert upload(owner, name="Magpie")


def test_without_a_sandbox_uploads_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    from bots.sandbox import Isolation

    monkeypatch.setattr(settings, "WORKERS_ELSEWHERE", False)
    monkeypatch.setattr(uploading, "detect", lambda: Isolation("none", (), "No bubblewrap."))
    with pytest.raises(ActionError, match="No bubblewrap") as error:
        upload(make.user(), name="Magpie")
    assert error.value.code == "unavailable"
    assert not Bot.objects.exists()


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("", "1 to 48"),
        ("   ", "1 to 48"),
        ("a" * 49, "1 to 48"),
        ("bell\x07", r"U\+0007"),
        ("r\u0430ndom", r"U\+0430 CYRILLIC SMALL LETTER A; write a instead"),
        ("honest\u2010a", r"U\+2010 HYPHEN; write - instead"),
        ("\u3164", r"U\+3164 HANGUL FILLER, which cannot be seen"),
        ("\u2800", r"U\+2800 BRAILLE PATTERN BLANK"),
        ("a" + "\u0301" * 40, "too many marks"),
        ("house:random", "begins like house:"),
        ("h\u043euse:random", "mixes Cyrillic and Latin"),
        ("house\uff1arandom", "begins like house:"),
        ("h0use :random", "begins like house:"),
        ("Cardroom", "be mistaken for the site"),
        ("ADM1N", "be mistaken for the site"),
        ("House Expert 3", "be mistaken for the site"),
        ("Expert", "be mistaken for the site"),
        ("you", "be mistaken for the site"),
        ("IIIlll", "consists only of strokes"),
        ("South-west", "A seat at every table"),
    ],
)
def test_names_that_are_refused(name: str, words: str) -> None:
    with pytest.raises(ActionError, match=words) as error:
        actions.register_bot(make.user(), name)
    assert error.value.field == "name"
    bot = actions.register_bot(make.user(), "Magpie")
    with pytest.raises(ActionError, match=words):
        actions.rename(bot, name, bot.owner)


def test_the_site_itself_may_have_house_bots() -> None:
    assert actions.register_bot(None, "house:random").slug == "house-random"


@pytest.mark.parametrize("name", ["Magpie", "MAGPIE", "Magp1e", "Мagрie", "Ｍａｇｐｉｅ"])
def test_names_that_look_alike_are_one(name: str) -> None:
    bot = actions.register_bot(make.user(), "Magpie")
    with pytest.raises(ActionError):
        actions.register_bot(make.user(), name)
    other = actions.register_bot(make.user(), "Rook")
    with pytest.raises(ActionError):
        actions.rename(other, name, None)
    assert actions.rename(bot, "magpie", bot.owner).name == "magpie"


@pytest.mark.parametrize("text", ["a\x1b[31mb", "a\u202eb", "a\0b", "a\u2066b"])
def test_descriptions_are_only_text(text: str) -> None:
    bot = actions.register_bot(make.user(), "Magpie")
    with pytest.raises(ActionError, match=r"The description holds U\+"):
        actions.describe(bot, text, bot.owner)
    assert actions.describe(bot, "Zeile 1\nسطر ٢ 🂡", bot.owner).description


def test_names_differ_by_more_than_case() -> None:
    actions.register_bot(make.user(), "Magpie")
    with pytest.raises(ActionError, match="already a bot called magpie") as error:
        actions.register_bot(make.user(), "magpie")
    assert error.value.code == "conflict"


def test_slugs_are_unique_and_stay() -> None:
    owner = make.user()
    bots = [actions.register_bot(owner, name) for name in ("New", "new!", "凪", "渚")]
    assert [bot.slug for bot in bots] == ["new-2", "new-3", "bot", "bot-2"]
    renamed = actions.rename(bots[0], "Old", owner)
    assert (renamed.name, renamed.slug) == ("Old", "new-2")
    actions.rename(bots[0], "old", owner)


def test_only_the_owner_and_staff_change_a_bot() -> None:
    bot = make.bot()
    stranger = make.user()
    for change in (
        lambda by: actions.rename(bot, "Mine", by),
        lambda by: actions.describe(bot, "Mine", by),
        lambda by: actions.set_active_version(bot, 1, by),
        lambda by: actions.upload_version(by, make.source("x"), "bot.py", bot=bot),
    ):
        with pytest.raises(ActionError, match="is not yours") as error:
            change(stranger)
        assert error.value.code == "forbidden"
    assert actions.describe(bot, " Better. ", make.user(staff=True)).description == "Better."


def test_the_first_ready_version_becomes_active_and_the_owner_chooses_later() -> None:
    bot = make.bot()
    first = bot.active_version
    assert first is not None
    assert first.number == 1
    make.version(bot)
    rejected = make.version(bot, verdict="rejected")
    bot.refresh_from_db()
    assert bot.active_version == first
    assert actions.set_active_version(bot, 2, bot.owner).active_version.number == 2  # type: ignore[union-attr]  # it was set
    with pytest.raises(ActionError, match=r"Version 3 of .* is rejected"):
        actions.set_active_version(bot, rejected.number, bot.owner)
    with pytest.raises(ActionError, match="has no version 9"):
        actions.set_active_version(bot, 9, bot.owner)


def begin(version: BotVersion, worker: str = "w") -> Check:
    check = actions.begin_check(version.pk, worker)
    assert check is not None
    return check


def expire(check: Check) -> None:
    past = timezone.now() - timedelta(seconds=1)
    Check.objects.filter(pk=check.pk).update(lease_until=past)


def test_a_check_is_done_by_one_worker_at_a_time() -> None:
    version = upload(make.user())
    check = begin(version)
    assert actions.begin_check(version.pk, "other") is None
    assert actions.unfinished_checks() == []
    assert check.renew(steps=[{"name": "package"}])
    version.refresh_from_db()
    assert version.status == "checking"
    assert version.check_run.steps == [{"name": "package"}]


def test_a_worker_without_the_lease_cannot_finish_a_check() -> None:
    version = upload(make.user())
    old = begin(version, "slow")
    expire(old)
    assert actions.unfinished_checks() == [version.pk]
    new = begin(version, "quick")
    assert not old.renew()
    assert not old.renew(steps=[])
    assert not actions.finish_check(old, "rejected", steps=[], summary="Slow.")
    assert actions.finish_check(new, "ready", steps=[], summary="Fine.")
    assert not actions.finish_check(new, "rejected", steps=[], summary="Twice.")
    version.refresh_from_db()
    assert (version.status, version.check_run.summary) == ("ready", "Fine.")
    assert actions.begin_check(version.pk, "w") is None


def test_a_released_check_waits_for_another_worker() -> None:
    version = upload(make.user())
    assert actions.release_check(begin(version), "It broke.")
    version.refresh_from_db()
    assert version.status == "queued"
    assert actions.begin_check(version.pk, "other") is None  # it rests
    assert actions.unfinished_checks() == []
    make.end_retry_delays()
    assert actions.unfinished_checks() == [version.pk]
    assert begin(version, "other").tries == 2


def test_an_ill_machine_uses_up_no_tries_of_a_check() -> None:
    version = upload(make.user())
    OutboxMessage.objects.all().delete()
    for _ in range(2 * settings.MAX_ATTEMPTS):
        assert actions.release_check(begin(version), "No sandbox.", counted=False)
        assert actions.unfinished_checks() == [version.pk]
    assert OutboxMessage.objects.filter(task=actions.CHECK_TASK).exists()  # wakes other workers
    assert begin(version).tries == 1


def test_a_worker_that_failed_a_check_leaves_it_to_others() -> None:
    version = upload(make.user())
    make.worker("worker@one")
    make.worker("worker@two")
    assert actions.release_check(begin(version, "worker@one"), "It broke.")
    make.end_retry_delays()
    assert actions.begin_check(version.pk, "worker@one") is None
    actions.report_trouble("worker@two", "No sandbox.")
    assert actions.release_check(
        begin(version, "worker@one"), "It broke."
    )  # no other worker is well
    make.end_retry_delays()
    actions.report_recovery("worker@two")
    assert begin(version, "worker@two").tries == 3


def test_a_check_goes_to_a_worker_with_its_library(monkeypatch: pytest.MonkeyPatch) -> None:
    version = upload(make.user())
    BotVersion.objects.update(needs="numpy")
    make.worker("worker@with")
    WorkerNode.objects.update(runtimes={"numpy": "2"})
    make.worker("worker@without")
    assert begin(version, "worker@with").give_back()
    monkeypatch.setenv("CARDROOM_LIBRARIES", "")
    assert actions.begin_check(version.pk, "worker@without") is None
    WorkerNode.objects.update(runtimes={})
    assert begin(version, "worker@without")  # no worker has it, so the check can report that


def test_a_check_is_passed_on_if_others_are_well() -> None:
    version = upload(make.user())
    OutboxMessage.objects.all().delete()
    assert not actions.pass_on_check(version.pk)
    make.worker()
    assert actions.pass_on_check(version.pk)
    assert OutboxMessage.objects.get().arguments == {"version": version.pk}


def test_a_check_that_loses_five_workers_is_rejected_with_the_reason() -> None:
    version = upload(make.user())
    for _ in range(settings.MAX_ATTEMPTS):
        expire(begin(version))
    assert actions.begin_check(version.pk, "w") is None
    version.refresh_from_db()
    assert version.status == "rejected"
    assert "5 tries" in version.check_run.summary


def test_house_bots_are_installed_once() -> None:
    package = make.package("one")
    first = actions.install_house_bot(package, "house:one", "Plays.")
    assert actions.install_house_bot(package, "house:one", "Plays.") == first
    assert (first.bot.is_house, first.status, first.bot.active_version) == (True, "ready", first)
    second = actions.install_house_bot(make.package("two"), "house:one", "Plays better.")
    assert (second.number, second.bot.active_version) == (2, second)
    make.bot(name="Magpie")
    with pytest.raises(ActionError, match="already called Magpie"):
        actions.install_house_bot(package, "Magpie")


def test_a_candidate_is_announced_when_it_is_ready() -> None:
    bot = make.bot()
    first = upload(make.user(), name="Owl", candidate=True)
    later = upload(bot.owner, make.source("new"), bot=bot, candidate=True)
    plain = upload(bot.owner, make.source("newer"), bot=bot)
    for version in (first, later, plain):
        check = actions.begin_check(version.pk, "worker")
        assert check is not None
        assert actions.finish_check(check, "ready", steps=[], summary="")
    messages = OutboxMessage.objects.filter(task=actions.TRIAL_TASK)
    assert [message.arguments for message in messages] == [
        {"version": later.pk}
    ]  # the first is active


def test_rolling_back_goes_only_to_earlier_versions() -> None:
    bot = make.bot()
    versions = [bot.active_version, *(make.version(bot) for _ in range(2))]
    for number in (2, 3, 3):  # activating the active version again is no step
        actions.set_active_version(bot, number, bot.owner)
    assert [activation.version for activation in bot.activations.all()] == versions
    with pytest.raises(ActionError, match="not yours"):
        actions.roll_back(bot, make.user())
    assert actions.roll_back(bot, bot.owner).active_version == versions[1]
    assert actions.roll_back(bot, None).active_version == versions[0]
    assert actions.previous_version(Bot.objects.get(pk=bot.pk)) is None
    with pytest.raises(ActionError, match="no earlier active version"):
        actions.roll_back(bot, bot.owner)
    actions.set_active_version(bot, 3, bot.owner)
    assert actions.roll_back(bot, bot.owner).active_version == versions[1]


def test_a_bot_plays_the_games_that_its_author_chooses() -> None:
    owner = make.user()
    version = upload(owner, name="Magpie", games=["paks", "cassino"])
    assert version.formats == ["paks/*/*", "cassino/*/*"]
    with pytest.raises(ActionError, match="There is no game chess"):
        upload(owner, name="Jay", games=["chess"])
    canasta = make.zip_archive(
        {"bot.py": make.source(), "cardroom.toml": b'formats = ["c*/*/2v2"]'}
    )
    with pytest.raises(ActionError, match="plays none of these games") as error:
        actions.upload_version(owner, canasta, "bot.zip", name="Jay", games=["paks"])
    assert error.value.field == "games"
    version = actions.upload_version(owner, canasta, "bot.zip", name="Jay", games=["canasta"])
    assert version.formats == ["canasta/*/2v2"]


def test_the_check_sets_a_versions_formats() -> None:
    version = upload(make.user(), name="Magpie")
    check = actions.begin_check(version.pk, "worker")
    assert check is not None
    actions.finish_check(check, "ready", steps=[], summary="Fine.", formats=["paks/*/*"])
    assert BotVersion.objects.get(pk=version.pk).formats == ["paks/*/*"]
