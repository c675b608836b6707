"""Rows of a site that has played much, written in bulk; no engine plays anything.

Every match has what a played one has: deal group, sides, seats, results, attempt, record and steps
of the ratings. The records are copies of one real one for each format.
"""

from __future__ import annotations

import random
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime, timedelta
from itertools import combinations
from typing import Any

import numpy as np
from django.contrib.auth.models import User

from bots.models import Bot, BotVersion, Check, StoredPackage
from cardroom_base.db.db_time import now
from engine import Format, Record
from engine import Match as Play
from engine.shuffle import commitment
from tests.play import hall
from tournaments.actions.challenges import MAX_GROUPS
from tournaments.models import (
    Attempt,
    Challenge,
    DealGroup,
    DealGroupSide,
    Entry,
    Ledger,
    Match,
    MatchFigures,
    PoolFit,
    Rating,
    RatingChange,
    RatingPoint,
    Seat,
    SideResult,
    Stage,
    StoredRecord,
    Tournament,
)
from tournaments.projections import pools_of, tallies
from tournaments.standings import figures

FORMATS = (
    "cassino/standard/1v1?deals=1",
    "cassino/royal/1v1?deals=1",
    "zwicker/grupp/1v1?deals=1",
)
BATCH = 5_000
EACH = 50
"""Bots of an author."""
POINTS = 20
"""Refits that each rating remembers."""

Pairings = Iterator[tuple[int, int, int, int, int]]
"""(round, pairing, deal group, entry, entry), entries counted from 0."""


@dataclass(frozen=True)
class Size:
    """How much there is."""

    bots: int
    ladder: int
    """Deal groups of the ladder; each has two matches."""
    robin: int
    """Entries of the large round robin."""
    swiss: int
    """Entries of the Swiss, a power of two."""
    knockout: int
    """Entries of the knock-out, a power of two."""
    cups: int
    """Small tournaments, round robins."""
    cup: int
    """Entries of each."""

    @classmethod
    def for_matches(cls, matches: int) -> Size:
        """The shape of a site with about so many matches."""
        part = matches / 200_000
        robin = max(4, round(64 * part**0.5))
        swiss = max(4, 2 ** round(9 + np.log2(part)))
        knockout = max(4, swiss // 8)
        cups = max(3, round(300 * part**0.5))
        cup = max(4, round(16 * part**0.25))
        bots, ladder = max(swiss, robin, cup) + 8, max(8, matches // 8)
        return cls(bots, ladder, robin, swiss, knockout, cups, cup)


@dataclass
class _Making:
    """What the tournaments share, and what is still to be written."""

    bots: list[Bot]
    owner: User
    records: dict[str, tuple[bytes, int, dict[str, Any]]]
    """By format: content, moves, what is counted in it."""
    rnd: random.Random
    at: datetime
    ordinal: int = 0
    rated: dict[tuple[str, int], list[float]] = field(default_factory=dict)
    """By pool and version: live Elo, matches."""


def make(size: Size) -> None:
    """Fill an empty site."""
    owner = User.objects.create_user("owner", "owner@example.org", "secret", is_staff=True)
    bots = _bots(owner, size.bots)
    records = {text: _record(text) for text in FORMATS}
    making = _Making(bots, owner, records, random.Random(7), now() - timedelta(days=300))
    ladder = [{"system": "ladder", "groups": 1, "settings": {"ahead": 3, "first": 1}}]
    most = min(size.bots, 300)
    _tournament(making, "Ladder", ladder, most, _ladder(making.rnd, most, size.ladder), ends=False)
    robin = [{"system": "round-robin", "groups": 2}]
    _tournament(making, "Robin", robin, size.robin, _robin(size.robin, 2), ends=False)
    rounds = size.swiss.bit_length() - 1
    swiss = [{"system": "swiss", "groups": 1, "settings": {"rounds": rounds}}]
    _tournament(making, "Swiss", swiss, size.swiss, _swiss(making.rnd, size.swiss, rounds))
    cup = [{"system": "knock-out", "groups": 2}]
    _tournament(making, "Knockout", cup, size.knockout, _knockout(size.knockout))
    for number in range(1, size.cups + 1):
        _tournament(making, f"Cup {number}", robin, size.cup, _robin(size.cup, 2))
    _challenge(making, groups=MAX_GROUPS)
    _ratings(making)
    Ledger.objects.update(counted=making.ordinal)
    tallies.count_new()
    hall.finished(hall.account(owner))


def _bots(owner: User, count: int) -> list[Bot]:
    authors = User.objects.bulk_create(User(username=f"author-{i}") for i in range(count // EACH))
    owners = [owner, *authors]
    package = StoredPackage.objects.create(digest="0" * 64, content=b"PK", unpacked_size=2)
    bots = Bot.objects.bulk_create(
        Bot(slug=f"bot-{i}", name=f"Bot {i}", owner=owners[i // EACH]) for i in range(count)
    )
    versions = BotVersion.objects.bulk_create(
        BotVersion(bot=bot, number=1, package=package, formats=["*/*/*"], status="ready")
        for bot in bots
    )
    Check.objects.bulk_create(
        Check(version=version, tries=1, started=now(), finished=now(), summary="Fine.")
        for version in versions
    )
    for bot, version in zip(bots, versions, strict=True):
        bot.active_version = version
    Bot.objects.bulk_update(bots, ["active_version"], batch_size=BATCH // 10)
    return bots


def _record(text: str) -> tuple[bytes, int, dict[str, Any]]:
    """A real record of the format, compressed, its moves, and what is counted in it."""
    play = Play(Format.parse(text), seed="scale")
    while play.turn is not None:
        play.play(play.legal_moves()[0])
    record = Record.of(play, [{"name": "Bot 0"}, {"name": "Bot 1"}])
    counted = asdict(figures.count_figures(record))
    return zlib.compress(record.dumps().encode()), len(record.moves), counted


# --- pairings -----------------------------------------------------------------------------------


def _ladder(rnd: random.Random, entries: int, groups: int) -> Pairings:
    for number in range(1, groups + 1):
        a, b = rnd.sample(range(entries), 2)
        yield number, 1, 1, a, b


def _robin(entries: int, groups: int) -> Pairings:
    for pairing, (a, b) in enumerate(combinations(range(entries), 2)):
        for group in range(1, groups + 1):
            yield pairing * 2 // entries + 1, pairing + 1, group, a, b


def _swiss(rnd: random.Random, entries: int, rounds: int) -> Pairings:
    order = list(range(entries))
    for round_ in range(1, rounds + 1):
        rnd.shuffle(order)
        for pairing, place in enumerate(range(0, entries - 1, 2), 1):
            yield round_, pairing, 1, order[place], order[place + 1]


def _knockout(entries: int) -> Pairings:
    """The better seed wins, as `_played` gives it."""
    order = [0]
    while len(order) < entries:
        last = 2 * len(order) - 1
        order = [each for i, x in enumerate(order) for each in _turned(x, last - x, i)]
    for round_ in range(1, entries.bit_length()):
        pairs = list(zip(order[::2], order[1::2], strict=True))
        for pairing, (a, b) in enumerate(pairs, 1):
            for group in (1, 2):
                yield round_, pairing, group, a, b
        order = [min(pair) for pair in pairs]


def _turned(a: int, b: int, index: int) -> tuple[int, int]:
    return (b, a) if index % 2 else (a, b)


# --- tournaments --------------------------------------------------------------------------------


def _tournament(
    making: _Making,
    name: str,
    stages: Sequence[dict[str, Any]],
    entries: int,
    pairings: Pairings,
    *,
    ends: bool = True,
) -> Tournament:
    text = making.rnd.choice(FORMATS)
    made = Tournament.objects.create(
        slug=name.lower().replace(" ", "-"),
        name=name,
        organizer=making.owner,
        format=text,
        seed=name,
        state=Tournament.State.FINISHED if ends else Tournament.State.RUNNING,
        created=making.at,
        opened=making.at,
        started=making.at,
        finished=making.at if ends else None,
    )
    stage = [Stage.objects.create(tournament=made, number=i, **s) for i, s in enumerate(stages, 1)]
    chosen = making.rnd.sample(making.bots, entries)
    entered = Entry.objects.bulk_create(
        Entry(tournament=made, bot=bot, version=bot.active_version, number=i, seeding=i)
        for i, bot in enumerate(chosen, 1)
    )
    batch: list[tuple[int, int, int, int, int]] = []
    number = 0
    for pairing in pairings:
        batch.append(pairing)
        if len(batch) == BATCH:
            _groups(making, made, stage[0], entered, batch, number)
            number += len(batch)
            batch = []
    _groups(making, made, stage[0], entered, batch, number)
    return made


def _challenge(making: _Making, groups: int) -> None:
    """The largest challenge that can be."""
    stages = [{"system": "round-robin", "groups": groups}]
    made = _tournament(making, "Challenge", stages, 2, _robin(2, groups))
    Tournament.objects.filter(pk=made.pk).update(trial=True)
    first, second = (entry.version_id for entry in made.entries.order_by("number"))
    Challenge.objects.create(tournament=made, candidate_id=first, opponent_id=second, groups=groups)


def _groups(
    making: _Making,
    tournament: Tournament,
    stage: Stage,
    entered: Sequence[Entry],
    batch: Sequence[tuple[int, int, int, int, int]],
    last: int,
) -> None:
    """These deal groups with two finished matches each."""
    deal_groups = DealGroup.objects.bulk_create(
        (
            DealGroup(
                tournament=tournament,
                stage=stage,
                round=round_,
                pairing=pairing,
                group=group,
                number=number,
                seed=f"{tournament.slug} {number}",
                commitment=commitment(f"{tournament.slug} {number}"),
                finished=making.at + timedelta(seconds=number),
            )
            for number, (round_, pairing, group, _, _) in enumerate(batch, last + 1)
        ),
        batch_size=BATCH,
    )
    DealGroupSide.objects.bulk_create(
        (
            DealGroupSide(deal_group=deal_group, index=index, entry=entered[entry])
            for deal_group, (*_, a, b) in zip(deal_groups, batch, strict=True)
            for index, entry in enumerate((a, b))
        ),
        batch_size=BATCH,
    )
    matches = Match.objects.bulk_create(
        (
            _match(making, tournament, deal_group, rotation)
            for deal_group in deal_groups
            for rotation in (0, 1)
        ),
        batch_size=BATCH,
    )
    pairs = [
        (entered[a], entered[b]) if rotation == 0 else (entered[b], entered[a])
        for *_, a, b in batch
        for rotation in (0, 1)
    ]
    _played(making, matches, pairs, seeded=stage.system == "knock-out")


def _match(making: _Making, tournament: Tournament, deal_group: DealGroup, rotation: int) -> Match:
    making.ordinal += 1
    making.at += timedelta(seconds=60)
    return Match(
        deal_group=deal_group,
        tournament=tournament,
        rotation=rotation,
        format=tournament.format,
        state=Match.State.FINISHED,
        moves_played=making.rnd.randint(20, 48),
        reason="deals",
        ordinal=making.ordinal,
        created=making.at,
        finished=making.at,
    )


def _played(
    making: _Making,
    matches: Sequence[Match],
    pairs: Sequence[tuple[Entry, Entry]],
    *,
    seeded: bool,
) -> None:
    """Seats, results, attempts, records, steps of the ratings; `seeded`: the better seed wins."""
    rows: dict[Any, list[Any]] = {
        model: [] for model in (Seat, SideResult, Attempt, StoredRecord, RatingChange, MatchFigures)
    }
    for match, pair in zip(matches, pairs, strict=True):
        content, moves, counted = making.records[match.format]
        score = making.rnd.randint(0, 11)
        if seeded:
            score = 11 if pair[0].number < pair[1].number else 0
        for side, (entry, own) in enumerate(zip(pair, (score, 11 - score), strict=True)):
            rank = 1 if 2 * own > 11 else 2
            rows[Seat].append(_seat(match, side, entry))
            rows[SideResult].append(SideResult(match=match, side=side, score=own, rank=rank))
            rows[RatingChange] += _changes(making, match, entry, won=rank == 1)
        ends = {"lease_until": match.finished, "started": match.created, "finished": match.finished}
        rows[Attempt].append(
            Attempt(match=match, number=1, worker="node@here/1", outcome="stored", **ends)
        )
        rows[StoredRecord].append(StoredRecord(match=match, content=content, moves=moves))
        rows[MatchFigures].append(
            MatchFigures(record_id=match.pk, shape=figures.SHAPE, content=counted)
        )
    for model, made in rows.items():
        model.objects.bulk_create(made, batch_size=BATCH)


def _seat(match: Match, index: int, entry: Entry) -> Seat:
    return Seat(
        match=match,
        index=index,
        side=index,
        entry=entry,
        version_id=entry.version_id,
        cpu_ms=12,
        wall_ms=20,
        peak_memory_kib=15_000,
    )


def _changes(making: _Making, match: Match, entry: Entry, *, won: bool) -> Iterator[RatingChange]:
    for pool in pools_of(match.format):
        rating = making.rated.setdefault((pool, entry.version_id), [1200.0, 0])
        before, rating[1] = rating[0], rating[1] + 1
        rating[0] += 4 if won else -4
        yield RatingChange(
            pool=pool, version_id=entry.version_id, match=match, before=before, after=rating[0]
        )


# --- ratings ------------------------------------------------------------------------------------


def _ratings(making: _Making) -> None:
    Rating.objects.bulk_create(
        (
            Rating(
                pool=pool,
                version_id=version,
                live=live,
                matches=matches,
                groups=matches // 2,
                fitted=live,
                low=live - 40,
                high=live + 40,
            )
            for (pool, version), (live, matches) in making.rated.items()
        ),
        batch_size=BATCH,
    )
    ends = [making.ordinal * (i + 1) // POINTS for i in range(POINTS)]
    RatingPoint.objects.bulk_create(
        (
            RatingPoint(
                pool=pool,
                version_id=version,
                ordinal=end,
                fitted=live,
                low=live - 40,
                high=live + 40,
            )
            for (pool, version), (live, _) in making.rated.items()
            for end in dict.fromkeys(ends)
        ),
        batch_size=BATCH,
    )
    for pool in {pool for pool, _ in making.rated}:
        entrants = [version for name, version in making.rated if name == pool]
        covariance = np.diag(np.full(len(entrants), 400.0, dtype="<f4"))
        PoolFit.objects.create(
            pool=pool,
            ordinal=making.ordinal,
            groups=making.ordinal // 2,
            forms=[[pool, 1.0, 1.0, making.ordinal, making.ordinal // 2]],
            entrants=entrants,
            covariance=zlib.compress(covariance.tobytes()),
        )
    Ledger.objects.update_or_create(
        pk=1, defaults={"ordinal": making.ordinal, "fitted": making.ordinal}
    )
