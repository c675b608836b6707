"""Plain factories of users, bots, tournaments and matches; most use the site's actions."""

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
from tournaments.models import Attempt, Match, StoredRecord, Tournament

_numbers = count(1)

FORMAT = "cassino/standard/1v1?deals=1"
"""A short format for tests that need any match."""


def user(name: str = "", *, staff: bool = False) -> User:
    """A user whose password is `secret`."""
    name = name or f"user{next(_numbers)}"
    return User.objects.create_user(name, f"{name}@example.org", "secret", is_staff=staff)


def source(remark: str = "") -> bytes:
    """The text of a bot that plays the first legal move; `remark` makes it another package."""
    return f"# {remark}\ndef choose(view, legal):\n    return legal[0]\n".encode()


def package(remark: str = "", formats: Sequence[str] = ("cassino/*/*",)) -> Package:
    """A package of that bot, made without `Package.load`, which would start a process."""
    files = {"bot.py": source(remark), "cardroom.toml": _manifest(formats)}
    return Package(MappingProxyType(files), Manifest.parse(files["cardroom.toml"]), "bot")


def _manifest(formats: Sequence[str]) -> bytes:
    listed = ", ".join(f'"{pattern}"' for pattern in formats)
    return f"formats = [{listed}]\n".encode()


def zipped(files: dict[str, bytes]) -> bytes:
    """A zip archive of these files."""
    import io
    import zipfile

    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for path, content in files.items():
            archive.writestr(path, content)
    return packed.getvalue()


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
    made = bot_actions.register_bot(owner, name)
    packed = Package.load(content, "bot.py") if content else package(name, formats)
    version(made, packed)
    made.refresh_from_db()
    return made


def house_bot(name: str, content: bytes | None = None) -> Bot:
    """A house bot, ready to play."""
    packed = Package.load(content, "bot.py") if content else package(name)
    return bot_actions.install_house_bot(packed, name).bot


def version(of: Bot, packed: Package | None = None, *, verdict: Any = "ready") -> BotVersion:
    """A checked version of a bot, as rows: nearly every test needs some."""
    packed = packed or package(f"v{next(_numbers)}")
    stored, _ = StoredPackage.objects.get_or_create(
        digest=packed.digest,
        defaults={"content": packed.to_bytes(), "unpacked_size": packed.unpacked_size},
    )
    made = BotVersion.objects.create(
        bot=of,
        number=of.versions.count() + 1,
        package=stored,
        formats=list(packed.manifest.formats),
        needs=" ".join(packed.manifest.needs),
        status=verdict,
    )
    Check.objects.create(
        version=made, worker="factory", tries=1, started=Now(), finished=Now(), summary=verdict
    )
    if verdict == "ready" and of.active_version_id is None:
        activate(of, made)
    return made


def tournament(
    bots: Sequence[Bot] | int = 0, *, by: User | None = None, start: bool = False, **fields: Any
) -> Tournament:
    """An open tournament with these bots (or this number of new ones); `start` starts it.

    Its cards follow from `seed`, so that tests are repeatable; on a site, rated tournaments have
    none. None: the cards are random, as on a site.
    """
    name = f"Tournament {next(_numbers)}"
    short = {} if "stages" in fields else {"groups": 1}
    fields = {"name": name, "format": FORMAT, **short, **fields}
    seed = fields.pop("seed", "a test")
    made = actions.create_tournament(by, **fields)
    if seed is not None:
        Tournament.objects.filter(pk=made.pk).update(seed=seed, chosen_seed=True)
    made = actions.open_(made, None)
    for each in [bot() for _ in range(bots)] if isinstance(bots, int) else bots:
        actions.enter(made, each, None)
    return actions.start(made, None) if start else made


def outcome(match: Match, *, faults: Sequence[tuple[int, Any]] = ()) -> MatchOutcome:
    """The outcome of a match in which every seat plays the first legal move.

    `faults`: (seat, kind) of seats with a fault at their first move.
    """
    fmt = Format.parse(match.format)
    play = Play(fmt, seed=match.deal_group.seed)
    while play.turn is not None:
        play.play(play.legal_moves()[0])
    names = list(match.seats.order_by("index").values_list("version__bot__name", flat=True))
    found = {seat: Fault(seat, kind, 0, "", "A test.") for seat, kind in faults}
    record = Record.of(play, [{"name": name} for name in names])
    record.rng = match.rng or None
    if found:
        from engine.results import with_faults

        record.faults = [fault.as_json("fallback") for fault in found.values()]
        sides = {fmt.side(seat) for seat in found}
        record.result = with_faults(record.result, play.scores, sides)
    reports = [
        SeatReport(name, 12.4, 20.6, 3.0, 15_000, b"a log\n", 9, found.get(seat))
        for seat, name in enumerate(names)
    ]
    return MatchOutcome(record, reports)


def finish(match: Match, *, faults: Sequence[tuple[int, Any]] = ()) -> Match:
    """Claim a waiting match (and every one before it) and store its outcome."""
    rested()
    claimed = list(attempts.claim("factory/1", 1000))
    for attempt in claimed:
        if attempt.match_id == match.pk:
            assert attempts.store_result(attempt.pk, outcome(match, faults=faults))
        else:
            attempts.release_attempts([attempt.pk], "Claimed by a test on the way.")
    match.refresh_from_db()
    return match


def finish_all(tournament: Tournament) -> Tournament:
    """Play every match of a tournament, and update ratings and state."""
    rested()
    while claimed := attempts.claim("factory/1", 1000):
        for attempt in claimed:
            assert attempts.store_result(attempt.pk, outcome(attempt.match))
    actions.advance(tournament.pk)
    tournament.refresh_from_db()
    return tournament


def housekeep() -> int:
    """Do the jobs that the outbox requests: advance tournaments, update live ratings. Returns the
    number of messages."""
    return housekeeping.answer_requests()


def outdate(match: Match) -> None:
    """Change a finished match as if old rules, with another legal move, had been in force."""
    stored = StoredRecord.objects.get(match=match)
    record = Record.from_json(zlib.decompress(bytes(stored.content)))
    record.rules, record.moves[0] = "7 of-long-ago", "nothing"
    stored.content = zlib.compress(record.dumps().encode())
    stored.save()


def running(match: Match) -> Attempt:
    """The attempt that holds the match's lease."""
    return match.attempts.get(outcome=Attempt.Outcome.RUNNING)


def rested() -> None:
    """End the rest of failed work, as if time had passed, so that it may be retried."""
    Match.objects.exclude(not_before=None).update(not_before=None)
    Check.objects.update(not_before=Now())


def worker(name: str = "worker@here", processes: int = 1) -> None:
    """A worker that has just reported."""
    bot_actions.report_worker(name, Isolation("full", (), "Fine.", "a wall"), processes)
