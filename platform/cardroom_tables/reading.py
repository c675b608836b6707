"""Computes the state of a table as one browser may see it.

The state depends only on the seat's knowledge: its view, the events it sees, its legal moves, and
public facts (seats, turn, sheets of finished deals); for the maker of the table, also on its secret
links. A seat gets equal answers from two tables that differ only in hidden cards.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import timedelta
from typing import Any, Final

from django.urls import reverse

from cardroom_base.core.names import display_name
from cardroom_base.db.db_time import now
from cardroom_tables.guests import Person, invitation, is_present
from cardroom_tables.hosts import NO_HOST, waits_without_host
from cardroom_tables.match_cache import CachedMatch, cached_match
from cardroom_tables.models import Table, TableSeat
from engine import Format, Match
from engine.declarations import TABLES
from engine.english import seat_name
from engine.move_options import decide
from engine.player_view import view_of

IDLE: Final = timedelta(minutes=30)
"""A table where nobody has moved or sat down for this long is idle."""
MAX_DEALS: Final = 30
"""Number of the latest finished deals in an answer."""
OPENING_FRAMES: Final = 24
"""Number of the latest frames, which a page loads first."""
POLL_MS: Final = {"thinking": 1_000, "waiting": 2_000, "turn": 10_000}
"""Milliseconds until a page polls again, by kind of chip. Here `thinking` means another person:
while a bot is to move, the page polls immediately, and the server holds the request."""
POLL_COMPARING_MS: Final = 1_000
"""Milliseconds until the next poll while house bots replay the last deal, for at most
`MAX_COMPARING`."""
MAX_COMPARING: Final = timedelta(minutes=1)
POLL_RARELY_MS: Final = 30_000


def state_for(
    table: Table, seats: Sequence[TableSeat], seat: int | None, after: int | None = None
) -> dict[str, Any]:
    """The state of the table for the person in `seat`, or for a spectator if it is None.

    `after`: the number of frames that the page has; None if it has none and needs the latest ones.
    docs/13-tables.md describes the shape.
    """
    cached = cached_match(table, (seat,))
    with cached.lock:
        return seat_state(cached, table, seats, seat, after)


def seat_state(
    cached: CachedMatch,
    table: Table,
    seats: Sequence[TableSeat],
    seat: int | None,
    after: int | None = None,
) -> dict[str, Any]:
    """Like `state_for`, for a match whose lock the caller holds and that need not be cached."""
    match = cached.match
    names = names_of(match.format, seats)
    dealt = table.state != Table.State.WAITING
    first, frames = _frames(cached, seat, after) if dealt else (0, [])
    no_host = waits_without_host(table)
    chip = chip_of(table, seats, seat, names, unserved=no_host)
    trouble = NO_HOST if no_host else table.trouble
    may_move = seat is not None and table.state == Table.State.PLAYING
    return {
        "key": table.key,
        "version": table.version,
        "state": table.state,
        "trouble": trouble,
        "n": len(match.moves),
        "you": seat,
        "maker": seat == table.maker,
        "format": format_of(match.format) | {"one_deal": match.format.options.get("deals") == 1},
        "goal": match.format.spec.goal(match.format),
        "seats": [
            _seat(table, table_seat, seat, names[table_seat.index], len(seats))
            for table_seat in seats
        ],
        "sides": [list(side) for side in match.format.sides],
        "turn": match.turn if dealt else None,
        "chip": chip,
        "poll": _poll(table, chip["kind"], trouble),
        "frames": frames,
        "frames_from": first,
        "frames_total": cached.total if dealt else 0,
        "decision": decide(match, seat, names).as_dict() if may_move and seat is not None else None,
        "tally": _tally(match, seat) if dealt else None,
        "deals": _deals(cached),
        "deals_total": len(cached.scores),
        "scores": match.scores,
        "result": table.result,
        "invitations": _invitations(table, seats, seat),
        "comparison": _comparison(table, cached),
        "begun": continued_source(table, seat),
    }


def etag_of(table: Table, seats: Sequence[TableSeat], seat: int | None, after: int | None) -> str:
    """An ETag that changes with the result of `state_for`."""
    present = "".join(str(int(_is_seat_present(table, table_seat))) for table_seat in seats)
    resting = int(is_resting(table))
    no_host = int(waits_without_host(table))
    comparing = int(is_comparing(table))
    flags = f"{present}-{resting}-{no_host}-{comparing}"
    return f'"{table.version}-{table.seating}-{seat}-{after}-{flags}"'


def is_resting(table: Table) -> bool:
    """Whether nobody has moved or arrived at an unfinished table for `IDLE`."""
    return not table.over and now() - table.moved > IDLE


def is_comparing(table: Table) -> bool:
    """Whether pages await the comparison of the last deal: for at most `MAX_COMPARING`."""
    return table.compared < table.deals and now() - table.moved < MAX_COMPARING


def names_of(fmt: Format, seats: Sequence[TableSeat]) -> list[str]:
    """The players' names by seat, for sentences; equal names include their seats."""
    base_names = [seat.name or seat_name(fmt.seats, seat.index) for seat in seats]
    return [
        name
        if base_names.count(name) == 1
        else f"{name} in the {seat_name(fmt.seats, index).lower()}"
        for index, name in enumerate(base_names)
    ]


def format_of(fmt: Format) -> dict[str, Any]:
    """A format's titles for a page."""
    variant = next(candidate for candidate in fmt.spec.variants if candidate.name == fmt.variant)
    title, form = fmt.spec.title, TABLES[fmt.table].title
    kind = "" if variant is fmt.spec.variants[0] else f", {variant.title}"
    return {
        "text": str(fmt),
        "game": fmt.game,
        "title": title,
        "words": f"{title}{kind}, {form}",
        "rules": reverse("rules", args=[fmt.game]),
    }


def chip_of(
    table: Table,
    seats: Sequence[TableSeat],
    seat: int | None,
    names: Sequence[str],
    *,
    unserved: bool = False,
) -> dict[str, str]:
    """The table's status as a kind and as text."""
    if table.state == Table.State.FINISHED:
        return {"kind": "finished", "words": "finished"}
    if table.state == Table.State.ABANDONED:
        return {"kind": "finished", "words": "everybody has left"}
    if is_resting(table):
        return {"kind": "resting", "words": "resting"}
    if table.state == Table.State.WAITING or table.to_act is None:
        return {"kind": "waiting", "words": "waiting for a friend"}
    if table.to_act == seat:
        return {"kind": "turn", "words": "your turn"}
    if seats[table.to_act].left is not None:
        return {"kind": "waiting", "words": f"{names[table.to_act]} has left"}
    if unserved:
        return {"kind": "waiting", "words": "waiting for a host"}
    return {"kind": "thinking", "words": f"{names[table.to_act]} thinks"}


def view_without_hidden(match: Match, seat: int | None) -> dict[str, Any]:
    """The seat's view in the shape of the full view; hidden parts are empty."""
    view = view_of(match, seat)
    hands: list[list[str]] = [[] for _ in range(match.format.seats)]
    if seat is not None:
        hands[seat] = view["hand"]
    return view | {"hands": hands, "stock_cards": []}


def _frames(
    cached: CachedMatch, seat: int | None, after: int | None
) -> tuple[int, list[dict[str, Any]]]:
    if after is None:
        after = max(0, cached.total - OPENING_FRAMES)
    return cached.frames_for(seat, after)


def _seat(
    table: Table, seat: TableSeat, reader: int | None, name: str, count: int
) -> dict[str, Any]:
    bot = seat.kind == TableSeat.Kind.BOT
    version = seat.version if bot else None
    kind = "you" if seat.index == reader else "house" if bot and seat.is_house else seat.kind
    compass = seat_name(count, seat.index)
    return {
        "index": seat.index,
        "compass": compass,
        "place": "".join(word[0].upper() for word in compass.split("-")),
        "kind": str(kind),
        "name": name if seat.kind != TableSeat.Kind.OPEN else "",
        "account": seat.kind == TableSeat.Kind.PERSON and seat.user_id is not None,
        "bot": seat.bot if bot else None,
        "version": version.number if version else None,
        "url": reverse("bot", args=[version.bot.slug]) if version else None,
        "here": _is_seat_present(table, seat),
        "left": seat.left is not None,
        "before": seat.handle if bot else "",
        "since": seat.since,
        "fault": _fault(fault) if (fault := fault_of(table, seat)) else "",
    }


def _is_seat_present(table: Table, seat: TableSeat) -> bool:
    if seat.kind == TableSeat.Kind.BOT:
        return True
    return (
        seat.kind == TableSeat.Kind.PERSON and seat.left is None and is_present(table, seat.index)
    )


def fault_of(table: Table, seat: TableSeat) -> dict[str, Any] | None:
    """The fault of the seat's present bot; a bot that had the seat before may have another one."""
    faults = (fault for fault in table.faults if fault["seat"] == seat.index)
    return next((fault for fault in faults if fault["move"] >= seat.since), None)


_FAULTS: Final = {
    "start": "did not start",
    "crash": "crashed",
    "time": "ran out of time",
    "extra": "wrote an unexpected line",
    "garbage": "gave an unreadable answer",
    "illegal": "played an illegal move",
}


def _fault(fault: dict[str, Any]) -> str:
    """A sentence about a bot's fault, without the bot's answer, which could reveal its cards."""
    text = _FAULTS.get(fault["kind"], "failed")
    return f"It {text}; from move {fault['move'] + 1} on, the first legal move is played for it."


def _poll(table: Table, kind: str, trouble: str) -> int:
    """Milliseconds until the page should poll again; 0: immediately."""
    if table.bots_turn and not table.over:
        return 0 if not trouble else POLL_MS["waiting"]
    if is_comparing(table):
        return POLL_COMPARING_MS
    return POLL_MS.get(kind, POLL_RARELY_MS)


def _tally(match: Match, seat: int | None) -> list[dict[str, Any]] | None:
    """The score sheet as if the deal ended now, as far as the seat can know it."""
    if match.turn is None:
        return None
    fmt = match.format
    lines = fmt.spec.tally(fmt, view_without_hidden(match, seat))
    return [
        {"key": line.key, "clause": line.clause, "for": line.what, "points": list(line.points)}
        for line in lines
    ] or None


def _deals(cached: CachedMatch) -> list[dict[str, Any]]:
    """The latest finished deals with their public sheets."""
    first = max(0, len(cached.scores) - MAX_DEALS)
    return [
        {"number": deal["deal"], "scores": cached.scores[deal["deal"]], "sheet": deal["sheet"]}
        for deal in cached.match.deals_since(first)
    ]


def _invitations(
    table: Table, seats: Sequence[TableSeat], seat: int | None
) -> list[dict[str, Any]]:
    if seat is None or seat != table.maker:
        return []
    page = reverse("table", args=[table.key])
    return [
        {
            "seat": table_seat.index,
            "url": f"{page}?invitation={invitation(table, table_seat.index)}",
        }
        for table_seat in seats
        if table_seat.kind == TableSeat.Kind.OPEN
    ]


def _comparison(table: Table, cached: CachedMatch) -> dict[str, Any] | None:
    """The comparison of the last finished deal; after the match, with the points of all sides."""
    if table.deals <= table.deals_given:
        return None
    url = reverse("table-comparison", args=[table.key, table.deals])
    ready = table.compared >= table.deals
    others = _others(table, cached) if ready and table.over else []
    return {"deal": table.deals, "ready": ready, "url": url, "others": others}


def _others(table: Table, cached: CachedMatch) -> list[dict[str, Any]]:
    """The replays of the last deal, with the points of each side."""
    deal = table.deals - 1
    rows = table.comparisons.filter(deal=deal).values_list("bot", "scores")
    scores_before = cached.scores[deal - 1] if deal else [0] * len(cached.scores[deal])
    return [
        {
            "title": display_name(bot) or "in the match",
            "points": [
                score - score_before
                for score, score_before in zip(scores, scores_before, strict=True)
            ],
        }
        for bot, scores in rows
        if len(scores) == len(scores_before)
    ]


def continued_source(table: Table, seat: int | None) -> dict[str, Any] | None:
    """The match or table that this table continues, and the move after which it begins.

    The address of another table is secret, so only the creator of this table gets it.
    """
    source = table.source
    if source is None:
        return None
    page = ""
    if "match" in source:
        page = reverse("match", args=[source["match"]])
    elif seat == table.maker and Table.objects.filter(key=source["table"]).exists():
        page = reverse("table-replay", args=[source["table"]])
    return {
        "move": table.given,
        "names": " – ".join(map(display_name, dict.fromkeys(source["names"]))),
        "url": f"{page}#move-{table.given}" if page and table.given else page,
    }


def seats_of(table: Table) -> list[TableSeat]:
    """The seats in order, with their versions and bots."""
    return list(table.seats.select_related("version__bot").order_by("index"))


def seats_of_person(seats: Iterable[TableSeat], person: Person) -> list[TableSeat]:
    """A person's seats: one at most, but a guest who later logs in to an account at the same table
    has two."""
    return [seat for seat in seats if person.has(seat)]


def seat_of(table: Table, seats: Sequence[TableSeat], person: Person) -> int | None:
    """The index of a person's seat, if they have one; of several, the one to move."""
    own = [seat.index for seat in seats_of_person(seats, person)]
    return table.to_act if table.to_act in own else next(iter(own), None)
