"""A finished match of random moves in the database, for tests of pages that show matches."""

from __future__ import annotations

import random
import zlib
from typing import Any

from django.contrib.auth.models import User
from django.utils import timezone

from bots.models import Bot, BotVersion, StoredPackage
from engine import Format, Match, Record
from engine.results import with_faults
from engine.shuffle import commitment
from tournaments import models

NAMES = (
    "Kestrel",
    "Tricoteuse",
    "凪 Nagi",
    "Quiet Ledger",
    "Small Beer",
    "Saltmarsh",
    "おはじき",
    "Wild Thyme",
)
LOG = "opening book: 412 lines\nwarning: no answer for 7C\n<b>not markup</b>\n"


def play(form: str, seed: str = "demo", *, faulty: bool = False) -> Record:
    """The record of a whole match of random moves, with clock times, notes and maybe a fault.

    Captures, melds and thefts are preferred.
    """
    fmt = Format.parse(form)
    chance = random.Random(seed)
    match = Match(fmt, seed=seed)
    while match.turn is not None:
        legal = match.legal_moves()
        strong = [move for move in legal if any(sign in move for sign in "x>:")]
        match.play(chance.choice(strong if strong and chance.random() < 0.7 else legal))
    players = [{"name": f"{NAMES[seat]} v{seat + 1}"} for seat in range(fmt.seats)]
    record = Record.of(match, players)
    record.clock_ms = [chance.choice((9, 14, 28, 96, 310, 1400)) for _ in record.moves]
    record.notes = {"3": "keeps TD for the end", "20": "<i>sweeps now</i>"}
    if faulty:
        number = len(record.moves) - 30
        seat = next(frame["seat"] for frame in record.frames() if frame["n"] == number)
        detail = "No answer in time: the bot used up the 1000 ms for the move."
        fault = {"seat": seat, "kind": "time", "move": number, "received": "", "detail": detail}
        record.faults = [fault | {"policy": "fallback"}]
        record.result = with_faults(match.result, match.scores, {fmt.side(seat)})
    return record


def forfeited(form: str, moves: int) -> Record:
    """The record of a match that ended after `moves` moves, because the seat to move crashed."""
    record = play(form)
    match = record.start()
    for move in record.moves[:moves]:
        match.play(move)
    assert match.turn is not None
    fault = {"seat": match.turn, "kind": "crash", "move": moves, "received": "", "detail": "Gone."}
    record = Record.of(match, record.players)
    record.faults = [fault | {"policy": "forfeit"}]
    side = match.format.side(match.turn)
    record.result = with_faults(None, match.scores, {side})
    return record


def tournament(form: str, **fields: Any) -> models.Tournament:
    """A running tournament without entries."""
    defaults: dict[str, Any] = {"name": "Cassino Pairs, spring 2026", "slug": "pairs-2026"}
    defaults |= {"seed": "spring-2026", "format": form, "state": "running"}
    if (defaults | fields).get("state") != "draft":
        defaults["opened"] = timezone.now()
    return models.Tournament.objects.create(**defaults | fields)


def match(
    record: Record | str, *, state: str = "finished", cup: models.Tournament | None = None
) -> models.Match:
    """A match between named bots; `record` is its record, or only its format.

    Each bot belongs to the user ``owner<seat>``; each side is one entry per seat.
    """
    form = record if isinstance(record, str) else record.format
    fmt = Format.parse(form)
    cup = cup or tournament(form)
    stage, _ = models.Stage.objects.get_or_create(tournament=cup, number=1)
    deal_group = models.DealGroup.objects.create(
        tournament=cup, stage=stage, round=5, number=3, seed="demo", commitment=commitment("demo")
    )
    package, _ = StoredPackage.objects.get_or_create(
        digest="0" * 64, defaults={"content": b"", "unpacked_size": 0}
    )
    match_row = models.Match.objects.create(
        deal_group=deal_group, tournament=cup, rotation=0, format=form, state=state
    )
    for seat in range(fmt.seats):
        owner, _ = User.objects.get_or_create(username=f"owner{seat}")
        bot, _ = Bot.objects.get_or_create(
            slug=f"bot-{seat}", defaults={"name": NAMES[seat], "owner": owner}
        )
        version, _ = BotVersion.objects.get_or_create(
            bot=bot, number=seat + 2, defaults={"package": package}
        )
        entry = models.Entry.objects.create(
            tournament=cup, bot=bot, version=version, number=seat + 1
        )
        models.Seat.objects.create(
            match=match_row,
            index=seat,
            side=fmt.side(seat),
            entry=entry,
            version=version,
            log=zlib.compress(LOG.encode()),
        )
        low, high = 1500.0 + 40 * seat, 1542.0 + 40 * seat
        pool = form.partition("?")[0]
        models.Rating.objects.get_or_create(
            pool=pool,
            version=version,
            defaults={"fitted": (low + high) / 2, "low": low, "high": high},
        )
        models.RatingPoint.objects.get_or_create(
            pool=pool,
            version=version,
            ordinal=0,
            defaults={"fitted": (low + high) / 2, "low": low, "high": high},
        )
    if isinstance(record, Record):
        _store(match_row, record)
    return match_row


def _store(match: models.Match, record: Record) -> None:
    """Store what the worker stores at the end of a match."""
    content = zlib.compress(record.dumps().encode())
    models.StoredRecord.objects.create(match=match, content=content, moves=len(record.moves))
    for fault in record.faults:
        match.seats.filter(index=fault["seat"]).update(fault=fault["kind"])
    result = record.result or {"scores": [], "ranks": [], "reason": ""}
    for side, score in enumerate(result["scores"]):
        models.SideResult.objects.create(
            match=match, side=side, score=score, rank=result["ranks"][side]
        )
    match.reason = result["reason"]
    match.faulted = bool(record.faults)
    match.moves_played = len(record.moves)
    match.finished = timezone.now()
    match.save()
