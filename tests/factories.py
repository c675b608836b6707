"""Factories of users, bots, tournaments and matches; most call the site's actions."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from itertools import count
from types import MappingProxyType
from typing import Any

from django.contrib.auth.models import User

from bots import actions as bot_actions
from bots.actions.editing import activate
from bots.models import Bot, BotVersion, Check, StoredPackage
from bots.package.manifest import Manifest
from bots.package.package import Package
from bots.referee.outcome import Fault, MatchOutcome, SeatReport
from bots.sandbox import Isolation
from cardroom import housekeeping
from cardroom_base.db.db_time import Now
from engine import Format, Record
from engine import Match as Play
from tournaments import actions
from tournaments.actions import attempts
from tournaments.models import Match, StoredRecord, Tournament

_numbers = count(1)

FORMAT = "cassino/standard/1v1?deals=1"
"""A short format for tests that need any match."""


def user(name: str = "", *, staff: bool = False) -> User:
    """A user whose password is `secret`."""
    name = name or f"user{next(_numbers)}"
    return User.objects.create_user(name, f"{name}@example.org", "secret", is_staff=staff)


def source(remark: str = "") -> bytes:
    """Source of a bot that plays the first legal move; another `remark` gives another package."""
    return f"# {remark}\ndef choose(view, legal):\n    return legal[0]\n".encode()


def package(remark: str = "", formats: Sequence[str] = ("cassino/*/*",)) -> Package:
    """A package of that bot, without `Package.load`, which would start a process."""
    files = {"bot.py": source(remark), "cardroom.toml": _manifest(formats)}
    return Package(MappingProxyType(files), Manifest.parse(files["cardroom.toml"]), "bot")


def _manifest(formats: Sequence[str]) -> bytes:
    patterns = ", ".join(f'"{pattern}"' for pattern in formats)
    return f"formats = [{patterns}]\n".encode()


def zip_archive(files: dict[str, bytes]) -> bytes:
    import io
    import zipfile

    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for path, content in files.items():
            archive.writestr(path, content)
    return buffer.getvalue()


def bot(
    owner: User | None = None,
    name: str = "",
    *,
    formats: Sequence[str] = ("cassino/*/*",),
    content: bytes | None = None,
) -> Bot:
    """A bot whose first version is ready and active; without an owner, a user is created."""
    name = name or f"Bot {next(_numbers)}"
    owner = owner or user()
    new_bot = bot_actions.register_bot(owner, name)
    bot_package = Package.load(content, "bot.py") if content else package(name, formats)
    version(new_bot, bot_package)
    new_bot.refresh_from_db()
    return new_bot


def house_bot(name: str, content: bytes | None = None) -> Bot:
    """A house bot, ready to play."""
    bot_package = Package.load(content, "bot.py") if content else package(name)
    return bot_actions.install_house_bot(bot_package, name).bot


def version(bot: Bot, bot_package: Package | None = None, *, verdict: Any = "ready") -> BotVersion:
    """A checked version of a bot, created as rows, because nearly every test needs some."""
    bot_package = bot_package or package(f"v{next(_numbers)}")
    stored_package, _ = StoredPackage.objects.get_or_create(
        digest=bot_package.digest,
        defaults={"content": bot_package.to_bytes(), "unpacked_size": bot_package.unpacked_size},
    )
    new_version = BotVersion.objects.create(
        bot=bot,
        number=bot.versions.count() + 1,
        package=stored_package,
        formats=list(bot_package.manifest.formats),
        needs=" ".join(bot_package.manifest.needs),
        status=verdict,
    )
    Check.objects.create(
        version=new_version,
        worker="factory",
        tries=1,
        started=Now(),
        finished=Now(),
        summary=verdict,
    )
    if verdict == "ready" and bot.active_version_id is None:
        activate(bot, new_version)
    return new_version


def tournament(
    bots: Sequence[Bot] | int = 0, *, by: User | None = None, start: bool = False, **fields: Any
) -> Tournament:
    """An open tournament with these bots (or this number of new ones); `start` starts it.

    Its cards depend only on `seed`, so that tests are repeatable. With `seed=None` they are
    random, as in rated tournaments of a site.
    """
    name = f"Tournament {next(_numbers)}"
    size = {} if "stages" in fields else {"groups": 1}
    fields = {"name": name, "format": FORMAT, **size, **fields}
    seed = fields.pop("seed", "a test")
    new_tournament = actions.create_tournament(by, **fields)
    if seed is not None:
        Tournament.objects.filter(pk=new_tournament.pk).update(seed=seed, chosen_seed=True)
    new_tournament = actions.open_(new_tournament, None)
    for entrant in [bot() for _ in range(bots)] if isinstance(bots, int) else bots:
        actions.enter(new_tournament, entrant, None)
    return actions.start(new_tournament, None) if start else new_tournament


def outcome(match: Match, *, faults: Sequence[tuple[int, Any]] = ()) -> MatchOutcome:
    """The outcome of a match in which every seat plays the first legal move.

    `faults`: (seat, kind) of seats with a fault at their first move.
    """
    fmt = Format.parse(match.format)
    play = Play(fmt, seed=match.deal_group.seed)
    while play.turn is not None:
        play.play(play.legal_moves()[0])
    names = list(match.seats.order_by("index").values_list("version__bot__name", flat=True))
    fault_by_seat = {seat: Fault(seat, kind, 0, "", "A test.") for seat, kind in faults}
    record = Record.of(play, [{"name": name} for name in names])
    record.rng = match.rng or None
    if fault_by_seat:
        from engine.results import with_faults

        record.faults = [fault.as_json("fallback") for fault in fault_by_seat.values()]
        sides = {fmt.side(seat) for seat in fault_by_seat}
        record.result = with_faults(record.result, play.scores, sides)
    reports = [
        SeatReport(name, 12.4, 20.6, 3.0, 15_000, b"a log\n", 9, fault_by_seat.get(seat))
        for seat, name in enumerate(names)
    ]
    return MatchOutcome(record, reports)


def finish(match: Match, *, faults: Sequence[tuple[int, Any]] = ()) -> Match:
    """Claim a waiting match (and every one before it) and store its outcome."""
    end_retry_delays()
    for attempt in list(attempts.claim("factory/1", 1000)):
        if attempt.match_id == match.pk:
            assert attempts.store_result(attempt.pk, outcome(match, faults=faults))
        else:
            attempts.release_attempts([attempt.pk], "Claimed by a test on the way.")
    match.refresh_from_db()
    return match


def finish_all(tournament: Tournament) -> Tournament:
    """Play every match of a tournament, and update ratings and state."""
    end_retry_delays()
    while claimed := attempts.claim("factory/1", 1000):
        for attempt in claimed:
            assert attempts.store_result(attempt.pk, outcome(attempt.match))
    actions.advance(tournament.pk)
    tournament.refresh_from_db()
    return tournament


def housekeep() -> int:
    """Do the work that messages of the outbox request: advance tournaments, update live ratings.

    Returns the number of messages.
    """
    return housekeeping.answer_requests()


def outdate(match: Match) -> None:
    """Change a finished match as if it had been played by old rules with other legal moves."""
    stored = StoredRecord.objects.get(match=match)
    record = Record.from_json(zlib.decompress(bytes(stored.content)))
    record.rules, record.moves[0] = "7 of-long-ago", "nothing"
    stored.content = zlib.compress(record.dumps().encode())
    stored.save()


def end_retry_delays() -> None:
    """Let failed work be retried immediately."""
    Match.objects.exclude(not_before=None).update(not_before=None)
    Check.objects.update(not_before=Now())


def worker(name: str = "worker@here", processes: int = 1) -> None:
    """A worker that has just reported."""
    bot_actions.report_worker(name, Isolation("full", (), "Fine.", "a wall"), processes)
