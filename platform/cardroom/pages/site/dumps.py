"""The nightly dumps of all public data."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from tournaments.exports.dump import Dump, complete_dumps

TITLES: Final = {
    "results": "a side’s result in a match",
    "deals": "a deal: its cards and score sheet",
    "moves": "a move, with its thinking time",
}


def index(request: HttpRequest) -> HttpResponse:
    """Describe the newest dump and its tables, and list earlier dumps."""
    dumps = complete_dumps(settings.DUMP_DIR)
    newest = dumps[0] if dumps else None
    context = {
        "newest": newest,
        "made": newest and datetime.fromisoformat(newest.made),
        "tables": _tables(newest) if newest else [],
        "earlier": dumps[1:],
        "at": settings.DUMP_AT,
    }
    return render(request, "data.html", context)


def _tables(dump: Dump) -> list[tuple[str, str, int, str]]:
    """For each table: name, meaning of a row, number of rows, and columns."""
    return [
        (name, TITLES.get(name, ""), dump.rows.get(name, 0), ", ".join(columns))
        for name, columns in dump.columns.items()
    ]
