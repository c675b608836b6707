"""Rating tables of any length, with bots that have met often or hardly.

Results are drawn from true strengths and fitted, but no match is stored.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import timedelta

from bots.models import Bot, BotVersion, StoredPackage
from cardroom_base.db.db_time import now
from tests import factories
from tournaments.models import BotTotal, PoolFit, Rating, RatingPoint
from tournaments.ratings.elo import expected
from tournaments.ratings.fit import Fit, fit
from tournaments.ratings.result_arrays import RatedMatch

POOL = "cassino/standard/1v1"
OTHERS = (
    "canasta/classic/1v1",
    "spoon-eye/standard/ffa4",
    "zwicker/grupp/ffa4",
    "paks/standard/2v2",
)
"""Pools of the other games; some of the bots play in each."""
FORMS = ("cassino/royal/1v1", "cassino/standard/ffa3", "cassino/standard/2v2")
NAMES = (
    *("Longest", "Kestrel", "Magpie", "house:expert", "凪 Nagi", "house:expert-5", "ohajiki"),
    *("Quiet Ledger", "Small Beer", "house:random", "Tricoteuse", "Lamplight", "Meldwright"),
)


def fill(size: int, *, name: str = "", parts: int = 1) -> list[BotVersion]:
    """The versions of `size` bots, rated in a few pools.

    `name`: the beginning of every name, instead of natural names. `parts`: number of groups of bots
    that never meet.
    """
    rated = versions(size, name)
    half = rated[: min(30, max(2, size // 2))]
    pools = dict.fromkeys((POOL, "cassino", "overall"), rated)
    games = [form.partition("/")[0] for form in OTHERS]
    pools |= dict.fromkeys((*FORMS, *OTHERS, *games), half)
    for number, (pool, members) in enumerate(pools.items()):
        if members:
            rate(pool, members, seed=number, parts=parts)
    return rated


def versions(size: int, name: str = "") -> list[BotVersion]:
    """`size` bots, each with an active version."""
    owners = [factories.user(), factories.user("owner"), factories.user("さくら")]
    names = [name + str(i) if name else _name(i) for i in range(size)]
    package, _ = StoredPackage.objects.get_or_create(
        digest="0" * 64, defaults={"content": b"PK", "unpacked_size": 2}
    )
    bots = Bot.objects.bulk_create(
        Bot(
            slug=f"pooled-{i}",
            name=names[i],
            owner=None if names[i].startswith("house:") else owners[i % 9 == 6 or 2 * (i % 2)],
        )
        for i in range(size)
    )
    rows = BotVersion.objects.bulk_create(
        BotVersion(bot=bot, number=1 + i % 9, package=package, formats=["*/*/*"], status="ready")
        for i, bot in enumerate(bots)
    )
    for bot, version in zip(bots, rows, strict=True):
        bot.active_version = version
    Bot.objects.bulk_update(bots, ["active_version"], batch_size=500)
    return rows


def _name(number: int) -> str:
    return NAMES[number] if number < len(NAMES) else f"{NAMES[number % 3]} {number}"


def rate(pool: str, versions: Sequence[BotVersion], *, seed: int = 0, parts: int = 1) -> None:
    """Draw results between these versions, fit them and store the ratings."""
    rnd = random.Random(seed)
    true = [rnd.gauss(1500, 180) for _ in versions]
    scores: dict[tuple[int, int], list[float]] = {}
    games = []
    for number, (one, other) in enumerate(_pairings(len(versions), rnd, parts)):
        a, b = versions[one], versions[other]
        for _ in range(2):
            won = rnd.random() < expected(true[one], true[other])
            sides = ((a.pk,), (b.pk,))
            games.append(RatedMatch(sides, (1, 2) if won else (2, 1), number, pool))
            scores.setdefault((a.bot_id, b.bot_id), []).append(won)
            scores.setdefault((b.bot_id, a.bot_id), []).append(not won)
    if games:
        _store(pool, fit(games), scores)
    else:  # a bot without a fit
        Rating.objects.create(pool=pool, version=versions[0])


def _pairings(size: int, rnd: random.Random, parts: int) -> list[tuple[int, int]]:
    """Most bots meet often, every fifth one hardly; bots of different parts never meet."""
    pairings: list[tuple[int, int]] = []
    for one in range(size):
        others = [i for i in range(size) if i != one and i % parts == one % parts]
        times = (2 if one % 5 == 4 and size > 20 else 65) if others else 0
        pairings += [(one, rnd.choice(others)) for _ in range(times)]
    return pairings


def _store(pool: str, fitted: Fit, scores: dict[tuple[int, int], list[float]]) -> None:
    rated = [fitted.ratings[version] for version in fitted.entrants]
    ends = [
        (rating, {"fitted": rating.rating, "low": rating.low, "high": rating.high})
        for rating in rated
    ]
    Rating.objects.bulk_create(
        Rating(
            pool=pool,
            version_id=int(rating.entrant),
            live=rating.rating,
            matches=rating.games,
            groups=rating.groups,
            component=rating.component,
            **interval,
        )
        for rating, interval in ends
    )
    RatingPoint.objects.bulk_create(
        RatingPoint(
            pool=pool,
            version_id=int(rating.entrant),
            ordinal=1,
            at=now() - timedelta(days=40),
            **{**interval, "fitted": rating.rating + (number * 37) % 61 - 30},
        )
        for number, (rating, interval) in enumerate(ends)
        if number % 4
    )
    PoolFit.objects.create(
        pool=pool,
        groups=fitted.groups,
        dispersion=fitted.dispersion,
        forms=[[f.name, f.slope, f.dispersion, f.games, f.groups] for f in fitted.forms],
        misfit=fitted.misfit,
        styles=fitted.styles,
        components=fitted.components,
        effects=[[e.points, e.low, e.high] for e in fitted.effects] if pool == POOL else [],
        entrants=[int(version) for version in fitted.entrants],
        covariance=fitted.covariance.astype("<f4").tobytes(),
    )
    form = pool if "/" in pool else ""
    BotTotal.objects.bulk_create(
        BotTotal(
            bot_id=a,
            other_id=b,
            pool=form,
            kind=BotTotal.Kind.VERSUS,
            key=b,
            count=len(points),
            total=sum(points),
        )
        for (a, b), points in scores.items()
        if form
    )
