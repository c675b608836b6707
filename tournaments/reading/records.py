"""Check that a stored record agrees with its match."""

from __future__ import annotations

import zlib

from engine import Record
from engine.errors import RecordError
from engine.shuffle import commitment
from tournaments.models import Match, StoredRecord


def disagreement(match: Match) -> str:
    """Replay the record of a finished match; return the first difference as a clause that follows
    the match's number, or "" if the record agrees."""
    stored = StoredRecord.objects.filter(match=match).first()
    if stored is None:
        return "it is finished but has no record."
    try:
        record = Record.from_json(zlib.decompress(stored.content))
        record.verify()
    except zlib.error:
        return "its record cannot be unpacked."
    except RecordError as error:
        return str(error)
    deal_group = match.deal_group
    if (record.format, record.seed) != (match.format, deal_group.seed):
        return "its record has another format or seed."
    if record.rng != (match.rng or None):
        return "its record has another secret for the bots' randomness."
    if commitment(deal_group.seed) != deal_group.commitment:
        return "its seed does not match the commitment of its deal group."
    result = record.result or {}
    rows = list(match.results.order_by("side").values_list("score", "rank"))
    if rows != list(zip(result["scores"], result["ranks"], strict=True)):
        return "its stored result differs from the result of its record."
    return ""
