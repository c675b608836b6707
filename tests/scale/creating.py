"""Creates the rows of a large site in bulk, without playing any match.

Each match has all rows of a played match: deal group, sides, seats, results, attempt, record and
rating changes. The records are copies of one real record for each format.
"""

from __future__ import annotations

import random
import zlib
from collections.abc import Iterable, Iterator, Sequence
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
BOTS_PER_AUTHOR = 50
POINTS_PER_RATING = 20
"""Refits in the history of each rating."""

Pairings = Iterator[tuple[int, int, int, int, int]]
"""(round, pairing, deal group, entry, entry); entries are counted from 0."""


@dataclass(frozen=True)
class Size:
    """The numbers of rows of a site."""

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
    """Small tournaments, all of them round robins."""
    cup: int
    """Entries of each small tournament."""

    @classmethod
    def for_matches(cls, matches: int) -> Size:
        """The size of a site with about this number of matches."""
        ratio = matches / 200_000
        robin = max(4, round(64 * ratio**0.5))
        swiss = max(4, 2 ** round(9 + np.log2(ratio)))
        knockout = max(4, swiss // 8)
        cups = max(3, round(300 * ratio**0.5))
        cup = max(4, round(16 * ratio**0.25))
        bots, ladder = max(swiss, robin, cup) + 8, max(8, matches // 8)
        return cls(bots, ladder, robin, swiss, knockout, cups, cup)


@dataclass
class _Progress:
    """Data that the tournaments share, and ratings that are not written yet."""

    bots: list[Bot]
    owner: User
    records: dict[str, tuple[bytes, int, dict[str, Any]]]
    """Content, number of moves and figures of the record of each format."""
    rnd: random.Random
    at: datetime
    ordinal: int = 0
    ratings: dict[tuple[str, int], list[float]] = field(default_factory=dict)
    """Live Elo, number of matches and ordinal of the last one, by pool and version."""


def create_site(size: Size) -> None:
    """Fill an empty site."""
    owner = User.objects.create_user("owner", "owner@example.org", "secret", is_staff=True)
    bots = _bots(owner, size.bots)
    records = {text: _record(text) for text in FORMATS}
    progress = _Progress(bots, owner, records, random.Random(7), now() - timedelta(days=300))
    ladder = [{"system": "ladder", "groups": 1, "settings": {"ahead": 3, "first": 1}}]
    count = min(size.bots, 300)
    pairings = _ladder(progress.rnd, count, size.ladder)
    _tournament(progress, "Ladder", ladder, count, pairings, ends=False)
    robin = [{"system": "round-robin", "groups": 2}]
    _tournament(progress, "Robin", robin, size.robin, _robin(size.robin, 2), ends=False)
    rounds = size.swiss.bit_length() - 1
    swiss = [{"system": "swiss", "groups": 1, "settings": {"rounds": rounds}}]
    _tournament(progress, "Swiss", swiss, size.swiss, _swiss(progress.rnd, size.swiss, rounds))
    cup = [{"system": "knock-out", "groups": 2}]
    _tournament(progress, "Knockout", cup, size.knockout, _knockout(size.knockout))
    for number in range(1, size.cups + 1):
        _tournament(progress, f"Cup {number}", robin, size.cup, _robin(size.cup, 2))
    _challenge(progress, groups=MAX_GROUPS)
    _ratings(progress)
    Ledger.objects.update(counted=progress.ordinal)
    tallies.count_new()
    hall.finished_table(hall.account(owner))


def _bots(owner: User, count: int) -> list[Bot]:
    authors = User.objects.bulk_create(
        User(username=f"author-{i}") for i in range(count // BOTS_PER_AUTHOR)
    )
    owners = [owner, *authors]
    package = StoredPackage.objects.create(digest="0" * 64, content=b"PK", unpacked_size=2)
    bots = Bot.objects.bulk_create(
        Bot(slug=f"bot-{i}", name=f"Bot {i}", owner=owners[i // BOTS_PER_AUTHOR])
        for i in range(count)
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
    """A real record of the format, compressed, with its number of moves and its figures."""
    play = Play(Format.parse(text), seed="scale")
    while play.turn is not None:
        play.play(play.legal_moves()[0])
    record = Record.of(play, [{"name": "Bot 0"}, {"name": "Bot 1"}])
    content = asdict(figures.count_figures(record))
    return zlib.compress(record.dumps().encode()), len(record.moves), content


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
    """The better seed wins, as in `_store_results`."""
    order = [0]
    while len(order) < entries:
        last = 2 * len(order) - 1
        order = [entry for i, x in enumerate(order) for entry in _swap_if_odd(x, last - x, i)]
    for round_ in range(1, entries.bit_length()):
        pairs = list(zip(order[::2], order[1::2], strict=True))
        for pairing, (a, b) in enumerate(pairs, 1):
            for group in (1, 2):
                yield round_, pairing, group, a, b
        order = [min(pair) for pair in pairs]


def _swap_if_odd(a: int, b: int, index: int) -> tuple[int, int]:
    return (b, a) if index % 2 else (a, b)


# --- tournaments --------------------------------------------------------------------------------


def _tournament(
    progress: _Progress,
    name: str,
    stages: Sequence[dict[str, Any]],
    entries: int,
    pairings: Pairings,
    *,
    ends: bool = True,
) -> Tournament:
    text = progress.rnd.choice(FORMATS)
    tournament = Tournament.objects.create(
        slug=name.lower().replace(" ", "-"),
        name=name,
        organizer=progress.owner,
        format=text,
        seed=name,
        state=Tournament.State.FINISHED if ends else Tournament.State.RUNNING,
        created=progress.at,
        opened=progress.at,
        started=progress.at,
        finished=progress.at if ends else None,
    )
    stage_rows = [
        Stage.objects.create(tournament=tournament, number=i, **fields)
        for i, fields in enumerate(stages, 1)
    ]
    bots = progress.rnd.sample(progress.bots, entries)
    entry_rows = Entry.objects.bulk_create(
        Entry(tournament=tournament, bot=bot, version=bot.active_version, number=i, seeding=i)
        for i, bot in enumerate(bots, 1)
    )
    batch: list[tuple[int, int, int, int, int]] = []
    number = 0
    for pairing in pairings:
        batch.append(pairing)
        if len(batch) == BATCH:
            _groups(progress, tournament, stage_rows[0], entry_rows, batch, number)
            number += len(batch)
            batch = []
    _groups(progress, tournament, stage_rows[0], entry_rows, batch, number)
    return tournament


def _challenge(progress: _Progress, groups: int) -> None:
    """The largest possible challenge."""
    stages = [{"system": "round-robin", "groups": groups}]
    tournament = _tournament(progress, "Challenge", stages, 2, _robin(2, groups))
    Tournament.objects.filter(pk=tournament.pk).update(trial=True)
    first, second = (entry.version_id for entry in tournament.entries.order_by("number"))
    Challenge.objects.create(
        tournament=tournament, candidate_id=first, opponent_id=second, groups=groups
    )


def _groups(
    progress: _Progress,
    tournament: Tournament,
    stage: Stage,
    entries: Sequence[Entry],
    batch: Sequence[tuple[int, int, int, int, int]],
    last: int,
) -> None:
    """Create deal groups with two finished matches each, numbered from `last` + 1."""
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
                finished=progress.at + timedelta(seconds=number),
            )
            for number, (round_, pairing, group, _, _) in enumerate(batch, last + 1)
        ),
        batch_size=BATCH,
    )
    DealGroupSide.objects.bulk_create(
        (
            DealGroupSide(deal_group=deal_group, index=index, entry=entries[entry])
            for deal_group, (*_, a, b) in zip(deal_groups, batch, strict=True)
            for index, entry in enumerate((a, b))
        ),
        batch_size=BATCH,
    )
    matches = Match.objects.bulk_create(
        (
            _match(progress, tournament, deal_group, rotation)
            for deal_group in deal_groups
            for rotation in (0, 1)
        ),
        batch_size=BATCH,
    )
    pairs = [
        (entries[a], entries[b]) if rotation == 0 else (entries[b], entries[a])
        for *_, a, b in batch
        for rotation in (0, 1)
    ]
    _store_results(progress, matches, pairs, seeded=stage.system == "knock-out")


def _match(
    progress: _Progress, tournament: Tournament, deal_group: DealGroup, rotation: int
) -> Match:
    progress.ordinal += 1
    progress.at += timedelta(seconds=60)
    return Match(
        deal_group=deal_group,
        tournament=tournament,
        rotation=rotation,
        format=tournament.format,
        state=Match.State.FINISHED,
        moves_played=progress.rnd.randint(20, 48),
        reason="deals",
        ordinal=progress.ordinal,
        created=progress.at,
        finished=progress.at,
    )


def _store_results(
    progress: _Progress,
    matches: Sequence[Match],
    pairs: Sequence[tuple[Entry, Entry]],
    *,
    seeded: bool,
) -> None:
    """Create seats, results, attempts, records and rating changes.

    seeded: whether the better seed wins.
    """
    rows: dict[Any, list[Any]] = {
        model: [] for model in (Seat, SideResult, Attempt, StoredRecord, RatingChange, MatchFigures)
    }
    for match, pair in zip(matches, pairs, strict=True):
        content, moves, figures_content = progress.records[match.format]
        score = progress.rnd.randint(0, 11)
        if seeded:
            score = 11 if pair[0].number < pair[1].number else 0
        for side, (entry, own) in enumerate(zip(pair, (score, 11 - score), strict=True)):
            rank = 1 if 2 * own > 11 else 2
            rows[Seat].append(_seat(match, side, entry))
            rows[SideResult].append(SideResult(match=match, side=side, score=own, rank=rank))
            rows[RatingChange] += _changes(progress, match, entry, won=rank == 1)
        ends = {"lease_until": match.finished, "started": match.created, "finished": match.finished}
        rows[Attempt].append(
            Attempt(match=match, number=1, worker="node@here/1", outcome="stored", **ends)
        )
        rows[StoredRecord].append(StoredRecord(match=match, content=content, moves=moves))
        rows[MatchFigures].append(
            MatchFigures(record_id=match.pk, shape=figures.SHAPE, content=figures_content)
        )
    for model, model_rows in rows.items():
        model.objects.bulk_create(model_rows, batch_size=BATCH)


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


def _changes(
    progress: _Progress, match: Match, entry: Entry, *, won: bool
) -> Iterator[RatingChange]:
    for pool in pools_of(match.format):
        rating = progress.ratings.setdefault((pool, entry.version_id), [1200.0, 0, 0])
        before, rating[1], rating[2] = rating[0], rating[1] + 1, match.ordinal or 0
        rating[0] += 4 if won else -4
        yield RatingChange(
            pool=pool, version_id=entry.version_id, match=match, before=before, after=rating[0]
        )


# --- ratings ------------------------------------------------------------------------------------


def _ordinals(last: int) -> Iterable[int]:
    """The ordinals of a rating's points, up to its last match."""
    return sorted({1 + last * i // POINTS_PER_RATING for i in range(POINTS_PER_RATING)} | {last})


def _ratings(progress: _Progress) -> None:
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
            for (pool, version), (live, matches, _) in progress.ratings.items()
        ),
        batch_size=BATCH,
    )
    RatingPoint.objects.bulk_create(
        (
            RatingPoint(
                pool=pool,
                version_id=version,
                ordinal=ordinal,
                fitted=live,
                low=live - 40,
                high=live + 40,
            )
            for (pool, version), (live, _, last) in progress.ratings.items()
            for ordinal in _ordinals(int(last))
        ),
        batch_size=BATCH,
    )
    for pool in {pool for pool, _ in progress.ratings}:
        entrants = [version for name, version in progress.ratings if name == pool]
        covariance = np.diag(np.full(len(entrants), 400.0, dtype="<f4"))
        PoolFit.objects.create(
            pool=pool,
            ordinal=progress.ordinal,
            groups=progress.ordinal // 2,
            forms=[[pool, 1.0, 1.0, progress.ordinal, progress.ordinal // 2]],
            entrants=entrants,
            covariance=covariance.tobytes(),
        )
    Ledger.objects.update_or_create(
        pk=1, defaults={"ordinal": progress.ordinal, "fitted": progress.ordinal}
    )
