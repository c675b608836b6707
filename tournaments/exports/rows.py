"""Results and ratings of a tournament as rows, in CSV and JSON."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, Final

import msgspec
from django.db.models import Case, F, When

from tournaments.exports.archive import ratings_of
from tournaments.models import Match, Seat, SideResult, Tournament, group_is_over

Rows = Iterable[dict[str, Any]]
"""Flat rows with the same keys in the same order."""

BATCH = 500
"""Matches per query."""

_FORMULA: Final = frozenset("=+-@\t\r")
"""First characters of texts that a spreadsheet reads as formulas."""


def result_rows(tournament: Tournament) -> Iterator[dict[str, Any]]:
    """A row for each side of each finished match; `bots` lists the bots of its seats, in order.

    `seed` is empty until the deal group is over. Rows are read lazily, because a ladder has many.
    """
    names = {
        "match": "match_id",
        "stage": "match__deal_group__stage__number",
        "division": "match__deal_group__division",
        "round": "match__deal_group__round",
        "pairing": "match__deal_group__pairing",
        "fixture": "match__deal_group__number",
        "rotation": "match__rotation",
        "commitment": "match__deal_group__commitment",
        "seed": "shown",
        "side": "side",
        "score": "score",
        "rank": "rank",
        "faulted": "faulted",
        "reason": "match__reason",
    }
    finished = Match.objects.filter(tournament=tournament, state=Match.State.FINISHED)
    keys = list(finished.order_by("pk").values_list("pk", flat=True))
    for start in range(0, len(keys), BATCH):
        batch = keys[start : start + BATCH]
        bots: dict[tuple[int, int], list[str]] = {}
        seats = Seat.objects.filter(match__in=batch).order_by("match", "index")
        for match, side, slug in seats.values_list("match", "side", "version__bot__slug"):
            bots.setdefault((match, side), []).append(slug)
        public_seed = Case(
            When(group_is_over("match__deal_group"), then=F("match__deal_group__seed"))
        )
        results = SideResult.objects.filter(match__in=batch).order_by("match", "side")
        results = results.annotate(shown=public_seed)
        for values in results.values_list(*names.values()):
            row = dict(zip(names, values, strict=True))
            yield row | {"bots": "+".join(bots[row["match"], row["side"]])}


def rating_rows(tournament: Tournament) -> Rows:
    """A row for each rating of an entered version in the format's pools."""
    rows = tournament.entries.order_by().values_list("version", "mates__version")
    return ratings_of(tournament, {pk for row in rows for pk in row if pk is not None})


def as_csv(rows: Rows) -> Iterator[str]:
    """CSV with a header line, in pieces; without rows it is empty.

    Text that a spreadsheet would read as a formula gets a leading apostrophe, because strangers
    choose names.
    """
    out = io.StringIO()
    writer = csv.writer(out)
    for number, batch in enumerate(_batches(rows)):
        if not number:
            writer.writerow(batch[0])
        columns = zip(*(row.values() for row in batch), strict=True)
        writer.writerows(zip(*map(_without_formulas, columns), strict=True))
        yield _take_content(out)


def as_json(rows: Rows) -> Iterator[str]:
    """A list of objects, in pieces."""
    separator = "["
    for batch in _batches(rows):
        text = msgspec.json.format(msgspec.json.encode(batch), indent=0).decode()
        yield separator + text[1:-1]
        separator = ", "
    yield "[]" if separator == "[" else "]"


def _batches(rows: Rows) -> Iterator[list[dict[str, Any]]]:
    """The rows in lists of at most `BATCH`."""
    iterator = iter(rows)
    while batch := list(islice(iterator, BATCH)):
        yield batch


def _take_content(out: io.StringIO) -> str:
    """The buffer's content, which is then emptied."""
    text = out.getvalue()
    out.seek(0)
    out.truncate()
    return text


def _without_formulas(column: Sequence[Any]) -> Sequence[Any]:
    if not any(issubclass(kind, str) for kind in set(map(type, column))):
        return column
    return [
        f"'{value}" if isinstance(value, str) and value[:1] in _FORMULA else value
        for value in column
    ]
